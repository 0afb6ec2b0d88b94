/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed.h - the untimed engine: a strategy (src/check/strategy/strategy.h) says which of the
 * steps that may come next does, so that every interleaving that the contract allows can be had.
 *
 * An operation that is posted is one or more *processes* (a put's words may arrive one by one),
 * each of which takes one step, its arrival, when order, fence and store buffer allow it; a unit is
 * a process whose step lasts from where it waited to where it waits next. Units, segments,
 * operations and program copies are those of the timed engine.
 *
 * struct sim_untimed outlives runs (memory of snapshot/mem.h); struct sim_untimed_run is ordinary
 * memory, and is restored with the run. */
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

/* Why a unit that does not run could go on. */
enum sim_untimed_wait {
  SIM_GO = 0,   /* at any time */
  SIM_GO_OP,    /* when wait_op is complete */
  SIM_GO_FLUSH, /* when nothing that the flush covers is in flight */
  SIM_GO_CAP,   /* when fewer operations are in flight than allowed */
  SIM_GO_WORD,  /* when a word is as it wants it; or, timed, at any time */
  SIM_GO_ANY,
  SIM_GO_STORES, /* when its store buffer is empty */
  SIM_GO_BEGIN,  /* when all units are at eyot_check_begin */
  SIM_GO_NEVER   /* ended, or at eyot_check_end */
};

/* A store that is in the buffer. */
struct sim_store {
  uint64_t *word;
  uint64_t value;
  uint32_t proc;
};

struct sim_untimed_unit {
  uint8_t go; /* enum sim_untimed_wait */
  bool timed, polls, flush_remote, last_look_failed;
  bool stirred; /* one of several words that it waits for was written since it looked */
  uint32_t flush_unit, quick;
  uint64_t sequence; /* of posts, orders and releases: what came before what */
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

/* What one run knows. */
struct sim_untimed_run {
  struct sim_proc *procs;
  uint32_t n_procs, procs_cap;
  uint32_t *offers; /* processes that may go on, the oldest offer first */
  bool *yields;     /* of the same */
  uint32_t n_offers, offers_cap;
  struct sim_untimed_unit *units;
  uint32_t at_begin, at_end;
  uint32_t n_explicit; /* of at_begin: by the program itself */
  bool explicitly;     /* the run has begun so */
  /* the step that is being taken */
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
  bool armed, struck;   /* struck: it has ended this run */
  uint32_t still;       /* periods since the last step */
  uint64_t steps, seen; /* of all runs; and at the last period */
};
#define SIM_UNTIMED_WATCH_SIGNAL (SIGRTMAX - 2)

/* What is known from run to run. */
struct sim_untimed {
  struct sim_untimed_run *run;
  struct chk_snap *snap;         /* NULL: not taken yet */
  struct chk_strategy *strategy; /* NULL before the first run: everything goes the quiet way */
  struct chk_stream choices;
  bool record; /* steps: the strategy wants them */
  /* words of an operation arrive one by one, whatever is drawn: for exhaustive search */
  bool fine;
  uint64_t max_steps;
  uint64_t last_step;                  /* of the run before */
  uint64_t break_at;                   /* the step at which a debugger is to stop; 0: none */
  uint64_t steps;                      /* of all runs */
  bool failed;                         /* this run */
  bool ended_only;                     /* all that is known of its failure is that a unit ended */
  bool livelock;                       /* a run that comes to max_steps has failed */
  bool quiet;                          /* what runs print is lost now */
  bool report_steps;                   /* each step in words on standard output, of however many */
  struct sim_step_report *step_report; /* this run's steps so far (step_report.h), or NULL */
  struct sim_outcomes *outcomes;       /* NULL: this run's are not counted */
  struct sim_untimed_lin *lin;         /* untimed_lin.h */
  char text[SIM_UNTIMED_TEXT];
  uint32_t detect; /* enum fab_detect */
  /* what it means that the engine crashes now: it reads memory that the program has named */
  const char *reads;
  struct sim_detect_lines lines;
  struct sim_untimed_edges *edges; /* of this run that were told, or NULL (untimed_instrument.c) */
  struct sim_race *race;           /* of all runs; NULL: races are not looked for */
  sigjmp_buf escape;               /* to the scheduler, out of a unit that has crashed */
  bool can_escape;
  struct sim_untimed_watch watch;
};

/* untimed_engine.c. */
extern const struct sim_engine_ops sim_untimed_engine;

/* untimed_run.c. Makes `c` the world's engine, all units offered. ENOMEM. */
int sim_untimed_run_new(struct sim_world *w, struct sim_untimed *c);
void sim_untimed_run_delete(struct sim_untimed_run *r);
/* One run: from the state that is, to its end. */
enum chk_end sim_untimed_go(struct sim_world *w);

/* untimed_proc.c. An array with room for one more element. */
void *sim_untimed_reserve(void *array, uint32_t n, uint32_t *cap, size_t size);
uint32_t sim_untimed_new_proc(struct sim_world *w, bool unit, uint32_t index, uint32_t part);
void sim_untimed_offer(struct sim_world *w, uint32_t proc, bool yields);
void sim_untimed_withdraw(struct sim_world *w, uint32_t proc);
/* Removes offer i. */
void sim_untimed_take(struct sim_untimed_run *r, uint32_t i);
/* A choice of the strategy; 0 if bound is 1. */
uint32_t sim_untimed_draw(struct sim_world *w, uint32_t bound);
/* The first failure of a run is kept; the run ends with this step. */
void sim_untimed_failed(struct sim_world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Where a debugger stops (eyotcheck --gdb): before the step that fails, and when it fails. */
void sim_untimed_break(const char *why);
/* From the crash handler: ends the run, if one is under way; returns if not. */
void sim_untimed_crashed(struct sim_world *w, const char *text);

/* untimed_touch.c. The step that is being taken reads or writes [p, p+len). */
void sim_untimed_touch(struct sim_world *w, const void *p, uint64_t len, bool write);
/* The same for the unit's own memory, whatever part of it: each of its steps may write to it, by
 * plain stores; a result that lands, or a source that is read, comes before or after those. */
void sim_untimed_touch_own(struct sim_world *w, uint32_t unit, bool write);
/* The same for something that is not memory; for whether the unit's store buffer is empty, also in
 * order tso only; whether the unit lives, which steps read and its crash writes; what becomes of an
 * operation: that its target lives, and its link; when an operation completes. */
void sim_untimed_touch_id(struct sim_world *w, uint64_t id, bool write);
void sim_untimed_touch_stores(struct sim_unit *u, bool write);
void sim_untimed_tso_touch(struct sim_unit *u);
void sim_untimed_touch_alive(struct sim_world *w, uint32_t unit, bool write);
void sim_untimed_touch_way(struct sim_world *w, const struct sim_op *op);
void sim_untimed_touch_completion(struct sim_world *w, uint32_t first_proc, bool write);

/* untimed_watch.c. In each process that runs: a fork does not inherit timers. Errors: ESYS. */
int sim_untimed_watch_open(struct sim_world *w);
void sim_untimed_watch_close(struct sim_world *w);

/* What runs know of the unit. */
static inline struct sim_untimed_unit *sim_untimed_unit_of(const struct sim_unit *u) {
  return &u->world->untimed->run->units[u->fab.me];
}
static inline bool sim_untimed_is_tso(const struct sim_world *w) {
  return w->opt.order == EYOTI_ORDER_TSO;
}
static inline bool sim_untimed_carries_bytes(const struct sim_op *op) {
  return op->kind == SIM_OP_PUT || op->kind == SIM_OP_SIGNAL;
}

/* untimed_unit.c. The unit gives the processor back until `go`; returns when it is picked. */
void sim_untimed_block(struct sim_unit *u, enum sim_state state, enum sim_untimed_wait go);
/* Offers it or withdraws it, as what it waits for stands. */
void sim_untimed_unit_look(struct sim_unit *u);
/* The unit looks at something once, in a step of its own. */
void sim_untimed_look_step(struct sim_unit *u);
/* The clock goes on for all: what a unit reads from it later than another is later. */
void sim_untimed_advance(struct sim_unit *u, uint64_t ps);
/* A call that takes time and does nothing else is over. */
void sim_untimed_pause(struct sim_unit *u);
/* [p, p+len) of the unit's memory was written: does what it waits for hold now? */
void sim_untimed_written(struct sim_unit *u, const void *p, uint64_t len);
/* Whether the operation is complete at the level; what the unit's flush is about; what u->wait or
 * u->wait_any says, by the state. */
bool sim_untimed_is_done(const struct sim_op *op, enum fab_level level);
bool sim_untimed_is_flushed(const struct sim_unit *u);
bool sim_untimed_holds(const struct sim_unit *u, enum sim_state state);

/* untimed_wait.c. Of the engine's table. */
int sim_untimed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level);
int sim_untimed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done);
int sim_untimed_flush(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
int sim_untimed_order(struct sim_unit *u, fab_unit_t unit);
int sim_untimed_wait_words(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns);
/* A flush whose errors stay for the next. */
void sim_untimed_settle(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
/* Until fewer operations are in flight. */
void sim_untimed_wait_cap(struct sim_unit *u);
/* Of an operation of the unit: all of it has arrived. */
void sim_untimed_completed(struct sim_unit *u, const struct sim_op *op);

/* untimed_check.c. */
extern const struct fab_check sim_untimed_check_ops;

/* untimed_tso.c. What order tso has beyond rdma. A load or store of the CPU; a store leaves the
 * buffer; the source of an operation is read; an atomic's read (part 0) or write (1). */
uint64_t sim_untimed_tso_cpu(struct sim_unit *u, enum fab_cpu_op op, uint64_t *word,
                             uint64_t operand, uint64_t desired);
void sim_untimed_tso_drain(struct sim_world *w, uint32_t proc);
void sim_untimed_tso_source(struct sim_world *w, struct sim_op *op);
void sim_untimed_tso_amo(struct sim_world *w, struct sim_op *op, uint32_t part);
/* Whether the part must wait because another atomic is between its read and its write. */
bool sim_untimed_tso_held(const struct sim_world *w, const struct sim_op *op, uint32_t part);
/* That a signal acts on the word. */
void sim_untimed_tso_signal(struct sim_world *w, const uint64_t *word);

/* untimed_op.c. Posts the operation; a part of it arrives. */
void sim_untimed_post(struct sim_unit *u, struct sim_op *op);
void sim_untimed_arrive(struct sim_world *w, uint32_t proc);
/* The unit has crashed: of what it had posted and has not arrived, some never will. What must not
 * be seen before something that is lost is lost with it. */
void sim_untimed_drop(struct sim_unit *u);
/* A link has gone down: what is under way on it and has not arrived never will, unless its origin
 * has been told that it is complete. */
void sim_untimed_cut(struct sim_world *w);
#endif
