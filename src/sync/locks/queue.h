/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - the queue of the queue locks: MCS with waiters that may give up. For mcs.c, hier.c,
 * lock.c and the state of locks.h: mcs is one queue, hier one for each domain, rw's writers use
 * hier's; the rules for linking, handing over and giving up are here once.
 *
 * Each unit has EYOTI_QUEUE_NODES nodes at the same offset of its memory (gmem reserves it), so a
 * queue is only a tail word, and a node is named by unit, number and use. A node serves one wait;
 * `use` counts them, so that a late reader cannot take one use for another. Sources:
 * Mellor-Crummey, Scott: Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors,
 * ACM TOCS 9(1), 1991; giving up: Scott, Scherer: Scalable Queue-Based Spin Locks with Timeout,
 * PPoPP 2001, with the work done by the releaser, since waiters have left. */

/* Words of a node; only atomics and signals write them (units wait for them):
 *   next  (use of this node << 48) | successor's ref, set by the successor when it links
 *   go    (use << 48) | grant, set by the unit that hands over; or EYOTI_QUEUE_ABANDONED /
 *         EYOTI_QUEUE_FREE in place of the grant
 *   self  the node's own ref in its present use; data: a word that its owner wrote when it got the
 *         grant. For locks whose node is passed on by another unit than the one that queued it
 *         (hier): plain words, written by the owner before it hands over, read by the units it
 *         handed to.
 *
 * A hand-over is a signal. To a successor that may give up (EYOTI_REF_TIMED in its ref) it is a
 * swap of `go` instead, because the releaser must know whether the successor had given up before;
 * if so, the node is skipped, and EYOTI_QUEUE_FREE returns it to its owner. */
#ifndef EYOT_SYNC_LOCKS_QUEUE_H
#define EYOT_SYNC_LOCKS_QUEUE_H

#include "sync/locks/backoff.h"
#include "sync/sync.h"

#define EYOTI_QUEUE_NODES 64u
#define EYOTI_QUEUE_NODE_BYTES 64u
#define EYOTI_QUEUE_UNITS_MAX (1u << 24)
/* in the last node: a word that no unit writes, for pauses (backoff.c) */
#define EYOTI_QUEUE_PAUSE_OFF ((EYOTI_QUEUE_NODES - 1) * EYOTI_QUEUE_NODE_BYTES + 32u)
/* in the node before it: two words that no queue uses, for messages (msg/wire.h) */
#define EYOTI_QUEUE_SPARE_OFF ((EYOTI_QUEUE_NODES - 2) * EYOTI_QUEUE_NODE_BYTES + 32u)
#define EYOTI_QUEUE_SPARE_OFF2 ((EYOTI_QUEUE_NODES - 2) * EYOTI_QUEUE_NODE_BYTES + 56u)

/* A node in one of its uses: unit (bits 0-23), node (24-30), timed (31), use (32-47; never 0). 0 is
 * none. */
typedef uint64_t eyoti_qref_t;
#define EYOTI_REF_TIMED ((uint64_t)1 << 31)

/* The value that a hand-over carries: 48 bits for the lock's own use. All ones and all ones but the
 * last are reserved. */
#define EYOTI_QUEUE_GRANT_MAX (((uint64_t)1 << 48) - 3)
#define EYOTI_QUEUE_FREE (((uint64_t)1 << 48) - 1)
#define EYOTI_QUEUE_ABANDONED (((uint64_t)1 << 48) - 2)

struct eyoti_queue {
  struct fab_addr tail; /* 0: empty; else the ref of the last in the queue */
  /* the same word if it is mapped here, or NULL; the CPU's atomics may be used on it where the
   * fabric allows them (fab.cpu_atomics) */
  uint64_t *mapped;
};

/* Takes a free node of the caller's for one wait. timed: the wait may be given up. Errors: EBUSY
 * (all in use: logged). */
int eyoti_queue_node(struct eyot_rt *rt, bool timed, eyoti_qref_t *ref);
/* Gives back a node of the caller's that is in no queue any more: the wait is over and no other
 * unit will access the node. */
void eyoti_queue_node_done(struct eyot_rt *rt, eyoti_qref_t ref);

/* Enters the queue at its end. *first: it was empty, and the caller need not wait. 1 fetching
 * atomic, and 1 signal (the link) if not first. After an error (the fabric's) of this or of try the
 * node must not be used: it has been given back if it was not queued. */
int eyoti_queue_enter(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                      bool *first);
/* The second half of entering: links the caller's node after `before`, which the tail showed. 1
 * signal. */
int eyoti_queue_link(struct eyot_rt *rt, eyoti_qref_t before, eyoti_qref_t ref);
/* Enters only if empty. 1 fetching atomic. */
int eyoti_queue_try(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref, bool *got);
/* Waits for the hand-over; *grant is the value that it carried. ETIMEOUT: given up for good; the
 * node must not be used again (the releaser returns it). A deadline needs a timed node. The
 * caller's node stays taken until it is passed on from, or done. */
int eyoti_queue_wait(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t deadline, uint64_t *grant);
/* The node that has linked after the caller's node `ref`; 0: none yet. Local. */
eyoti_qref_t eyoti_queue_follower(struct eyot_rt *rt, eyoti_qref_t ref);
/* Hands over to the next unit that still waits after `ref`, which holds the head of the queue:
 * *passed; else no unit waits, and the queue is now empty. `ref` may be another unit's node (hier):
 * it is then returned to its owner. The caller's own node is given back, and after it those of the
 * waits that it has passed over. Costs, own node: 1 signal if a successor has linked; 1 fetching
 * atomic if there is none. For each wait that was given up: a fetching atomic, up to 2 gets, and a
 * signal. */
int eyoti_queue_pass(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                     uint64_t grant, bool *passed);

/* The same for the most usual case, or does nothing: a unit has linked after the caller's node,
 * cannot give up, and its node is mapped. Local; cannot fail. */
bool eyoti_queue_pass_mapped(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t grant);

/* Publishes `data` in the caller's node for eyoti_queue_look by others. */
int eyoti_queue_publish(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t data);
/* The state that a published node shows. */
struct eyoti_queue_sight {
  eyoti_qref_t ref;      /* of its present use */
  eyoti_qref_t follower; /* the node that has linked after it; 0: none yet */
  uint64_t data;
};
/* Reads the node of unit and number in `node` (a ref without use). 1 get. */
int eyoti_queue_look(struct eyot_rt *rt, eyoti_qref_t node, struct eyoti_queue_sight *sight);
#endif
