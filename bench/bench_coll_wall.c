/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_wall.c - the wall time of eyot's collectives alone, by name and size, for comparisons
 * between jobs: of algorithms (EYOT_COLL), and of the modes of collectives on global memory.
 *
 *   eyotrun --fabric mpi -n N bench_coll_wall WHAT:BYTES ...
 * WHAT and BYTES: as of bench_coll_scale. Each is verified once. The root changes with each call,
 * so that no unit runs ahead; a block has as many calls as take about BLOCK_NS; the time is unit
 * 0's. Blocks of all cases follow each other PASSES times, and the least mean of a case counts:
 * other programs only add to it, and few of them interrupt a short block.
 * Lines: case WHAT bytes BYTES units N wall_ns NS. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_coll_calls.h"

#define BLOCK_NS 1e5
#define SLOW_NS 5e6 /* of a call that takes longer there are fewer passes */
enum { TIMES_LEAST = 4, TIMES_MAX = 2000, TRIES = 5, PASSES = 25, SLOW_PASSES = 5, CASES_MAX = 64 };

struct wall_case {
  const struct coll_what *what;
  uint64_t bytes;
  uint32_t times, passes;
  double least_ns;
  struct coll_run run;
};

static double timed(struct wall_case *c, uint32_t times) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double begin = wall_ns();
  for (uint32_t i = 0; i < times; i++) {
    c->run.root = i % c->run.n;
    coll_call(c->what, &c->run, c->bytes);
  }
  return (wall_ns() - begin) / times;
}

/* All do so many as unit 0 finds fit. */
static uint32_t of_unit_0(const struct wall_case *c, uint32_t value) {
  uint64_t mine = c->run.me == 0 ? value : 0, all;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &all, 1), "eyot_allreduce");
  return (uint32_t)all;
}

static void find_times(struct wall_case *c) {
  double least = timed(c, TIMES_LEAST);
  for (uint32_t i = 1; i < TRIES; i++) {
    double ns = timed(c, TIMES_LEAST);
    if (ns < least) least = ns;
  }
  double fit = BLOCK_NS / least;
  c->times = of_unit_0(c, fit > TIMES_MAX ? TIMES_MAX : fit < 1 ? 1 : (uint32_t)fit);
  c->passes = of_unit_0(c, least > SLOW_NS ? SLOW_PASSES : PASSES);
}

static void begin(struct wall_case *c, uint64_t round) {
  c->run =
      (struct coll_run){.me = eyot_me().id, .n = eyot_size(), .any_root = true, .round = round};
  coll_open(c->what, &c->run, c->bytes);
  coll_fill(c->what, &c->run, c->bytes);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  coll_call(c->what, &c->run, c->bytes);
  coll_check(c->what, &c->run, c->bytes);
  find_times(c);
}

static int measure(struct wall_case *cases, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) begin(&cases[i], i + 1);
  for (uint32_t pass = 0; pass < PASSES; pass++)
    for (uint32_t i = 0; i < n; i++) {
      if (pass >= cases[i].passes) continue;
      double ns = timed(&cases[i], cases[i].times);
      if (pass == 0 || ns < cases[i].least_ns) cases[i].least_ns = ns;
    }
  for (uint32_t i = 0; i < n; i++) {
    if (cases[i].run.me == 0)
      printf("case %s bytes %" PRIu64 " units %u wall_ns %.6g\n", cases[i].what->name,
             cases[i].bytes, cases[i].run.n, cases[i].least_ns);
    coll_close(cases[i].what, &cases[i].run);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  static struct wall_case cases[CASES_MAX];
  const char *wrong = argc < 2 || argc - 1 > CASES_MAX ? "" : NULL;
  for (int i = 1; i < argc && wrong == NULL; i++) {
    uint32_t times = 1;
    cases[i - 1].what = coll_parse(argv[i], &cases[i - 1].bytes, &times);
    if (cases[i - 1].what == NULL) wrong = argv[i];
  }
  if (wrong == NULL && eyot_size() > 1) return measure(cases, (uint32_t)argc - 1);
  if (eyot_me().id == 0)
    fprintf(stderr,
            "bench_coll_wall: '%s': expected two or more units, and up to %d of WHAT:BYTES as of "
            "bench_coll_scale\n",
            wrong != NULL ? wrong : "one unit", CASES_MAX);
  (void)!eyot_finalize();
  return 2;
}
