/* SPDX-License-Identifier: BSD-3-Clause */
/* mcs.c - lock kind mcs: a queue lock, first come, first served, made of one queue (queue.h). It is
 * in the table of kinds.h; lock.c has its quick path.
 *
 * Uncontended: 1 fetching atomic to acquire, 1 to release. After another unit: 1 fetching atomic, 1
 * signal and the wait; handing over is 1 signal, or 1 fetching atomic to a unit that may give up.
 * Source: Mellor-Crummey, Scott: Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors, ACM TOCS 9(1), 1991, algorithm 5. */
#include "sync/locks/kinds.h"

static uint64_t mcs_bytes(const struct eyoti_lock *l) {
  (void)l;
  return sizeof(uint64_t); /* the tail; only the one at home is used */
}

static int mcs_try_once(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t node) {
  bool got;
  EYOTI_TRY(eyoti_queue_try(rt, q, node, &got));
  if (!got) eyoti_queue_node_done(rt, node);
  return got ? EYOT_OK : EYOT_ETIMEOUT;
}

static int mcs_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                       const struct eyoti_lock_want *want) {
  const struct eyoti_queue q = {.tail = l->word, .mapped = l->mapped};
  eyoti_qref_t node;
  EYOTI_TRY(eyoti_queue_node(rt, want->deadline != EYOTI_DEADLINE_NEVER, &node));
  if (want->once) {
    EYOTI_TRY(mcs_try_once(rt, &q, node));
  } else {
    bool first;
    uint64_t grant;
    EYOTI_TRY(eyoti_queue_enter(rt, &q, node, &first));
    if (!first) EYOTI_TRY(eyoti_queue_wait(rt, node, want->deadline, &grant));
  }
  l->node = node;
  return EYOT_OK;
}

static int mcs_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  (void)target;
  bool passed;
  return eyoti_queue_pass(rt, &(struct eyoti_queue){.tail = l->word, .mapped = l->mapped}, l->node,
                          0, &passed);
}

const struct eyoti_lock_ops eyoti_lock_mcs = {.name = "mcs",
                                              .modes = 1u << EYOT_LOCK_EXCLUSIVE,
                                              .by_one_unit = true,
                                              .quick = EYOTI_LOCK_QUICK_QUEUE,
                                              .bytes = mcs_bytes,
                                              .acquire = mcs_acquire,
                                              .release = mcs_release};
