/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h - finds the members that have the caller's color in a split, without a table with an
 * entry per unit. For team.c. */
#ifndef EYOT_TEAMS_SPLIT_H
#define EYOT_TEAMS_SPLIT_H

#include "teams/state.h"

/* The units of `parent` whose color is the caller's, or NULL for EYOT_COLOR_NONE; freed with free.
 * Collective over the parent; all members succeed or all fail. Errors: ENOMEM, the fabric's. */
int eyoti_split_members(struct eyot_rt *rt, struct eyoti_team *parent, uint32_t color,
                        struct eyoti_ranges **out);
#endif
