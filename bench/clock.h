/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the clock of benchmarks, and a barrier that keeps the compiler from moving work out of
 * a loop: for those of eyot (bench.h) and for the peers that are built without it. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

static inline double wall_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Everything in memory may have been read and changed, the private buffer included: addresses are
 * loaded again, the buffer is really stored and loaded. All loops have the same barrier. */
#define RELOAD(buffer) __asm__ volatile("" ::"r"(buffer) : "memory")
#endif
