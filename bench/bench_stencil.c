/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_stencil.c - a five-point stencil in two dimensions with halos by one-sided operations: how
 * much of their exchange is hidden by computation, after Zhou, section 7.2.3.
 *
 *   eyotrun --fabric mpi -n N bench_stencil PLACE_NAME CELLS STEPS [mpi]
 * A square of CELLS x CELLS floats is divided by rows. A step is one Gauss-Seidel sweep over the
 * unit's rows, with the neighbors' outermost rows of the step before. The same arithmetic runs in
 * turn as eyot_blocking (eyot_put, then all rows), eyot_nonblocking (eyot_put_nb, the rows that
 * need no halo, wait, barrier, the others) and, with `mpi`, mpi_put (MPI_Put, the rows that need no
 * halo, flush, barrier, the others). All must end with the same bits. The time is that of a step of
 * the slowest unit, divided by the cells of a unit. PLACE becomes part of the metric's name. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { ROUNDS = 2 };
enum way { BLOCKING, NONBLOCKING, PEER, WAYS };
static const char *const WAY[WAYS] = {"eyot_blocking", "eyot_nonblocking", "mpi_put"};

struct grid {
  uint64_t cells, rows;            /* of a row; of this unit, halos apart */
  float *cell;                     /* rows + 2, of global memory */
  eyot_gptr_t above, below;        /* where the neighbors want this unit's outermost rows */
  bool has_above, has_below, peer; /* peer: by MPI */
  MPI_Win window;
  float *window_cell;
};

static float *row(const struct grid *g, uint64_t i) {
  return (g->peer ? g->window_cell : g->cell) + i * g->cells;
}

static void sweep(const struct grid *g, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) {
    float *x = row(g, i);
    const float *up = row(g, i - 1), *down = row(g, i + 1);
    for (uint64_t k = 1; k + 1 < g->cells; k++)
      x[k] = 0.2f * (x[k] + x[k - 1] + x[k + 1] + up[k] + down[k]);
  }
}

static void begin_from(const struct grid *g) {
  for (uint64_t i = 0; i < g->rows + 2; i++)
    for (uint64_t k = 0; k < g->cells; k++)
      row(g, i)[k] = (float)((i * 31 + k * 17 + eyot_me().id * 7) % 101);
}

static void barrier(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static void put_blocking(const struct grid *g, uint64_t bytes) {
  if (g->has_above) must(eyot_put(g->above, row(g, 1), bytes), "eyot_put");
  if (g->has_below) must(eyot_put(g->below, row(g, g->rows), bytes), "eyot_put");
  barrier();
}

/* The rows 2 to rows-1 read and write nothing that a neighbor writes; the rows next to them in the
 * unit change only afterwards. */
static void step_blocking(const struct grid *g, uint64_t bytes) {
  put_blocking(g, bytes);
  sweep(g, 2, g->rows);
  sweep(g, 1, 2);
  sweep(g, g->rows, g->rows + 1);
  barrier();
}

static void step_nonblocking(const struct grid *g, uint64_t bytes) {
  eyot_handle_t up, down;
  if (g->has_above) must(eyot_put_nb(g->above, row(g, 1), bytes, &up), "eyot_put_nb");
  if (g->has_below) must(eyot_put_nb(g->below, row(g, g->rows), bytes, &down), "eyot_put_nb");
  sweep(g, 2, g->rows);
  if (g->has_above) must(eyot_wait(&up, EYOT_REMOTE), "eyot_wait");
  if (g->has_below) must(eyot_wait(&down, EYOT_REMOTE), "eyot_wait");
  barrier();
  sweep(g, 1, 2);
  sweep(g, g->rows, g->rows + 1);
  barrier();
}

static void step_mpi(const struct grid *g, uint64_t bytes) {
  int me = (int)eyot_me().id;
  MPI_Aint bottom_halo = (MPI_Aint)((g->rows + 1) * g->cells * sizeof(float));
  if (g->has_above)
    MPI_Put(row(g, 1), (int)bytes, MPI_BYTE, me - 1, bottom_halo, (int)bytes, MPI_BYTE, g->window);
  if (g->has_below)
    MPI_Put(row(g, g->rows), (int)bytes, MPI_BYTE, me + 1, 0, (int)bytes, MPI_BYTE, g->window);
  sweep(g, 2, g->rows);
  MPI_Win_flush_all(g->window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(g->window);
  sweep(g, 1, 2);
  sweep(g, g->rows, g->rows + 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

static double steps(const struct grid *g, enum way way, uint64_t n) {
  uint64_t bytes = g->cells * sizeof(float);
  begin_from(g);
  barrier();
  double begin = wall_ns();
  for (uint64_t i = 0; i < n; i++) {
    if (way == BLOCKING) step_blocking(g, bytes);
    if (way == NONBLOCKING) step_nonblocking(g, bytes);
    if (way == PEER) step_mpi(g, bytes);
  }
  return (wall_ns() - begin) * 1e-3 / (double)n;
}

static uint64_t sum_of(const struct grid *g) {
  uint64_t h = 0;
  for (uint64_t i = 1; i <= g->rows; i++) {
    for (uint64_t k = 0; k < g->cells; k++) {
      uint32_t bits;
      memcpy(&bits, &row(g, i)[k], sizeof bits);
      h = h * 1099511628211u + bits;
    }
  }
  return h;
}

static bool arguments(int argc, char **argv, uint64_t *cells, uint64_t *n, bool *peer) {
  if (argc < 4 || argc > 5 || (argc == 5 && strcmp(argv[4], "mpi") != 0)) return false;
  *cells = strtoull(argv[2], NULL, 10);
  *n = strtoull(argv[3], NULL, 10);
  *peer = argc == 5;
  return strcmp(eyot_fabric_name(), "mpi") == 0 && *n > 0 && *cells / eyot_size() >= 4;
}

static void run(struct grid *g, const char *name, uint64_t n, bool peer) {
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint64_t first = 0;
    for (enum way way = 0; way < (peer ? WAYS : PEER); way++) {
      g->peer = way == PEER;
      double us = steps(g, way, n), slowest = us;
      uint64_t sum = sum_of(g), mine = (uint64_t)(us * 1e3), all;
      must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &all, 1), "eyot_allreduce");
      slowest = (double)all * 1e-3;
      if (way == BLOCKING) first = sum;
      if (sum != first) eyot_abort(1, "the ways do not end with the same bits");
      if (eyot_me().id == 0)
        printf("value %s_%s@%llu cell_wall_%.*s ns %.5f\n", name, WAY[way],
               (unsigned long long)g->cells, (int)strcspn(name, "_"), name,
               slowest * 1e3 / (double)(g->cells * g->rows));
    }
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct grid g = {0};
  uint64_t n;
  bool peer;
  if (!arguments(argc, argv, &g.cells, &n, &peer)) {
    if (eyot_me().id == 0)
      fprintf(stderr,
              "bench_stencil: eyotrun --fabric mpi -n N bench_stencil PLACE_NAME CELLS STEPS "
              "[mpi], with at least 4 rows of CELLS a unit\n");
    eyot_finalize();
    return 2;
  }
  uint32_t me = eyot_me().id, last = eyot_size() - 1;
  g.rows = g.cells / eyot_size();
  uint64_t row_bytes = g.cells * sizeof(float), bytes = (g.rows + 2) * row_bytes;
  eyot_gptr_t part;
  void *own;
  must(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &part), "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), &own), "eyot_gptr_addr");
  g.cell = own;
  g.has_above = me > 0;
  g.has_below = me < last;
  if (g.has_above)
    g.above =
        eyot_gptr_add(eyot_gptr_at(part, (eyot_unit_t){me - 1}), (int64_t)(bytes - row_bytes));
  if (g.has_below) g.below = eyot_gptr_at(part, (eyot_unit_t){me + 1});
  if (peer) {
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &g.window_cell, &g.window);
    MPI_Win_lock_all(0, g.window);
  }
  run(&g, argv[1], n, peer);
  if (peer) {
    MPI_Win_unlock_all(g.window);
    MPI_Win_free(&g.window);
  }
  must(eyot_team_free(part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
