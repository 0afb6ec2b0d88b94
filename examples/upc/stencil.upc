/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil.upc - a five-point Jacobi iteration, in UPC: each thread has a stripe of rows, which is a
 * block, and copies the rows above and below it. The sum of all points is compared with that of a
 * serial iteration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc_relaxed.h>

#define COLUMNS 16
#define ROWS 4 /* of a stripe */
#define STEPS 10

typedef struct {
  double v[ROWS * COLUMNS];
} stripe_t;
shared stripe_t grid[2][THREADS];

static double begin_at(int row, int column) {
  return row == 0 ? 1.0 : 0.001 * ((3 * row + column) % 100);
}

/* One step of the rows first, first + 1, ... of `all`; from has a row before and one after them. */
static void step(double *to, const double *from, int first, int rows, int all) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < COLUMNS; c++) {
      const double *p = from + (r + 1) * COLUMNS + c;
      int border = first + r == 0 || first + r == all - 1 || c == 0 || c == COLUMNS - 1;
      to[r * COLUMNS + c] = border ? *p : 0.25 * (p[-COLUMNS] + p[COLUMNS] + p[-1] + p[1]);
    }
}

static double serial(int all) {
  double *a = calloc((all + 2) * COLUMNS, sizeof *a), *b = calloc(all * COLUMNS, sizeof *b), sum = 0;
  for (int i = 0; i < all * COLUMNS; i++) a[COLUMNS + i] = begin_at(i / COLUMNS, i % COLUMNS);
  for (int s = 0; s < STEPS; s++) {
    step(b, a, 0, all, all);
    memcpy(a + COLUMNS, b, all * COLUMNS * sizeof *b);
  }
  for (int i = 0; i < all * COLUMNS; i++) sum += b[i];
  free(a);
  free(b);
  return sum;
}

int main(void) {
  const size_t row = COLUMNS * sizeof(double);
  double from[(ROWS + 2) * COLUMNS] = {0};
  stripe_t *mine[2] = {(stripe_t *)&grid[0][MYTHREAD], (stripe_t *)&grid[1][MYTHREAD]};
  for (int i = 0; i < ROWS * COLUMNS; i++)
    mine[0]->v[i] = begin_at(MYTHREAD * ROWS + i / COLUMNS, i % COLUMNS);
  upc_barrier;
  for (int s = 0; s < STEPS; s++) {
    int now = s % 2;
    if (MYTHREAD > 0)
      upc_memget(from, (shared [] char *)&grid[now][MYTHREAD - 1] + (ROWS - 1) * row, row);
    if (MYTHREAD < THREADS - 1)
      upc_memget(from + (ROWS + 1) * COLUMNS, &grid[now][MYTHREAD + 1], row);
    memcpy(from + COLUMNS, mine[now]->v, sizeof mine[now]->v);
    step(mine[1 - now]->v, from, MYTHREAD * ROWS, ROWS, THREADS * ROWS);
    upc_barrier;
  }
  if (MYTHREAD == 0) {
    double sum = 0, want = serial(THREADS * ROWS);
    for (int t = 0; t < THREADS; t++)
      for (int i = 0; i < ROWS * COLUMNS; i++) sum += grid[STEPS % 2][t].v[i];
    printf("the sum is %.9f, serially %.9f\n", sum, want);
    if (fabs(sum - want) > 1e-9 * want) upc_global_exit(1);
  }
  return 0;
}
