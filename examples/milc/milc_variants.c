/* SPDX-License-Identifier: BSD-3-Clause */
/* milc_variants.c - the ways of communication that run on every fabric. */
#include "milc.h"

const struct mc_variant *const MC_VARIANTS[] = {&MC_MSG, &MC_GET, &MC_RMA, NULL};
