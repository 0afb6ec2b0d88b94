/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - what a unit has begun and continues inside its other calls: split-phase barriers
 * (barrier/split.c), non-blocking collectives (coll/lane.c) and messages (msg/wait.c). The only
 * place by which waits learn of them: an owner registers the words that it waits for, and what to
 * do when one has come. For sync, coll and msg; the thread that called eyot_init, or the one that
 * has the lock. */
#ifndef EYOT_SYNC_WATCH_H
#define EYOT_SYNC_WATCH_H

#include "sync/sync.h"

#define EYOTI_WATCH_CONDS 2u

struct eyoti_watch {
  const char *what; /* the public function, for diagnostics */
  /* Called inside any call of eyot when a word has come. Does not wait for a message, adds and
   * removes no watch, and sets the conditions anew. */
  void (*go_on)(struct eyot_rt *rt, struct eyoti_watch *w);
  /* What go_on has begun is not over, and no word will say when: each call tries go_on again, and
   * one that is about to wait calls `settle`, which ends it, and may wait for the fabric. */
  bool unfinished;
  void (*settle)(struct eyot_rt *rt, struct eyoti_watch *w);
  /* Words have changed: before they are read, `renew` sets them. */
  bool stale;
  void (*renew)(struct eyot_rt *rt, struct eyoti_watch *w);
  uint32_t n;                              /* conditions, one of which it waits for; 0: none */
  struct fab_cond cond[EYOTI_WATCH_CONDS]; /* FAB_GE, of own memory */
  const uint64_t *word[EYOTI_WATCH_CONDS]; /* the same words */
  uint32_t n_more;                         /* further ones, in memory of the owner's */
  const struct fab_cond *more;
  const uint64_t *const *more_word;
  bool held; /* its owner waits itself */
};

/* Reserves space for so many more watches. Local. Errors: ENOMEM. */
int eyoti_watch_reserve(struct eyot_rt *rt, uint32_t more);
/* Keeps space that was reserved, while the caller waits and other threads reserve and add; and
 * gives it back, used or not. Local. */
void eyoti_watch_hold(struct eyot_rt *rt, uint32_t more);
void eyoti_watch_release(struct eyot_rt *rt, uint32_t less);
/* From now until removed, calls of eyot continue it. Local; space is reserved. */
void eyoti_watch_add(struct eyot_rt *rt, struct eyoti_watch *w);
/* Between two calls to the fabric only. */
void eyoti_watch_remove(struct eyot_rt *rt, struct eyoti_watch *w);
/* The fabric's own endpoint, if w is the only watch, nothing but it stands before the fabric, and
 * all units are mapped here; else NULL. Its owner may then do by the processor what the fabric's
 * own endpoint allows, as there is nothing else that each call has to continue. w was added.
 * Local. */
const struct fab *eyoti_watch_alone(const struct eyot_rt *rt, const struct eyoti_watch *w);
/* Drops all watches, and frees the state. Local. */
void eyoti_watch_stop(struct eyot_rt *rt);
#endif
