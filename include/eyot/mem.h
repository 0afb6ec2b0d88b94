/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/mem.h - global memory: allocation, registration, global pointers (seed 000 chapter 5, seed 002 section 2.2).
 *
 * Collective allocations are aligned and symmetric: every unit of the team owns a part of the same size, and the pointer to any byte
 * of any unit's part is computed from one pointer by eyot_gptr_at. Units agree on one offset in their heaps, so nothing is stored
 * per peer; only when no common offset is free, each unit places its part where it can and others look its offset up there. */
#ifndef EYOT_MEM_H
#define EYOT_MEM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `bytes` on every unit of `team`, aligned to 64 bytes, zeroed. Collective over the team, blocking. *gptr points to byte 0 of the
 * part of the team's unit 0 and is the same on all members. bytes of 0 is EINVAL.
 * Errors: ETEAM, EINVAL, EMISMATCH (sizes differ; reported on all members, nothing allocated), ENOMEM (some unit's heap is full, or its
 * machine has no memory for it to grow; reported on all members, nothing allocated; raise EYOT_HEAP_MAX). Release with eyot_team_free. */
EYOT_API int eyot_team_alloc(eyot_team_t team, uint64_t bytes, eyot_gptr_t *gptr);
/* As above with an alignment, a power of two of at most 4096. */
EYOT_API int eyot_team_alloc_aligned(eyot_team_t team, uint64_t bytes, uint64_t align,
                                     eyot_gptr_t *gptr);
/* As eyot_team_alloc_aligned, but what the memory holds is undefined: it is not made zero, which is most of what an allocation costs, and the members exchange
 * one message round instead of two. Words that are used by atomics, signals or wait-until must be initialised, and all members know of it, before their first use. */
EYOT_API int eyot_team_alloc_raw(eyot_team_t team, uint64_t bytes, uint64_t align,
                                 eyot_gptr_t *gptr);
/* Releases a collective allocation. Collective over the team it was made on, blocking. The caller's own operations on it must be complete.
 * Errors: ESEG (null, not collective, freed before), ETEAM. */
EYOT_API int eyot_team_free(eyot_gptr_t gptr);

/* Allocates `bytes` (aligned to 64, zeroed) on the calling unit; the pointer may be given to and used by any unit. Not collective, not blocking.
 * Errors: EINVAL, ENOMEM. */
EYOT_API int eyot_alloc(uint64_t bytes, eyot_gptr_t *gptr);
/* Releases it. Only the owner may call. Errors: ESEG (null, freed before, not from eyot_alloc), EUNIT (another unit's memory). */
EYOT_API int eyot_free(eyot_gptr_t gptr);

/* Makes existing memory [addr, addr+bytes) of the calling unit reachable by all others. Not collective, not blocking. The memory must stay
 * valid until eyot_unregister. Errors: EINVAL, ENOMEM, EBUSY (too many registrations), ENOTSUP. */
EYOT_API int eyot_register(void *addr, uint64_t bytes, eyot_gptr_t *gptr);
/* Errors: ESEG, EUNIT. No operation on it may be in flight. */
EYOT_API int eyot_unregister(eyot_gptr_t gptr);

/* Arithmetic; local, cannot fail, checks happen at use. */
static inline bool eyot_gptr_is_null(eyot_gptr_t g) {
  return g.seg == 0;
}
static inline eyot_gptr_t eyot_gptr_add(eyot_gptr_t g, int64_t bytes) {
  g.offset += (uint64_t)bytes;
  return g;
}
/* The same offset in another unit's part of a collective allocation. */
static inline eyot_gptr_t eyot_gptr_at(eyot_gptr_t g, eyot_unit_t unit) {
  g.unit = unit.id;
  return g;
}
static inline eyot_unit_t eyot_gptr_unit(eyot_gptr_t g) {
  return (eyot_unit_t){g.unit};
}
static inline bool eyot_gptr_equal(eyot_gptr_t a, eyot_gptr_t b) {
  return a.offset == b.offset && a.unit == b.unit && a.seg == b.seg && a.gen == b.gen;
}
/* Bytes from b to a (a - b). Both must point into the same unit's part of one segment. Errors: EINVAL. */
EYOT_API int eyot_gptr_diff(eyot_gptr_t a, eyot_gptr_t b, int64_t *bytes);
/* The same offset at team-relative unit `unit`. Errors: ETEAM, EUNIT. */
EYOT_API int eyot_gptr_at_team(eyot_gptr_t g, eyot_team_t team, eyot_tunit_t unit,
                               eyot_gptr_t *out);

/* The address of the caller's own memory at `g`. Errors: ESEG, ERANGE, EUNIT (another unit's memory). */
EYOT_API int eyot_gptr_addr(eyot_gptr_t g, void **addr);
/* The address at which `g` can be loaded and stored directly, if the fabric maps that unit's memory here (units of one node on mpi; only the
 * caller's own on sim). Ordering is then the program's business (eyot_sync). Errors: as above, ENOTSUP (not mapped here). */
EYOT_API int eyot_gptr_direct(eyot_gptr_t g, void **addr);

/* Heap figures of the calling unit, in bytes. The heap begins with EYOT_HEAP_SIZE and grows with what is allocated, up to EYOT_HEAP_MAX. Errors: ESTATE. */
typedef struct eyot_heap_room {
  uint64_t size; /* now: never less than at start */
  uint64_t most; /* up to where it may grow */
  uint64_t collective_used, private_used;
  uint64_t largest_free; /* what a single allocation may have at most, growth included */
} eyot_heap_info_t;
EYOT_API int eyot_heap_info(eyot_heap_info_t *info);

#ifdef __cplusplus
}
#endif
#endif
