/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_doubling.c - allreduce by recursive doubling (gen.h), along the tree over ranks of
 * docs/adr/0067, for any number of members.
 *
 * On level k the 2^k members of a lower block and the members of the block after it exchange their
 * blocks' combinations, which all members of a block have. The last upper block may have fewer
 * members: each then serves several of the lower ones, and eyoti_gen_allreduce_fan says how many at
 * most. All combine the lower block's operand on the left, so that all have the same bits. */
#include "coll/gen.h"

uint32_t eyoti_gen_allreduce_fan(uint32_t size) {
  uint32_t most = 1;
  for (uint64_t ranks = 1; ranks < size; ranks *= 2) {
    uint64_t upper = size % (2 * ranks) > ranks ? size % (2 * ranks) - ranks : ranks;
    uint64_t fan = (ranks + upper - 1) / upper;
    if (fan > most) most = (uint32_t)fan;
  }
  return most;
}

/* The blocks of a level that the caller is in: `ranks` lower members, `upper` upper ones. */
struct pair {
  uint64_t low, ranks, upper;
};

static bool pair_of(const struct eyoti_plan *p, uint64_t ranks, struct pair *out) {
  uint64_t low = p->me & ~(2 * ranks - 1);
  if (low + ranks >= p->size) return false;
  uint64_t left = p->size - low - ranks;
  *out = (struct pair){low, ranks, left < ranks ? left : ranks};
  return true;
}

void eyoti_gen_allreduce_doubling(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint64_t slot = (a->len + 7) / 8 * 8, n = a->len / a->combiner.width;
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < p->size) levels++;
  uint32_t words = eyoti_plan_words(p, levels);
  p->symmetric = true;
  struct eyoti_ref sum = eyoti_plan_stage(p, eyoti_ref(EYOTI_IN, 0), a->len);
  struct eyoti_ref slots = eyoti_plan_board(p, levels * slot);
  for (uint32_t level = 0; level < levels; level++) {
    struct pair b;
    if (!pair_of(p, (uint64_t)1 << level, &b)) continue;
    /* The next combination is in this level's slot: no place that a put leaves from changes. */
    struct eyoti_ref place = eyoti_ref_add(slots, level * slot);
    bool lower = p->me < b.low + b.ranks;
    uint64_t at = p->me - b.low - (lower ? 0 : b.ranks);
    uint32_t source = (uint32_t)(b.low + (lower ? b.ranks + at % b.upper : at));
    if (lower && at < b.upper)
      eyoti_plan_put(p, source, place, sum, a->len, words + level, EYOTI_HEAD);
    for (uint64_t to = at; !lower && to < b.ranks; to += b.upper)
      eyoti_plan_put(p, (uint32_t)(b.low + to), place, sum, a->len, words + level, EYOTI_HEAD);
    eyoti_plan_await(p, source, words + level, EYOTI_HEAD);
    if (lower)
      eyoti_plan_combine_before(p, place, sum, n);
    else
      eyoti_plan_combine(p, place, sum, n);
    sum = place;
  }
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), sum, a->len);
}
