/* SPDX-License-Identifier: BSD-3-Clause */
/* label.h - what the owner of a block (eyot_alloc) or of registered memory leaves in its heap for
 * the messages of other units: a label in front of each block, and the last releases, in a ring
 * after the heap. For private.c, registered.c, name.c and gone.c.
 *
 * Readers believe no byte of it: a program's mistake may have overwritten it. */
#ifndef EYOT_GMEM_LABEL_H
#define EYOT_GMEM_LABEL_H

#include "gmem/state.h"
#include "rt/place.h"

enum eyoti_glabel_kind {
  EYOTI_GLABEL_BLOCK = 0,
  EYOTI_GLABEL_LOCK,    /* eyot_lock_alloc */
  EYOTI_GLABEL_COUNTER, /* eyot_counter_alloc */
  EYOTI_GLABEL_REGISTERED,
  EYOTI_GLABEL_KINDS
};

#define EYOTI_GLABEL_MAGIC 0x65796f7470726976u /* "eyotpriv" */
#define EYOTI_GLABEL_NAME EYOTI_FAR_NAME       /* longer names are cut */

/* The header of a block: whether a pointer to it is valid, and what it is. */
struct eyoti_glabel {
  uint64_t magic;
  uint32_t gen, kind;
  uint64_t len;
  uint64_t made; /* by that call (eyoti_place_word) */
  char name[EYOTI_GLABEL_NAME];
};
_Static_assert(sizeof(struct eyoti_glabel) == EYOTI_GMEM_ALIGN,
               "the header fills the unit in front of the block");

#define EYOTI_GRELEASES 16u
struct eyoti_grelease {
  uint64_t id; /* the place of the block, or the slot */
  uint64_t gone;
  struct eyoti_glabel was; /* magic 0: none */
};
_Static_assert(EYOTI_GRELEASES * sizeof(struct eyoti_grelease) <= EYOTI_GMEM_TAIL_BYTES,
               "the ring fits the tail");

/* The label of what the public function that runs makes. */
static inline struct eyoti_glabel eyoti_glabel_new(const struct eyot_rt *rt, uint32_t gen,
                                                   uint64_t len) {
  const char *what = eyoti_rt_what(rt);
  char c = what != NULL ? what[sizeof "eyot_" - 1] : 'a';
  return (struct eyoti_glabel){.magic = EYOTI_GLABEL_MAGIC,
                               .gen = gen,
                               .kind = c == 'l'   ? EYOTI_GLABEL_LOCK
                                       : c == 'c' ? EYOTI_GLABEL_COUNTER
                                                  : EYOTI_GLABEL_BLOCK,
                               .len = len,
                               .made = eyoti_place_word(rt, eyoti_rt_site(rt))};
}
void eyoti_glabel_name(struct eyoti_glabel *l, const char *name);
/* Notes that the public function that runs releases what had that label. */
void eyoti_glabel_release(struct eyot_rt *rt, uint64_t id, const struct eyoti_glabel *was);

/* Reads bytes of the heap's segment at any unit, for a message: false if that is not possible, or
 * takes so long that the unit may not serve it. Not for protocols. */
bool eyoti_gmem_look(struct eyot_rt *rt, uint32_t unit, uint64_t off, void *dst, uint64_t len);
void eyoti_gmem_look_stop(struct eyot_rt *rt);

/* Copies its name if that can be printed, else "". */
void eyoti_glabel_copy_name(const struct eyoti_glabel *l, char name[EYOTI_GLABEL_NAME]);
/* Writes "the memory (24 bytes, eyot_alloc at a.c:12 (main))" for a label of that unit. */
const char *eyoti_glabel_words(const struct eyot_rt *rt, uint32_t unit,
                               const struct eyoti_glabel *l, char text[EYOTI_WORDS]);
/* As eyoti_made_gone, for what was another unit's. */
const char *eyoti_glabel_gone(struct eyot_rt *rt, uint32_t unit, bool registered, uint64_t id,
                              uint32_t gen, const char *unknown, char text[EYOTI_GONE]);

/* private.c: allocates a block of the caller's; `align` is of the address of its label; how: enum
 * eyoti_gmem_how. Errors (logged): as eyot_alloc. Releases one of the caller's that has that label;
 * counted: it was not made with EYOTI_GMEM_UNCOUNTED.
 * The pointer to the block with that label at an offset of a unit's heap. */
int eyoti_gmem_private_new(struct eyot_rt *rt, uint64_t bytes, uint64_t align, uint32_t how,
                           eyot_gptr_t *gptr);
int eyoti_gmem_private_drop(struct eyot_rt *rt, eyot_gptr_t gptr, uint64_t block,
                            const struct eyoti_glabel *label, bool counted);
eyot_gptr_t eyoti_gmem_private_at(const struct eyot_rt *rt, fab_unit_t unit, uint64_t block,
                                  const struct eyoti_glabel *h);
/* private.c: the label of the block that a pointer of any unit means; false: there is none, or it
 * cannot be read. */
bool eyoti_gmem_private_label(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_glabel *l);
/* registered.c: the same for registered memory, which has no name there. */
bool eyoti_gmem_registered_label(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_glabel *l);
#endif
