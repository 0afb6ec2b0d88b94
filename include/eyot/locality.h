/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/locality.h - the place of each unit in the domain tree of the machine, and the distance
 * between two units.
 *
 * All queries are called by one unit, local and non-blocking. Thread rule: that of eyot/init.h. */
#ifndef EYOT_LOCALITY_H
#define EYOT_LOCALITY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of the domain tree from the unit outwards. The tree always has all levels: a machine
 * without some level (a plain cluster has no chassis) reports the next inner level's partition for
 * it. mpi knows nodes only: every node is one NUMA domain, blade, chassis and group. */
typedef enum eyot_domain {
  EYOT_DOMAIN_UNIT = 0,
  EYOT_DOMAIN_NUMA,
  EYOT_DOMAIN_NODE,
  EYOT_DOMAIN_BLADE,
  EYOT_DOMAIN_CHASSIS,
  EYOT_DOMAIN_GROUP,
  EYOT_DOMAIN_MACHINE,
  EYOT_DOMAIN_COUNT
} eyot_domain_t;

/* The id of a unit's domain at each level; ids are unique within a level over the whole run. */
typedef struct eyot_place {
  uint32_t id[EYOT_DOMAIN_COUNT];
} eyot_place_t;

/* eyot_locate returns in *place the domains of `unit`. Errors: ESTATE, EUNIT, EINVAL (NULL). */
EYOT_RET int eyot_locate(eyot_unit_t unit, eyot_place_t *place);

/* eyot_distance returns in *level the innermost level at which a and b share a domain:
 * EYOT_DOMAIN_UNIT if a is b, EYOT_DOMAIN_NODE if they share a node but no NUMA domain, ...,
 * EYOT_DOMAIN_MACHINE if they are in different groups. Errors: ESTATE, EUNIT, EINVAL (NULL). */
EYOT_RET int eyot_distance(eyot_unit_t a, eyot_unit_t b, eyot_domain_t *level);

/* eyot_mapped_units returns the units whose memory the caller can load and store
 * (eyot_gptr_direct): `count` units from *first on, the caller among them. Units of its node on
 * mpi; the caller alone on sim. Local. Errors: ESTATE, EINVAL (NULL). */
EYOT_RET int eyot_mapped_units(eyot_unit_t *first, uint32_t *count);

/* eyot_domain_name returns "unit", "numa", "node", "blade", "chassis", "group" or "machine"; "?"
 * for any other value. May be called at any time by any thread. */
EYOT_API const char *eyot_domain_name(eyot_domain_t level);

#ifdef __cplusplus
}
#endif
#endif
