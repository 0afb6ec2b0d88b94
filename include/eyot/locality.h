/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/locality.h - where units are: the domain tree and the distance of two units. All queries are local and do not block. */
#ifndef EYOT_LOCALITY_H
#define EYOT_LOCALITY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of the domain tree from the unit outwards. A machine without some level (a plain cluster has no chassis) reports the
 * next inner domain's partition for it, so that the tree always has all levels. On mpi without further knowledge every node is
 * its own blade, chassis and group. */
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

/* The id of the domain of each level in which a unit is; ids are unique within a level over the whole run. */
typedef struct eyot_place {
  uint32_t id[EYOT_DOMAIN_COUNT];
} eyot_place_t;

/* Where `unit` is. Errors: ESTATE, EUNIT, EINVAL. */
EYOT_API int eyot_locate(eyot_unit_t unit, eyot_place_t *place);

/* The innermost level at which a and b share a domain: EYOT_DOMAIN_UNIT if a is b, EYOT_DOMAIN_NODE if they share a node but no NUMA
 * domain, ..., EYOT_DOMAIN_MACHINE if they are in different groups. Errors: ESTATE, EUNIT, EINVAL. */
EYOT_API int eyot_distance(eyot_unit_t a, eyot_unit_t b, eyot_domain_t *level);

/* "unit", "numa", "node", "blade", "chassis", "group", "machine"; "?" for anything else. */
EYOT_API const char *eyot_domain_name(eyot_domain_t level);

#ifdef __cplusplus
}
#endif
#endif
