/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_reduce_scatter.c - reduce_scatter_block by pairwise exchange: each member receives the
 * operands of its own block from all members, and combines them.
 *
 * Every operand crosses the network once, which is the least for long blocks, and the owner
 * combines them along the tree over ranks (docs/adr/0067), which a ring that combines on the way
 * cannot. Each begins with the member after it, so that no member is the first target of all.
 *
 * Source: Thakur, Rabenseifner, Gropp 2005, section 4.4 (pairwise exchange). */
#include "coll/gen.h"

void eyoti_gen_combine_ranks(struct eyoti_plan *p, struct eyoti_gen_ranks r, struct eyoti_ref slots,
                             uint64_t slot, uint64_t elements) {
  for (uint64_t ranks = 1; ranks < r.size; ranks *= 2) {
    uint64_t low = (r.first + 2 * ranks - 1) / (2 * ranks) * (2 * ranks);
    for (; low + ranks < r.end; low += 2 * ranks) {
      if (low + 2 * ranks > r.end && r.end < r.size) break;
      eyoti_plan_combine(p, eyoti_ref_add(slots, (low - r.first) * slot),
                         eyoti_ref_add(slots, (low + ranks - r.first) * slot), elements);
    }
  }
}

void eyoti_gen_combine_slots(struct eyoti_plan *p, struct eyoti_ref slots, uint64_t slot,
                             uint64_t elements) {
  eyoti_gen_combine_ranks(p, (struct eyoti_gen_ranks){0, p->size, p->size}, slots, slot, elements);
}

void eyoti_gen_reduce_scatter_pairwise(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint64_t slot = eyoti_gen_round8(a->len);
  uint32_t word = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = eyoti_plan_board(p, p->size * slot);
  struct eyoti_gen_block own = eyoti_gen_block(a, a->in, p->me);
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block b = eyoti_gen_block(a, a->in, to);
    eyoti_plan_put(p, to, eyoti_ref_add(slots, p->me * slot), eyoti_ref(EYOTI_IN, b.at), b.len,
                   word + p->me, EYOTI_HEAD);
  }
  eyoti_plan_copy(p, eyoti_ref_add(slots, p->me * slot), eyoti_ref(EYOTI_IN, own.at), own.len);
  eyoti_plan_await_each(p, word);
  eyoti_gen_combine_slots(p, slots, slot, own.len / a->combiner.width);
  eyoti_plan_drain(p); /* OUT may be a part of IN */
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), slots, own.len);
}
