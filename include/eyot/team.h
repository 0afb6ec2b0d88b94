/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/team.h - teams: groups with an identity and the means to communicate (seed 000 sections 4.1-4.3).
 *
 * Team ids: the same id is returned to all members; two live teams of which a unit is a member have different ids; an id is
 * reused only with a new generation, so a stale handle gives ETEAM. Any number of teams may be alive (bounded by memory).
 * "Collective over T" means: every member of T calls it, in the same order as other collectives on T, with the same arguments. */
#ifndef EYOT_TEAM_H
#define EYOT_TEAM_H

#include "group.h"
#include "locality.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a team of the units of `group`, a subset of `parent`'s. Collective over `parent`, blocking. Units outside the group
 * get EYOT_TEAM_NULL and success. The group is copied. Errors: ETEAM, EINVAL (empty group), EUNIT (a unit of the group is not in
 * the parent), EMISMATCH (members passed different groups; reported on all), ENOMEM. Source: seed 000 section 4.3.2. */
EYOT_API int eyot_team_create(eyot_team_t parent, const eyot_group_t *group, eyot_team_t *team);

/* Splits `parent` by colour, as MPI_Comm_split does: members of equal `colour` form a team, ordered by global unit id. A colour of
 * EYOT_COLOUR_NONE takes part and gets EYOT_TEAM_NULL. Collective over `parent`, blocking. Errors: ETEAM, ENOMEM. */
#define EYOT_COLOUR_NONE UINT32_MAX
EYOT_API int eyot_team_split(eyot_team_t parent, uint32_t colour, eyot_team_t *team);

/* Splits `parent` into the teams of units that share a domain of the given level (all units of a NUMA domain, node, blade, ...).
 * Collective over `parent`, blocking. Errors: ETEAM, EINVAL (no such level), ENOMEM. */
EYOT_API int eyot_team_split_locality(eyot_team_t parent, eyot_domain_t level, eyot_team_t *team);

/* Destroys a team. Collective over the team, blocking. Errors: ETEAM (null, TEAM_ALL, not alive), EBUSY (segments of the team are
 * still allocated on this unit; the team stays alive on all members). */
EYOT_API int eyot_team_destroy(eyot_team_t *team);

/* Local queries. Errors: ETEAM. `group` gives a copy; release it with eyot_group_free. */
EYOT_API int eyot_team_myid(eyot_team_t team, eyot_tunit_t *me);
EYOT_API int eyot_team_size(eyot_team_t team, uint32_t *size);
EYOT_API int eyot_team_group(eyot_team_t team, eyot_group_t **group);
EYOT_API int eyot_team_parent(eyot_team_t team, eyot_team_t *parent);

/* Translate a team-relative id to a global one and back. Local. Errors: ETEAM, EUNIT (no such member). */
EYOT_API int eyot_team_l2g(eyot_team_t team, eyot_tunit_t unit, eyot_unit_t *global);
EYOT_API int eyot_team_g2l(eyot_team_t team, eyot_unit_t global, eyot_tunit_t *unit);

#ifdef __cplusplus
}
#endif
#endif
