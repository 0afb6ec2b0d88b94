/* SPDX-License-Identifier: BSD-3-Clause */
/* res_gaps.c - long lists of idle gaps. See res_gaps.h. */
#include "fabric_sim/machine/res_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define SLOTS (SIM_RES_GAPS_MANY + 1u) /* one more, until two are joined */

struct gap {
  uint64_t from_ps, to_ps;
};

struct sim_res_gaps {
  struct sim_res_pool *pool;
  struct sim_res_gaps *next, *next_unused;
  uint32_t first, n; /* at[first..first+n-1], in order of time */
  struct gap at[SLOTS];
};

static uint64_t gap_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

void sim_res_pool_free(struct sim_res_pool *pool) {
  while (pool->all != NULL) {
    struct sim_res_gaps *g = pool->all;
    pool->all = g->next;
    free(g);
  }
  pool->unused = NULL;
}

static struct sim_res_gaps *pool_take(struct sim_res_pool *pool) {
  struct sim_res_gaps *g = pool->unused;
  if (g != NULL) {
    pool->unused = g->next_unused;
  } else {
    g = malloc(sizeof *g);
    if (g == NULL) return NULL;
    g->pool = pool;
    g->next = pool->all;
    pool->all = g;
  }
  g->first = g->n = 0;
  return g;
}

/* Inline claims look at the last gap alone. Without gaps r is as before it had many. */
static void show_last(struct sim_res *r) {
  struct sim_res_gaps *g = r->gaps;
  r->n = g->n > 0;
  if (g->n > 0) {
    const struct gap *last = &g->at[g->first + g->n - 1];
    r->last_ps = last->from_ps;
    r->gap_len[0] = sim_res_gap_len(last->to_ps - last->from_ps);
    return;
  }
  r->many = 0;
  g->next_unused = g->pool->unused;
  g->pool->unused = g;
}

void sim_res_gaps_move(struct sim_res *r, struct sim_res_pool *pool) {
  struct sim_res_gaps *g = pool_take(pool);
  if (g == NULL) return;
  for (uint32_t i = 0; i < r->n; i++)
    g->at[g->n++] = (struct gap){r->gap_ps[i], sim_res_gap_end(r, i)};
  r->many = 1;
  r->gaps = g;
  show_last(r);
}

/* Makes two gaps one: those that are the shortest together, so that all become longer alike. */
static void join_two(struct sim_res_gaps *g) {
  struct gap *at = &g->at[g->first];
  uint32_t best = 0;
  for (uint32_t i = 1; i + 1 < g->n; i++)
    if (at[i + 1].to_ps - at[i].from_ps <= at[best + 1].to_ps - at[best].from_ps) best = i;
  at[best + 1].from_ps -= at[best].to_ps - at[best].from_ps;
  memmove(&at[best], &at[best + 1], (g->n - best - 1) * sizeof *at);
  g->n--;
}

/* Joins after the gap has its place: two gaps with taken time between them may become one over it,
 * and the time of a gap that is added there later would be in both. */
static void add_gap(struct sim_res_gaps *g, uint64_t from_ps, uint64_t to_ps) {
  if (g->first + g->n == SLOTS) {
    memmove(g->at, &g->at[g->first], g->n * sizeof *g->at);
    g->first = 0;
  }
  uint32_t i = g->first + g->n++;
  for (; i > g->first && g->at[i - 1].from_ps > from_ps; i--) g->at[i] = g->at[i - 1];
  g->at[i] = (struct gap){from_ps, to_ps};
  if (g->n > SIM_RES_GAPS_MANY) join_two(g);
}

void sim_res_gaps_adopt(struct sim_res *r, uint64_t now_ps) {
  struct sim_res_gaps *g = r->gaps;
  /* An inline claim comes when all gaps are over, and leaves at most one. */
  uint64_t last_ps = g->n > 0 ? g->at[g->first + g->n - 1].from_ps : 0;
  bool newer = r->n > 0 && (g->n == 0 || r->last_ps > last_ps);
  while (g->n > 0 && (g->at[g->first].to_ps <= now_ps || r->n == 0)) {
    g->first++;
    g->n--;
  }
  if (newer) add_gap(g, r->last_ps, sim_res_gap_end(r, 0));
}

uint64_t sim_res_gaps_idle(const struct sim_res *r, uint64_t at_ps) {
  const struct sim_res_gaps *g = r->gaps;
  for (uint32_t i = g->first; i < g->first + g->n; i++)
    if (g->at[i].to_ps > at_ps) return gap_later(g->at[i].from_ps, at_ps);
  return gap_later(r->busy_ps, at_ps);
}

/* Takes idle time from at_ps on; returns when the last of it ends, and in *span_ps what is left. */
static uint64_t fill(struct sim_res_gaps *g, uint64_t at_ps, uint64_t *span_ps) {
  uint64_t end_ps = at_ps;
  uint32_t i = g->first;
  while (i < g->first + g->n && g->at[i].to_ps <= at_ps) i++;
  uint32_t keep = i;
  while (i<g->first + g->n && * span_ps> 0) {
    struct gap was = g->at[i++];
    uint64_t from_ps = gap_later(was.from_ps, at_ps), idle_ps = was.to_ps - from_ps;
    uint64_t take_ps = *span_ps < idle_ps ? *span_ps : idle_ps;
    *span_ps -= take_ps;
    end_ps = from_ps + take_ps;
    if (was.from_ps < from_ps) g->at[keep++] = (struct gap){was.from_ps, from_ps};
    if (end_ps == was.to_ps) continue;
    if (keep < i) {
      g->at[keep++] = (struct gap){end_ps, was.to_ps};
    } else { /* the gap's middle was taken */
      add_gap(g, end_ps, was.to_ps);
      return end_ps;
    }
  }
  memmove(&g->at[keep], &g->at[i], (g->first + g->n - i) * sizeof *g->at);
  g->n -= i - keep;
  return end_ps;
}

uint64_t sim_res_gaps_claim(struct sim_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps,
                            uint64_t *end_ps) {
  struct sim_res_gaps *g = r->gaps;
  sim_res_gaps_adopt(r, now_ps);
  uint64_t start_ps = sim_res_gaps_idle(r, at_ps), least_ps = start_ps + span_ps;
  if (span_ps == 0) {
    *end_ps = start_ps;
  } else if (at_ps >= r->busy_ps) {
    uint64_t idle_ps = gap_later(r->busy_ps, now_ps);
    r->busy_ps = *end_ps = at_ps + span_ps;
    if (at_ps > idle_ps) add_gap(g, idle_ps, at_ps);
  } else {
    *end_ps = fill(g, at_ps, &span_ps);
    if (span_ps > 0) r->busy_ps = *end_ps = r->busy_ps + span_ps;
  }
  EYOTI_ASSERT(*end_ps >= least_ps); /* no time is in two gaps */
  show_last(r);
  return start_ps;
}
