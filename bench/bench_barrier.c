/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_barrier.c - the simulator's speed in operations per second of wall time, measured with
 * dissemination barriers through the public eyot_barrier.
 *
 *   eyotrun --fabric sim -n 4096 bench_barrier 20
 * A barrier takes ceil(log2 n) signals of each unit. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_span.h"

int main(int argc, char **argv) {
  span_must(eyot_init(&argc, &argv), "eyot_init");
  long barriers = argc > 1 ? atol(argv[1]) : 0;
  uint32_t n = eyot_size(), rounds = 0;
  if (barriers < 1) {
    if (eyot_me().id == 0) fprintf(stderr, "usage: bench_barrier BARRIERS\n");
    eyot_finalize();
    return 2;
  }
  while ((UINT64_C(1) << rounds) < n) rounds++;
  struct span span;
  span_begin(&span);
  for (long i = 0; i < barriers; i++) span_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  span_end(&span, (uint64_t)n * rounds * (uint64_t)barriers);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
