/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h - a whole simulation: the units, the event queue, the clock, the choice stream. module.c
 * opens a world; the files of engine/, fault/, explore/ and report/ use it.
 *
 * The world holds everything that determines the next event, and none of it is global: a run is a
 * function of program, options and choices. The tests of determinism and the untimed engine need
 * this. The engine has four seams, all tables of functions: engine.h (the engine of the run),
 * observer.h (observers), fault_ops.h (faults), report_ops.h (reports at the end of a run). One
 * thread runs a world. */
#ifndef EYOT_FABRIC_SIM_ENGINE_WORLD_H
#define EYOT_FABRIC_SIM_ENGINE_WORLD_H

#include "base/conf_enums.h"
#include "fabric_sim/engine/bound.h"
#include "fabric_sim/engine/op.h"
#include "fabric_sim/engine/queue.h"
#include "fabric_sim/engine/seg.h"
#include "fabric_sim/engine/trace.h"
#include "fabric_sim/engine/unit.h"
#include "fabric_sim/engine/watch.h"
#include "fabric_sim/exec/exec.h"
#include "fabric_sim/host/measured.h"
#include "fabric_sim/machine/net.h"

struct sim_engine_ops; /* engine.h */
struct sim_report_ops; /* report_ops.h */
struct sim_observer;   /* observer.h */
struct sim_fault_ops;  /* fault_ops.h */
struct sim_faults;     /* fault/fault.h */
struct sim_away;       /* away.h */
struct sim_untimed;    /* explore/untimed.h */

/* Long messages that are SimGrid's flows (bulk.h). */
struct sim_bulk {
  struct sim_bulk_flow *at; /* [n + n_over]: those that go on, then those that are over */
  uint32_t n, n_over, cap;
  uint64_t now_ps; /* SimGrid's clock */
};

/* The flows of all records (flow.h). */
struct sim_flow_pool {
  struct sim_flows *at; /* [cap] */
  uint32_t n, cap, free;
};

#define SIM_PS_PER_NS 1000u
/* Virtual time ends here, after 106 days: sums of two times do not wrap before. */
#define SIM_TIME_END_PS (UINT64_C(1) << 63)

/* Wakes and injections carry a unit, the others an operation. */
enum sim_event_kind {
  SIM_EV_PIECE = 0, /* the next piece of a long message may be sent (flow.h) */
  SIM_EV_WAKE = 1,
  SIM_EV_INJECT,  /* the unit's NIC accepts operations that are due */
  SIM_EV_SNAP,    /* the source of a large put has been read */
  SIM_EV_PART,    /* the first part of a split put arrives */
  SIM_EV_DELIVER, /* all of it, or the rest, arrives; the target memory is read; the atomic acts */
  SIM_EV_LAND,    /* the result lands at the origin */
  SIM_EV_FAULT    /* the index is that of a fault */
};

struct sim_options {
  uint32_t n_units, units_per_node;
  const char *platform, *placement, *node_placement;
  enum eyoti_order order;
  enum eyoti_compute compute;
  uint64_t compute_percent; /* EYOT_COMPUTE_SCALE */
  enum eyoti_clock clock;
  enum eyoti_network network;
  bool on_nic;         /* EYOT_ON_NODE=nic */
  const char *traffic; /* EYOT_TRAFFIC; NULL: none */
  bool simgrid, stats, progress_line, trace_hash, shared_globals;
  const char *stats_csv;    /* NULL: none */
  const char *deadlock_dot; /* NULL: none */
  const char *fault;        /* the text of EYOT_FAULT; NULL: none */
  bool explore;             /* set by eyotcheck */
  bool races;               /* timed engine: detect races */
  const char *suppress;     /* a file of races that are not reported; NULL: none */
  uint64_t stack_bytes, watchdog_ns, time_limit_ns;
  uint64_t max_virtual_ns, max_steps; /* 0: no bound */
  uint32_t max_outstanding;
};

struct sim_world {
  struct sim_options opt;
  const struct sim_exec_ops *exec_ops;
  struct sim_exec *exec;
  struct sim_net *net;
  bool shared; /* timed engine: long messages go in pieces */
  bool lazy;   /* units make records of targets when somebody asks for one (inflight.h) */
  struct sim_prog *prog;
  bool openmp; /* the program uses it */
  struct sim_measured measured;
  struct eyoti_proc *proc;
  struct sim_unit *units;
  struct sim_write *writes; /* small runs: the write rings of all units; else NULL */
  uint32_t n, ended;
  /* units that ended after finalize, or without init, but with a code other than 0 */
  uint32_t failed;
  uint64_t now_ps;
  /* a unit's clock may be this far ahead of now_ps when it posts or reads its own memory: the time
   * of a few posts. It then sees its memory a little early, which no program can distinguish from a
   * slower post; this saves half of all events */
  uint64_t lookahead_ps;
  uint64_t random; /* state of the choice stream */
  struct sim_queue queue;
  uint64_t stale;   /* number of stale wake events in the queue */
  uint64_t polling; /* number of valid ones of units that poll (poll.h) */
  struct sim_pool pool;
  struct sim_flow_pool flows;
  struct sim_bulk bulk;
  struct sim_segs segs;
  struct sim_trace trace;
  const struct sim_engine_ops *engine;
  struct sim_observer *observers; /* NULL: none */
  const struct sim_fault_ops *fault_ops;
  struct sim_faults *faults; /* NULL: no faults */
  struct sim_away *away;     /* [n] away.h; NULL: operations need no processor of their target */
  struct sim_net_targets targets; /* what they need, if away */
  bool slips;                     /* operations may end later than was known: one of the two */
  const struct sim_report_ops *reports;
  struct sim_untimed *untimed; /* state of the untimed engine; NULL: the timed engine runs */
  /* the table that units call: sim_fab_ops, with `check` where it is set */
  struct fab_ops fab_ops;
  uint64_t calls, events, ops;
  uint64_t tick_events; /* sim_world_ticked is called at this number of events; 0: at once */
  uint64_t visits;      /* operations that walks over those in flight have visited (inflight.h) */
  uint32_t running;     /* the unit that runs, or UINT32_MAX: the scheduler */
  bool stop;            /* the run is over: a unit failed or aborted */
  bool over;            /* stop, or all units have ended */
  int exit_code;
  bool guards;
  int argc;
  uint64_t wall_start_ns, wall_run_ns, wall_tick_ns;
  struct sim_watch watch;
  struct sim_bound bound;
};

/* world.c. Opens all parts of the engine: the network's model, the program's copies, the units.
 * Must be closed even if it fails. Errors: EINVAL, ERANGE, ENOMEM, ESYS, ENOTSUP. */
int sim_world_open(struct sim_world *w, const struct sim_options *opt,
                   const struct sim_report_ops *reports, int argc, char **argv);
void sim_world_close(struct sim_world *w);

/* world.c. Finds code in the copies of the program; of type eyoti_proc_code_fn. */
bool sim_world_code(void *world, uint32_t unit, const void *address, const char **file,
                    uint64_t *off);

/* world_run.c. Runs the timed engine until all units have ended, the run is stopped, or no event is
 * left (deadlock: reported). Returns the exit code of the run. May be called once for a world. */
int sim_world_run(struct sim_world *w, uint64_t seed);

/* The choice stream, the only source of everything that the program does not determine: an integer
 * in [0, bound), bound > 0. */
static inline __attribute__((always_inline)) uint32_t sim_choice(struct sim_world *w,
                                                                 uint32_t bound) {
  /* splitmix64 (Steele, Lea, Flood 2014); the product's upper half is the draw. */
  uint64_t x = w->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (uint32_t)(((x >> 32) * bound) >> 32);
}
/* Schedules an event of unit, operation or fault `index`; returns its tag (never 0). */
static inline __attribute__((always_inline)) uint64_t sim_world_push(struct sim_world *w,
                                                                     uint64_t time_ps,
                                                                     enum sim_event_kind kind,
                                                                     uint32_t index) {
  uint64_t tag = sim_tag(sim_choice(w, 1u << SIM_TAG_TIE_BITS), kind, index);
  sim_queue_push(&w->queue, (struct sim_event){time_ps, tag});
  return tag;
}
/* world_events.c. Schedules the unit's wake, and makes any earlier wake stale. */
void sim_world_wake_at(struct sim_unit *u, uint64_t time_ps);
/* Whether the event is a wake that a later one has replaced. */
static inline bool sim_world_is_stale(const struct sim_world *w, const struct sim_event *e) {
  if (sim_tag_kind(e->tag) != SIM_EV_WAKE) return false;
  const struct sim_unit *u = &w->units[sim_tag_index(e->tag)];
  return u->wake_tag != e->tag || u->wake_ps != e->time_ps;
}
/* Ends the run with an exit code (0 becomes 1). */
void sim_world_stop(struct sim_world *w, int code);
/* The same for eyot_exit_all: 0 stays 0. */
void sim_world_finish(struct sim_world *w, int code);

/* Counts a unit that has ended. */
void sim_world_unit_ended(struct sim_world *w);

/* world_tick.c. A bound is reached, or it is time for a progress line; sets tick_events. */
void sim_world_ticked(struct sim_world *w);
#define SIM_TICK_MASK 1023u /* events between two checks of the wall clock */
/* Counts an event, checks the bounds and, now and then, the wall clock for a progress line. Called
 * once per event and once per call that does not switch. */
static inline void sim_world_tick(struct sim_world *w) {
  uint64_t events = ++w->events;
  if (__builtin_expect(events >= w->tick_events || w->now_ps >= w->bound.next_ps, 0))
    sim_world_ticked(w);
}
#endif
