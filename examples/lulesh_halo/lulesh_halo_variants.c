/* SPDX-License-Identifier: BSD-3-Clause */
/* lulesh_halo_variants.c - the ways of communication that run on every fabric. */
#include "lulesh_halo.h"

const struct lh_variant *const LH_VARIANTS[] = {&LH_MSG, &LH_RMA, NULL};
