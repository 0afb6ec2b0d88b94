/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.upc - UPC's collective functions and atomics, in UPC: results against what they must
 * be, in all synchronization modes. */
#include <stdio.h>
#include <upc_atomic.h>
#include <upc_collective.h>
#include <upc_relaxed.h>

shared[] int *shared part[THREADS]; /* each thread's own memory */
shared int ring[THREADS], perm[THREADS], sums[THREADS];
shared long count;

static int larger(int a, int b) { return a > b ? a : b; }

static void must(int holds, int line) {
  if (!holds) {
    fprintf(stderr, "collectives.upc:%d: thread %d: not so\n", line, MYTHREAD);
    upc_global_exit(1);
  }
}
#define MUST(condition) must(condition, __LINE__)

static void all(upc_flag_t mode) {
  shared int *row = upc_all_alloc(THREADS, THREADS * sizeof(int));
  int *mine = (int *)&row[MYTHREAD];
  ring[MYTHREAD] = 10 * MYTHREAD + 1;
  perm[MYTHREAD] = (MYTHREAD + 1) % THREADS;
  upc_barrier;
  upc_all_broadcast(sums, ring, sizeof(int), mode);
  upc_barrier;
  MUST(sums[MYTHREAD] == 1);
  upc_all_gather_all(row, ring, sizeof(int), mode);
  upc_barrier;
  for (int t = 0; t < THREADS; t++) MUST(mine[t] == 10 * t + 1);
  upc_barrier;
  upc_all_permute(sums, ring, perm, sizeof(int), mode);
  upc_barrier;
  MUST(sums[MYTHREAD] == 10 * ((MYTHREAD + THREADS - 1) % THREADS) + 1);
  upc_barrier;
  upc_all_reduceI(sums, ring, UPC_ADD, THREADS, 1, NULL, mode);
  upc_barrier;
  MUST(sums[0] == 5 * THREADS * (THREADS - 1) + THREADS);
  upc_barrier;
  upc_all_prefix_reduceI(sums, ring, UPC_FUNC, THREADS, 1, larger, mode);
  upc_barrier;
  MUST(sums[MYTHREAD] == 10 * MYTHREAD + 1);
  upc_barrier;
  upc_all_free(row);
}

int main(void) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_GET, 0);
  long two = 2, seen;
  all(UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  all(UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
  all(UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
  part[MYTHREAD] = upc_alloc(4 * sizeof(int));
  part[MYTHREAD][3] = MYTHREAD;
  upc_atomic_relaxed(domain, NULL, UPC_ADD, &count, &two, NULL);
  upc_barrier;
  int next = (MYTHREAD + 1) % THREADS;
  MUST(part[next][3] == next && upc_threadof(part[next]) == next);
  upc_atomic_strict(domain, &seen, UPC_GET, &count, NULL, NULL);
  MUST(seen == 2 * THREADS);
  upc_barrier;
  upc_free(part[next]);
  upc_all_atomicdomain_free(domain);
  return 0;
}
