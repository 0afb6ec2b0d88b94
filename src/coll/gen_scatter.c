/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_scatter.c - scatter: along a binomial tree for short blocks, directly from the root for long
 * ones.
 *
 * In the tree members are numbered from the root on. A member whose number has its lowest set bit
 * at k receives the blocks of the 2^k numbers from its own on, and passes halves of them on. A
 * block thus moves up to log2(p) times, which pays as long as messages, not bytes, are the price.
 *
 * Source: Thakur, Rabenseifner, Gropp 2005, section 4.2 (scatter of the broadcast); Chan, Heimlich,
 * Purkayastha, van de Geijn: Collective communication: theory, practice, and experience, 2007,
 * section 4.1. */
#include "coll/gen.h"

/* The root, whose buffer is in the order of ranks, puts the blocks of n numbers of the tree. */
static void put_from_root(struct eyoti_plan *p, const struct eyoti_coll_args *a, uint64_t first,
                          uint64_t n, struct eyoti_ref slots, uint32_t word) {
  uint64_t rank = (a->root + first) % p->size;
  uint64_t before = p->size - rank < n ? p->size - rank : n; /* the end of the buffer */
  struct eyoti_ref stage = eyoti_ref_add(slots, first * a->len);
  eyoti_plan_copy_runs(p, stage, a->len, eyoti_ref(EYOTI_IN, rank * a->bytes), a->bytes, a->len,
                       before);
  eyoti_plan_copy_runs(p, eyoti_ref_add(stage, before * a->len), a->len, eyoti_ref(EYOTI_IN, 0),
                       a->bytes, a->len, n - before);
  eyoti_plan_put(p, (uint32_t)rank, slots, stage, n * a->len, word, EYOTI_HEAD);
}

void eyoti_gen_scatter_tree(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint64_t number = ((uint64_t)p->me + p->size - a->root) % p->size, bit = 1;
  uint32_t word = eyoti_plan_words(p, 1);
  struct eyoti_ref slots = eyoti_plan_board(p, p->size * a->len);
  while (bit < p->size && (number & bit) == 0) bit *= 2;
  if (number != 0) {
    uint32_t parent = (uint32_t)((number - bit + a->root) % p->size);
    eyoti_plan_await(p, parent, word, EYOTI_HEAD);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    uint64_t child = number + bit, end = child + bit < p->size ? child + bit : p->size;
    if (child >= p->size) continue;
    uint32_t to = (uint32_t)((child + a->root) % p->size);
    if (number == 0)
      put_from_root(p, a, child, end - child, slots, word);
    else
      eyoti_plan_put(p, to, slots, eyoti_ref_add(slots, bit * a->len), (end - child) * a->len, word,
                     EYOTI_HEAD);
  }
  if (number == 0)
    eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_ref(EYOTI_IN, p->me * a->bytes), a->len);
  else
    eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), slots, a->len);
}

void eyoti_gen_scatter_linear(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint32_t word = eyoti_plan_words(p, 1);
  struct eyoti_ref slot = eyoti_plan_board(p, a->len);
  if (p->me != a->root) {
    uint64_t len = a->out != NULL ? eyoti_gen_block(a, a->out, p->me).len : a->len;
    eyoti_plan_await(p, a->root, word, EYOTI_HEAD);
    eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), slot, len);
    return;
  }
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block b = eyoti_gen_block(a, a->in, to);
    eyoti_plan_put(p, to, slot, eyoti_ref(EYOTI_IN, b.at), b.len, word, EYOTI_HEAD);
  }
  struct eyoti_gen_block own = eyoti_gen_block(a, a->in, p->me);
  eyoti_plan_drain(p); /* OUT may be a part of IN */
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_ref(EYOTI_IN, own.at), own.len);
}
