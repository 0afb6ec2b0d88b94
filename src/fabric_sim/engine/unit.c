/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.c - the life of a unit: start, block, run again, end. See unit.h. */
#include "fabric_sim/engine/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "base/wording.h"
#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/exec/asan.h"
#include "rt/exit.h"
#include "rt/proc.h"

#define FAILED_SHOWN 8u /* an error that every unit makes is not logged thousands of times */

void sim_unit_body(void *world, uint32_t i) {
  struct sim_world *w = world;
  struct sim_unit *u = &w->units[i];
  u->stack_top = __builtin_frame_address(0);
  /* otherwise it would start with the previous unit's errno and getopt state */
  if (w->openmp && !sim_openmp_init(&u->openmp))
    eyoti_no_memory(0, "the OpenMP state of unit %u", i);
  if (w->openmp) sim_openmp_load(&u->openmp);
  sim_libc_load(&u->libc);
  int code = sim_prog_main(w->prog, i)(w->argc, u->argv, environ);
  eyoti_exit_begins(code);
  sim_unit_end(u, SIM_END_RETURNED, code);
}

void sim_unit_block(struct sim_unit *u, enum sim_state state) {
  struct sim_world *w = u->world;
  u->state = (uint8_t)state;
  sim_libc_save(&u->libc);
  if (__builtin_expect(w->openmp, 0)) sim_openmp_save(&u->openmp);
  w->exec_ops->block(w->exec, u->fab.me);
  sim_libc_load(&u->libc);
  if (__builtin_expect(w->openmp, 0)) sim_openmp_load(&u->openmp);
}

/* Without guard pages. */
static void check_stack(const struct sim_world *w, const struct sim_unit *u) {
  if (w->exec_ops->overflowed != NULL &&
      w->exec_ops->overflowed(w->exec, u->fab.me, u->state == SIM_ENDED))
    w->reports->crash(u, "stack overflow, found at a switch; raise --stack-size (EYOT_STACK_SIZE)",
                      SIM_CRASH_EXIT);
}

/* A unit that a fault kills frees nothing: not what its program and its layers of eyot have
 * allocated. Those allocations alone are excused from the search for leaks. */
static void unit_wake(struct sim_unit *u) {
  struct sim_world *w = u->world;
  bool killed = SIM_FINDS_LEAKS && w->faults != NULL && w->fault_ops->kills(u);
  if (killed) sim_asan_excuse();
  w->exec_ops->wake(w->exec, u->fab.me);
  if (killed) sim_asan_excuse_end();
}

void sim_unit_run(struct sim_unit *u) {
  struct sim_world *w = u->world;
  EYOTI_ASSERT(u->state != SIM_RUNNING && u->state != SIM_ENDED);
  if (u->local_ps < w->now_ps) u->local_ps = w->now_ps;
  u->state = SIM_RUNNING;
  w->exec_ops->advance(w->exec, w->now_ps);
  w->running = u->fab.me;
  eyot_current = &u->rt;
  if (w->measured.percent != 0) u->host_ns = sim_measured_since(&w->measured);
  unit_wake(u);
  eyot_current = eyoti_rt_idle();
  w->running = UINT32_MAX;
  if (!w->guards) check_stack(w, u);
}

void sim_unit_ready(struct sim_unit *u) {
  struct sim_world *w = u->world;
  if (__builtin_expect(w->away != NULL, 0)) sim_away_back(u);
  /* by its own clock it is still busy with the work before the wait */
  if (u->local_ps > w->now_ps + w->lookahead_ps) {
    if (u->wake_tag == 0 || u->wake_ps != u->local_ps) sim_world_wake_at(u, u->local_ps);
    return;
  }
  if (u->wake_tag != 0) {
    u->wake_tag = 0;
    w->stale++;
  }
  if (__builtin_expect(w->away != NULL, 0)) sim_away_runs(u);
  sim_unit_run(u);
}

void sim_unit_yield(struct sim_unit *u) {
  struct sim_world *w = u->world;
  if (u->local_ps > w->now_ps) {
    if ((sim_queue_is_empty(&w->queue) || sim_queue_next_ps(&w->queue) > u->local_ps) &&
        w->bulk.n == 0) {
      w->now_ps = u->local_ps; /* no event is earlier: no need to switch */
      sim_world_tick(w);
      /* stays blocked: a bound is reached */
      if (__builtin_expect(w->stop, 0)) sim_unit_block(u, SIM_ASLEEP);
    } else {
      sim_world_wake_at(u, u->local_ps);
      sim_unit_block(u, SIM_ASLEEP);
    }
  }
  if (u->inject != NULL) sim_inject_due(u);
}

void sim_unit_phase(struct sim_unit *u, const char *name) {
  if (sim_observed(u->world)) sim_observe_phase(u, name);
  u->phase = name;
}

void sim_unit_held(struct sim_unit *u, uint64_t value) {
  u->words.held_ps = u->world->now_ps;
  u->words.held_value = value;
}

static const char *how_text(enum sim_end how) {
  return how == SIM_END_RETURNED ? "returned from main"
         : how == SIM_END_EXITED ? "called exit"
                                 : "called abort";
}

void sim_unit_end(struct sim_unit *u, enum sim_end how, int code) {
  struct sim_world *w = u->world;
  enum eyoti_state s = u->rt.state;
  u->end = (uint8_t)how;
  /* On mpi such a run ends in eyot_init, with this code. */
  bool failed_start = code == 0 && u->rt.start_failed;
  if (failed_start) code = EYOTI_EXIT_FOUND;
  u->exit_code = code;
  sim_unit_phase(u, NULL);
  /* eyot_finalize counts those of units that call it */
  if (s == EYOTI_IDLE && u->rt.errors > 0) (void)eyoti_proc_errors(w->proc, u->rt.errors);
  if (s != EYOTI_IDLE && s != EYOTI_FINALIZED) {
    char last[SIM_LAST_BYTES];
    sim_unit_last(u, last, sizeof last);
    eyoti_fprintf(
        stderr,
        "eyot: unit %u %s with code %d before%s eyot_finalize, at virtual %.3f us; its last "
        "operation: %s\n",
        u->fab.me, how_text(how), code, u->rt.inits > 1 ? " the last" : "",
        (double)u->local_ps * 1e-6, last);
    sim_world_stop(w, code & 0xff);
  } else if (code != 0 || how == SIM_END_ABORTED) {
    if (w->failed++ < FAILED_SHOWN)
      eyoti_fprintf(stderr, "eyot: unit %u %s with code %d%s\n", u->fab.me, how_text(how),
                    failed_start ? 0 : code, failed_start ? ", and its eyot_init had failed" : "");
    if (w->exit_code == 0) w->exit_code = (code & 0xff) != 0 ? code & 0xff : 1;
  }
  sim_world_unit_ended(w);
  sim_unit_block(u, SIM_ENDED);
  EYOTI_PANIC("unit %u was run after its end", u->fab.me);
}

/* Only the simulator's own thread can leave a unit; a call by another ends the process, as it does
 * on mpi. */
void sim_unit_exit(struct fab *f, int how, int code) {
  struct sim_unit *u = sim_unit_of(f);
  enum sim_end end = how == FAB_EXIT_ABORT ? SIM_END_ABORTED : SIM_END_EXITED;
  if (!eyoti_rt_owns(&u->rt)) {
    char text[80];
    eyoti_snprintf(text, sizeof text, "another thread %s with code %d", how_text(end), code);
    fflush(stdout);
    u->world->reports->crash(u, text, (code & 0xff) != 0 ? code & 0xff : 1);
  }
  sim_unit_end(u, end, code);
}

const char *sim_unit_call_name(enum sim_call call) {
  static const char *const NAMES[SIM_CALLS] = {"none",
                                               "put",
                                               "get",
                                               "atomic",
                                               "put with signal",
                                               "wait or test of a request",
                                               "flush",
                                               "order",
                                               "wait_mem",
                                               "segment",
                                               "now, compute or locate",
                                               "sleep",
                                               "close"};
  return NAMES[call];
}

void sim_unit_last(const struct sim_unit *u, char *text, size_t size) {
  const struct sim_last *l = &u->last;
  char words[EYOTI_WORDS];
  const char *what = l->marked         ? u->last_marked
                     : l->what != NULL ? l->what
                                       : "outside eyot",
             *name = sim_unit_call_name((enum sim_call)l->call);
  if (l->call >= SIM_CALL_PUT && l->call <= SIM_CALL_SIGNAL)
    eyoti_snprintf(text, size, "%s: %s of %u bytes, unit %u, %s", what, name, l->len, l->unit,
                   eyoti_words(&u->world->units[l->unit < u->world->n ? l->unit : u->fab.me].rt,
                               l->seg, l->off, true, words));
  else
    snprintf(text, size, "%s: %s", what, name);
  size_t n = strlen(text);
  if (l->waited)
    snprintf(text + n, size - n, ", then %s in %s", sim_unit_call_name(SIM_CALL_WAIT_MEM),
             eyoti_rt_marked_last(&u->rt) != NULL ? eyoti_rt_marked_last(&u->rt)
                                                  : sim_unit_shown(u, what));
}
