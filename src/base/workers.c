/* SPDX-License-Identifier: BSD-3-Clause */
/* workers.c - implements workers.h.
 *
 * One mutex guards the loop that runs: its next item and how many workers do some. An item takes
 * some microseconds, and a thread takes several at a time, so the mutex is mostly free. A thread
 * takes a share of what is left, so that all end at about the same time, also those that began
 * late. */
#include "base/workers.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"

#define PER_CLOCK 16u              /* looks for the next loop between two of the clock */
#define STACK_BYTES (256u * 1024u) /* a handler of crashes may run on it */
#define SPINS 2000u /* looks for the end of the others' last items, before it sleeps */

struct eyoti_workers {
  pthread_mutex_t lock;
  pthread_cond_t posted, idle; /* there are items; no worker does any */
  eyoti_workers_fn *fn;
  void *arg;
  fenv_t floats;        /* how the caller's processor rounds, in the present loop */
  uint64_t items, next; /* of it */
  uint64_t done;        /* by workers, of all loops */
  uint32_t busy;   /* workers that do items; written with the lock, read without by the caller */
  uint64_t posts;  /* loops so far; written with the lock, read without by workers that are awake */
  uint32_t asleep; /* workers that wait for a loop */
  uint64_t ended_ns; /* of the last loop, the caller's */
  bool stop;
  uint32_t n;
  pthread_t id[];
};

static uint64_t now_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Takes a share of the items that are left; false: none is. With the lock. */
static bool take(struct eyoti_workers *w, uint64_t *from, uint64_t *to) {
  uint64_t left = w->items - w->next, share = left / (2 * (uint64_t)(w->n + 1));
  if (left == 0) return false;
  *from = w->next;
  *to = w->next += share == 0 ? 1 : share;
  return true;
}

static void set_busy(struct eyoti_workers *w, uint32_t busy) {
  __atomic_store_n(&w->busy, busy, __ATOMIC_RELAXED); /* the lock orders what the items write */
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Loops often follow each other: looks for the next one for a while. With the lock, but for that
 * while. */
static void look_for_next(struct eyoti_workers *w) {
  const uint64_t posts = w->posts;
  pthread_mutex_unlock(&w->lock);
  const uint64_t until_ns = now_ns() + EYOTI_WORKERS_AWAKE_NS;
  for (uint32_t i = 1; __atomic_load_n(&w->posts, __ATOMIC_RELAXED) == posts; i++) {
    if (i % PER_CLOCK == 0 && now_ns() >= until_ns) break;
    relax();
  }
  pthread_mutex_lock(&w->lock);
}

static void *worker_run(void *arg) {
  struct eyoti_workers *w = arg;
  uint64_t from, to, looked = 0; /* the loop after which it has looked for the next */
  pthread_mutex_lock(&w->lock);
  while (!w->stop) {
    if (!take(w, &from, &to)) {
      if (looked != w->posts) {
        looked = w->posts;
        look_for_next(w);
        continue;
      }
      w->asleep++;
      pthread_cond_wait(&w->posted, &w->lock);
      w->asleep--;
      continue;
    }
    set_busy(w, w->busy + 1);
    pthread_mutex_unlock(&w->lock);
    (void)fesetenv(&w->floats);
    w->fn(w->arg, from, to);
    pthread_mutex_lock(&w->lock);
    w->done += to - from;
    set_busy(w, w->busy - 1);
    if (w->busy == 0) pthread_cond_signal(&w->idle);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* -- making them ------------------------------------------------------------------------------- */

/* Signals go to the threads of the program; those of a fault come to the thread that made it. */
static void worker_signals(sigset_t *set) {
  static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigfillset(set);
  for (uint32_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) sigdelset(set, FAULTS[i]);
}

static int start_all(struct eyoti_workers *w, uint32_t n) {
  pthread_attr_t attr;
  sigset_t blocked, before;
  int rc = pthread_attr_init(&attr);
  if (rc != 0) return rc;
  (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
  worker_signals(&blocked);
  pthread_sigmask(SIG_BLOCK, &blocked, &before); /* a thread begins with its maker's */
  while (w->n < n && rc == 0) {
    pthread_mutex_lock(&w->lock);
    rc = pthread_create(&w->id[w->n], &attr, worker_run, w);
    if (rc == 0) (void)pthread_setname_np(w->id[w->n++], "eyot-worker");
    pthread_mutex_unlock(&w->lock);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return rc;
}

struct eyoti_workers *eyoti_workers_new(uint32_t n) {
  EYOTI_ASSERT(n > 0 && n <= EYOTI_WORKERS_MOST);
  struct eyoti_workers *w = calloc(1, sizeof *w + n * sizeof w->id[0]);
  int rc = EYOT_ENOMEM;
  if (w != NULL) {
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->posted, NULL);
    pthread_cond_init(&w->idle, NULL);
    rc = start_all(w, n);
  }
  uint32_t made = eyoti_workers_count(w);
  if (made < n)
    eyoti_log(EYOTI_LOG_INFO, __func__, 0, "%u of %u threads that combine were started (error %d)",
              made, n, rc);
  if (made > 0) return w;
  eyoti_workers_delete(w);
  return NULL;
}

uint32_t eyoti_workers_count(const struct eyoti_workers *w) {
  return w != NULL ? w->n : 0;
}

void eyoti_workers_delete(struct eyoti_workers *w) {
  if (w == NULL) return;
  pthread_mutex_lock(&w->lock);
  w->stop = true;
  pthread_cond_broadcast(&w->posted);
  pthread_mutex_unlock(&w->lock);
  for (uint32_t i = 0; i < w->n; i++) pthread_join(w->id[i], NULL);
  pthread_cond_destroy(&w->idle);
  pthread_cond_destroy(&w->posted);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

/* -- a loop ------------------------------------------------------------------------------------ */

/* The items that workers have taken; what they have written comes with the lock. */
static void await_workers(struct eyoti_workers *w) {
  for (uint32_t i = 0; i < SPINS && __atomic_load_n(&w->busy, __ATOMIC_RELAXED) > 0; i++) relax();
  pthread_mutex_lock(&w->lock);
  while (w->busy > 0) pthread_cond_wait(&w->idle, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

/* By the caller and the workers. */
static void run_shared(struct eyoti_workers *w, eyoti_workers_fn *fn, void *arg, uint64_t items) {
  uint64_t from, to;
  pthread_mutex_lock(&w->lock);
  w->fn = fn;
  w->arg = arg;
  (void)fegetenv(&w->floats);
  w->items = items;
  w->next = 0;
  __atomic_store_n(&w->posts, w->posts + 1, __ATOMIC_RELAXED);
  bool sleep = w->asleep > 0;
  pthread_mutex_unlock(&w->lock);
  if (sleep) pthread_cond_broadcast(&w->posted);
  for (;;) {
    pthread_mutex_lock(&w->lock);
    bool some = take(w, &from, &to);
    pthread_mutex_unlock(&w->lock);
    if (!some) break;
    fn(arg, from, to);
  }
  await_workers(w);
}

void eyoti_workers_run(struct eyoti_workers *w, eyoti_workers_fn *fn, void *arg, uint64_t items,
                       bool brief) {
  if (w == NULL) {
    if (items > 0) fn(arg, 0, items);
    return;
  }
  bool alone = items < 2 || (brief && now_ns() - w->ended_ns > EYOTI_WORKERS_AWAKE_NS);
  if (!alone)
    run_shared(w, fn, arg, items);
  else if (items > 0)
    fn(arg, 0, items);
  w->ended_ns = now_ns();
}

uint64_t eyoti_workers_done(struct eyoti_workers *w) {
  if (w == NULL) return 0;
  pthread_mutex_lock(&w->lock);
  uint64_t done = w->done;
  pthread_mutex_unlock(&w->lock);
  return done;
}
