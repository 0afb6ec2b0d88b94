/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h - the parts of split buffers that a unit owns, by their addresses: a part has no head in
 * front of it. For owned.c. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_GMEM_PARTS_H
#define EYOT_GMEM_PARTS_H

#include "gmem/owned.h"

#define EYOTI_PARTS_FEW 16u
#define EYOTI_PARTS_GONE 64u

/* What the unit has owned and left: for messages of errors; the newest of its place stays. */
struct eyoti_part_gone {
  const void *p, *changed;
  enum eyoti_owned_state state;
};

struct eyoti_parts {
  struct eyoti_owned **bin; /* n_bins, a power of two, or NULL: few */
  struct eyoti_owned *few[EYOTI_PARTS_FEW];
  uint32_t n_bins, n;
  struct eyoti_part_gone gone[EYOTI_PARTS_GONE];
};

/* Local; they cannot fail: without memory for more bins lists only get longer. */
void eyoti_parts_add(struct eyoti_parts *parts, struct eyoti_owned *o);
/* The part is left as its state says. */
void eyoti_parts_remove(struct eyoti_parts *parts, struct eyoti_owned *o);
/* NULL: the unit owns no part that begins at p. */
struct eyoti_owned *eyoti_parts_find(const struct eyoti_parts *parts, const void *p);
const struct eyoti_part_gone *eyoti_parts_gone(const struct eyoti_parts *parts, const void *p);
void eyoti_parts_free(struct eyoti_parts *parts);
#endif
