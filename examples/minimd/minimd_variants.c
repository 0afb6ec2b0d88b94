/* SPDX-License-Identifier: BSD-3-Clause */
/* minimd_variants.c - the ways of communication that run on every fabric. */
#include "minimd.h"

const struct md_variant *const MD_VARIANTS[] = {&MD_MSG, &MD_OWN, &MD_EXCHANGE, &MD_RMA, NULL};
