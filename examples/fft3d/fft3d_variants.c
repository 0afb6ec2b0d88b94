/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_variants.c - the ways of communication that run on every fabric. */
#include "fft3d.h"

const struct fft3d_variant *const FFT3D_VARIANTS[] = {&FFT3D_MSG, &FFT3D_LATE, &FFT3D_RMA, NULL};
