/* SPDX-License-Identifier: BSD-3-Clause */
/* gmem.h - global pointers resolved to fabric addresses, as rma sees them. */
#ifndef EYOT_GMEM_GMEM_H
#define EYOT_GMEM_GMEM_H

#include <eyot/mem.h>

#include "rt/rt.h"

struct eyoti_team; /* teams/teams.h */

/* Special segment ids of a global pointer; collective allocations take 4 and up. */
#define EYOTI_SEG_NULL 0u
/* eyot_alloc: upper bits of offset: which block; gen is the allocation's generation */
#define EYOTI_SEG_PRIVATE 1u
/* eyot_register: upper bits of offset: the slot in the owner's directory */
#define EYOTI_SEG_REGISTERED 2u
/* eyot_dynamic_gptr: the owner's address; upper bits of offset, gen: the collective allocation */
#define EYOTI_SEG_DYNAMIC 3u

/* creates the heap segment; collective. Fills rt->near. */
int eyoti_gmem_start(struct eyot_rt *rt);
void eyoti_gmem_stop(struct eyot_rt *rt); /* warns of leaks */

/* Where [g, g+len) is. Checks null, freed, foreign, unit, range; may fetch descriptors from the
 * target for registered and dynamic memory and for collective allocations without a common offset.
 * Errors: ESEG, EUNIT, ERANGE, EPEERDOWN (logged). */
int eyoti_gmem_resolve(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out);
/* The team of the collective allocation that `g` points into. Local. Errors: ESEG (logged). */
int eyoti_gmem_team(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_team **team);
/* The mapped address of a resolved place, or NULL if not mapped here. */
void *eyoti_gmem_mapped(struct eyot_rt *rt, struct fab_addr a);
/* The heap offset at every unit of a word that the runtime itself reserved for array-accumulate
 * locks. */
struct fab_addr eyoti_gmem_lock_word(struct eyot_rt *rt, fab_unit_t unit);
/* Byte `off` of the EYOTI_GMEM_SYNC_BYTES that are reserved for the sync layer at the same place of
 * every unit, zero at start. */
#define EYOTI_GMEM_SYNC_BYTES 4096u
struct fab_addr eyoti_gmem_sync_at(struct eyot_rt *rt, fab_unit_t unit, uint64_t off);
#endif
