/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_mcs.c - the cost of acquiring and releasing a free mcs lock within a node, compared with
 * two atomic exchanges written by hand and with MPI's exclusive lock.
 *
 *   eyotrun --fabric mpi -n 2 bench_mcs
 * All ways run in one process, in interleaved rounds. Unit 1 waits in a barrier (of MPI while MPI's
 * lock is measured, which needs its target inside MPI); for the contended lines it uses the lock at
 * the same time. The raw exchanges are sequentially consistent, on the other unit's memory. They
 * run twice a round: the ratio of their two medians shows the noise of the measurement. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum {
  ROUNDS = 7,
  ITERATIONS = 200000,
  MPI_ITERATIONS = 5000,
  CONTENDED = 20000,
  MPI_CONTENDED = 1000
};

struct bench {
  eyot_gptr_t word;
  uint64_t *raw;
  eyot_lock_t mcs, tas;
  MPI_Win window;
};

__attribute__((noinline)) static double raw_exchanges(const struct bench *b, int n) {
  uint64_t sum = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    sum += __atomic_exchange_n(b->raw, (uint64_t)i, __ATOMIC_SEQ_CST);
    sum += __atomic_exchange_n(b->raw, 0, __ATOMIC_SEQ_CST);
  }
  double ns = (wall_ns() - begin) / n;
  __asm__ volatile("" ::"r"(sum));
  return ns;
}

static double eyot_exchanges(const struct bench *b, int n) {
  uint64_t old;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    failed |= eyot_swap_u64(b->word, (uint64_t)i, &old);
    failed |= eyot_swap_u64(b->word, 0, &old);
  }
  must(failed, "eyot_swap_u64");
  return (wall_ns() - begin) / n;
}

static double eyot_pairs(eyot_lock_t lock, int n) {
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    failed |= eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
    failed |= eyot_lock_release(lock);
  }
  must(failed, "eyot_lock");
  return (wall_ns() - begin) / n;
}

static double mpi_pairs(const struct bench *b, int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, b->window);
    MPI_Win_unlock(1, b->window);
  }
  return (wall_ns() - begin) / n;
}

/* Unit 0 measures; unit 1, if it takes part, does the same. */
static void contended(const struct bench *b) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double mcs = eyot_pairs(b->mcs, CONTENDED);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double tas = eyot_pairs(b->tas, CONTENDED);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  double mpi = mpi_pairs(b, MPI_CONTENDED);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (eyot_me().id != 0) return;
  printf(
      "value contended_mcs pair_wall ns %.2f\nvalue contended_tas pair_wall ns %.2f\nvalue "
      "contended_MPI_Win_lock pair_wall ns %.2f\n",
      mcs, tas, mpi);
}

static void alone(const struct bench *b) {
  printf("value two_raw_exchanges pair_wall ns %.3f\n", raw_exchanges(b, ITERATIONS));
  printf("value mcs pair_wall ns %.3f\n", eyot_pairs(b->mcs, ITERATIONS));
  printf("value two_raw_exchanges_again pair_wall ns %.3f\n", raw_exchanges(b, ITERATIONS));
  printf("value two_eyot_swaps pair_wall ns %.3f\n", eyot_exchanges(b, ITERATIONS));
  printf("value tas pair_wall ns %.3f\n", eyot_pairs(b->tas, ITERATIONS));
}

static void mpi_alone(const struct bench *b) {
  if (eyot_me().id == 0)
    printf("value MPI_Win_lock pair_wall ns %.3f\n", mpi_pairs(b, MPI_ITERATIONS));
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() != 2) {
    if (eyot_me().id == 0)
      fprintf(
          stderr,
          "bench_mcs: needs two units on the mpi fabric: eyotrun --fabric mpi -n 2 bench_mcs\n");
    eyot_finalize();
    return 2;
  }
  struct bench b;
  void *memory, *direct;
  must(eyot_team_alloc(EYOT_TEAM_ALL, 64, &b.word), "eyot_team_alloc");
  b.word = eyot_gptr_at(b.word, (eyot_unit_t){1});
  must(eyot_gptr_direct(b.word, &direct), "eyot_gptr_direct");
  b.raw = direct;
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.home = 1;
  must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &b.mcs), "eyot_lock_create");
  attr.kind = EYOT_LOCK_TAS;
  must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &b.tas), "eyot_lock_create");
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &b.window);
  for (int round = 0; round < ROUNDS; round++) {
    if (eyot_me().id == 0) {
      if (round == 0) eyot_pairs(b.mcs, ITERATIONS / 10);
      alone(&b);
    }
    must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
    mpi_alone(&b);
    contended(&b);
  }
  fflush(stdout);
  MPI_Win_free(&b.window);
  must(eyot_lock_destroy(&b.mcs), "eyot_lock_destroy");
  must(eyot_lock_destroy(&b.tas), "eyot_lock_destroy");
  must(eyot_team_free(eyot_gptr_at(b.word, (eyot_unit_t){0})), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
