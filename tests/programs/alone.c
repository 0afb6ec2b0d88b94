/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.c - barriers of units of which all but the last share one processor, and the last has
 * another for itself: alone FIRST SECOND BLOCKS BARRIERS COMPUTE_US LATE_US. FIRST and SECOND are
 * numbers of processors. Before each block of barriers a unit computes for COMPUTE_US microseconds,
 * without giving way, and before each barrier the last one for LATE_US. alone.sh reads how often
 * they have slept. */
#define _GNU_SOURCE 1
#include <sched.h>
#include <time.h>

#include "programs/api_check.h"

static uint64_t now_ns(void) {
  struct timespec t;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void bind_to(size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

static void compute(uint64_t us) {
  uint64_t begin_ns = now_ns();
  while (now_ns() - begin_ns < us * 1000) continue;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 7);
  bool last = eyot_me().id + 1 == eyot_size();
  bind_to(strtoul(argv[last ? 2 : 1], NULL, 10));
  uint64_t blocks = strtoull(argv[3], NULL, 10), barriers = strtoull(argv[4], NULL, 10),
           compute_us = strtoull(argv[5], NULL, 10), late_us = strtoull(argv[6], NULL, 10);
  for (uint64_t block = 0; block < blocks; block++) {
    compute(compute_us);
    for (uint64_t i = 0; i < barriers; i++) {
      if (last) compute(late_us);
      OK(eyot_barrier(EYOT_TEAM_ALL));
    }
  }
  return finish();
}
