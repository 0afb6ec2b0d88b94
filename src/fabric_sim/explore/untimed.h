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
#include "fabric/module.h"
#include "fabric_sim/engine/engine.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/explore/detect_call.h"
#include "fabric_sim/explore/outcome.h"

struct sim_race;   /* race.h */
struct sim_detect; /* detect.h */

#define SIM_UNTIMED_PARTS 5u /* of one operation: up to four groups of words, and the signal */
#define SIM_UNTIMED_TEXT 1024u
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
  bool left_ops; /* operations of it were in flight at the end of its last step */
  bool stirred;  /* one of several words that it waits for was written since it last read them */
  uint32_t flush_unit, quick;
  uint32_t passes; /* calls in a row that only let time pass */
  fab_set_t flush_set;
  uint64_t sequence;   /* counts posts, orders and releases, to give their order */
  uint64_t ordered_at; /* the number of the last order of all targets and sets */
  /* the number of its last post when a flush of all sets and units last told it that operations are
   * complete (of one set and target: sim_target.known_at) */
  uint64_t known_at;
  /* of its operations in flight: not locally complete, released, held back by others */
  uint32_t n_pending, n_released, n_held;
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

/* The watchdog of runs: untimed_watch.h. */
struct sim_untimed_watch {
  timer_t timer;
  bool armed, struck; /* struck: the watchdog has ended this run */
  uint64_t period_ns;
  struct sim_still still;
  struct sim_named named;
  int err;              /* the tool's standard error; that of runs is discarded */
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
  uint64_t awaited;   /* the trace hash of a recorded failure; 0: none */
  bool awaited_came;  /* this run has taken the same steps up to it */
  uint64_t steps;     /* of all runs */
  bool failed;        /* this run */
  bool ended_only;    /* its failure is only known as the end of a unit */
  bool livelock;      /* a run that reaches max_steps fails */
  /* a race is named by its accesses in this run; else by those of the first race like it, so that
   * races of one kind have one text while a run is made smaller */
  bool exact;
  bool quiet;        /* the output of runs is discarded now */
  bool report_steps; /* print each step in words on standard output, whatever their number */
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

#endif
