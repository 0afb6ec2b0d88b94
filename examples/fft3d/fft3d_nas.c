/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_nas.c - what NAS FT defines: random numbers, factors and checksums. */
#include "fft3d.h"

enum { SUM_NUMBERS = 1024, STEP_Y = 3, STEP_Z = 5 };
#define SEED UINT64_C(314159265)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define MASK ((UINT64_C(1) << 46) - 1)
#define ALPHA 1e-6

/* NPB 3, files of class S and W. */
const fft3d_number FFT3D_CHECKSUMS[2][FFT3D_PUBLISHED] = {
    {5.546087004964e2 + 4.845363331978e2 * I, 5.546385409189e2 + 4.865304269511e2 * I,
     5.546148406171e2 + 4.883910722336e2 * I, 5.545423607415e2 + 4.901273169046e2 * I,
     5.544255039624e2 + 4.917475857993e2 * I, 5.542683411902e2 + 4.932597244941e2 * I},
    {5.673612178944e2 + 5.293246849175e2 * I, 5.631436885271e2 + 5.282149986629e2 * I,
     5.594024089970e2 + 5.270996558037e2 * I, 5.560698047020e2 + 5.260027904925e2 * I,
     5.530898991250e2 + 5.249400845633e2 * I, 5.504159734538e2 + 5.239212247086e2 * I}};

/* MULTIPLIER^n mod 2^46; products wrap at 2^64, a multiple of it. */
static uint64_t power_of_multiplier(uint64_t n) {
  uint64_t result = 1, square = MULTIPLIER;
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result * square & MASK;
    square = square * square & MASK;
  }
  return result;
}

static double random_next(uint64_t *x) {
  *x = *x * MULTIPLIER & MASK;
  return (double)*x * 0x1p-46;
}

void fft3d_random(fft3d_number *to, uint64_t first, uint64_t count) {
  uint64_t x = SEED * power_of_multiplier(2 * first) & MASK;
  for (uint64_t i = 0; i < count; i++) {
    double real = random_next(&x);
    to[i] = real + random_next(&x) * I;
  }
}

/* A wave number, from -n / 2 to n / 2 - 1. */
static double wave(uint64_t i, uint64_t n) {
  return (double)((i + n / 2) % n) - (double)(n / 2);
}

double fft3d_exponent(const struct fft3d_unit *u, uint64_t x, uint64_t y, uint64_t z) {
  const double pi = 3.14159265358979323846;
  double kx = wave(x, u->nx), ky = wave(y, u->ny), kz = wave(z, u->nz);
  return -4 * ALPHA * pi * pi * (kx * kx + ky * ky + kz * kz);
}

fft3d_number fft3d_checksum(const struct fft3d_unit *u, const fft3d_number *space, uint64_t z,
                            uint64_t planes) {
  fft3d_number sum = 0;
  for (uint64_t j = 1; j <= SUM_NUMBERS; j++) {
    uint64_t at[FFT3D_AXES] = {j % u->nx, STEP_Y * j % u->ny, STEP_Z * j % u->nz};
    if (at[FFT3D_Z] >= z && at[FFT3D_Z] < z + planes)
      sum += space[at[FFT3D_X] + u->nx * (at[FFT3D_Y] + u->ny * (at[FFT3D_Z] - z))];
  }
  return sum / ((double)u->nx * (double)u->ny * (double)u->nz);
}
