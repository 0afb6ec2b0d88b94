/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_shmem.c - the price of OpenSHMEM calls within a node, between two PEs: puts and gets of the
 * heap and of static objects, atomics, signals, waits, locks, collectives. One source for all
 * implementations: suite_shmem.sh builds it by the compilers of Open MPI and Sandia OpenSHMEM too,
 * and prints what each says. In eyot's (BENCH_OWN) the loop of eyot's own call runs before and
 * after each.
 *
 *   bench_shmem WHO ROUNDS [DIVISOR]
 *
 * WHO: the end of the names in lines `value ROW_WHO time ns N`. DIVISOR: so many times fewer
 * operations, for slow networks. */
#include "bench_shmem.h"

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1000, LARGE = 4096, MIB = 1 << 20 };

static long *heap;               /* BATCH words */
static char *large;              /* LARGE bytes */
static long statics[8], lock[1]; /* words of the program */
static int narrow[2];
static int divisor = 1;
static long trips, psync[SHMEM_BCAST_SYNC_SIZE];
static uint64_t *signals;

double bench_shmem_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define LOOP(name, step)                   \
  static double name(int n) {              \
    long value = 0;                        \
    double begin = bench_shmem_ns();       \
    for (int i = 0; i < n; i++) {          \
      value += 1;                          \
      RELOAD(&value);                      \
      step;                                \
    }                                      \
    RELOAD(&value);                        \
    return (bench_shmem_ns() - begin) / n; \
  }

static void batch(void) {
  long value;
  for (int k = 0; k < BATCH; k++) {
    value = k;
    RELOAD(&value);
    shmem_long_put_nbi(&heap[k], &value, 1, 1);
  }
  shmem_quiet();
}

/* A word goes from PE 0 to PE 1 and back; each waits for the next number. */
static void trip(void) {
  long next = trips + 1;
  if (shmem_my_pe() == 0) shmem_long_p(&statics[4], next, 1);
  shmem_long_wait_until(&statics[4], SHMEM_CMP_EQ, next);
  if (shmem_my_pe() == 1) shmem_long_p(&statics[4], next, 0);
  trips = next;
}

static void allocate(void) {
  void *p = shmem_malloc(MIB);
  shmem_free(p);
}

LOOP(put, shmem_long_put(heap, &value, 1, 1))
LOOP(put_static, shmem_long_put(statics, &value, 1, 1))
LOOP(p, shmem_long_p(heap, value, 1))
LOOP(p_static, shmem_long_p(statics, value, 1))
LOOP(get, shmem_long_get(&value, heap, 1, 1))
LOOP(get_static, shmem_long_get(&value, statics, 1, 1))
LOOP(g, value = shmem_long_g(heap, 1))
LOOP(putmem, shmem_putmem(large, large, LARGE, 1))
LOOP(put_quiet, shmem_long_put_nbi(heap, &value, 1, 1); shmem_quiet())
LOOP(put_fence, shmem_long_put(heap, &value, 1, 1); shmem_fence())
LOOP(batches, batch())
LOOP(fetch, value = shmem_long_atomic_fetch(heap, 1))
LOOP(set, shmem_long_atomic_set(heap, value, 1))
LOOP(add, shmem_long_atomic_add(heap, value, 1))
LOOP(fetch_add, value = shmem_long_atomic_fetch_add(heap, 1, 1))
LOOP(fetch_add_static, value = shmem_long_atomic_fetch_add(statics, 1, 1))
LOOP(fetch_add_narrow, value = shmem_int_atomic_fetch_add(narrow, 1, 1))
LOOP(swap, value = shmem_long_atomic_swap(heap, value, 1))
LOOP(compare_swap, value = shmem_long_atomic_compare_swap(heap, value - 1, value, 1))
LOOP(test, value += shmem_long_test(&statics[5], SHMEM_CMP_EQ, 0))
LOOP(wait_true, shmem_long_wait_until(&statics[5], SHMEM_CMP_EQ, 0))
LOOP(trips_p, trip())
LOOP(pair, shmem_set_lock(lock); shmem_clear_lock(lock))
LOOP(barrier, shmem_barrier_all())
LOOP(sync_all, shmem_sync_all())
/* psync may be used again when all have left. */
LOOP(broadcast, shmem_broadcast64(&heap[8], &heap[9], 1, 0, 0, 0, 2, psync); shmem_sync_all())
LOOP(allocations, allocate())

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
static uint64_t signaled;
static void trip_signal(void) {
  uint64_t next = signaled + 1;
  long word = (long)next;
  if (shmem_my_pe() == 0) shmem_long_put_signal(heap, &word, 1, signals, next, SHMEM_SIGNAL_SET, 1);
  shmem_signal_wait_until(signals, SHMEM_CMP_EQ, next);
  if (shmem_my_pe() == 1) shmem_long_put_signal(heap, &word, 1, signals, next, SHMEM_SIGNAL_SET, 0);
  signaled = next;
}
LOOP(put_signal, shmem_long_put_signal(heap, &value, 1, &signals[1], 1, SHMEM_SIGNAL_SET, 1))
LOOP(trips_signal, trip_signal())
#endif

enum { ONE, BOTH };

static const struct {
  const char *what;
  bench_shmem_loop *loop;
  int n;
  int who;   /* BOTH: of both PEs at the same time */
  int share; /* how many PEs take turns in the counted operations */
} ROWS[] = {
    {"put_8B", put, 20000, ONE, 1},
    {"put_8B_static", put_static, 20000, ONE, 1},
    {"p", p, 20000, ONE, 1},
    {"p_static", p_static, 20000, ONE, 1},
    {"get_8B", get, 20000, ONE, 1},
    {"get_8B_static", get_static, 20000, ONE, 1},
    {"g", g, 20000, ONE, 1},
    {"putmem_4KiB", putmem, 2000, ONE, 1},
    {"put_nbi_and_quiet", put_quiet, 20000, ONE, 1},
    {"put_and_fence", put_fence, 20000, ONE, 1},
    {"1000_put_nbi_and_quiet", batches, 20, ONE, 1},
    {"atomic_fetch", fetch, 10000, ONE, 1},
    {"atomic_set", set, 10000, ONE, 1},
    {"atomic_add", add, 10000, ONE, 1},
    {"atomic_fetch_add", fetch_add, 10000, ONE, 1},
    {"atomic_fetch_add_static", fetch_add_static, 10000, ONE, 1},
    {"atomic_fetch_add_4B", fetch_add_narrow, 10000, ONE, 1},
    {"atomic_swap", swap, 10000, ONE, 1},
    {"atomic_compare_swap", compare_swap, 10000, ONE, 1},
    {"test_true", test, 20000, ONE, 1},
    {"wait_until_true", wait_true, 20000, ONE, 1},
    {"p_and_wait_trip", trips_p, 2000, BOTH, 1},
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    {"put_signal", put_signal, 10000, ONE, 1},
    {"put_signal_trip", trips_signal, 2000, BOTH, 1},
#endif
    {"lock_alone", pair, 5000, ONE, 1},
    {"lock_contended", pair, 1000, BOTH, 2},
    {"barrier_all", barrier, 2000, BOTH, 1},
    {"sync_all", sync_all, 2000, BOTH, 1},
    {"broadcast64_and_sync", broadcast, 1000, BOTH, 1},
    {"malloc_free_1MiB", allocations, 20, BOTH, 1},
};

static int operations(size_t row) {
  int n = ROWS[row].n / divisor;
  return n < 10 ? 10 : n;
}

/* One measurement; PE 0 prints it. */
static void measure(const char *what, const char *who, bench_shmem_loop *loop, size_t row) {
  shmem_barrier_all();
  if (shmem_my_pe() != 0 && ROWS[row].who == ONE) return;
  double ns = loop(operations(row)) / ROWS[row].share;
  shmem_quiet();
  if (shmem_my_pe() == 0) printf("value %s_%s time ns %.4f\n", what, who, ns);
}

static void rounds(const char *who, int n) {
  for (int round = -1; round < n; round++) { /* the first is not printed */
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
      if (round < 0) {
        shmem_barrier_all();
        if (shmem_my_pe() == 0 || ROWS[r].who == BOTH) (void)ROWS[r].loop(operations(r) / 10);
        continue;
      }
#ifdef BENCH_OWN
      bench_shmem_loop *own = bench_shmem_own(ROWS[r].what);
      if (own != NULL) measure(ROWS[r].what, "floor", own, r);
      measure(ROWS[r].what, who, ROWS[r].loop, r);
      if (own != NULL) measure(ROWS[r].what, "again", own, r);
#else
      measure(ROWS[r].what, who, ROWS[r].loop, r);
#endif
    }
  }
}

int main(int argc, char **argv) {
  shmem_init();
  heap = shmem_malloc(BATCH * sizeof *heap);
  large = shmem_malloc(LARGE);
  signals = shmem_malloc(2 * sizeof *signals);
  int n = argc > 2 ? atoi(argv[2]) : 0, failed = 0;
  if (argc == 4) divisor = atoi(argv[3]);
  if (n < 1 || divisor < 1 || argc > 4 || shmem_n_pes() != 2 || heap == NULL || large == NULL ||
      signals == NULL)
    failed = 2;
#ifdef BENCH_OWN
  if (failed == 0 && bench_shmem_own_begin() != 0) failed = 1;
#endif
  if (failed != 0) {
    fprintf(stderr, "bench_shmem: WHO and ROUNDS, two PEs, and memory are needed\n");
    shmem_global_exit(failed);
  }
  memset(heap, 0, BATCH * sizeof *heap);
  signals[0] = signals[1] = 0;
  for (size_t i = 0; i < sizeof psync / sizeof *psync; i++) psync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  rounds(argv[1], n);
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
