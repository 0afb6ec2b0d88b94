/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_wait.c - the calls that wait, in the untimed engine. See untimed.h, and engine/engine.h
 * for what each call promises. */
#include "fabric_sim/explore/untimed_wait.h"

#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_unit.h"

/* The unit knows that the operation is complete. */
static int untimed_finish(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  int err = op->err;
  sim_detect_known(u, op);
  if (sim_observed(u->world)) sim_observe_completed(u, op, level);
  if (level == FAB_LOCAL)
    return (op->flags & SIM_F_DELIVERED) != 0 && (op->kind == SIM_OP_GET || op->kind == SIM_OP_AMO)
               ? err
               : EYOT_OK;
  /* in the store buffer: no later post of the unit may be seen before it */
  if ((op->flags & SIM_F_DELIVERED) == 0) {
    op->flags |= SIM_F_RELEASED;
    op->target_at = ++sim_untimed_unit_of(u)->sequence;
    sim_untimed_unit_of(u)->n_released++;
    if (u->world->faults != NULL) sim_untimed_touch_way(u->world, op);
    if (sim_fault_is_crashed(&u->world->units[op->target])) err = EYOT_EPEERDOWN;
  }
  sim_reap_retire(u, op);
  return err;
}

/* Reports to an exhaustive search that continuing or waiting depends on when the operation
 * completes. */
static void touch_completion(struct sim_unit *u, const struct sim_op *op) {
  sim_untimed_touch_completion(u->world, op->first_proc, false);
}

/* The same for all operations that the unit has in flight, or that have completed since its last
 * flush. */
static void touch_completions(struct sim_unit *u) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (!u->world->untimed->record) return;
  for (const struct sim_op *op = u->head; op != NULL; op = sim_inflight_next(u, NULL, op))
    touch_completion(u, op);
  for (uint32_t i = 0; i < cu->n_completed; i++)
    sim_untimed_touch_completion(u->world, cu->completed[i], false);
}

void sim_untimed_completed(struct sim_unit *u, const struct sim_op *op) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (!u->world->untimed->record) return;
  sim_untimed_touch_completion(u->world, op->first_proc, true);
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
    sim_untimed_unit_of(u)->wait_level = (uint8_t)level;
    sim_untimed_block(u, SIM_WAIT_OP, SIM_GO_OP);
    touch_completion(u, op);
  }
  return untimed_finish(u, op, level);
}

int sim_untimed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done) {
  sim_untimed_look_step(u);
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (op != NULL) touch_completion(u, op);
  *done = op == NULL || sim_untimed_is_done(op, level);
  cu->last_look_failed = !*done;
  return op != NULL && *done ? untimed_finish(u, op, level) : EYOT_OK;
}

void sim_untimed_settle(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  cu->flush_set = set;
  cu->flush_unit = unit;
  cu->flush_remote = level == FAB_REMOTE;
  if (cu->flush_remote) sim_untimed_tso_touch(u);
  touch_completions(u);
  if (!sim_untimed_is_flushed(u)) {
    sim_untimed_block(u, SIM_WAIT_OP, SIM_GO_FLUSH);
    touch_completions(u);
  }
  if (set == FAB_SET_ALL && unit == FAB_ALL && level == FAB_REMOTE) cu->n_completed = 0;
  sim_detect_flushed(u, set, unit);
  if (sim_observed(u->world)) sim_observe_flushed(u, set, unit, level);
}

int sim_untimed_flush(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  sim_untimed_settle(u, set, unit, level);
  return sim_reap_errors(u, set, unit, level);
}

int sim_untimed_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  uint64_t now = ++sim_untimed_unit_of(u)->sequence;
  struct sim_target *t;
  if (set == FAB_SET_ALL && unit == FAB_ALL) {
    sim_untimed_unit_of(u)->ordered_at = now;
    return EYOT_OK;
  }
  for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;)
    *(set == FAB_SET_ALL ? &t->ordered_at : &t->set_ordered_at) = now;
  return EYOT_OK;
}

static void touch_words(struct sim_unit *u, enum sim_state state) {
  if (state == SIM_WAIT_WORD) {
    sim_untimed_touch(u->world, u->wait.word, sim_wait_bytes(u), false);
    return;
  }
  for (uint32_t i = 0; i < u->wait_any.n; i++)
    sim_untimed_touch(u->world, u->wait_any.watched[i].at, u->wait_any.watched[i].bytes, false);
}

/* Every read is a step of its own: other units may write between two reads. */
int sim_untimed_wait_words(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (timeout_ns == 0) {
    sim_untimed_look_step(u);
  } else {
    cu->timed = timeout_ns != FAB_FOREVER;
    /* the step that begins to wait has read the words, like the one that ends the wait: a search
     * must know the words */
    do {
      touch_words(u, state);
      cu->stirred = false;
      sim_untimed_block(u, state, state == SIM_WAIT_WORD ? SIM_GO_WORD : SIM_GO_ANY);
      if (u->world->faults != NULL && sim_fault_take_gone(u)) return EYOT_EPEERDOWN;
    } while (!cu->timed && !sim_untimed_holds(u, state));
    cu->timed = false;
  }
  touch_words(u, state);
  bool seen = sim_untimed_holds(u, state);
  cu->last_look_failed = !seen;
  if (seen) return EYOT_OK;
  EYOTI_ASSERT(timeout_ns != FAB_FOREVER);
  uint64_t ps;
  if (!__builtin_mul_overflow(timeout_ns, SIM_PS_PER_NS, &ps)) sim_untimed_advance(u, ps);
  return EYOT_ETIMEOUT;
}
