/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h - memory of the heap for the runtime itself, at one offset on all members of a team, on
 * which they agree in steps. For coll, whose calls that do not block make memory.
 *
 * Why it exists: eyot_team_alloc waits in its exchanges. Here the caller carries a word to all
 * members and back, by what it has, and may do anything else meanwhile. The memory has no pointer,
 * and is freed by its offset. */
#ifndef EYOT_GMEM_COMMON_H
#define EYOT_GMEM_COMMON_H

#include "gmem/gmem.h"

struct eyoti_common {
  uint64_t off; /* of the memory, once it is agreed on */
  /* common.c's own */
  uint64_t len, hint, salt;
  uint32_t round;
  bool asks; /* whether all could take what was proposed */
  bool own;  /* the error is this member's, which has been logged */
};

/* Begins: the caller combines *word with those of all members, by the maximum, and calls `next`
 * with the result. `salt`: equal on all members, and another one than in agreements that may be
 * under way at the same time. `error`: 0, or an earlier (logged) error of this member, which all
 * then get. Local. */
void eyoti_common_begin(struct eyot_rt *rt, struct eyoti_common *c, uint64_t bytes, uint64_t salt,
                        int error, uint64_t *word);
/* ETIMEOUT (not logged): *word is to be combined again. Else it is over, alike on all members; on
 * success the memory is the caller's, zeroed, and that of all others. Local. Errors: ENOMEM, an
 * `error`. */
int eyoti_common_next(struct eyot_rt *rt, const struct eyoti_team *t, struct eyoti_common *c,
                      uint64_t *word);
/* Frees memory, to which nothing is on its way any more. Local. */
void eyoti_common_free(struct eyot_rt *rt, uint64_t off);
#endif
