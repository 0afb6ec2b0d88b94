/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_mpi.c - a program that uses MPI's collectives beside eyot's, in the same order on all
 * units. None of eyot's may return with something of its own unsent that others wait for: inside
 * MPI nobody would send it.
 *
 *   eyotrun --fabric mpi -n N [--node-size K] mixed_mpi [ROUNDS] */
#include <mpi.h>
#include <string.h>

#include "programs/api_check.h"

enum { WORDS = 300, UNITS_MAX = 16 }; /* longer than what fits beside a signal */

static uint64_t sent[WORDS * UNITS_MAX], got[WORDS * UNITS_MAX];

static void fill(uint64_t with) {
  for (uint32_t i = 0; i < WORDS * UNITS_MAX; i++) sent[i] = with + i;
}

static void memory(uint64_t round, eyot_tunit_t root) {
  (void)root;
  eyot_gptr_t at;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 4096 + round % 3 * 100000, &at));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(eyot_team_free(at));
}
static void broadcast(uint64_t round, eyot_tunit_t root) {
  if (eyot_me().id == root.id) fill(round);
  OK(eyot_broadcast(EYOT_TEAM_ALL, root, sent, WORDS * sizeof *sent));
  CHECK(sent[WORDS - 1] == round + WORDS - 1);
}
static void reduce(uint64_t round, eyot_tunit_t root) {
  fill(round);
  OK(eyot_reduce(EYOT_TEAM_ALL, root, EYOT_UINT64, EYOT_SUM, sent, got, WORDS));
  if (eyot_me().id == root.id) CHECK(got[1] == (round + 1) * eyot_size());
}
static void allreduce(uint64_t round, eyot_tunit_t root) {
  (void)root;
  fill(round);
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, sent, got, WORDS));
  CHECK(got[2] == (round + 2) * eyot_size());
}
static void gather(uint64_t round, eyot_tunit_t root) {
  fill(round + eyot_me().id);
  OK(eyot_gather(EYOT_TEAM_ALL, root, sent, got, WORDS * sizeof *sent));
  if (eyot_me().id == root.id) CHECK(got[WORDS * (eyot_size() - 1)] == round + eyot_size() - 1);
}
static void allgather(uint64_t round, eyot_tunit_t root) {
  fill(round + eyot_me().id);
  OK(eyot_allgather(EYOT_TEAM_ALL, sent, got, WORDS * sizeof *sent));
  CHECK(got[WORDS * root.id] == round + root.id);
}
static void alltoall(uint64_t round, eyot_tunit_t root) {
  fill(round + eyot_me().id);
  OK(eyot_alltoall(EYOT_TEAM_ALL, sent, got, WORDS * sizeof *sent));
  CHECK(got[WORDS * root.id] == round + root.id + WORDS * eyot_me().id);
}
static void barriers(uint64_t round, eyot_tunit_t root) {
  (void)root;
  OK(eyot_barrier_by(EYOT_TEAM_ALL,
                     round % 2 == 0 ? EYOT_BARRIER_TREE : EYOT_BARRIER_DISSEMINATION));
}
static void split(uint64_t round, eyot_tunit_t root) {
  eyot_team_t team;
  OK(eyot_team_split(EYOT_TEAM_ALL, (uint32_t)(eyot_me().id + round) % 2, &team));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(eyot_team_destroy(&team));
  (void)root;
}
static void lock(uint64_t round, eyot_tunit_t root) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.kind = (eyot_lock_kind_t)(round % EYOT_LOCK_KIND_COUNT);
  attr.home = root.id;
  eyot_lock_t it;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &it));
  MPI_Barrier(MPI_COMM_WORLD);
  OK(eyot_lock_destroy(&it));
}

int main(int argc, char **argv) {
  static void (*const ALL[])(uint64_t round, eyot_tunit_t root) = {
      memory, broadcast, reduce, allreduce, gather, allgather, alltoall, barriers, split, lock};
  OK(eyot_init(&argc, &argv));
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
  CHECK(eyot_size() <= UNITS_MAX);
  for (uint64_t round = 0; round < rounds; round++)
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
      ALL[k](round, (eyot_tunit_t){(uint32_t)((round + k) % eyot_size())});
      MPI_Barrier(MPI_COMM_WORLD);
    }
  return finish();
}
