/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c - eyot-calibrate-probe, the program that eyot-calibrate runs with two units: on mpi to
 * measure this machine, and in the simulator to see whether a machine file reproduces that.
 *
 *   eyot-calibrate-probe ROUNDS BLOCK_NS [small|apart]
 * small: without copies of many bytes, and without tables. apart: the units must be on two
 * machines. Each round measures each kind once, in blocks of about BLOCK_NS. Lines: sample KIND NS.
 * Time is eyot_now_ns: wall time on mpi, virtual time in the
 * simulator. */
#include "probe.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS_MAX = 64, ROUNDS_MAX = 10000 };

void probe_must(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "eyot-calibrate-probe: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, what);
}

void probe_pass(struct probe *p) {
  p->turn++;
  probe_must(eyot_put_signal_nbi(p->its_turns, NULL, 0, p->its_turns, EYOT_SIGNAL_SET, p->turn),
             "eyot_put_signal_nbi");
}

void probe_await(struct probe *p) {
  p->turn++;
  probe_must(eyot_wait_until(p->turns, EYOT_CMP_GE, p->turn, NULL), "eyot_wait_until");
}

static double clock_cost_ns(void) {
  enum { READS = 10000 };
  uint64_t begin = eyot_now_ns();
  for (int i = 1; i < READS; i++) (void)eyot_now_ns();
  return (double)(eyot_now_ns() - begin) / READS;
}

/* What unit 0 asks of unit 1. */
struct order {
  uint64_t kind, n; /* kind UINT64_MAX: the end */
};

static eyot_gptr_t bytes, turns, orders, table;

static void send_order(struct probe *p, uint64_t kind, uint64_t n) {
  struct order order = {kind, n};
  p->turn++;
  probe_must(eyot_put_signal(eyot_gptr_at(orders, (eyot_unit_t){1}), &order, sizeof order,
                             p->its_turns, EYOT_SIGNAL_SET, p->turn),
             "eyot_put_signal");
}

/* What the first operations of a job to the other unit take beyond the second ones: a signal, a put
 * and a get, each complete at the target. Before anything else. */
static double first_ns(struct probe *p) {
  double ns[2];
  for (int round = 0; round < 2; round++) {
    uint64_t value = 0, begin = eyot_now_ns();
    int failed = eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, p->there, EYOT_SIGNAL_SET, 0);
    failed |= eyot_put(p->there, &value, sizeof value);
    failed |= eyot_get(&value, p->there, sizeof value);
    ns[round] = (double)(eyot_now_ns() - begin);
    probe_must(failed, "first operations");
  }
  return ns[0] > ns[1] ? ns[0] - ns[1] : 0;
}

static double timed(struct probe *p, const struct probe_kind *k, uint64_t index, uint64_t n) {
  send_order(p, index, n);
  double ns = k->measure(p, n);
  probe_await(p); /* unit 1 is ready for the next order */
  return ns;
}

/* Finds the number of repetitions that take about block_ns; also warms up. */
static uint64_t block(struct probe *p, const struct probe_kind *k, uint64_t index,
                      double block_ns) {
  uint64_t n = 1;
  while (n < k->most && timed(p, k, index, n) < block_ns / 2) n *= 2;
  return n;
}

static void probe_begin(struct probe *p, const struct probe_kind *kinds, uint64_t n_kinds,
                        int rounds, double block_ns) {
  uint64_t n[KINDS_MAX];
  printf("sample first %.6g\n", first_ns(p));
  for (uint64_t k = 0; k < n_kinds; k++) n[k] = block(p, &kinds[k], k, block_ns);
  for (int round = 0; round < rounds; round++)
    for (uint64_t i = 0; i < n_kinds; i++) {
      uint64_t k = (i + (uint64_t)round) % n_kinds;
      printf("sample %s %.6g\n", kinds[k].name, timed(p, &kinds[k], k, n[k]) / (double)n[k]);
    }
  fflush(stdout);
  send_order(p, UINT64_MAX, 0);
}

static void probe_follow(struct probe *p, const struct probe_kind *kinds) {
  void *address;
  probe_must(eyot_gptr_addr(eyot_gptr_at(orders, eyot_me()), &address), "eyot_gptr_addr");
  for (;;) {
    struct order order;
    probe_await(p);
    memcpy(&order, address, sizeof order);
    if (order.kind == UINT64_MAX) return;
    if (kinds[order.kind].other != NULL) kinds[order.kind].other(p, order.n);
    probe_must(eyot_order_all(), "eyot_order_all"); /* its last turn arrives before this one */
    probe_pass(p);
  }
}

/* On mpi each unit of a machine keeps a processor of its own, if it may use several: moves between
 * processors are not what is measured. */
static void keep_processor(uint32_t me) {
  cpu_set_t allowed, mine;
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  CPU_ZERO(&mine);
  uint32_t nth = me;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET((size_t)cpu, &allowed) && nth-- == 0) CPU_SET((size_t)cpu, &mine);
  if (CPU_COUNT(&mine) == 1) (void)sched_setaffinity(0, sizeof mine, &mine);
}

static bool share_memory(void) {
  eyot_unit_t first;
  uint32_t mapped;
  probe_must(eyot_mapped_units(&first, &mapped), "eyot_mapped_units");
  return mapped == eyot_size();
}

/* On mpi within a node, where memory is near or far. */
static void open_table(struct probe *p, bool small) {
  void *address;
  p->table = EYOT_GPTR_NULL;
  if (small || !share_memory()) return;
  probe_must(eyot_team_alloc(EYOT_TEAM_ALL, PROBE_FAR_BYTES, &table), "eyot_team_alloc");
  p->table = eyot_gptr_at(table, eyot_me());
  p->its_table = eyot_gptr_at(table, eyot_gptr_unit(p->there));
  probe_must(eyot_gptr_addr(p->table, &address), "eyot_gptr_addr");
  if (p->me == 0) memset(address, 0, PROBE_FAR_BYTES);
  probe_must(eyot_sync(), "eyot_sync");
}

static void open_probe(struct probe *p, bool small) {
  void *address;
  p->me = eyot_me().id;
  keep_processor(p->me);
  eyot_unit_t me = eyot_me(), it = {1 - p->me};
  probe_must(eyot_team_alloc(EYOT_TEAM_ALL, PROBE_BYTES, &bytes), "eyot_team_alloc");
  probe_must(eyot_team_alloc(EYOT_TEAM_ALL, PROBE_LINE, &turns), "eyot_team_alloc");
  probe_must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(struct order), &orders), "eyot_team_alloc");
  p->here = eyot_gptr_at(bytes, me), p->there = eyot_gptr_at(bytes, it);
  p->turns = eyot_gptr_at(turns, me), p->its_turns = eyot_gptr_at(turns, it);
  probe_must(eyot_gptr_addr(p->here, &address), "eyot_gptr_addr");
  p->mine = address;
  probe_must(eyot_gptr_addr(p->turns, &address), "eyot_gptr_addr");
  memset(p->mine, 1, PROBE_BYTES);
  memset(address, 0, PROBE_LINE);
  p->buffer = aligned_alloc(PROBE_LINE, PROBE_BYTES);
  if (p->buffer == NULL) probe_must(EYOT_ENOMEM, "aligned_alloc");
  memset(p->buffer, 2, PROBE_BYTES);
  open_table(p, small);
  p->clock_ns = clock_cost_ns();
  probe_must(eyot_sync(), "eyot_sync");
  probe_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static void close_probe(struct probe *p) {
  probe_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (!eyot_gptr_is_null(p->table)) probe_must(eyot_team_free(table), "eyot_team_free");
  probe_must(eyot_team_free(orders), "eyot_team_free");
  probe_must(eyot_team_free(turns), "eyot_team_free");
  probe_must(eyot_team_free(bytes), "eyot_team_free");
  free(p->buffer);
}

/* Two names of a machine are two nodes to MPI: asks the system for its own. */
static bool is_one_machine(const struct probe *p) {
  char mine[PROBE_LINE] = "";
  gethostname(mine, sizeof mine - 1);
  probe_must(eyot_put(p->there, mine, sizeof mine), "eyot_put");
  probe_must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  return memcmp(p->mine, mine, sizeof mine) == 0;
}

static uint64_t all_kinds(const struct probe *p, struct probe_kind *kinds, bool small) {
  uint64_t n = 0;
  for (const struct probe_kind *k = PROBE_OPS; k->name != NULL; k++) kinds[n++] = *k;
  for (const struct probe_kind *k = PROBE_TURNS; k->name != NULL; k++) kinds[n++] = *k;
  for (const struct probe_kind *k = PROBE_COPIES; k->name != NULL && !small; k++) kinds[n++] = *k;
  bool far = !eyot_gptr_is_null(p->table);
  for (const struct probe_kind *k = PROBE_FAR; k->name != NULL && far; k++) kinds[n++] = *k;
  return n;
}

int main(int argc, char **argv) {
  struct probe p = {0};
  struct probe_kind kinds[KINDS_MAX];
  probe_must(eyot_init(&argc, &argv), "eyot_init");
  bool small = argc == 4 && strcmp(argv[3], "small") == 0,
       apart = argc == 4 && strcmp(argv[3], "apart") == 0, well = argc == 3 || small || apart;
  int rounds = well ? atoi(argv[1]) : 0;
  double block_ns = well ? atof(argv[2]) : 0;
  if (eyot_size() != 2 || rounds < 1 || rounds > ROUNDS_MAX || block_ns < 1) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "usage: eyotrun -n 2 eyot-calibrate-probe ROUNDS BLOCK_NS [small|apart] "
              "(eyot-calibrate runs it)\n");
    eyot_finalize();
    return 2;
  }
  open_probe(&p, small);
  if (apart && is_one_machine(&p)) {
    if (p.me == 0)
      fprintf(stderr,
              "eyot-calibrate-probe: the two hosts are one machine under two names; expected two "
              "machines\n");
    close_probe(&p);
    eyot_finalize();
    return 2;
  }
  uint64_t n = all_kinds(&p, kinds, small);
  if (p.me == 0)
    probe_begin(&p, kinds, n, rounds, block_ns);
  else
    probe_follow(&p, kinds);
  close_probe(&p);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
