/* SPDX-License-Identifier: BSD-3-Clause */
/* hier.h - the hierarchical queue: a queue for each domain of the tree in which the lock's team
 * lives, as hier locks and rw's writers use it.
 *
 * A unit's way leads from the queue of its innermost domain (level 0) to the root, the queue of the
 * whole team. Which levels are on it follows from the attribute `passes` and from which domains
 * differ, so all members of a domain agree on its queue.
 *
 * The tag: a number that comes along with the lock from holder to holder (0 to one that found the
 * queues empty). rw counts writers in a row with it. */
#ifndef EYOT_SYNC_LOCKS_HIER_H
#define EYOT_SYNC_LOCKS_HIER_H

#include "sync/locks/lock.h"

/* Bytes at each member: a tail word for each level, used by the queues of those domains whose tail
 * lies there. */
#define EYOTI_HIER_BYTES (EYOT_DOMAIN_COUNT * sizeof(uint64_t))

/* One level of the own way. */
struct eyoti_hier_level {
  eyot_domain_t domain;
  uint32_t first, end; /* the domain's members are first .. end-1 of the team */
  uint32_t bound;      /* holders in a row; of the root: no bound */
  struct eyoti_queue queue;
};

/* A hold: which node stands at a level, and what is known there. */
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
  uint32_t led; /* of the present hold: at levels 0 .. led stand own nodes */
  struct eyoti_hier_stand own[EYOT_DOMAIN_COUNT];
};

/* Where the lock can go from here. */
struct eyoti_hier_way {
  uint32_t known; /* levels 0 .. known-1 have been looked at */
  uint32_t leave; /* the innermost level at which it can be passed on whole, or the root */
  bool sure;      /* somebody follows there who cannot give up: he will have it */
  struct {
    struct eyoti_hier_stand at;
    eyoti_qref_t follower;
  } step[EYOT_DOMAIN_COUNT];
};

/* Finds the levels. tag_bits: tags are below 2^tag_bits; at most 12. Counts are then below
 * 2^(18-tag_bits) - 1, and larger passes are cut to that. Local. Errors: those of resolve. */
int eyoti_hier_open(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t tag_bits,
                    struct eyoti_hier *h);

/* Exclusive. Sets the hold (tag, led, own). ETIMEOUT (not logged): not acquired, and nothing of the
 * caller's is left in its way. */
int eyoti_hier_acquire(struct eyot_rt *rt, struct eyoti_hier *h,
                       const struct eyoti_lock_want *want);
/* Looks for the way out. A get for each level above the innermost that is looked at and led by
 * another unit. */
int eyoti_hier_look(struct eyot_rt *rt, const struct eyoti_hier *h, struct eyoti_hier_way *way);
/* Releases along the way, with the tag for the next holder. */
int eyoti_hier_release(struct eyot_rt *rt, struct eyoti_hier *h, struct eyoti_hier_way *way,
                       uint32_t tag);

/* hier_levels.c: the members that share the domain of `level` with member `index`: *first ..
 * *end-1. `guess`: how many it may be (0: no idea); a right one saves most of the search. O(log
 * size) calls of locate. */
int eyoti_hier_domain(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                      uint32_t index, uint32_t guess, uint32_t *first, uint32_t *end);
/* The member among first .. end-1 at which something of the lock lies: a hash, so that locks and
 * levels spread over units. */
uint32_t eyoti_hier_place(const struct eyoti_lock *l, uint32_t first, uint32_t end, uint32_t salt);
#endif
