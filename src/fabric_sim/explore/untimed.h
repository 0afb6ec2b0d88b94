/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed.h - the untimed engine: a strategy (src/check/strategy/strategy.h) picks the next step
 * among those that may come next, so that a search can reach every interleaving that the contract
 * allows. For the files of explore/ only; the rest of the simulator calls engine/engine.h.
 *
 * A posted operation is one or more *processes* (a put's words may arrive one by one), each of
 * which takes one step, its arrival, when order, fence and store buffer allow it. A unit is a
 * process whose step lasts from one wait to the next. Units, segments, operations and program
 * copies are those of the timed engine.
 *
 * struct sim_untimed outlives runs (memory of snapshot/mem.h); struct sim_untimed_run is ordinary
 * memory, and is restored with the run. One unit runs at a time. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_H

#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "check/strategy/strategy.h"
#include "fabric_sim/engine/engine.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/explore/detect_call.h"
#include "fabric_sim/explore/outcome.h"

struct sim_race;   /* race.h */
struct sim_detect; /* detect.h */

#define SIM_UNTIMED_PARTS 5u /* of one operation: up to four groups of words, and the signal */
#define SIM_UNTIMED_TEXT 512u
#define SIM_UNTIMED_INVARIANTS 64u
#define SIM_UNTIMED_NO_PROC UINT32_MAX
#define SIM_UNTIMED_STORES 32u       /* in a unit's store buffer (order tso) */
#define SIM_UNTIMED_SOURCE UINT8_MAX /* the part of a put that reads its source (order tso) */

/* A process: a unit, a part of an operation, or a store in a store buffer. Never reused within a
 * run. */
struct sim_proc {
  uint32_t index; /* unit, or operation (pool index) */
  uint8_t part;   /* of an operation */
  bool unit, offered, yields, over;
  bool strike; /* of the fault's victim `index` (fault/fault.h) */
  bool store;  /* of the unit `index` */
};

/* The condition under which a unit that does not run can continue. */
enum sim_untimed_wait {
  SIM_GO = 0,   /* at any time */
  SIM_GO_OP,    /* when wait_op is complete */
  SIM_GO_FLUSH, /* when nothing that the flush covers is in flight */
  SIM_GO_CAP,   /* when fewer operations are in flight than the limit */
  SIM_GO_WORD,  /* when its wait condition holds; with a timeout: at any time */
  SIM_GO_ANY,
  SIM_GO_STORES, /* when its store buffer is empty */
  SIM_GO_BEGIN,  /* when all units are at eyot_check_begin */
  SIM_GO_NEVER   /* ended, or at eyot_check_end */
};

/* A store in a unit's store buffer. */
struct sim_store {
  uint64_t *word;
  uint64_t value;
  uint32_t proc;
};

struct sim_untimed_unit {
  uint8_t go; /* enum sim_untimed_wait */
  bool timed, polls, flush_remote, last_look_failed;
  bool stirred; /* one of several words that it waits for was written since it last read them */
  uint32_t flush_unit, quick;
  uint64_t sequence; /* counts posts, orders and releases, to give their order */
  const char *point;
  uint8_t wait_level; /* SIM_GO_OP: enum fab_level */
  uint32_t n_stores;
  struct sim_store stores[SIM_UNTIMED_STORES]; /* the oldest first */
  /* operations, by their first process, that have completed since its last flush; only if steps are
   * recorded */
  uint32_t *completed;
  uint32_t n_completed, completed_cap;
};

struct sim_untimed_invariant {
  int (*fn)(void *arg);
  void *arg;
  const char *name;
  uint32_t unit;
};

/* The state of one run. */
struct sim_untimed_run {
  struct sim_proc *procs;
  uint32_t n_procs, procs_cap;
  uint32_t *offers; /* processes that can take a step, the oldest offer first */
  bool *yields;     /* parallel to offers */
  uint32_t n_offers, offers_cap;
  struct sim_untimed_unit *units;
  uint32_t at_begin, at_end;
  uint32_t n_explicit; /* of at_begin: units that called eyot_check_begin themselves */
  bool explicitly;     /* the run has begun by such calls */
  /* the current step */
  uint32_t stepping;
  struct chk_access *accesses;
  uint32_t n_accesses, accesses_cap;
  uint32_t *woke;
  uint32_t n_woke, woke_cap;
  uint64_t steps;
  struct sim_untimed_invariant invariants[SIM_UNTIMED_INVARIANTS];
  uint32_t n_invariants;
  struct sim_detect *detect;
};

/* untimed_watch.c */
struct sim_untimed_watch {
  timer_t timer;
  bool armed, struck;   /* struck: the watchdog has ended this run */
  uint32_t still;       /* periods since the last step */
  uint64_t steps, seen; /* of all runs; and their number at the last period */
};
#define SIM_UNTIMED_WATCH_SIGNAL (SIGRTMAX - 2)

/* The state that outlives runs. */
struct sim_untimed {
  struct sim_untimed_run *run;
  struct chk_snap *snap;         /* NULL: not taken yet */
  struct chk_strategy *strategy; /* NULL before the first run: every choice is the quiet one */
  struct chk_stream choices;
  bool record; /* accesses of steps: the strategy needs them */
  /* words of an operation arrive one by one, whatever the draws: for exhaustive search */
  bool fine;
  uint64_t max_steps;
  uint64_t last_step; /* of the previous run */
  uint64_t break_at;  /* the step at which a debugger stops; 0: none */
  uint64_t steps;     /* of all runs */
  bool failed;        /* this run */
  bool ended_only;    /* its failure is only known as the end of a unit */
  bool livelock;      /* a run that reaches max_steps fails */
  bool quiet;         /* the output of runs is discarded now */
  bool report_steps;  /* print each step in words on standard output, whatever their number */
  struct sim_step_report *step_report; /* this run's steps so far (step_report.h), or NULL */
  struct sim_outcomes *outcomes;       /* NULL: the outcomes of this run are not counted */
  struct sim_untimed_lin *lin;         /* untimed_lin.h */
  char text[SIM_UNTIMED_TEXT];
  uint32_t detect; /* enum fab_detect */
  /* the message if the engine crashes now: it reads memory that the program has named */
  const char *reads;
  struct sim_detect_lines lines;
  struct sim_untimed_edges *edges; /* edges reported in this run, or NULL (untimed_instrument.c) */
  struct sim_race *race;           /* of all runs; NULL: races are not detected */
  sigjmp_buf escape;               /* to the scheduler, out of a unit that has crashed */
  bool can_escape;
  struct sim_untimed_watch watch;
};

/* untimed_engine.c. */
extern const struct sim_engine_ops sim_untimed_engine;

/* untimed_run.c. Makes `c` the world's engine and offers all units. ENOMEM. */
int sim_untimed_run_new(struct sim_world *w, struct sim_untimed *c);
void sim_untimed_run_delete(struct sim_untimed_run *r);
/* Executes one run, from the current state to its end. */
enum chk_end sim_untimed_go(struct sim_world *w);

/* untimed_proc.c. Returns an array that can hold one more element. */
void *sim_untimed_reserve(void *array, uint32_t n, uint32_t *cap, size_t size);
uint32_t sim_untimed_new_proc(struct sim_world *w, bool unit, uint32_t index, uint32_t part);
void sim_untimed_offer(struct sim_world *w, uint32_t proc, bool yields);
void sim_untimed_withdraw(struct sim_world *w, uint32_t proc);
/* Removes offer i. */
void sim_untimed_take(struct sim_untimed_run *r, uint32_t i);
/* Returns a choice of the strategy; 0 if bound is 1. */
uint32_t sim_untimed_draw(struct sim_world *w, uint32_t bound);
/* Fails the run, which ends with this step. The first failure of a run is kept. */
void sim_untimed_failed(struct sim_world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A debugger's breakpoint (eyotcheck --gdb): called before the step that fails, and when it
 * fails. */
void sim_untimed_break(const char *why);
/* Called by the crash handler: ends the run, if one is active; else returns. */
void sim_untimed_crashed(struct sim_world *w, const char *text);

/* untimed_touch.c. The current step reads or writes [p, p+len). */
void sim_untimed_touch(struct sim_world *w, const void *p, uint64_t len, bool write);
/* The same for any of the unit's own memory: each of its steps may write to it, by plain stores; a
 * result that lands, or a source that is read, comes before or after those. */
void sim_untimed_touch_own(struct sim_world *w, uint32_t unit, bool write);
/* The same for state that is not memory. In order: a number `id`; whether the unit's store buffer
 * is empty, and the same in order tso only; whether the unit lives, which steps read and its crash
 * writes; whether an operation's target lives and its link is up; when an operation completes. */
void sim_untimed_touch_id(struct sim_world *w, uint64_t id, bool write);
void sim_untimed_touch_stores(struct sim_unit *u, bool write);
void sim_untimed_tso_touch(struct sim_unit *u);
void sim_untimed_touch_alive(struct sim_world *w, uint32_t unit, bool write);
void sim_untimed_touch_way(struct sim_world *w, const struct sim_op *op);
void sim_untimed_touch_completion(struct sim_world *w, uint32_t first_proc, bool write);

/* untimed_watch.c. Called in each process that executes runs: a fork does not inherit timers.
 * Errors: ESYS. */
int sim_untimed_watch_open(struct sim_world *w);
void sim_untimed_watch_close(struct sim_world *w);

/* Returns the engine's state of the unit in this run. */
static inline struct sim_untimed_unit *sim_untimed_unit_of(const struct sim_unit *u) {
  return &u->world->untimed->run->units[u->fab.me];
}
static inline bool sim_untimed_is_tso(const struct sim_world *w) {
  return w->opt.order == EYOTI_ORDER_TSO;
}
static inline bool sim_untimed_carries_bytes(const struct sim_op *op) {
  return op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL;
}

/* untimed_unit.c. Suspends the unit until the condition `go`; returns when the unit is picked. */
void sim_untimed_block(struct sim_unit *u, enum sim_state state, enum sim_untimed_wait go);
/* Offers the unit or withdraws the offer, by whether its condition holds. */
void sim_untimed_unit_look(struct sim_unit *u);
/* The unit reads something once, in a step of its own. */
void sim_untimed_look_step(struct sim_unit *u);
/* Advances the clock of all units: later reads return later times. */
void sim_untimed_advance(struct sim_unit *u, uint64_t ps);
/* Ends a call that takes time and does nothing else. */
void sim_untimed_pause(struct sim_unit *u);
/* [p, p+len) of the unit's memory was written: offers the unit if its condition holds now. */
void sim_untimed_written(struct sim_unit *u, const void *p, uint64_t len);
/* Whether the operation is complete at the level; whether the unit's flush is; whether u->wait or
 * u->wait_any, by the state, holds. */
bool sim_untimed_is_done(const struct sim_op *op, enum fab_level level);
bool sim_untimed_is_flushed(const struct sim_unit *u);
bool sim_untimed_holds(const struct sim_unit *u, enum sim_state state);

/* untimed_wait.c. Functions of the engine's table. */
int sim_untimed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level);
int sim_untimed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done);
int sim_untimed_flush(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
int sim_untimed_order(struct sim_unit *u, fab_unit_t unit);
int sim_untimed_wait_words(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns);
/* A flush whose errors remain for the next flush. */
void sim_untimed_settle(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
/* Blocks until fewer operations are in flight than the limit. */
void sim_untimed_wait_cap(struct sim_unit *u);
/* All parts of an operation of the unit have arrived. */
void sim_untimed_completed(struct sim_unit *u, const struct sim_op *op);

/* untimed_check.c. */
extern const struct fab_check sim_untimed_check_ops;

/* untimed_tso.c. The behavior of order tso beyond rdma: a load or store of the CPU; a store leaves
 * the buffer; the source of an operation is read; an atomic's read (part 0) or write (part 1). */
uint64_t sim_untimed_tso_cpu(struct sim_unit *u, enum fab_cpu_op op, uint64_t *word,
                             uint64_t operand, uint64_t desired);
void sim_untimed_tso_drain(struct sim_world *w, uint32_t proc);
void sim_untimed_tso_source(struct sim_world *w, struct sim_op *op);
void sim_untimed_tso_amo(struct sim_world *w, struct sim_op *op, uint32_t part);
/* Whether the part must wait because another atomic is between its read and its write. */
bool sim_untimed_tso_held(const struct sim_world *w, const struct sim_op *op, uint32_t part);
/* A signal acts on the word. */
void sim_untimed_tso_signal(struct sim_world *w, const uint64_t *word);

/* untimed_op.c. Posts the operation; executes the arrival of a part. */
void sim_untimed_post(struct sim_unit *u, struct sim_op *op);
void sim_untimed_arrive(struct sim_world *w, uint32_t proc);
/* The unit has crashed: some of its operations that have not arrived are lost. An operation that
 * must not be seen before a lost one is lost with it. */
void sim_untimed_drop(struct sim_unit *u);
/* A link has gone down: operations in flight on it are lost, unless their origin knows them
 * complete. */
void sim_untimed_cut(struct sim_world *w);
#endif
