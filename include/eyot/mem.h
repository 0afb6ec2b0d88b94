/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/mem.h - global memory: allocation, registration, and global pointers (H. Zhou,
 * "Communication Methods for Hierarchical Global Address Space Models in HPC", 2016, chapter 5; R.
 * Gerstenberger, M. Besta, T. Hoefler, "Enabling Highly-Scalable Remote Memory Access Programming
 * with MPI-3 One Sided", 2013, section 2.2).
 *
 * Collective allocations are aligned and symmetric: every unit of the team owns a part of the same
 * size, and eyot_gptr_at computes the pointer to any unit's part from one pointer. Units agree on
 * one offset in their heaps, so nothing is stored per peer; only when no common offset is free does
 * each unit choose its own, which others look up there. Common error: ESTATE (not initialized).
 * Thread rule: that of eyot/init.h. */
#ifndef EYOT_MEM_H
#define EYOT_MEM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_team_alloc allocates `bytes` bytes on every unit of `team`, aligned to 64 bytes and zeroed.
 * Collective over the team, blocking. *gptr points to byte 0 of the part of the team's unit 0 and
 * is the same on all members. The team releases it with eyot_team_free. Errors: ETEAM, EINVAL
 * (bytes is 0; NULL), EMISMATCH (sizes differ), ENOMEM (some unit's heap is full, or its machine
 * has no memory for it to grow; raise EYOT_HEAP_MAX); the last two are reported on all members and
 * nothing is allocated. */
EYOT_RET int eyot_team_alloc(eyot_team_t team, uint64_t bytes, eyot_gptr_t *gptr);
/* eyot_team_alloc_aligned is eyot_team_alloc with an alignment in bytes, any power of two, of each
 * part's address at its owner. Above 4096 the parts lie at different offsets of the members' heaps:
 * operations on them are never inline, and the first one on a unit's part asks it for the offset.
 * Errors: also ENOMEM (some heap has no place so aligned). */
EYOT_RET int eyot_team_alloc_aligned(eyot_team_t team, uint64_t bytes, uint64_t align,
                                     eyot_gptr_t *gptr);
/* eyot_team_alloc_raw is eyot_team_alloc_aligned with undefined contents: the memory is not zeroed,
 * which is most of the cost of an allocation. Words that are used by atomics, signals or wait-until
 * must be initialized, and all members must know of it, before their first use. */
EYOT_RET int eyot_team_alloc_raw(eyot_team_t team, uint64_t bytes, uint64_t align,
                                 eyot_gptr_t *gptr);
/* eyot_team_free releases a collective allocation; gptr points to its byte 0. Collective over the
 * team that made it, blocking. The caller's own operations on it must be complete. Errors: ESEG
 * (null, not collective, freed before), EMISMATCH (members name different allocations; nothing is
 * released). */
EYOT_RET int eyot_team_free(eyot_gptr_t gptr);

/* eyot_alloc allocates `bytes` bytes on the calling unit, aligned to 64 bytes and zeroed; any unit
 * may be given the pointer and use it. Called by one unit, non-blocking. Errors: EINVAL (bytes is
 * 0; NULL), ENOMEM. */
EYOT_RET int eyot_alloc(uint64_t bytes, eyot_gptr_t *gptr);
/* eyot_free releases memory of eyot_alloc; gptr points to its byte 0. Called by its owner,
 * non-blocking. Errors: ESEG (null, freed before, not from eyot_alloc), EUNIT (another unit's
 * memory). */
EYOT_RET int eyot_free(eyot_gptr_t gptr);

/* eyot_register makes existing memory [addr, addr+bytes) of the calling unit accessible to all
 * others. Called by one unit, non-blocking. The memory must stay valid until eyot_unregister.
 * Errors: EINVAL, ENOMEM, EBUSY (too many registrations), ENOTSUP. */
EYOT_RET int eyot_register(void *addr, uint64_t bytes, eyot_gptr_t *gptr);
/* eyot_unregister ends a registration; gptr points to its byte 0. Called by its owner,
 * non-blocking. No operation on the memory may be in flight. Errors: ESEG, EUNIT. */
EYOT_RET int eyot_unregister(eyot_gptr_t gptr);

/* eyot_name gives the allocation at `gptr` a name, which is copied, cut after 63 bytes; messages of
 * the calling unit about it show the name instead of what it is. Also for objects that lie in
 * global memory: eyot_name(lock.at, "queue"), counter.at, pscw.at, dynamic.at. "" removes the name.
 * Local: each unit names what its own messages should name (on sim, reports about a unit's memory
 * use the name that this unit has given). Errors: ESEG, EUNIT (memory of eyot_alloc or
 * eyot_register of another unit), EINVAL (NULL), ENOMEM. */
EYOT_RET int eyot_name(eyot_gptr_t gptr, const char *name);

/* Pointer arithmetic, in bytes. Local; cannot fail, because checks happen at use; may be called at
 * any time by any thread. A pointer that is moved to 2^47 bytes or more after its part's first
 * byte, or further than 2^47 before it, is of another generation (ESEG). */
static inline bool eyot_gptr_is_null(eyot_gptr_t g) {
  return g.seg == 0;
}
static inline eyot_gptr_t eyot_gptr_add(eyot_gptr_t g, int64_t bytes) {
  g.offset += (uint64_t)bytes;
  return g;
}
/* eyot_gptr_at returns the pointer to the same offset in another unit's part of a collective
 * allocation. */
static inline eyot_gptr_t eyot_gptr_at(eyot_gptr_t g, eyot_unit_t unit) {
  g.unit = unit.id;
  return g;
}
static inline eyot_unit_t eyot_gptr_unit(eyot_gptr_t g) {
  eyot_unit_t unit = {g.unit};
  return unit;
}
static inline bool eyot_gptr_equal(eyot_gptr_t a, eyot_gptr_t b) {
  return a.offset == b.offset && a.unit == b.unit && a.seg == b.seg && a.gen == b.gen;
}
/* eyot_gptr_diff returns in *bytes the distance a - b. Both must point into the same unit's part of
 * one segment. Local; may be called at any time. Errors: EINVAL. */
EYOT_RET int eyot_gptr_diff(eyot_gptr_t a, eyot_gptr_t b, int64_t *bytes);
/* eyot_gptr_at_team returns in *out the pointer to the same offset at team-relative unit `unit`.
 * Local. Errors: ETEAM, EUNIT, EINVAL (NULL). */
EYOT_RET int eyot_gptr_at_team(eyot_gptr_t g, eyot_team_t team, eyot_tunit_t unit,
                               eyot_gptr_t *out);

/* eyot_gptr_addr returns in *addr the address of the caller's own memory at `g`, which may be its
 * end. Local. Errors: ESEG, ERANGE, EUNIT (another unit's memory), EINVAL (NULL). */
EYOT_RET int eyot_gptr_addr(eyot_gptr_t g, void **addr);
/* eyot_gptr_direct returns in *addr the address at which the caller can load and store `g`
 * directly, if the fabric maps that unit's memory here (units of one node on mpi; only the caller's
 * own on sim). The program then orders its accesses itself (eyot_sync). Called by one unit. Errors:
 * ESEG, ERANGE, EINVAL (NULL), ENOTSUP (not mapped here). */
EYOT_RET int eyot_gptr_direct(eyot_gptr_t g, void **addr);

/* The heap of the calling unit, in bytes. It begins with EYOT_HEAP_SIZE and grows with what is
 * allocated, up to EYOT_HEAP_MAX. */
typedef struct eyot_heap_room {
  uint64_t size; /* now: never less than at start */
  uint64_t most; /* the size up to which it may grow */
  uint64_t collective_used, private_used;
  uint64_t largest_free; /* the largest single allocation that is possible, growth included */
} eyot_heap_info_t;
/* eyot_heap_info returns in *info the figures of the caller's heap. Local. Errors: ESTATE, EINVAL
 * (NULL). */
EYOT_RET int eyot_heap_info(eyot_heap_info_t *info);

#ifdef __cplusplus
}
#endif
#endif
