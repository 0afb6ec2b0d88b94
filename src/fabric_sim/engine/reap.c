/* SPDX-License-Identifier: BSD-3-Clause */
/* reap.c - removes finished operations from their origin's list. Declared in op_stages.h.
 *
 * It does so lazily: the engine does not need them removed at once, and the head of a list is
 * nearly always what has finished. One slow operation at the head would keep all later ones of its
 * origin; so a list that has become long is swept whole, and again when it is twice as long as what
 * remained. A flush removes what is over, from a heap if the list is long. */
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/timed.h"

#define SWEEP_LOG 4u /* shorter lists are reaped at the head only */

/* Over for every unit: strictly before now, so that no event of the same instant still refers to
 * it. */
static bool is_over(const struct sim_unit *u, const struct sim_op *op) {
  return (op->flags & SIM_F_INJECTED) != 0 && op->done_at < u->world->now_ps;
}

static void reap_unlist(struct sim_unit *u, struct sim_op *op) {
  sim_inflight_remove(u, op);
  if ((op->flags & SIM_F_REQ) == 0) sim_pool_put(&u->world->pool, op);
}

/* The error of operations without request that were removed before a flush could return it; one for
 * those of a set to a target, so that each flush returns those that it covers and no others. */
struct sim_news {
  fab_unit_t unit;
  fab_set_t set;
  bool result; /* of an operation with a result: a local flush returns it too */
  int err;
};

static __attribute__((cold, noinline)) void news_add(struct sim_unit *u,
                                                     const struct sim_news *one) {
  for (uint32_t i = 0; i < u->n_news; i++) {
    const struct sim_news *n = &u->news[i];
    if (n->unit == one->unit && n->set == one->set && n->result == one->result) return;
  }
  if (u->n_news == u->news_cap) {
    uint32_t cap = u->news_cap == 0 ? 4 : u->news_cap * 2;
    struct sim_news *news = realloc(u->news, cap * sizeof *news);
    if (news == NULL) eyoti_no_memory(cap * sizeof *news, "%u errors of a unit's operations", cap);
    u->news = news;
    u->news_cap = cap;
  }
  u->news[u->n_news++] = *one;
}

/* The first of those that the flush covers; removes these. */
static int news_take(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  uint32_t left = 0;
  int err = EYOT_OK;
  for (uint32_t i = 0; i < u->n_news; i++) {
    const struct sim_news n = u->news[i];
    if (fab_set_covers(set, n.set) && (unit == FAB_ALL || unit == n.unit) &&
        (n.result || level == FAB_REMOTE))
      err = err == EYOT_OK ? n.err : err;
    else
      u->news[left++] = n;
  }
  u->n_news = left;
  return err;
}

void sim_reap_fini(struct sim_unit *u) {
  free(u->news);
  u->news = NULL;
}

/* An error that the program has not seen stays for the next flush that covers the operation. */
static inline __attribute__((always_inline)) void keep_news(struct sim_unit *u,
                                                            const struct sim_op *op) {
  if (__builtin_expect(op->err == 0, 1) || (op->flags & SIM_F_REQ) != 0) return;
  news_add(u, &(struct sim_news){op->target, op->set, sim_op_has_result(op), op->err});
}

void sim_reap_one(struct sim_unit *u, struct sim_op *op) {
  keep_news(u, op);
  reap_unlist(u, op);
}

void sim_reap_release(struct sim_unit *u, struct sim_op *op) {
  EYOTI_ASSERT((op->flags & SIM_F_REQ) != 0);
  op->flags &= (uint16_t)~SIM_F_REQ;
  if ((op->flags & SIM_F_LISTED) != 0) return;
  keep_news(u, op);
  sim_pool_put(&u->world->pool, op);
}

void sim_reap_head(struct sim_unit *u) {
  while (u->head != NULL && is_over(u, u->head)) sim_reap_one(u, u->head);
}

/* So each operation takes part in two sweeps for length at most. */
static void next_sweep(struct sim_unit *u) {
  u->sweep_log = SWEEP_LOG;
  while (u->listed >= 1u << (u->sweep_log - 1)) u->sweep_log++;
}

void sim_reap_all(struct sim_unit *u) {
  struct sim_op *next;
  for (struct sim_op *op = u->head; op != NULL && op != u->inject; op = next) {
    next = sim_inflight_next(u, NULL, op);
    if (is_over(u, op)) sim_reap_one(u, op);
  }
  next_sweep(u);
}

/* Whether all operations in flight are over, without a visit: none is later than the latest end. */
static bool all_over(struct sim_unit *u) {
  const struct sim_world *w = u->world;
  return w->engine == &sim_timed_engine && w->faults == NULL && u->inject == NULL && !u->open &&
         sim_inflight_ends(u, FAB_SET_ALL, FAB_ALL).done_ps <= w->now_ps;
}

/* Without requests and errors no operation is visited: their memory has left the caches. */
static void reap_everything(struct sim_unit *u) {
  struct sim_op *next;
  if (!u->requested && !u->failed) {
    sim_pool_put_list(&u->world->pool, u->head, u->tail, u->listed);
    sim_inflight_clear(u);
    next_sweep(u);
    return;
  }
  for (struct sim_op *op = u->head; op != NULL; op = next) {
    next = sim_inflight_next(u, NULL, op);
    keep_news(u, op);
    op->flags &= (uint16_t)~SIM_F_LISTED;
    if ((op->flags & SIM_F_REQ) == 0) sim_pool_put(&u->world->pool, op);
  }
  sim_inflight_clear(u);
  next_sweep(u);
}

/* Whether the NIC has accepted fewer operations than a short list has. */
static bool accepted_few(const struct sim_unit *u) {
  uint32_t n = 0;
  for (const struct sim_op *op = u->head; op != NULL && op != u->inject && n >> SWEEP_LOG == 0;
       op = sim_inflight_next(u, NULL, op))
    n++;
  return n >> SWEEP_LOG == 0;
}

void sim_reap_over(struct sim_unit *u) {
  if (u->listed > 1 && all_over(u)) {
    reap_everything(u);
    return;
  }
  if (u->listed < 1u << SWEEP_LOG || accepted_few(u)) {
    sim_reap_all(u);
    return;
  }
  struct sim_op *op;
  while ((op = sim_inflight_over(u, u->world->now_ps)) != NULL) sim_reap_one(u, op);
  next_sweep(u);
}

void sim_reap_retire(struct sim_unit *u, struct sim_op *op) {
  EYOTI_ASSERT((op->flags & SIM_F_REQ) != 0);
  op->flags &= (uint16_t)~SIM_F_REQ;
  op->err = 0; /* its error was returned */
  if ((op->flags & SIM_F_LISTED) == 0) sim_pool_put(&u->world->pool, op);
}

/* Of the record's operations, or (t NULL) of all. An error exists from when the operation has ended
 * on: all that the flush covers have. */
static void errors_of(const struct sim_unit *u, const struct sim_target *t, enum fab_level level,
                      int *err) {
  for (struct sim_op *op = sim_inflight_first(u, t); op != NULL; op = sim_inflight_next(u, t, op)) {
    if ((op->flags & SIM_F_REQ) != 0 || (level == FAB_LOCAL && !sim_op_has_result(op))) continue;
    if (*err == 0) *err = op->err;
    op->err = 0;
  }
}

int sim_reap_errors(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  if (!u->failed) return EYOT_OK;
  int err = news_take(u, set, unit, level);
  const struct sim_target *t;
  if (unit == FAB_ALL && set == FAB_SET_ALL)
    errors_of(u, NULL, level, &err);
  else
    for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;)
      errors_of(u, t, level, &err);
  return err;
}
