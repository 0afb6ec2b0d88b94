/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/group.h - groups: sets of units, always sorted by global unit id (H. Zhou, "Communication
 * Methods for Hierarchical Global Address Space Models in HPC", 2016, section 4.3.1).
 *
 * All operations are called by one unit, local and non-blocking. A group is stored as ranges, so
 * that "all units", a node or every k-th unit takes a few words for any number of units. Groups may
 * be used before eyot_init for pure set algebra. Thread rule: one thread at a time per group. Every
 * constructor writes *out only on success; the caller releases the group with eyot_group_free. */
#ifndef EYOT_GROUP_H
#define EYOT_GROUP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_group_new makes an empty group. Errors: EINVAL (out is NULL), ENOMEM. */
EYOT_RET int eyot_group_new(eyot_group_t **out);
/* eyot_group_range makes the group of `count` units first, first+stride, ...; stride is 1 or more.
 * Errors: EINVAL (out is NULL, stride 0, a unit id of 2^32-1 or above), ENOMEM. */
EYOT_RET int eyot_group_range(uint32_t first, uint32_t count, uint32_t stride, eyot_group_t **out);
/* eyot_group_from makes the group of the `n` units in `units`, in any order; duplicates count once.
 * Errors: EINVAL (NULL, a unit id of 2^32-1), ENOMEM. */
EYOT_RET int eyot_group_from(const eyot_unit_t *units, uint32_t n, eyot_group_t **out);
/* eyot_group_copy makes a copy of g. Errors: EINVAL (NULL), ENOMEM. */
EYOT_RET int eyot_group_copy(const eyot_group_t *g, eyot_group_t **out);
/* eyot_group_free releases g; NULL is allowed. Cannot fail. */
EYOT_API void eyot_group_free(eyot_group_t *g);

/* eyot_group_add and eyot_group_remove add or remove one unit in place. Adding a member or removing
 * a non-member changes nothing and is no error. Errors: EINVAL (g is NULL; a unit id of 2^32-1 to
 * add), ENOMEM (the group is unchanged). */
EYOT_RET int eyot_group_add(eyot_group_t *g, eyot_unit_t unit);
EYOT_RET int eyot_group_remove(eyot_group_t *g, eyot_unit_t unit);

/* These make the union, the intersection and the difference (the members of a that are not in b).
 * Errors: EINVAL (NULL), ENOMEM. */
EYOT_RET int eyot_group_union(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out);
EYOT_RET int eyot_group_intersect(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out);
EYOT_RET int eyot_group_difference(const eyot_group_t *a, const eyot_group_t *b,
                                   eyot_group_t **out);

/* eyot_group_split splits g in order into `n` groups whose sizes differ by at most one (the first
 * ones are the larger; some are empty when n > size). parts: an array of n pointers, filled only on
 * success; the caller frees each group. Errors: EINVAL (NULL, n is 0), ENOMEM. */
EYOT_RET int eyot_group_split(const eyot_group_t *g, uint32_t n, eyot_group_t **parts);

/* eyot_group_size returns the number of members, eyot_group_has whether `unit` is a member, and
 * eyot_group_equal whether two groups have the same members. Cannot fail; a NULL group has size 0,
 * has no member and equals no group. */
EYOT_API uint32_t eyot_group_size(const eyot_group_t *g);
EYOT_API bool eyot_group_has(const eyot_group_t *g, eyot_unit_t unit);
EYOT_API bool eyot_group_equal(const eyot_group_t *a, const eyot_group_t *b);
/* eyot_group_members writes the members in ascending order to units[0..size); units has room for
 * `capacity` elements. Errors: EINVAL (NULL), ERANGE (capacity below the size; nothing is
 * written). */
EYOT_RET int eyot_group_members(const eyot_group_t *g, eyot_unit_t *units, uint32_t capacity);
/* eyot_group_at returns the i-th member (from 0), eyot_group_index the index of a member. O(log
 * ranges). Errors: EINVAL (NULL), ERANGE (i >= size), EUNIT (not a member). */
EYOT_RET int eyot_group_at(const eyot_group_t *g, uint32_t i, eyot_unit_t *unit);
EYOT_RET int eyot_group_index(const eyot_group_t *g, eyot_unit_t unit, uint32_t *i);

#ifdef __cplusplus
}
#endif
#endif
