/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_scale.c - the virtual time of collectives in the simulator, from a common start of all
 * units to the end of the last one. The suite `coll-scale` and the test of self-consistency
 * (tests/sim/coll_gates.sh) run it.
 *
 *   eyotrun --fabric sim --shared-globals -n N bench_coll_scale WHAT:BYTES[:TIMES] ...
 * BYTES: a block of gather, allgather and alltoall; the vector of the others; a multiple of 8, and
 * 0 for barrier. TIMES (4) calls are measured after one that is not; of 1 there is none before.
 * Each call is verified. Lines: case WHAT bytes BYTES units N virtual_ns MEAN wall_s WALL.
 *
 * Why --shared-globals: the units agree on the common start, and collect their ends, in variables
 * that they share, so that measuring posts nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define START_AFTER_NS 200000u /* more than the units' ends of a barrier lie apart */
enum { TIMES = 4, TIMES_MAX = 1000 };

/* What all units share. */
static struct {
  uint32_t units;      /* that have begun */
  uint64_t round;      /* of the common start at start_ns */
  uint64_t start_ns;   /* virtual */
  uint64_t last_ns;    /* the last end of the round */
  uint64_t total_ns;   /* of the rounds of a case */
  double wall_begin_s; /* of the case, unit 0's */
} shared;

struct run {
  uint32_t me, n;
  uint64_t round;
  uint64_t *from, *to;
};

/* A value that says which unit sent it to which, and in which round. */
static uint64_t mark(const struct run *r, uint32_t from, uint32_t to) {
  return r->round << 48 | (uint64_t)from << 24 | to;
}
static uint64_t sum_of(const struct run *r) {
  return (uint64_t)r->n * (r->n - 1) / 2 + r->n * r->round;
}

static int call_barrier(const struct run *r, uint64_t bytes) {
  (void)r, (void)bytes;
  return eyot_barrier(EYOT_TEAM_ALL);
}
static int call_broadcast(const struct run *r, uint64_t bytes) {
  return eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, r->to, bytes);
}
static int call_reduce(const struct run *r, uint64_t bytes) {
  return eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){0}, EYOT_UINT64, EYOT_SUM, r->from, r->to,
                     bytes / 8);
}
static int call_allreduce(const struct run *r, uint64_t bytes) {
  return eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_gather(const struct run *r, uint64_t bytes) {
  return eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, r->from, r->to, bytes);
}
static int call_allgather(const struct run *r, uint64_t bytes) {
  return eyot_allgather(EYOT_TEAM_ALL, r->from, r->to, bytes);
}
static int call_alltoall(const struct run *r, uint64_t bytes) {
  return eyot_alltoall(EYOT_TEAM_ALL, r->from, r->to, bytes);
}

/* What a unit sends and expects: nothing, the root's vector, everybody's sum, or blocks. */
enum shape { NOTHING, ROOTS, SUM, BLOCKS, OWN_BLOCKS };
static const struct what {
  const char *name;
  int (*call)(const struct run *r, uint64_t bytes);
  enum shape shape;
  bool at_root; /* the result is the root's alone */
} WHATS[] = {{"barrier", call_barrier, NOTHING, false},
             {"broadcast", call_broadcast, ROOTS, false},
             {"reduce", call_reduce, SUM, true},
             {"allreduce", call_allreduce, SUM, false},
             {"gather", call_gather, BLOCKS, true},
             {"allgather", call_allgather, BLOCKS, false},
             {"alltoall", call_alltoall, OWN_BLOCKS, false}};
#define WHATS_N (sizeof WHATS / sizeof WHATS[0])

static uint64_t send_blocks(const struct what *w, const struct run *r) {
  return w->shape == OWN_BLOCKS ? r->n : 1;
}
static uint64_t recv_blocks(const struct what *w, const struct run *r) {
  return w->shape == OWN_BLOCKS || (w->shape == BLOCKS && (!w->at_root || r->me == 0)) ? r->n : 1;
}

/* The first and the last word of each block are those that are verified. */
static void set_block(uint64_t *block, uint64_t bytes, uint64_t value) {
  if (bytes > 0) block[0] = block[bytes / 8 - 1] = value;
}
static void check_block(const uint64_t *block, uint64_t bytes, uint64_t value) {
  if (bytes > 0 && (block[0] != value || block[bytes / 8 - 1] != value))
    eyot_abort(1, "a collective has given another result");
}

static void fill(const struct what *w, const struct run *r, uint64_t bytes) {
  uint64_t words = bytes / 8;
  for (uint64_t b = 0; b < recv_blocks(w, r); b++) set_block(r->to + b * words, bytes, 0);
  if (w->shape == ROOTS && r->me == 0) set_block(r->to, bytes, mark(r, 0, 0));
  if (w->shape == SUM) set_block(r->from, bytes, r->me + r->round);
  for (uint32_t to = 0; w->shape == OWN_BLOCKS && to < r->n; to++)
    set_block(r->from + to * words, bytes, mark(r, r->me, to));
  if (w->shape == BLOCKS) set_block(r->from, bytes, mark(r, r->me, 0));
}

static void check(const struct what *w, const struct run *r, uint64_t bytes) {
  uint64_t words = bytes / 8;
  if (w->at_root && r->me != 0) return;
  if (w->shape == ROOTS) check_block(r->to, bytes, mark(r, 0, 0));
  if (w->shape == SUM) check_block(r->to, bytes, sum_of(r));
  for (uint32_t from = 0; w->shape >= BLOCKS && from < r->n; from++)
    check_block(r->to + from * words, bytes, mark(r, from, w->shape == BLOCKS ? 0 : r->me));
}

/* A clock of this machine: the C library's functions show a unit virtual time. */
static double machine_s(void) {
  struct timespec t;
  (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All units continue at one virtual time, which the first one that comes here has fixed. */
static void start_together(const struct run *r) {
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

static void once(const struct what *w, struct run *r, uint64_t bytes) {
  r->round++;
  fill(w, r, bytes);
  start_together(r);
  must(w->call(r, bytes), w->name);
  uint64_t end_ns = eyot_now_ns();
  if (end_ns > shared.last_ns) shared.last_ns = end_ns;
  check(w, r, bytes);
}

/* The end of the last round is counted when the next one starts. */
static void settle(struct run *r) {
  r->round++;
  start_together(r);
}

static void measure(const struct what *w, struct run *r, uint64_t bytes, uint32_t times) {
  r->from = calloc(1, bytes * send_blocks(w, r) + 8);
  r->to = calloc(1, bytes * recv_blocks(w, r) + 8);
  if (r->from == NULL || r->to == NULL) eyot_abort(1, "no memory");
  if (times > 1) once(w, r, bytes);
  settle(r);
  if (r->me == 0) shared.total_ns = 0, shared.wall_begin_s = machine_s();
  for (uint32_t i = 0; i < times; i++) once(w, r, bytes);
  double wall_s = machine_s() - shared.wall_begin_s;
  settle(r);
  if (r->me == 0)
    printf("case %s bytes %" PRIu64 " units %u virtual_ns %" PRIu64 " wall_s %.4f\n", w->name,
           bytes, r->n, shared.total_ns / times, wall_s / times);
  free(r->from);
  free(r->to);
}

/* WHAT:BYTES[:TIMES] */
static const struct what *parse(const char *text, uint64_t *bytes, uint32_t *times) {
  char name[16], end;
  *times = TIMES;
  int fields = sscanf(text, "%15[a-z]:%" SCNu64 ":%u%c", name, bytes, times, &end);
  if ((fields != 2 && fields != 3) || *times < 1 || *times > TIMES_MAX || *bytes % 8 != 0)
    return NULL;
  for (size_t i = 0; i < WHATS_N; i++)
    if (strcmp(WHATS[i].name, name) == 0 && (*bytes == 0) == (WHATS[i].shape == NOTHING))
      return &WHATS[i];
  return NULL;
}

static __attribute__((noinline)) int usage(const struct run *r, const char *text) {
  if (r->me == 0)
    fprintf(stderr,
            "bench_coll_scale: '%s': expected --shared-globals and WHAT:BYTES[:TIMES], WHAT of "
            "barrier (0 bytes), broadcast, reduce, allreduce, gather, allgather, alltoall, BYTES a "
            "multiple of 8, TIMES 1 to %d\n",
            text, TIMES_MAX);
  (void)!eyot_finalize();
  return 2;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct run r = {.me = eyot_me().id, .n = eyot_size()};
  uint64_t bytes;
  uint32_t times;
  shared.units++;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (shared.units != r.n) return usage(&r, "units with globals of their own");
  for (int i = 1; i < argc; i++)
    if (parse(argv[i], &bytes, &times) == NULL) return usage(&r, argv[i]);
  for (int i = 1; i < argc; i++) {
    const struct what *w = parse(argv[i], &bytes, &times);
    measure(w, &r, bytes, times);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
