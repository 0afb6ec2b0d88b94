/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_linear.c - alltoall, allgather and allreduce by a message to each member (gen.h): every
 * member begins with the next, so that no member is the first target of all. All post before they
 * wait, so that members that share processors take one turn. */
#include "coll/gen.h"

/* Blocks for other members are `stride` bytes of IN apart. */
static void exchange(struct eyoti_plan *p, const struct eyoti_coll_args *a, uint64_t stride) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = eyoti_plan_board(p, a->len * p->size);
  uint64_t me = p->me;
  p->symmetric = true;
  eyoti_plan_put_each(p, slots, eyoti_ref(EYOTI_IN, 0), stride, a->len, words);
  eyoti_plan_await_each(p, words);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, 0), a->bytes, slots, a->len, a->len, me);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, me * a->bytes), eyoti_ref(EYOTI_IN, me * stride), a->len);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, (me + 1) * a->bytes), a->bytes,
                       eyoti_ref_add(slots, (me + 1) * a->len), a->len, a->len, p->size - me - 1);
}

void eyoti_gen_alltoall_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  exchange(p, a, a->bytes);
}

void eyoti_gen_allgather_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  exchange(p, a, 0);
}

/* Each member combines all operands, along the tree of docs/adr/0067: on each level a block of
 * `ranks` members with the one after it. */
void eyoti_gen_allreduce_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t words = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = eyoti_plan_board(p, a->len * p->size);
  /* Messages leave from a place that does not change: the result may replace the operand. */
  struct eyoti_ref own = eyoti_plan_stage(p, eyoti_ref(EYOTI_IN, 0), a->len);
  p->symmetric = true;
  eyoti_plan_put_each(p, slots, own, 0, a->len, words);
  eyoti_plan_copy(p, eyoti_ref_add(slots, p->me * a->len), own, a->len);
  eyoti_plan_await_each(p, words);
  for (uint64_t ranks = 1; ranks < p->size; ranks *= 2)
    for (uint64_t low = 0; low + ranks < p->size; low += 2 * ranks)
      eyoti_plan_combine(p, eyoti_ref_add(slots, low * a->len),
                         eyoti_ref_add(slots, (low + ranks) * a->len), a->len / a->combiner.width);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), slots, a->len);
}
