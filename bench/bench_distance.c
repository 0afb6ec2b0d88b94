/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_distance.c - blocking put and get over the distance of the two units, after figures 6.8 and
 * 6.9 of Zhou: 8 bytes and 1 MiB from unit 0 to unit 1, 2, ... of the job, while all other units
 * wait in a barrier.
 *
 *   eyotrun --fabric sim --platform xc40 -n 256 bench_distance PLACE [ROUNDS]
 * Times come from eyot_now_ns: virtual on sim, wall time on mpi; the names of the metrics say
 * which. A block is the first power of two of operations that takes BLOCK_NS, each remotely
 * complete before the next; the search for it also warms up. The bytes that a get returns are
 * compared with those that were put. Lines: value put_8B@DISTANCE latency_8B_{virtual|wall}_PLACE
 * us NUMBER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { BLOCK_NS = 20000, OPS_MAX = 1 << 16, ROUNDS_MAX = 1000, MOST_BYTES = 1048576 };
static const struct {
  uint64_t bytes;
  const char *name;
} SIZES[] = {{8, "8B"}, {MOST_BYTES, "1MiB"}};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

struct span {
  char *from, *back; /* unit 0's: the bytes put, and those got */
  eyot_gptr_t there; /* another unit's */
};

static uint64_t timed(const struct span *s, bool gets, uint64_t bytes, uint64_t n) {
  int failed = 0;
  uint64_t begin = eyot_now_ns();
  if (gets)
    for (uint64_t i = 0; i < n; i++) {
      RELOAD(s->back);
      failed |= eyot_get(s->back, s->there, bytes);
    }
  else
    for (uint64_t i = 0; i < n; i++) {
      RELOAD(s->from);
      failed |= eyot_put(s->there, s->from, bytes);
    }
  RELOAD(s->back);
  uint64_t ns = eyot_now_ns() - begin;
  must(failed, gets ? "eyot_get" : "eyot_put");
  return ns;
}

static void measure(const struct span *s, bool gets, uint32_t size, uint32_t distance,
                    const char *place) {
  uint64_t n = 1, bytes = SIZES[size].bytes;
  while (n < OPS_MAX && timed(s, gets, bytes, n) < BLOCK_NS) n *= 2;
  uint64_t ns = timed(s, gets, bytes, n);
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall",
             *name = SIZES[size].name;
  printf("value %s_%s@%u latency_%s_%s_%s us %.6g\n", gets ? "get" : "put", name, distance, name,
         clock, place, (double)ns / (double)n * 1e-3);
}

/* Fills with other bytes for each distance and round, to detect those of an earlier operation. */
static void fill(char *bytes, uint64_t seed) {
  uint64_t *word = (uint64_t *)(void *)bytes;
  for (uint64_t i = 0; i < MOST_BYTES / sizeof *word; i++)
    word[i] = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + i;
}

static void measure_all(struct span *s, eyot_gptr_t part, const char *place, uint32_t rounds) {
  uint32_t n = eyot_size();
  for (uint32_t round = 0; round < rounds; round++)
    for (uint32_t distance = 1; distance < n; distance++) {
      s->there = eyot_gptr_at(part, (eyot_unit_t){distance});
      for (uint32_t size = 0; size < N_SIZES; size++) {
        fill(s->from, ((uint64_t)round * n + distance) * N_SIZES + size);
        measure(s, false, size, distance, place);
        measure(s, true, size, distance, place);
        if (memcmp(s->from, s->back, SIZES[size].bytes) != 0)
          eyot_abort(1, "bench_distance: got other bytes than were put");
      }
    }
  fflush(stdout);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  long rounds = argc > 2 ? atol(argv[2]) : 1;
  if (eyot_size() < 2 || argc < 2 || argc > 3 || rounds < 1 || rounds > ROUNDS_MAX) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_distance: needs two units or more: eyotrun -n N bench_distance PLACE "
              "[ROUNDS], rounds 1 to %d\n",
              ROUNDS_MAX);
    eyot_finalize();
    return 2;
  }
  eyot_gptr_t part;
  must(eyot_team_alloc(EYOT_TEAM_ALL, MOST_BYTES, &part), "eyot_team_alloc");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id == 0) {
    struct span s = {.from = aligned_alloc(4096, MOST_BYTES),
                     .back = aligned_alloc(4096, MOST_BYTES)};
    if (s.from == NULL || s.back == NULL) eyot_abort(1, "no memory");
    memset(s.back, 0, MOST_BYTES);
    measure_all(&s, part, argv[1], (uint32_t)rounds);
    free(s.from);
    free(s.back);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
