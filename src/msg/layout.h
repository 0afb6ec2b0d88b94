/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - layouts of the elements in an owned buffer (eyot/own.h): what gives and takes with one
 * share. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_MSG_LAYOUT_H
#define EYOT_MSG_LAYOUT_H

#include "gmem/owned.h"

/* What the envelope of a give with a layout names: the bytes of an owned buffer, in the heap. */
struct eyoti_laid {
  struct eyoti_owned *owned;
  eyot_own_layout_t layout; /* `at` is what follows, or NULL */
  uint64_t at[];
};

/* Whether its blocks are in [0, *extent). Errors: EINVAL, ERANGE (logged). */
int eyoti_layout_check(struct eyot_rt *rt, const eyot_own_layout_t *l, uint64_t *extent);
/* Whether no two blocks of a checked layout overlap; takes the time of a sort if they are in no
 * order. Errors: EINVAL, ENOMEM (logged). */
int eyoti_layout_check_apart(struct eyot_rt *rt, const eyot_own_layout_t *l);
static inline uint64_t eyoti_layout_bytes(const eyot_own_layout_t *l) {
  return l->n * l->block;
}
/* Whether its elements are in a row from the buffer's begin. */
static inline bool eyoti_layout_is_row(const eyot_own_layout_t *l) {
  return l->at == NULL && (l->n == 1 || l->stride == l->block);
}
/* Whether both place the same elements alike. */
bool eyoti_layouts_agree(const eyot_own_layout_t *a, const eyot_own_layout_t *b);
/* Copy the first `bytes` bytes of the elements, out of the layout or into it. */
void eyoti_layout_pack(struct eyot_rt *rt, void *to, const void *from, const eyot_own_layout_t *l,
                       uint64_t bytes);
void eyoti_layout_unpack(struct eyot_rt *rt, void *to, const void *from, const eyot_own_layout_t *l,
                         uint64_t bytes);
/* What an envelope can name. Errors: ENOMEM. */
int eyoti_layout_record(struct eyot_rt *rt, struct eyoti_owned *owned, const eyot_own_layout_t *l,
                        struct eyoti_owned **out);
#endif
