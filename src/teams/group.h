/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - the ranges inside a group, for teams. */
#ifndef EYOTI_GROUP_H
#define EYOTI_GROUP_H

#include <eyot/group.h>

#include "ranges.h"

const struct eyoti_ranges *eyoti_group_ranges(const eyot_group_t *g);
/* A group with a copy of the set. Errors: ENOMEM. */
int eyoti_group_of(const struct eyoti_ranges *set, eyot_group_t **out);
#endif
