/* SPDX-License-Identifier: BSD-3-Clause */
/* own_mpi.c - own_mpi single|multiple MS: a program that initializes MPI itself, at that level of
 * threads, and then eyot, on two units of different nodes. The last unit computes for MS
 * milliseconds without a call of eyot or MPI while unit 0 puts to memory that it has registered; MS
 * 0: it does not. With MS the put must not have waited for it (a progress thread). MPI must work
 * again after eyot. */
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "programs/api_check.h"

static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Everybody learns `mine` of the last unit. */
static eyot_gptr_t of_last(eyot_gptr_t mine) {
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){eyot_size() - 1}, &mine, sizeof mine));
  return mine;
}

static void put_to_last(uint64_t ms) {
  static uint64_t target[2];
  eyot_gptr_t mine;
  OK(eyot_register(target, sizeof target, &mine));
  eyot_gptr_t theirs = of_last(mine);
  uint64_t since = clock_ns(), value = 42, got = 0;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == eyot_size() - 1)
    while (clock_ns() < since + ms * 1000000) continue;
  if (eyot_me().id == 0) {
    OK(eyot_put(theirs, &value, sizeof value));
    OK(eyot_get(&got, theirs, sizeof got));
    CHECK(got == 42);
    CHECK(ms == 0 || clock_ns() < since + ms * 1000000 / 2);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  CHECK(target[0] == (eyot_me().id == eyot_size() - 1 ? 42 : 0));
  OK(eyot_unregister(mine));
}

int main(int argc, char **argv) {
  int level =
          argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
      provided, sum = 0, one = 1, n;
  if (argc != 3 || MPI_Init_thread(&argc, &argv, level, &provided) != MPI_SUCCESS ||
      provided < level)
    return 2;
  if (eyot_init(&argc, &argv) != EYOT_OK) {
    MPI_Finalize();
    return 3;
  }
  put_to_last(strtoull(argv[2], NULL, 10));
  int rc = finish();
  if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &n) != MPI_SUCCESS)
    return 4;
  return MPI_Finalize() != MPI_SUCCESS || sum != n ? 5 : rc;
}
