/* SPDX-License-Identifier: BSD-3-Clause */
/* test_workers.c - threads that take parts of a loop (base/workers.h): each item is done once, all
 * workers take part, and what they leave. ThreadSanitizer sees what the pool does not order. */
#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/workers.h"
#include "fake/fake.h"

enum { WORKERS = 4, ITEMS = 3001 };

/* -- each item once ---------------------------------------------------------------------------- */

struct marks {
  uint32_t times[ITEMS]; /* without atomics: each has one writer, whom the pool orders */
};

static void mark(void *arg, uint64_t from, uint64_t to) {
  struct marks *m = arg;
  if (from >= to || to > ITEMS) abort(); /* no test may fail in a worker */
  for (uint64_t i = from; i < to; i++) m->times[i]++;
}

static void check_marks(struct eyoti_workers *w, uint64_t items, bool brief) {
  static struct marks m;
  memset(&m, 0, sizeof m);
  eyoti_workers_run(w, mark, &m, items, brief);
  for (uint64_t i = 0; i < ITEMS; i++) assert_int_equal(m.times[i], i < items);
}

/* Loops one after the other, which workers that are late may take for each other. */
static void each_item_is_done_once(void **state) {
  (void)state;
  static const uint64_t COUNTS[] = {0, 1, 2, 3, 5, 9, 64, 257, ITEMS};
  check_marks(NULL, ITEMS, false);
  check_marks(NULL, 0, true);
  for (uint32_t n = 1; n <= WORKERS; n++) {
    struct eyoti_workers *w = eyoti_workers_new(n);
    assert_int_equal(eyoti_workers_count(w), n);
    for (uint32_t round = 0; round < 40; round++)
      for (uint32_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        check_marks(w, COUNTS[i], round % 2 != 0);
    eyoti_workers_delete(w);
  }
}

/* -- who takes part ---------------------------------------------------------------------------- */

/* Each item lasts until so many threads are in one. */
struct meeting {
  pthread_mutex_t lock;
  pthread_cond_t all;
  uint32_t here, wanted;
  int rounding;    /* of the caller */
  uint32_t others; /* threads that round in another way */
  pthread_t who[WORKERS + 1];
};

static void meet(void *arg, uint64_t from, uint64_t to) {
  struct meeting *m = arg;
  pthread_mutex_lock(&m->lock);
  if (to - from != 1) abort(); /* a thread that had two could not meet the others in both */
  m->who[m->here++] = pthread_self();
  m->others += fegetround() != m->rounding;
  if (m->here == m->wanted) pthread_cond_broadcast(&m->all);
  while (m->here < m->wanted) pthread_cond_wait(&m->all, &m->lock);
  pthread_mutex_unlock(&m->lock);
}

/* The loop ends only if the caller and all workers do an item each at the same time. */
static void all_take_part(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= WORKERS; n++) {
    struct meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .wanted = n + 1};
    struct eyoti_workers *w = eyoti_workers_new(n);
    eyoti_workers_run(w, meet, &m, n + 1, false);
    uint32_t callers = 0;
    for (uint32_t i = 0; i <= n; i++) callers += pthread_equal(m.who[i], pthread_self()) != 0;
    assert_int_equal(callers, 1);
    assert_int_equal(eyoti_workers_done(w), n);
    eyoti_workers_delete(w);
  }
}

static void none(void *arg, uint64_t from, uint64_t to) {
  (void)arg, (void)from, (void)to;
}

static void pause_ns(long ns) {
  const struct timespec t = {.tv_nsec = ns};
  nanosleep(&t, NULL);
}

static void note_thread(void *arg, uint64_t from, uint64_t to) {
  (void)from, (void)to;
  if (!pthread_equal(pthread_self(), *(pthread_t *)arg)) abort();
}

/* A brief loop that follows none is the caller's alone; one that follows another is shared. */
static void brief_loops_are_shared_in_a_row(void **state) {
  (void)state;
  pthread_t self = pthread_self();
  struct eyoti_workers *w = eyoti_workers_new(1);
  for (uint32_t i = 0; i < 20; i++) {
    pause_ns(2 * (long)EYOTI_WORKERS_AWAKE_NS);
    eyoti_workers_run(w, note_thread, &self, ITEMS, true);
  }
  assert_int_equal(eyoti_workers_done(w), 0);
  /* until the worker wakes, on any machine: the test's limit of time is the bound */
  while (eyoti_workers_done(w) == 0) eyoti_workers_run(w, none, NULL, ITEMS, true);
  eyoti_workers_delete(w);
}

/* -- what they are ----------------------------------------------------------------------------- */

/* Calls `fn` for each thread that has the workers' name; returns how many there are. */
static uint32_t each_worker(void (*fn)(const char *task)) {
  uint32_t n = 0;
  DIR *d = opendir("/proc/self/task");
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = fopen(path, "r");
    if (f == NULL) continue;
    if (fgets(name, sizeof name, f) != NULL && strcmp(name, "eyot-worker\n") == 0) {
      n++;
      if (fn != NULL) fn(e->d_name);
    }
    fclose(f);
  }
  closedir(d);
  return n;
}

static void check_signals(const char *task) {
  char path[300], line[256];
  unsigned long long blocked = 0;
  snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f) != NULL)
    if (sscanf(line, "SigBlk: %llx", &blocked) == 1) break;
  fclose(f);
  assert_true((blocked >> (SIGTERM - 1) & 1) != 0 && (blocked >> (SIGALRM - 1) & 1) != 0);
  assert_true((blocked >> (SIGUSR1 - 1) & 1) != 0 && (blocked >> (SIGURG - 1) & 1) != 0);
  assert_true((blocked >> (SIGSEGV - 1) & 1) == 0 && (blocked >> (SIGBUS - 1) & 1) == 0);
}

static void workers_block_signals_and_end(void **state) {
  (void)state;
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  struct eyoti_workers *w = eyoti_workers_new(3);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
  struct meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .wanted = 4};
  eyoti_workers_run(w, meet, &m, 4, false); /* all have begun, and have their name */
  assert_int_equal(each_worker(check_signals), 3);
  eyoti_workers_delete(w);
  assert_int_equal(each_worker(NULL), 0);
}

static void workers_round_as_their_caller(void **state) {
  (void)state;
  static const int ROUNDINGS[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD};
  struct eyoti_workers *w = eyoti_workers_new(2);
  for (uint32_t i = 0; i < 4; i++) {
    struct meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .wanted = 3,
                        .rounding = ROUNDINGS[i]};
    fesetround(ROUNDINGS[i]);
    eyoti_workers_run(w, meet, &m, 3, false);
    assert_int_equal(m.others, 0);
  }
  fesetround(FE_TONEAREST);
  eyoti_workers_delete(w);
}

/* A pool that is deleted while its workers look for a loop, or before they have run at all. */
static void pools_end_at_any_time(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 50; i++) {
    struct eyoti_workers *w = eyoti_workers_new(1 + i % WORKERS);
    for (uint32_t k = 0; k < i % 3; k++) eyoti_workers_run(w, none, NULL, 7, false);
    if (i % 5 == 0) pause_ns(3 * (long)EYOTI_WORKERS_AWAKE_NS);
    eyoti_workers_delete(w);
  }
  eyoti_workers_delete(NULL);
  assert_int_equal(eyoti_workers_count(NULL), 0);
  assert_int_equal(eyoti_workers_done(NULL), 0);
}

static void there_is_no_pool_without_memory(void **state) {
  (void)state;
  fake_alloc_fail_after(1);
  assert_null(eyoti_workers_new(2));
  fake_alloc_fail_after(0);
  assert_int_equal(each_worker(NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_is_done_once),
                                     cmocka_unit_test(all_take_part),
                                     cmocka_unit_test(brief_loops_are_shared_in_a_row),
                                     cmocka_unit_test(workers_block_signals_and_end),
                                     cmocka_unit_test(workers_round_as_their_caller),
                                     cmocka_unit_test(pools_end_at_any_time),
                                     cmocka_unit_test(there_is_no_pool_without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
