/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_gather.c - gather of short blocks along a binomial tree: gen_scatter.c's, the other way.
 *
 * Members are numbered from the root on. A member whose number has its lowest set bit at k gets the
 * blocks of the numbers after its own from members that are 1, 2, ... 2^(k-1) further, and sends
 * those of the 2^k numbers from its own on.
 *
 * Source: Thakur, Rabenseifner, Gropp 2005; Chan, Heimlich, Purkayastha, van de Geijn 2007, section
 * 4.1 (gather). */
#include "coll/gen.h"

/* Brings n blocks of the board to their places in the root's buffer, which is in the order of
 * ranks. */
static void to_root(struct eyoti_plan *p, const struct eyoti_coll_args *a, uint64_t first,
                    uint64_t n, struct eyoti_ref slots) {
  uint64_t rank = (a->root + first) % p->size;
  uint64_t before = p->size - rank < n ? p->size - rank : n; /* the end of the buffer */
  struct eyoti_ref from = eyoti_ref_add(slots, first * a->len);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, rank * a->bytes), a->bytes, from, a->len, a->len,
                       before);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, 0), a->bytes, eyoti_ref_add(from, before * a->len),
                       a->len, a->len, n - before);
}

void eyoti_gen_gather_tree(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint64_t number = ((uint64_t)p->me + p->size - a->root) % p->size, bit = 1;
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < p->size) levels++;
  uint32_t words = eyoti_plan_words(p, levels), level = 0;
  struct eyoti_ref slots = eyoti_plan_board(p, p->size * a->len);
  if (number != 0) eyoti_plan_copy(p, slots, eyoti_ref(EYOTI_IN, 0), a->len);
  for (; bit < p->size && (number & bit) == 0; bit *= 2, level++) {
    uint64_t child = number + bit, end = child + bit < p->size ? child + bit : p->size;
    if (child >= p->size) continue;
    eyoti_plan_await(p, (uint32_t)((child + a->root) % p->size), words + level, EYOTI_HEAD);
    if (number == 0) to_root(p, a, child, end - child, slots);
  }
  if (number == 0) {
    eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, p->me * a->bytes), eyoti_ref(EYOTI_IN, 0), a->len);
    return;
  }
  uint64_t end = number + bit < p->size ? number + bit : p->size;
  uint32_t parent = (uint32_t)((number - bit + a->root) % p->size);
  eyoti_plan_put(p, parent, eyoti_ref_add(slots, bit * a->len), slots, (end - number) * a->len,
                 words + level, EYOTI_HEAD);
}
