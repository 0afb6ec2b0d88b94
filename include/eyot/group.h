/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/group.h - groups: sets of units, always sorted by global unit id (seed 000 section 4.2).
 *
 * All operations are local to the calling unit and non-blocking. A group is stored as ranges, so "all units", a node or
 * every k-th unit takes a few words however many units there are. Groups may be used before init for pure set algebra.
 * Thread rule: one thread at a time per group. Every constructor writes *out only on success. */
#ifndef EYOT_GROUP_H
#define EYOT_GROUP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty group. Errors: EINVAL (out is NULL), ENOMEM. Release with eyot_group_free. */
EYOT_API int eyot_group_new(eyot_group_t **out);
/* The group of first, first+stride, ..., `count` units; stride >= 1. Errors: EINVAL (overflow of 32 bits, stride 0), ENOMEM. */
EYOT_API int eyot_group_range(uint32_t first, uint32_t count, uint32_t stride, eyot_group_t **out);
/* The group of the `n` units in `units` (any order; duplicates count once). Errors: EINVAL, ENOMEM. */
EYOT_API int eyot_group_from(const eyot_unit_t *units, uint32_t n, eyot_group_t **out);
EYOT_API int eyot_group_copy(const eyot_group_t *g, eyot_group_t **out);
EYOT_API void eyot_group_free(eyot_group_t *g); /* NULL is allowed */

/* Adds or removes one unit in place. Adding a member or removing a non-member changes nothing and is no error.
 * Errors: EINVAL (g is NULL), ENOMEM (the group is unchanged). */
EYOT_API int eyot_group_add(eyot_group_t *g, eyot_unit_t unit);
EYOT_API int eyot_group_del(eyot_group_t *g, eyot_unit_t unit);

/* Set algebra: commutative and associative, the result sorted. Errors: EINVAL, ENOMEM. */
EYOT_API int eyot_group_union(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out);
EYOT_API int eyot_group_intersect(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out);
EYOT_API int eyot_group_difference(const eyot_group_t *a, const eyot_group_t *b,
                                   eyot_group_t **out);

/* Splits g in order into `n` groups whose sizes differ by at most one (the first ones are the larger; some are empty when
 * n > size). parts: array of n pointers, filled only on success; free each. Errors: EINVAL (n is 0), ENOMEM. */
EYOT_API int eyot_group_split(const eyot_group_t *g, uint32_t n, eyot_group_t **parts);

EYOT_API uint32_t eyot_group_size(const eyot_group_t *g);
EYOT_API bool eyot_group_has(const eyot_group_t *g, eyot_unit_t unit);
EYOT_API bool eyot_group_equal(const eyot_group_t *a, const eyot_group_t *b);
/* The members in ascending order into units[0..capacity). Errors: EINVAL, ERANGE (capacity below the size; nothing written). */
EYOT_API int eyot_group_members(const eyot_group_t *g, eyot_unit_t *units, uint32_t capacity);
/* The i-th member (0-based), and the index of a member. O(log ranges). Errors: ERANGE (i >= size), EUNIT (not a member). */
EYOT_API int eyot_group_at(const eyot_group_t *g, uint32_t i, eyot_unit_t *unit);
EYOT_API int eyot_group_index(const eyot_group_t *g, eyot_unit_t unit, uint32_t *i);

#ifdef __cplusplus
}
#endif
#endif
