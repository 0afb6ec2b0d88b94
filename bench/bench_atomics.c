/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_atomics.c - atomics, signals and locks in a job of several nodes. `bench_atomics NAME`
 * prints values of cases NAME_..., so that a suite can run and compare the settings of
 * EYOT_ATOMICS.
 *
 *   eyotrun --fabric mpi -n 4 --node-size 2 --progress 1 --atomics owner bench_atomics owner
 * Unit 0 measures while the others wait inside eyot. Its target is a word of its own node (of its
 * neighbor there, or its own), or a word of the last unit. In `mixed` all units add to one word of
 * unit 0 at once, and the result is the total time divided by the number of operations. Each value
 * is a mean over some milliseconds, of which the suite takes the median. */
#include <eyot/eyot.h>
#include <stdio.h>

#include "bench.h"

enum {
  ADDS = 2000,
  SIGNALS = 2000,
  FLIGHT = 32,
  FLIGHTS = 40,
  PAIRS = 1000,
  BARRIERS = 200,
  WARM = 20
};

struct bench {
  const char *name;
  eyot_gptr_t words; /* two a unit: of atomics, of signals */
  eyot_lock_t lock;  /* of the units of this node */
  eyot_team_t node;
};

static void say(const struct bench *b, const char *what, double ns) {
  if (eyot_me().id == 0) printf("value %s_%s time ns %.1f\n", what, b->name, ns);
}

static eyot_gptr_t at(const struct bench *b, uint32_t unit, uint64_t word) {
  return eyot_gptr_add(eyot_gptr_at(b->words, (eyot_unit_t){unit}), (int64_t)(8 * word));
}

static void meet(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static double adds(eyot_gptr_t word, int n) {
  uint64_t old;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) failed |= eyot_fetch_add_u64(word, 1, &old);
  double ns = (wall_ns() - begin) / n;
  must(failed, "eyot_fetch_add_u64");
  return ns;
}

static double signals(eyot_gptr_t word, int n) {
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) failed |= eyot_put_signal(word, NULL, 0, word, EYOT_SIGNAL_ADD, 1);
  double ns = (wall_ns() - begin) / n;
  must(failed, "eyot_put_signal");
  return ns;
}

/* Without values, many under way, then a flush. */
static double flights(eyot_gptr_t word, int n) {
  const uint64_t one = 1;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < FLIGHT; k++)
      failed |= eyot_accumulate_nbi(word, EYOT_UINT64, EYOT_SUM, &one);
    failed |= eyot_flush(eyot_gptr_unit(word), EYOT_REMOTE);
  }
  double ns = (wall_ns() - begin) / n / FLIGHT;
  must(failed, "eyot_accumulate_nbi");
  return ns;
}

static double pairs(eyot_lock_t lock, int n) {
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    failed |= eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
    failed |= eyot_lock_release(lock);
  }
  double ns = (wall_ns() - begin) / n;
  must(failed, "eyot_lock");
  return ns;
}

static double barriers(eyot_team_t team, int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) must(eyot_barrier(team), "eyot_barrier");
  return (wall_ns() - begin) / n;
}

/* Unit 0 alone; the others wait in the barrier. */
static void alone(const struct bench *b, const char *what, double (*run)(eyot_gptr_t word, int n),
                  eyot_gptr_t word, int n) {
  double ns = 0;
  if (eyot_me().id == 0) {
    (void)run(word, WARM);
    ns = run(word, n);
  }
  meet();
  say(b, what, ns);
}

static void lock_alone(const struct bench *b) {
  double ns = 0;
  if (eyot_me().id == 0) {
    (void)pairs(b->lock, WARM);
    ns = pairs(b->lock, PAIRS);
  }
  meet();
  say(b, "lock_of_node", ns);
}

/* All at once: the time from the first to the last, by operation. */
static void mixed(const struct bench *b) {
  (void)adds(at(b, 0, 0), WARM);
  meet();
  double begin = wall_ns();
  (void)adds(at(b, 0, 0), ADDS);
  meet();
  say(b, "add_mixed", (wall_ns() - begin) / ADDS / eyot_size());
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct bench b = {.name = argc > 1 ? argv[1] : "default"};
  eyot_lock_attr_t attr = {.kind = EYOT_LOCK_MCS};
  must(eyot_team_alloc(EYOT_TEAM_ALL, 16, &b.words), "eyot_team_alloc");
  must(eyot_team_split_locality(EYOT_TEAM_ALL, EYOT_DOMAIN_NODE, &b.node),
       "eyot_team_split_locality");
  must(eyot_lock_create(b.node, &attr, &b.lock), "eyot_lock_create");
  uint32_t size, last = eyot_size() - 1;
  must(eyot_team_size(b.node, &size), "eyot_team_size");
  meet();
  uint32_t neighbor = size > 1 ? 1 : 0;
  alone(&b, "add_own_node", adds, at(&b, neighbor, 0), ADDS);
  alone(&b, "add_other_node", adds, at(&b, last, 0), ADDS);
  mixed(&b);
  alone(&b, "add_in_flight_own_node", flights, at(&b, neighbor, 0), FLIGHTS);
  alone(&b, "add_in_flight_other_node", flights, at(&b, last, 0), FLIGHTS);
  alone(&b, "signal_own_node", signals, at(&b, neighbor, 1), SIGNALS);
  alone(&b, "signal_other_node", signals, at(&b, last, 1), SIGNALS);
  lock_alone(&b);
  double ns = barriers(b.node, BARRIERS);
  meet();
  say(&b, "barrier_of_node", ns);
  ns = barriers(EYOT_TEAM_ALL, BARRIERS);
  say(&b, "barrier_of_all", ns);
  must(eyot_lock_destroy(&b.lock), "eyot_lock_destroy");
  must(eyot_team_destroy(&b.node), "eyot_team_destroy");
  must(eyot_team_free(b.words), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
