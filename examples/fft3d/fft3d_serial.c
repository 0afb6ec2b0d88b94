/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_serial.c - the same by FFTW's transforms in three dimensions, on one unit. */
#include <math.h>
#include <string.h>

#include "fft3d.h"

/* Each entry of the transform with the factor of an iteration. */
static int factors(const struct fft3d_unit *u, const fft3d_number *transform, uint32_t iteration,
                   fft3d_number *to) {
  for (uint64_t z = 0; z < u->nz; z++) {
    for (uint64_t y = 0; y < u->ny; y++)
      for (uint64_t x = 0; x < u->nx; x++) {
        uint64_t at = x + u->nx * (y + u->ny * z);
        to[at] = transform[at] * exp(iteration * fft3d_exponent(u, x, y, z));
      }
    FFT3D_TRY(eyot_progress());
  }
  return EYOT_OK;
}

int fft3d_serial(const struct fft3d_unit *u, fft3d_number *sums) {
  uint64_t numbers = u->nx * u->ny * u->nz;
  fft3d_number *transform = fftw_alloc_complex(numbers), *space = fftw_alloc_complex(numbers);
  if (transform == NULL || space == NULL)
    return fft3d_fail("private memory for the whole grid; --no-verify needs none", EYOT_ENOMEM);
  int nx = (int)u->nx, ny = (int)u->ny, nz = (int)u->nz, code = EYOT_OK;
  fftw_plan forward =
      fftw_plan_dft_3d(nz, ny, nx, transform, transform, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan inverse = fftw_plan_dft_3d(nz, ny, nx, space, space, FFTW_BACKWARD, FFTW_ESTIMATE);
  if (forward == NULL || inverse == NULL) return fft3d_fail("plans of FFTW", EYOT_ENOMEM);
  fft3d_random(transform, 0, numbers);
  fftw_execute(forward);
  for (uint32_t i = 1; i <= u->opts->iterations && code == EYOT_OK; i++) {
    code = factors(u, transform, i, space);
    fftw_execute(inverse);
    sums[i - 1] = fft3d_checksum(u, space, 0, u->nz);
  }
  fftw_destroy_plan(inverse);
  fftw_destroy_plan(forward);
  fftw_free(space);
  fftw_free(transform);
  return code;
}
