/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_check.c - the untimed engine's struct fab_check, through which eyot/check.h and the
 * layers report: where runs begin and end, invariants, loads and stores of the CPU. See
 * untimed.h. */
#include "fabric_sim/explore/untimed_check.h"

#include "base/check.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/poll.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed_instrument.h"
#include "fabric_sim/explore/untimed_lin.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_tso.h"
#include "fabric_sim/explore/untimed_unit.h"
#include "fabric_sim/explore/untimed_wait.h"

static int untimed_begin(struct fab *f, bool explicitly) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed_run *r = u->world->untimed->run;
  if (explicitly && r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "runs begin once: eyot_check_begin was called before");
  u->last.call = SIM_CALL_NONE;
  sim_untimed_settle(u, FAB_SET_ALL, FAB_ALL, FAB_REMOTE);
  r->at_begin++;
  r->n_explicit += explicitly;
  sim_untimed_block(u, SIM_WAIT_BEGIN, SIM_GO_BEGIN);
  return EYOT_OK;
}

static int end(struct fab *f) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed_run *r = u->world->untimed->run;
  if (!r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "a run ends that has not begun: call eyot_check_begin first");
  sim_detect_end(u, true);
  r->at_end++;
  sim_untimed_block(u, SIM_WAIT_BEGIN, SIM_GO_BEGIN);
  return EYOT_OK;
}

static int point(struct fab *f, const char *name) {
  struct sim_untimed *c = sim_unit_of(f)->world->untimed;
  c->run->units[f->me].point = name;
  if (c->strategy == NULL || c->strategy->ops->saw == NULL) return EYOT_OK;
  uint64_t state = 0xcbf29ce484222325u; /* which units are at which call */
  for (uint32_t i = 0; i < f->n; i++)
    state = (state ^ (uintptr_t)c->run->units[i].point) * 0x100000001b3u;
  c->strategy->ops->saw(c->strategy, state & ~CHK_SAW_EDGE);
  return EYOT_OK;
}

static int invariant(struct fab *f, int (*fn)(void *arg), void *arg, const char *name) {
  struct sim_untimed_run *r = sim_unit_of(f)->world->untimed->run;
  if (r->n_invariants == SIM_UNTIMED_INVARIANTS)
    return EYOTI_FAIL(EYOT_EBUSY, "%u invariants are watched, no more are possible",
                      SIM_UNTIMED_INVARIANTS);
  r->invariants[r->n_invariants++] = (struct sim_untimed_invariant){fn, arg, name, f->me};
  return EYOT_OK;
}

__attribute__((noreturn)) static void fail(struct fab *f, const char *text) {
  struct sim_unit *u = sim_unit_of(f);
  sim_untimed_failed(u->world, "unit %u: %s", f->me, text);
  sim_unit_block(u, SIM_ENDED);
  EYOTI_PANIC("unit %u was run after it had failed", f->me);
}

static uint64_t untimed_cpu(struct fab *f, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                            uint64_t desired) {
  struct sim_unit *u = sim_unit_of(f);
  if (sim_untimed_is_tso(u->world)) {
    uint64_t value = sim_untimed_tso_cpu(u, op, word, operand, desired);
    bool changes =
        op != FAB_CPU_LOAD && op != FAB_CPU_FENCE && (op != FAB_CPU_CAS || value == operand);
    if (sim_observed(u->world)) sim_observe_cpu(u, op, word, changes);
    if (u->world->untimed->step_report != NULL)
      sim_step_report_cpu(u, op, word, value, operand, desired);
    return value;
  }
  if (op == FAB_CPU_FENCE) {
    if (sim_observed(u->world)) sim_observe_cpu(u, op, NULL, false);
    return 0;
  }
  sim_untimed_atomic_step(u, word, sizeof *word, SIM_GO);
  uint64_t old = *word;
  bool writes = op != FAB_CPU_LOAD && (op != FAB_CPU_CAS || old == operand);
  /* a swap that leaves the value as it is, as in the loop of a spinlock, changes nothing */
  sim_untimed_touch(u->world, word, 8, writes && (op != FAB_CPU_SWAP || old != operand));
  if (op == FAB_CPU_STORE || op == FAB_CPU_SWAP) *word = operand;
  if (op == FAB_CPU_ADD) *word = old + operand;
  if (op == FAB_CPU_CAS && old == operand) *word = desired;
  if (sim_observed(u->world)) sim_observe_cpu(u, op, word, writes);
  if (u->world->untimed->step_report != NULL)
    sim_step_report_cpu(u, op, word, old, operand, desired);
  if (writes) /* only the pointer shows which unit's memory it is */
    for (uint32_t i = 0; i < f->n; i++) sim_untimed_written(&u->world->units[i], word, 8);
  return old;
}

static void untimed_touches(struct fab *f, const void *p, uint64_t len, enum fab_touch how) {
  struct sim_unit *u = sim_unit_of(f);
  if (how == FAB_TOUCH_RACY) { /* also before the runs, when the detector is not attached yet */
    if (u->world->untimed->race != NULL) sim_race_racy(u->world->untimed->race, u, p, len);
    return;
  }
  if (how == FAB_TOUCH_LOAD && sim_poll_repeats(u, p, len, SIM_UNTIMED_OFTEN))
    sim_untimed_poll_step(u);
  if (how <= FAB_TOUCH_STORE) {
    sim_untimed_touch(u->world, p, len, how == FAB_TOUCH_STORE);
    sim_detect_access(u, p, len, how == FAB_TOUCH_STORE);
  }
  if (sim_observed(u->world)) sim_observe_touched(u, p, len, how);
}

static void untimed_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct sim_unit *u = sim_unit_of(f);
  sim_detect_memory(f, seg, off, len, alive);
  if (sim_observed(u->world)) sim_observe_reused(u, seg, off, len);
}

static void untimed_saw(struct fab *f, const void *word) {
  struct sim_unit *u = sim_unit_of(f);
  sim_untimed_touch(u->world, word, 8, false);
  if (sim_observed(u->world)) sim_observe_saw_word(u, word);
}

static void outcome(struct fab *f, const char *text) {
  struct sim_untimed *c = sim_unit_of(f)->world->untimed;
  if (c->outcomes != NULL) sim_outcome_add(c->outcomes, text, 1);
}

static void ending(struct fab *f) {
  sim_detect_end(sim_unit_of(f), false);
}

/* Without `exchange`: the operations of an exchange are explored like all others. */
const struct fab_check sim_untimed_check_ops = {.begin = untimed_begin,
                                                .end = end,
                                                .point = point,
                                                .invariant = invariant,
                                                .fail = fail,
                                                .cpu = untimed_cpu,
                                                .touches = untimed_touches,
                                                .lent = sim_untimed_lent,
                                                .outcome = outcome,
                                                .collective = sim_detect_collective,
                                                .memory = untimed_memory,
                                                .resource = sim_detect_resource,
                                                .owned = sim_detect_owned,
                                                .source = sim_detect_source,
                                                .ending = ending,
                                                .saw = untimed_saw,
                                                .object = sim_lin_object,
                                                .called = sim_lin_called,
                                                .returned = sim_lin_returned,
                                                .shared = sim_untimed_shared,
                                                .step = sim_untimed_access_step,
                                                .edge = sim_untimed_edge};
