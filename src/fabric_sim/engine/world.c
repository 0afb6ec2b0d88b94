/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c - the main loop: takes the earliest event and makes it happen. See world.h. */
#include "fabric_sim/engine/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "fabric_sim/engine/clock.h"
#include "fabric_sim/engine/limits.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/ops_table.h"
#include "fabric_sim/engine/pages.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"
#include "fabric_sim/report/report.h"
#include "fabric_sim/report/stats.h"
#include "rt/proc.h"

#define SIM_HOT_BYTES 448u     /* of a unit: the first cache lines and the runtime's head */
#define SIM_LOOKAHEAD_POSTS 2u /* see sim_world.lead_ps */
#define AHEAD_OP 8u            /* see look_ahead */
#define AHEAD_UNIT 5u
#define AHEAD_STACK 1u
/* the beginning of what a unit knows of its teams: the team of all */
#define SIM_TEAM_BYTES 128u
#define SIM_OP_HOT_BYTES 128u /* of an operation: all but the payload */
#define PURGE_MIN 4096u       /* stale wakes below this are not worth a purge */
#define TICK_MASK 1023u       /* look at the wall clock once in so many events */
#define TICK_NS 1000000000ull /* a progress line about once a second */

uint32_t sim_choice(struct sim_world *w, uint32_t bound) {
  /* splitmix64 (Steele, Lea, Flood 2014); the product's upper half is the draw. */
  uint64_t x = w->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (uint32_t)(((x >> 32) * bound) >> 32);
}

uint64_t sim_world_push(struct sim_world *w, uint64_t time_ps, enum sim_event_kind kind,
                        uint32_t index) {
  uint64_t tag = sim_tag(sim_choice(w, 1u << SIM_TAG_TIE_BITS), kind, index);
  sim_queue_push(&w->queue, (struct sim_event){time_ps, tag});
  return tag;
}

static bool is_stale(const void *world, const struct sim_event *e) {
  const struct sim_world *w = world;
  if (sim_tag_kind(e->tag) != SIM_EV_WAKE) return false;
  const struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
  return u->wake_tag != e->tag || u->wake_ps != e->time_ps;
}

void sim_world_wake_at(struct sim_unit *u, uint64_t time_ps) {
  struct sim_world *w = u->world;
  if (__builtin_expect(w->check != NULL, 0)) {
    sim_untimed_offer(w, u->fab.me, false);
    return;
  }
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = sim_world_push(w, time_ps, SIM_EV_WAKE, u->fab.me);
  u->wake_ps = time_ps;
  if (w->stale > PURGE_MIN && w->stale > w->queue.n / 2) {
    sim_queue_purge(&w->queue, is_stale, w);
    w->stale = 0;
  }
}

void sim_world_ready(struct sim_unit *u) {
  struct sim_world *w = u->world;
  /* it is still busy with what it did before it began to wait */
  if (u->local_ps > w->now_ps + w->lookahead_ps) {
    if (u->wake_tag == 0 || u->wake_ps != u->local_ps) sim_world_wake_at(u, u->local_ps);
    return;
  }
  if (u->wake_tag != 0) {
    u->wake_tag = 0;
    w->stale++;
  }
  sim_unit_run(u);
}

void sim_world_stop(struct sim_world *w, int code) {
  if (!w->stop) w->exit_code = code == 0 ? 1 : code;
  w->stop = true;
}

static void progress_line(struct sim_world *w) {
  uint64_t now = sim_clock_ns();
  if (now - w->wall_tick_ns < TICK_NS) return;
  w->wall_tick_ns = now;
  fprintf(stderr, "eyot: virtual %.3f us, wall %.1f s: %llu operations, %u of %u units finished\n",
          (double)w->now_ps * 1e-6, (double)(now - w->wall_run_ns) * 1e-9,
          (unsigned long long)w->ops, w->ended, w->n);
}

void sim_world_tick(struct sim_world *w) {
  if ((++w->events & TICK_MASK) == 0 && w->opt.progress_line) progress_line(w);
  if (__builtin_expect(w->events >= w->bound.next_events || w->now_ps >= w->bound.next_ps, 0))
    sim_bound_reached(w);
}

static void fetch_lines(const void *p, size_t bytes) {
  for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + b);
}

/* Where an operation will write its signal or its bytes. */
static const void *memory_of(const struct sim_world *w, const struct sim_op *op) {
  bool signal = op->kind == SIM_OP_SIGNAL;
  uint32_t seg = signal ? op->sig_seg : op->seg;
  if (seg >= FAB_SEG_MAX) return NULL;
  const struct sim_seg *s = &w->segs.slot[seg];
  if (s->base == NULL) return NULL; /* destroyed meanwhile */
  return s->base + op->target * s->stride + (signal ? op->value2 : op->off);
}

static bool is_op(uint64_t tag) {
  return sim_tag_kind(tag) - SIM_EV_SNAP <= SIM_EV_LAND - SIM_EV_SNAP;
}

/* Fetches what the unit that an event runs, if it does, needs first. */
static void fetch_waiter(const struct sim_world *w, const struct sim_event *e) {
  if (e == NULL) return;
  const struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
  if (is_op(e->tag)) {
    const struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(e->tag));
    u = &w->units[op->target];
    if (u->state != SIM_WAIT_WORD || u->wait.word != memory_of(w, op)) return;
  }
  w->exec_ops->expect(w->exec, u->fab.me, true);
  if (u->rt.teams != NULL) fetch_lines(u->rt.teams, SIM_TEAM_BYTES);
  if (u->head == NULL) return;
  /* its next post looks whether that is over, and appends to the last one */
  fetch_lines(u->head, SIM_OP_HOT_BYTES);
  __builtin_prefetch(u->tail);
}

/* With thousands of units nearly every event finds its unit and operation outside the caches. The
 * queue tells what comes next, so each event is met three times before it happens: its operation is
 * fetched, then, by what that says, its unit and the memory it writes, then the stack of a unit
 * that will run: of two units at a time, since each takes a walk of the page tables, and processors
 * do two at once. */
static void look_ahead(const struct sim_world *w) {
  const struct sim_event *e = sim_queue_ahead(&w->queue, AHEAD_OP);
  if (e != NULL && is_op(e->tag))
    fetch_lines(sim_pool_at(&w->pool, sim_tag_index(e->tag)), SIM_OP_HOT_BYTES);
  if ((e = sim_queue_ahead(&w->queue, AHEAD_UNIT)) != NULL) {
    uint32_t unit = sim_tag_index(e->tag);
    if (is_op(e->tag)) {
      const struct sim_op *op = sim_pool_at(&w->pool, unit);
      unit = op->target;
      __builtin_prefetch(memory_of(w, op));
    }
    fetch_lines(&w->units[unit], SIM_HOT_BYTES);
    w->exec_ops->expect(w->exec, unit, false);
  }
  if (w->events % 2 != 0) return;
  fetch_waiter(w, sim_queue_ahead(&w->queue, AHEAD_STACK));
  fetch_waiter(w, sim_queue_ahead(&w->queue, AHEAD_STACK + 1));
}

static void happen(struct sim_world *w, const struct sim_event *e) {
  enum sim_event_kind kind = (enum sim_event_kind)sim_tag_kind(e->tag);
  w->now_ps = e->time_ps;
  if (kind == SIM_EV_WAKE || kind == SIM_EV_INJECT) {
    struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
    sim_trace_event(&w->trace, e->time_ps, kind, u->fab.me, 0, 0);
    if (kind == SIM_EV_WAKE) {
      u->wake_tag = 0;
      sim_unit_run(u);
    } else {
      u->inject_armed = false;
      sim_post_due(u);
    }
    return;
  }
  if (__builtin_expect(kind == SIM_EV_FAULT, 0)) {
    sim_fault_event(w, sim_tag_index(e->tag));
    return;
  }
  struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(e->tag));
  sim_trace_event(&w->trace, e->time_ps, kind, op->origin, op->target, op->off);
  if (kind == SIM_EV_DELIVER)
    sim_deliver(w, op);
  else if (kind == SIM_EV_LAND)
    sim_deliver_land(w, op);
  else if (kind == SIM_EV_SNAP)
    sim_deliver_snap(w, op);
  else
    sim_deliver_part(w, op);
}

static void run_events(struct sim_world *w) {
  for (uint32_t i = 0; i < w->n; i++) sim_world_wake_at(&w->units[i], 0);
  if (w->faults != NULL) sim_fault_begin(w);
  while (!w->stop && w->ended < w->n) {
    if (w->queue.n == 0) {
      if (w->faults != NULL && sim_fault_release(w)) continue;
      sim_report_deadlock(w);
      sim_world_stop(w, SIM_EXIT_DEADLOCK);
      break;
    }
    struct sim_event e = sim_queue_pop(&w->queue);
    if (is_stale(w, &e)) {
      w->stale--;
      continue;
    }
    look_ahead(w);
    happen(w, &e);
    sim_world_tick(w);
  }
  if (w->bound.over) sim_report_livelock(w);
}

/* What a fork does not inherit, or what no two runs share, begins here: the watchdog's timer, the
 * clock, the choices. */
int sim_world_run(struct sim_world *w, uint64_t seed) {
  w->random = seed;
  w->wall_run_ns = w->wall_tick_ns = sim_clock_ns();
  if (sim_watch_open(w, w->opt.watchdog_ns) != 0) return SIM_EXIT_SYSTEM;
  run_events(w);
  sim_watch_close(w);
  if (w->failed > 0)
    fprintf(stderr, "eyot: %u of %u units ended with a code other than 0\n", w->failed, w->n);
  return w->exit_code;
}

/* A copy of the arguments that the unit may write to: pointers and text in one block. */
static char **copy_argv(int argc, char **argv) {
  size_t text = 0, count = (size_t)argc;
  for (size_t i = 0; i < count; i++) text += strlen(argv[i]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + text);
  if (copy == NULL) return NULL;
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = at;
    at = stpcpy(at, argv[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

static int open_units(struct sim_world *w, char **argv) {
  w->units = sim_pages_alloc(w->n * sizeof *w->units);
  if (w->units == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u units", w->n);
  memset(w->units, 0, w->n * sizeof *w->units);
  if (w->n <= SIM_WRITES_MANY_UNITS &&
      (w->writes = calloc(w->n, SIM_WRITES_MANY * sizeof *w->writes)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the last writes of %u units", w->n);
  for (uint32_t i = 0; i < w->n; i++) {
    struct sim_unit *u = &w->units[i];
    u->fab = (struct fab){.ops = &sim_fab_ops,
                          .me = i,
                          .n = w->n,
                          .caps = FAB_CAP_VIRTUAL_TIME,
                          .unit_exit = sim_unit_exit};
    u->world = w;
    u->state = SIM_ASLEEP;
    u->words.ring = w->writes != NULL ? w->writes + (size_t)i * SIM_WRITES_MANY : u->few;
    u->words.mask = (w->writes != NULL ? SIM_WRITES_MANY : SIM_WRITES_FEW) - 1;
    sim_libc_init(&u->libc);
    u->argv = copy_argv(w->argc, argv);
    if (u->argv == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the arguments of unit %u", i);
    eyoti_rt_host(&u->rt, &u->fab, w->proc);
    EYOTI_TRY(w->exec_ops->spawn(w->exec, i, sim_net_host(w->net, i), sim_unit_body, w));
  }
  return EYOT_OK;
}

int sim_world_open(struct sim_world *w, const struct sim_options *opt, int argc, char **argv) {
  *w = (struct sim_world){.opt = *opt,
                          .n = opt->n_units,
                          .argc = argc,
                          .running = UINT32_MAX,
                          .wall_start_ns = sim_clock_ns()};
  sim_queue_init(&w->queue);
  sim_pool_init(&w->pool);
  sim_trace_init(&w->trace);
  sim_bound_init(&w->bound, opt->max_virtual_ns, opt->max_steps);
  const struct sim_net_opts net = {
      .platform = opt->platform, .n_units = w->n, .units_per_node = opt->units_per_node};
  EYOTI_TRY(sim_net_open(&net, &w->net));
  EYOTI_TRY(sim_prog_open(argv[0], w->n, opt->shared_globals, &w->prog));
  if ((w->proc = eyoti_proc_new()) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for what units share");
  if (opt->stats || opt->stats_csv != NULL) EYOTI_TRY(sim_stats_new(w->n, &w->stats));
  w->lookahead_ps = SIM_LOOKAHEAD_POSTS * sim_net_overhead_ps(w->net, SIM_MSG_PUT, 0, w->n - 1, 8);
  w->guards = sim_limits_guards(w->n);
  const struct sim_exec_opts exec = {
      .n_units = w->n, .stack_bytes = opt->stack_bytes, .guards = w->guards};
  w->exec_ops = opt->simgrid ? &sim_exec_simgrid : &sim_exec_fiber;
  EYOTI_TRY(w->exec_ops->open(&exec, &w->exec));
  EYOTI_TRY(open_units(w, argv));
  EYOTI_TRY(sim_fault_open(w, opt->fault, opt->explore));
  return sim_crash_open(w);
}

void sim_world_close(struct sim_world *w) {
  sim_watch_close(w);
  sim_crash_close(w);
  sim_bound_fini(&w->bound);
  sim_fault_close(w);
  if (w->check == NULL) sim_race_delete(w->race);
  for (uint32_t i = 0; i < w->n && w->units != NULL; i++) {
    sim_seg_drop_attached(&w->units[i]);
    free(w->units[i].argv);
  }
  if (w->exec != NULL) w->exec_ops->close(w->exec);
  free(w->units);
  free(w->writes);
  sim_stats_free(w->stats);
  if (w->proc != NULL) eyoti_proc_delete(w->proc);
  if (w->prog != NULL) sim_prog_close(w->prog);
  if (w->net != NULL) sim_net_close(w->net);
  sim_segs_fini(w);
  sim_pool_fini(&w->pool);
  sim_queue_fini(&w->queue);
}
