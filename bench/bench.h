/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h - what benchmarks that call eyot share: their clock, the end of one that fails, and what
 * keeps the compiler from doing a loop's work once. */
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
 * loaded again, the buffer is really stored and loaded. The same barrier stands in all loops. */
#define RELOAD(buffer) __asm__ volatile("" ::"r"(buffer) : "memory")
#endif
