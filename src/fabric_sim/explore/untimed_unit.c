/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_unit.c - units without time: when one can go on, and what it does at the calls that
 * wait. See untimed.h. */
#include "base/check.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/explore/untimed_instrument.h"
#include "fabric_sim/explore/untimed_lin.h"
#include "fabric_sim/fault/fault.h"

/* calls of now, compute, progress in a row that are no steps of their own: they touch nothing */
#define QUICK_CALLS 16u

/* What runs know of the unit. */
static struct sim_untimed_unit *untimed_of(const struct sim_unit *u) {
  return &u->world->check->run->units[u->fab.me];
}

static bool untimed_covers(fab_unit_t unit, const struct sim_op *op) {
  return unit == FAB_ALL || unit == op->target;
}

/* Nothing that the flush is about is in flight: what it names and, since it is a full barrier, what
 * has been released. */
static bool flushed(const struct sim_unit *u, const struct sim_untimed_unit *cu) {
  if (cu->flush_remote && cu->n_stores > 0) return false;
  for (const struct sim_op *op = u->head; op != NULL; op = op->next) {
    if (cu->flush_remote && op->target_at != 0) return false;
    if (!untimed_covers(cu->flush_unit, op)) continue;
    if (cu->flush_remote || !sim_untimed_is_done(op, FAB_LOCAL)) return false;
  }
  return true;
}

static bool untimed_word_holds(const struct sim_unit *u) {
  return fab_cmp_holds((enum fab_cmp)u->wait.cmp, *u->wait.word, u->wait.value);
}

static bool untimed_any_holds(const struct sim_unit *u) {
  for (uint32_t i = 0; i < u->wait_any.n; i++)
    if (fab_cmp_holds(u->wait_any.conds[i].cmp, *sim_wait_any_word(u, i),
                      u->wait_any.conds[i].value))
      return true;
  return false;
}

static bool can_go(const struct sim_unit *u, const struct sim_untimed_unit *cu) {
  switch ((enum sim_untimed_wait)cu->go) {
    case SIM_GO:
      return true;
    case SIM_GO_OP:
      return sim_untimed_is_done(u->wait_op, (enum fab_level)cu->wait_level);
    case SIM_GO_FLUSH:
      return flushed(u, cu);
    case SIM_GO_CAP:
      return u->listed < u->world->opt.max_outstanding;
    case SIM_GO_WORD:
      return untimed_word_holds(u);
    case SIM_GO_ANY:
      return cu->stirred || untimed_any_holds(u);
    case SIM_GO_STORES:
      return cu->n_stores == 0;
    case SIM_GO_BEGIN:
    case SIM_GO_NEVER:
      return false;
  }
  return false;
}

void sim_untimed_unit_look(struct sim_unit *u) {
  const struct sim_untimed_unit *cu = untimed_of(u);
  if (cu->go == SIM_GO_NEVER) return;
  if (__builtin_expect(u->world->faults != NULL, 0) && sim_untimed_fault_doomed(u))
    sim_untimed_withdraw(u->world, u->fab.me);
  else if (can_go(u, cu))
    sim_untimed_offer(u->world, u->fab.me, cu->go == SIM_GO && cu->polls);
  else if (cu->timed && (cu->go == SIM_GO_WORD || cu->go == SIM_GO_ANY))
    sim_untimed_offer(u->world, u->fab.me, true);
  else
    sim_untimed_withdraw(u->world, u->fab.me);
}

void sim_untimed_block(struct sim_unit *u, enum sim_state state, enum sim_untimed_wait go) {
  struct sim_untimed_unit *cu = untimed_of(u);
  cu->go = (uint8_t)go;
  cu->quick = 0;
  sim_untimed_unit_look(u);
  sim_unit_block(u, state);
  cu->go = SIM_GO_NEVER;
}

void sim_untimed_written(struct sim_unit *u, const void *p, uint64_t len) {
  if (u->state == SIM_WAIT_WORD && (uint64_t)((const char *)u->wait.word - (const char *)p) >= len)
    return;
  /* it looks again, though others may have to write before anything holds
   * (strategy/exhaustive.c) */
  if (u->state == SIM_WAIT_ANY && u->wait_any.n > 1)
    for (uint32_t i = 0; i < u->wait_any.n; i++)
      if ((uint64_t)((const char *)sim_wait_any_word(u, i) - (const char *)p) < len)
        untimed_of(u)->stirred = true;
  if (u->state == SIM_WAIT_WORD || u->state == SIM_WAIT_ANY) sim_untimed_unit_look(u);
}

/* In an exhaustive search each unit has a clock of its own: one that others advance would make
 * every step depend on every other. */
void sim_untimed_spend(struct sim_unit *u, uint64_t ps) {
  struct sim_world *w = u->world;
  uint64_t *clock = w->check->fine ? &u->local_ps : &w->now_ps, later_ps;
  if (!__builtin_add_overflow(*clock, ps, &later_ps)) *clock = later_ps;
  u->local_ps = ++*clock;
}

void sim_untimed_pause(struct sim_unit *u) {
  struct sim_untimed_unit *cu = untimed_of(u);
  if (u->last.call == SIM_CALL_TIME && cu->quick++ < QUICK_CALLS) return;
  cu->polls = u->last.call == SIM_CALL_TIME;
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  cu->polls = false;
}

/* The unit looks at something once, in a step of its own. Whoever looks again after it has seen
 * nothing new only polls. */
static void look_step(struct sim_unit *u) {
  struct sim_untimed_unit *cu = untimed_of(u);
  cu->polls = cu->last_look_failed;
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  cu->polls = false;
}

/* The unit has been told that the operation is complete. */
static int untimed_finish(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  int err = op->err;
  sim_detect_known(u, op);
  if (u->world->race != NULL) sim_race_known(u, op, level);
  if (level == FAB_LOCAL)
    return (op->flags & SIM_F_DELIVERED) != 0 && (op->kind == SIM_OP_GET || op->kind == SIM_OP_AMO)
               ? err
               : EYOT_OK;
  /* in the store buffer: nothing that the unit posts from now on may be seen before it */
  if ((op->flags & SIM_F_DELIVERED) == 0) {
    op->flags |= SIM_F_RELEASED;
    op->target_at = ++untimed_of(u)->sequence;
    if (u->world->faults != NULL) sim_untimed_fault_touch_way(u->world, op);
    if (sim_fault_is_crashed(&u->world->units[op->target])) err = EYOT_EPEERDOWN;
  }
  sim_reap_retire(u, op);
  return err;
}

/* What an exhaustive search must know: that going on or having to wait depends on when the
 * operation completes. */
static void touch_completion(struct sim_unit *u, const struct sim_op *op) {
  sim_untimed_touch_id(u->world, UINT64_MAX - op->first_proc, false);
}

/* The same for all that the unit has in flight, or that has completed since its last flush. */
static void touch_completions(struct sim_unit *u) {
  struct sim_untimed_unit *cu = untimed_of(u);
  if (!u->world->check->record) return;
  for (const struct sim_op *op = u->head; op != NULL; op = op->next) touch_completion(u, op);
  for (uint32_t i = 0; i < cu->n_completed; i++)
    sim_untimed_touch_id(u->world, UINT64_MAX - cu->completed[i], false);
}

void sim_untimed_completed(struct sim_unit *u, const struct sim_op *op) {
  struct sim_untimed_unit *cu = untimed_of(u);
  if (!u->world->check->record) return;
  sim_untimed_touch_id(u->world, UINT64_MAX - op->first_proc, true);
  cu->completed = sim_untimed_reserve(cu->completed, cu->n_completed, &cu->completed_cap,
                                      sizeof *cu->completed);
  cu->completed[cu->n_completed++] = op->first_proc;
}

void sim_untimed_wait_cap(struct sim_unit *u) {
  touch_completions(u);
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO_CAP);
  touch_completions(u);
}

int sim_untimed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  touch_completion(u, op);
  if (!sim_untimed_is_done(op, level)) {
    u->wait_op = op;
    untimed_of(u)->wait_level = (uint8_t)level;
    sim_untimed_block(u, SIM_WAIT_OP, SIM_GO_OP);
    touch_completion(u, op);
  }
  return untimed_finish(u, op, level);
}

int sim_untimed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done) {
  look_step(u);
  struct sim_untimed_unit *cu = untimed_of(u);
  if (op != NULL) touch_completion(u, op);
  *done = op == NULL || sim_untimed_is_done(op, level);
  cu->last_look_failed = !*done;
  return op != NULL && *done ? untimed_finish(u, op, level) : EYOT_OK;
}

void sim_untimed_flush(struct sim_unit *u, fab_unit_t unit, enum fab_level level) {
  struct sim_untimed_unit *cu = untimed_of(u);
  cu->flush_unit = unit;
  cu->flush_remote = level == FAB_REMOTE;
  if (cu->flush_remote) sim_untimed_tso_touch(u);
  touch_completions(u);
  if (!flushed(u, cu)) {
    sim_untimed_block(u, SIM_WAIT_OP, SIM_GO_FLUSH);
    touch_completions(u);
  }
  if (unit == FAB_ALL && level == FAB_REMOTE) cu->n_completed = 0;
  sim_detect_flushed(u, unit);
  if (u->world->race != NULL) sim_race_flushed(u, unit, level);
}

int sim_untimed_order(struct sim_unit *u, fab_unit_t unit) {
  uint64_t now = ++untimed_of(u)->sequence;
  for (struct sim_op *op = u->head; op != NULL; op = op->next)
    if (untimed_covers(unit, op) && op->kind != SIM_OP_GET && op->done_at == 0) op->done_at = now;
  return EYOT_OK;
}

static void touch_words(struct sim_unit *u, enum sim_state state) {
  if (state == SIM_WAIT_WORD) {
    sim_untimed_touch(u->world, u->wait.word, 8, false);
    return;
  }
  for (uint32_t i = 0; i < u->wait_any.n; i++)
    sim_untimed_touch(u->world, sim_wait_any_word(u, i), 8, false);
}

/* Every look is a step of its own: between two looks of a unit others may write. */
int sim_untimed_wait(struct sim_unit *u, enum sim_state state,
                     bool (*holds)(const struct sim_unit *u), uint64_t timeout_ns) {
  struct sim_untimed_unit *cu = untimed_of(u);
  if (timeout_ns == 0) {
    look_step(u);
  } else {
    cu->timed = timeout_ns != FAB_FOREVER;
    /* the step that begins to wait has read the words, like the one that goes on: a search must
     * know what it waits for */
    do {
      touch_words(u, state);
      cu->stirred = false;
      sim_untimed_block(u, state, state == SIM_WAIT_WORD ? SIM_GO_WORD : SIM_GO_ANY);
      if (u->world->faults != NULL && sim_fault_take_gone(u)) return EYOT_EPEERDOWN;
    } while (!cu->timed && !holds(u));
    cu->timed = false;
  }
  touch_words(u, state);
  bool seen = holds(u);
  cu->last_look_failed = !seen;
  if (seen) return EYOT_OK;
  EYOTI_ASSERT(timeout_ns != FAB_FOREVER);
  uint64_t ps;
  if (!__builtin_mul_overflow(timeout_ns, SIM_PS_PER_NS, &ps)) sim_untimed_spend(u, ps);
  return EYOT_ETIMEOUT;
}

static int untimed_begin(struct fab *f, bool explicitly) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed_run *r = u->world->check->run;
  if (explicitly && r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "runs begin once: eyot_check_begin was called before");
  u->last.call = SIM_CALL_NONE;
  sim_untimed_flush(u, FAB_ALL, FAB_REMOTE);
  r->at_begin++;
  r->n_explicit += explicitly;
  sim_untimed_block(u, SIM_WAIT_BEGIN, SIM_GO_BEGIN);
  return EYOT_OK;
}

static int end(struct fab *f) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_untimed_run *r = u->world->check->run;
  if (!r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "a run ends that has not begun: call eyot_check_begin first");
  sim_detect_end(u, true);
  r->at_end++;
  sim_untimed_block(u, SIM_WAIT_BEGIN, SIM_GO_BEGIN);
  return EYOT_OK;
}

static int point(struct fab *f, const char *name) {
  struct sim_untimed *c = sim_unit_of(f)->world->check;
  c->run->units[f->me].point = name;
  if (c->strategy == NULL || c->strategy->ops->saw == NULL) return EYOT_OK;
  uint64_t state = 0xcbf29ce484222325u; /* of all units: which of them is where */
  for (uint32_t i = 0; i < f->n; i++)
    state = (state ^ (uintptr_t)c->run->units[i].point) * 0x100000001b3u;
  c->strategy->ops->saw(c->strategy, state & ~CHK_SAW_EDGE);
  return EYOT_OK;
}

static int invariant(struct fab *f, int (*fn)(void *arg), void *arg, const char *name) {
  struct sim_untimed_run *r = sim_unit_of(f)->world->check->run;
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
    if (u->world->race != NULL) sim_race_cpu(u, op, word, changes);
    if (u->world->check->step_report != NULL)
      sim_step_report_cpu(u, op, word, value, operand, desired);
    return value;
  }
  if (op == FAB_CPU_FENCE) {
    if (u->world->race != NULL) sim_race_cpu(u, op, NULL, false);
    return 0;
  }
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  uint64_t old = *word;
  bool writes = op != FAB_CPU_LOAD && (op != FAB_CPU_CAS || old == operand);
  sim_untimed_touch(u->world, word, 8, writes);
  if (op == FAB_CPU_STORE || op == FAB_CPU_SWAP) *word = operand;
  if (op == FAB_CPU_ADD) *word = old + operand;
  if (op == FAB_CPU_CAS && old == operand) *word = desired;
  if (u->world->race != NULL) sim_race_cpu(u, op, word, writes);
  if (u->world->check->step_report != NULL) sim_step_report_cpu(u, op, word, old, operand, desired);
  if (writes) /* whose memory it is only the pointer knows */
    for (uint32_t i = 0; i < f->n; i++) sim_untimed_written(&u->world->units[i], word, 8);
  return old;
}

static void untimed_touches(struct fab *f, const void *p, uint64_t len, bool writes) {
  struct sim_unit *u = sim_unit_of(f);
  sim_untimed_touch(u->world, p, len, writes);
  if (u->world->race != NULL) sim_race_touches(u, p, len, writes);
}

static void untimed_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct sim_unit *u = sim_unit_of(f);
  sim_detect_memory(f, seg, off, len, alive);
  if (u->world->race != NULL) sim_race_memory(u, seg, off, len);
}

static void untimed_saw(struct fab *f, const void *word) {
  struct sim_unit *u = sim_unit_of(f);
  sim_untimed_touch(u->world, word, 8, false);
  if (u->world->race != NULL) sim_race_saw_word(u, word);
}

static void outcome(struct fab *f, const char *text) {
  struct sim_untimed *c = sim_unit_of(f)->world->check;
  if (c->outcomes != NULL) sim_outcome_add(c->outcomes, text, 1);
}

static void ending(struct fab *f) {
  sim_detect_end(sim_unit_of(f), false);
}

/* Without `exchange`: what exchanges are made of is explored like all else. */
const struct fab_check sim_untimed_check_ops = {.begin = untimed_begin,
                                                .end = end,
                                                .point = point,
                                                .invariant = invariant,
                                                .fail = fail,
                                                .cpu = untimed_cpu,
                                                .touches = untimed_touches,
                                                .outcome = outcome,
                                                .collective = sim_detect_collective,
                                                .memory = untimed_memory,
                                                .resource = sim_detect_resource,
                                                .ending = ending,
                                                .saw = untimed_saw,
                                                .object = sim_lin_object,
                                                .called = sim_lin_called,
                                                .returned = sim_lin_returned,
                                                .shared = sim_untimed_shared,
                                                .step = sim_untimed_access_step,
                                                .edge = sim_untimed_edge};
