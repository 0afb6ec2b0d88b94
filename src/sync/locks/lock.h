/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h - what the kinds of locks have in common, and the interface behind which each lives in its
 * own file.
 *
 * lock.c finds the caller's view of a lock, checks what can be checked alike (mode, double acquire,
 * release by a non-holder) and calls the kind. A kind knows how many bytes it needs at each member
 * and how to acquire and release; it may assume that it is not asked for what it cannot do. */
#ifndef EYOT_SYNC_LOCKS_LOCK_H
#define EYOT_SYNC_LOCKS_LOCK_H

#include <eyot/lock.h>

#include "sync/locks/queue.h"

struct eyoti_lock;

/* What is asked for: a mode, on one member (EPOCH) or as a whole, and until when. */
#define EYOTI_LOCK_WHOLE UINT32_MAX
struct eyoti_lock_want {
  eyot_lock_mode_t mode;
  uint32_t target;   /* team-relative member, or EYOTI_LOCK_WHOLE */
  bool once;         /* try: do not wait for other units; ETIMEOUT means no */
  uint64_t deadline; /* EYOTI_DEADLINE_NEVER or when to give up (ETIMEOUT) */
};

struct eyoti_lock_ops {
  uint32_t modes;   /* bit EYOT_LOCK_EXCLUSIVE, bit EYOT_LOCK_SHARED: on the whole */
  bool targets;     /* acquire_at and the like */
  bool by_one_unit; /* eyot_lock_alloc: needs bytes at one unit only */
  /* Bytes at each member, zeroed at creation. */
  uint64_t (*bytes)(const struct eyoti_lock *l);
  /* by_one_unit: whether somebody has the lock or waits for it, by its word. NULL: if it is not
   * 0. */
  bool (*busy)(uint64_t word);
  /* Makes and frees the kind's own part of the view, l->own. open may be NULL. Local, no operation
   * on other units' memory. */
  int (*open)(struct eyot_rt *rt, struct eyoti_lock *l);
  void (*close)(struct eyoti_lock *l);
  /* 0: acquired; ETIMEOUT: not (not logged). That the whole is not acquired twice, nor beside a
   * member or a member beside the whole, has been checked; a kind with targets refuses itself
   * (ESTATE, logged) to acquire a member twice and to release one that is not held. */
  int (*acquire)(struct eyot_rt *rt, struct eyoti_lock *l, const struct eyoti_lock_want *want);
  /* The caller's operations are complete already (epoch: those to the target). target as in
   * want. */
  int (*release)(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target);
};

/* One lock as the calling unit sees it. */
struct eyoti_lock {
  eyot_lock_t name;
  struct eyoti_lock *chain; /* of its bucket in the table of views */
  const struct eyoti_lock_ops *ops;
  eyot_lock_attr_t attr;
  struct eyoti_team *team; /* TEAM_ALL for locks of eyot_lock_alloc */
  uint32_t home;           /* team-relative member at which the central word lies */
  struct fab_addr word;    /* byte 0 of the lock's bytes at home */
  uint64_t *mapped;        /* the same, where it is mapped here, or NULL */
  uint64_t *quick;         /* mapped, of a lock that may go the short way (lock.c), or NULL */
  bool by_one_unit;
  bool opened; /* ops->open has succeeded */
  bool held;   /* as a whole; kept by lock.c, as the next two */
  /* EPOCH: members that are held one by one. Which, and in what mode, the kind knows */
  uint32_t held_at;
  /* a release, or with ticket a wait, failed half-way: it stays held, or in the caller's way */
  bool broken;
  eyot_lock_mode_t mode;
  /* of the acquire that is held, for kinds that queue; what ticket.h says */
  eyoti_qref_t node;
  void *own;                        /* the kind's part */
  struct eyoti_lock *newer, *older; /* by_one_unit: in the order of use */
};

extern const struct eyoti_lock_ops eyoti_lock_mcs, eyoti_lock_hier, eyoti_lock_rw, eyoti_lock_epoch,
    eyoti_lock_tas, eyoti_lock_ticket;

/* The place of byte `off` of the lock's bytes at a member. Errors: those of resolve. */
int eyoti_lock_at(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t member, uint64_t off,
                  struct fab_addr *out);

/* Exponential back-off between tries, bounded by the lock's attributes, with a pause drawn anew
 * each time so that waiters do not go in step. */
struct eyoti_backoff {
  uint64_t next_ns, max_ns, random;
};
/* attr NULL: the bounds of EYOT_LOCK_ATTR_INIT. */
void eyoti_backoff_init(struct eyoti_backoff *b, const struct eyot_rt *rt,
                        const eyot_lock_attr_t *attr);
/* Pauses; ETIMEOUT (not logged) if the deadline passes. Other units get on meanwhile. */
int eyoti_backoff_pause(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t deadline);
/* The same for one who knows how many come before, and may not give up: pauses for so many (1 or
 * more) times as long. Whoever sees that the others get on sets next_ns back. */
int eyoti_backoff_turns(struct eyot_rt *rt, struct eyoti_backoff *b, uint32_t turns);
#endif
