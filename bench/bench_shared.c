/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_shared.c - protocols of units that share processors: what a wait and its wakeup cost.
 *
 *   eyotrun --fabric mpi -n N bench_shared [ROUNDS]
 * A step is done by all units together: a barrier, a collective of 8 bytes with another root each
 * time, an exchange of 64 bytes with both neighbors (by put with signal; by put and a flag that is
 * put too; by put with notification), and N acquisitions of a lock that all units want, one each.
 * floor is a token that goes round: each unit sleeps on a futex until its neighbor wakes it, so
 * each step has N wakeups in a row. In each round every step is measured once, for about BLOCK_NS.
 * Lines: value N_STEP_{floor,eyot} time ns NUMBER; of floor and locks: of one pass, of one
 * acquisition. */
#include <linux/futex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define BLOCK_NS 1e7
enum { ROUNDS = 5, STEPS_MAX = 4000, HALO = 64, LINE = 64 };

struct bench {
  uint32_t me, n;
  uint64_t seq; /* of exchanges, by signals and by flags alike */
  eyot_gptr_t halo, flags;
  eyot_counter_t counter;
  eyot_lock_t lock[EYOT_LOCK_KIND_COUNT];
  uint32_t kind;
  MPI_Win window; /* of the tokens */
  uint32_t *own_token, *next_token;
};

static eyot_unit_t neighbor(const struct bench *b, uint32_t side) {
  return (eyot_unit_t){(b->me + (side == 0 ? 1 : b->n - 1)) % b->n};
}
static eyot_gptr_t part(eyot_gptr_t p, eyot_unit_t unit, uint64_t off) {
  return eyot_gptr_add(eyot_gptr_at(p, unit), (int64_t)off);
}

static int step_barrier(struct bench *b) {
  (void)b;
  return eyot_barrier(EYOT_TEAM_ALL);
}
static int step_broadcast(struct bench *b) {
  uint64_t word = b->seq;
  return eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){(uint32_t)(b->seq++ % b->n)}, &word,
                        sizeof word);
}
static int step_allreduce(struct bench *b) {
  uint64_t word = b->me, sum;
  return eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &word, &sum, 1);
}

static int await_both(const struct bench *b) {
  int failed = 0;
  for (uint32_t side = 0; side < 2; side++)
    failed |= eyot_wait_until(part(b->flags, (eyot_unit_t){b->me}, side * LINE), EYOT_CMP_GE,
                              b->seq, NULL);
  return failed;
}
static int step_signals(struct bench *b) {
  char bytes[HALO] = {0};
  int failed = 0;
  b->seq++;
  for (uint32_t side = 0; side < 2; side++)
    failed |=
        eyot_put_signal(part(b->halo, neighbor(b, side), side * HALO), bytes, HALO,
                        part(b->flags, neighbor(b, side), side * LINE), EYOT_SIGNAL_SET, b->seq);
  return failed | await_both(b);
}
static int step_flags(struct bench *b) {
  char bytes[HALO] = {0};
  int failed = 0;
  b->seq++;
  for (uint32_t side = 0; side < 2; side++) {
    uint64_t before;
    failed |= eyot_put(part(b->halo, neighbor(b, side), side * HALO), bytes, HALO);
    failed |= eyot_swap_u64(part(b->flags, neighbor(b, side), side * LINE), b->seq, &before);
  }
  return failed | await_both(b);
}
static int step_notify(struct bench *b) {
  char bytes[HALO] = {0};
  int failed = 0;
  for (uint32_t side = 0; side < 2; side++) {
    eyot_counter_t there = eyot_counter_at(b->counter, neighbor(b, side));
    failed |= eyot_put_notify(part(b->halo, neighbor(b, side), side * HALO), bytes, HALO, there, 1);
  }
  return failed | eyot_counter_wait(eyot_counter_at(b->counter, (eyot_unit_t){b->me}));
}

static int step_lock(struct bench *b) {
  eyot_lock_mode_t mode = EYOT_LOCK_EXCLUSIVE;
  if (b->kind == EYOT_LOCK_EPOCH) {
    eyot_tunit_t first = {0};
    return eyot_lock_acquire_at(b->lock[b->kind], mode, first) |
           eyot_lock_release_at(b->lock[b->kind], first);
  }
  return eyot_lock_acquire(b->lock[b->kind], mode) | eyot_lock_release(b->lock[b->kind]);
}

/* The token is with the unit whose word is 1. */
static int step_token(struct bench *b) {
  while (__atomic_load_n(b->own_token, __ATOMIC_ACQUIRE) == 0)
    (void)syscall(SYS_futex, b->own_token, FUTEX_WAIT, 0, NULL, NULL, 0);
  __atomic_store_n(b->own_token, 0, __ATOMIC_RELAXED);
  __atomic_store_n(b->next_token, 1, __ATOMIC_SEQ_CST);
  (void)syscall(SYS_futex, b->next_token, FUTEX_WAKE, 1, NULL, NULL, 0);
  return EYOT_OK;
}

typedef int (*step_fn)(struct bench *b);

/* ns of a step of all units: n steps, until all have made them. */
static double timed(struct bench *b, step_fn step, uint64_t n) {
  int failed = 0;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double begin = wall_ns();
  for (uint64_t i = 0; i < n; i++) failed |= step(b);
  must(failed, "a step");
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  return (wall_ns() - begin) / (double)n;
}

/* All make as many steps as unit 0 finds fit. */
static double block(struct bench *b, step_fn step) {
  double first = timed(b, step, 8), fit = BLOCK_NS / first;
  uint64_t n = fit < 8 ? 8 : fit > STEPS_MAX ? STEPS_MAX : (uint64_t)fit;
  must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &n, sizeof n), "eyot_broadcast");
  return timed(b, step, n);
}

static void say(const struct bench *b, const char *what, double ns) {
  if (b->me == 0) printf("value %u_%s time ns %.6g\n", b->n, what, ns);
}

static void measure(struct bench *b) {
  static const struct {
    const char *name;
    step_fn step;
  } STEPS[] = {{"barrier_eyot", step_barrier},        {"broadcast_8B_eyot", step_broadcast},
               {"allreduce_8B_eyot", step_allreduce}, {"exchange_signals_eyot", step_signals},
               {"exchange_flags_eyot", step_flags},   {"exchange_notify_eyot", step_notify}};
  say(b, "token_floor", block(b, step_token) / b->n);
  for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
    say(b, STEPS[i].name, block(b, STEPS[i].step));
  for (b->kind = 0; b->kind < EYOT_LOCK_KIND_COUNT; b->kind++) {
    char name[48];
    snprintf(name, sizeof name, "lock_%s_eyot", eyot_lock_kind_name((eyot_lock_kind_t)b->kind));
    say(b, name, block(b, step_lock) / b->n);
  }
  fflush(stdout);
}

static void open_tokens(struct bench *b) {
  MPI_Aint bytes;
  int unit_bytes;
  MPI_Win_allocate_shared(LINE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b->own_token, &b->window);
  MPI_Win_shared_query(b->window, (int)((b->me + 1) % b->n), &bytes, &unit_bytes, &b->next_token);
  *b->own_token = b->me == 0;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct bench b = {.me = eyot_me().id, .n = eyot_size()};
  int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || b.n < 2) {
    if (b.me == 0)
      fprintf(stderr, "bench_shared: needs two and more units of one node on the mpi fabric\n");
    eyot_finalize();
    return 2;
  }
  must(eyot_team_alloc(EYOT_TEAM_ALL, 2 * HALO, &b.halo), "eyot_team_alloc");
  must(eyot_team_alloc(EYOT_TEAM_ALL, 2 * LINE, &b.flags), "eyot_team_alloc");
  must(eyot_counter_create(EYOT_TEAM_ALL, 2, &b.counter), "eyot_counter_create");
  for (int kind = 0; kind < EYOT_LOCK_KIND_COUNT; kind++) {
    eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
    attr.kind = (eyot_lock_kind_t)kind;
    must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &b.lock[kind]), "eyot_lock_create");
  }
  open_tokens(&b);
  for (int round = 0; round < rounds; round++) measure(&b);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  MPI_Win_free(&b.window);
  for (int kind = 0; kind < EYOT_LOCK_KIND_COUNT; kind++)
    must(eyot_lock_destroy(&b.lock[kind]), "eyot_lock_destroy");
  must(eyot_counter_destroy(&b.counter), "eyot_counter_destroy");
  must(eyot_team_free(b.flags), "eyot_team_free");
  must(eyot_team_free(b.halo), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
