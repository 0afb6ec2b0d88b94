/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_verify.c - an input whose transform is known: x[r][c] = a^r b^c with |a|^n = |b|^n = 1/2.
 * Its transform is the product of two geometric sums, X[k][l] = S(a, k) S(b, l) with
 * S(z, k) = (1 - z^n) / (1 - z w^k), w = exp(-2 pi i / n). No two rows or columns of input and
 * transform are alike, so a block at a wrong place, or not transposed, is an error. */
#include <math.h>

#include "fft2d.h"

static const double PI = 3.14159265358979323846;

/* The angle of a number z, in turns: (whole + part) / n. With a part, no sum has a peak on an
 * entry; and multiples of whole are reduced by whole numbers, without a rounding error. */
struct angle {
  uint64_t whole;
  double part;
};
static struct angle angle_a(const struct fft2d_unit *u) {
  return (struct angle){(uint64_t)(0.618 * (double)u->n), 0.3};
}
static struct angle angle_b(const struct fft2d_unit *u) {
  return (struct angle){(uint64_t)(0.271 * (double)u->n), 0.4};
}

/* z^m w^k */
static fft2d_number power(const struct fft2d_unit *u, struct angle z, uint64_t m, uint64_t k) {
  uint64_t whole = (z.whole * m + u->n - k % u->n) % u->n;
  double n = (double)u->n, turns = ((double)whole + z.part * (double)m) / n;
  return exp2(-(double)m / n) * (cos(2 * PI * turns) + I * sin(2 * PI * turns));
}

static fft2d_number geometric_sum(const struct fft2d_unit *u, struct angle z, uint64_t k) {
  return (1 - power(u, z, u->n, 0)) / (1 - power(u, z, 1, k));
}

static fft2d_number input_at(const struct fft2d_unit *u, uint64_t r, uint64_t c) {
  return power(u, angle_a(u), r, 0) * power(u, angle_b(u), c, 0);
}

void fft2d_fill(const struct fft2d_unit *u, fft2d_number *matrix) {
  for (uint64_t r = 0; r < u->rows; r++)
    for (uint64_t c = 0; c < u->n; c++) matrix[r * u->n + c] = input_at(u, u->me * u->rows + r, c);
}

static double worse(double worst, fft2d_number found, fft2d_number expected, double size) {
  double error = cabs(found - expected) / (cabs(expected) + size);
  return isfinite(error) ? fmax(worst, error) : INFINITY;
}

double fft2d_input_error(const struct fft2d_unit *u, const fft2d_number *matrix) {
  double worst = 0;
  for (uint64_t r = 0; r < u->rows; r++)
    for (uint64_t c = 0; c < u->n; c++)
      worst = worse(worst, matrix[r * u->n + c], input_at(u, u->me * u->rows + r, c), 1);
  return worst;
}

/* An entry's rounding error follows the mean size of all entries, which is below n, and not its
 * own. */
double fft2d_spectrum_error(const struct fft2d_unit *u, const fft2d_number *matrix) {
  double worst = 0;
  for (uint64_t r = 0; r < u->rows; r++) {
    fft2d_number row = geometric_sum(u, angle_a(u), u->me * u->rows + r);
    for (uint64_t c = 0; c < u->n; c++)
      worst =
          worse(worst, matrix[r * u->n + c], row * geometric_sum(u, angle_b(u), c), (double)u->n);
  }
  return worst;
}
