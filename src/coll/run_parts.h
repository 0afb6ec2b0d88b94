/* SPDX-License-Identifier: BSD-3-Clause */
/* run_parts.h - what the files that execute a plan share: the words of an operation. For run.c,
 * run_look.c and quick.c. */
#ifndef EYOT_COLL_RUN_PARTS_H
#define EYOT_COLL_RUN_PARTS_H

#include "coll/run.h"

static inline struct fab *eyoti_run_fab(const struct eyoti_coll_op *r) {
  return r->ch->rt->fab;
}
/* Whether the fabric may hold back what was sent until the unit enters it. Messages leave when they
 * are sent, but a receiver that shares the processor may need it now. */
static inline bool eyoti_run_is_held(const struct fab *f) {
  return (f->caps & FAB_CAP_VIRTUAL_TIME) == 0 && f->local.n < f->n &&
         (f->ops->message == NULL || f->oversubscribed);
}
/* What a message's word is set to: a head, or a chunk of that number. */
static inline uint64_t eyoti_run_head(uint32_t number, uint32_t hash) {
  return (uint64_t)number << 32 | hash;
}
/* A word of the caller's board. */
static inline uint64_t *eyoti_run_word(const struct eyoti_coll_op *r, uint32_t class,
                                       uint64_t off) {
  return (uint64_t *)(void *)(eyoti_channel_board(r->ch, class)->base + off);
}
/* That a word of the channel's caller has this value at least. */
static inline struct fab_cond eyoti_run_cond(struct eyoti_channel *ch, uint32_t class, uint64_t off,
                                             uint64_t value) {
  const struct fab_addr *own = &eyoti_channel_board(ch, class)->own;
  return (struct fab_cond){
      .seg = own->seg, .cmp = FAB_GE, .off = own->off + off, .value = value, .type = FAB_U64};
}
/* Whether its opening is not over. */
static inline bool eyoti_run_opens(const struct eyoti_coll_op *r) {
  return r->level < r->ch->levels;
}
/* The member to which a member sends in a level of an opening. */
static inline uint32_t eyoti_run_level_to(const struct eyoti_team *t, uint32_t level) {
  return (uint32_t)(((uint64_t)t->me + ((uint64_t)1 << level)) % t->size);
}

/* run.c: makes the state of the channel's present operation, which has begun. */
void eyoti_run_set(struct eyoti_coll_op *r, struct eyoti_channel *ch, const struct eyoti_plan *p,
                   const struct eyoti_coll_args *args, uint32_t hash);

/* run_look.c, for a wait that takes long: EMISMATCH: another member is in another call. Errors:
 * also the fabric's. */
int eyoti_run_look_around(struct eyoti_coll_op *r);
#endif
