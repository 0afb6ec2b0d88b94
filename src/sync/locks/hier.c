/* SPDX-License-Identifier: BSD-3-Clause */
/* hier.c - implements the hierarchical queue of hier.h, and lock kind hier, which consists of one.
 * The kind is in the table of kinds.h; rw.c uses the queue for its writers.
 *
 * Invariant: at most one unit holds the lock, the one for which the node at the head of the root's
 * queue stands. Source: Schmid, Besta, Hoefler: High-Performance Distributed RMA Locks, HPDC 2016,
 * section 3.2 (RMA-MCS). */

/* The protocol, and why it is right.
 *
 * Acquire. A unit queues in its innermost domain. The first in that queue queues, with another
 * node, in the next domain on behalf of all of them, and so on; a unit that is first at every level
 * up to the root has the lock. A unit that is not first waits for a grant. A grant is either
 *   whole       the lock, with the name of the node that stands for the domain at the next level
 *               and the number of holders in this turn of the domain;
 *   ascend (0)  the head of this queue only, and the unit queues at the next level.
 *
 * Release. The lock is passed whole at the innermost level where a successor is queued and the
 * domain's holders in this turn are fewer than its bound. Only then the queues of the levels below
 * are left: their next waiter gets "ascend", or the queue becomes empty. (A unit that ascended
 * before would queue after its own domain's node, which is correct but gains nothing.) The node at
 * a level may be that of another unit, which led the domain there and has passed the lock on below.
 * Its owner has published the level's state before it first passed the lock below it, so each later
 * holder can read that state, pass the lock from that node, and give the node back (queue.h).
 *
 * Mutual exclusion: the lock is whole exactly with the unit for which the node at the head of the
 * root's queue stands. A node stands for one unit at a time, because the head of a lower queue is
 * one node. If all successors had given up, a pass leaves the queue empty although the level above
 * is still held: a newcomer may ascend and wait after its own domain's node, which the releaser
 * gives up next. So no order of these steps admits two.
 *
 * Progress: every unit that leaves the head of a queue, by release or by giving up at a higher
 * level, passes on or empties the queue.
 *
 * Bounded bypass. Let a domain of level k have c(k) children (units, or domains with a queue at
 * level k-1) and the bound P(k); T(k) = P(0)*...*P(k), T(-1) = 1, is the most holders in one turn.
 * Of a child that stands in the queue of level k, at most
 *     W(root) = (c(root)-1) * T(root-1),
 *     W(k) = (c(k)-1) * T(k-1) + ceil(c(k)/P(k)) * W(k+1)
 * holders go before, and W(0) is the bound for a unit: at most c(k)-1 others stand ahead of it, and
 * they need at most ceil(c(k)/P(k)) turns with it. Each leader that gives up a timed wait at level
 * k+1 while the unit waits in its queue adds at most W(k+1).
 *
 * Costs for d levels. Uncontended: d fetching atomics to acquire, d to release. Passed within the
 * innermost domain: 1 fetching atomic and 1 signal to acquire, 1 signal to release. */
#include "sync/locks/hier.h"

#include <stdlib.h>

#include "sync/locks/kinds.h"

#define NAME_BITS 30u
#define NAME_MASK (((eyoti_qref_t)1 << NAME_BITS) - 1)
#define COUNT_BITS(h) (18u - (h)->tag_bits)
#define ASCEND 0u

_Static_assert(EYOTI_QUEUE_NODES <= 64 && EYOTI_QUEUE_UNITS_MAX == 1u << 24,
               "unit and node fit into the name in a grant");

/* -- grants ------------------------------------------------------------------------------------ */

static uint64_t encode(const struct eyoti_hier *h, uint32_t count, eyoti_qref_t parent,
                       uint32_t tag) {
  EYOTI_ASSERT(count >= 1 && count < (1u << COUNT_BITS(h)) - 1 && tag < 1u << h->tag_bits);
  uint64_t shared = (uint64_t)tag << COUNT_BITS(h) | count;
  return shared << NAME_BITS | (parent & NAME_MASK);
}

/* Decodes a grant into a stand; returns the tag. */
static uint32_t decode(const struct eyoti_hier *h, uint64_t grant, struct eyoti_hier_stand *s) {
  uint64_t shared = grant >> NAME_BITS;
  s->parent = grant & NAME_MASK;
  s->count = (uint32_t)(shared & ((1u << COUNT_BITS(h)) - 1));
  EYOTI_ASSERT(s->count >= 1);
  return (uint32_t)(shared >> COUNT_BITS(h));
}

/* -- acquire ----------------------------------------------------------------------------------- */

/* Passes on levels n-1 .. 0, which the caller leads without holding the lock. Tries all of them;
 * returns the first error. */
static int hier_give_up(struct eyot_rt *rt, const struct eyoti_hier *h, uint32_t n) {
  int first_rc = EYOT_OK;
  for (uint32_t k = n; k-- > 0;) {
    bool passed;
    int rc = eyoti_queue_pass(rt, &h->level[k].queue, h->own[k].ref, ASCEND, &passed);
    if (first_rc == EYOT_OK) first_rc = rc;
  }
  return first_rc;
}

/* Queues at one level with a new node. *whole: the lock came with the grant; else the caller leads
 * the queue. */
static int queue_at(struct eyot_rt *rt, struct eyoti_hier *h, uint32_t k,
                    const struct eyoti_lock_want *want, bool *whole) {
  eyoti_qref_t node;
  EYOTI_TRY(eyoti_queue_node(rt, want->deadline != EYOTI_DEADLINE_NEVER, &node));
  uint64_t grant = ASCEND;
  if (want->once) {
    bool got;
    EYOTI_TRY(eyoti_queue_try(rt, &h->level[k].queue, node, &got));
    if (!got) {
      eyoti_queue_node_done(rt, node);
      return EYOT_ETIMEOUT;
    }
  } else {
    bool first;
    EYOTI_TRY(eyoti_queue_enter(rt, &h->level[k].queue, node, &first));
    if (!first) EYOTI_TRY(eyoti_queue_wait(rt, node, want->deadline, &grant));
  }
  h->own[k] = (struct eyoti_hier_stand){.ref = node};
  *whole = grant != ASCEND || k + 1 == h->levels;
  h->tag = 0;
  if (grant != ASCEND)
    h->tag = decode(h, grant, &h->own[k]);
  else
    h->own[k].count = 1; /* the parent is set when it is known */
  return EYOT_OK;
}

int eyoti_hier_acquire(struct eyot_rt *rt, struct eyoti_hier *h,
                       const struct eyoti_lock_want *want) {
  bool whole = false;
  for (uint32_t k = 0; !whole; k++) {
    EYOTI_ASSERT(k < h->levels);
    int rc = queue_at(rt, h, k, want, &whole);
    if (rc != EYOT_OK) {
      int undone = hier_give_up(rt, h, k);
      return rc == EYOT_ETIMEOUT && undone != EYOT_OK ? undone : rc;
    }
    if (k > 0) h->own[k - 1].parent = h->own[k].ref & NAME_MASK;
    h->led = k;
  }
  return EYOT_OK;
}

/* -- release ----------------------------------------------------------------------------------- */

/* Reads the state of the next level of the way. */
static int look_at(struct eyot_rt *rt, const struct eyoti_hier *h, struct eyoti_hier_way *way) {
  uint32_t k = way->known;
  EYOTI_ASSERT(k < h->levels);
  if (k <= h->led) {
    way->step[k].at = h->own[k];
    way->step[k].follower = eyoti_queue_follower(rt, h->own[k].ref);
  } else {
    struct eyoti_queue_sight sight;
    EYOTI_TRY(eyoti_queue_look(rt, way->step[k - 1].at.parent, &sight));
    EYOTI_ASSERT((sight.ref & NAME_MASK) == way->step[k - 1].at.parent);
    (void)decode(h, sight.data, &way->step[k].at);
    way->step[k].at.ref = sight.ref;
    way->step[k].follower = sight.follower;
  }
  way->known++;
  return EYOT_OK;
}

/* True if the lock may be passed whole at a level whose state was read. */
static bool may_pass(const struct eyoti_hier *h, const struct eyoti_hier_way *way, uint32_t k) {
  return way->step[k].follower != 0 && way->step[k].at.count < h->level[k].bound;
}

int eyoti_hier_look(struct eyot_rt *rt, const struct eyoti_hier *h, struct eyoti_hier_way *way) {
  way->known = 0;
  for (uint32_t k = 0;; k++) {
    EYOTI_TRY(look_at(rt, h, way));
    bool root = k + 1 == h->levels;
    if (!root && !may_pass(h, way, k)) continue;
    way->leave = k;
    way->sure = way->step[k].follower != 0 && (way->step[k].follower & EYOTI_REF_TIMED) == 0;
    return EYOT_OK;
  }
}

/* Publishes the state of the caller's nodes above level k, before other units can pass the lock
 * from them. */
static int publish_above(struct eyot_rt *rt, const struct eyoti_hier *h, uint32_t k) {
  for (uint32_t up = k + 1; up <= h->led; up++)
    EYOTI_TRY(
        eyoti_queue_publish(rt, h->own[up].ref, encode(h, h->own[up].count, h->own[up].parent, 0)));
  return EYOT_OK;
}

static int pass_whole(struct eyot_rt *rt, const struct eyoti_hier *h,
                      const struct eyoti_hier_way *way, uint32_t k, uint32_t tag, bool *passed) {
  const struct eyoti_hier_stand *at = &way->step[k].at;
  bool root = k + 1 == h->levels;
  EYOTI_TRY(publish_above(rt, h, k));
  return eyoti_queue_pass(rt, &h->level[k].queue, at->ref,
                          encode(h, root ? 1 : at->count + 1, root ? 0 : at->parent, tag), passed);
}

int eyoti_hier_release(struct eyot_rt *rt, struct eyoti_hier *h, struct eyoti_hier_way *way,
                       uint32_t tag) {
  /* queues that a pass without a successor has left empty */
  bool left[EYOT_DOMAIN_COUNT] = {false};
  uint32_t k = way->leave;
  for (;; k++) {
    if (k == way->known) EYOTI_TRY(look_at(rt, h, way));
    bool root = k + 1 == h->levels, passed = false;
    if (root || may_pass(h, way, k)) {
      EYOTI_TRY(pass_whole(rt, h, way, k, tag, &passed));
      EYOTI_ASSERT(passed || tag == 0); /* only a way that is sure gets a tag */
      left[k] = true;
    }
    if (passed || root) break;
  }
  while (k-- > 0) {
    bool passed;
    if (!left[k])
      EYOTI_TRY(eyoti_queue_pass(rt, &h->level[k].queue, way->step[k].at.ref, ASCEND, &passed));
  }
  return EYOT_OK;
}

/* -- the lock ---------------------------------------------------------------------------------- */

static uint64_t hier_bytes(const struct eyoti_lock *l) {
  (void)l;
  return EYOTI_HIER_BYTES;
}

static int hier_open(struct eyot_rt *rt, struct eyoti_lock *l) {
  struct eyoti_hier *h = malloc(sizeof *h);
  if (h == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for this unit's state of a hier lock (%zu bytes)",
                      sizeof *h);
  int rc = eyoti_hier_open(rt, l, 0, h);
  if (rc != EYOT_OK)
    free(h);
  else
    l->own = h;
  return rc;
}

static void hier_close(struct eyoti_lock *l) {
  free(l->own);
  l->own = NULL;
}

static int hier_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                        const struct eyoti_lock_want *want) {
  return eyoti_hier_acquire(rt, l->own, want);
}

static int hier_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  (void)target;
  struct eyoti_hier_way way;
  EYOTI_TRY(eyoti_hier_look(rt, l->own, &way));
  return eyoti_hier_release(rt, l->own, &way, 0);
}

const struct eyoti_lock_ops eyoti_lock_hier = {.name = "hier",
                                               .modes = 1u << EYOT_LOCK_EXCLUSIVE,
                                               .check_attr = eyoti_lock_check_passes,
                                               .bytes = hier_bytes,
                                               .open = hier_open,
                                               .close = hier_close,
                                               .acquire = hier_acquire,
                                               .release = hier_release};
