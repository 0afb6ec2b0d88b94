/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_kernel.c - the scheme and the initial state. The blocks and the serial run call the same
 * compiled row function on the same values, so their results are equal bit by bit for every
 * decomposition. */
#include <math.h>

#include "heat3d.h"

/* Diffusivity a(T) = a0 * (1 + HEAT_BETA * T). Between two cells it is the mean of both, so the
 * flux factor is (2 + HEAT_BETA * (T1 + T2)), and HEAT_K = dt * a0 / (2 h^2). With temperatures in
 * [0, 1] the scheme is stable for HEAT_K * 6 * (2 + 2 * HEAT_BETA) <= 1. */
#define HEAT_BETA 0.5
#define HEAT_K 0.05 /* 0.05 * 6 * 3 = 0.9 */

void heat_box_init(struct heat_box *box, const uint32_t n[HEAT_AXES]) {
  for (int a = 0; a < HEAT_AXES; a++) box->n[a] = n[a];
  box->sy = box->n[0] + 2;
  box->sz = box->sy * (box->n[1] + 2);
}

uint64_t heat_box_cells(const struct heat_box *box) {
  return (uint64_t)(box->sz * (box->n[2] + 2));
}

int64_t heat_at(const struct heat_box *box, int64_t x, int64_t y, int64_t z) {
  return (z + 1) * box->sz + (y + 1) * box->sy + x + 1;
}

/* The temperature at the start, and always outside: a hot plate below the box, a hot ball inside,
 * the rest cold. */
static double initial(int64_t x, int64_t y, int64_t z, const uint32_t size[HEAT_AXES]) {
  if (z < 0) return 1.0;
  if (x < 0 || y < 0 || x >= size[0] || y >= size[1] || z >= size[2]) return 0.0;
  double dx = ((double)x + 0.5) / size[0] - 0.4, dy = ((double)y + 0.5) / size[1] - 0.5,
         dz = ((double)z + 0.5) / size[2] - 0.6;
  return dx * dx + dy * dy + dz * dz < 0.04 ? 0.8 : 0.0;
}

void heat_fill(const struct heat_box *box, double *t, const uint32_t lo[HEAT_AXES],
               const uint32_t size[HEAT_AXES]) {
  for (int64_t z = -1; z <= box->n[2]; z++) {
    for (int64_t y = -1; y <= box->n[1]; y++)
      for (int64_t x = -1; x <= box->n[0]; x++)
        t[heat_at(box, x, y, z)] = initial(x + lo[0], y + lo[1], z + lo[2], size);
    eyot_progress();
  }
}

static double flux(double here, double there) {
  return (2.0 + HEAT_BETA * (here + there)) * (there - here);
}

/* n cells along x. Not inlined: one compiled body for all callers. */
__attribute__((noinline)) static void row(double *restrict out, const double *restrict in,
                                          int64_t sy, int64_t sz, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double t = in[i];
    double sum = flux(t, in[i - 1]) + flux(t, in[i + 1]);
    sum += flux(t, in[i - sy]) + flux(t, in[i + sy]);
    sum += flux(t, in[i - sz]) + flux(t, in[i + sz]);
    out[i] = t + HEAT_K * sum;
  }
}

void heat_sweep(const struct heat_box *box, double *out, const double *in,
                const int64_t from[HEAT_AXES], const int64_t to[HEAT_AXES]) {
  if (from[0] >= to[0]) return;
  for (int64_t z = from[2]; z < to[2]; z++)
    for (int64_t y = from[1]; y < to[1]; y++) {
      int64_t at = heat_at(box, from[0], y, z);
      row(out + at, in + at, box->sy, box->sz, to[0] - from[0]);
    }
}

double heat_residual(const struct heat_box *box, const double *a, const double *b) {
  double worst = 0;
  for (int64_t z = 0; z < box->n[2]; z++)
    for (int64_t y = 0; y < box->n[1]; y++) {
      int64_t at = heat_at(box, 0, y, z);
      for (int64_t x = 0; x < box->n[0]; x++) {
        double d = fabs(a[at + x] - b[at + x]);
        /* a NaN stays the largest: no later number is greater */
        if (d > worst || isnan(d)) worst = d;
      }
    }
  return worst;
}
