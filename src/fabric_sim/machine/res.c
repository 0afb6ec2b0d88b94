/* SPDX-License-Identifier: BSD-3-Clause */
/* res.c - reservations with remembered gaps. See res.h. */
#include "fabric_sim/machine/res.h"

#include "base/check.h"

static uint64_t res_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void remove_gaps(struct sim_res *r, uint32_t first, uint32_t n) {
  r->n -= n;
  for (uint32_t i = first; i < r->n; i++) r->gap[i] = r->gap[i + n];
}

/* Inserts a gap at index i. When the array is full the shortest gap is dropped: its time counts as
 * taken. */
static void insert_gap(struct sim_res *r, uint32_t i, struct sim_res_gap gap) {
  if (r->n == SIM_RES_GAPS) {
    uint32_t shortest = 0;
    for (uint32_t k = 1; k < r->n; k++)
      if (r->gap[k].to_ps - r->gap[k].from_ps < r->gap[shortest].to_ps - r->gap[shortest].from_ps)
        shortest = k;
    if (r->gap[shortest].to_ps - r->gap[shortest].from_ps >= gap.to_ps - gap.from_ps) return;
    remove_gaps(r, shortest, 1);
    if (shortest < i) i--;
  }
  for (uint32_t k = r->n; k > i; k--) r->gap[k] = r->gap[k - 1];
  r->gap[i] = gap;
  r->n++;
}

/* Takes up to *span_ps of gap i from at_ps on; returns the index of the next gap to try. */
static uint32_t fill_gap(struct sim_res *r, uint32_t i, uint64_t at_ps, uint64_t *span_ps,
                         uint64_t *end_ps) {
  struct sim_res_gap *gap = &r->gap[i];
  uint64_t from_ps = res_later(gap->from_ps, at_ps), gap_ps = gap->to_ps - from_ps;
  uint64_t take_ps = *span_ps < gap_ps ? *span_ps : gap_ps;
  struct sim_res_gap after = {from_ps + take_ps, gap->to_ps};
  *span_ps -= take_ps;
  *end_ps = after.from_ps;
  if (from_ps == gap->from_ps) {
    if (after.from_ps == after.to_ps) {
      remove_gaps(r, i, 1);
      return i;
    }
    *gap = after;
    return i + 1;
  }
  gap->to_ps = from_ps;
  if (after.from_ps < after.to_ps) insert_gap(r, i + 1, after);
  return i + 1;
}

uint64_t sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps) {
  EYOTI_ASSERT(r->n <= SIM_RES_GAPS);
  uint32_t i = 0;
  while (i < r->n && r->gap[i].to_ps <= now_ps) i++;
  if (i > 0) remove_gaps(r, 0, i);
  if (at_ps >= r->busy_ps) {
    uint64_t idle_ps = res_later(r->busy_ps, now_ps);
    if (at_ps > idle_ps) insert_gap(r, r->n, (struct sim_res_gap){idle_ps, at_ps});
    r->busy_ps = *end_ps = at_ps + span_ps;
    return at_ps;
  }
  uint64_t start_ps = r->busy_ps;
  for (i = 0; i < r->n && r->gap[i].to_ps <= at_ps;) i++;
  if (i < r->n && span_ps > 0) start_ps = res_later(r->gap[i].from_ps, at_ps);
  while (i < r->n && span_ps > 0) i = fill_gap(r, i, at_ps, &span_ps, end_ps);
  if (span_ps > 0) r->busy_ps = *end_ps = r->busy_ps + span_ps;
  return start_ps;
}
