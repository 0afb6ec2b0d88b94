/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/team.h - teams: groups with an identity and the means to communicate (H. Zhou,
 * "Communication Methods for Hierarchical Global Address Space Models in HPC", 2016, sections 4.1
 * to 4.3).
 *
 * All members get the same id; two live teams of which a unit is a member have different ids; an id
 * is reused only with a new generation, so that a stale handle is ETEAM. Live teams share 8 MiB of
 * control memory on each unit: room for 16,384 pairs or 3,855 teams of 64 units, and ENOMEM after
 * that. "Collective over T" means: every member of T calls the function, in the same order as other
 * collectives on T, with the same arguments. Common errors: ESTATE, EINVAL (NULL). Thread rule:
 * that of eyot/init.h. */
#ifndef EYOT_TEAM_H
#define EYOT_TEAM_H

#include "group.h"
#include "locality.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_team_create creates a team of the units of `group`, a subset of `parent`'s; the group is
 * copied. Collective over `parent`, blocking. Units outside the group get EYOT_TEAM_NULL and
 * success. Errors: ETEAM, EINVAL (empty group), EUNIT (a unit of the group is not in the parent),
 * EMISMATCH (members passed different groups; reported on all), ENOMEM. Source: Zhou 2016, section
 * 4.3.2. */
EYOT_RET int eyot_team_create(eyot_team_t parent, const eyot_group_t *group, eyot_team_t *team);

/* eyot_team_create_group creates the same team without the rest of the parent: collective over the
 * units of `group` alone, blocking. All pass the same group and tag. A unit makes one such call at
 * a time; those of units that share members must come in an order that lets each call of a team
 * happen on all its members (as MPI_Comm_create_group). Members that pass different groups or tags
 * wait for each other. Where one waits for a unit that waits in a collective of the parent instead,
 * all of the parent get EMISMATCH over MPI, and it has no further collectives. Errors: ETEAM,
 * EINVAL (NULL, empty group), EUNIT (the caller is not in the group; a unit of the group is not in
 * the parent), at once on the unit that makes the mistake; ENOMEM on all members. Source: MPI-3.1,
 * section 6.4.2. */
EYOT_RET int eyot_team_create_group(eyot_team_t parent, const eyot_group_t *group, uint64_t tag,
                                    eyot_team_t *team);

/* eyot_team_split splits `parent` by color, as MPI_Comm_split does: members of equal color form a
 * team, ordered by global unit id. A unit with the color EYOT_COLOR_NONE takes part and gets
 * EYOT_TEAM_NULL. Collective over `parent`, blocking; each member passes its own color. Errors:
 * ETEAM, ENOMEM. */
#define EYOT_COLOR_NONE UINT32_MAX
EYOT_RET int eyot_team_split(eyot_team_t parent, uint32_t color, eyot_team_t *team);

/* eyot_team_split_locality splits `parent` into the teams of units that share a domain of the given
 * level (all units of a NUMA domain, node, blade, ...). Collective over `parent`, blocking. Errors:
 * ETEAM, EINVAL (no such level), ENOMEM. */
EYOT_RET int eyot_team_split_locality(eyot_team_t parent, eyot_domain_t level, eyot_team_t *team);

/* eyot_team_destroy destroys a team and sets *team to EYOT_TEAM_NULL. Collective over the team,
 * blocking. Errors: ETEAM (null, EYOT_TEAM_ALL, not alive), EBUSY (segments of the team are still
 * allocated, a split-phase barrier is open, or a member has non-blocking collectives or messages
 * that it has not completed, or plans; the team stays alive on all members). */
EYOT_RET int eyot_team_destroy(eyot_team_t *team);

/* These queries return the caller's id in the team, the team's size, its group (a copy, which the
 * caller releases with eyot_group_free), and its parent. Local. Errors: ETEAM, ENOMEM
 * (eyot_team_group). */
EYOT_RET int eyot_team_me(eyot_team_t team, eyot_tunit_t *me);
EYOT_RET int eyot_team_size(eyot_team_t team, uint32_t *size);
EYOT_RET int eyot_team_group(eyot_team_t team, eyot_group_t **group);
EYOT_RET int eyot_team_parent(eyot_team_t team, eyot_team_t *parent);

/* eyot_team_l2g and eyot_team_g2l translate a team-relative id to a global one, and back. Local.
 * Errors: ETEAM, EUNIT (no such member). */
EYOT_RET int eyot_team_l2g(eyot_team_t team, eyot_tunit_t unit, eyot_unit_t *global);
EYOT_RET int eyot_team_g2l(eyot_team_t team, eyot_unit_t global, eyot_tunit_t *unit);

#ifdef __cplusplus
}
#endif
#endif
