/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_upc_programs.c - examples/upc's cpi, stream and gups by OpenSHMEM's calls, with the same
 * sizes, timed over the same statements: of suite_upc.sh, for Open MPI's OpenSHMEM. Each verifies
 * its result.
 *
 *   peer_upc_programs WHO PREFIX   lines `value PREFIX_PROGRAM_WHO program_wall ms N` */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "../examples/gups/gups_stream.h"
#include "clock.h"

enum { INTERVALS = 1000000, ELEMENTS = 4000000, PASSES = 10, LOG2_WORDS = 21, UPDATES = 3640838 };
static const double PI = 3.14159265358979323846, ALPHA = 1.5;

static long psync[SHMEM_REDUCE_SYNC_SIZE];
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static double one, all;
static int me, n;

static double now_ms(void) {
  return wall_ns() * 1e-6;
}

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "peer_upc_programs: %s\n", what);
  shmem_global_exit(1);
}

static double sum_of(double mine) {
  shmem_barrier_all();
  one = mine;
  shmem_double_sum_to_all(&all, &one, 1, 0, 0, n, work, psync);
  shmem_barrier_all();
  return all;
}

static double cpi(void) {
  double begin = now_ms(), h = 1.0 / INTERVALS, sum = 0;
  for (int i = me; i < INTERVALS; i += n) {
    double x = h * ((double)i + 0.5);
    sum += 4.0 / (1.0 + x * x);
  }
  double pi = sum_of(h * sum), took = now_ms() - begin;
  require(fabs(pi - PI) < 1e-10, "cpi is wrong");
  return took;
}

static double stream(void) {
  int block = (ELEMENTS + n - 1) / n, first = me * block;
  int mine = first + block < ELEMENTS ? block : ELEMENTS > first ? ELEMENTS - first : 0;
  double *a = shmem_malloc((size_t)block * sizeof *a), *b = shmem_malloc((size_t)block * sizeof *b),
         *c = shmem_malloc((size_t)block * sizeof *c), best = INFINITY, wrong = 0;
  require(a != NULL && b != NULL && c != NULL, "no memory for the arrays");
  for (int i = 0; i < mine; i++) {
    a[i] = -1.0;
    b[i] = 1.0 + (first + i) % 1009;
    c[i] = 2.0 - (first + i) % 31;
  }
  shmem_barrier_all();
  for (int pass = 0; pass < PASSES; pass++) {
    double begin = now_ms();
    for (int i = 0; i < mine; i++) a[i] = b[i] + ALPHA * c[i];
    shmem_barrier_all();
    best = fmin(best, now_ms() - begin);
  }
  for (int i = 0; i < mine; i++) wrong += a[i] != b[i] + ALPHA * c[i];
  require(sum_of(wrong) == 0, "stream is wrong");
  shmem_free(c);
  shmem_free(b);
  shmem_free(a);
  return best;
}

/* The caller's share of the updates; words that two PEs update at once may lose one. */
static double updates(uint64_t *table, int atomic) {
  uint64_t share = UPDATES / (uint64_t)n, rest = UPDATES % (uint64_t)n, who = (uint64_t)me;
  uint64_t x = gups_at(share * who + (who < rest ? who : rest)), mask = (1u << LOG2_WORDS) - 1;
  double begin = now_ms();
  for (uint64_t left = share + (who < rest); left > 0; left--) {
    x = gups_next(x);
    uint64_t *word = &table[(x & mask) / (uint64_t)n];
    int at = (int)((x & mask) % (uint64_t)n);
    if (atomic)
      shmem_uint64_atomic_xor(word, x, at);
    else
      shmem_uint64_p(word, shmem_uint64_g(word, at) ^ x, at);
  }
  shmem_barrier_all();
  return now_ms() - begin;
}

static double gups(void) {
  uint64_t words = UINT64_C(1) << LOG2_WORDS, count = (words + (uint64_t)n - 1) / (uint64_t)n;
  uint64_t *table = shmem_malloc(count * sizeof *table);
  double wrong = 0;
  require(table != NULL, "no memory for the table");
  for (uint64_t i = 0; i < count; i++) table[i] = i * (uint64_t)n + (uint64_t)me;
  shmem_barrier_all();
  double took = updates(table, 0);
  (void)updates(table, 1); /* undoes them */
  for (uint64_t i = 0; i < count; i++) wrong += table[i] != i * (uint64_t)n + (uint64_t)me;
  require(sum_of(wrong) < 0.01 * (double)words, "gups is wrong: more than 1 % of the words");
  shmem_free(table);
  return took;
}

int main(int argc, char **argv) {
  static double (*const PROGRAMS[])(void) = {cpi, stream, gups};
  static const char *const NAMES[] = {"cpi", "stream", "gups"};
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  require(argc > 2, "WHO and PREFIX are needed");
  for (size_t i = 0; i < sizeof psync / sizeof *psync; i++) psync[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < 3; i++) {
    shmem_barrier_all();
    double ms = PROGRAMS[i]();
    if (me == 0) printf("value %s_%s_%s program_wall ms %.6f\n", argv[2], NAMES[i], argv[1], ms);
  }
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
