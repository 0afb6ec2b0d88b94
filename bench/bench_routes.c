/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_routes.c - latencies of small messages in virtual time, whichever routes the machine takes
 * (suite_routes.sh): mean and 99th percentile over all measuring units.
 *
 *   eyotrun --fabric sim --platform xc40:routing=R --order strict -n P bench_routes PATTERN BYTES N
 *     idle    each unit puts to N random units, one after the other, while all others are silent
 *     shift   two units a node: the even one sends 32 KiB without end to the node four further in
 *             its chassis, which is the next router's, so that four nodes share a link; the odd one
 *             puts N times to that node, each 5 us
 *     flood   each unit posts 16 puts to random units and flushes, N times: a time of 16
 * Prints: MEAN_NS P99_NS of a put that is flushed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_span.h"

enum { FLOOD = 16, BULK = 32768, IN_FLIGHT = 4, PAUSE_NS = 5000, SLOT_NS = 100000 };
enum { CHASSIS_NODES = 64, ROUTER_NODES = 4 };

static struct {
  uint32_t me, n;
  uint64_t count, bytes, random;
  eyot_gptr_t times, target; /* count words; BULK bytes */
  uint64_t *mine;
} b;
static char source[BULK];

static void put_and_flush(uint64_t i, uint32_t to, uint32_t puts) {
  uint64_t begin = eyot_now_ns();
  for (uint32_t k = 0; k < puts; k++) {
    if (puts > 1) to = (uint32_t)(span_mix(b.random++) % b.n);
    span_must(eyot_put_nbi(eyot_gptr_at(b.target, (eyot_unit_t){to}), source, b.bytes), "put");
  }
  span_must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  b.mine[i] = eyot_now_ns() - begin;
}

static void idle(void) {
  span_must(eyot_compute((uint64_t)b.me * b.count * SLOT_NS + 1), "eyot_compute");
  for (uint64_t i = 0; i < b.count; i++)
    put_and_flush(i, (uint32_t)(b.me + 1 + span_mix(b.random++) % (b.n - 1)) % b.n, 1);
}

static void flood(void) {
  for (uint64_t i = 0; i < b.count; i++) put_and_flush(i, 0, FLOOD);
}

static void shift(void) {
  uint32_t node = b.me / 2, in = node % CHASSIS_NODES;
  uint32_t to = 2 * (node - in + (in + ROUTER_NODES) % CHASSIS_NODES) + b.me % 2;
  uint64_t end_ns = eyot_now_ns() + (b.count + 10) * PAUSE_NS;
  while (b.me % 2 == 0 && eyot_now_ns() < end_ns) {
    for (int k = 0; k < IN_FLIGHT; k++)
      span_must(eyot_put_nbi(eyot_gptr_at(b.target, (eyot_unit_t){to}), source, BULK), "put");
    span_must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  }
  if (b.me % 2 == 0) return;
  span_must(eyot_compute(10 * PAUSE_NS), "eyot_compute"); /* until queues are long */
  for (uint64_t i = 0; i < b.count; i++) {
    put_and_flush(i, to, 1);
    if (b.mine[i] < PAUSE_NS) span_must(eyot_compute(PAUSE_NS - b.mine[i]), "eyot_compute");
  }
}

static int ascending(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, c = *(const uint64_t *)y;
  return (a > c) - (a < c);
}

static void print(bool odd) {
  uint64_t *all = malloc(b.n * b.count * sizeof *all), n = 0;
  if (all == NULL) eyot_abort(1, "no memory");
  for (uint32_t u = odd; u < b.n; u += 1 + odd, n += b.count)
    span_must(eyot_get(all + n, eyot_gptr_at(b.times, (eyot_unit_t){u}), b.count * sizeof *all),
              "eyot_get");
  qsort(all, n, sizeof *all, ascending);
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += (double)all[i];
  printf("%.0f %llu\n", sum / (double)n, (unsigned long long)all[n * 99 / 100]);
  free(all);
}

int main(int argc, char **argv) {
  span_must(eyot_init(&argc, &argv), "eyot_init");
  b.me = eyot_me().id;
  b.n = eyot_size();
  b.bytes = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
  b.count = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
  b.random = span_mix(b.me + 1);
  void (*pattern)(void) = argc < 2                        ? NULL
                          : strcmp(argv[1], "idle") == 0  ? idle
                          : strcmp(argv[1], "shift") == 0 ? shift
                          : strcmp(argv[1], "flood") == 0 ? flood
                                                          : NULL;
  if (pattern == NULL || b.bytes == 0 || b.bytes > BULK || b.count == 0 || b.n < 2 ||
      (pattern == shift && b.n % (2 * CHASSIS_NODES) != 0)) {
    if (b.me == 0) fprintf(stderr, "usage: bench_routes idle|shift|flood BYTES N\n");
    eyot_finalize();
    return 2;
  }
  void *mine;
  span_must(eyot_team_alloc(EYOT_TEAM_ALL, b.count * sizeof *b.mine, &b.times), "eyot_team_alloc");
  span_must(eyot_team_alloc(EYOT_TEAM_ALL, BULK, &b.target), "eyot_team_alloc");
  span_must(eyot_gptr_addr(eyot_gptr_at(b.times, eyot_me()), &mine), "eyot_gptr_addr");
  b.mine = mine;
  span_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  pattern();
  span_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (b.me == 0) print(pattern == shift);
  fflush(stdout);
  span_must(eyot_team_free(b.target), "eyot_team_free");
  span_must(eyot_team_free(b.times), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
