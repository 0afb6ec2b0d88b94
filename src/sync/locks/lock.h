/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h - the properties and operations of a kind of locks, which has a file of its own, and one
 * lock as the calling unit sees it. kinds.h lists the kinds.
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

/* How a lock that is mapped here and free is acquired and released in a few instructions. */
enum eyoti_lock_quick {
  EYOTI_LOCK_QUICK_NONE = 0, /* it is not: the kind's own functions always run */
  EYOTI_LOCK_QUICK_QUEUE,    /* the word at home is the tail of a queue (queue.h) */
  EYOTI_LOCK_QUICK_TICKET    /* it counts tickets (ticket.h) */
};

struct eyoti_lock_ops {
  const char *name;            /* as eyot_lock_kind_name returns it */
  uint32_t modes;              /* bit EYOT_LOCK_EXCLUSIVE, bit EYOT_LOCK_SHARED: on the whole */
  bool targets;                /* acquire_at and the like */
  bool by_one_unit;            /* eyot_lock_alloc: needs bytes at one unit only */
  enum eyoti_lock_quick quick; /* of locks of a team */
  /* Checks the attributes that the kind uses; NULL: it uses none but home. Errors: EINVAL
   * (logged). */
  int (*check_attr)(struct eyot_rt *rt, const eyot_lock_attr_t *attr);
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
  struct eyoti_team *team;         /* TEAM_ALL for locks of eyot_lock_alloc */
  uint32_t home;                   /* team-relative member at which the central word lies */
  enum eyoti_lock_quick quick_way; /* of the kind */
  struct fab_addr word;            /* byte 0 of the lock's bytes at home */
  uint64_t *mapped;                /* the same, where it is mapped here, or NULL */
  uint64_t *quick; /* mapped, of a lock that may go the short way (lock.c), or NULL */
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

/* attr.c: what several kinds need for check_attr. Errors: EINVAL (logged). */
int eyoti_lock_check_passes(struct eyot_rt *rt, const eyot_lock_attr_t *a);
int eyoti_lock_check_backoff(struct eyot_rt *rt, const eyot_lock_attr_t *a);
/* `value` of the attribute `name` is 1..EYOT_LOCK_PASSES_MAX. */
int eyoti_lock_check_bound(struct eyot_rt *rt, const char *name, uint32_t value);

/* locks.c: the place of byte `off` of the lock's bytes at a member. Errors: those of resolve. */
int eyoti_lock_at(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t member, uint64_t off,
                  struct fab_addr *out);
#endif
