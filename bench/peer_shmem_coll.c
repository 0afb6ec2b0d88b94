/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem_coll.c - barrier, broadcast, sum, fcollect and alltoall over all units by OpenSHMEM,
 * as in bench_coll, also of buffers that the program uses between the calls. It has no reduction to
 * one unit. */
#include <stdlib.h>
#include <string.h>

#include "peer_shmem.h"

#define BLOCK_NS 2e6
enum { MOST_BYTES = 4194304, TIMES_MAX = 5000 };
static const uint64_t SIZES[] = {8, 64, 512, 4096, 32768, 262144, 1048576, MOST_BYTES};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

/* An array of synchronization may be used again when all have left its last use: with a root that
 * changes each time, so many operations later. */
enum { SYNCS = 16 };
static long broadcast_sync[SYNCS][SHMEM_BCAST_SYNC_SIZE], sum_sync[SYNCS][SHMEM_REDUCE_SYNC_SIZE],
    collect_sync[SYNCS][SHMEM_COLLECT_SYNC_SIZE], alltoall_sync[SYNCS][SHMEM_ALLTOALL_SYNC_SIZE],
    share_sync[SHMEM_BCAST_SYNC_SIZE];
static uint64_t times_here, times_there;

struct buffers {
  double *from, *to, *work;
};

static void barrier(const struct buffers *b, uint64_t n, int i) {
  (void)b;
  (void)n;
  (void)i;
  shmem_barrier_all();
}
/* Another root each time, so that no unit runs ahead. */
static void broadcast(const struct buffers *b, uint64_t n, int i) {
  shmem_broadcast64(b->to, b->from, n, i % shmem_n_pes(), 0, 0, shmem_n_pes(),
                    broadcast_sync[i % SYNCS]);
}
static void sum(const struct buffers *b, uint64_t n, int i) {
  shmem_double_sum_to_all(b->to, b->from, (int)n, 0, 0, shmem_n_pes(), b->work,
                          sum_sync[i % SYNCS]);
}

static void fcollect(const struct buffers *b, uint64_t n, int i) {
  shmem_fcollect64(b->to, b->from, n, 0, 0, shmem_n_pes(), collect_sync[i % SYNCS]);
}
static void alltoall(const struct buffers *b, uint64_t n, int i) {
  shmem_alltoall64(b->to, b->from, n, 0, 0, shmem_n_pes(), alltoall_sync[i % SYNCS]);
}

/* As in bench_coll: whether IN, and OUT, have a block for each unit; of a broadcast only the root
 * writes. */
enum use { UNUSED = 0, USED, USED_OUT, USED_BOTH, USED_ONE };
static void use(const struct buffers *b, enum use how, uint64_t n, int i) {
  uint64_t units = (uint64_t)shmem_n_pes();
  uint64_t in = n * (how == USED_BOTH ? units : 1);
  uint64_t out = n * (how == USED_OUT || how == USED_BOTH ? units : 1);
  volatile uint64_t *sink = &(uint64_t){0};
  uint64_t seen = 0;
  for (uint64_t k = 0; k < out; k++) seen ^= (uint64_t)b->to[k];
  *sink = seen;
  if (how == USED_ONE && shmem_my_pe() != i % shmem_n_pes()) return;
  for (uint64_t k = 0; k < in; k++) b->from[k] = (double)(((uint64_t)i + k) % 8);
}

static enum use using;

static double timed(const struct buffers *b,
                    void (*once)(const struct buffers *b, uint64_t n, int i), uint64_t n,
                    int times) {
  shmem_barrier_all();
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    if (using != UNUSED) use(b, using, n, i);
    once(b, n, i);
  }
  return (wall_ns() - begin) / times;
}

/* All do so many as unit 0 finds fit. */
static int fitting(double times) {
  times_here = times > TIMES_MAX ? TIMES_MAX : times < 4 ? 4 : (uint64_t)times;
  shmem_barrier_all();
  shmem_broadcast64(&times_there, &times_here, 1, 0, 0, 0, shmem_n_pes(), share_sync);
  shmem_barrier_all();
  return (int)(shmem_my_pe() == 0 ? times_here : times_there);
}
static int enough(const struct buffers *b, void (*once)(const struct buffers *b, uint64_t n, int i),
                  uint64_t n) {
  timed(b, once, n, 2);
  int more = fitting(BLOCK_NS / 8 / timed(b, once, n, 4));
  return fitting(BLOCK_NS / timed(b, once, n, more));
}

static void measure(const struct buffers *b, const char *what,
                    void (*once)(const struct buffers *b, uint64_t n, int i), uint64_t bytes) {
  int times = enough(b, once, bytes / 8);
  double ns = timed(b, once, bytes / 8, times);
  if (shmem_my_pe() != 0) return;
  printf("value shmem");
  if (bytes != 0) printf("@%lu", bytes);
  printf(" %s_of_%d_units us %.6g\n", what, shmem_n_pes(), ns * 1e-3);
  fflush(stdout);
}

int coll_rounds(int rounds) {
  struct buffers b = {shmem_align(64, MOST_BYTES), shmem_align(64, MOST_BYTES),
                      shmem_align(64, MOST_BYTES)};
  if (b.from == NULL || b.to == NULL || b.work == NULL) return 1;
  for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++) share_sync[i] = SHMEM_SYNC_VALUE;
  for (int k = 0; k < SYNCS; k++) {
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++) broadcast_sync[k][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) sum_sync[k][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++) collect_sync[k][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++) alltoall_sync[k][i] = SHMEM_SYNC_VALUE;
  }
  memset(b.from, 0, MOST_BYTES);
  for (int i = 0; i < TIMES_MAX; i++) shmem_barrier_all(); /* as bench_coll: the system settles */
  for (int round = 0; round < rounds; round++) {
    measure(&b, "barrier", barrier, 0);
    for (size_t k = 0; k < N_SIZES; k++) measure(&b, "broadcast", broadcast, SIZES[k]);
    for (size_t k = 0; k < N_SIZES; k++) measure(&b, "allreduce", sum, SIZES[k]);
    for (size_t k = 0; k < N_SIZES; k++) {
      if (SIZES[k] * (uint64_t)shmem_n_pes() > MOST_BYTES) continue;
      measure(&b, "allgather", fcollect, SIZES[k]);
      measure(&b, "alltoall", alltoall, SIZES[k]);
    }
  }
  static const struct {
    const char *name;
    void (*once)(const struct buffers *b, uint64_t n, int i);
    enum use how;
  } uses[] = {{"broadcast_used", broadcast, USED_ONE},
              {"allreduce_used", sum, USED},
              {"allgather_used", fcollect, USED_OUT},
              {"alltoall_used", alltoall, USED_BOTH}};
  for (int round = 0; round < rounds; round++)
    for (size_t f = 0; f < sizeof uses / sizeof *uses; f++)
      for (size_t k = 0; k < N_SIZES; k++) {
        if (f > 1 && SIZES[k] * (uint64_t)shmem_n_pes() > MOST_BYTES) continue;
        using = uses[f].how;
        measure(&b, uses[f].name, uses[f].once, SIZES[k]);
      }
  shmem_barrier_all();
  return 0;
}
