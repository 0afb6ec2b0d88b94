/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_steps.c barrier|allreduce WORK_NS STEPS - steps of computation that end in a barrier or in
 * an allreduce; prints their mean time in ns of virtual time. For tests/sim/noise.sh:
 * how noise of single units adds up over all of them. */
#include <string.h>

#include "programs/api_check.h"

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 4);
  int reduces = strcmp(argv[1], "allreduce") == 0;
  CHECK(reduces || strcmp(argv[1], "barrier") == 0);
  uint64_t work_ns = strtoull(argv[2], NULL, 10), steps = strtoull(argv[3], NULL, 10);
  CHECK(steps > 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t begin_ns = eyot_now_ns();
  for (uint64_t i = 0; i < steps; i++) {
    uint64_t one = 1, sum = 0;
    OK(eyot_compute(work_ns));
    if (reduces) {
      OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
      CHECK(sum == eyot_size());
    } else {
      OK(eyot_barrier(EYOT_TEAM_ALL));
    }
  }
  uint64_t mean_ns = (eyot_now_ns() - begin_ns) / steps;
  if (eyot_me().id == 0) printf("step %lu ns\n", (unsigned long)mean_ns);
  return finish();
}
