/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_neighbor.c - neighbors in 26 directions, and what is exchanged with each. */
#include "lulesh_halo.h"

/* The component of a direction along an axis: -1, 0 or 1. */
static int32_t step_along(uint32_t direction, int axis) {
  static const uint32_t power[LH_AXES] = {1, 3, 9};
  return (int32_t)(direction / power[axis] % 3) - 1;
}

bool lh_has_neighbor(const struct lh_mesh *m, uint32_t direction) {
  if (direction == LH_SELF) return false;
  for (int a = 0; a < LH_AXES; a++) {
    int64_t there = (int64_t)m->coord[a] + step_along(direction, a);
    if (there < 0 || there >= m->side) return false;
  }
  return true;
}

uint32_t lh_neighbor(const struct lh_mesh *m, uint32_t direction) {
  int64_t side = m->side;
  return (uint32_t)((int64_t)m->me + step_along(direction, 0) +
                    side * (step_along(direction, 1) + side * step_along(direction, 2)));
}

static bool is_face(uint32_t direction) {
  int32_t components = 0;
  for (int a = 0; a < LH_AXES; a++) components += step_along(direction, a) != 0;
  return components == 1;
}

/* Of two units that share nodes, the one with the lower number sends its positions. */
bool lh_sends(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  if (!lh_has_neighbor(m, direction)) return false;
  if (kind == LH_SYNC) return direction > LH_SELF;
  return kind == LH_DIFFERENCE ? is_face(direction) : true;
}
bool lh_receives(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  if (!lh_has_neighbor(m, direction)) return false;
  if (kind == LH_SYNC) return direction < LH_SELF;
  return kind == LH_DIFFERENCE ? is_face(direction) : true;
}

struct lh_range lh_nodes_at(const struct lh_mesh *m, uint32_t direction) {
  struct lh_range r;
  for (int a = 0; a < LH_AXES; a++) {
    r.from[a] = step_along(direction, a) > 0 ? m->n : 0;
    r.to[a] = step_along(direction, a) < 0 ? 0 : m->n;
  }
  return r;
}

struct lh_range lh_elements_at(const struct lh_mesh *m, uint32_t direction, bool ghosts) {
  struct lh_range r;
  int32_t low = ghosts ? -1 : 0, high = ghosts ? m->n : m->n - 1;
  for (int a = 0; a < LH_AXES; a++) {
    int32_t along = step_along(direction, a);
    r.from[a] = along > 0 ? high : along < 0 ? low : 0;
    r.to[a] = along > 0 ? high : along < 0 ? low : m->n - 1;
  }
  return r;
}

static uint64_t range_places(const struct lh_range *r) {
  uint64_t places = 1;
  for (int a = 0; a < LH_AXES; a++) places *= (uint64_t)(r->to[a] - r->from[a] + 1);
  return places;
}

uint64_t lh_bytes(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  static const uint64_t fields[LH_KINDS] = {1, LH_AXES, 2 * LH_AXES, LH_AXES};
  struct lh_range r =
      kind == LH_DIFFERENCE ? lh_elements_at(m, direction, false) : lh_nodes_at(m, direction);
  return fields[kind] * range_places(&r) * sizeof(double);
}

/* All directions have slots, so that offsets are the same on all units; of differences the
 * faces. */
void lh_slots(struct lh_mesh *m) {
  uint64_t at = 0;
  for (uint32_t kind = 0; kind < LH_KINDS; kind++)
    for (uint32_t d = 0; d < LH_DIRECTIONS; d++) {
      m->slot_at[kind][d] = at;
      if (d == LH_SELF || (kind == LH_DIFFERENCE && !is_face(d))) continue;
      at += (lh_bytes(m, (enum lh_kind)kind, d) + 63) / 64 * 64;
    }
  m->slots_bytes = at;
}
