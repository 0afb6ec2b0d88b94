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
#define AHEAD_OP 8u        /* see look_ahead: events ahead, or one more */
#define AHEAD_UNIT 5u
#define AHEAD_RECORD 3u
#define AHEAD_STACK 1u
/* the beginning of a unit's data on teams: the team of all */
#define SIM_TEAM_BYTES 128u
#define SIM_OP_HOT_BYTES 128u /* of an operation: all but the payload */

static inline __attribute__((always_inline)) void fetch_lines(const void *p, size_t bytes) {
  for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + b);
}

/* The kinds of events that carry an operation. */
#define OP_KINDS                                                                       \
  (1u << SIM_EV_PIECE | 1u << SIM_EV_SNAP | 1u << SIM_EV_PART | 1u << SIM_EV_DELIVER | \
   1u << SIM_EV_LAND)
static inline bool is_op(uint64_t tag) {
  return (OP_KINDS >> sim_tag_kind(tag) & 1) != 0;
}

/* Returns the unit whose memory the event of an operation touches: its target, or its origin when
 * the result lands. */
static inline uint32_t unit_of(const struct sim_op *op, uint64_t tag) {
  return sim_tag_kind(tag) == SIM_EV_LAND ? op->origin : op->target;
}

/* Returns the address at which the event writes its operation's result, signal or bytes. */
static inline __attribute__((always_inline)) const void *memory_of(const struct sim_world *w,
                                                                   const struct sim_op *op,
                                                                   uint64_t tag) {
  if (sim_tag_kind(tag) == SIM_EV_LAND) return op->local;
  bool signal = op->kind == SIM_OP_SIGNAL;
  uint32_t seg = signal ? op->sig_seg : op->seg;
  if (__builtin_expect(seg >= FAB_SEG_MAX, 0)) return NULL;
  const struct sim_seg *s = &w->segs.slot[seg];
  if (s->base == NULL) return NULL; /* destroyed in the meantime */
  return sim_seg_place(s, op->target, signal ? op->value2 : op->off);
}

/* Whether the event ends the unit's wait, as far as the event's address tells. */
static bool may_wake(const struct sim_world *w, const struct sim_unit *u, const struct sim_op *op,
                     uint64_t tag) {
  if (u->state == SIM_WAIT_OP) return u->wait_op == op;
  return u->state == SIM_WAIT_WORD && u->wait.word == memory_of(w, op, tag);
}

/* Prefetches the first data that a unit needs when it runs. */
static __attribute__((noinline)) void fetch_stack(const struct sim_world *w,
                                                  const struct sim_unit *u) {
  SIM_PREFETCHES();
  w->exec_ops->expect(w->exec, u->fab.me, true);
  if (u->rt.teams != NULL) fetch_lines(u->rt.teams, SIM_TEAM_BYTES);
  /* a unit that sleeps before a wait, until its own clock, reads the word first */
  if (u->state == SIM_ASLEEP && u->wait.word != NULL) __builtin_prefetch(u->wait.word);
  if (u->head == NULL) return;
  /* its next post checks whether the first is over, and appends to the last */
  fetch_lines(u->head, SIM_OP_HOT_BYTES);
  __builtin_prefetch(u->tail);
}

/* The visits of an event, from the first to the last; see look_ahead. */
static inline __attribute__((always_inline)) void visit_op(const struct sim_world *w,
                                                           uint64_t tag) {
  if (is_op(tag))
    fetch_lines(sim_pool_at(&w->pool, sim_tag_index(tag)), SIM_OP_HOT_BYTES);
  else if (sim_tag_kind(tag) == SIM_EV_INJECT)
    __builtin_prefetch(&w->units[sim_tag_index(tag)].head);
}

static inline __attribute__((always_inline)) void visit_unit(const struct sim_world *w,
                                                             uint64_t tag) {
  uint32_t unit = sim_tag_index(tag);
  if (sim_tag_kind(tag) == SIM_EV_INJECT) {
    const struct sim_unit *u = &w->units[unit];
    if (u->inject == NULL) return;
    fetch_lines(u->inject, SIM_OP_HOT_BYTES);
    __builtin_prefetch(u->loose || u->many == NULL ? (const void *)&u->one : u->many);
    return;
  }
  if (is_op(tag)) {
    const struct sim_op *op = sim_pool_at(&w->pool, unit);
    __builtin_prefetch(memory_of(w, op, tag));
    unit = unit_of(op, tag);
  }
  fetch_lines(&w->units[unit], SIM_HOT_BYTES);
  w->exec_ops->expect(w->exec, unit, false);
}

static inline __attribute__((always_inline)) void visit_injection(const struct sim_world *w,
                                                                  uint64_t tag) {
  if (sim_tag_kind(tag) != SIM_EV_INJECT) return;
  const struct sim_unit *u = &w->units[sim_tag_index(tag)];
  const struct sim_op *op = u->inject;
  if (op == NULL) return;
  if (!u->loose && u->many != NULL) sim_inflight_expect(u, op);
  sim_net_expect(w->net, u->fab.me, op->target);
  if (op->kind != SIM_OP_AMO) __builtin_prefetch(op->local);
  if (op->next != SIM_OP_NONE) __builtin_prefetch(sim_pool_at(&w->pool, op->next));
}

static inline __attribute__((always_inline)) void visit_waiter(const struct sim_world *w,
                                                               uint64_t tag) {
  uint32_t kind = sim_tag_kind(tag);
  if (kind == SIM_EV_INJECT || kind == SIM_EV_FAULT) return;
  const struct sim_unit *u = &w->units[sim_tag_index(tag)];
  if (is_op(tag)) {
    const struct sim_op *op = sim_pool_at(&w->pool, sim_tag_index(tag));
    u = &w->units[unit_of(op, tag)];
    if (!may_wake(w, u, op, tag)) return;
  }
  fetch_stack(w, u);
}

/* All visits of the events that are ahead; `left` of them are known. */
static inline __attribute__((always_inline)) void visit(const struct sim_world *w,
                                                        const struct sim_event *e, size_t left) {
  if (left > AHEAD_OP) visit_op(w, e[AHEAD_OP].tag);
  if (left > AHEAD_OP + 1) visit_op(w, e[AHEAD_OP + 1].tag);
  if (left > AHEAD_UNIT) visit_unit(w, e[AHEAD_UNIT].tag);
  if (left > AHEAD_UNIT + 1) visit_unit(w, e[AHEAD_UNIT + 1].tag);
  if (left > AHEAD_RECORD) visit_injection(w, e[AHEAD_RECORD].tag);
  if (left > AHEAD_RECORD + 1) visit_injection(w, e[AHEAD_RECORD + 1].tag);
  if (left > AHEAD_STACK) visit_waiter(w, e[AHEAD_STACK].tag);
  if (left > AHEAD_STACK + 1) visit_waiter(w, e[AHEAD_STACK + 1].tag);
}

static __attribute__((noinline)) void look_short(const struct sim_world *w,
                                                 const struct sim_event *e, size_t left) {
  SIM_PREFETCHES();
  visit(w, e, left);
}

/* With thousands of units nearly every event finds its unit and operation outside the caches. The
 * queue shows the events ahead, so each is visited before it happens: first its operation is
 * fetched, then the unit and the memory that this operation names, then the stack of a unit that
 * will run. An injection runs no unit: its operation is fetched one visit later, and the one after
 * it, for which it schedules the next injection. Two events are
 * visited at a time: fetches walk the page tables, and processors do two walks at once. */
static inline __attribute__((always_inline)) void look_ahead(const struct sim_world *w) {
  if (w->events % 2 != 0) return;
  size_t left;
  const struct sim_event *e = sim_queue_ahead(&w->queue, &left);
  if (__builtin_expect(left > AHEAD_OP + 1, 1))
    visit(w, e, SIZE_MAX);
  else
    look_short(w, e, left);
}

static inline void happen(struct sim_world *w, const struct sim_event *e) {
  const bool traced = w->opt.trace_hash; /* nobody reads the hash otherwise */
  enum sim_event_kind kind = (enum sim_event_kind)sim_tag_kind(e->tag);
  w->now_ps = e->time_ps;
  if (kind == SIM_EV_WAKE || kind == SIM_EV_INJECT) {
    struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
    if (traced) sim_trace_event(&w->trace, e->time_ps, kind, u->fab.me, 0, 0);
    if (kind == SIM_EV_WAKE) {
      u->wake_tag = 0;
      if (__builtin_expect(w->away != NULL, 0))
        sim_unit_ready(u); /* its processor may have worked for others */
      else
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
  if (traced)
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
  while (!w->over) {
    if (__builtin_expect(w->bulk.n > 0, 0)) sim_bulk_advance(w);
    if (sim_queue_is_empty(&w->queue)) {
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
