/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_bruck.c - allgather by Bruck's algorithm (gen.h), for any number p of members.
 *
 * In step k every member sends the blocks that it has, its own first, to the member 2^k before it;
 * after ceil(log2 p) steps all members have all blocks. Slot j of a member's board holds the block
 * of the member j places after it, so that every step is one contiguous put. */
#include "coll/gen.h"

void eyoti_gen_allgather_bruck(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < p->size) levels++;
  uint32_t words = eyoti_plan_words(p, levels);
  struct eyoti_ref slots = eyoti_plan_board(p, a->len * p->size);
  p->symmetric = true;
  eyoti_plan_copy(p, slots, eyoti_ref(EYOTI_IN, 0), a->len);
  for (uint32_t k = 0; k < levels; k++) {
    uint64_t have = (uint64_t)1 << k, count = have < p->size - have ? have : p->size - have;
    eyoti_plan_put(p, eyoti_plan_member(p, -(int64_t)have), eyoti_ref_add(slots, have * a->len),
                   slots, count * a->len, words + k, EYOTI_HEAD);
    eyoti_plan_await(p, eyoti_plan_member(p, (int64_t)have), words + k, EYOTI_HEAD);
  }
  uint64_t after = p->size - p->me; /* members from the caller to the last one */
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, p->me * a->bytes), a->bytes, slots, a->len, a->len,
                       after);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, 0), a->bytes, eyoti_ref_add(slots, after * a->len),
                       a->len, a->len, p->me);
}
