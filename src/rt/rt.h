/* SPDX-License-Identifier: BSD-3-Clause */
/* rt.h - struct eyot_rt: the whole state of one unit, found through the one global, eyot_current.
 * For all layers.
 *
 * Why it exists: a simulator switches units by setting one pointer. The library has two other
 * mutable file-scope variables: the table of mapped.h, which is empty where units share a process,
 * and the words of base/wording.h, which are those of the program.
 * Each layer has its own forward-declared struct here and makes and frees it in its own
 * <layer>_start / <layer>_stop; init/init.c knows the order. Thread rule: public functions are for
 * the threads that threads.h admits, and all else runs inside them. */
#ifndef EYOT_RT_RT_H
#define EYOT_RT_RT_H

#include <eyot/fast.h>
#include <eyot/types.h>

#include "base/check.h"
#include "fabric/fabric.h"
#include "rt/call_note.h"
#include "rt/made.h"
#include "rt/mapped.h"
#include "rt/slack.h"
#include "rt/threads.h"

struct eyoti_proc;  /* rt/proc.h: shared by the units of one process (interned groups) */
struct eyoti_ctl;   /* fabric/ctl.h */
struct eyoti_count; /* fabric/count.h */
struct eyoti_teams; /* teams/teams.h */
struct eyoti_team;  /* teams/teams.h */
struct eyoti_gmem;  /* gmem/gmem.h */
struct eyoti_rma;   /* rma/rma.h */
struct eyoti_sync;  /* sync/sync.h */
struct eyoti_coll;  /* coll/coll.h */
struct eyoti_msgs;  /* msg/state.h */
struct eyoti_fused; /* fused/state.h */

enum eyoti_state { EYOTI_IDLE = 0, EYOTI_STARTING, EYOTI_RUNNING, EYOTI_STOPPING, EYOTI_FINALIZED };

/* The sizes of the heap that the program has passed to eyot_init_with; 0: none. */
struct eyoti_heap_asked {
  uint64_t size, most;
};

/* The collective call that was entered last: its team, and the call site, by which a wait of this
 * call is told from those of later ones. */
struct eyoti_in_team {
  const struct eyoti_team *team;
  const void *site;
  uint32_t number; /* of the call among the team's that is waited for; 0: it has none */
  /* of a wait for members that has no number: whether it is for this one, which has called
   * eyot_barrier_notify so often. NULL: it is not known for whom */
  bool (*awaits)(const void *arg, uint32_t unit, uint32_t notified);
  const void *arg;
};

struct eyot_rt {
  struct eyoti_fast fast; /* first: inline operations read it */
  enum eyoti_state state;
  uint32_t log_level;
  bool errors_abort; /* EYOT_ERRORS: a mistake of the program ends the run */
  bool observed;     /* the fabric explores schedules and wants the reports of observe.h */
  uint32_t inits;    /* calls of eyot_init */
  uint32_t ends;     /* calls of eyot_finalize; all but the last are local */
  bool start_failed; /* the last eyot_init */
  bool frees_at_end; /* eyot_init_attr_t */
  struct eyoti_heap_asked heap_asked;
  struct fab_thresholds thresholds; /* of EYOT_MACHINE, for messages */
  const void *owner;                /* the thread (eyoti_rt_thread) that may call now: threads.h */
  uint32_t thread_level;            /* eyot_thread_level_t */
  struct eyoti_threads *threads;    /* the lock; NULL: the level is below EYOT_THREAD_MULTIPLE */
  /* the thread that runs an operator of the program (rma/op_user.c): it must not call. Or NULL */
  const void *in_operator;
  /* with the lock: called while a call waits, to continue split-phase barriers; NULL: none is
   * open */
  void (*rounds)(struct eyot_rt *rt);
  /* Called now and then in a wait without a time-out that lasts, after which it ends with this
   * error; NULL: never. */
  int (*waits_long)(struct eyot_rt *rt);
  /* Where units share a process: the calls that another unit has noted; else NULL. */
  const struct eyoti_call_notes *(*calls_of)(const struct eyot_rt *rt, uint32_t unit);
  /* For reports of a wait: the unit that signals at a word of the control plane of a team; NULL, or
   * UINT32_MAX: it is not known. */
  uint32_t (*writer_of)(struct eyot_rt *rt, uint32_t seg, uint64_t off);
  struct eyoti_in_team in;
  /* The endpoint; a hosting fabric (sim) sets it before the unit starts, else eyot_init opens one.
   * Others may be stacked before the fabric's own (forward.h), so code must not keep this pointer
   * from one call of the program to the next. */
  struct fab *fab;
  /* the endpoint that eyot_init opens now, while `fab` is NULL, for handlers of crashes */
  struct fab *opening;
  /* for diagnostics: the call site, in the program or in another public function (eyoti_rt_nest),
   * of the function that runs */
  const void *site;
  struct eyoti_proc *proc;
  struct eyoti_slack slack[EYOTI_SLACKS];
  struct eyoti_mades *made; /* made.h; NULL: nothing was made */
  struct eyoti_teams *teams;
  struct eyoti_gmem *gmem;
  struct eyoti_rma *rma;
  struct eyoti_sync *sync;
  struct eyoti_coll *coll;
  struct eyoti_msgs *msgs;   /* NULL: the unit has used no messages */
  struct eyoti_fused *fused; /* the latest exchange that was made */
  const char *phase;
  void *fabric_handle; /* dlopen handle of the fabric module, if eyot_init loaded it */
  /* counting (init/count.h): the endpoint that counts, and mapped.n as it was; or NULL */
  struct eyoti_count *count;
  uint32_t counting_mapped_n;
  struct eyoti_mapped mapped;
  /* a flush has more work than the fabric knows of (rma/follow.c): the inline flush always makes
   * the call */
  bool flush_calls;
  const void *outer_site; /* see eyoti_rt_nest */
  const char *outer_what;
  struct eyoti_about about; /* the lock of the call of eyot_lock_... that runs, if it waits */
  struct eyoti_about_message about_message; /* while a call waits for one */
  struct eyoti_about_coll about_coll;       /* while a call waits for one, or tests it */
  /* mistakes of the program since the last eyot_errors_clear (base/error.h); stays after
   * eyot_finalize for the exit code of a process */
  uint64_t errors;
  struct eyoti_call_notes calls; /* where time is virtual */
  int ends_by;                   /* the mistake that ends the run now; 0: none does */
  void (*at_exit)(void);         /* eyot_at_exit; NULL: none */
  bool exit_watched;             /* the process has a handler that calls it */
  bool left_well;                /* the process exits with code 0 (mpi) */
  /* memory of the program in the shared heap (gmem/shared_malloc.c) */
  struct {
    bool is_malloc;      /* there is some */
    char *left;          /* what other threads have released, and this one has not seen yet */
    uintptr_t low, high; /* from eyot_finalize on: where it is, and stays */
  } kept;
};

_Static_assert(offsetof(struct eyot_rt, fast) == 0,
               "inline operations find struct eyoti_fast at the start of struct eyot_rt");
_Static_assert(offsetof(struct eyoti_fast, older) == 4 &&
                   offsetof(struct eyoti_fast, units) == 12 &&
                   offsetof(struct eyoti_fast, older_words) == 16 &&
                   offsetof(struct eyoti_fast, quiet) == 40,
               "older inline operations find at 8 and 32 that no unit is mapped, and their flush "
               "finds units and quiet");

/* Sets which operations may be inline, according to the endpoint that is first now: called whenever
 * that has changed. */
static inline void eyoti_rt_fast_renew(struct eyot_rt *rt) {
  /* Other threads may read them: set once, and for flushes, which concern the operations of all
   * threads, not at all. */
  if (rt->threads != NULL && rt->state == EYOTI_RUNNING) return;
  bool direct = rt->fab->cpu_atomics && rt->mapped.n > 0;
  rt->mapped.atomic_n = direct ? rt->mapped.n : 0;
  bool flushes = direct && !rt->flush_calls && rt->threads == NULL;
  rt->fast.units = flushes ? rt->fab->n : 0;
  rt->fast.quiet = flushes ? &rt->fab->quiet : NULL;
  rt->fast.copies = rt->mapped.n > 0 && !rt->fab->delegates;
  eyoti_mapped_forget(&rt->mapped);
}

/* Identifies the calling thread at the cost of one load: the address of the thread's own data. */
static inline const void *eyoti_rt_thread(void) {
  return __builtin_thread_pointer();
}

/* For a public function that cannot be called now: logs the reason, and returns the code: ESTATE
 * before init and after finalize, ETHREAD for a thread that may not call. */
EYOT_API int eyoti_rt_refuse(const char *function, const void *site);

/* Whether the calling thread is the one that may call now. */
static inline bool eyoti_rt_owns(const struct eyot_rt *rt) {
  return __atomic_load_n(&rt->owner, __ATOMIC_RELAXED) == eyoti_rt_thread();
}

/* Whether the calling thread runs an operator of the program. */
static inline bool eyoti_rt_in_operator(const struct eyot_rt *rt) {
  return __atomic_load_n(&rt->in_operator, __ATOMIC_RELAXED) == eyoti_rt_thread();
}

/* Whether a public function can be called now: the unit runs (or is inside eyot_init or
 * eyot_finalize), and the caller is its thread. Where not, threads.h may admit the caller. */
static inline bool eyoti_rt_accepts(const struct eyot_rt *rt) {
  return __builtin_expect(
      rt->state != EYOTI_IDLE && rt->state != EYOTI_FINALIZED && eyoti_rt_owns(rt), 1);
}

/* For a public function that calls another one for a part of its work: errors, and reports of
 * waiting, show the outermost function's name and call site. The caller passes the result of
 * eyoti_rt_nest to eyoti_rt_unnest after the inner call. */
struct eyoti_nest {
  const char *what, *outer_what;
  const void *site, *outer_site;
};
static inline struct eyoti_nest eyoti_rt_nest(struct eyot_rt *rt) {
  struct eyoti_nest n = {rt->fab->note.what, rt->outer_what, rt->site, rt->outer_site};
  if (rt->outer_site == NULL) {
    rt->outer_site = rt->site;
    rt->outer_what = rt->fab->note.what;
  }
  return n;
}
static inline void eyoti_rt_unnest(struct eyot_rt *rt, struct eyoti_nest n) {
  rt->fab->note.what = n.what;
  rt->site = n.site;
  rt->outer_site = n.outer_site;
  rt->outer_what = n.outer_what;
}

/* The name of the function of an interface that has called eyot and has marked itself
 * (eyot/caller.h), or NULL. */
static inline const char *eyoti_rt_marked(const struct eyot_rt *rt) {
  return rt->fast.caller.site != NULL ? rt->fast.caller.call : NULL;
}

/* The same, or the interface's call that was marked last; NULL: none was. */
static inline const char *eyoti_rt_marked_last(const struct eyot_rt *rt) {
  return rt->fast.caller.call;
}

/* The address in the program to which the public function that runs, or ran last, or the
 * interface's function that called it, returns; NULL: none has run. For messages. */
static inline const void *eyoti_rt_site(const struct eyot_rt *rt) {
  if (__builtin_expect(eyoti_rt_marked(rt) != NULL, 0)) return rt->fast.caller.site;
  return rt->outer_site != NULL ? rt->outer_site : rt->site;
}

/* The public function that the program, or an interface, has called, and that runs, or ran last;
 * NULL: none has run. Messages name eyoti_rt_shown instead. */
static inline const char *eyoti_rt_what(const struct eyot_rt *rt) {
  return rt->outer_what != NULL ? rt->outer_what : rt->fab != NULL ? rt->fab->note.what : NULL;
}

/* The call that messages name: an interface's, or eyot's own. NULL: none. */
static inline const char *eyoti_rt_shown(const struct eyot_rt *rt) {
  const char *marked = eyoti_rt_marked(rt);
  return __builtin_expect(marked != NULL, 0) ? marked : eyoti_rt_what(rt);
}

/* Empties what inline operations read, but for the mark of an interface, which may be in
 * eyot_init or eyot_finalize. */
static inline void eyoti_rt_fast_clear(struct eyot_rt *rt) {
  rt->fast = (struct eyoti_fast){.abi = EYOTI_FAST_ABI, .caller = rt->fast.caller};
}

/* log.c: whether the value of EYOT_ERRORS means that a mistake ends a run of that fabric. */
bool eyoti_errors_abort(const struct fab *f, uint64_t option);

/* The constant idle unit that eyot_current points to before init. */
EYOT_API struct eyot_rt *eyoti_rt_idle(void);

/* For hosting fabrics: initializes the runtime of a unit that the fabric runs itself (before its
 * main starts), and releases it after finalize or at the end of the run. `proc` is shared by all
 * units of the process. */
EYOT_API void eyoti_rt_host(struct eyot_rt *rt, struct fab *fab, struct eyoti_proc *proc);

/* Notes the public function and its call site for diagnostics. */
static inline void eyoti_rt_note(struct eyot_rt *rt, const char *function, const void *site) {
  rt->fab->note.what = function;
  rt->site = site;
}

/* The end of a public function: gives back the lock if the function has taken it. */
static inline void eyoti_rt_left(struct eyot_rt **entered) {
  if (__builtin_expect(*entered != NULL, 0)) eyoti_threads_leave(*entered);
}
#define EYOTI_ENTERED struct eyot_rt *eyoti_entered __attribute__((cleanup(eyoti_rt_left), unused))

/* For a public function that can be called at any time: notes name and call site for its errors, if
 * a unit runs. Returns the runtime if the lock was taken. */
static inline struct eyot_rt *eyoti_rt_pass(const char *function, const void *site) {
  struct eyot_rt *rt = eyot_current, *entered = NULL;
  if (!eyoti_rt_accepts(rt) && !eyoti_threads_pass(rt, &entered)) return NULL;
  if (rt->outer_site == NULL) eyoti_rt_note(rt, function, site);
  return entered;
}
#define EYOTI_PASS() EYOTI_ENTERED = eyoti_rt_pass(__func__, __builtin_return_address(0))

/* The beginning of each public function that needs a running unit: refuses the call, or notes the
 * function and its call site for diagnostics. At EYOT_THREAD_MULTIPLE the call has the unit's lock
 * until it returns. */
#define EYOTI_ENTER(rt) EYOTI_ENTER_AS(rt, __func__)
/* For a function that an inline one of another name calls. */
#define EYOTI_ENTER_AS(rt, name)                                                            \
  struct eyot_rt *rt = eyot_current;                                                        \
  EYOTI_ENTERED = NULL;                                                                     \
  if (!eyoti_rt_accepts(rt)) {                                                              \
    struct eyot_rt *eyoti_admitted = NULL; /* so that eyoti_entered may be in a register */ \
    EYOTI_TRY(eyoti_threads_admit(rt, name, __builtin_return_address(0), &eyoti_admitted)); \
    eyoti_entered = eyoti_admitted;                                                         \
  }                                                                                         \
  eyoti_rt_note(rt, name, __builtin_return_address(0))
#endif
