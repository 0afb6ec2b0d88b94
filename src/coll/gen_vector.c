/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_vector.c - gatherv, allgatherv, collect, alltoallv and alltoallw by direct messages (gen.h):
 * blocks of several lengths, of which a round moves a piece of the same place in each block. Blocks
 * in runs are packed where they leave, and unpacked where they come.
 *
 * A member with nothing to send sends the head all the same, so that its receiver knows that it
 * takes part. Every member begins with the next, so that no member is the first target of all. */
#include "coll/gen.h"
#include "coll/runs.h"

/* A slot of a->len bytes for each sender. */
static struct eyoti_ref slots_of(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  return eyoti_plan_board(p, p->size * eyoti_gen_round8(a->len));
}
static struct eyoti_ref slot_of(struct eyoti_ref slots, const struct eyoti_coll_args *a,
                                uint64_t member) {
  return eyoti_ref_add(slots, member * eyoti_gen_round8(a->len));
}

/* The shape of a member's block; NULL: its bytes lie together. */
static const struct eyoti_runs *shape_of(const struct eyoti_coll_blocks *b, uint32_t member) {
  return b->shape == NULL || eyoti_runs_is_whole(&b->shape[member]) ? NULL : &b->shape[member];
}

/* Brings the blocks from the board, and the caller's own from `own`, to OUT. */
static void take(struct eyoti_plan *p, const struct eyoti_coll_args *a, struct eyoti_ref slots,
                 struct eyoti_ref own) {
  for (uint32_t m = 0; m < p->size; m++) {
    struct eyoti_gen_block b = eyoti_gen_block(a, a->out, m);
    const struct eyoti_runs *shape = shape_of(a->out, m);
    struct eyoti_ref from = m == p->me ? own : slot_of(slots, a, m);
    if (shape == NULL)
      eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, b.at), from, b.len);
    else
      eyoti_plan_unpack(p, shape, eyoti_ref(EYOTI_OUT, b.at), from, a->from, b.len);
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
  take(p, a, slots, eyoti_ref(EYOTI_IN, 0));
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
  take(p, a, slots, eyoti_ref(EYOTI_IN, 0));
}

/* The bytes that the round sends to a member: where they lie, or packed in its slot of `packed`. */
static struct eyoti_ref piece_for(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                                  uint32_t to, struct eyoti_ref packed) {
  struct eyoti_gen_block b = eyoti_gen_block(a, a->in, to);
  const struct eyoti_runs *shape = shape_of(a->in, to);
  struct eyoti_ref block = eyoti_ref(EYOTI_IN, b.at), piece = slot_of(packed, a, to);
  if (shape == NULL) return block;
  eyoti_plan_pack(p, piece, shape, block, a->from, b.len);
  return piece;
}

void eyoti_gen_alltoallv_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = slots_of(p, a);
  uint64_t packs = a->in->shape != NULL ? p->size : 0;
  struct eyoti_ref packed = eyoti_plan_temp(p, packs * eyoti_gen_round8(a->len));
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_ref piece = piece_for(p, a, to, packed);
    eyoti_plan_put(p, to, slot_of(slots, a, p->me), piece, eyoti_gen_block(a, a->in, to).len,
                   words + p->me, EYOTI_HEAD);
  }
  struct eyoti_ref own = piece_for(p, a, p->me, packed);
  eyoti_plan_await_each(p, words);
  take(p, a, slots, own);
}
