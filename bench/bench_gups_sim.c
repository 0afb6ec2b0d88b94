/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups_sim.c - the ways of bench_gups in a program for both fabrics: without MPI's, which the
 * simulator cannot run. */
#include "bench_gups.h"

const struct ra_way RA_WAYS[] = {RA_EYOT, {0}};
