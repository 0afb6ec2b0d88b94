/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_barrier.c - the simulator's speed in operations per second of wall time, measured with
 * dissemination barriers through the public eyot_barrier.
 *
 *   eyotrun --fabric sim -n 4096 bench_barrier 20
 * A barrier takes ceil(log2 n) signals of each unit. All units share one process and so one clock:
 * the time runs from the start of the first unit to the end of the last, without start-up. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  long barriers = argc > 1 ? atol(argv[1]) : 0;
  uint32_t n = eyot_size(), rounds = 0;
  if (barriers < 1) {
    if (eyot_me().id == 0) fprintf(stderr, "usage: bench_barrier BARRIERS\n");
    eyot_finalize();
    return 2;
  }
  while ((UINT64_C(1) << rounds) < n) rounds++;
  /* Wall and processor time: minus the start, and the end, the largest of each over all units. */
  uint64_t span[4] = {UINT64_MAX - clock_ns(CLOCK_MONOTONIC), 0,
                      UINT64_MAX - clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0};
  uint64_t virtual_begin = eyot_now_ns();
  /* distinct event times */
  must(eyot_compute(1000 + mix(eyot_me().id + UINT64_C(0x9e3779b97f4a7c15)) % 100000),
       "eyot_compute");
  for (long i = 0; i < barriers; i++) must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  span[1] = clock_ns(CLOCK_MONOTONIC);
  span[3] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t virtual_ns = eyot_now_ns() - virtual_begin;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, span, span, 4), "eyot_allreduce");
  if (eyot_me().id == 0) {
    double seconds = (double)(span[1] - (UINT64_MAX - span[0])) * 1e-9,
           cpu_seconds = (double)(span[3] - (UINT64_MAX - span[2])) * 1e-9;
    printf("ops %llu seconds %.6f cpu_seconds %.6f virtual_us %.3f\n",
           (unsigned long long)n * rounds * (unsigned long long)barriers, seconds, cpu_seconds,
           (double)virtual_ns / 1e3);
    fflush(stdout);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
