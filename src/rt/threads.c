/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - the lock of a unit at EYOT_THREAD_MULTIPLE (threads.h), and the endpoint that gives
 * it back while a call waits. */

/* Why waits do not keep other threads out. Whatever a thread of this unit, or another unit, must do
 * to end a wait needs the lock at most for the time between two polls: the endpoint here stands
 * directly in front of the fabric's own, so every wait of every layer passes through it, and it
 * polls (a wait of the fabric without time), gives the lock back, and polls again. Before that it
 * saves what belongs to the call (its name, its call site, its set), and restores it afterwards.
 * Other calls into the fabric end by themselves, whatever the other threads do, and keep the lock.
 *
 * What the layers keep across a wait belongs to the object that the call is about (a team, a lock),
 * which only one thread at a time may use (eyot/init.h). Of the unit's own tables only ids and free
 * ranges are the subject of agreements, which take the other threads into account
 * (teams/agree.c). */
#include "rt/threads.h"

#include <eyot/init.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/conf.h"
#include "fabric/forward.h"
#include "rt/rt.h"

/* Looks without a pause, and with yields, before a waiting thread sleeps between two. */
#define POLLS_SPINNING 64u
#define POLLS_YIELDING 2000u
#define NAP_NS 20000 /* the system adds some 50 us */

struct eyoti_threads {
  struct eyoti_forward forward; /* first: the endpoint */
  struct eyot_rt *rt;
  /* Who wants `lock` holds `next` while it waits for it, so that a thread that gives `lock` back
   * cannot take it again before that one. */
  pthread_mutex_t next, lock;
  bool alone; /* a thread is between alone_begin and alone_end */
};

_Static_assert(offsetof(struct eyoti_threads, forward.fab) == 0,
               "the endpoint is the first member of the lock");

static void take(struct eyoti_threads *t) {
  (void)pthread_mutex_lock(&t->next);
  (void)pthread_mutex_lock(&t->lock);
  (void)pthread_mutex_unlock(&t->next);
  /* only its own thread compares it with something that it can be equal to */
  __atomic_store_n(&t->rt->owner, eyoti_rt_thread(), __ATOMIC_RELAXED);
}

static void give(struct eyoti_threads *t) {
  __atomic_store_n(&t->rt->owner, NULL, __ATOMIC_RELAXED);
  (void)pthread_mutex_unlock(&t->lock);
}

/* -- at the beginning and the end of a call ---------------------------------------------------- */

static bool runs(const struct eyot_rt *rt) {
  return rt->state != EYOTI_IDLE && rt->state != EYOTI_FINALIZED;
}

bool eyoti_threads_pass(struct eyot_rt *rt, struct eyot_rt **entered) {
  if (!runs(rt) || rt->thread_level < EYOT_THREAD_SERIALIZED) return false;
  if (eyoti_rt_in_operator(rt)) return false;
  if (rt->threads != NULL) {
    take(rt->threads);
    *entered = rt;
  } else {
    rt->owner = eyoti_rt_thread(); /* the program orders its calls */
  }
  return true;
}

int eyoti_threads_admit(struct eyot_rt *rt, const char *function, const void *site,
                        struct eyot_rt **entered) {
  return eyoti_threads_pass(rt, entered) ? EYOT_OK : eyoti_rt_refuse(function, site);
}

void eyoti_threads_leave(struct eyot_rt *rt) {
  if (rt->threads != NULL) give(rt->threads); /* NULL: the call was eyot_finalize */
}

/* -- while a call waits ------------------------------------------------------------------------ */

static void pause_between(uint32_t polls) {
  const struct timespec nap = {.tv_nsec = NAP_NS};
  if (polls < POLLS_SPINNING)
    fab_relax();
  else if (polls < POLLS_YIELDING)
    (void)sched_yield();
  else
    (void)nanosleep(&nap, NULL);
}

/* Lets other threads of the unit call eyot; `polls` counts the calls of one wait. */
static void let_in(struct eyoti_threads *t, uint32_t polls) {
  struct eyot_rt *rt = t->rt;
  const void *site = rt->site, *outer_site = rt->outer_site;
  const char *outer_what = rt->outer_what, *what = rt->fab->note.what;
  const struct eyoti_about about = rt->about;
  const fab_set_t set = rt->fab->set;
  const struct eyoti_in_team in = rt->in;
  rt->outer_site = NULL; /* their calls are not parts of this one */
  rt->outer_what = NULL;
  give(t);
  pause_between(polls);
  take(t);
  rt->site = site;
  rt->outer_site = outer_site;
  rt->outer_what = outer_what;
  rt->fab->note.what = what;
  rt->fab->set = set;
  rt->about = about;
  rt->in = in;
}

static struct eyoti_threads *threads_of(struct fab *f) {
  return (struct eyoti_threads *)(void *)f;
}

/* Whether a wait whose poll has returned *rc polls again, after the others were let in. */
static bool again(struct fab *f, int *rc, uint64_t timeout_ns, uint64_t deadline, uint32_t *polls) {
  if (*rc != EYOT_ETIMEOUT || timeout_ns == 0) return false;
  struct eyoti_threads *t = threads_of(f);
  if (timeout_ns == FAB_FOREVER && *polls >= POLLS_SPINNING && t->rt->waits_long != NULL) {
    int ends = t->rt->waits_long(t->rt);
    if (ends != EYOT_OK) {
      *rc = ends;
      return false;
    }
  }
  if (fab_left(t->forward.inner, deadline) == 0) return false;
  if (t->rt->rounds != NULL) t->rt->rounds(t->rt);
  let_in(t, *polls);
  if (*polls < UINT32_MAX) ++*polls;
  return true;
}

static int threads_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                            uint64_t *seen) {
  struct fab *in = eyoti_forward_inner(f);
  uint64_t deadline = timeout_ns == 0 ? 0 : fab_deadline(in, timeout_ns);
  uint32_t polls = 0;
  int rc;
  do rc = in->ops->wait_mem(in, cond, 0, seen);
  while (again(f, &rc, timeout_ns, deadline, &polls));
  return rc;
}

static int threads_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                            uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct fab *in = eyoti_forward_inner(f);
  uint64_t deadline = timeout_ns == 0 ? 0 : fab_deadline(in, timeout_ns);
  uint32_t polls = 0, most = held != NULL ? *held : 1;
  int rc;
  do {
    if (held != NULL) *held = most;
    rc = in->ops->wait_any(in, conds, n, 0, index, held);
  } while (again(f, &rc, timeout_ns, deadline, &polls));
  return rc;
}

int eyoti_threads_req_wait(struct eyot_rt *rt, fab_req_t req, enum fab_level level) {
  struct eyoti_threads *t = rt->threads;
  if (__builtin_expect(t == NULL, 1) || req == 0) return fab_req_wait(rt->fab, req, level);
  bool done = false;
  for (uint32_t polls = 0;; polls += polls < UINT32_MAX) {
    EYOTI_TRY(fab_req_test(rt->fab, req, level, &done));
    if (done) return EYOT_OK;
    if (rt->rounds != NULL) rt->rounds(rt);
    let_in(t, polls);
  }
}

/* -- calls that exclude each other ------------------------------------------------------------- */

void eyoti_threads_alone_begin(struct eyot_rt *rt) {
  struct eyoti_threads *t = rt->threads;
  if (__builtin_expect(t == NULL, 1)) return;
  for (uint32_t polls = 0; t->alone; polls += polls < UINT32_MAX) let_in(t, polls);
  t->alone = true;
}

void eyoti_threads_alone_end(struct eyot_rt *rt) {
  if (__builtin_expect(rt->threads == NULL, 1)) return;
  EYOTI_ASSERT(rt->threads->alone);
  rt->threads->alone = false;
}

/* -- start and stop ---------------------------------------------------------------------------- */

_Static_assert((int)EYOTI_THREADS_MULTIPLE - (int)EYOTI_THREADS_SINGLE == EYOT_THREAD_MULTIPLE,
               "the words of EYOT_THREADS are in the order of eyot_thread_level_t");

int eyoti_threads_wanted(uint32_t asked, uint32_t *level) {
  uint64_t option;
  if (asked > EYOT_THREAD_MULTIPLE)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "threads is %u, expected EYOT_THREAD_SINGLE..EYOT_THREAD_MULTIPLE", asked);
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_THREADS, &option));
  *level = option == EYOTI_THREADS_PROGRAM ? asked : (uint32_t)(option - EYOTI_THREADS_SINGLE);
  return EYOT_OK;
}

static int lock_make(struct eyot_rt *rt) {
  struct eyoti_threads *t = calloc(1, sizeof *t);
  if (t == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lock of the unit (%zu bytes)", sizeof *t);
  int rc = pthread_mutex_init(&t->next, NULL);
  if (rc == 0) rc = pthread_mutex_init(&t->lock, NULL);
  if (rc != 0) {
    free(t);
    return EYOTI_FAIL(EYOT_ESYS, "cannot make the lock of the unit: %s", strerror(rc));
  }
  eyoti_forward_init(&t->forward, rt->fab);
  t->forward.ops.wait_mem = threads_wait_mem;
  t->forward.ops.wait_any = threads_wait_any;
  t->forward.ops.wait_low = NULL; /* layers then poll with pauses, which are waits */
  /* It need not see operations on mapped memory, only waits. Whether the fabric is quiet changes
   * with the operations of other threads, so that a flush always makes the call. */
  t->forward.fab.cpu_atomics = rt->fab->cpu_atomics;
  t->rt = rt;
  eyoti_forward_add(&t->forward, eyoti_forward_last(&rt->fab));
  rt->threads = t;
  take(t);
  return EYOT_OK;
}

int eyoti_threads_start(struct eyot_rt *rt, uint32_t asked) {
  uint32_t level;
  EYOTI_TRY(eyoti_threads_wanted(asked, &level));
  if (level < EYOT_THREAD_FUNNELED) level = EYOT_THREAD_FUNNELED;
  if ((rt->fab->caps & FAB_CAP_THREADS) == 0) level = EYOT_THREAD_FUNNELED;
  if (level == EYOT_THREAD_MULTIPLE) {
    EYOTI_TRY(lock_make(rt));
    rt->fast.caller = (struct eyoti_caller){.call = NULL, .site = rt}; /* no mark can be set */
  }
  rt->thread_level = level;
  return EYOT_OK;
}

void eyoti_threads_started(struct eyot_rt *rt) {
  if (rt->threads != NULL) give(rt->threads);
}

void eyoti_threads_stop(struct eyot_rt *rt) {
  struct eyoti_threads *t = rt->threads;
  if (t == NULL) return;
  eyoti_forward_remove(&t->forward, &rt->fab);
  rt->threads = NULL;
  (void)pthread_mutex_unlock(&t->lock);
  (void)pthread_mutex_destroy(&t->lock);
  (void)pthread_mutex_destroy(&t->next);
  free(t);
}
