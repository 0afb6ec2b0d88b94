/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem_sizes.c - put and get over the size of a message by OpenSHMEM, as in bench_sizes:
 * latency with remote completion, and many operations that one quiet completes. */
#include <stdlib.h>
#include <string.h>

#include "peer_shmem.h"

#define BLOCK_NS 1e6
enum { OPS_MAX = 1 << 20, FLOOD_OPS = 64, FLOOD_BYTES = 1 << 25, MOST_BYTES = 4194304 };
static const uint64_t SIZES[] = {1, 8, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

struct span {
  char *here, *there;
};

static void put(const struct span *s, uint64_t bytes, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    RELOAD(s->here);
    shmem_putmem(s->there, s->here, bytes, 1);
    shmem_quiet();
  }
}
static void get(const struct span *s, uint64_t bytes, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    RELOAD(s->here);
    shmem_getmem(s->here, s->there, bytes, 1);
  }
}
static void put_flood(const struct span *s, uint64_t bytes, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    RELOAD(s->here);
    shmem_putmem_nbi(s->there, s->here, bytes, 1);
  }
  shmem_quiet();
}
static void get_flood(const struct span *s, uint64_t bytes, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    RELOAD(s->here);
    shmem_getmem_nbi(s->here, s->there, bytes, 1);
  }
  shmem_quiet();
}

static const struct {
  const char *name;
  void (*go)(const struct span *s, uint64_t bytes, uint64_t n);
  int floods;
} WAYS[] = {{"put_latency", put, 0},
            {"get_latency", get, 0},
            {"put_bandwidth", put_flood, 1},
            {"get_bandwidth", get_flood, 1}};
enum { N_WAYS = sizeof WAYS / sizeof *WAYS };

static uint64_t flood_ops(uint64_t bytes) {
  return bytes * FLOOD_OPS > FLOOD_BYTES ? FLOOD_BYTES / bytes : FLOOD_OPS;
}

static double timed(const struct span *s, int way, uint64_t bytes, uint64_t times) {
  double begin = wall_ns();
  if (WAYS[way].floods)
    for (uint64_t i = 0; i < times; i++) WAYS[way].go(s, bytes, flood_ops(bytes));
  else
    WAYS[way].go(s, bytes, times);
  return wall_ns() - begin;
}

static void measure(const struct span *s, const char *place, int way, uint64_t bytes, uint64_t *n) {
  if (*n == 0)
    for (*n = 1; *n < OPS_MAX && timed(s, way, bytes, *n) < BLOCK_NS;) *n *= 2;
  double ns = timed(s, way, bytes, *n) / (double)*n;
  if (WAYS[way].floods)
    printf("value shmem@%lu %s_%s MB/s %.6g\n", bytes, WAYS[way].name, place,
           (double)(bytes * flood_ops(bytes)) / ns * 1e3);
  else
    printf("value shmem@%lu %s_%s us %.6g\n", bytes, WAYS[way].name, place, ns * 1e-3);
}

int size_rounds(const char *place, int rounds) {
  struct span s = {aligned_alloc(4096, MOST_BYTES), shmem_align(4096, MOST_BYTES)};
  uint64_t n[N_WAYS][N_SIZES] = {0};
  if (s.here == NULL || s.there == NULL) return 1;
  memset(s.here, 1, MOST_BYTES);
  memset(s.there, 0, MOST_BYTES);
  shmem_barrier_all();
  for (int round = 0; shmem_my_pe() == 0 && round < rounds; round++)
    for (int way = 0; way < N_WAYS; way++)
      for (size_t k = 0; k < N_SIZES; k++) measure(&s, place, way, SIZES[k], &n[way][k]);
  shmem_barrier_all();
  shmem_free(s.there);
  free(s.here);
  return 0;
}
