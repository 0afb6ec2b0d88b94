/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll.c - barrier, broadcast and allreduce over the size of the message, for eyot and for
 * MPI in one job.
 *
 *   eyotrun --fabric mpi -n N bench_coll [ROUNDS]
 * A block has as many operations as take about BLOCK_NS. Each broadcast has another root than the
 * one before, so that no unit runs ahead. Times are unit 0's. mpi_again is MPI measured a second
 * time (A/A).
 * Lines: value WAY[@BYTES] WHAT_of_N_units us NUMBER. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define BLOCK_NS 2e6
enum { ROUNDS = 5, TIMES_LEAST = 4, TIMES_MAX = 5000, MOST_BYTES = 1048576 };
static const uint64_t SIZES[] = {8, 64, 512, 4096, 32768, 262144, MOST_BYTES};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

struct buffers {
  double *from, *to;
  uint32_t n; /* units */
};
typedef void (*once_fn)(const struct buffers *b, uint64_t bytes, uint32_t i);

static void barrier_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)b, (void)bytes, (void)i;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}
static void barrier_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)b, (void)bytes, (void)i;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void broadcast_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){i % b->n}, b->to, bytes), "eyot_broadcast");
}
static void broadcast_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  MPI_Bcast(b->to, (int)bytes, MPI_BYTE, (int)(i % b->n), MPI_COMM_WORLD);
}
static void allreduce_eyot(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, b->from, b->to, bytes / sizeof(double)),
       "eyot_allreduce");
}
static void allreduce_mpi(const struct buffers *b, uint64_t bytes, uint32_t i) {
  (void)i;
  MPI_Allreduce(b->from, b->to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const char *const WAYS[] = {"eyot", "mpi", "mpi_again"};
enum { N_WAYS = 3 };
static const struct {
  const char *name;
  once_fn once[N_WAYS];
  bool sized;
} WHATS[] = {{"barrier", {barrier_eyot, barrier_mpi, barrier_mpi}, false},
             {"broadcast", {broadcast_eyot, broadcast_mpi, broadcast_mpi}, true},
             {"allreduce", {allreduce_eyot, allreduce_mpi, allreduce_mpi}, true}};
#define N_WHATS (sizeof WHATS / sizeof *WHATS)

static double timed(const struct buffers *b, once_fn once, uint64_t bytes, uint32_t times) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double begin = wall_ns();
  for (uint32_t i = 0; i < times; i++) once(b, bytes, i);
  return (wall_ns() - begin) / times;
}

/* All do so many as unit 0 finds fit. */
static uint32_t enough(const struct buffers *b, once_fn once, uint64_t bytes) {
  (void)timed(b, once, bytes, 2);
  double fit = BLOCK_NS / timed(b, once, bytes, TIMES_LEAST);
  uint32_t times = fit > TIMES_MAX ? TIMES_MAX : fit < TIMES_LEAST ? TIMES_LEAST : (uint32_t)fit;
  must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &times, sizeof times), "eyot_broadcast");
  return times;
}

static void measure(const struct buffers *b, uint32_t what, uint64_t bytes, uint32_t round,
                    uint32_t *times) {
  for (uint32_t i = 0; i < N_WAYS; i++) {
    uint32_t w = (i + round) % N_WAYS;
    once_fn once = WHATS[what].once[w];
    if (times[w] == 0) times[w] = enough(b, once, bytes);
    double ns = timed(b, once, bytes, times[w]);
    if (eyot_me().id != 0) continue;
    printf("value %s", WAYS[w]);
    if (WHATS[what].sized) printf("@%lu", bytes);
    printf(" %s_of_%u_units us %.6g\n", WHATS[what].name, b->n, ns * 1e-3);
  }
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() < 2 || argc > 2) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_coll: needs two or more units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_coll [ROUNDS]\n");
    eyot_finalize();
    return 2;
  }
  int rounds = argc > 1 ? atoi(argv[1]) : 0;
  struct buffers b = {calloc(1, MOST_BYTES), calloc(1, MOST_BYTES), eyot_size()};
  if (b.from == NULL || b.to == NULL) eyot_abort(1, "no memory");
  uint32_t times[N_WHATS][N_SIZES][N_WAYS] = {0};
  for (uint32_t round = 0; round < (rounds > 0 ? (uint32_t)rounds : ROUNDS); round++)
    for (uint32_t what = 0; what < N_WHATS; what++)
      for (uint32_t k = 0; k < (WHATS[what].sized ? N_SIZES : 1); k++)
        measure(&b, what, WHATS[what].sized ? SIZES[k] : 0, round, times[what][k]);
  fflush(stdout);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  free(b.from);
  free(b.to);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
