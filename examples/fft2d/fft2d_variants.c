/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_variants.c - the ways of communication that run on every fabric. */
#include "fft2d.h"

const struct fft2d_variant *const FFT2D_VARIANTS[] = {&FFT2D_MSG, &FFT2D_OWN, &FFT2D_EXCHANGE,
                                                      &FFT2D_RMA, NULL};
