/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - conversion between groups (eyot/group.h) and the sets of ranges.h. For teams and
 * sync/pscw. */
#ifndef EYOT_TEAMS_GROUP_H
#define EYOT_TEAMS_GROUP_H

#include <eyot/group.h>

#include "teams/ranges.h"

const struct eyoti_ranges *eyoti_group_ranges(const eyot_group_t *g);
/* Makes a group with a copy of the set. Errors: ENOMEM. */
int eyoti_group_of(const struct eyoti_ranges *set, eyot_group_t **out);
#endif
