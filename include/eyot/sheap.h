/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/sheap.h - the shared heap: memory of a unit that all units of its node use by the same plain
 * pointers. It is the unit's part of eyot's heap, so other nodes reach it by global pointers.
 *
 * A pointer may be passed to any unit of the node, in any way; who follows it orders its accesses
 * (a message or a signal does). Source: A. Friedley, "Shared Memory Optimizations for Distributed
 * Memory Programming Models", 2013, section 2.4.1; the agreement on an address: R. Gerstenberger,
 * M. Besta, T. Hoefler, "Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One
 * Sided", 2013, section 2.2. Common errors: ESTATE (not initialized), ENOTSUP (the processes of a
 * node could not agree on an address). Thread rule: that of eyot/init.h. */
#ifndef EYOT_SHEAP_H
#define EYOT_SHEAP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_sheap_alloc allocates `bytes` bytes of the caller's part, aligned to 64 bytes; contents are
 * undefined. Called by one unit, non-blocking. Errors: EINVAL (bytes is 0; NULL), ENOMEM. */
EYOT_RET int eyot_sheap_alloc(uint64_t bytes, void **p);
/* eyot_sheap_free releases memory of eyot_sheap_alloc, of any unit of the caller's node; that unit
 * can allocate it again. NULL: nothing. Called by one unit, non-blocking. Errors: EINVAL (not in
 * the shared heap of a unit of this node), ESEG (not the start of an allocation, or freed
 * before). */
EYOT_RET int eyot_sheap_free(void *p);
/* eyot_sheap_realloc returns in *out an allocation of `bytes` bytes of the caller's part with the
 * contents of p, which is released unless it is the same; p NULL: as eyot_sheap_alloc. After an
 * error p is as it was. Called by one unit, non-blocking. Errors: those of both. */
EYOT_RET int eyot_sheap_realloc(void *p, uint64_t bytes, void **out);
/* eyot_sheap_owner returns the unit in whose part p lies; eyot_sheap_gptr the global pointer to p,
 * by which units of other nodes reach it, if p is in the first 64 KiB of an allocation. Its range
 * checks are those of 64 KiB of small allocations, not of each. Local. Errors: EINVAL (not in the
 * shared heap of a unit of this node; NULL), ESEG (gptr: no allocation is there). */
EYOT_RET int eyot_sheap_owner(const void *p, eyot_unit_t *unit);
EYOT_RET int eyot_sheap_gptr(const void *p, eyot_gptr_t *gptr);
/* eyot_sheap_contains tells whether [p, p+bytes) is in the shared heap of a unit of the caller's
 * node. Local. */
EYOT_API bool eyot_sheap_contains(const void *p, uint64_t bytes);

/* How a unit uses bytes. */
typedef enum eyot_touch_how { EYOT_TOUCH_READ = 0, EYOT_TOUCH_WRITE } eyot_touch_t;
/* eyot_touch says that the caller reads or writes [p, p+bytes) by plain loads and stores now, in
 * its own memory or in that of a unit of its node. On sim it costs the time of a copy of so many
 * bytes, and of the way to the other unit; eyotcheck looks for races with it. On mpi it checks the
 * arguments alone. Called by one unit. Errors: EINVAL (NULL, `how`, more bytes than an address can
 * reach), ERANGE (it reaches out of a unit's heap), EUNIT (sim: the heap of a unit of another node,
 * where the access is a segmentation fault on a cluster). */
EYOT_RET int eyot_touch(const void *p, uint64_t bytes, eyot_touch_t how);

#ifdef __cplusplus
}
#endif
#endif
