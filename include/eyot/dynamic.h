/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/dynamic.h - dynamic segments: memory that each unit attaches and detaches by itself, which
 * other units address by its owner's addresses (R. Gerstenberger, M. Besta, T. Hoefler, "Enabling
 * Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided", 2013, section 2.2,
 * dynamic windows).
 *
 * A global pointer into a dynamic segment works with puts, gets, atomics and signals; but a unit
 * cannot wait for a word there (eyot_wait_until returns ESEG). An operation must lie in one region:
 * one that reaches into an adjacent region is ERANGE. eyot_gptr_diff is the difference of the
 * owner's addresses; eyot_gptr_addr gives the owner its address back. Common error: ESTATE (not
 * initialized). Thread rule: that of eyot/init.h. */
#ifndef EYOT_DYNAMIC_H
#define EYOT_DYNAMIC_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dynamic segment: a value that may be copied and sent to other units. */
typedef struct eyot_dynamic {
  eyot_gptr_t at;
} eyot_dynamic_t;
#define EYOT_DYNAMIC_NULL ((eyot_dynamic_t){{0, 0, 0, 0}})

/* How an origin makes sure, before each operation, that the descriptors that it caches of other
 * units' regions are still right.
 *  - VALIDATE: the origin reads the target's id counter, which each attach and detach changes: one
 *    get an operation; detach costs nothing more.
 *  - NOTIFY: the origin has registered at the target, which notifies it of each detach: an
 *    operation costs nothing more; detach sends a message to each registered unit and waits until
 *    the messages have arrived.
 * After a change, and the first time, 3 gets bring the descriptors up to date, and with NOTIFY a
 * fetch-add and a signal to register anew (src/gmem/dyn_cache.c counts the cases).
 *
 * Checks. Units may attach and detach while others access regions that stay. An access to memory
 * that is not attached is ERANGE if the origin can know it: the detach must have happened before
 * the operation was posted, by the program's own synchronization (detach, then a signal or barrier,
 * then the access). The check precedes the access and is not one step with it. If the owner
 * detaches in between, or while the operation is under way, neither side is protected, with
 * VALIDATE as little as with NOTIFY: the operation may fail (at its completion), or read or write
 * memory that is used for something else by then. The owner must therefore know that no unit still
 * accesses a region before it detaches it, as in MPI. If a region is attached anew at the same
 * address, an operation in between may meet either one. */
typedef enum eyot_dynamic_kind {
  EYOT_DYNAMIC_VALIDATE = 0,
  EYOT_DYNAMIC_NOTIFY
} eyot_dynamic_kind_t;

typedef struct eyot_dynamic_attr {
  eyot_dynamic_kind_t kind;
  uint32_t regions; /* most regions that a unit may have attached at a time, 1..4096 */
  /* One bound, 1..4096, for both sides of a unit:
   *  - as origin, the units whose descriptors it keeps; the least recently used one is dropped, and
   *    using it again costs as much as the first time;
   *  - as target (NOTIFY only), the registrations that it takes between two of its detaches; an
   *    origin that finds them used up works as with VALIDATE until the next detach. An origin that
   *    has dropped a target and comes back uses another registration. */
  uint32_t peers;
} eyot_dynamic_attr_t;
#define EYOT_DYNAMIC_ATTR_INIT \
  { EYOT_DYNAMIC_VALIDATE, 64, 32 }

/* eyot_dynamic_create makes a dynamic segment of the team with no memory attached. attr NULL:
 * EYOT_DYNAMIC_ATTR_INIT. Collective over the team, blocking; all members pass the same attributes.
 * Takes 64 + 48 * regions bytes of each member's heap, and with NOTIFY 24 * peers more, rounded up
 * to 64. Errors: ETEAM, EINVAL, EMISMATCH (attributes differ; on all members), ENOMEM. */
EYOT_RET int eyot_dynamic_create(eyot_team_t team, const eyot_dynamic_attr_t *attr,
                                 eyot_dynamic_t *dynamic);
/* eyot_dynamic_destroy detaches the regions that are left (with a warning), releases the segment
 * and sets *dynamic to null. Collective over the team, blocking; the members' operations on it must
 * be complete. Errors: EINVAL (NULL), ESEG (null, destroyed before), EMISMATCH (members name
 * different segments; nothing is released). */
EYOT_RET int eyot_dynamic_destroy(eyot_dynamic_t *dynamic);

/* eyot_dynamic_attach attaches [addr, addr+bytes) of the caller. Called by one unit; waits for no
 * other unit. Regions must not overlap (on mpi they must not overlap in part with regions attached
 * elsewhere either); adjacent ones stay two. The memory must stay valid until it is detached. *gptr
 * (gptr may be NULL) points to its first byte. Errors: ESEG, EINVAL (empty, overlapping, beyond
 * address 2^48), EBUSY (`regions` are attached), ENOMEM, ENOTSUP (a fabric that cannot address such
 * memory; mpi and sim can). */
EYOT_RET int eyot_dynamic_attach(eyot_dynamic_t dynamic, void *addr, uint64_t bytes,
                                 eyot_gptr_t *gptr);
/* eyot_dynamic_detach detaches the region that begins at addr. Called by one unit. With NOTIFY it
 * blocks until all registered units can see that the region is gone, but does not wait for any of
 * them to call eyot. Errors: ESEG, EINVAL (no region begins there), those of the fabric (if the
 * error is that a unit could not be notified, the region is gone nevertheless). */
EYOT_RET int eyot_dynamic_detach(eyot_dynamic_t dynamic, void *addr);
/* eyot_dynamic_gptr returns in *gptr the pointer to `address` at `unit`; address is the owner's
 * address as an integer, sent by the program. Local; whether memory is attached there is checked at
 * use (ERANGE). Errors: ESEG, EUNIT (not in the team), EINVAL (0, or 2^48 and above; gptr is
 * NULL). */
EYOT_RET int eyot_dynamic_gptr(eyot_dynamic_t dynamic, eyot_unit_t unit, uint64_t address,
                               eyot_gptr_t *gptr);

#ifdef __cplusplus
}
#endif
#endif
