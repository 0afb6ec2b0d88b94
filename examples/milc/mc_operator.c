/* SPDX-License-Identifier: BSD-3-Clause */
/* mc_operator.c - the staggered operator: (D v)(s) is half the sum over axes of
 * sign * (U(s) v(s + 1) - U(s - 1)^H v(s - 1)), with signs that depend on the coordinates on the
 * axes before. Its square has eigenvalues from -16 to 0. A unit sends its low side as it is, and
 * its high side multiplied by the links that cross it. Sites that need no ghost are computed while
 * the sides are under way. */
#include "milc.h"

static mc_vector_t times(const mc_matrix_t *m, const mc_vector_t *v) {
  mc_vector_t product = {{0}};
  for (int i = 0; i < MC_COLORS; i++)
    for (int j = 0; j < MC_COLORS; j++) product.c[i] += m->e[i][j] * v->c[j];
  return product;
}
/* by the adjoint of m */
static mc_vector_t times_adjoint(const mc_matrix_t *m, const mc_vector_t *v) {
  mc_vector_t product = {{0}};
  for (int i = 0; i < MC_COLORS; i++)
    for (int j = 0; j < MC_COLORS; j++) product.c[i] += conj(m->e[j][i]) * v->c[j];
  return product;
}

/* Sites from one along an axis to the next. */
static uint32_t stride_of(const struct mc_lattice *l, uint32_t axis) {
  uint32_t stride = 1;
  for (uint32_t a = 0; a < axis; a++) stride *= l->local[a];
  return stride;
}
static uint32_t coord_of(const struct mc_lattice *l, uint32_t site, uint32_t axis) {
  return site / stride_of(l, axis) % l->local[axis];
}
/* The place of a site of a side in the side. */
static uint32_t place_in_face(const struct mc_lattice *l, uint32_t site, uint32_t axis) {
  uint32_t stride = stride_of(l, axis);
  return site % stride + site / (stride * l->local[axis]) * stride;
}

static int side_pack(const struct mc_lattice *l, uint32_t direction, const mc_vector_t *from,
                     mc_vector_t *out) {
  uint32_t axis = direction / 2, side = direction % 2 == 0 ? 0 : l->local[axis] - 1;
  for (uint32_t site = 0; site < l->sites; site++) {
    if (coord_of(l, site, axis) != side) continue;
    out[place_in_face(l, site, axis)] =
        direction % 2 == 0 ? from[site] : times_adjoint(&l->link[axis][site], &from[site]);
  }
  return mc_spend(l, (uint64_t)l->face[axis] * MC_VECTOR_NS);
}

static void vector_add(mc_vector_t *sum, double factor, const mc_vector_t *v) {
  for (int i = 0; i < MC_COLORS; i++) sum->c[i] += factor * v->c[i];
}

static mc_vector_t site_operator(const struct mc_lattice *l, const mc_vector_t *from,
                                 uint32_t site) {
  mc_vector_t sum = {{0}};
  uint64_t coordinates = 0; /* on the axes before */
  for (uint32_t axis = 0; axis < MC_AXES; axis++) {
    uint32_t at = coord_of(l, site, axis), stride = stride_of(l, axis);
    uint32_t place = place_in_face(l, site, axis);
    double half = coordinates % 2 == 0 ? 0.5 : -0.5;
    bool last = at + 1 == l->local[axis];
    mc_vector_t next =
        times(&l->link[axis][site], last ? &l->ghost[2 * axis + 1][place] : &from[site + stride]);
    mc_vector_t before = at == 0
                             ? l->ghost[2 * axis][place]
                             : times_adjoint(&l->link[axis][site - stride], &from[site - stride]);
    vector_add(&sum, half, &next);
    vector_add(&sum, -half, &before);
    coordinates += l->coord[axis] * (uint64_t)l->local[axis] + at;
  }
  return sum;
}

static bool site_needs_ghost(const struct mc_lattice *l, uint32_t site) {
  for (uint32_t axis = 0; axis < MC_AXES; axis++) {
    uint32_t at = coord_of(l, site, axis);
    if (l->parts[axis] > 1 && (at == 0 || at + 1 == l->local[axis])) return true;
  }
  return false;
}

static int sites_operator(const struct mc_lattice *l, const mc_vector_t *from, mc_vector_t *to,
                          bool ghosts) {
  uint64_t done = 0;
  for (uint32_t site = 0; site < l->sites; site++) {
    if (site_needs_ghost(l, site) != ghosts) continue;
    to[site] = site_operator(l, from, site);
    done++;
  }
  return mc_spend(l, done * MC_SITE_NS);
}

/* What lies beyond the low side is the high side of the neighbor there, and the reverse. */
static int sides_send(struct mc_lattice *l, const mc_vector_t *from) {
  int code = l->variant != NULL ? l->variant->begin(l) : EYOT_OK;
  for (uint32_t d = 0; d < MC_DIRECTIONS && code == EYOT_OK; d++) {
    mc_vector_t *out = l->own[d ^ 1];
    if (!mc_has_neighbor(l, d)) {
      code = side_pack(l, d, from, out);
      continue;
    }
    code = l->variant->out(l, d, &out);
    if (code == EYOT_OK) code = side_pack(l, d, from, out);
    if (code == EYOT_OK) code = l->variant->send(l, d);
    l->messages++;
  }
  return code;
}

int mc_operator(struct mc_lattice *l, const mc_vector_t *from, mc_vector_t *to) {
  uint64_t begin = eyot_now_ns();
  int code = sides_send(l, from);
  l->communication_ns += eyot_now_ns() - begin;
  if (code == EYOT_OK) code = sites_operator(l, from, to, false);
  begin = eyot_now_ns();
  if (code == EYOT_OK && l->variant != NULL) code = l->variant->receive(l);
  l->communication_ns += eyot_now_ns() - begin;
  if (code == EYOT_OK) code = sites_operator(l, from, to, true);
  begin = eyot_now_ns();
  if (code == EYOT_OK && l->variant != NULL) code = l->variant->end(l);
  l->communication_ns += eyot_now_ns() - begin;
  return code;
}
