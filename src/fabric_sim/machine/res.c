/* SPDX-License-Identifier: BSD-3-Clause */
/* res.c - reservations with remembered gaps. See res.h. */
#include "fabric_sim/machine/res.h"

#include "base/check.h"
#include "fabric_sim/machine/res_gaps.h"

static uint64_t res_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static inline void set_gap(struct sim_res *r, uint32_t i, uint64_t from_ps, uint64_t to_ps) {
  r->gap_ps[i] = from_ps;
  r->gap_len[i] = sim_res_gap_len(to_ps - from_ps);
}

static inline void move_gap(struct sim_res *r, uint32_t to, uint32_t from) {
  r->gap_ps[to] = r->gap_ps[from];
  r->gap_len[to] = r->gap_len[from];
}

static void remove_gap(struct sim_res *r, uint32_t i) {
  r->n = (r->n - 1u) & 3u;
  for (; i < r->n; i++) move_gap(r, i, i + 1);
}

static inline uint32_t shortest_gap(const struct sim_res *r) {
  uint32_t shortest = 0;
  for (uint32_t k = 1; k < SIM_RES_GAPS; k++)
    if (r->gap_len[k] < r->gap_len[shortest]) shortest = k;
  return shortest;
}

/* Inserts a gap before gap i. When the array is full the shortest gap is dropped: its time counts
 * as taken. Returns `turn`, so that callers end with this call and need no frame. */
static __attribute__((noinline)) struct sim_turn insert_gap(struct sim_res *r, uint32_t i,
                                                            uint64_t from_ps, uint64_t to_ps,
                                                            struct sim_turn turn) {
  uint32_t hole = r->n;
  if (hole < SIM_RES_GAPS) {
    r->n = (hole + 1u) & 3u;
  } else {
    hole = shortest_gap(r);
    if (r->gap_len[hole] >= to_ps - from_ps) return turn;
  }
  for (; hole > i; hole--) move_gap(r, hole, hole - 1);
  for (; hole + 1 < i; hole++) move_gap(r, hole, hole + 1);
  set_gap(r, hole, from_ps, to_ps);
  return turn;
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
      remove_gap(r, i);
      return i;
    }
    r->gap_ps[i] = after_ps;
    r->gap_len[i] = (uint32_t)(to_ps - after_ps);
    return i + 1;
  }
  r->gap_len[i] = (uint32_t)(from_ps - begin_ps);
  if (after_ps < to_ps) (void)insert_gap(r, i + 1, after_ps, to_ps, (struct sim_turn){0, 0});
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
static __attribute__((noinline)) struct sim_turn claim_gaps(struct sim_res *r, uint32_t i,
                                                            uint64_t at_ps, uint64_t span_ps) {
  struct sim_turn turn = {res_later(r->gap_ps[i], at_ps), 0};
  while (i < r->n && span_ps > 0) i = fill_gap(r, i, at_ps, &span_ps, &turn.end_ps);
  if (span_ps > 0) r->busy_ps = turn.end_ps = r->busy_ps + span_ps;
  return turn;
}

/* The same; usually the gap is long enough. */
static __attribute__((noinline)) struct sim_turn claim_gap(struct sim_res *r, uint32_t i,
                                                           uint64_t at_ps, uint64_t span_ps) {
  uint64_t begin_ps = r->gap_ps[i], to_ps = sim_res_gap_end(r, i);
  struct sim_turn turn = {.start_ps = res_later(begin_ps, at_ps)};
  turn.end_ps = turn.start_ps + span_ps;
  if (turn.end_ps >= to_ps) return claim_gaps(r, i, at_ps, span_ps);
  if (turn.start_ps > begin_ps) {
    r->gap_len[i] = (uint32_t)(turn.start_ps - begin_ps);
    return insert_gap(r, i + 1, turn.end_ps, to_ps, turn);
  }
  r->gap_ps[i] = turn.end_ps;
  r->gap_len[i] = (uint32_t)(to_ps - turn.end_ps);
  return turn;
}

/* A message that takes nothing leaves no gap. */
static __attribute__((noinline)) struct sim_turn claim_rare(struct sim_res *r, uint64_t at_ps,
                                                            uint64_t span_ps, uint64_t now_ps) {
  struct sim_turn turn;
  if (r->many) {
    turn.start_ps = sim_res_gaps_claim(r, at_ps, span_ps, now_ps, &turn.end_ps);
    return turn;
  }
  res_forget(r, now_ps);
  turn.start_ps = turn.end_ps = res_idle_from(r, at_ps);
  return turn;
}

/* Every call that it makes is its last: so it has no frame. */
struct sim_turn sim_res_claim_slow(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                   uint64_t now_ps) {
  EYOTI_ASSERT(r->n <= SIM_RES_GAPS);
  if (__builtin_expect(r->many || span_ps == 0, 0)) return claim_rare(r, at_ps, span_ps, now_ps);
  res_forget(r, now_ps);
  const uint64_t busy_ps = r->busy_ps;
  if (at_ps >= busy_ps) {
    uint64_t idle_ps = res_later(busy_ps, now_ps);
    struct sim_turn turn = {at_ps, at_ps + span_ps};
    r->busy_ps = turn.end_ps;
    return at_ps > idle_ps ? insert_gap(r, r->n, idle_ps, at_ps, turn) : turn;
  }
  for (uint32_t i = 0; i < r->n; i++)
    if (sim_res_gap_end(r, i) > at_ps) return claim_gap(r, i, at_ps, span_ps);
  r->busy_ps = busy_ps + span_ps;
  return (struct sim_turn){busy_ps, busy_ps + span_ps};
}

struct sim_turn sim_res_claim_long_slow(struct sim_res *r, struct sim_res_pool *pool,
                                        uint64_t at_ps, uint64_t span_ps, uint64_t now_ps) {
  if (!r->many) {
    res_forget(r, now_ps);
    /* a claim needs one more gap at most */
    if (r->n == SIM_RES_GAPS) sim_res_gaps_move(r, pool);
  }
  return sim_res_claim_slow(r, at_ps, span_ps, now_ps);
}

struct sim_turn sim_res_pass_long(struct sim_res *r, uint64_t at_ps, uint64_t span_ps,
                                  uint64_t packet_ps, uint64_t now_ps) {
  if (__builtin_expect(r->many, 0)) sim_res_gaps_adopt(r, now_ps);
  uint64_t others_ps = res_later(r->pass_ps, now_ps), idle_ps = res_idle_from(r, at_ps);
  uint64_t start_ps = res_later(at_ps, others_ps) + packet_ps;
  r->pass_ps = others_ps + span_ps;
  struct sim_turn turn = {start_ps, start_ps + span_ps};
  if (start_ps >= idle_ps) {
    turn.start_ps = sim_res_claim(r, at_ps, span_ps, now_ps, &turn.end_ps);
    return turn;
  }
  r->busy_ps += span_ps;
  r->long_ps += span_ps;
  return turn;
}
