/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/dynamic.h - dynamic segments: memory that units attach and detach by themselves, addressed by its owner's addresses (seed 002
 * section 2.2, dynamic windows).
 *
 * A global pointer into a dynamic segment works with every operation on global memory: puts, gets, atomics, signals; but a unit cannot wait
 * for a word there (eyot_wait_until gives ESEG: fabrics wait for words of segments). An operation must lie in one region: one that reaches
 * from a region into an adjacent one is ERANGE. eyot_gptr_diff is the difference of the owner's addresses; eyot_gptr_addr gives the owner
 * its address back.
 *
 * The origin keeps descriptors of the regions of the units that it accesses, and makes sure before each operation that they are still
 * right:
 *  - EYOT_DYNAMIC_VALIDATE: it reads the target's id counter, which each attach and detach changes. One get each; detach is free.
 *  - EYOT_DYNAMIC_NOTIFY: it has registered at the target, which tells it of each detach. An operation costs nothing more; detach sends a
 *    message to each registered unit and waits until they have arrived.
 * After a change, and the first time, 3 gets bring the descriptors up to date, and with NOTIFY a fetch-add and a signal to register anew
 * (src/gmem/dyn_cache.c counts the cases).
 *
 * What is checked, and what is not. Units may attach and detach while others access regions that stay. An access to what is not attached is
 * ERANGE, if the origin can know: the detach must have happened before the operation was posted, by the program's own synchronisation
 * (detach, then a signal or barrier, then the access). The check comes before the access and is not one step with it. If the owner detaches
 * in between, or while the operation is under way, nothing protects either side, with VALIDATE as little as with NOTIFY: the operation may
 * fail (at its completion), or read or write memory that is used for something else by then. So the owner must know that nobody still
 * accesses a region before it detaches it, as in MPI. If a region is attached anew at the same address, an operation in between may meet
 * either. One thread of a unit at a time. */
#ifndef EYOT_DYNAMIC_H
#define EYOT_DYNAMIC_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyot_dynamic {
  eyot_gptr_t at;
} eyot_dynamic_t;
#define EYOT_DYNAMIC_NULL ((eyot_dynamic_t){{0, 0, 0, 0}})

typedef enum eyot_dynamic_kind {
  EYOT_DYNAMIC_VALIDATE = 0,
  EYOT_DYNAMIC_NOTIFY
} eyot_dynamic_kind_t;

typedef struct eyot_dynamic_attr {
  eyot_dynamic_kind_t kind;
  uint32_t regions; /* most regions that a unit may have attached at a time, 1..4096 */
  /* One bound, 1..4096, for both sides of a unit:
   *  - as origin, the units whose descriptors it keeps; the one unused for longest is forgotten, and using it again costs as at first;
   *  - as target (NOTIFY only), the registrations that it takes between two of its detaches; whoever comes when they are used up does as with
   *    VALIDATE until the next detach. An origin that has forgotten a target and comes back uses another registration. */
  uint32_t peers;
} eyot_dynamic_attr_t;
#define EYOT_DYNAMIC_ATTR_INIT \
  { EYOT_DYNAMIC_VALIDATE, 64, 32 }

/* Makes a dynamic segment of the team; no memory is attached yet. attr NULL: EYOT_DYNAMIC_ATTR_INIT. Collective over the team, blocking.
 * Takes 64 + 48 * regions bytes of each member's heap, with NOTIFY 24 * peers more. Errors: ETEAM, EINVAL, EMISMATCH (attributes differ; on
 * all), ENOMEM. */
EYOT_API int eyot_dynamic_create(eyot_team_t team, const eyot_dynamic_attr_t *attr,
                                 eyot_dynamic_t *dynamic);
/* Detaches what is left (with a warning) and releases the segment. Collective over the team, blocking; the members' operations on it must
 * be complete. Errors: EINVAL, ESEG (null, destroyed before), EMISMATCH (the members name different segments; nothing is released). */
EYOT_API int eyot_dynamic_destroy(eyot_dynamic_t *dynamic);

/* Attaches [addr, addr+bytes) of the caller. Not collective; waits for nobody. Regions must not overlap (on mpi also not in part those
 * attached elsewhere); adjacent ones stay two. The memory must stay valid until it is detached. *gptr (may be NULL) points to its first
 * byte. Errors: ESEG, EINVAL (empty, overlaps, beyond address 2^48), EBUSY (`regions` are attached), ENOMEM, ENOTSUP (a fabric that
 * cannot address such memory; mpi and sim can). */
EYOT_API int eyot_dynamic_attach(eyot_dynamic_t dynamic, void *addr, uint64_t bytes,
                                 eyot_gptr_t *gptr);
/* Detaches the region that begins at addr. Not collective. With NOTIFY it blocks until all registered units can see that it is gone, but
 * waits for none of them to call anything. Errors: ESEG, EINVAL (no region begins there), the fabric's (the region is gone nevertheless if
 * the error is a unit's that could not be told). */
EYOT_API int eyot_dynamic_detach(eyot_dynamic_t dynamic, void *addr);
/* A pointer to `address` (as its owner has it, sent as an integer) at `unit`. Local; whether something is attached there is checked at use
 * (ERANGE). Errors: ESEG, EUNIT (not in the team), EINVAL (0, or 2^48 and above). */
EYOT_API int eyot_dynamic_gptr(eyot_dynamic_t dynamic, eyot_unit_t unit, uint64_t address,
                               eyot_gptr_t *gptr);

#ifdef __cplusplus
}
#endif
#endif
