/* SPDX-License-Identifier: BSD-3-Clause */
/* world_run.c - the main loop of the timed engine: takes the earliest event and executes it. See
 * world.h. */
#include <stdio.h>

#include "base/exit_codes.h"
#include "base/wording.h"
#include "fabric_sim/engine/bulk.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/host/clock.h"
#include "fabric_sim/host/prefetch.h"

#define SIM_HOT_BYTES 512u /* of a unit: the first cache lines and the runtime's head */
#define AHEAD_OP 8u        /* see look_ahead */
#define AHEAD_UNIT 5u
#define AHEAD_RECORD 3u
#define AHEAD_STACK 1u
/* the beginning of a unit's data on teams: the team of all */
#define SIM_TEAM_BYTES 128u
#define SIM_OP_HOT_BYTES 128u /* of an operation: all but the payload */

static void fetch_lines(const void *p, size_t bytes) {
  for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + b);
}

static bool is_op(uint64_t tag) {
  uint32_t kind = sim_tag_kind(tag);
  return kind - SIM_EV_SNAP <= SIM_EV_LAND - SIM_EV_SNAP || kind == SIM_EV_PIECE;
}

/* Returns the unit whose memory the event of an operation touches: its target, or its origin when
 * the result lands. */
static uint32_t unit_of(const struct sim_op *op, const struct sim_event *e) {
  return sim_tag_kind(e->tag) == SIM_EV_LAND ? op->origin : op->target;
}

/* Returns the address at which the event writes its operation's result, signal or bytes. */
static const void *memory_of(const struct sim_world *w, const struct sim_op *op,
                             const struct sim_event *e) {
  if (sim_tag_kind(e->tag) == SIM_EV_LAND) return op->local;
  bool signal = op->kind == SIM_OP_SIGNAL;
  uint32_t seg = signal ? op->sig_seg : op->seg;
  if (seg >= FAB_SEG_MAX) return NULL;
  const struct sim_seg *s = &w->segs.slot[seg];
  if (s->base == NULL) return NULL; /* destroyed in the meantime */
  return sim_seg_part(s, op->target) + (signal ? op->value2 : op->off);
}

/* Prefetches the memory that the operation of an event touches. */
static void fetch_memory(const struct sim_world *w, const struct sim_event *e) {
  SIM_PREFETCHES();
  if (e == NULL || !is_op(e->tag)) return;
  const struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(e->tag));
  __builtin_prefetch(memory_of(w, op, e));
}

/* Whether the event ends the unit's wait, as far as the event's address tells. */
static bool may_wake(const struct sim_world *w, const struct sim_unit *u, const struct sim_op *op,
                     const struct sim_event *e) {
  if (u->state == SIM_WAIT_OP) return u->wait_op == op;
  return u->state == SIM_WAIT_WORD && u->wait.word == memory_of(w, op, e);
}

/* Prefetches the first data that the unit of an event needs, if the event will run it. */
static void fetch_waiter(const struct sim_world *w, const struct sim_event *e) {
  if (e == NULL || sim_tag_kind(e->tag) == SIM_EV_INJECT) return;
  const struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
  if (is_op(e->tag)) {
    const struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(e->tag));
    u = &w->units[unit_of(op, e)];
    if (!may_wake(w, u, op, e)) return;
  }
  w->exec_ops->expect(w->exec, u->fab.me, true);
  if (u->rt.teams != NULL) fetch_lines(u->rt.teams, SIM_TEAM_BYTES);
  if (u->head == NULL) return;
  /* its next post checks whether the first is over, and appends to the last */
  fetch_lines(u->head, SIM_OP_HOT_BYTES);
  __builtin_prefetch(u->tail);
}

/* Prefetches what an injection reads: the operation that is the unit's next, then the record of its
 * target and its source. */
static void fetch_injection(const struct sim_unit *u, bool record) {
  const struct sim_op *op = u->inject;
  SIM_PREFETCHES();
  if (op == NULL) return;
  if (!record) {
    fetch_lines(op, SIM_OP_HOT_BYTES);
    __builtin_prefetch(u->loose || u->many == NULL ? (const void *)&u->one : u->many);
    return;
  }
  sim_inflight_expect(u, op);
  sim_net_expect(u->world->net, u->fab.me, op->target);
  if (op->kind != SIM_OP_AMO) __builtin_prefetch(op->local);
}

/* With thousands of units nearly every event finds its unit and operation outside the caches. The
 * queue shows the events ahead, so each is visited three times before it happens: first its
 * operation is fetched, then the unit and the memory that this operation names, then the stack of a
 * unit that will run. Memory and stacks are fetched for two events at a time: each fetch walks the
 * page tables, and processors do two walks at once. An injection runs no unit: its operation is
 * fetched one visit later. */
static void look_ahead(const struct sim_world *w) {
  const struct sim_event *e = sim_queue_ahead(&w->queue, AHEAD_OP);
  if (e != NULL) {
    if (is_op(e->tag))
      fetch_lines(sim_pool_at(&w->pool, sim_tag_index(e->tag)), SIM_OP_HOT_BYTES);
    else if (sim_tag_kind(e->tag) == SIM_EV_INJECT)
      __builtin_prefetch(&w->units[sim_tag_index(e->tag)].head);
  }
  if ((e = sim_queue_ahead(&w->queue, AHEAD_UNIT)) != NULL) {
    uint32_t unit = sim_tag_index(e->tag);
    if (sim_tag_kind(e->tag) == SIM_EV_INJECT) {
      fetch_injection(&w->units[unit], false);
    } else {
      if (is_op(e->tag)) unit = unit_of(sim_pool_at(&w->pool, unit), e);
      fetch_lines(&w->units[unit], SIM_HOT_BYTES);
      w->exec_ops->expect(w->exec, unit, false);
    }
  }
  e = sim_queue_ahead(&w->queue, AHEAD_RECORD);
  if (e != NULL && sim_tag_kind(e->tag) == SIM_EV_INJECT)
    fetch_injection(&w->units[sim_tag_index(e->tag)], true);
  if (w->events % 2 != 0) return;
  fetch_memory(w, sim_queue_ahead(&w->queue, AHEAD_UNIT));
  fetch_memory(w, sim_queue_ahead(&w->queue, AHEAD_UNIT + 1));
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
      sim_inject_due(u);
    }
    return;
  }
  if (__builtin_expect(kind == SIM_EV_FAULT, 0)) {
    w->fault_ops->event(w, sim_tag_index(e->tag));
    return;
  }
  struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(e->tag));
  sim_trace_event(&w->trace, e->time_ps, kind, op->origin, op->target,
                  sim_seg_trace_off(w, op->target, op->seg, op->off));
  if (kind == SIM_EV_DELIVER)
    sim_deliver(w, op);
  else if (kind == SIM_EV_LAND)
    sim_deliver_land(w, op);
  else if (kind == SIM_EV_SNAP)
    sim_deliver_snap(w, op);
  else if (kind == SIM_EV_PIECE)
    sim_flow_piece(w, op);
  else
    sim_deliver_part(w, op);
}

static void run_events(struct sim_world *w) {
  for (uint32_t i = 0; i < w->n; i++) sim_world_wake_at(&w->units[i], 0);
  if (w->faults != NULL) w->fault_ops->begin(w);
  while (!w->stop && w->ended < w->n) {
    if (__builtin_expect(w->bulk.n > 0, 0)) sim_bulk_advance(w);
    if (w->queue.n == 0) {
      if (w->faults != NULL && w->fault_ops->release(w)) continue;
      w->reports->deadlock(w);
      sim_world_stop(w, EYOTI_EXIT_DEADLOCK);
      break;
    }
    struct sim_event e = sim_queue_pop(&w->queue);
    if (sim_world_is_stale(w, &e)) {
      w->stale--;
      continue;
    }
    if (__builtin_expect(__atomic_load_n(&w->watch.time_up, __ATOMIC_RELAXED), 0)) {
      w->reports->livelock(w, "EYOT_TIME_LIMIT", w->events);
      sim_world_finish(w, EYOTI_EXIT_TIME_LIMIT);
      break;
    }
    look_ahead(w);
    happen(w, &e);
    sim_world_tick(w);
  }
  if (!w->bound.over) return;
  const char *bound = w->now_ps >= SIM_TIME_END_PS   ? "the end of virtual time (106 days)"
                      : w->now_ps >= w->bound.max_ps ? "EYOT_MAX_VIRTUAL_TIME"
                                                     : "EYOT_MAX_STEPS";
  w->reports->livelock(w, bound, w->events);
}

/* Starts what a fork does not inherit or runs do not share: the watchdog's timer, the clock, the
 * choices. */
int sim_world_run(struct sim_world *w, uint64_t seed) {
  w->random = seed;
  sim_net_begin(w->net, seed);
  w->wall_run_ns = w->wall_tick_ns = sim_clock_ns();
  if (sim_watch_open(w, w->opt.watchdog_ns, w->opt.time_limit_ns) != 0) return EYOTI_EXIT_USAGE;
  run_events(w);
  sim_watch_close(w);
  if (w->failed > 0)
    eyoti_fprintf(stderr, "eyot: %u of %u units ended with a code other than 0\n", w->failed, w->n);
  return w->exit_code;
}
