/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - the queue under the queue locks: MCS with waiters that may give up.
 *
 * Why it exists: mcs is one queue, hier one for each domain, rw's writers stand in one; the rules
 * for linking, handing over and giving up are here once.
 *
 * Each unit has EYOTI_QUEUE_NODES nodes at the same place in its memory (gmem reserves it), so a
 * queue is nothing but a tail word, and a node is named by unit, number and use. A node serves one
 * wait; `use` counts them, so that a late reader cannot take one use for another.
 *
 * Words of a node, all written by atomics or signals only (they are waited for):
 *   next  (use of this node << 48) | successor's ref, set by the successor when it links
 *   go    (use << 48) | grant, set by whoever hands over; or EYOTI_QUEUE_ABANDONED /
 *         EYOTI_QUEUE_FREE in place of the grant
 *   self  the node's own ref in its present use; data: what its owner wrote when it got the grant.
 *         For locks whose node is passed on by another unit than the one that queued it (hier):
 *         plain words, written by the owner before it hands over, read by those it handed to.
 *
 * Hand-over is a signal. Only to a successor that may give up (EYOTI_REF_TIMED in its ref) it is a
 * swap of `go`, because it must be known whether he had given up before; if so the node is skipped,
 * and EYOTI_QUEUE_FREE tells its owner that it is his again.
 * Sources: Mellor-Crummey and Scott 1991; giving up: Scott and Scherer 2001, with the releaser
 * doing the work, since waiters have left. */
#ifndef EYOT_SYNC_LOCKS_QUEUE_H
#define EYOT_SYNC_LOCKS_QUEUE_H

#include "sync/locks/backoff.h"
#include "sync/sync.h"

#define EYOTI_QUEUE_NODES 64u
#define EYOTI_QUEUE_NODE_BYTES 64u
#define EYOTI_QUEUE_UNITS_MAX (1u << 24)
#define EYOTI_QUEUE_PAUSE_OFF 32u /* in node 0: a word that nobody writes, for pauses (backoff.c) */

/* A node in one of its uses: unit (bits 0-23), node (24-30), timed (31), use (32-47; never 0). 0 is
 * none. */
typedef uint64_t eyoti_qref_t;
#define EYOTI_REF_TIMED ((uint64_t)1 << 31)

/* What a hand-over carries: 48 bits for the lock's own use. All ones and all ones but the last are
 * taken. */
#define EYOTI_QUEUE_GRANT_MAX (((uint64_t)1 << 48) - 3)
#define EYOTI_QUEUE_FREE (((uint64_t)1 << 48) - 1)
#define EYOTI_QUEUE_ABANDONED (((uint64_t)1 << 48) - 2)

struct eyoti_queue {
  struct fab_addr tail; /* 0: empty; else the ref of the last in the queue */
  /* the same word where it is mapped here, or NULL: the CPU's atomics do where the fabric says so
   * (fab.cpu_atomics) */
  uint64_t *mapped;
};

/* Takes a free node of the caller's for one wait. timed: the wait may be given up. Errors: EBUSY
 * (all in use: logged). */
int eyoti_queue_node(struct eyot_rt *rt, bool timed, eyoti_qref_t *ref);
/* Gives back a node that is in no queue any more: the wait is over and nobody will touch the node.
 * Own nodes only. */
void eyoti_queue_node_done(struct eyot_rt *rt, eyoti_qref_t ref);

/* Enters the queue at its end. *first: it was empty, and there is nothing to wait for. 1 fetching
 * atomic, and 1 signal (the link) if not first. After an error (the fabric's) of this or of try the
 * node must not be touched: it has been given back if nothing was queued. */
int eyoti_queue_enter(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                      bool *first);
/* The second half of entering: links behind `before`, which the tail showed. 1 signal. */
int eyoti_queue_link(struct eyot_rt *rt, eyoti_qref_t before, eyoti_qref_t ref);
/* Enters only if empty. 1 fetching atomic. */
int eyoti_queue_try(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref, bool *got);
/* Waits for the hand-over; *grant is what it carried. ETIMEOUT: given up for good; the node must
 * not be touched again (it comes back by itself). A deadline needs a timed node. The caller's node
 * stays taken until it is passed on from, or done. */
int eyoti_queue_wait(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t deadline, uint64_t *grant);
/* Who has linked behind the own node `ref`; 0: nobody yet. Local. */
eyoti_qref_t eyoti_queue_follower(struct eyot_rt *rt, eyoti_qref_t ref);
/* Hands over to the next that still waits behind `ref`, which holds the head of the queue: *passed;
 * else nobody waits, and the queue has been left empty. `ref` may be another unit's node (hier): it
 * is then returned to its owner. The own node is given back. Costs, own node: 1 signal if a
 * successor has linked; 1 fetching atomic if nobody follows. */
int eyoti_queue_pass(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                     uint64_t grant, bool *passed);

/* The same for the most usual case, or nothing: somebody has linked behind the own node, will not
 * give up, and is reached by the CPU. Local; cannot fail. */
bool eyoti_queue_pass_mapped(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t grant);

/* Publishes `data` in the own node for eyoti_queue_look by others. */
int eyoti_queue_publish(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t data);
/* What a published node shows. */
struct eyoti_queue_sight {
  eyoti_qref_t ref;      /* of its present use */
  eyoti_qref_t follower; /* who has linked behind it; 0: nobody yet */
  uint64_t data;
};
/* Looks at the node of unit and number in `node` (a ref without use). 1 get. */
int eyoti_queue_look(struct eyot_rt *rt, eyoti_qref_t node, struct eyoti_queue_sight *sight);
#endif
