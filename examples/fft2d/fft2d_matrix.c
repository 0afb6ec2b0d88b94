/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_matrix.c - FFTs of rows, and the blocks of a transposition. */
#include <math.h>
#include <string.h>

#include "fft2d.h"

int fft2d_pack(const struct fft2d_unit *u, const fft2d_number *matrix, uint32_t to,
               fft2d_number *block) {
  for (uint64_t r = 0; r < u->rows; r++)
    memcpy(block + r * u->rows, matrix + r * u->n + to * u->rows, u->rows * sizeof *block);
  return eyot_compute(u->block * FFT2D_TOUCH_NS);
}

/* By squares, so that what is read and what is written stay in the first cache. Whole lines
 * are written, and lines read across: measured faster than the other way round, probably because
 * loads that miss the caches overlap better than stores to many lines. */
enum { SQUARE = 8 };

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void square_turn(const fft2d_number *from, uint64_t from_row, fft2d_number *to,
                        uint64_t to_row, uint64_t rows, uint64_t columns) {
  for (uint64_t c = 0; c < columns; c++)
    for (uint64_t r = 0; r < rows; r++) to[c * to_row + r] = from[r * from_row + c];
}

static void square_swap(fft2d_number *a, fft2d_number *b, uint64_t row, uint64_t rows,
                        uint64_t columns) {
  for (uint64_t r = 0; r < rows; r++)
    for (uint64_t c = 0; c < columns; c++) {
      const fft2d_number number = a[r * row + c];
      a[r * row + c] = b[c * row + r];
      b[c * row + r] = number;
    }
}

int fft2d_swap(const struct fft2d_unit *u, fft2d_number *a, fft2d_number *b, uint64_t first,
               uint64_t end) {
  for (uint64_t r = first; r < end; r += SQUARE)
    for (uint64_t c = 0; c < u->rows; c += SQUARE)
      square_swap(a + r * u->n + c, b + c * u->n + r, u->n, least(SQUARE, end - r),
                  least(SQUARE, u->rows - c));
  return eyot_compute(2 * (end - first) * u->rows * FFT2D_TOUCH_NS);
}

int fft2d_turn_in_place(const struct fft2d_unit *u, fft2d_number *block) {
  for (uint64_t r = 0; r < u->rows; r += SQUARE) {
    const uint64_t rows = least(SQUARE, u->rows - r);
    fft2d_number *corner = block + r * u->n + r;
    for (uint64_t i = 1; i < rows; i++) square_swap(corner + i * u->n, corner + i, u->n, 1, i);
    for (uint64_t c = r + SQUARE; c < u->rows; c += SQUARE)
      square_swap(block + r * u->n + c, block + c * u->n + r, u->n, rows,
                  least(SQUARE, u->rows - c));
  }
  return eyot_compute(u->block * FFT2D_TOUCH_NS);
}

int fft2d_unpack(const struct fft2d_unit *u, const fft2d_number *block, uint32_t from,
                 fft2d_number *matrix) {
  fft2d_number *to = matrix + from * u->rows;
  for (uint64_t r = 0; r < u->rows; r += SQUARE)
    for (uint64_t c = 0; c < u->rows; c += SQUARE)
      square_turn(block + r * u->rows + c, u->rows, to + c * u->n + r, u->n,
                  least(SQUARE, u->rows - r), least(SQUARE, u->rows - c));
  return eyot_compute(u->block * FFT2D_TOUCH_NS);
}

int fft2d_rows(const struct fft2d_unit *u, bool inverse, fft2d_number *matrix) {
  double flops = 5 * (double)u->n * log2((double)u->n);
  uint64_t row_ns = (uint64_t)(flops / FFT2D_FLOPS_A_NS);
  for (uint64_t r = 0; r < u->rows; r++) {
    fftw_execute_dft(inverse ? u->backward : u->forward, matrix + r * u->n, matrix + r * u->n);
    FFT2D_TRY(eyot_compute(row_ns));
  }
  return EYOT_OK;
}

void fft2d_scale(const struct fft2d_unit *u, fft2d_number *matrix) {
  double scale = 1 / ((double)u->n * (double)u->n);
  for (uint64_t i = 0; i < u->rows * u->n; i++) matrix[i] *= scale;
}
