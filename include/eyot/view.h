/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/view.h - views: the members of a team in an order of the program's choice. Teams are sorted
 * by global unit id; interfaces that number members otherwise (strides, communicators split by key,
 * process grids) translate their ranks by a view.
 *
 * A view is local to the unit that makes it and costs no communication; members need not make equal
 * ones. It ends with eyot_view_free; once its team is destroyed its queries return ETEAM. Common
 * errors: ESTATE, ETHREAD, EINVAL (NULL), ETEAM. Thread rule: that of eyot/init.h. */
#ifndef EYOT_VIEW_H
#define EYOT_VIEW_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyot_view eyot_view_t;

/* eyot_view_strided makes the view in which rank i is the member with the team-relative id (first +
 * i*stride) modulo the team's size: a rotation (stride 1), the reverse order (first = size-1,
 * stride -1), and so on. It takes a few words for any size. Errors: also EINVAL (first is not below
 * the size; stride and size have a common divisor, so that some members would have no rank),
 * ENOMEM. */
EYOT_RET int eyot_view_strided(eyot_team_t team, uint32_t first, int64_t stride,
                               eyot_view_t **view);
/* eyot_view_from makes the view in which rank i is units[i]; n is the team's size, and each member
 * occurs once. It takes 8 bytes a member; in the simulator, equal views of all units share them.
 * Errors: also EINVAL (n is not the size; a unit occurs twice), EUNIT (not a member), ENOMEM. */
EYOT_RET int eyot_view_from(eyot_team_t team, const eyot_unit_t *units, uint32_t n,
                            eyot_view_t **view);
/* eyot_view_free releases a view; NULL is allowed. Cannot fail; may also be called after
 * eyot_finalize. */
EYOT_API void eyot_view_free(eyot_view_t *view);

/* eyot_view_me returns the caller's rank, eyot_view_size the number of ranks, eyot_view_team the
 * team. */
EYOT_RET int eyot_view_me(const eyot_view_t *view, uint32_t *rank);
EYOT_RET int eyot_view_size(const eyot_view_t *view, uint32_t *size);
EYOT_RET int eyot_view_team(const eyot_view_t *view, eyot_team_t *team);
/* eyot_view_unit returns the unit of a rank, eyot_view_rank the rank of a unit. O(log ranges of the
 * team). Errors: also ERANGE (no such rank), EUNIT (not a member). */
EYOT_RET int eyot_view_unit(const eyot_view_t *view, uint32_t rank, eyot_unit_t *unit);
EYOT_RET int eyot_view_rank(const eyot_view_t *view, eyot_unit_t unit, uint32_t *rank);

#ifdef __cplusplus
}
#endif
#endif
