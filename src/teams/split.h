/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h - who has which colour: the members of one colour of a split, gathered without a table
 * per unit. */
#ifndef EYOT_TEAMS_SPLIT_H
#define EYOT_TEAMS_SPLIT_H

#include "teams/state.h"

/* The units of `parent` whose colour is the caller's, or NULL for EYOT_COLOUR_NONE; release with
 * free. Collective over the parent; all members succeed or all fail. Errors: ENOMEM, the
 * fabric's. */
int eyoti_split_members(struct eyot_rt *rt, struct eyoti_team *parent, uint32_t colour,
                        struct eyoti_ranges **out);
#endif
