/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil.c - Jacobi sweeps of a 2-D grid in a shared array with one block of rows a thread. Each
 * step fetches two border rows by upc_memget and computes on plain pointers (upc_cast). Thread 0
 * fetches the result and compares it, bit by bit, with a serial run. */
#include <eyot/upc.h>
#include <stdlib.h>

#include "../common/args.h"
#include "all_alloc.h"

enum { POINT_NS = 1 }; /* declared cost of a point on the modeled machine */

struct grid {
  uint32_t rows, columns, steps;
  int64_t block;          /* rows of a thread */
  upc_shared_t values[2]; /* before and after a step, in turns */
};

static void *memory(size_t n, size_t bytes) {
  void *p = calloc(n, bytes);
  if (p == NULL) {
    fprintf(stderr, "stencil: thread %d: no memory for %zu elements of %zu bytes\n", MYTHREAD, n,
            bytes);
    upc_global_exit(1);
  }
  return p;
}

static size_t row_bytes(const struct grid *g) {
  return g->columns * sizeof(double);
}
/* A row as one element: an array in blocks of g->block rows. */
static upc_shared_t row(const struct grid *g, int which, int64_t r) {
  return upc_add(g->values[which], r, row_bytes(g), (uint64_t)g->block);
}

static double start_value(int64_t r, int64_t c) {
  return (double)((r * 31 + c * 17) % 101) / 7.0;
}

/* One row of the new grid; rows outside the grid have zeros, as have columns. */
static void sweep(const struct grid *g, const double *above, const double *old, const double *below,
                  double *new) {
  int64_t n = g->columns;
  for (int64_t c = 0; c < n; c++) {
    double left = c > 0 ? old[c - 1] : 0.0, right = c + 1 < n ? old[c + 1] : 0.0;
    new[c] = 0.25 * (above[c] + below[c] + left + right);
  }
}

/* Fetches row r into `buffer`; the buffer has zeros if the grid has no such row. */
static void fetch(const struct grid *g, int which, int64_t r, double *buffer) {
  if (r >= 0 && r < g->rows) upc_memget(buffer, row(g, which, r), row_bytes(g));
}

/* The caller's rows: *first, and how many. */
static int64_t my_rows(const struct grid *g, int64_t *first) {
  int64_t left = g->rows - g->block * MYTHREAD;
  *first = g->block * MYTHREAD;
  return left < 0 ? 0 : left < g->block ? left : g->block;
}

static void steps(const struct grid *g) {
  int64_t first, n = my_rows(g, &first), columns = g->columns;
  double *above = memory(g->columns, sizeof(double)), *below = memory(g->columns, sizeof(double));
  for (uint32_t s = 0; s < g->steps; s++) {
    if (n > 0) {
      const double *old = upc_cast(row(g, s % 2, first));
      double *new = upc_cast(row(g, (s + 1) % 2, first));
      fetch(g, s % 2, first - 1, above);
      fetch(g, s % 2, first + n, below);
      for (int64_t r = 0; r < n; r++)
        sweep(g, r > 0 ? old + (r - 1) * columns : above, old + r * columns,
              r + 1 < n ? old + (r + 1) * columns : below, new + r *columns);
      if (eyot_compute((uint64_t)(n * columns) * POINT_NS) != EYOT_OK) upc_global_exit(1);
    }
    upc_barrier();
  }
  free(above);
  free(below);
}

static void begin(struct grid *g) {
  int64_t first;
  g->block = ((int64_t)g->rows + THREADS - 1) / THREADS;
  for (int k = 0; k < 2; k++)
    g->values[k] = all_alloc("stencil", (size_t)THREADS, (size_t)g->block * row_bytes(g));
  int64_t n = my_rows(g, &first);
  for (int64_t r = 0; r < n; r++) {
    double *mine = upc_cast(row(g, 0, first + r));
    for (int64_t c = 0; c < g->columns; c++) mine[c] = start_value(first + r, c);
  }
  upc_barrier();
}

/* The whole grid after all steps, by thread 0 alone. */
static double *serial(const struct grid *g) {
  size_t points = (size_t)g->rows * g->columns, columns = g->columns;
  double *old = memory(points, sizeof(double)), *new = memory(points, sizeof(double));
  double *zeros = memory(columns, sizeof(double));
  for (size_t i = 0; i < points; i++)
    old[i] = start_value((int64_t)(i / columns), (int64_t)(i % columns));
  for (uint32_t s = 0; s < g->steps; s++) {
    for (size_t r = 0; r < g->rows; r++)
      sweep(g, r > 0 ? old + (r - 1) * columns : zeros, old + r * columns,
            r + 1 < g->rows ? old + (r + 1) * columns : zeros, new + r *columns);
    double *swap = old;
    old = new;
    new = swap;
  }
  free(new);
  free(zeros);
  return old;
}

static int verify(const struct grid *g) {
  double *want = serial(g), *got = memory(g->columns, sizeof(double));
  uint64_t bad = 0;
  for (int64_t r = 0; r < g->rows; r++) {
    upc_memget(got, row(g, g->steps % 2, r), row_bytes(g));
    for (uint32_t c = 0; c < g->columns; c++) bad += got[c] != want[r * g->columns + c];
  }
  printf("stencil: %s: %llu of %llu points differ from the serial run\n",
         bad == 0 ? "verified" : "WRONG", (unsigned long long)bad,
         (unsigned long long)g->rows * g->columns);
  free(want);
  free(got);
  return bad == 0 ? 0 : 1;
}

static int run(struct grid *g) {
  int code = 0;
  begin(g);
  upc_tick_t start = upc_ticks_now();
  steps(g);
  uint64_t ns = upc_ticks_to_ns(upc_ticks_now() - start);
  if (MYTHREAD == 0) {
    printf("stencil: %u x %u points, %u steps on %d threads, %.6f ms\n", g->rows, g->columns,
           g->steps, THREADS, (double)ns / 1e6);
    code = verify(g);
  }
  for (int k = 0; k < 2; k++) upc_all_free(g->values[k]);
  return code;
}

int main(int argc, char **argv) {
  struct grid g = {.block = 0};
  const struct args_option table[] = {
      {"rows", "N", ARGS_FIELD(&g.rows), 1, 1u << 20, 256, .help = "rows of the grid"},
      {"columns", "N", ARGS_FIELD(&g.columns), 1, 1u << 20, 256, .help = "columns of the grid"},
      {"steps", "N", ARGS_FIELD(&g.steps), 1, 1u << 20, 20, .help = "sweeps"},
  };
  upc_init();
  int leave = args_parse("stencil", table, ARGS_COUNT(table), argc, argv);
  if (leave == ARGS_RUN) leave = run(&g);
  upc_finalize();
  return leave;
}
