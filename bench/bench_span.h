/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_span.h - the time that all simulated units need for a stretch of the program: they share
 * one process and so its clocks, and the time runs from the first unit's begin to the last one's
 * end, without start-up. For bench_barrier.c and bench_traffic.c. */
#ifndef EYOT_BENCH_SPAN_H
#define EYOT_BENCH_SPAN_H

#include <eyot/eyot.h>
#include <stdio.h>
#include <time.h>

static inline void span_must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

static inline uint64_t span_clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t span_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Wall and processor time: minus the begin, and the end, so that the largest of each over all units
 * gives the whole. */
struct span {
  uint64_t ns[4];
  uint64_t virtual_begin_ns;
};

/* Units begin at distinct virtual times. */
static inline void span_begin(struct span *s) {
  s->ns[0] = UINT64_MAX - span_clock_ns(CLOCK_MONOTONIC);
  s->ns[2] = UINT64_MAX - span_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  s->virtual_begin_ns = eyot_now_ns();
  span_must(
      eyot_compute(1000 + span_mix(eyot_me().id + UINT64_C(0x9e3779b97f4a7c15)) % UINT64_C(100000)),
      "eyot_compute");
}

/* Unit 0 prints the figures of `ops` operations of all units. */
static inline void span_end(struct span *s, uint64_t ops) {
  s->ns[1] = span_clock_ns(CLOCK_MONOTONIC);
  s->ns[3] = span_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t virtual_ns = eyot_now_ns() - s->virtual_begin_ns;
  span_must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, s->ns, s->ns, 4),
            "eyot_allreduce");
  if (eyot_me().id != 0) return;
  printf("ops %llu seconds %.6f cpu_seconds %.6f virtual_us %.3f\n", (unsigned long long)ops,
         (double)(s->ns[1] - (UINT64_MAX - s->ns[0])) * 1e-9,
         (double)(s->ns[3] - (UINT64_MAX - s->ns[2])) * 1e-9, (double)virtual_ns / 1e3);
  fflush(stdout);
}
#endif
