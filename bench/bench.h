/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h - the parts that benchmarks of eyot share: a clock, an exit on failure, and barriers
 * that keep the compiler from moving work out of a loop. */
#ifndef BENCH_H
#define BENCH_H

#include <eyot/eyot.h>
#include <time.h>

static inline double wall_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

/* Everything in memory may have been read and changed, the private buffer included: addresses are
 * loaded again, the buffer is really stored and loaded. All loops have the same barrier. */
#define RELOAD(buffer) __asm__ volatile("" ::"r"(buffer) : "memory")
#endif
