/* SPDX-License-Identifier: BSD-3-Clause */
/* gmem.h - global memory for rma, sync and coll: resolves global pointers to fabric addresses.
 * Starts and stops the layer. The files of this layer use state.h. Only the thread that called
 * eyot_init may call it. */
#ifndef EYOT_GMEM_GMEM_H
#define EYOT_GMEM_GMEM_H

#include <eyot/mem.h>

#include "rt/rt.h"

struct eyoti_team; /* teams/teams.h */

/* The least EYOT_HEAP_MAX: pages of which the runtime itself does not need all. */
#define EYOTI_GMEM_LEAST 24576u

/* Segment ids of a global pointer. Collective allocations take FIRST up to REGISTERED-1; in
 * pointers to a dynamic segment, which is one of them, the offset is the owner's address. */
#define EYOTI_SEG_NULL 0u
#define EYOTI_SEG_DATA 1u /* the program's data, as long as the run */
#define EYOTI_SEG_FIRST 4u
/* eyot_register: and up, the slot in the owner's directory */
#define EYOTI_SEG_REGISTERED 0xbe00u
/* eyot_alloc: and up, the upper bits of the block's place */
#define EYOTI_SEG_PRIVATE 0xc000u

/* The lower EYOTI_OFFSET_BITS of a pointer's offset count bytes, and the rest are the upper bits of
 * its generation. Moving a pointer may borrow from them or carry into them, so bytes are a signed
 * number: these functions give it, and the generation, of any pointer with an offset within
 * +-2^47. */
#define EYOTI_OFFSET_BITS 48u
#define EYOTI_GEN_BITS 32u
static inline int64_t eyoti_gptr_bytes(eyot_gptr_t g) {
  return (int64_t)(g.offset << (64 - EYOTI_OFFSET_BITS)) >> (64 - EYOTI_OFFSET_BITS);
}
static inline uint32_t eyoti_gptr_gen(eyot_gptr_t g) {
  uint64_t high = (g.offset - (uint64_t)eyoti_gptr_bytes(g)) >> EYOTI_OFFSET_BITS;
  return (uint32_t)(high << 16) | g.gen;
}
/* The upper bits of a generation, as an offset of 0 bytes has them. */
static inline uint64_t eyoti_gen_high(uint64_t gen) {
  return (gen >> 16 & UINT16_MAX) << EYOTI_OFFSET_BITS;
}
/* Whether it is to a collective allocation, or to the program's data: all members have a part. */
static inline bool eyoti_gptr_is_everywhere(eyot_gptr_t g) {
  return g.seg == EYOTI_SEG_DATA || (g.seg >= EYOTI_SEG_FIRST && g.seg < EYOTI_SEG_REGISTERED);
}
static inline bool eyoti_gptr_is_private(eyot_gptr_t g) {
  return g.seg >= EYOTI_SEG_PRIVATE;
}

#define EYOTI_PRIVATE_BITS 34u /* of bytes: blocks are in the last 16 GiB of the heap */
#define EYOTI_PLACE_LOW_BITS (EYOTI_OFFSET_BITS - EYOTI_PRIVATE_BITS)
/* The byte of the block that a pointer means: one before the block's start has borrowed from the
 * block's place, and so names another block or none. */
static inline int64_t eyoti_gptr_private_bytes(eyot_gptr_t g) {
  return (int64_t)(g.offset << (64 - EYOTI_PRIVATE_BITS)) >> (64 - EYOTI_PRIVATE_BITS);
}
/* The distance of the start of a private block from the heap's end, in units of EYOTI_GMEM_ALIGN:
 * it names the block at its owner. */
static inline uint64_t eyoti_gptr_place(eyot_gptr_t g) {
  return (uint64_t)(g.seg - EYOTI_SEG_PRIVATE) << EYOTI_PLACE_LOW_BITS |
         (g.offset >> EYOTI_PRIVATE_BITS & ((UINT64_C(1) << EYOTI_PLACE_LOW_BITS) - 1));
}
/* The byte of its allocation that any pointer means; in a dynamic segment, the owner's address. */
static inline int64_t eyoti_gptr_byte(eyot_gptr_t g) {
  return eyoti_gptr_is_private(g) ? eyoti_gptr_private_bytes(g) : eyoti_gptr_bytes(g);
}

/* Creates the heap segment; collective. Fills rt->mapped. */
int eyoti_gmem_start(struct eyot_rt *rt);
/* Frees this unit's parts of all collective allocations that the program itself has made, not those
 * of its locks and teams, before eyoti_gmem_stop warns of them. */
void eyoti_gmem_free_left(struct eyot_rt *rt);
/* eyot_team_alloc for a layer whose member may have failed before: `error`, or that of another
 * member, is then the result on all. */
int eyoti_gmem_alloc_or(eyot_team_t team, uint64_t bytes, int error, eyot_gptr_t *gptr);
/* Releases the caller's part of a live collective allocation that no member uses any more, at the
 * end of the run. Local. */
void eyoti_gmem_release_own(struct eyot_rt *rt, eyot_gptr_t g);
/* Of memory of eyot_alloc, or null: eyoti_gmem_stop does not warn of it. */
void eyoti_gmem_private_leave(struct eyot_rt *rt, eyot_gptr_t g);
void eyoti_gmem_stop(struct eyot_rt *rt); /* warns of leaks */

/* Sets *out to the fabric address of [g, g+len). Checks null, freed, foreign, unit, range; may
 * fetch descriptors from the target for registered and dynamic memory and for collective
 * allocations without a common offset. Errors: ESEG, EUNIT, ERANGE, EPEERDOWN (logged). */
int eyoti_gmem_resolve(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out);
/* For messages of errors. Of another unit's memory they read what its owner has left there; they
 * wait half a second for it at most, and say less then.
 * Says of a pointer to memory that does not exist who has released it (eyoti_made_gone); else
 * `unknown`. */
const char *eyoti_gmem_gone(struct eyot_rt *rt, eyot_gptr_t g, const char *unknown,
                            char text[EYOTI_GONE]);
/* Writes "the memory (24 bytes, eyot_alloc at a.c:12 (main)) of unit 3" for the allocation that a
 * pointer means; without the unit for its own, and for collective allocations. */
const char *eyoti_gmem_words(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_WORDS]);
/* "offset 12 of the memory (24 bytes, eyot_alloc at a.c:12 (main)) of unit 3" */
#define EYOTI_BYTE_WORDS (EYOTI_WORDS + EYOTI_WORDS)
const char *eyoti_gmem_byte_words(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_BYTE_WORDS]);
/* What this unit can know of another unit's block, for reports of waiting. */
void eyoti_gmem_far(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_far *far);
/* eyoti_gmem_words, or eyoti_gmem_gone. */
const char *eyoti_gmem_about(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_GONE]);
/* The same for a pointer of the wrong kind, which may be null. */
const char *eyoti_gmem_unlike(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_GONE]);
/* The team of the collective allocation that `g` points into. Local. Errors: ESEG (logged). */
int eyoti_gmem_team(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_team **team);
/* Whether the collective allocation that `g` points into is at one offset of the heap's segment on
 * all members, as nearly all are. */
bool eyoti_gmem_is_aligned(struct eyot_rt *rt, eyot_gptr_t g);
/* The local address of a resolved address, or NULL if it is not mapped here. */
void *eyoti_gmem_mapped(struct eyot_rt *rt, struct fab_addr a);
/* The bytes to which the heap may grow, what the runtime itself uses included: as EYOT_HEAP_MAX. */
uint64_t eyoti_gmem_heap_most(const struct eyot_rt *rt);
/* own.c: memory of the caller's heap for the runtime itself, aligned to 64 bytes, that others reach
 * by its offset in the heap's segment; zeroed unless raw. Errors: ENOMEM (not logged: the caller
 * says what for). */
int eyoti_gmem_own_take(struct eyot_rt *rt, uint64_t bytes, bool raw, uint64_t *off);
void eyoti_gmem_own_give(struct eyot_rt *rt, uint64_t off); /* of raw memory */
/* The address of byte `off` of the heap of `unit`. */
struct fab_addr eyoti_gmem_heap_at(const struct eyot_rt *rt, fab_unit_t unit, uint64_t off);
/* True if [p, p+len) is in the caller's heap; *off is then the offset of p. */
bool eyoti_gmem_heap_has(const struct eyot_rt *rt, const void *p, uint64_t len, uint64_t *off);
/* The address, at `unit`, of the word that the runtime reserves for locks of array accumulates. */
struct fab_addr eyoti_gmem_lock_word(struct eyot_rt *rt, fab_unit_t unit);
/* The address of byte `off` of the EYOTI_GMEM_SYNC_BYTES that are reserved for the sync layer at
 * the same offset of every unit, zero at start. */
#define EYOTI_GMEM_SYNC_BYTES 4096u
struct fab_addr eyoti_gmem_sync_at(struct eyot_rt *rt, fab_unit_t unit, uint64_t off);
#endif
