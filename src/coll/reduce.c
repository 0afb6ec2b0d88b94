/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - eyot_reduce and eyot_allreduce along a binomial tree toward the root (source: as in
 * bcast.c).
 *
 * Each level has its own slot in the parent's scratch, and slots are combined in the order of
 * levels, not of arrival, so that results are the same in every run. Allreduce is a reduction
 * followed by a broadcast, so that all members have the same bits. */
#include "coll/args.h"
#include "coll/tree.h"
#include "rma/op.h"
#include "rt/observe.h"

#define SLOT_ALIGN 64u

/* The slots of a round: one for each level, one for the partial result, then one for the
 * broadcast. */
struct layout {
  uint64_t chunk; /* bytes of data in a slot */
  uint64_t slot;  /* distance of slots */
  uint64_t sum;   /* offset of the partial result */
  uint64_t result;
  uint64_t bytes;
};

static struct layout make_layout(uint32_t size, uint64_t bytes) {
  uint32_t levels = eyoti_scratch_levels(size);
  struct layout l = {.chunk = eyoti_scratch_chunk(bytes, levels + 2)};
  l.slot = (l.chunk + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
  l.sum = levels * l.slot;
  l.result = l.sum + l.slot;
  l.bytes = l.result + l.slot;
  return l;
}

/* Combines n elements at `send` of every member into the root's slot of partial results. */
static int reduce_round(const struct eyoti_scratch *s, const struct layout *l,
                        const struct eyoti_coll_args *a, const char *send, uint64_t n) {
  const struct eyoti_team *t = s->t;
  uint64_t len = n * eyoti_type_width(a->type);
  uint32_t rank = (uint32_t)(((uint64_t)t->me + t->size - a->root) % t->size);
  char *sum = s->data + l->sum;
  memcpy(sum, send, len);
  for (uint32_t level = 0; level < s->levels; level++) {
    uint64_t bit = (uint64_t)1 << level;
    if ((rank & bit) != 0) {
      uint32_t parent = (uint32_t)((rank - bit + a->root) % t->size);
      fab_req_t req;
      EYOTI_TRY(eyoti_scratch_send(s, parent, level * l->slot, sum, len, level, &req));
      return eyoti_scratch_complete(s, &req, 1);
    }
    if (rank + bit >= t->size) continue;
    EYOTI_TRY(eyoti_scratch_await(s, level));
    eyoti_combine(a->type, a->op, sum, s->data + level * l->slot, n);
  }
  return EYOT_OK;
}

static int check_op(eyot_type_t type, eyot_op_t op) {
  if (op != EYOT_REPLACE && op != EYOT_NOOP && eyoti_op_defined(type, op)) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL, "%s (%d) is no reduction on type %s (%d)", eyoti_op_name(op),
                    (int)op, eyoti_type_name(type), (int)type);
}

/* everywhere: an allreduce, whose root is 0. */
static int coll_reduce_values(struct eyot_rt *rt, eyot_team_t team, const struct eyoti_coll_args *a,
                              const void *send, void *recv, bool everywhere) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  uint64_t n = a->count, width = eyoti_type_width(a->type);
  eyoti_team_enter(rt, t, everywhere ? FAB_COLLECTIVE_NONE : a->root, n * width);
  bool wanted = everywhere || t->me == a->root;
  int refused = check_op(a->type, a->op);
  if (refused == EYOT_OK) refused = eyoti_coll_check_root(t, a->root);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(send, recv, wanted, n, width);
  EYOTI_TRY(eyoti_coll_agree(rt, t, a, refused));
  if (n == 0) return EYOT_OK;
  eyoti_observe_reads(rt, send, n * width);
  if (wanted) eyoti_observe_writes(rt, recv, n * width);

  struct eyoti_scratch s;
  struct layout l = make_layout(t->size, n * width);
  EYOTI_TRY(eyoti_scratch_open(rt, t, l.bytes, &s));
  for (uint64_t at = 0; at < n * width; at += l.chunk) {
    uint64_t len = n * width - at < l.chunk ? n * width - at : l.chunk;
    EYOTI_TRY(eyoti_scratch_round(&s, at == 0));
    EYOTI_TRY(reduce_round(&s, &l, a, (const char *)send + at, len / width));
    if (t->me == a->root) memcpy((char *)recv + at, s.data + l.sum, len);
    if (everywhere) EYOTI_TRY(eyoti_tree_broadcast(&s, a->root, (char *)recv + at, l.result, len));
  }
  if (wanted) eyoti_observe_writes(rt, recv, n * width);
  return EYOT_OK;
}

int eyot_reduce(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                const void *send, void *recv, uint64_t n) {
  EYOTI_ENTER(rt);
  struct eyoti_coll_args a = {
      .function = EYOTI_COLL_REDUCE, .root = root.id, .type = type, .op = op, .count = n};
  return coll_reduce_values(rt, team, &a, send, recv, false);
}

int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                   uint64_t n) {
  EYOTI_ENTER(rt);
  struct eyoti_coll_args a = {.function = EYOTI_COLL_ALLREDUCE, .type = type, .op = op, .count = n};
  return coll_reduce_values(rt, team, &a, send, recv, true);
}
