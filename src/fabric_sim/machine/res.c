/* SPDX-License-Identifier: BSD-3-Clause */
/* res.c - reservations with remembered gaps. See res.h. */
#include "fabric_sim/machine/res.h"

#include "base/check.h"
#include "fabric_sim/machine/res_gaps.h"

static uint64_t res_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void remove_gaps(struct sim_res *r, uint32_t first, uint32_t n) {
  r->n = (r->n - n) & 3u;
  for (uint32_t i = first; i < r->n; i++) {
    r->gap_ps[i] = r->gap_ps[i + n];
    r->gap_len[i] = r->gap_len[i + n];
  }
}

/* Inserts a gap at index i. When the array is full the shortest gap is dropped: its time counts as
 * taken. */
static __attribute__((noinline)) void insert_gap(struct sim_res *r, uint32_t i, uint64_t from_ps,
                                                 uint64_t to_ps) {
  if (r->n == SIM_RES_GAPS) {
    uint32_t shortest = 0;
    for (uint32_t k = 1; k < r->n; k++)
      if (r->gap_len[k] < r->gap_len[shortest]) shortest = k;
    if (r->gap_len[shortest] >= to_ps - from_ps) return;
    remove_gaps(r, shortest, 1);
    if (shortest < i) i--;
  }
  for (uint32_t k = r->n; k > i; k--) {
    r->gap_ps[k] = r->gap_ps[k - 1];
    r->gap_len[k] = r->gap_len[k - 1];
  }
  r->gap_ps[i] = from_ps;
  r->gap_len[i] = sim_res_gap_len(to_ps - from_ps);
  r->n = (r->n + 1u) & 3u;
}

/* The same after all others. */
static inline void append_gap(struct sim_res *r, uint64_t from_ps, uint64_t to_ps) {
  if (r->n == SIM_RES_GAPS) {
    insert_gap(r, SIM_RES_GAPS, from_ps, to_ps);
    return;
  }
  r->gap_ps[r->n] = from_ps;
  r->gap_len[r->n] = sim_res_gap_len(to_ps - from_ps);
  r->n = (r->n + 1u) & 3u;
}

/* Takes up to *span_ps of gap i from at_ps on; returns the index of the next gap to try. */
static uint32_t fill_gap(struct sim_res *r, uint32_t i, uint64_t at_ps, uint64_t *span_ps,
                         uint64_t *end_ps) {
  uint64_t begin_ps = r->gap_ps[i], to_ps = sim_res_gap_end(r, i);
  uint64_t from_ps = res_later(begin_ps, at_ps), gap_ps = to_ps - from_ps;
  uint64_t take_ps = *span_ps < gap_ps ? *span_ps : gap_ps, after_ps = from_ps + take_ps;
  *span_ps -= take_ps;
  *end_ps = after_ps;
  if (from_ps == begin_ps) {
    if (after_ps == to_ps) {
      remove_gaps(r, i, 1);
      return i;
    }
    r->gap_ps[i] = after_ps;
    r->gap_len[i] = (uint32_t)(to_ps - after_ps);
    return i + 1;
  }
  r->gap_len[i] = (uint32_t)(from_ps - begin_ps);
  if (after_ps < to_ps) insert_gap(r, i + 1, after_ps, to_ps);
  return i + 1;
}

/* Forgets the gaps that are over; the array has few, so the rest moves without a loop. */
static inline void res_forget(struct sim_res *r, uint64_t now_ps) {
  while (r->n > 0 && sim_res_gap_end(r, 0) <= now_ps) {
    r->gap_ps[0] = r->gap_ps[1], r->gap_ps[1] = r->gap_ps[2];
    r->gap_len[0] = r->gap_len[1], r->gap_len[1] = r->gap_len[2];
    r->n = (r->n - 1u) & 3u;
  }
}

/* Returns when r is idle next, from at_ps on. */
static uint64_t res_idle_from(const struct sim_res *r, uint64_t at_ps) {
  if (r->many) return sim_res_gaps_idle(r, at_ps);
  for (uint32_t i = 0; i < r->n; i++)
    if (sim_res_gap_end(r, i) > at_ps) return res_later(r->gap_ps[i], at_ps);
  return res_later(r->busy_ps, at_ps);
}

/* From gap i on, the first that ends after at_ps. */
static __attribute__((noinline)) uint64_t claim_gaps(struct sim_res *r, uint32_t i, uint64_t at_ps,
                                                     uint64_t span_ps, uint64_t *end_ps) {
  uint64_t start_ps = res_later(r->gap_ps[i], at_ps);
  while (i < r->n && span_ps > 0) i = fill_gap(r, i, at_ps, &span_ps, end_ps);
  if (span_ps > 0) r->busy_ps = *end_ps = r->busy_ps + span_ps;
  return start_ps;
}

uint64_t sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps) {
  EYOTI_ASSERT(r->n <= SIM_RES_GAPS);
  if (__builtin_expect(r->many, 0)) return sim_res_gaps_claim(r, at_ps, span_ps, now_ps, end_ps);
  res_forget(r, now_ps);
  if (span_ps == 0) return *end_ps = res_idle_from(r, at_ps); /* takes nothing, leaves no gap */
  uint64_t busy_ps = r->busy_ps;
  if (at_ps >= busy_ps) {
    uint64_t idle_ps = res_later(busy_ps, now_ps);
    r->busy_ps = *end_ps = at_ps + span_ps;
    if (at_ps > idle_ps) append_gap(r, idle_ps, at_ps);
    return at_ps;
  }
  for (uint32_t i = 0; i < r->n; i++)
    if (sim_res_gap_end(r, i) > at_ps) return claim_gaps(r, i, at_ps, span_ps, end_ps);
  r->busy_ps = *end_ps = busy_ps + span_ps;
  return busy_ps;
}

uint64_t sim_res_claim_long_slow(struct sim_res *r, struct sim_res_pool *pool, uint64_t at_ps,
                                 uint64_t span_ps, uint64_t now_ps, uint64_t *end_ps) {
  if (!r->many) {
    res_forget(r, now_ps);
    /* a claim needs one more gap at most */
    if (r->n == SIM_RES_GAPS) sim_res_gaps_move(r, pool);
  }
  return sim_res_claim_slow(r, at_ps, span_ps, now_ps, end_ps);
}

uint64_t sim_res_pass_long(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t packet_ps,
                           uint64_t now_ps, uint64_t *end_ps) {
  if (__builtin_expect(r->many, 0)) sim_res_gaps_adopt(r, now_ps);
  uint64_t others_ps = res_later(r->pass_ps, now_ps), idle_ps = res_idle_from(r, at_ps);
  uint64_t start_ps = res_later(at_ps, others_ps) + packet_ps;
  r->pass_ps = others_ps + span_ps;
  if (start_ps >= idle_ps) return sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  r->busy_ps += span_ps;
  r->long_ps += span_ps;
  *end_ps = start_ps + span_ps;
  return start_ps;
}
