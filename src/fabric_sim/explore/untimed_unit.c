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
static struct fs_check_unit *of(const struct fs_unit *u) {
  return &u->world->check->run->units[u->fab.me];
}

static bool covers(fab_unit_t unit, const struct fs_op *op) {
  return unit == FAB_ALL || unit == op->target;
}

/* Nothing that the flush is about is in flight: what it names and, since it is a full barrier, what
 * has been released. */
static bool flushed(const struct fs_unit *u, const struct fs_check_unit *cu) {
  if (cu->flush_remote && cu->n_stores > 0) return false;
  for (const struct fs_op *op = u->head; op != NULL; op = op->next) {
    if (cu->flush_remote && op->target_ps != 0) return false;
    if (!covers(cu->flush_unit, op)) continue;
    if (cu->flush_remote || !fs_check_is_done(op, FAB_LOCAL)) return false;
  }
  return true;
}

static bool word_holds(const struct fs_unit *u) {
  return fab_cmp_holds((enum fab_cmp)u->wait.cmp, *u->wait.word, u->wait.value);
}

static bool any_holds(const struct fs_unit *u) {
  for (uint32_t i = 0; i < u->wait_any.n; i++)
    if (fab_cmp_holds(u->wait_any.conds[i].cmp, *fs_wait_any_word(u, i),
                      u->wait_any.conds[i].value))
      return true;
  return false;
}

static bool can_go(const struct fs_unit *u, const struct fs_check_unit *cu) {
  switch ((enum fs_check_wait)cu->go) {
    case FS_GO:
      return true;
    case FS_GO_OP:
      return fs_check_is_done(u->wait_op, (enum fab_level)cu->wait_level);
    case FS_GO_FLUSH:
      return flushed(u, cu);
    case FS_GO_ROOM:
      return u->listed < u->world->opt.max_outstanding;
    case FS_GO_WORD:
      return word_holds(u);
    case FS_GO_ANY:
      return cu->stirred || any_holds(u);
    case FS_GO_STORES:
      return cu->n_stores == 0;
    case FS_GO_BEGIN:
    case FS_GO_NEVER:
      return false;
  }
  return false;
}

void fs_check_unit_look(struct fs_unit *u) {
  const struct fs_check_unit *cu = of(u);
  if (cu->go == FS_GO_NEVER) return;
  if (__builtin_expect(u->world->faults != NULL, 0) && fs_check_fault_doomed(u))
    fs_check_withdraw(u->world, u->fab.me);
  else if (can_go(u, cu))
    fs_check_offer(u->world, u->fab.me, cu->go == FS_GO && cu->polls);
  else if (cu->timed && (cu->go == FS_GO_WORD || cu->go == FS_GO_ANY))
    fs_check_offer(u->world, u->fab.me, true);
  else
    fs_check_withdraw(u->world, u->fab.me);
}

void fs_check_block(struct fs_unit *u, enum fs_state state, enum fs_check_wait go) {
  struct fs_check_unit *cu = of(u);
  cu->go = (uint8_t)go;
  cu->quick = 0;
  fs_check_unit_look(u);
  fs_unit_block(u, state);
  cu->go = FS_GO_NEVER;
}

void fs_check_written(struct fs_unit *u, const void *p, uint64_t len) {
  if (u->state == FS_WAIT_WORD && (uint64_t)((const char *)u->wait.word - (const char *)p) >= len)
    return;
  /* it looks again, though others may have to write before anything holds
   * (strategy/exhaustive.c) */
  if (u->state == FS_WAIT_ANY && u->wait_any.n > 1)
    for (uint32_t i = 0; i < u->wait_any.n; i++)
      if ((uint64_t)((const char *)fs_wait_any_word(u, i) - (const char *)p) < len)
        of(u)->stirred = true;
  if (u->state == FS_WAIT_WORD || u->state == FS_WAIT_ANY) fs_check_unit_look(u);
}

/* In an exhaustive search each unit has a clock of its own: one that others advance would make
 * every step depend on every other. */
void fs_check_spend(struct fs_unit *u, uint64_t ps) {
  struct fs_world *w = u->world;
  uint64_t *clock = w->check->fine ? &u->local_ps : &w->now_ps, later_ps;
  if (!__builtin_add_overflow(*clock, ps, &later_ps)) *clock = later_ps;
  u->local_ps = ++*clock;
}

void fs_check_pause(struct fs_unit *u) {
  struct fs_check_unit *cu = of(u);
  if (u->last.call == FS_CALL_TIME && cu->quick++ < QUICK_CALLS) return;
  cu->polls = u->last.call == FS_CALL_TIME;
  fs_check_block(u, FS_ASLEEP, FS_GO);
  cu->polls = false;
}

/* The unit looks at something once, in a step of its own. Whoever looks again after it has seen
 * nothing new only polls. */
static void look_step(struct fs_unit *u) {
  struct fs_check_unit *cu = of(u);
  cu->polls = cu->last_look_failed;
  fs_check_block(u, FS_ASLEEP, FS_GO);
  cu->polls = false;
}

/* The unit has been told that the operation is complete. */
static int finish(struct fs_unit *u, struct fs_op *op, enum fab_level level) {
  int err = op->err;
  fs_detect_told(u, op);
  if (u->world->race != NULL) fs_race_told(u, op, level);
  if (level == FAB_LOCAL)
    return (op->flags & FS_F_DELIVERED) != 0 && (op->kind == FS_OP_GET || op->kind == FS_OP_AMO)
               ? err
               : EYOT_OK;
  /* in the store buffer: nothing that the unit posts from now on may be seen before it */
  if ((op->flags & FS_F_DELIVERED) == 0) {
    op->flags |= FS_F_RELEASED;
    op->target_ps = ++of(u)->sequence;
    if (u->world->faults != NULL) fs_check_fault_touch_way(u->world, op);
    if (fs_fault_is_crashed(&u->world->units[op->target])) err = EYOT_EPEERDOWN;
  }
  fs_reap_retire(u, op);
  return err;
}

/* What an exhaustive search must know: that going on or having to wait depends on when the
 * operation completes. */
static void touch_completion(struct fs_unit *u, const struct fs_op *op) {
  fs_check_touch_id(u->world, UINT64_MAX - op->first_proc, false);
}

/* The same for all that the unit has in flight, or that has completed since its last flush. */
static void touch_completions(struct fs_unit *u) {
  struct fs_check_unit *cu = of(u);
  if (!u->world->check->record) return;
  for (const struct fs_op *op = u->head; op != NULL; op = op->next) touch_completion(u, op);
  for (uint32_t i = 0; i < cu->n_completed; i++)
    fs_check_touch_id(u->world, UINT64_MAX - cu->completed[i], false);
}

void fs_check_completed(struct fs_unit *u, const struct fs_op *op) {
  struct fs_check_unit *cu = of(u);
  if (!u->world->check->record) return;
  fs_check_touch_id(u->world, UINT64_MAX - op->first_proc, true);
  cu->completed =
      fs_check_room(cu->completed, cu->n_completed, &cu->completed_cap, sizeof *cu->completed);
  cu->completed[cu->n_completed++] = op->first_proc;
}

void fs_check_wait_room(struct fs_unit *u) {
  touch_completions(u);
  fs_check_block(u, FS_ASLEEP, FS_GO_ROOM);
  touch_completions(u);
}

int fs_check_wait_req(struct fs_unit *u, struct fs_op *op, enum fab_level level) {
  touch_completion(u, op);
  if (!fs_check_is_done(op, level)) {
    u->wait_op = op;
    of(u)->wait_level = (uint8_t)level;
    fs_check_block(u, FS_WAIT_OP, FS_GO_OP);
    touch_completion(u, op);
  }
  return finish(u, op, level);
}

int fs_check_test(struct fs_unit *u, struct fs_op *op, enum fab_level level, bool *done) {
  look_step(u);
  struct fs_check_unit *cu = of(u);
  if (op != NULL) touch_completion(u, op);
  *done = op == NULL || fs_check_is_done(op, level);
  cu->last_look_failed = !*done;
  return op != NULL && *done ? finish(u, op, level) : EYOT_OK;
}

void fs_check_flush(struct fs_unit *u, fab_unit_t unit, enum fab_level level) {
  struct fs_check_unit *cu = of(u);
  cu->flush_unit = unit;
  cu->flush_remote = level == FAB_REMOTE;
  if (cu->flush_remote) fs_check_tso_touch(u);
  touch_completions(u);
  if (!flushed(u, cu)) {
    fs_check_block(u, FS_WAIT_OP, FS_GO_FLUSH);
    touch_completions(u);
  }
  if (unit == FAB_ALL && level == FAB_REMOTE) cu->n_completed = 0;
  fs_detect_flushed(u, unit);
  if (u->world->race != NULL) fs_race_flushed(u, unit, level);
}

int fs_check_order(struct fs_unit *u, fab_unit_t unit) {
  uint64_t now = ++of(u)->sequence;
  for (struct fs_op *op = u->head; op != NULL; op = op->next)
    if (covers(unit, op) && op->kind != FS_OP_GET && op->done_ps == 0) op->done_ps = now;
  return EYOT_OK;
}

static void touch_words(struct fs_unit *u, enum fs_state state) {
  if (state == FS_WAIT_WORD) {
    fs_check_touch(u->world, u->wait.word, 8, false);
    return;
  }
  for (uint32_t i = 0; i < u->wait_any.n; i++)
    fs_check_touch(u->world, fs_wait_any_word(u, i), 8, false);
}

/* Every look is a step of its own: between two looks of a unit others may write. */
int fs_check_wait(struct fs_unit *u, enum fs_state state, bool (*holds)(const struct fs_unit *u),
                  uint64_t timeout_ns) {
  struct fs_check_unit *cu = of(u);
  if (timeout_ns == 0) {
    look_step(u);
  } else {
    cu->timed = timeout_ns != FAB_FOREVER;
    /* the step that begins to wait has read the words, like the one that goes on: a search must
     * know what it waits for */
    do {
      touch_words(u, state);
      cu->stirred = false;
      fs_check_block(u, state, state == FS_WAIT_WORD ? FS_GO_WORD : FS_GO_ANY);
      if (u->world->faults != NULL && fs_fault_take_gone(u)) return EYOT_EPEERDOWN;
    } while (!cu->timed && !holds(u));
    cu->timed = false;
  }
  touch_words(u, state);
  bool seen = holds(u);
  cu->last_look_failed = !seen;
  if (seen) return EYOT_OK;
  EYOTI_ASSERT(timeout_ns != FAB_FOREVER);
  uint64_t ps;
  if (!__builtin_mul_overflow(timeout_ns, FS_PS_PER_NS, &ps)) fs_check_spend(u, ps);
  return EYOT_ETIMEOUT;
}

static int begin(struct fab *f, bool explicitly) {
  struct fs_unit *u = fs_unit_of(f);
  struct fs_check_run *r = u->world->check->run;
  if (explicitly && r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "runs begin once: eyot_check_begin was called before");
  u->last.call = FS_CALL_NONE;
  fs_check_flush(u, FAB_ALL, FAB_REMOTE);
  r->at_begin++;
  r->n_explicit += explicitly;
  fs_check_block(u, FS_WAIT_BEGIN, FS_GO_BEGIN);
  return EYOT_OK;
}

static int end(struct fab *f) {
  struct fs_unit *u = fs_unit_of(f);
  struct fs_check_run *r = u->world->check->run;
  if (!r->explicitly)
    return EYOTI_FAIL(EYOT_ESTATE, "a run ends that has not begun: call eyot_check_begin first");
  fs_detect_end(u, true);
  r->at_end++;
  fs_check_block(u, FS_WAIT_BEGIN, FS_GO_BEGIN);
  return EYOT_OK;
}

static int point(struct fab *f, const char *name) {
  struct fs_check *c = fs_unit_of(f)->world->check;
  c->run->units[f->me].point = name;
  if (c->strategy == NULL || c->strategy->ops->saw == NULL) return EYOT_OK;
  uint64_t state = 0xcbf29ce484222325u; /* of all units: which of them is where */
  for (uint32_t i = 0; i < f->n; i++)
    state = (state ^ (uintptr_t)c->run->units[i].point) * 0x100000001b3u;
  c->strategy->ops->saw(c->strategy, state & ~EC_SAW_EDGE);
  return EYOT_OK;
}

static int invariant(struct fab *f, int (*fn)(void *arg), void *arg, const char *name) {
  struct fs_check_run *r = fs_unit_of(f)->world->check->run;
  if (r->n_invariants == FS_CHECK_INVARIANTS)
    return EYOTI_FAIL(EYOT_EBUSY, "%u invariants are watched, no more are possible",
                      FS_CHECK_INVARIANTS);
  r->invariants[r->n_invariants++] = (struct fs_check_invariant){fn, arg, name, f->me};
  return EYOT_OK;
}

__attribute__((noreturn)) static void fail(struct fab *f, const char *text) {
  struct fs_unit *u = fs_unit_of(f);
  fs_check_failed(u->world, "unit %u: %s", f->me, text);
  fs_unit_block(u, FS_ENDED);
  EYOTI_PANIC("unit %u was run after it had failed", f->me);
}

static uint64_t cpu(struct fab *f, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                    uint64_t desired) {
  struct fs_unit *u = fs_unit_of(f);
  if (fs_check_is_tso(u->world)) {
    uint64_t value = fs_check_tso_cpu(u, op, word, operand, desired);
    bool changes =
        op != FAB_CPU_LOAD && op != FAB_CPU_FENCE && (op != FAB_CPU_CAS || value == operand);
    if (u->world->race != NULL) fs_race_cpu(u, op, word, changes);
    if (u->world->check->tell != NULL) fs_check_tell_cpu(u, op, word, value, operand, desired);
    return value;
  }
  if (op == FAB_CPU_FENCE) {
    if (u->world->race != NULL) fs_race_cpu(u, op, NULL, false);
    return 0;
  }
  fs_check_block(u, FS_ASLEEP, FS_GO);
  uint64_t old = *word;
  bool writes = op != FAB_CPU_LOAD && (op != FAB_CPU_CAS || old == operand);
  fs_check_touch(u->world, word, 8, writes);
  if (op == FAB_CPU_STORE || op == FAB_CPU_SWAP) *word = operand;
  if (op == FAB_CPU_ADD) *word = old + operand;
  if (op == FAB_CPU_CAS && old == operand) *word = desired;
  if (u->world->race != NULL) fs_race_cpu(u, op, word, writes);
  if (u->world->check->tell != NULL) fs_check_tell_cpu(u, op, word, old, operand, desired);
  if (writes) /* whose memory it is only the pointer knows */
    for (uint32_t i = 0; i < f->n; i++) fs_check_written(&u->world->units[i], word, 8);
  return old;
}

static void touches(struct fab *f, const void *p, uint64_t len, bool writes) {
  struct fs_unit *u = fs_unit_of(f);
  fs_check_touch(u->world, p, len, writes);
  if (u->world->race != NULL) fs_race_touches(u, p, len, writes);
}

static void memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct fs_unit *u = fs_unit_of(f);
  fs_detect_memory(f, seg, off, len, alive);
  if (u->world->race != NULL) fs_race_memory(u, seg, off, len);
}

static void saw(struct fab *f, const void *word) {
  struct fs_unit *u = fs_unit_of(f);
  fs_check_touch(u->world, word, 8, false);
  if (u->world->race != NULL) fs_race_saw_word(u, word);
}

static void outcome(struct fab *f, const char *text) {
  struct fs_check *c = fs_unit_of(f)->world->check;
  if (c->outcomes != NULL) fs_outcome_add(c->outcomes, text, 1);
}

static void ending(struct fab *f) {
  fs_detect_end(fs_unit_of(f), false);
}

/* Without `exchange`: what exchanges are made of is explored like all else. */
const struct fab_check fs_check_ops = {.begin = begin,
                                       .end = end,
                                       .point = point,
                                       .invariant = invariant,
                                       .fail = fail,
                                       .cpu = cpu,
                                       .touches = touches,
                                       .outcome = outcome,
                                       .collective = fs_detect_collective,
                                       .memory = memory,
                                       .thing = fs_detect_thing,
                                       .ending = ending,
                                       .saw = saw,
                                       .object = fs_lin_object,
                                       .called = fs_lin_called,
                                       .returned = fs_lin_returned,
                                       .shared = fs_check_shared,
                                       .step = fs_check_access_step,
                                       .edge = fs_check_edge};
