/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_noise.c - the mean time of steps of computation that end in a barrier or an allreduce of a
 * word, in virtual time: what the noise of --fault adds to it (suite_noise.sh).
 *
 *   eyotrun --fabric sim -n P --order strict [--fault noise:...] bench_noise CALL WORK_NS STEPS
 * CALL: barrier or allreduce. Prints: step NS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  bool reduces = argc > 1 && strcmp(argv[1], "allreduce") == 0;
  uint64_t work_ns = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
  uint64_t steps = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
  if (steps == 0 || (!reduces && strcmp(argv[1], "barrier") != 0)) {
    if (eyot_me().id == 0) fprintf(stderr, "usage: bench_noise barrier|allreduce WORK_NS STEPS\n");
    eyot_finalize();
    return 2;
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  uint64_t begin_ns = eyot_now_ns();
  for (uint64_t i = 0; i < steps; i++) {
    uint64_t one = 1, sum;
    must(eyot_compute(work_ns), "eyot_compute");
    if (reduces)
      must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1), "eyot_allreduce");
    else
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  }
  if (eyot_me().id == 0) printf("step %.1f\n", (double)(eyot_now_ns() - begin_ns) / (double)steps);
  fflush(stdout);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
