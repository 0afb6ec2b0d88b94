/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - see wait.h. */
#include "fabric_sim/engine/wait.h"

#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"

void sim_wait_spend(struct sim_unit *u, uint64_t ps) {
  if (__builtin_expect(u->world->check != NULL, 0)) {
    sim_untimed_spend(u, ps);
    sim_untimed_pause(u);
    return;
  }
  u->local_ps += sim_fault_own(u, ps > 0 ? ps : 1);
  sim_unit_yield(u);
}

static void sleep_until(struct sim_unit *u, uint64_t t_ps) {
  if (u->local_ps < t_ps) u->local_ps = t_ps;
  sim_unit_yield(u);
}

static int wait_find(const struct sim_unit *u, fab_req_t req, struct sim_op **op) {
  *op = sim_pool_find(&u->world->pool, req, u->fab.me);
  if (*op == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%#llx is not a request of this unit, or was completed before",
                      (unsigned long long)req);
  return EYOT_OK;
}

/* When the operation, which the NIC has, is complete at the level; of one that lands: landed at
 * done_at, so seen just after. */
static uint64_t complete_ps(const struct sim_op *op, enum fab_level level) {
  if ((op->flags & SIM_F_LANDS) != 0) return op->done_at + 1;
  if (level == FAB_REMOTE) return (op->flags & SIM_F_BUFFERED) != 0 ? op->sent_ps + 1 : op->done_at;
  return op->kind != SIM_OP_AMO && op->len > SIM_INLINE_BYTES ? op->sent_ps + 1 : 0;
}

/* The unit knows that the operation is complete. */
static int wait_finish(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  int err = op->err;
  if (__builtin_expect(u->world->race != NULL, 0)) sim_race_known(u, op, level);
  if (level == FAB_LOCAL) return (op->flags & SIM_F_LANDS) != 0 ? err : EYOT_OK;
  /* in the store buffer: whatever the unit does next must not be seen before it */
  if (op->target_at > u->world->now_ps) {
    op->flags |= SIM_F_RELEASED;
    if (u->release_ps < op->target_at) u->release_ps = op->target_at;
    if (u->world->faults != NULL && sim_fault_is_crashed(&u->world->units[op->target]))
      err = EYOT_EPEERDOWN;
  }
  sim_reap_retire(u, op);
  return err;
}

int sim_wait_req(struct sim_unit *u, fab_req_t req, enum fab_level level) {
  if (req == 0) return EYOT_OK;
  struct sim_op *op;
  EYOTI_TRY(wait_find(u, req, &op));
  if (__builtin_expect(u->world->check != NULL, 0)) return sim_untimed_wait_req(u, op, level);
  sim_unit_yield(u); /* whatever it has posted is with the NIC now */
  EYOTI_ASSERT((op->flags & SIM_F_INJECTED) != 0);
  if ((op->flags & SIM_F_LANDS) == 0) {
    do sleep_until(u, complete_ps(op, level));
    /* its target may have crashed meanwhile */
    while (__builtin_expect(u->world->faults != NULL, 0) &&
           complete_ps(op, level) > u->world->now_ps);
  } else {
    while ((op->flags & SIM_F_LANDED) == 0) {
      u->wait_op = op;
      sim_unit_block(u, SIM_WAIT_OP);
    }
  }
  u->local_ps += sim_net_local_ps(u->world->net, 0);
  return wait_finish(u, op, level);
}

int sim_wait_test(struct sim_unit *u, fab_req_t req, enum fab_level level, bool *done) {
  struct sim_op *op = NULL;
  if (req != 0) EYOTI_TRY(wait_find(u, req, &op));
  if (__builtin_expect(u->world->check != NULL, 0)) return sim_untimed_test(u, op, level, done);
  sim_wait_spend(u, sim_net_local_ps(u->world->net, 0));
  if (op != NULL && complete_ps(op, level) > u->world->now_ps) {
    *done = false;
    return EYOT_OK;
  }
  if (op != NULL) EYOTI_TRY(wait_finish(u, op, level));
  *done = true;
  return EYOT_OK;
}

static bool wait_covers(fab_unit_t unit, const struct sim_op *op) {
  return unit == FAB_ALL || unit == op->target;
}

/* The first error of an operation without request that the flush covers; each is told once. */
static int take_errors(struct sim_unit *u, fab_unit_t unit) {
  int err = 0;
  if (unit == FAB_ALL || u->lost_unit == FAB_ALL || u->lost_unit == unit) {
    err = u->lost_err;
    u->lost_err = 0;
  }
  for (struct sim_op *op = u->head; op != NULL; op = op->next) {
    if ((op->flags & SIM_F_REQ) != 0 || !wait_covers(unit, op)) continue;
    if (err == 0) err = op->err;
    op->err = 0;
  }
  return err;
}

/* When all is complete that the flush covers; 0: it is. */
static uint64_t flushed_ps(const struct sim_unit *u, fab_unit_t unit, enum fab_level level) {
  /* A full barrier: puts to units of the same node that the unit has waited for leave the store
   * buffer too, whatever the flush names. */
  uint64_t until_ps =
      level == FAB_REMOTE && u->release_ps > u->world->now_ps ? u->release_ps + 1 : 0;
  for (const struct sim_op *op = u->head; op != NULL; op = op->next) {
    if (!wait_covers(unit, op)) continue;
    uint64_t t = level == FAB_REMOTE ? op->done_at + 1 : complete_ps(op, level);
    if (t > until_ps) until_ps = t;
  }
  return until_ps;
}

int sim_wait_flush(struct sim_unit *u, fab_unit_t unit, enum fab_level level) {
  if (__builtin_expect(u->world->check != NULL, 0)) {
    sim_untimed_flush(u, unit, level);
    return level == FAB_REMOTE ? take_errors(u, unit) : EYOT_OK;
  }
  sim_wait_spend(u, sim_net_local_ps(u->world->net, 0));
  do sleep_until(u, flushed_ps(u, unit, level));
  while (__builtin_expect(u->world->faults != NULL, 0) &&
         flushed_ps(u, unit, level) > u->world->now_ps);
  int err = level == FAB_REMOTE ? take_errors(u, unit) : EYOT_OK;
  if (__builtin_expect(u->world->race != NULL, 0)) sim_race_flushed(u, unit, level);
  sim_reap_all(u);
  return err;
}

int sim_wait_order(struct sim_unit *u, fab_unit_t unit) {
  if (__builtin_expect(u->world->race != NULL, 0)) sim_race_ordered(u, unit);
  if (__builtin_expect(u->world->check != NULL, 0)) return sim_untimed_order(u, unit);
  u->local_ps += sim_net_local_ps(u->world->net, 0);
  if (u->inject != NULL) sim_unit_yield(u); /* their times must be known */
  for (struct sim_op *op = u->head; op != NULL; op = op->next) {
    if (!wait_covers(unit, op) || op->kind == SIM_OP_GET || op->target_at < u->world->now_ps)
      continue;
    op->flags |= SIM_F_FENCED;
    if (u->fence_ps < op->target_at) u->fence_ps = op->target_at;
  }
  return EYOT_OK;
}

static inline bool wait_word_holds(const struct sim_unit *u) {
  return fab_cmp_holds((enum fab_cmp)u->wait.cmp, *(volatile const uint64_t *)u->wait.word,
                       u->wait.value);
}

static uint32_t first_holding(const struct sim_unit *u) {
  const struct sim_wait_any *a = &u->wait_any;
  uint32_t i = 0;
  while (i < a->n &&
         !fab_cmp_holds(a->conds[i].cmp, *(volatile const uint64_t *)sim_wait_any_word(u, i),
                        a->conds[i].value))
    i++;
  return i;
}

static inline bool wait_any_holds(const struct sim_unit *u) {
  return first_holding(u) < u->wait_any.n;
}

static uint64_t deadline_of(const struct sim_unit *u, uint64_t timeout_ns) {
  uint64_t ps, t;
  if (timeout_ns == FAB_FOREVER || __builtin_mul_overflow(timeout_ns, SIM_PS_PER_NS, &ps) ||
      __builtin_add_overflow(u->local_ps, ps, &t))
    return UINT64_MAX;
  return t;
}

/* Sleeps until what the unit waits for holds; a look costs look_ps. Inlined with a constant
 * `holds`: one word is the case that must be fast. */
static inline __attribute__((always_inline)) int wait_word_until(
    struct sim_unit *u, enum sim_state state, bool (*holds)(const struct sim_unit *u),
    uint64_t look_ps, uint64_t timeout_ns) {
  struct sim_world *w = u->world;
  if (__builtin_expect(w->check != NULL, 0)) return sim_untimed_wait(u, state, holds, timeout_ns);
  uint64_t deadline_ps = deadline_of(u, timeout_ns);
  u->local_ps += sim_fault_own(u, look_ps > 0 ? look_ps : 1);
  for (;;) {
    bool ahead = u->local_ps - w->now_ps > w->lookahead_ps;
    if (!ahead && holds(u)) return EYOT_OK;
    if (ahead || u->local_ps >= deadline_ps) {
      sim_unit_yield(u);
      if (holds(u)) return EYOT_OK;
      if (u->local_ps >= deadline_ps) return EYOT_ETIMEOUT;
    }
    if (deadline_ps != UINT64_MAX) sim_world_wake_at(u, deadline_ps);
    sim_unit_block(u, state);
    if (__builtin_expect(w->faults != NULL, 0) && sim_fault_take_gone(u)) return EYOT_EPEERDOWN;
    u->local_ps += sim_fault_own(u, look_ps);
  }
}

static int check_word(struct sim_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp,
                      uint64_t **word) {
  struct sim_world *w = u->world;
  if (off % 8 != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %llu of the word to wait for is not a multiple of 8",
                      (unsigned long long)off);
  if ((uint32_t)cmp > FAB_GE) return EYOTI_FAIL(EYOT_EINVAL, "%d is not a comparison", (int)cmp);
  EYOTI_TRY(sim_seg_check(w, fab_at(u->fab.me, seg, off), 8));
  *word = sim_seg_at(w, u->fab.me, seg, off, 8);
  if (*word == NULL)
    return EYOTI_FAIL(EYOT_ERANGE, "no attached memory of this unit at %#llx",
                      (unsigned long long)off);
  return EYOT_OK;
}

int sim_wait_word(struct sim_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                  uint64_t timeout_ns, uint64_t *seen) {
  uint64_t *word;
  EYOTI_TRY(check_word(u, seg, off, cmp, &word));
  u->wait =
      (struct sim_wait){.word = word, .value = value, .off = off, .seg = seg, .cmp = (uint32_t)cmp};
  EYOTI_TRY(wait_word_until(u, SIM_WAIT_WORD, wait_word_holds, sim_net_local_ps(u->world->net, 8),
                            timeout_ns));
  sim_unit_saw(u, word);
  if (__builtin_expect(u->world->race != NULL, 0)) sim_race_saw(u, seg, off);
  if (seen != NULL) *seen = *u->wait.word;
  return EYOT_OK;
}

int sim_wait_any(struct sim_unit *u, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                 uint32_t *index) {
  if (n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "waiting for any of no words would never end; give at least one condition");
  uint64_t *word;
  for (uint32_t i = 0; i < n; i++)
    EYOTI_TRY(check_word(u, conds[i].seg, conds[i].off, conds[i].cmp, &word));
  u->wait_any = (struct sim_wait_any){.conds = conds, .n = n};
  EYOTI_TRY(wait_word_until(u, SIM_WAIT_ANY, wait_any_holds,
                            sim_net_local_ps(u->world->net, 8ull * n), timeout_ns));
  *index = first_holding(u);
  sim_unit_saw(u, sim_wait_any_word(u, *index));
  if (__builtin_expect(u->world->race != NULL, 0))
    sim_race_saw(u, conds[*index].seg, conds[*index].off);
  return EYOT_OK;
}

const uint64_t *sim_wait_any_word(const struct sim_unit *u, uint32_t i) {
  const struct fab_cond *c = &u->wait_any.conds[i];
  return sim_seg_at(u->world, u->fab.me, c->seg, c->off, 8);
}

void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len) {
  for (uint32_t i = 0; i < u->wait_any.n; i++) {
    const struct fab_cond *c = &u->wait_any.conds[i];
    const uint64_t *word = sim_wait_any_word(u, i);
    if ((uint64_t)((const char *)word - (const char *)p) >= len ||
        !fab_cmp_holds(c->cmp, *word, c->value))
      continue;
    sim_unit_held(u, *word);
    sim_world_ready(u);
    return; /* the conditions are on its stack, and it may have gone on */
  }
}
