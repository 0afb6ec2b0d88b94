/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_scale.c - the virtual time of collectives in the simulator, from a common start of all
 * units to the end of the last one. The suite `coll-scale` and the test of self-consistency
 * (tests/sim/coll_gates.sh) run it.
 *
 *   eyotrun --fabric sim --shared-globals -n N bench_coll_scale WHAT:BYTES[:TIMES] ...
 * BYTES: a block, or the vector of broadcasts, reductions and scans; a multiple of 8, and 0 for
 * barrier. TIMES (4) calls are measured after one that is not; of 1 there is none before.
 * Each call is verified. Lines: case WHAT bytes BYTES units N virtual_ns MEAN wall_s WALL.
 *
 * Why --shared-globals: the units agree on the common start, and collect their ends, in variables
 * that they share, so that measuring posts nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench_coll_calls.h"

#define START_AFTER_NS 200000u /* more than the units' ends of a barrier lie apart */
enum { TIMES = 4 };

/* What all units share. */
static struct {
  uint32_t units;      /* that have begun */
  uint64_t round;      /* of the common start at start_ns */
  uint64_t start_ns;   /* virtual */
  uint64_t last_ns;    /* the last end of the round */
  uint64_t total_ns;   /* of the rounds of a case */
  double wall_begin_s; /* of the case, unit 0's */
} shared;

/* A clock of this machine: the C library's functions show a unit virtual time. */
static double machine_s(void) {
  struct timespec t;
  (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All units continue at one virtual time, which the first one that comes here has fixed. */
static void start_together(const struct coll_run *r) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  uint64_t now_ns = eyot_now_ns();
  if (shared.round < r->round) {
    if (shared.round > 0) shared.total_ns += shared.last_ns - shared.start_ns;
    shared.round = r->round;
    shared.last_ns = shared.start_ns = now_ns + START_AFTER_NS;
  }
  if (now_ns > shared.start_ns) eyot_abort(1, "the ends of a barrier lie too far apart");
  must(eyot_compute(shared.start_ns - now_ns), "eyot_compute");
}

static void once(const struct coll_what *w, struct coll_run *r, uint64_t bytes) {
  r->round++;
  coll_fill(w, r, bytes);
  start_together(r);
  coll_call(w, r, bytes);
  uint64_t end_ns = eyot_now_ns();
  if (end_ns > shared.last_ns) shared.last_ns = end_ns;
  coll_check(w, r, bytes);
}

/* The end of the last round is counted when the next one starts. */
static void settle(struct coll_run *r) {
  r->round++;
  start_together(r);
}

static void measure(const struct coll_what *w, struct coll_run *r, uint64_t bytes, uint32_t times) {
  coll_open(w, r, bytes);
  if (times > 1) once(w, r, bytes);
  settle(r);
  if (r->me == 0) shared.total_ns = 0, shared.wall_begin_s = machine_s();
  for (uint32_t i = 0; i < times; i++) once(w, r, bytes);
  double wall_s = machine_s() - shared.wall_begin_s;
  settle(r);
  if (r->me == 0)
    printf("case %s bytes %" PRIu64 " units %u virtual_ns %" PRIu64 " wall_s %.4f\n", w->name,
           bytes, r->n, shared.total_ns / times, wall_s / times);
  coll_close(w, r);
}

static const struct coll_what *parse(const char *text, uint64_t *bytes, uint32_t *times) {
  *times = TIMES;
  return coll_parse(text, bytes, times);
}

static __attribute__((noinline)) int usage(const struct coll_run *r, const char *text) {
  if (r->me == 0)
    fprintf(
        stderr,
        "bench_coll_scale: '%s': expected --shared-globals and WHAT:BYTES[:TIMES], WHAT of "
        "barrier (0 bytes), broadcast, reduce, allreduce, gather, allgather, alltoall, scatter, "
        "scan, exscan, reduce_scatter_block, gatherv, scatterv, allgatherv, collect, alltoallv, "
        "reduce_double, allreduce_double, scan_double, or global_ broadcast, gather, gather_all or "
        "exchange "
        "_nosync, _mysync or _allsync, BYTES "
        "a multiple of 8, TIMES 1 or more\n",
        text);
  (void)!eyot_finalize();
  return 2;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct coll_run r = {.me = eyot_me().id, .n = eyot_size()};
  uint64_t bytes;
  uint32_t times;
  shared.units++;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (shared.units != r.n) return usage(&r, "units with globals of their own");
  for (int i = 1; i < argc; i++)
    if (parse(argv[i], &bytes, &times) == NULL) return usage(&r, argv[i]);
  for (int i = 1; i < argc; i++) {
    const struct coll_what *w = parse(argv[i], &bytes, &times);
    measure(w, &r, bytes, times);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
