/* SPDX-License-Identifier: BSD-3-Clause */
/* extents.h - the used parts of [begin, end) as sorted extents, for offsets that units must agree
 * on: the heap (gmem), control memory (teams). One thread of a unit uses it.
 *
 * Why it exists: agreement needs "the lowest free range from this offset on" and "is exactly this
 * range free", which a buddy allocator answers slowly, and tens of thousands of simulated units
 * must not have a bitmap each: no memory is allocated while no range is in use (docs/adr/0003).
 * Many extents are kept in parts (docs/adr/0091), so that a unit can have a million. */
#ifndef EYOT_BASE_EXTENTS_H
#define EYOT_BASE_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct eyoti_extent {
  uint64_t off, len;
};

struct eyoti_extents_part {
  struct eyoti_extent *used; /* ascending, disjoint, each of len > 0 */
  uint64_t gap;              /* the largest free range before any of them */
  uint32_t n;
};

struct eyoti_extents {
  uint64_t begin, end;
  uint64_t origin; /* the address of offset 0: addresses are aligned, not offsets */
  /* no range reaches across this offset, from which on addresses have another origin; 0: none */
  uint64_t cut, cut_origin;
  struct eyoti_extents_part first;  /* the only part, while parts is NULL */
  struct eyoti_extents_part *parts; /* all parts, in order */
  struct eyoti_extent *spare;       /* for the next part, or NULL */
  uint32_t n, n_parts;              /* extents, parts */
  uint32_t capacity;                /* of parts, or of the only part */
  /* What the unit has proposed in an agreement that is under way, and will take if the others have
   * proposed it too (teams/agree.h): what else takes memory meanwhile keeps away from it. */
  uint64_t promised, promised_len;
};

/* end must be below 2^63; the origin is 0, and there is no cut, unless the caller sets them before
 * the first range is taken. */
void eyoti_extents_init(struct eyoti_extents *e, uint64_t begin, uint64_t end);
void eyoti_extents_fini(struct eyoti_extents *e);

/* The lowest free range of `len` bytes at or above `hint`, or the highest one; `align`, of its
 * address, is a power of two. False: there is none. */
bool eyoti_extents_lowest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                          uint64_t hint, uint64_t *off);
bool eyoti_extents_highest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                           uint64_t *off);
/* True if the range is inside and free. */
bool eyoti_extents_is_free(const struct eyoti_extents *e, uint64_t off, uint64_t len);
/* True if it has a byte of what is promised. */
static inline bool eyoti_extents_is_promised(const struct eyoti_extents *e, uint64_t off,
                                             uint64_t len) {
  return e->promised_len > 0 && off < e->promised + e->promised_len && e->promised < off + len;
}

/* Reserves space for one more extent, so that the next take cannot fail. ENOMEM (logged). */
int eyoti_extents_reserve(struct eyoti_extents *e);
/* Marks a free range as used. Errors: ENOMEM (logged). */
int eyoti_extents_take(struct eyoti_extents *e, uint64_t off, uint64_t len);
/* Frees the extent that begins at `off`. False: none begins there. *len (may be NULL) is its
 * length. */
bool eyoti_extents_release(struct eyoti_extents *e, uint64_t off, uint64_t *len);

/* The bytes of the largest free range (0: none); *start (may be NULL) is the start of the lowest
 * such range. */
uint64_t eyoti_extents_largest_free(const struct eyoti_extents *e, uint64_t *start);
bool eyoti_extents_is_valid(const struct eyoti_extents *e);
#endif
