/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node.c - the cost of eyot within a node, compared with the same operations written by hand
 * on an MPI shared window (the floor) and with MPI's.
 *
 *   eyotrun --fabric mpi -n 2 bench_node [ROUNDS]   one-sided operations, atomics, barrier, locks,
 *                                                   allocation
 *   eyotrun --fabric mpi -n 8 bench_node [ROUNDS]   other numbers of units: barriers only, for
 *                                                   machines with fewer processors
 *   ... bench_node count WHAT                       one operation in a loop, for callgrind (see
 *                                                   suite_node.sh)
 * All ways run in one job, one after the other in each round. The floor runs twice: the ratio of
 * the two shows the noise. Lines: value WHAT_{floor,eyot,again,mpi} time ns NUMBER. */
#include "bench_node.h"

/* Callgrind counts the instructions inside these functions; the difference of two numbers of
 * iterations gives the cost of one. */
__attribute__((noinline)) static void count_puts(const eyot_gptr_t *g, int n) {
  int64_t value = 0;
  int failed = 0;
  for (int i = 0; i < n; i++) {
    RELOAD(&value);
    failed |= eyot_put(*g, &value, sizeof value);
  }
  must(failed, "eyot_put");
}
__attribute__((noinline)) static void count_gets(const eyot_gptr_t *g, int n) {
  int64_t value = 0;
  int failed = 0;
  for (int i = 0; i < n; i++) {
    RELOAD(&value);
    failed |= eyot_get(&value, *g, sizeof value);
  }
  must(failed, "eyot_get");
}
__attribute__((noinline)) static void count_flushes(const eyot_gptr_t *g, int n) {
  int failed = 0;
  for (int i = 0; i < n; i++) {
    RELOAD(g);
    failed |= eyot_flush(eyot_gptr_unit(*g), EYOT_REMOTE);
  }
  must(failed, "eyot_flush");
}
__attribute__((noinline)) static void count_adds(const eyot_gptr_t *g, int n) {
  uint64_t old;
  int failed = 0;
  for (int i = 0; i < n; i++) {
    RELOAD(g);
    failed |= eyot_fetch_add_u64(*g, 1, &old);
  }
  must(failed, "eyot_fetch_add_u64");
}
__attribute__((noinline)) static void count_nothing(const eyot_gptr_t *g, int n) {
  for (int i = 0; i < n; i++) RELOAD(g);
}

static const struct {
  const char *name;
  void (*loop)(const eyot_gptr_t *g, int n);
} COUNTED[] = {{"put", count_puts},
               {"get", count_gets},
               {"flush", count_flushes},
               {"fetch_add", count_adds},
               {"nothing", count_nothing}};

static int count(const struct node *b, const char *what) {
  enum { TIMES = 1000 };
  eyot_gptr_t g = eyot_gptr_at(b->part, (eyot_unit_t){b->n - 1});
  for (size_t i = 0; i < sizeof COUNTED / sizeof *COUNTED; i++)
    if (strcmp(COUNTED[i].name, what) == 0) {
      if (b->me == 0) COUNTED[i].loop(&g, TIMES);
      return 0;
    }
  if (b->me == 0) fprintf(stderr, "bench_node: cannot count '%s'\n", what);
  return 2;
}

static void open_memory(struct node *b, MPI_Comm *node, MPI_Win *shared) {
  void *own;
  b->me = eyot_me().id;
  b->n = eyot_size();
  must(eyot_team_alloc(EYOT_TEAM_ALL, SHARED_BYTES, &b->part), "eyot_team_alloc");
  /* MPI_COMM_WORLD and eyot number the units of one node alike. */
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node);
  MPI_Win_allocate_shared(SHARED_BYTES, 1, MPI_INFO_NULL, *node, &own, shared);
  memset(own, 0, SHARED_BYTES);
  b->raw = calloc(b->n, sizeof *b->raw);
  if (b->raw == NULL) eyot_abort(1, "no memory");
  for (uint32_t u = 0; u < b->n; u++) {
    MPI_Aint bytes;
    int unit;
    MPI_Win_shared_query(*shared, (int)u, &bytes, &unit, &b->raw[u]);
  }
  MPI_Win_allocate(SHARED_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &b->window);
  memset(own, 0, SHARED_BYTES);
  MPI_Win_lock_all(0, b->window);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() < 2) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_node: needs two or more units on the mpi fabric: eyotrun --fabric mpi -n 2 "
              "bench_node\n");
    eyot_finalize();
    return 2;
  }
  struct node b = {0};
  MPI_Comm node;
  MPI_Win shared;
  open_memory(&b, &node, &shared);
  int rounds = argc > 1 ? atoi(argv[1]) : 0, code = 0;
  if (rounds <= 0) rounds = 31;
  if (argc > 2 && strcmp(argv[1], "count") == 0) {
    code = count(&b, argv[2]);
  } else if (b.n != 2) {
    oversubscribed_rounds(&b, rounds);
  } else {
    one_sided_rounds(&b, rounds);
    sync_rounds(&b, rounds);
    alloc_rounds(&b, rounds);
  }
  fflush(stdout);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  MPI_Win_unlock_all(b.window);
  MPI_Win_free(&b.window);
  MPI_Win_free(&shared);
  MPI_Comm_free(&node);
  free(b.raw);
  must(eyot_team_free(b.part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? code : 1;
}
