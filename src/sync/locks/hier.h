/* SPDX-License-Identifier: BSD-3-Clause */
/* hier.h - the hierarchical queue: one queue for each domain of the machine's tree in which the
 * lock's team lives. For kind hier and the writers of kind rw; barrier/tree.c also finds domains by
 * it (eyoti_hier_domain).
 *
 * A unit's path leads from the queue of its innermost domain (level 0) to the root, the queue of
 * the whole team. The attribute `passes`, and which domains differ, determine the levels, so all
 * members of a domain agree on its queue. The protocol and its bounds are in hier.c.
 *
 * The tag is a number that each holder passes to the next with the lock; it is 0 for a unit that
 * found the queues empty. rw counts consecutive writers with it. */
#ifndef EYOT_SYNC_LOCKS_HIER_H
#define EYOT_SYNC_LOCKS_HIER_H

#include "sync/locks/lock.h"

/* Bytes at each member: a tail word for each level, used by the queues of the domains whose tail is
 * at that member. */
#define EYOTI_HIER_BYTES (EYOT_DOMAIN_COUNT * sizeof(uint64_t))

/* One level of the caller's path. */
struct eyoti_hier_level {
  eyot_domain_t domain;
  uint32_t first, end; /* the domain's members are first .. end-1 of the team */
  uint32_t bound;      /* consecutive holders; of the root: no bound */
  struct eyoti_queue queue;
};

/* The caller's hold at one level: the node that stands there, and the level's state. */
struct eyoti_hier_stand {
  eyoti_qref_t ref;
  /* name of the node that stands for the domain at the next level; the root: 0 */
  eyoti_qref_t parent;
  uint32_t count; /* holders in this turn of the domain, the present one included */
};

struct eyoti_hier {
  uint32_t levels;   /* at least 1; the last is the root */
  uint32_t tag_bits; /* of the 18 that count and tag share in a grant */
  struct eyoti_hier_level level[EYOT_DOMAIN_COUNT];
  uint32_t tag; /* of the present hold */
  uint32_t led; /* of the present hold: the caller's own nodes stand at levels 0 .. led */
  struct eyoti_hier_stand own[EYOT_DOMAIN_COUNT];
};

/* The levels at which the lock can be passed on. */
struct eyoti_hier_way {
  uint32_t known; /* the state of levels 0 .. known-1 was read */
  uint32_t leave; /* the innermost level at which it can be passed on whole, or the root */
  bool sure;      /* a successor that cannot time out is queued there; it gets the lock */
  struct {
    struct eyoti_hier_stand at;
    eyoti_qref_t follower;
  } step[EYOT_DOMAIN_COUNT];
};

/* Finds the levels of the caller's path. tag_bits: tags are below 2^tag_bits; at most 12. Counts
 * are then below 2^(18-tag_bits) - 1, and larger passes are cut to that. Local. Errors: those of
 * resolve. */
int eyoti_hier_open(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t tag_bits,
                    struct eyoti_hier *h);

/* Acquires exclusively, and sets the hold (tag, led, own). ETIMEOUT (not logged): not acquired, and
 * none of the caller's nodes remains in a queue. */
int eyoti_hier_acquire(struct eyot_rt *rt, struct eyoti_hier *h,
                       const struct eyoti_lock_want *want);
/* Finds the level at which the caller's hold can be passed on. Costs a get for each level that
 * another unit leads. */
int eyoti_hier_look(struct eyot_rt *rt, const struct eyoti_hier *h, struct eyoti_hier_way *way);
/* Releases the lock by `way`, with the tag for the next holder. */
int eyoti_hier_release(struct eyot_rt *rt, struct eyoti_hier *h, struct eyoti_hier_way *way,
                       uint32_t tag);

/* hier_levels.c: the members that share the domain of `level` with member `index`: *first ..
 * *end-1. `guess`: a likely number of them (0: unknown); a right one saves most of the search.
 * O(log size) calls of locate. */
int eyoti_hier_domain(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                      uint32_t index, uint32_t guess, uint32_t *first, uint32_t *end);
/* The member among first .. end-1 that has a word of the lock: a hash, so that locks and levels
 * spread over units. */
uint32_t eyoti_hier_place(const struct eyoti_lock *l, uint32_t first, uint32_t end, uint32_t salt);
#endif
