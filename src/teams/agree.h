/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h - lets the members of a team agree on an id and an offset that are free on all of them.
 * For teams, gmem and sync, when they create something collectively.
 *
 * Why it exists: ids and offsets are equal on all members, so that nothing is stored per peer.
 * Members are usually in the same state; then one exchange is enough. Source: Gerstenberger, Besta,
 * Hoefler: Enabling highly-scalable remote memory access programming with MPI-3 one sided, SC 2013,
 * section 2.2 (propose, reduce, repeat). */
#ifndef EYOT_TEAMS_AGREE_H
#define EYOT_TEAMS_AGREE_H

#include "base/extents.h"
#include "base/idtab.h"
#include "fabric/ctl.h"

#define EYOTI_AGREE_OFFSET_MAX ((uint64_t)1 << 48) /* spaces end at or below this */
#define EYOTI_AGREE_ALIGN_MIN 16u                  /* of ranges */
/* Members' memory begins at a page: addresses that are aligned to more have no common offset. */
#define EYOTI_AGREE_ALIGN_COMMON 4096u
#define EYOTI_AGREE_INDEX_BITS 16u /* indices of tables are below 2^16 */

struct eyoti_agree {
  uint64_t arguments;    /* hash of the arguments that must be equal on all members */
  const char *size_name; /* NULL, or the meaning of `size`, for the message when sizes differ */
  uint64_t size;
  /* 0, or the error code of an earlier failure on this member; then all members get an error */
  int error;
  bool takes_part;         /* false: only compares arguments and receives the result */
  struct eyoti_idtab *ids; /* NULL: no id is needed */
  struct eyoti_extents *space;
  /* NULL, or called for each range before it is proposed: 0, or an error, which all members then
   * get. */
  int (*secure)(void *context, uint64_t off, uint64_t len);
  void *context;
  uint64_t len, align; /* of the range in `space` */
  /* At EYOT_THREAD_MULTIPLE, on all members: the agreements that other threads of this unit have
   * under way. Then the caller ends this one with eyoti_agree_end. Else NULL. */
  struct eyoti_agree **under_way;
  struct eyoti_agree *next; /* agree.c's own, as is index */
  uint32_t index;           /* that was agreed on; 0: none */
};

struct eyoti_agreed {
  uint32_t index; /* 0: no member took part */
  uint64_t gen;
  bool same_offset; /* false: every member has enough space, but not at one offset */
  uint64_t off;
};

/* After the caller has entered what was agreed on, or has given it up. Local. */
void eyoti_agree_end(struct eyoti_agree *want);

/* On success the id table and the space have reserved what was agreed. Collective over the team of
 * `ctl`. Errors, the same class on all members: EMISMATCH (different arguments), ENOMEM (a member
 * has no space at all), EBUSY (a member has no id left), a member's `error`, the fabric's. */
int eyoti_agree(struct fab *f, struct eyoti_ctl *ctl, struct eyoti_agree *want,
                struct eyoti_agreed *out);

/* Ends a collective: returns when all have called it. Returns an error code of any member (the
 * largest magnitude) on all, or 0. */
int eyoti_agree_done(struct fab *f, struct eyoti_ctl *ctl, int error);
/* The same for the end of the team itself, by an exchange that no other function has: members that
 * call another one go on in the team. Errors: also EMISMATCH. */
int eyoti_agree_end_team(struct fab *f, struct eyoti_ctl *ctl, int error);
#endif
