/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the clock of a supervised run: that of the waits which units publish (base/run.h). For
 * the supervisor and its parts. */
#ifndef EYOT_CLOCK_H
#define EYOT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t clock_now_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
#endif
