/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed.h - the simulator without time: what may happen next is offered to a strategy
 * (src/check/strategy/strategy.h), which says what does.
 *
 * Why it exists: with prices, an interleaving has the probability that the network's model gives
 * it; a checker wants any that the contract allows. Here nothing has a duration: an operation that
 * is posted is one or more *processes* (a put's words may arrive one by one), each of which takes
 * one step, its arrival, at any time that order, fence and store buffer allow; a unit is a process
 * whose step lasts from where it waited to where it waits next. The other parts of the simulator
 * (units, segments, operations, program copies) are the same.
 *
 * Two lives: struct fs_check outlives runs (memory of snapshot/mem.h); struct fs_check_run is
 * ordinary memory and is taken back with everything else. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_H

#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "check/strategy/strategy.h"
#include "fabric_sim/engine/world.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/outcome.h"

#define FS_CHECK_PARTS 5u /* of one operation: up to four groups of words, and the signal */
#define FS_CHECK_TEXT 512u
#define FS_CHECK_INVARIANTS 64u
#define FS_CHECK_NO_PROC UINT32_MAX
#define FS_CHECK_STORES 32u       /* in a unit's store buffer (order tso) */
#define FS_CHECK_SOURCE UINT8_MAX /* the part of a put that reads its source (order tso) */

/* A process: a unit, a part of an operation, or a store in a store buffer. Never reused within a
 * run. */
struct fs_proc {
  uint32_t index; /* unit, or operation (pool index) */
  uint8_t part;   /* of an operation */
  bool unit, offered, yields, over;
  bool strike; /* of the fault's victim `index` (fault/fault.h) */
  bool store;  /* of the unit `index` */
};

/* Why a unit that does not run could go on. */
enum fs_check_wait {
  FS_GO = 0,   /* at any time */
  FS_GO_OP,    /* when wait_op is complete */
  FS_GO_FLUSH, /* when nothing that the flush covers is in flight */
  FS_GO_ROOM,  /* when fewer operations are in flight than allowed */
  FS_GO_WORD,  /* when a word is as it wants it; or, timed, at any time */
  FS_GO_ANY,
  FS_GO_STORES, /* when its store buffer is empty */
  FS_GO_BEGIN,  /* when all units are at eyot_check_begin */
  FS_GO_NEVER   /* ended, or at eyot_check_end */
};

/* A store that is in the buffer. */
struct fs_store {
  uint64_t *word;
  uint64_t value;
  uint32_t proc;
};

struct fs_check_unit {
  uint8_t go; /* enum fs_check_wait */
  bool timed, polls, flush_remote, last_look_failed;
  bool stirred; /* one of several words that it waits for was written since it looked */
  uint32_t flush_unit, quick;
  uint64_t sequence; /* of posts, orders and releases: what came before what */
  const char *point;
  uint8_t wait_level; /* FS_GO_OP: enum fab_level */
  uint32_t n_stores;
  struct fs_store stores[FS_CHECK_STORES]; /* the oldest first */
  /* operations, by their first process, that have completed since its last flush; only if steps are
   * recorded */
  uint32_t *completed;
  uint32_t n_completed, completed_cap;
};

struct fs_check_invariant {
  int (*fn)(void *arg);
  void *arg;
  const char *name;
  uint32_t unit;
};

/* What one run knows. */
struct fs_check_run {
  struct fs_proc *procs;
  uint32_t n_procs, procs_cap;
  uint32_t *offers; /* processes that may go on, the oldest offer first */
  bool *yields;     /* of the same */
  uint32_t n_offers, offers_cap;
  struct fs_check_unit *units;
  uint32_t at_begin, at_end;
  uint32_t n_explicit; /* of at_begin: by the program itself */
  bool explicitly;     /* the run has begun so */
  /* the step that is being taken */
  uint32_t stepping;
  struct ec_access *accesses;
  uint32_t n_accesses, accesses_cap;
  uint32_t *woke;
  uint32_t n_woke, woke_cap;
  uint64_t steps;
  struct fs_check_invariant invariants[FS_CHECK_INVARIANTS];
  uint32_t n_invariants;
  struct fs_detect *detect;
};

/* untimed_watch.c */
struct fs_check_watch {
  timer_t timer;
  bool armed, struck;   /* struck: it has ended this run */
  uint32_t still;       /* periods since the last step */
  uint64_t steps, seen; /* of all runs; and at the last period */
};
#define FS_CHECK_WATCH_SIGNAL (SIGRTMAX - 2)

/* What is known from run to run. */
struct fs_check {
  struct fs_check_run *run;
  struct ec_snap *snap;         /* NULL: not taken yet */
  struct ec_strategy *strategy; /* NULL before the first run: everything goes the quiet way */
  struct ec_stream choices;
  bool record; /* steps: the strategy wants them */
  /* words of an operation arrive one by one, whatever is drawn: for exhaustive search */
  bool fine;
  uint64_t max_steps;
  uint64_t last_step;           /* of the run before */
  uint64_t break_at;            /* the step at which a debugger is to stop; 0: none */
  uint64_t steps;               /* of all runs */
  bool failed;                  /* this run */
  bool ended_only;              /* all that is known of its failure is that a unit ended */
  bool livelock;                /* a run that comes to max_steps has failed */
  bool quiet;                   /* what runs print is lost now */
  bool tell_steps;              /* each step in words on standard output, of however many */
  struct fs_check_tell *tell;   /* this run's steps so far (step_report.h), or NULL */
  struct fs_outcomes *outcomes; /* NULL: this run's are not counted */
  struct fs_check_lin *lin;     /* untimed_lin.h */
  char text[FS_CHECK_TEXT];
  uint32_t detect; /* enum fab_detect */
  /* what it means that the engine crashes now: it reads memory that the program has named */
  const char *reads;
  struct fs_detect_lines lines;
  struct fs_check_edges *edges; /* of this run that were told, or NULL (untimed_instrument.c) */
  struct fs_race *race;         /* of all runs; NULL: nobody looks for races */
  sigjmp_buf escape;            /* to the scheduler, out of a unit that has crashed */
  bool can_escape;
  struct fs_check_watch watch;
};

/* untimed_run.c. One run: from the state that is, to its end. */
enum ec_end fs_check_go(struct fs_world *w);
int fs_check_run_new(struct fs_world *w, struct fs_check *c);
void fs_check_run_delete(struct fs_check_run *r);
/* The first failure of a run is kept; the run ends with this step. */
void fs_check_failed(struct fs_world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Where a debugger stops (eyotcheck --gdb): before the step that fails, and when it fails. */
void fs_check_break(const char *why);
/* A choice of the strategy; 0 if bound is 1. */
uint32_t fs_check_draw(struct fs_world *w, uint32_t bound);
/* An array with room for one more element. */
void *fs_check_room(void *array, uint32_t n, uint32_t *cap, size_t size);
uint32_t fs_check_new_proc(struct fs_world *w, bool unit, uint32_t index, uint32_t part);
void fs_check_offer(struct fs_world *w, uint32_t proc, bool yields);
void fs_check_withdraw(struct fs_world *w, uint32_t proc);
/* The step that is being taken reads or writes [p, p+len). */
void fs_check_touch(struct fs_world *w, const void *p, uint64_t len, bool write);
/* The same for the unit's own memory, whatever part of it: each of its steps may write to it, by
 * plain stores; a result that lands, or a source that is read, comes before or after those. */
void fs_check_touch_own(struct fs_world *w, uint32_t unit, bool write);
/* The same for something that is not memory. */
void fs_check_touch_id(struct fs_world *w, uint64_t id, bool write);
/* From the crash handler: ends the run, if one is under way; returns if not. */
void fs_check_crashed(struct fs_world *w, const char *text);

/* untimed_watch.c. In each process that runs: a fork does not inherit timers. Errors: ESYS. */
int fs_check_watch_open(struct fs_world *w);
void fs_check_watch_close(struct fs_world *w);

/* untimed_unit.c. The unit gives the processor back until `go`; returns when it is picked. */
void fs_check_block(struct fs_unit *u, enum fs_state state, enum fs_check_wait go);
/* Offers it or withdraws it, as what it waits for stands. */
void fs_check_unit_look(struct fs_unit *u);
/* Time passes for everybody: what a unit reads from its clock later than another is later. */
void fs_check_spend(struct fs_unit *u, uint64_t ps);
/* What engine/wait.c does with time. */
void fs_check_pause(struct fs_unit *u);
/* Of an operation of the unit: all of it has arrived. */
void fs_check_completed(struct fs_unit *u, const struct fs_op *op);
/* Until fewer operations are in flight. */
void fs_check_wait_room(struct fs_unit *u);
int fs_check_wait_req(struct fs_unit *u, struct fs_op *op, enum fab_level level);
int fs_check_test(struct fs_unit *u, struct fs_op *op, enum fab_level level, bool *done);
void fs_check_flush(struct fs_unit *u, fab_unit_t unit, enum fab_level level);
int fs_check_order(struct fs_unit *u, fab_unit_t unit);
/* Until `holds(u)`, which looks at what u->wait or u->wait_any says. */
int fs_check_wait(struct fs_unit *u, enum fs_state state, bool (*holds)(const struct fs_unit *u),
                  uint64_t timeout_ns);
/* [p, p+len) of the unit's memory was written: does what it waits for hold now? */
void fs_check_written(struct fs_unit *u, const void *p, uint64_t len);
extern const struct fab_check fs_check_ops;

/* untimed_tso.c. What order tso has beyond rdma. A load or store of the CPU; a store leaves the
 * buffer; the source of an operation is read; an atomic's read (part 0) or write (1). */
bool fs_check_is_tso(const struct fs_world *w);
uint64_t fs_check_tso_cpu(struct fs_unit *u, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                          uint64_t desired);
void fs_check_tso_drain(struct fs_world *w, uint32_t proc);
void fs_check_tso_source(struct fs_world *w, struct fs_op *op);
void fs_check_tso_amo(struct fs_world *w, struct fs_op *op, uint32_t part);
/* Whether the part must wait because another atomic is between its read and its write. */
bool fs_check_tso_held(const struct fs_world *w, const struct fs_op *op, uint32_t part);
/* What a search must know: the step depends on whether the store buffer is empty. */
void fs_check_tso_touch(struct fs_unit *u);
/* That a signal acts on the word. */
void fs_check_tso_signal(struct fs_world *w, const uint64_t *word);

/* untimed_op.c. */
void fs_check_post(struct fs_unit *u, struct fs_op *op);
void fs_check_arrive(struct fs_world *w, uint32_t proc);
bool fs_check_is_done(const struct fs_op *op, enum fab_level level);
#endif
