/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_alloc.c - collective allocation over its size and the number of units, beside the exchange
 * of one word of all with all, after figures 5.7 and 5.8 of Zhou: there MPI_Win_create beside
 * MPI_Allgather.
 *
 *   eyotrun --fabric sim --platform xc40 -n N bench_alloc PLACE ROUNDS
 * Each call is followed by a barrier, as there, which is timed with it; memory is freed after that.
 * Times come from eyot_now_ns: virtual on sim, wall time on mpi. Lines: value alloc_SIZE@N or
 * allgather@N time_{virtual|wall}_PLACE us NUMBER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { WARM = 2, ROUNDS_MOST = 10000 };
static const struct {
  uint64_t bytes;
  const char *name;
} SIZES[] = {{1, "1B"}, {4096, "4KiB"}, {1048576, "1MiB"}};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

static uint64_t allocation(uint64_t bytes) {
  eyot_gptr_t part;
  uint64_t begin = eyot_now_ns();
  must(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &part), "eyot_team_alloc");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  uint64_t ns = eyot_now_ns() - begin;
  must(eyot_team_free(part), "eyot_team_free");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  return ns;
}

/* Every unit must have the word of every unit. */
static uint64_t exchange(uint64_t *words, uint64_t round) {
  uint64_t mine = round + eyot_me().id, begin = eyot_now_ns();
  must(eyot_allgather(EYOT_TEAM_ALL, &mine, words, sizeof mine), "eyot_allgather");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  uint64_t ns = eyot_now_ns() - begin;
  for (uint32_t unit = 0; unit < eyot_size(); unit++)
    if (words[unit] != round + unit) eyot_abort(1, "bench_alloc: a wrong word of eyot_allgather");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  return ns;
}

static void print(const char *what, const char *place, uint64_t ns, uint32_t rounds) {
  uint64_t sum;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &ns, &sum, 1), "eyot_allreduce");
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  if (eyot_me().id == 0)
    printf("value %s@%u time_%s_%s us %.6g\n", what, eyot_size(), clock, place,
           (double)sum * 1e-3 / rounds / eyot_size());
}

static void measure(const char *place, uint32_t rounds) {
  uint64_t *words = malloc(eyot_size() * sizeof *words), ns = 0;
  if (words == NULL) eyot_abort(1, "no memory");
  for (uint32_t size = 0; size < N_SIZES; size++) {
    char what[32];
    ns = 0;
    for (uint32_t i = 0; i < WARM + rounds; i++) {
      uint64_t took = allocation(SIZES[size].bytes);
      if (i >= WARM) ns += took;
    }
    snprintf(what, sizeof what, "alloc_%s", SIZES[size].name);
    print(what, place, ns, rounds);
  }
  ns = 0;
  for (uint32_t i = 0; i < WARM + rounds; i++) {
    uint64_t took = exchange(words, i);
    if (i >= WARM) ns += took;
  }
  print("allgather", place, ns, rounds);
  free(words);
  fflush(stdout);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  long rounds = argc > 2 ? atol(argv[2]) : 0;
  bool right = argc == 3 && rounds >= 1 && rounds <= ROUNDS_MOST;
  if (right)
    measure(argv[1], (uint32_t)rounds);
  else if (eyot_me().id == 0)
    fprintf(stderr, "bench_alloc: eyotrun -n N bench_alloc PLACE ROUNDS, rounds 1 to %d\n",
            ROUNDS_MOST);
  return eyot_finalize() != EYOT_OK ? 1 : right ? 0 : 2;
}
