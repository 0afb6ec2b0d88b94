/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_fompi.c - figures 4 to 7 of foMPI (section 3.1): latency over the size, accumulates of
 * arrays, message rate, the share of a transfer that overlaps with computation; in virtual time.
 *
 *   eyotrun --fabric sim --platform xe6 --order strict -n P [--units-per-node 1] bench_fompi
 * Lines: fidelity TABLE ROW OURS, the rows of bench/fidelity/xe6.tsv. Unit 0 measures; the others
 * wait in a barrier. Its target is a unit on the next router, the distance of the calibration; if
 * units share nodes, it is unit 1, and the rows are those within a node. Each figure is the median
 * of 11 runs, less the cost of reading the clock. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 11, MESSAGES = 1000, BYTES = 262144, ROUTER_NODES = 2 };

static struct {
  uint64_t clock_ns;
  eyot_unit_t unit;
  eyot_gptr_t there;
  bool node; /* the target is on the same node */
} b;

static _Alignas(64) char local[BYTES];

static void must(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "bench_fompi: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, what);
}

static int ascending(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, c = *(const uint64_t *)y;
  return (a > c) - (a < c);
}

/* The median time of call(size). */
static double median_ns(void (*call)(size_t), size_t size) {
  uint64_t ns[RUNS];
  for (int i = 0; i < RUNS; i++) {
    must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
    uint64_t begin = eyot_now_ns();
    call(size);
    ns[i] = eyot_now_ns() - begin - b.clock_ns;
  }
  qsort(ns, RUNS, sizeof ns[0], ascending);
  return (double)ns[RUNS / 2];
}

static void flush(void) {
  must(eyot_flush(b.unit, EYOT_REMOTE), "eyot_flush");
}
static void put(size_t size) {
  must(eyot_put_nbi(b.there, local, size), "eyot_put_nbi");
  flush();
}
static void get(size_t size) {
  must(eyot_get(local, b.there, size), "eyot_get");
}
static void sum(size_t size) {
  must(eyot_accumulate_array(b.there, EYOT_UINT64, EYOT_SUM, local, size / 8), "SUM");
}
static void least(size_t size) {
  must(eyot_accumulate_array(b.there, EYOT_UINT64, EYOT_MIN, local, size / 8), "MIN");
}
static void put_many(size_t n) {
  for (size_t i = 0; i < n; i++) must(eyot_put_nbi(b.there, local, 8), "eyot_put_nbi");
}

static uint64_t compute_ns;
static void put_computing(size_t size) {
  must(eyot_put_nbi(b.there, local, size), "eyot_put_nbi");
  must(eyot_compute(compute_ns), "eyot_compute");
  flush();
}

/* The share of a put's time that is hidden behind a computation which takes a little longer. */
static double overlap_percent(size_t size) {
  double alone = median_ns(put, size);
  compute_ns = (uint64_t)(alone * 1.1);
  return 100 * (alone + (double)compute_ns - median_ns(put_computing, size)) / alone;
}

static void rows_of_latency(void) {
  const char *where = b.node ? "node_" : "";
  for (size_t size = 8; size <= BYTES; size *= 8) {
    printf("fidelity xe6_latency %sput_%zu_B %g\n", where, size, median_ns(put, size) / 1000);
    printf("fidelity xe6_latency %sget_%zu_B %g\n", where, size, median_ns(get, size) / 1000);
  }
}

static void rows_between_nodes(void) {
  for (size_t size = 8; size <= 32768; size *= 8) {
    printf("fidelity xe6_atomics sum_%zu_B %g\n", size, median_ns(sum, size) / 1000);
    printf("fidelity xe6_atomics min_%zu_B %g\n", size, median_ns(least, size) / 1000);
  }
  for (size_t size = 8; size <= BYTES; size *= 8)
    printf("fidelity xe6_overlap put_%zu_B %g\n", size, overlap_percent(size));
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  uint64_t begin = eyot_now_ns();
  b.clock_ns = eyot_now_ns() - begin;
  eyot_domain_t level = EYOT_DOMAIN_UNIT;
  if (eyot_size() > 1) must(eyot_distance((eyot_unit_t){0}, (eyot_unit_t){1}, &level), "distance");
  b.node = level <= EYOT_DOMAIN_NODE;
  b.unit = (eyot_unit_t){b.node ? 1 : ROUTER_NODES};
  if (eyot_size() < 2 || b.unit.id >= eyot_size()) {
    if (eyot_me().id == 0)
      fprintf(stderr, "bench_fompi: %u units; at least 2 on a node, or 3 on nodes of their own\n",
              eyot_size());
    eyot_finalize();
    return 2;
  }
  eyot_gptr_t words;
  must(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &words), "eyot_team_alloc");
  b.there = eyot_gptr_at(words, b.unit);
  if (eyot_me().id == 0) {
    rows_of_latency();
    if (!b.node) rows_between_nodes();
    printf("fidelity xe6_rate %s %g\n", b.node ? "within_a_node" : "between_nodes",
           1000 * MESSAGES / median_ns(put_many, MESSAGES));
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(words), "eyot_team_free");
  fflush(stdout);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
