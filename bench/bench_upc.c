/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_upc.c - the price of UPC's calls over eyot's own, in one process: each row by eyot's calls
 * (floor), by UPC's (eyot), and by eyot's once more (again, A/A). Collectives have the ALLSYNC
 * modes; by eyot's calls that is a barrier on both sides. On sim times are virtual.
 *
 *   bench_upc rows ROUNDS [DIVISOR]   all rows; DIVISOR: so many times fewer operations
 *   bench_upc notify ROUNDS           upc_notify and upc_wait beside those of D. Lewis, "An
 *     OpenSHMEM Runtime for UPC", 2020, chapter IV: an atomic to every thread, and a wait until all
 *     have come; messages and time of both
 *   bench_upc reduce WAY ROUNDS       reductions of long arrays of doubles, in a row and apart from
 *     each other; the suite gives each WAY another EYOT_REDUCE_THREADS (Lewis, figure 18) */
#include "bench_upc.h"

#include <eyot/upc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { MODE = UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC };

static upc_shared_t src, dst, result; /* BENCH_UPC_BYTES on each thread; a double */
static upc_shared_t there;            /* thread 1's part of dst */
static char *buffer;                  /* private */
static double *mine;                  /* the caller's part of src */

BENCH_UPC_LOOP(upc_put, eyot_now_ns(), upc_memput(there, buffer, (size_t)size); upc_fence())
BENCH_UPC_LOOP(upc_get, eyot_now_ns(), upc_memget(buffer, there, (size_t)size))
BENCH_UPC_LOOP(upc_barriers, eyot_now_ns(), upc_barrier())
BENCH_UPC_LOOP(upc_splits, eyot_now_ns(), upc_notify(); upc_wait())
BENCH_UPC_LOOP(upc_broadcasts, eyot_now_ns(), upc_all_broadcast(dst, src, (size_t)size, MODE))
BENCH_UPC_LOOP(upc_reductions, eyot_now_ns(),
               upc_all_reduceD(result, src, UPC_ADD, (size_t)(size *THREADS), (size_t)size, NULL,
                               MODE))

static void own_split(void) {
  must(eyot_barrier_notify(EYOT_TEAM_ALL, NULL), "eyot_barrier_notify");
  must(eyot_barrier_wait(EYOT_TEAM_ALL, NULL), "eyot_barrier_wait");
}
static void own_barrier(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}
static void own_broadcast(uint64_t bytes) {
  own_barrier();
  must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, buffer, bytes), "eyot_broadcast");
  own_barrier();
}
static void own_reduce(int n) {
  double sum = 0, all;
  own_barrier();
  for (int i = 0; i < n; i++) sum += mine[i];
  must(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){0}, EYOT_DOUBLE, EYOT_SUM, &sum, &all, 1),
       "eyot_reduce");
  own_barrier();
}

BENCH_UPC_LOOP(own_put, eyot_now_ns(), must(eyot_put(there.at, buffer, (uint64_t)size), "eyot_put"))
BENCH_UPC_LOOP(own_get, eyot_now_ns(), must(eyot_get(buffer, there.at, (uint64_t)size), "eyot_get"))
BENCH_UPC_LOOP(own_barriers, eyot_now_ns(), own_barrier())
BENCH_UPC_LOOP(own_splits, eyot_now_ns(), own_split())
BENCH_UPC_LOOP(own_broadcasts, eyot_now_ns(), own_broadcast((uint64_t)size))
BENCH_UPC_LOOP(own_reductions, eyot_now_ns(), own_reduce(size))

static bench_upc_loop *const UPC[BENCH_UPC_KINDS] = {[PUT] = upc_put,
                                                     [GET] = upc_get,
                                                     [BARRIER] = upc_barriers,
                                                     [NOTIFY] = upc_splits,
                                                     [BROADCAST] = upc_broadcasts,
                                                     [REDUCE] = upc_reductions};
static bench_upc_loop *const OWN[BENCH_UPC_KINDS] = {[PUT] = own_put,
                                                     [GET] = own_get,
                                                     [BARRIER] = own_barriers,
                                                     [NOTIFY] = own_splits,
                                                     [BROADCAST] = own_broadcasts,
                                                     [REDUCE] = own_reductions};

static bool on_sim(void) {
  return strcmp(eyot_fabric_name(), "sim") == 0;
}

/* One measurement, after a few operations that are not measured; thread 0 prints it. */
static void measure(const struct bench_upc_row *row, const char *way, bench_upc_loop *loop, int n,
                    bool print) {
  upc_barrier();
  if (MYTHREAD != 0 && !bench_upc_all_call(row)) return;
  (void)loop(n / 10 + 1, row->size);
  double ns = loop(n, row->size);
  if (MYTHREAD != 0 || !print) return;
  if (on_sim())
    printf("value %s_%s@%d latency_virtual us %.6f\n", row->name, way, THREADS, ns / 1e3);
  else
    printf("value %s_%s time ns %.4f\n", row->name, way, ns);
}

static void rows(int rounds, int divisor) {
  for (int round = on_sim() ? 0 : -1; round < rounds; round++) /* -1 is not printed */
    for (size_t r = 0; r < BENCH_UPC_N; r++) {
      const struct bench_upc_row *row = &BENCH_UPC_ROWS[r];
      int n = bench_upc_count(row, divisor);
      measure(row, "floor", OWN[row->what], n, round >= 0);
      measure(row, "eyot", UPC[row->what], n, round >= 0);
      measure(row, "again", OWN[row->what], n, round >= 0);
    }
}

/* -- notify by an atomic to every thread ------------------------------------------------------- */

UPC_SHARED_ARRAY(uint64_t, arrived, 1);
static uint64_t one = 1, awaited;

static void atomics_notify(void) {
  upc_fence();
  for (int i = 1; i <= THREADS; i++) {
    int to = (MYTHREAD + i) % THREADS; /* not all to one thread at a time */
    must(eyot_accumulate_nbi(upc_add(upc_shared_array(arrived), to, sizeof one, 1).at, EYOT_UINT64,
                             EYOT_SUM, &one),
         "eyot_accumulate_nbi");
  }
}
static void atomics_wait(void) {
  awaited += (uint64_t)THREADS;
  must(eyot_wait_until(upc_add(upc_shared_array(arrived), MYTHREAD, sizeof one, 1).at, EYOT_CMP_GE,
                       awaited, NULL),
       "eyot_wait_until");
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
}
BENCH_UPC_LOOP(atomics_splits, eyot_now_ns(), atomics_notify(); atomics_wait())

static void notify_way(const char *way, bench_upc_loop *loop, int rounds) {
  eyot_counts_t c;
  upc_barrier();
  double ns = loop(rounds, 0);
  upc_barrier();
  must(eyot_count_begin(), "eyot_count_begin");
  (void)loop(rounds, 0);
  must(eyot_count_read(&c), "eyot_count_read");
  must(eyot_count_end(), "eyot_count_end");
  if (MYTHREAD != 0) return;
  printf("value notify_%s@%d wait_virtual us %.6f\n", way, THREADS, ns / 1e3);
  printf("value notify_%s@%d messages_of_a_thread - %.2f\n", way, THREADS,
         (double)(c.puts + c.gets + c.atomics + c.signals) / rounds);
}

/* -- long reductions --------------------------------------------------------------------------- */

enum { LONG_MOST = 16 << 20, APART_NS = 200000 };

/* One reduction of `bytes` a thread; apart: a pause is before it. */
static double long_reduction(upc_shared_t array, size_t bytes, bool apart) {
  const struct timespec pause = {.tv_nsec = APART_NS};
  size_t n = bytes / sizeof(double);
  if (apart) nanosleep(&pause, NULL);
  double start = (double)eyot_now_ns();
  upc_all_reduceD(result, array, UPC_ADD, n * (size_t)THREADS, n, NULL,
                  UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
  return (double)eyot_now_ns() - start;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Medians: a mean would have the time slices of other programs. */
static void long_way(const char *way, int rounds) {
  enum { OPERATIONS = 31 };
  static const struct {
    const char *name;
    size_t bytes;
  } ROWS[] = {{"64KiB", 64 << 10},
              {"512KiB", 512 << 10},
              {"1MiB", 1 << 20},
              {"4MiB", 4 << 20},
              {"16MiB", LONG_MOST}};
  upc_shared_t array = upc_all_alloc((size_t)THREADS, LONG_MOST);
  double *x = upc_cast(upc_add(array, MYTHREAD, LONG_MOST, 1)), ns[OPERATIONS];
  for (size_t i = 0; i < LONG_MOST / sizeof *x; i++) x[i] = 1.0;
  upc_barrier();
  for (int round = 0; round < rounds; round++)
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++)
      for (int apart = 0; apart < 2; apart++) {
        for (int i = -2; i < OPERATIONS; i++) {
          double t = long_reduction(array, ROWS[r].bytes, apart);
          if (i >= 0) ns[i] = t;
        }
        qsort(ns, OPERATIONS, sizeof *ns, by_value);
        if (MYTHREAD == 0)
          printf("value reduce_%s%s_%s time ns %.1f\n", apart ? "apart_" : "", ROWS[r].name, way,
                 ns[OPERATIONS / 2]);
      }
  double sum = upc_relaxed_get(double, result);
  if (sum != LONG_MOST / sizeof *x * (double)THREADS)
    eyot_abort(1, "bench_upc: a long reduction has a wrong result");
  upc_barrier();
  if (MYTHREAD == 0) upc_free(array);
}

static void begin(void) {
  src = upc_all_alloc((size_t)THREADS, BENCH_UPC_BYTES);
  dst = upc_all_alloc((size_t)THREADS, BENCH_UPC_BYTES);
  result = upc_all_alloc(1, sizeof(double));
  there = upc_add(dst, THREADS > 1, BENCH_UPC_BYTES, 1);
  buffer = calloc(1, BENCH_UPC_BYTES);
  mine = upc_cast(upc_add(src, MYTHREAD, BENCH_UPC_BYTES, 1));
  if (buffer == NULL) eyot_abort(1, "bench_upc: no memory");
  for (int i = 0; i < BENCH_UPC_BYTES / 1024; i++) mine[i] = 1.0;
  upc_barrier();
}

int main(int argc, char **argv) {
  upc_init();
  bool reduce = argc == 4 && strcmp(argv[1], "reduce") == 0;
  int rounds = argc > 2 ? atoi(argv[reduce ? 3 : 2]) : 0;
  int divisor = argc > 3 && !reduce ? atoi(argv[3]) : 1;
  bool notify = argc == 3 && strcmp(argv[1], "notify") == 0;
  if (rounds < 1 || divisor < 1 || argc > 4 ||
      (!notify && !reduce && strcmp(argv[1], "rows") != 0)) {
    if (MYTHREAD == 0)
      fprintf(stderr,
              "usage: bench_upc rows ROUNDS [DIVISOR] | bench_upc notify ROUNDS | "
              "bench_upc reduce WAY ROUNDS\n");
    upc_finalize();
    return 2;
  }
  begin();
  if (reduce) {
    long_way(argv[2], rounds);
  } else if (notify) {
    notify_way("upc", upc_splits, rounds);
    notify_way("atomics", atomics_splits, rounds);
  } else {
    rows(rounds, divisor);
    double sum = upc_relaxed_get(double, result);
    if (sum != 1024.0 * THREADS) eyot_abort(1, "bench_upc: a reduction has a wrong result");
  }
  fflush(stdout);
  free(buffer);
  upc_finalize();
  return 0;
}
