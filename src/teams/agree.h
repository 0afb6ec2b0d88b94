/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h - agreement of the members of a team on an id and on an offset that are free on all of
 * them.
 *
 * Why it exists: ids and offsets must be the same on all members so that nothing is stored per peer
 * (seed 002 section 2.2: propose, reduce, repeat). When all members are in the same state, which is
 * the rule, one exchange settles it. */
#ifndef EYOT_TEAMS_AGREE_H
#define EYOT_TEAMS_AGREE_H

#include "base/extents.h"
#include "base/idtab.h"
#include "fabric/ctl.h"

#define EYOTI_AGREE_OFFSET_MAX ((uint64_t)1 << 48) /* spaces end at or below this */

struct eyoti_agree {
  uint64_t arguments;    /* hash of what all members must have passed alike */
  const char *size_name; /* NULL, or what `size` is, for the message when they have not */
  uint64_t size;
  /* what has gone wrong here already: 0 or an error code; then everybody gets an error */
  int error;
  bool takes_part;         /* false: only compares arguments and listens */
  struct eyoti_idtab *ids; /* NULL: no id is wanted */
  struct eyoti_extents *space;
  /* NULL, or asked of each place before it is proposed: 0, or an error, which all get then. */
  int (*secure)(void *context, uint64_t off, uint64_t len);
  void *context;
  uint64_t len, align; /* of the place in `space` */
};

struct eyoti_agreed {
  uint32_t index; /* 0: nobody took part */
  uint16_t gen;
  bool same_offset; /* false: every member has room, but not at one offset */
  uint64_t off;
};

/* On success the id table and the space have room reserved for what was agreed. Collective over the
 * team of `ctl`. Errors, the same class on all members: EMISMATCH (different arguments), ENOMEM
 * (somebody has no room at all), EBUSY (somebody has no id left), a member's `error`, the
 * fabric's. */
int eyoti_agree(struct fab *f, struct eyoti_ctl *ctl, const struct eyoti_agree *want,
                struct eyoti_agreed *out);

/* Ends a collective: returns when all have called it; an error code of any member (the largest
 * magnitude) on all, or 0. */
int eyoti_agree_done(struct fab *f, struct eyoti_ctl *ctl, int error);
#endif
