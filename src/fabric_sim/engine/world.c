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

#define FS_HOT_BYTES 448u /* of a unit: the first cache lines and the runtime's head */
#define FS_LEAD_POSTS 2u  /* see fs_world.lead_ps */
#define AHEAD_OP 8u       /* see look_ahead */
#define AHEAD_UNIT 5u
#define AHEAD_STACK 1u
#define FS_TEAM_BYTES 128u    /* the beginning of what a unit knows of its teams: the team of all */
#define FS_OP_HOT_BYTES 128u  /* of an operation: all but the payload */
#define PURGE_MIN 4096u       /* stale wakes below this are not worth a purge */
#define TICK_MASK 1023u       /* look at the wall clock once in so many events */
#define TICK_NS 1000000000ull /* a progress line about once a second */

uint32_t fs_choice(struct fs_world *w, uint32_t bound) {
  /* splitmix64 (Steele, Lea, Flood 2014); the product's upper half is the draw. */
  uint64_t x = w->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (uint32_t)(((x >> 32) * bound) >> 32);
}

uint64_t fs_world_push(struct fs_world *w, uint64_t time_ps, enum fs_event_kind kind,
                       uint32_t index) {
  uint64_t tag = fs_tag(fs_choice(w, 1u << FS_TAG_TIE_BITS), kind, index);
  fs_queue_push(&w->queue, (struct fs_event){time_ps, tag});
  return tag;
}

static bool is_stale(const void *world, const struct fs_event *e) {
  const struct fs_world *w = world;
  if (fs_tag_kind(e->tag) != FS_EV_WAKE) return false;
  const struct fs_unit *u = &w->units[fs_tag_index(e->tag)];
  return u->wake_tag != e->tag || u->wake_ps != e->time_ps;
}

void fs_world_wake_at(struct fs_unit *u, uint64_t time_ps) {
  struct fs_world *w = u->world;
  if (__builtin_expect(w->check != NULL, 0)) {
    fs_check_offer(w, u->fab.me, false);
    return;
  }
  if (u->wake_tag != 0) w->stale++;
  u->wake_tag = fs_world_push(w, time_ps, FS_EV_WAKE, u->fab.me);
  u->wake_ps = time_ps;
  if (w->stale > PURGE_MIN && w->stale > w->queue.n / 2) {
    fs_queue_purge(&w->queue, is_stale, w);
    w->stale = 0;
  }
}

void fs_world_ready(struct fs_unit *u) {
  struct fs_world *w = u->world;
  /* it is still busy with what it did before it began to wait */
  if (u->local_ps > w->now_ps + w->lead_ps) {
    if (u->wake_tag == 0 || u->wake_ps != u->local_ps) fs_world_wake_at(u, u->local_ps);
    return;
  }
  if (u->wake_tag != 0) {
    u->wake_tag = 0;
    w->stale++;
  }
  fs_unit_run(u);
}

void fs_world_stop(struct fs_world *w, int code) {
  if (!w->stop) w->exit_code = code == 0 ? 1 : code;
  w->stop = true;
}

static void progress_line(struct fs_world *w) {
  uint64_t now = fs_clock_ns();
  if (now - w->wall_tick_ns < TICK_NS) return;
  w->wall_tick_ns = now;
  fprintf(stderr, "eyot: virtual %.3f us, wall %.1f s: %llu operations, %u of %u units finished\n",
          (double)w->now_ps * 1e-6, (double)(now - w->wall_run_ns) * 1e-9,
          (unsigned long long)w->ops, w->ended, w->n);
}

void fs_world_tick(struct fs_world *w) {
  if ((++w->events & TICK_MASK) == 0 && w->opt.progress_line) progress_line(w);
  if (__builtin_expect(w->events >= w->bound.next_events || w->now_ps >= w->bound.next_ps, 0))
    fs_bound_reached(w);
}

static void fetch_lines(const void *p, size_t bytes) {
  for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + b);
}

/* Where an operation will write its signal or its bytes. */
static const void *memory_of(const struct fs_world *w, const struct fs_op *op) {
  bool signal = op->kind == FS_OP_SIGNAL;
  uint32_t seg = signal ? op->sig_seg : op->seg;
  if (seg >= FAB_SEG_MAX) return NULL;
  const struct fs_seg *s = &w->segs.slot[seg];
  if (s->base == NULL) return NULL; /* destroyed meanwhile */
  return s->base + op->target * s->stride + (signal ? op->value2 : op->off);
}

static bool is_op(uint64_t tag) {
  return fs_tag_kind(tag) - FS_EV_SNAP <= FS_EV_LAND - FS_EV_SNAP;
}

/* Fetches what the unit that an event runs, if it does, needs first. */
static void fetch_waiter(const struct fs_world *w, const struct fs_event *e) {
  if (e == NULL) return;
  const struct fs_unit *u = &w->units[fs_tag_index(e->tag)];
  if (is_op(e->tag)) {
    const struct fs_op *op = fs_pool_at(&w->pool, fs_tag_index(e->tag));
    u = &w->units[op->target];
    if (u->state != FS_WAIT_WORD || u->wait.word != memory_of(w, op)) return;
  }
  w->exec_ops->expect(w->exec, u->fab.me, true);
  if (u->rt.teams != NULL) fetch_lines(u->rt.teams, FS_TEAM_BYTES);
  if (u->head == NULL) return;
  /* its next post looks whether that is over, and appends to the last one */
  fetch_lines(u->head, FS_OP_HOT_BYTES);
  __builtin_prefetch(u->tail);
}

/* With thousands of units nearly every event finds its unit and operation outside the caches. The
 * queue tells what comes next, so each event is met three times before it happens: its operation is
 * fetched, then, by what that says, its unit and the memory it writes, then the stack of a unit
 * that will run: of two units at a time, since each takes a walk of the page tables, and processors
 * do two at once. */
static void look_ahead(const struct fs_world *w) {
  const struct fs_event *e = fs_queue_ahead(&w->queue, AHEAD_OP);
  if (e != NULL && is_op(e->tag))
    fetch_lines(fs_pool_at(&w->pool, fs_tag_index(e->tag)), FS_OP_HOT_BYTES);
  if ((e = fs_queue_ahead(&w->queue, AHEAD_UNIT)) != NULL) {
    uint32_t unit = fs_tag_index(e->tag);
    if (is_op(e->tag)) {
      const struct fs_op *op = fs_pool_at(&w->pool, unit);
      unit = op->target;
      __builtin_prefetch(memory_of(w, op));
    }
    fetch_lines(&w->units[unit], FS_HOT_BYTES);
    w->exec_ops->expect(w->exec, unit, false);
  }
  if (w->events % 2 != 0) return;
  fetch_waiter(w, fs_queue_ahead(&w->queue, AHEAD_STACK));
  fetch_waiter(w, fs_queue_ahead(&w->queue, AHEAD_STACK + 1));
}

static void happen(struct fs_world *w, const struct fs_event *e) {
  enum fs_event_kind kind = (enum fs_event_kind)fs_tag_kind(e->tag);
  w->now_ps = e->time_ps;
  if (kind == FS_EV_WAKE || kind == FS_EV_INJECT) {
    struct fs_unit *u = &w->units[fs_tag_index(e->tag)];
    fs_trace_event(&w->trace, e->time_ps, kind, u->fab.me, 0, 0);
    if (kind == FS_EV_WAKE) {
      u->wake_tag = 0;
      fs_unit_run(u);
    } else {
      u->inject_armed = false;
      fs_post_due(u);
    }
    return;
  }
  if (__builtin_expect(kind == FS_EV_FAULT, 0)) {
    fs_fault_event(w, fs_tag_index(e->tag));
    return;
  }
  struct fs_op *op = fs_pool_at(&w->pool, fs_tag_index(e->tag));
  fs_trace_event(&w->trace, e->time_ps, kind, op->origin, op->target, op->off);
  if (kind == FS_EV_DELIVER)
    fs_deliver(w, op);
  else if (kind == FS_EV_LAND)
    fs_deliver_land(w, op);
  else if (kind == FS_EV_SNAP)
    fs_deliver_snap(w, op);
  else
    fs_deliver_part(w, op);
}

static void run_events(struct fs_world *w) {
  for (uint32_t i = 0; i < w->n; i++) fs_world_wake_at(&w->units[i], 0);
  if (w->faults != NULL) fs_fault_begin(w);
  while (!w->stop && w->ended < w->n) {
    if (w->queue.n == 0) {
      if (w->faults != NULL && fs_fault_release(w)) continue;
      fs_report_deadlock(w);
      fs_world_stop(w, FS_EXIT_DEADLOCK);
      break;
    }
    struct fs_event e = fs_queue_pop(&w->queue);
    if (is_stale(w, &e)) {
      w->stale--;
      continue;
    }
    look_ahead(w);
    happen(w, &e);
    fs_world_tick(w);
  }
  if (w->bound.over) fs_report_livelock(w);
}

/* What a fork does not inherit, or what no two runs share, begins here: the watchdog's timer, the
 * clock, the choices. */
int fs_world_run(struct fs_world *w, uint64_t seed) {
  w->random = seed;
  w->wall_run_ns = w->wall_tick_ns = fs_clock_ns();
  if (fs_watch_open(w, w->opt.watchdog_ns) != 0) return FS_EXIT_SYSTEM;
  run_events(w);
  fs_watch_close(w);
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

static int open_units(struct fs_world *w, char **argv) {
  w->units = fs_pages_alloc(w->n * sizeof *w->units);
  if (w->units == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u units", w->n);
  memset(w->units, 0, w->n * sizeof *w->units);
  if (w->n <= FS_WRITES_MANY_UNITS &&
      (w->writes = calloc(w->n, FS_WRITES_MANY * sizeof *w->writes)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the last writes of %u units", w->n);
  for (uint32_t i = 0; i < w->n; i++) {
    struct fs_unit *u = &w->units[i];
    u->fab = (struct fab){.ops = &fs_fab_ops,
                          .me = i,
                          .n = w->n,
                          .caps = FAB_CAP_VIRTUAL_TIME,
                          .unit_exit = fs_unit_exit};
    u->world = w;
    u->state = FS_ASLEEP;
    u->words.ring = w->writes != NULL ? w->writes + (size_t)i * FS_WRITES_MANY : u->few;
    u->words.mask = (w->writes != NULL ? FS_WRITES_MANY : FS_WRITES_FEW) - 1;
    fs_libc_init(&u->libc);
    u->argv = copy_argv(w->argc, argv);
    if (u->argv == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the arguments of unit %u", i);
    eyoti_rt_host(&u->rt, &u->fab, w->proc);
    EYOTI_TRY(w->exec_ops->spawn(w->exec, i, fs_net_host(w->net, i), fs_unit_body, w));
  }
  return EYOT_OK;
}

int fs_world_open(struct fs_world *w, const struct fs_options *opt, int argc, char **argv) {
  *w = (struct fs_world){.opt = *opt,
                         .n = opt->n_units,
                         .argc = argc,
                         .running = UINT32_MAX,
                         .wall_start_ns = fs_clock_ns()};
  fs_queue_init(&w->queue);
  fs_pool_init(&w->pool);
  fs_trace_init(&w->trace);
  fs_bound_init(&w->bound, opt->max_virtual_ns, opt->max_steps);
  const struct fs_net_opts net = {
      .platform = opt->platform, .n_units = w->n, .units_per_node = opt->units_per_node};
  EYOTI_TRY(fs_net_open(&net, &w->net));
  EYOTI_TRY(fs_prog_open(argv[0], w->n, opt->shared_globals, &w->prog));
  if ((w->proc = eyoti_proc_new()) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for what units share");
  if (opt->stats || opt->stats_csv != NULL) EYOTI_TRY(fs_stats_new(w->n, &w->stats));
  w->lead_ps = FS_LEAD_POSTS * fs_net_overhead_ps(w->net, FS_MSG_PUT, 0, w->n - 1, 8);
  w->guards = fs_limits_guards(w->n);
  const struct fs_exec_opts exec = {
      .n_units = w->n, .stack_bytes = opt->stack_bytes, .guards = w->guards};
  w->exec_ops = opt->simgrid ? &fs_exec_simgrid : &fs_exec_fiber;
  EYOTI_TRY(w->exec_ops->open(&exec, &w->exec));
  EYOTI_TRY(open_units(w, argv));
  EYOTI_TRY(fs_fault_open(w, opt->fault, opt->explore));
  return fs_crash_open(w);
}

void fs_world_close(struct fs_world *w) {
  fs_watch_close(w);
  fs_crash_close(w);
  fs_bound_fini(&w->bound);
  fs_fault_close(w);
  if (w->check == NULL) fs_race_delete(w->race);
  for (uint32_t i = 0; i < w->n && w->units != NULL; i++) {
    fs_seg_drop_attached(&w->units[i]);
    free(w->units[i].argv);
  }
  if (w->exec != NULL) w->exec_ops->close(w->exec);
  free(w->units);
  free(w->writes);
  fs_stats_free(w->stats);
  if (w->proc != NULL) eyoti_proc_delete(w->proc);
  if (w->prog != NULL) fs_prog_close(w->prog);
  if (w->net != NULL) fs_net_close(w->net);
  fs_segs_fini(w);
  fs_pool_fini(&w->pool);
  fs_queue_fini(&w->queue);
}
