/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_exchange.c - packs, exchanges and unpacks the boundaries of a block. Everything is packed
 * before anything is unpacked: a sum is sent without what others add to it. */
#include "lulesh_halo.h"

/* The arrays of an exchange, and how to find a place in them. */
struct fields {
  double *array[2 * LH_AXES];
  int count;
  uint64_t (*index)(const struct lh_mesh *m, int32_t i, int32_t j, int32_t k);
};

static struct fields fields_of(const struct lh_mesh *m, enum lh_kind kind) {
  struct fields f = {.count = LH_AXES, .index = lh_node};
  for (int a = 0; a < LH_AXES; a++) {
    f.array[a] = kind == LH_FORCE        ? m->force[a]
                 : kind == LH_DIFFERENCE ? m->difference[a]
                                         : m->position[a];
    f.array[LH_AXES + a] = m->velocity[a];
  }
  if (kind == LH_SYNC) f.count = 2 * LH_AXES;
  if (kind == LH_DIFFERENCE) f.index = lh_ghosted;
  if (kind == LH_MASS) {
    f.array[0] = m->mass;
    f.count = 1;
  }
  return f;
}

static void range_pack(const struct lh_mesh *m, const struct fields *f, const struct lh_range *r,
                       double *out) {
  for (int n = 0; n < f->count; n++)
    for (int32_t k = r->from[2]; k <= r->to[2]; k++)
      for (int32_t j = r->from[1]; j <= r->to[1]; j++)
        for (int32_t i = r->from[0]; i <= r->to[0]; i++) *out++ = f->array[n][f->index(m, i, j, k)];
}

static void range_unpack(const struct lh_mesh *m, const struct fields *f, const struct lh_range *r,
                         bool add, const double *in) {
  for (int n = 0; n < f->count; n++)
    for (int32_t k = r->from[2]; k <= r->to[2]; k++)
      for (int32_t j = r->from[1]; j <= r->to[1]; j++)
        for (int32_t i = r->from[0]; i <= r->to[0]; i++) {
          double *place = &f->array[n][f->index(m, i, j, k)];
          *place = add ? *place + *in : *in;
          in++;
        }
}

static int send_to(struct lh_mesh *m, enum lh_kind kind, uint32_t d) {
  struct fields f = fields_of(m, kind);
  struct lh_range r = kind == LH_DIFFERENCE ? lh_elements_at(m, d, false) : lh_nodes_at(m, d);
  double *out = NULL;
  int code = m->variant->out(m, kind, d, &out);
  if (code != EYOT_OK) return code;
  range_pack(m, &f, &r, out);
  LH_TRY(lh_spend(m, lh_bytes(m, kind, d) / sizeof(double) * LH_NUMBER_NS));
  m->messages++;
  return m->variant->send(m, kind, d);
}

static int receive_from(struct lh_mesh *m, enum lh_kind kind, uint32_t d) {
  struct fields f = fields_of(m, kind);
  struct lh_range r = kind == LH_DIFFERENCE ? lh_elements_at(m, d, true) : lh_nodes_at(m, d);
  const double *in = NULL;
  int code = m->variant->await(m, kind, d, &in);
  if (code != EYOT_OK) return code;
  range_unpack(m, &f, &r, kind == LH_MASS || kind == LH_FORCE, in);
  LH_TRY(lh_spend(m, lh_bytes(m, kind, d) / sizeof(double) * LH_NUMBER_NS));
  return EYOT_OK;
}

/* Messages are unpacked from the highest direction to the lowest: of the positions of a node that
 * several units send, those of the unit with the lowest number stay, on all units that have it. */
int lh_exchange(struct lh_mesh *m, enum lh_kind kind) {
  uint64_t begin = eyot_now_ns();
  if (m->side == 1) return EYOT_OK;
  int code = m->variant->begin(m, kind);
  for (uint32_t d = 0; d < LH_DIRECTIONS && code == EYOT_OK; d++)
    if (lh_sends(m, kind, d)) code = send_to(m, kind, d);
  for (uint32_t d = LH_DIRECTIONS; d-- > 0 && code == EYOT_OK;)
    if (lh_receives(m, kind, d)) code = receive_from(m, kind, d);
  if (code == EYOT_OK) code = m->variant->end(m, kind);
  m->communication_ns += eyot_now_ns() - begin;
  return code;
}
