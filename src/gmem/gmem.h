/* SPDX-License-Identifier: BSD-3-Clause */
/* gmem.h - global memory for rma, sync and coll: resolves global pointers to fabric addresses.
 * Starts and stops the layer. The files of this layer use state.h. Only the thread that called
 * eyot_init may call it. */
#ifndef EYOT_GMEM_GMEM_H
#define EYOT_GMEM_GMEM_H

#include <eyot/mem.h>

#include "rt/rt.h"

struct eyoti_team; /* teams/teams.h */

/* Special segment ids of a global pointer; collective allocations take 4 and up. */
#define EYOTI_SEG_NULL 0u
/* eyot_alloc: the upper bits of offset name the block; gen is the allocation's generation */
#define EYOTI_SEG_PRIVATE 1u
/* eyot_register: the upper bits of offset are the slot in the owner's directory */
#define EYOTI_SEG_REGISTERED 2u
/* eyot_dynamic_gptr: the owner's address; upper bits of offset, gen: the collective allocation */
#define EYOTI_SEG_DYNAMIC 3u

/* Creates the heap segment; collective. Fills rt->mapped. */
int eyoti_gmem_start(struct eyot_rt *rt);
void eyoti_gmem_stop(struct eyot_rt *rt); /* warns of leaks */

/* Sets *out to the fabric address of [g, g+len). Checks null, freed, foreign, unit, range; may
 * fetch descriptors from the target for registered and dynamic memory and for collective
 * allocations without a common offset. Errors: ESEG, EUNIT, ERANGE, EPEERDOWN (logged). */
int eyoti_gmem_resolve(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out);
/* The team of the collective allocation that `g` points into. Local. Errors: ESEG (logged). */
int eyoti_gmem_team(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_team **team);
/* The local address of a resolved address, or NULL if it is not mapped here. */
void *eyoti_gmem_mapped(struct eyot_rt *rt, struct fab_addr a);
/* The address, at `unit`, of the word that the runtime reserves for locks of array accumulates. */
struct fab_addr eyoti_gmem_lock_word(struct eyot_rt *rt, fab_unit_t unit);
/* The address of byte `off` of the EYOTI_GMEM_SYNC_BYTES that are reserved for the sync layer at
 * the same offset of every unit, zero at start. */
#define EYOTI_GMEM_SYNC_BYTES 4096u
struct fab_addr eyoti_gmem_sync_at(struct eyot_rt *rt, fab_unit_t unit, uint64_t off);
#endif
