/* SPDX-License-Identifier: BSD-3-Clause */
/* active.c - the deprecated collective functions of active sets, over sets whose members alone
 * call, while other PEs do other things. */
#include "tests/openshmem/check.h"

enum { EACH = 2, MOST = 64 };

static long sync_words[SHMEM_REDUCE_SYNC_SIZE], sync_more[SHMEM_BARRIER_SYNC_SIZE];

/* The set in use: its members are first, first + 2^log, ... */
static int first, log_stride, size, rank;
#define SET first, log_stride, size

static int pe_of(int i) {
  return first + (i << log_stride);
}

static void choose(int start, int log, int count) {
  first = start;
  log_stride = log;
  size = count;
  rank = -1;
  for (int i = 0; i < size; i++)
    if (pe_of(i) == me) rank = i;
}

#define DEFINE_ACTIVE(B, N, op)                                                              \
  static void active_##N(void) {                                                             \
    static uint##N##_t dest[3 * MOST * EACH], source[2 * MOST * EACH];                       \
    int n = size * EACH, root = size - 1, at = 0;                                            \
    if (rank < 0) return;                                                                    \
    for (int i = 0; i < 2 * n; i++) source[i] = VALUE(uint##N##_t, me, i);                   \
    for (int i = 0; i < 3 * n; i++) dest[i] = 77;                                            \
    shmem_barrier(SET, sync_words);                                                          \
    shmem_broadcast##N(dest, source, EACH, root, SET, sync_words);                           \
    for (int i = 0; i < EACH; i++)                                                           \
      INT(dest[i], rank == root ? 77 : VALUE(uint##N##_t, pe_of(root), i));                  \
    (shmem_sync)(SET, sync_more);                                                            \
    shmem_fcollect##N(dest, source, EACH, SET, sync_words);                                  \
    for (int i = 0; i < n; i++) INT(dest[i], VALUE(uint##N##_t, pe_of(i / EACH), i % EACH)); \
    shmem_barrier(SET, sync_more);                                                           \
    shmem_collect##N(dest, source, (size_t)(rank % 2), SET, sync_words);                     \
    for (int k = 1; k < size; k += 2) INT(dest[at++], VALUE(uint##N##_t, pe_of(k), 0));      \
    shmem_barrier(SET, sync_more);                                                           \
    shmem_alltoall##N(dest, source, EACH, SET, sync_words);                                  \
    for (int i = 0; i < n; i++)                                                              \
      INT(dest[i], VALUE(uint##N##_t, pe_of(i / EACH), rank *EACH + i % EACH));              \
    shmem_barrier(SET, sync_more);                                                           \
    shmem_alltoalls##N(dest, source, 3, 2, EACH, SET, sync_words);                           \
    for (int i = 0; i < n; i++)                                                              \
      INT(dest[3 * i], VALUE(uint##N##_t, pe_of(i / EACH), 2 * (rank * EACH + i % EACH)));   \
    shmem_barrier(SET, sync_more);                                                           \
  }
SHMEMI_ACTIVE_SIZES(DEFINE_ACTIVE, )

#define DEFINE_TO_ALL(T, N, op, value, combined)                            \
  {                                                                         \
    static T dest[EACH], source[EACH], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE]; \
    for (int i = 0; i < EACH; i++) source[i] = value(T, me, i);             \
    shmem_##N##_##op##_to_all(dest, source, EACH, SET, work, sync_words);   \
    for (int i = 0; i < EACH; i++) {                                        \
      T all = value(T, pe_of(0), i);                                        \
      for (int k = 1; k < size; k++) {                                      \
        T next = value(T, pe_of(k), i);                                     \
        all = (T)(combined);                                                \
      }                                                                     \
      SAME_ANY(T, #N "_" #op "_to_all", dest[i], all);                      \
    }                                                                       \
  }
#define FACTOR(T, pe, i) ((T)((pe) % 16 == 1 ? 2 : (pe) % 16 == 2 ? 3 : 1))
#define SMALL(T, pe, i) ((T)((pe) % 3 + (i)))
#define INTEGERS(T, N, op)                   \
  DEFINE_TO_ALL(T, N, and, VALUE, all &next) \
  DEFINE_TO_ALL(T, N, or, VALUE, all | next) \
  DEFINE_TO_ALL(T, N, xor, VALUE, all ^ next)
#define REALS(T, N, op)                                    \
  DEFINE_TO_ALL(T, N, max, VALUE, all > next ? all : next) \
  DEFINE_TO_ALL(T, N, min, VALUE, all < next ? all : next)
#define SUMS(T, N, op)                        \
  DEFINE_TO_ALL(T, N, sum, SMALL, all + next) \
  DEFINE_TO_ALL(T, N, prod, FACTOR, all *next)

static void integers(void) {
  SHMEMI_TO_ALL_INTEGERS(INTEGERS, )
}
static void reals(void) {
  SHMEMI_TO_ALL_REALS(REALS, )
}
static void sums(void) {
  SHMEMI_TO_ALL_ALL(SUMS, )
}

/* A barrier of an active set completes the puts of its members. */
static void completion(void) {
  static long word;
  int next = pe_of((rank + 1) % size), previous = pe_of((rank + size - 1) % size);
  word = -1;
  shmem_barrier(SET, sync_words);
  shmem_long_p(&word, me, next);
  shmem_barrier(SET, sync_more);
  INT(word, previous);
  shmem_barrier(SET, sync_words);
}

static void over(int start, int log, int count) {
  choose(start, log, count);
  if (rank < 0) return;
  active_32();
  active_64();
  integers();
  reals();
  sums();
  completion();
}

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) sync_words[i] = SHMEM_SYNC_VALUE;
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++) sync_more[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  over(0, 0, n_pes);
  over(0, 1, (n_pes + 1) / 2); /* the even ones, and then the odd ones beside the next set */
  over(1, 1, n_pes / 2);
  over(n_pes / 2, 0, n_pes - n_pes / 2);
  over(n_pes - 1, 3, 1);
  over(0, 1, (n_pes + 1) / 2);
  return finish();
}
