/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node_alloc.c - allocation of bench_node in its steady state: 1 MiB on the team is allocated
 * and freed again and again, compared with barriers and with a window that is made and freed.
 * Memory is zeroed, unless the program asks for it raw. */
#include "bench_node.h"

enum { MIB = 1 << 20, TIMES = 500, ZEROED = 20, WINDOWS = 2 };

static double zeroed(int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    eyot_gptr_t g;
    must(eyot_team_alloc(EYOT_TEAM_ALL, MIB, &g), "eyot_team_alloc");
    must(eyot_team_free(g), "eyot_team_free");
  }
  return (wall_ns() - begin) / n;
}

static double raw(int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    eyot_gptr_t g;
    must(eyot_team_alloc_raw(EYOT_TEAM_ALL, MIB, 64, &g), "eyot_team_alloc_raw");
    must(eyot_team_free(g), "eyot_team_free");
  }
  return (wall_ns() - begin) / n;
}

static double barriers(int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  return (wall_ns() - begin) / n;
}

static double windows(int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    MPI_Win w;
    void *memory;
    MPI_Win_allocate(MIB, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
    MPI_Win_free(&w);
  }
  return (wall_ns() - begin) / n;
}

void alloc_rounds(struct node *b, int rounds) {
  (void)(zeroed(ZEROED) + barriers(TIMES));
  for (int round = 0; round < rounds; round++) {
    say(b, "allocate_1MiB", "floor", barriers(TIMES));
    say(b, "allocate_1MiB", "eyot", raw(TIMES));
    say(b, "allocate_1MiB", "again", barriers(TIMES));
    say(b, "allocate_1MiB", "mpi", windows(WINDOWS));
    say(b, "allocate_1MiB_zeroed", "floor", barriers(TIMES));
    say(b, "allocate_1MiB_zeroed", "eyot", zeroed(ZEROED));
    say(b, "allocate_1MiB_zeroed", "again", barriers(TIMES));
    say(b, "allocate_1MiB_zeroed", "mpi", windows(WINDOWS));
  }
}
