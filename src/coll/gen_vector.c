/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_vector.c - gatherv, allgatherv, collect and alltoallv by direct messages (gen.h): blocks of
 * several lengths, of which a round moves a piece of the same place in each block.
 *
 * A member with nothing to send sends the head all the same, so that its receiver knows that it
 * takes part. Every member begins with the next, so that no member is the first target of all. */
#include "coll/gen.h"

/* A slot of a->len bytes for each sender. */
static struct eyoti_ref slots_of(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  return eyoti_plan_board(p, p->size * eyoti_gen_round8(a->len));
}
static struct eyoti_ref slot_of(struct eyoti_ref slots, const struct eyoti_coll_args *a,
                                uint64_t member) {
  return eyoti_ref_add(slots, member * eyoti_gen_round8(a->len));
}

/* Brings the blocks from the board, and the caller's own from IN, to OUT. */
static void take(struct eyoti_plan *p, const struct eyoti_coll_args *a, struct eyoti_ref slots,
                 uint64_t own_at) {
  for (uint32_t m = 0; m < p->size; m++) {
    struct eyoti_gen_block b = eyoti_gen_block(a, a->out, m);
    struct eyoti_ref from = m == p->me ? eyoti_ref(EYOTI_IN, own_at) : slot_of(slots, a, m);
    eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, b.at), from, b.len);
  }
}

void eyoti_gen_gatherv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = slots_of(p, a);
  if (p->me != a->root) {
    eyoti_plan_put(p, a->root, slot_of(slots, a, p->me), eyoti_ref(EYOTI_IN, 0),
                   eyoti_gen_block(a, a->in, p->me).len, words + p->me, EYOTI_HEAD);
    return;
  }
  eyoti_plan_await_each(p, words);
  take(p, a, slots, 0);
}

void eyoti_gen_allgatherv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = slots_of(p, a);
  uint64_t len = eyoti_gen_block(a, a->out, p->me).len;
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++)
    eyoti_plan_put(p, eyoti_plan_member(p, i), slot_of(slots, a, p->me), eyoti_ref(EYOTI_IN, 0),
                   len, words + p->me, EYOTI_HEAD);
  eyoti_plan_await_each(p, words);
  take(p, a, slots, 0);
}

void eyoti_gen_alltoallv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = slots_of(p, a);
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block b = eyoti_gen_block(a, a->in, to);
    eyoti_plan_put(p, to, slot_of(slots, a, p->me), eyoti_ref(EYOTI_IN, b.at), b.len, words + p->me,
                   EYOTI_HEAD);
  }
  eyoti_plan_await_each(p, words);
  take(p, a, slots, eyoti_gen_block(a, a->in, p->me).at);
}
