/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_put.c - the cost of eyot_put and eyot_get of 8 bytes and of some MiB within a node,
 * compared with a copy written by hand on an MPI shared window.
 *
 *   eyotrun --fabric mpi -n 2 bench_put
 * Both ways run in one process, in interleaved rounds; both loops reload base and pointer through
 * the same compiler barrier in every iteration. The raw loop runs twice a round: the ratio of its
 * two medians shows the noise of the measurement. Unit 1 waits in a barrier. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { ROUNDS = 15, ITERATIONS = 4000000, WARM_UP = 200000 };
enum { MIB = 1 << 20, LONG_MAX = 32 * MIB, LONG_BYTES = 48 * MIB };

/* Where the raw loop finds its target. */
struct raw {
  char *base;
  uint64_t offset;
};

__attribute__((noinline)) static double raw_put(const struct raw *raw, int n) {
  int64_t value;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    value = i;
    RELOAD(&value);
    memcpy(raw->base + raw->offset, &value, sizeof value);
  }
  RELOAD(&value);
  return (wall_ns() - begin) / n;
}

__attribute__((noinline)) static double eyot_put_loop(const eyot_gptr_t *g, int n) {
  int64_t value;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    value = i;
    RELOAD(&value);
    failed |= eyot_put(*g, &value, sizeof value);
  }
  RELOAD(&value);
  must(failed, "eyot_put");
  return (wall_ns() - begin) / n;
}

__attribute__((noinline)) static double raw_get(const struct raw *raw, int n) {
  int64_t value = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    RELOAD(&value);
    memcpy(&value, raw->base + raw->offset, sizeof value);
  }
  RELOAD(&value);
  return (wall_ns() - begin) / n;
}

__attribute__((noinline)) static double eyot_get_loop(const eyot_gptr_t *g, int n) {
  int64_t value = 0;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    RELOAD(&value);
    failed |= eyot_get(&value, *g, sizeof value);
  }
  RELOAD(&value);
  must(failed, "eyot_get");
  return (wall_ns() - begin) / n;
}

static void measure(const struct raw *raw, const eyot_gptr_t *g) {
  raw_put(raw, WARM_UP);
  eyot_put_loop(g, WARM_UP);
  raw_get(raw, WARM_UP);
  eyot_get_loop(g, WARM_UP);
  for (int round = 0; round < ROUNDS; round++) {
    printf("value put_8B_raw time ns %.4f\n", raw_put(raw, ITERATIONS));
    printf("value put_8B_eyot time ns %.4f\n", eyot_put_loop(g, ITERATIONS));
    printf("value put_8B_raw_again time ns %.4f\n", raw_put(raw, ITERATIONS));
    printf("value get_8B_raw time ns %.4f\n", raw_get(raw, ITERATIONS));
    printf("value get_8B_eyot time ns %.4f\n", eyot_get_loop(g, ITERATIONS));
    printf("value get_8B_raw_again time ns %.4f\n", raw_get(raw, ITERATIONS));
  }
  fflush(stdout);
}

/* One copy in microseconds, after the same once before: what fits is in the caches. raw NULL: by
 * eyot. */
static double long_put(char *raw, const eyot_gptr_t *g, const char *from, size_t len) {
  double begin = 0;
  for (int i = 0; i < 2; i++) {
    begin = wall_ns();
    if (raw != NULL)
      memcpy(raw, from, len);
    else
      must(eyot_put(*g, from, len), "eyot_put");
  }
  return (wall_ns() - begin) / 1e3;
}

static double long_get(char *to, const char *raw, const eyot_gptr_t *g, size_t len) {
  double begin = 0;
  for (int i = 0; i < 2; i++) {
    begin = wall_ns();
    if (raw != NULL)
      memcpy(to, raw, len);
    else
      must(eyot_get(to, *g, len), "eyot_get");
  }
  return (wall_ns() - begin) / 1e3;
}

static void measure_long(char *raw, const eyot_gptr_t *g) {
  char *mine = malloc(LONG_MAX);
  must(mine == NULL, "malloc");
  memset(mine, 1, LONG_MAX);
  for (int round = 0; round < ROUNDS; round++)
    for (int mib = 1; mib <= LONG_MAX / MIB; mib *= 2) {
      size_t len = (size_t)mib * MIB;
      printf("value put_%dMiB_raw time us %.1f\n", mib, long_put(raw, g, mine, len));
      printf("value put_%dMiB_eyot time us %.1f\n", mib, long_put(NULL, g, mine, len));
      printf("value put_%dMiB_raw_again time us %.1f\n", mib, long_put(raw, g, mine, len));
      printf("value get_%dMiB_raw time us %.1f\n", mib, long_get(mine, raw, g, len));
      printf("value get_%dMiB_eyot time us %.1f\n", mib, long_get(mine, NULL, g, len));
      printf("value get_%dMiB_raw_again time us %.1f\n", mib, long_get(mine, raw, g, len));
    }
  free(mine);
  fflush(stdout);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  if (strcmp(eyot_fabric_name(), "mpi") != 0 || eyot_size() < 2) {
    if (eyot_me().id == 0)
      fprintf(
          stderr,
          "bench_put: needs two units on the mpi fabric: eyotrun --fabric mpi -n 2 bench_put\n");
    eyot_finalize();
    return 2;
  }
  eyot_gptr_t part;
  must(eyot_team_alloc(EYOT_TEAM_ALL, LONG_BYTES, &part), "eyot_team_alloc");
  MPI_Comm node;
  MPI_Win window;
  void *own, *other = NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(LONG_BYTES, 1, MPI_INFO_NULL, node, &own, &window);
  if (eyot_me().id == 0) {
    MPI_Aint bytes;
    int unit_bytes;
    MPI_Win_shared_query(window, 1, &bytes, &unit_bytes, &other);
    struct raw raw = {other, 64};
    eyot_gptr_t g = eyot_gptr_add(eyot_gptr_at(part, (eyot_unit_t){1}), 64);
    measure(&raw, &g);
    measure_long(other, &g);
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
