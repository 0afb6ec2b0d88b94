/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_scan.c - scan and exscan by recursive doubling, for any number of members.
 *
 * On level k a member exchanges with the member whose rank differs in bit k the combination of its
 * block: the 2^k ranks that differ from its own in the bits below k. The upper one of the two puts
 * it on the left of its result, which thus has the bits of a reduction over the ranks up to it
 * (docs/adr/0067). The lower one needs the upper block only if ranks follow after it; where that is
 * so the block is whole, because every other member of it had all its partners.
 *
 * Source: Hillis, Steele: Data parallel algorithms, CACM 29(12), 1986 ("sum of all prefixes"); in
 * messages: Thakur, Rabenseifner, Gropp 2005, section 4.5 (recursive doubling). */
#include "coll/gen.h"

struct scan {
  struct eyoti_plan *p;
  uint64_t len, n; /* bytes and elements of the round */
  bool small;
  struct eyoti_ref partial, slots, stage;
  uint32_t word;
};

/* Sends the block's combination. A small message is copied first, so that the next combination
 * need not wait. */
static void send_partial(const struct scan *s, uint32_t to, uint32_t level) {
  struct eyoti_ref slot = eyoti_ref_add(s->slots, level * eyoti_gen_round8(s->len));
  struct eyoti_ref from = s->partial;
  if (s->small) {
    from = eyoti_ref_add(s->stage, level * eyoti_gen_round8(s->len));
    eyoti_plan_copy(s->p, from, s->partial, s->len);
  }
  eyoti_plan_put(s->p, to, slot, from, s->len, s->word + level, EYOTI_HEAD);
}

/* One level. `empty`: nothing is in the result yet (exscan). */
static void scan_level(const struct scan *s, uint32_t level, bool *empty) {
  struct eyoti_plan *p = s->p;
  uint64_t ranks = (uint64_t)1 << level, low = p->me & ~(2 * ranks - 1);
  uint64_t partner = p->me ^ ranks;
  if (partner >= p->size) return;
  bool upper = p->me > partner, goes_on = low + 2 * ranks < p->size;
  if (!upper || goes_on) send_partial(s, (uint32_t)partner, level);
  if (!upper && !goes_on) return;
  struct eyoti_ref got = eyoti_ref_add(s->slots, level * eyoti_gen_round8(s->len));
  eyoti_plan_await(p, (uint32_t)partner, s->word + level, EYOTI_HEAD);
  if (upper) {
    if (*empty)
      eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), got, s->len);
    else
      eyoti_plan_combine_before(p, eyoti_ref(EYOTI_OUT, 0), got, s->n);
    *empty = false;
  }
  if (!goes_on) return;
  if (!s->small) eyoti_plan_drain(p);
  if (upper)
    eyoti_plan_combine_before(p, s->partial, got, s->n);
  else
    eyoti_plan_combine(p, s->partial, got, s->n);
}

static void gen(struct eyoti_plan *p, const struct eyoti_coll_args *a, bool inclusive) {
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < p->size) levels++;
  struct scan s = {.p = p, .len = a->len, .n = a->len / a->combiner.width};
  s.small = a->len <= EYOTI_STAGE_MOST;
  s.word = eyoti_plan_words(p, levels);
  s.slots = eyoti_plan_board(p, levels * eyoti_gen_round8(s.len));
  if (s.small) s.stage = eyoti_plan_board(p, levels * eyoti_gen_round8(s.len));
  s.partial = eyoti_plan_temp(p, s.len);
  eyoti_plan_copy(p, s.partial, eyoti_ref(EYOTI_IN, 0), s.len);
  if (inclusive) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_ref(EYOTI_IN, 0), s.len);
  bool empty = !inclusive;
  for (uint32_t level = 0; level < levels; level++) scan_level(&s, level, &empty);
}

void eyoti_gen_scan(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen(p, a, true);
}

void eyoti_gen_exscan(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen(p, a, false);
}

/* -- long messages ----------------------------------------------------------------------------- */

/* They land in private memory (fab_ops.send), and are combined where they are: so nothing that is
 * on its way is changed, but for IN, where OUT is IN. */
struct direct_scan {
  struct eyoti_plan *p;
  uint64_t len, n;
  struct eyoti_ref partial, slots, own;
  uint32_t word;
  bool empty; /* nothing is in the result yet */
  bool lends; /* IN may be on its way */
};

/* The upper block's result. The block's combination must not be in OUT. */
static void direct_result(struct direct_scan *s, struct eyoti_ref got, bool goes_on) {
  struct eyoti_ref out = eyoti_ref(EYOTI_OUT, 0);
  if (goes_on && s->partial.base == EYOTI_IN) {
    eyoti_plan_copy(s->p, s->own, s->partial, s->len);
    s->partial = s->own;
  }
  if (s->lends) eyoti_plan_drain(s->p);
  s->lends = false;
  if (s->empty)
    eyoti_plan_copy(s->p, out, got, s->len);
  else
    eyoti_plan_combine_before(s->p, out, got, s->n);
  s->empty = false;
}

static void direct_level(struct direct_scan *s, uint32_t level) {
  struct eyoti_plan *p = s->p;
  uint64_t ranks = (uint64_t)1 << level, low = p->me & ~(2 * ranks - 1);
  uint32_t partner = (uint32_t)(p->me ^ ranks);
  if (partner >= p->size) return;
  bool upper = p->me > partner, goes_on = low + 2 * ranks < p->size;
  struct eyoti_ref got = eyoti_ref_add(s->slots, level * eyoti_gen_round8(s->len));
  if (upper || goes_on) eyoti_plan_expect(p, partner, got, s->len, s->word + level, EYOTI_HEAD);
  if (!upper || goes_on) {
    eyoti_plan_send(p, partner, s->partial, s->len, s->word + level, EYOTI_HEAD);
    s->lends |= s->partial.base == EYOTI_IN;
  }
  if (!upper && !goes_on) return;
  eyoti_plan_await(p, partner, s->word + level, EYOTI_HEAD);
  if (upper) direct_result(s, got, goes_on);
  if (!goes_on) return;
  if (upper)
    eyoti_plan_combine(p, got, s->partial, s->n);
  else
    eyoti_plan_combine_before(p, got, s->partial, s->n);
  s->partial = got;
}

static void gen_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a, bool inclusive) {
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < p->size) levels++;
  struct direct_scan s = {.p = p, .len = a->len, .n = a->len / a->combiner.width};
  if (a->len == 0) return;
  s.word = eyoti_plan_words(p, levels);
  s.slots = eyoti_plan_temp(p, levels * eyoti_gen_round8(s.len));
  s.own = eyoti_plan_temp(p, s.len);
  s.partial = eyoti_ref(EYOTI_IN, 0);
  s.empty = !inclusive;
  if (inclusive) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), s.partial, s.len);
  for (uint32_t level = 0; level < levels; level++) direct_level(&s, level);
}

void eyoti_gen_scan_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen_direct(p, a, true);
}

void eyoti_gen_exscan_direct(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  gen_direct(p, a, false);
}
