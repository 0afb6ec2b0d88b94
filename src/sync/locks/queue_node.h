/* SPDX-License-Identifier: BSD-3-Clause */
/* queue_node.h - the layout of a queue node and of a reference to one, for queue.c and for the
 * quick path of lock.c. */
#ifndef EYOT_SYNC_LOCKS_QUEUE_NODE_H
#define EYOT_SYNC_LOCKS_QUEUE_NODE_H

#include "rt/observe.h"
#include "sync/locks/locks.h"

/* Offsets in a node. */
#define NEXT_OFF 0u
#define GO_OFF 8u
#define SELF_OFF 16u
#define DATA_OFF 24u
#define NODE_WORDS 4u
/* After the word of EYOTI_QUEUE_PAUSE_OFF, which the last node has: words that only the owner uses,
 * here because most nodes of most units are never touched. */
#define SEEN_OFF 40u
#define USE_OFF 48u
_Static_assert(EYOTI_QUEUE_SPARE_OFF % EYOTI_QUEUE_NODE_BYTES == DATA_OFF + 8 &&
                   EYOTI_QUEUE_SPARE_OFF2 % EYOTI_QUEUE_NODE_BYTES == USE_OFF + 8 &&
                   SEEN_OFF == EYOTI_QUEUE_SPARE_OFF % EYOTI_QUEUE_NODE_BYTES + 8,
               "each node uses all of its bytes but two words, which messages have in one");

#define USE_SHIFT 48u /* of next and go */
#define REF_USE_SHIFT 32u
#define REF_NODE_SHIFT 24u
#define REF_NODE_MASK 0x7fu
#define REF_MASK (((uint64_t)1 << USE_SHIFT) - 1)

static inline fab_unit_t ref_unit(eyoti_qref_t ref) {
  return (fab_unit_t)(ref & (EYOTI_QUEUE_UNITS_MAX - 1));
}
static inline uint32_t ref_node(eyoti_qref_t ref) {
  return (uint32_t)(ref >> REF_NODE_SHIFT) & REF_NODE_MASK;
}
static inline uint64_t ref_use(eyoti_qref_t ref) {
  return ref >> REF_USE_SHIFT & UINT16_MAX;
}
static inline uint64_t tagged(eyoti_qref_t ref, uint64_t value) {
  return ref_use(ref) << USE_SHIFT | value;
}

/* The present value of a word of the caller's own node. Pairs with the release of the signal or
 * atomic that wrote it; may be older than what a wait would see, never newer. */
static inline uint64_t own_word(const struct eyoti_queue_nodes *q, uint32_t node, uint32_t off) {
  return eyoti_load_own(q->own + node * EYOTI_QUEUE_NODE_BYTES + off);
}

/* Of the caller's own node: `go` when it was taken, and its present or last use (0: never used). */
static inline uint64_t *own_seen(const struct eyoti_queue_nodes *q, uint32_t node) {
  return (uint64_t *)(void *)(q->own + node * EYOTI_QUEUE_NODE_BYTES + SEEN_OFF);
}
static inline uint16_t *own_use(const struct eyoti_queue_nodes *q, uint32_t node) {
  return (uint16_t *)(void *)(q->own + node * EYOTI_QUEUE_NODE_BYTES + USE_OFF);
}

/* True if the node is mapped here and the CPU's stores are the fabric's signals; mapped_word then
 * gives the address of one of its words. */
static inline bool node_is_mapped(const struct eyot_rt *rt, eyoti_qref_t ref) {
  return rt->fab->cpu_atomics && rt->mapped.stride != 0 &&
         ref_unit(ref) - rt->fab->local.first < rt->fab->local.n;
}
static inline uint64_t *mapped_word(const struct eyot_rt *rt, const struct eyoti_queue_nodes *q,
                                    eyoti_qref_t ref, uint32_t off) {
  int64_t parts = (int64_t)ref_unit(ref) - rt->fab->me;
  return (uint64_t *)(void *)(q->own + parts * (int64_t)rt->mapped.stride +
                              ref_node(ref) * EYOTI_QUEUE_NODE_BYTES + off);
}
/* A signal there. Pairs with the acquire of own_word and of the fabric's wait. Wakes the unit where
 * it may sleep. */
static inline void mapped_signal(const struct eyot_rt *rt, const struct eyoti_queue_nodes *q,
                                 eyoti_qref_t ref, uint32_t off, uint64_t value) {
  __atomic_store_n(mapped_word(rt, q, ref, off), value, __ATOMIC_RELEASE);
  if (__builtin_expect(rt->fab->oversubscribed, 0)) fab_wake(rt->fab, ref_unit(ref));
}

/* The node that has linked after one whose `next` is this; 0: none yet. */
static inline eyoti_qref_t linked(eyoti_qref_t ref, uint64_t next) {
  return next >> USE_SHIFT == ref_use(ref) ? next & REF_MASK : 0;
}

/* The use after `use` that is not 0 and that no word of the node still shows: `next` and `go` can
 * show one each, so three tries are enough. */
static inline uint16_t use_after(uint16_t use, uint64_t next, uint64_t go) {
  do use = use == UINT16_MAX ? 1 : (uint16_t)(use + 1);
  while (__builtin_expect(use == next >> USE_SHIFT || use == go >> USE_SHIFT, 0));
  return use;
}

/* Takes a free node, of which there must be one, for its next use: the last one, which shares its
 * page with the first allocations of the heap. */
static inline eyoti_qref_t node_take(struct eyoti_queue_nodes *q, fab_unit_t me, bool timed) {
  uint32_t node = 63 - (uint32_t)__builtin_clzll(q->free);
  uint64_t go = own_word(q, node, GO_OFF);
  uint16_t use = use_after(*own_use(q, node), own_word(q, node, NEXT_OFF), go);
  q->free ^= (uint64_t)1 << node;
  *own_use(q, node) = use;
  *own_seen(q, node) = go;
  return me | (uint64_t)node << REF_NODE_SHIFT | (timed ? EYOTI_REF_TIMED : 0) |
         (uint64_t)use << REF_USE_SHIFT;
}

static inline uint64_t cpu_cas(uint64_t *word, uint64_t compare, uint64_t value) {
  __atomic_compare_exchange_n(word, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return compare;
}
#endif
