/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h - the operations of a lock kind, each of which has its own file, and a unit's record of
 * one lock. For the files of src/sync/locks; kinds.h lists the kinds.
 *
 * lock.c finds the record, does the checks that all kinds share (mode, double acquire, release by a
 * unit that does not hold) and calls the kind. A kind defines how many bytes it needs at each
 * member and how to acquire and release; lock.c never calls it for a mode or target that it does
 * not have. A unit's records are used by the thread that called eyot_init. */
#ifndef EYOT_SYNC_LOCKS_LOCK_H
#define EYOT_SYNC_LOCKS_LOCK_H

#include <eyot/lock.h>

#include "sync/locks/queue.h"

struct eyoti_lock;

/* A request: a mode, on one member (EPOCH) or on the whole, and a deadline. */
#define EYOTI_LOCK_WHOLE UINT32_MAX
struct eyoti_lock_want {
  eyot_lock_mode_t mode;
  uint32_t target;   /* team-relative member, or EYOTI_LOCK_WHOLE */
  bool once;         /* try: do not wait for other units; ETIMEOUT means no */
  uint64_t deadline; /* or EYOTI_DEADLINE_NEVER; ETIMEOUT when it has passed */
};

/* The quick path of a kind (lock.c), for locks that are mapped and free. */
enum eyoti_lock_quick {
  EYOTI_LOCK_QUICK_NONE = 0, /* none: the kind's own functions always run */
  EYOTI_LOCK_QUICK_QUEUE,    /* the word at home is the tail of a queue (queue.h) */
  EYOTI_LOCK_QUICK_TICKET    /* it counts tickets (ticket.h) */
};

struct eyoti_lock_ops {
  const char *name;            /* what eyot_lock_kind_name returns */
  uint32_t modes;              /* bit EYOT_LOCK_EXCLUSIVE, bit EYOT_LOCK_SHARED: of the whole */
  bool targets;                /* has acquire_at and the like */
  bool by_one_unit;            /* eyot_lock_alloc: needs bytes at one unit only */
  enum eyoti_lock_quick quick; /* of locks of a team */
  /* Checks the attributes that the kind uses; NULL: it uses none but home. Errors: EINVAL
   * (logged). */
  int (*check_attr)(struct eyot_rt *rt, const eyot_lock_attr_t *attr);
  /* Bytes at each member, zeroed at creation. */
  uint64_t (*bytes)(const struct eyoti_lock *l);
  /* by_one_unit: true if the word shows that a unit holds the lock or waits for it. NULL: if the
   * word is not 0. */
  bool (*busy)(uint64_t word);
  /* Make and free the kind's part of the record, l->own. open may be NULL. Local, without
   * operations on other units' memory. */
  int (*open)(struct eyot_rt *rt, struct eyoti_lock *l);
  void (*close)(struct eyoti_lock *l);
  /* EYOT_OK: acquired; ETIMEOUT: not acquired (not logged). The caller has checked that the whole
   * is not acquired twice, nor the whole and a member at once. A kind with targets itself refuses
   * (ESTATE, logged) to acquire a member twice and to release one that is not held. */
  int (*acquire)(struct eyot_rt *rt, struct eyoti_lock *l, const struct eyoti_lock_want *want);
  /* The caller's operations are complete already (epoch: those to the target). target: as in struct
   * eyoti_lock_want. */
  int (*release)(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target);
};

/* A unit's record of one lock. */
struct eyoti_lock {
  eyot_lock_t name;
  struct eyoti_lock *chain; /* of its bucket in the lock table */
  const struct eyoti_lock_ops *ops;
  eyot_lock_attr_t attr;
  struct eyoti_team *team;         /* TEAM_ALL for locks of eyot_lock_alloc */
  uint32_t home;                   /* team-relative member at which the central word lies */
  enum eyoti_lock_quick quick_way; /* of the kind */
  struct fab_addr word;            /* byte 0 of the lock's bytes at home */
  uint64_t *mapped;                /* the word's local address if it is mapped, or NULL */
  uint64_t *quick; /* equals mapped if the lock may take the quick path (lock.c), or NULL */
  bool by_one_unit;
  bool opened;  /* ops->open has succeeded */
  bool held;    /* as a whole; lock.c sets it and the next three */
  bool awaited; /* a thread of the unit is acquiring it: no other may, and the record stays */
  /* EPOCH: the number of members that are held one by one; the kind records which, and their
   * modes */
  uint32_t held_at;
  /* a release, or with ticket a wait, failed half-way: the lock stays held, or blocked */
  bool broken;
  eyot_lock_mode_t mode;
  /* of the present hold, for kinds that queue; for ticket see ticket.h */
  eyoti_qref_t node;
  void *own;                        /* the kind's part */
  struct eyoti_far far;             /* of another unit's lock, for reports */
  struct eyoti_lock *newer, *older; /* by_one_unit: in the order of use */
};

/* attr.c: checks that several kinds use in check_attr. Errors: EINVAL (logged). */
int eyoti_lock_check_passes(struct eyot_rt *rt, const eyot_lock_attr_t *a);
int eyoti_lock_check_backoff(struct eyot_rt *rt, const eyot_lock_attr_t *a);
/* `value` of the attribute `name` must be 1..EYOT_LOCK_PASSES_MAX. */
int eyoti_lock_check_bound(struct eyot_rt *rt, const char *name, uint32_t value);

/* locks.c: the address of byte `off` of the lock's bytes at a member. Errors: those of resolve. */
int eyoti_lock_at(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t member, uint64_t off,
                  struct fab_addr *out);
#endif
