/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem_gups.c - RandomAccess by OpenSHMEM, with the steps of bench_gups: shmem_uint64_g,
 * shmem_uint64_p and a quiet, and an atomic fetch-and-add that counts. It is verified in the same
 * way. */
#include <stdlib.h>

#include "../examples/gups/gups_stream.h"
#include "peer_shmem.h"

/* As in bench_gups.c and bench_gups.h. */
#define BLOCK_NS 20e6
#define RA_STREAM UINT64_C(0x5851f42d4c957f2d)
enum { UPDATES_LEAST = 8, UPDATES_A_WORD = 4, LOST_ONE_IN = 100, LOG2_MOST = 24 };

struct table {
  uint64_t *part; /* words, the count of updates of them, and on PE 0 two sums */
  uint64_t words, mask;
  int log2_words;
};

static uint64_t time_of_0;

static void update(const struct table *t, uint64_t x, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    x = gups_next(x);
    uint64_t i = x & t->mask, *word = t->part + (i & (t->words - 1));
    int pe = (int)(i >> t->log2_words);
    uint64_t value = shmem_uint64_g(word, pe);
    shmem_uint64_p(word, value ^ x, pe);
    shmem_quiet();
    (void)shmem_ulong_atomic_fetch_add(t->part + t->words, 1, pe);
  }
}

/* 0: as HPCC allows, and all are counted. */
static int verify(const struct table *t, uint64_t n) {
  uint64_t me = (uint64_t)shmem_my_pe(), all = n * (uint64_t)shmem_n_pes(), wrong = 0,
           *sums = t->part + t->words + 1, x = gups_at(RA_STREAM);
  for (uint64_t k = 0; k < all; k++) {
    x = gups_next(x);
    uint64_t i = x & t->mask;
    if (i >> t->log2_words == me) t->part[i & (t->words - 1)] ^= x;
  }
  for (uint64_t k = 0; k < t->words; k++) wrong += t->part[k] != t->words * me + k;
  shmem_ulong_atomic_add(&sums[0], wrong, 0);
  shmem_ulong_atomic_add(&sums[1], t->part[t->words], 0);
  shmem_barrier_all();
  uint64_t lost = shmem_uint64_g(&sums[0], 0), counted = shmem_uint64_g(&sums[1], 0),
           base = all < t->mask ? all : t->mask;
  shmem_barrier_all();
  if (counted == all && lost * LOST_ONE_IN <= base) return 0;
  if (me == 0)
    fprintf(stderr, "peer_shmem: gups not verified: %lu of %lu updates counted, %lu words wrong\n",
            counted, all, lost);
  return 1;
}

/* PE 0's ns until all have made so many updates each, on all; negative: not verified. */
static double block(const struct table *t, uint64_t n) {
  uint64_t x = gups_at(RA_STREAM + n * (uint64_t)shmem_my_pe());
  for (uint64_t k = 0; k < t->words; k++) t->part[k] = t->words * (uint64_t)shmem_my_pe() + k;
  for (uint64_t k = 0; k < 3; k++) t->part[t->words + k] = 0;
  shmem_barrier_all();
  double begin = wall_ns();
  update(t, x, n);
  shmem_barrier_all();
  time_of_0 = (uint64_t)(wall_ns() - begin);
  if (verify(t, n) != 0) return -1;
  double ns = (double)shmem_uint64_g(&time_of_0, 0);
  shmem_barrier_all();
  return ns;
}

static int measure(const struct table *t, const char *place, int rounds) {
  uint64_t n = UPDATES_LEAST, most = t->words * UPDATES_A_WORD;
  double ns = 0;
  while (n < most && ns >= 0 && (ns = block(t, n)) < BLOCK_NS) n *= 2;
  for (int round = 0; ns >= 0 && round < rounds; round++) {
    ns = block(t, n < most ? n : most);
    if (ns > 0 && shmem_my_pe() == 0)
      printf("value shmem@%d rate_wall_%s GUP/s %.6g\n", shmem_n_pes(), place,
             (double)((n < most ? n : most) * (uint64_t)shmem_n_pes()) / ns);
  }
  return ns < 0;
}

int gups_rounds(const char *place, int log2_words, int rounds) {
  int pes = shmem_n_pes();
  if ((pes & (pes - 1)) != 0 || log2_words < 1 || log2_words > LOG2_MOST) return 1;
  struct table t = {.words = UINT64_C(1) << log2_words, .log2_words = log2_words};
  t.mask = t.words * (uint64_t)pes - 1;
  t.part = shmem_align(64, (t.words + 3) * sizeof *t.part);
  if (t.part == NULL) return 1;
  int code = measure(&t, place, rounds);
  shmem_free(t.part);
  return code;
}
