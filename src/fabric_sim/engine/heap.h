/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h - events, their order, and a 4-ary heap of them. The event queue (queue.h) is the only
 * user of the heap.
 *
 * Why it exists: this order determines the whole run. Events of equal time are ordered by their
 * tag. Its upper bits are drawn from the choice stream; its lower bits are the event's kind and the
 * number of its unit or operation, which are the same in every run. So the order depends neither on
 * addresses nor on the executor. */
#ifndef EYOT_FABRIC_SIM_ENGINE_HEAP_H
#define EYOT_FABRIC_SIM_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_TAG_INDEX_BITS 32u
#define SIM_TAG_KIND_BITS 3u
#define SIM_TAG_TIE_BITS (64u - SIM_TAG_KIND_BITS - SIM_TAG_INDEX_BITS)

/* 16 bytes, so that the four children of a node are one cache line. */
struct sim_event {
  uint64_t time_ps;
  uint64_t tag;
};

static inline uint64_t sim_tag(uint32_t tie, uint32_t kind, uint32_t index) {
  return (uint64_t)tie << (64u - SIM_TAG_TIE_BITS) | (uint64_t)kind << SIM_TAG_INDEX_BITS | index;
}
static inline uint32_t sim_tag_kind(uint64_t tag) {
  return (uint32_t)(tag >> SIM_TAG_INDEX_BITS) & ((1u << SIM_TAG_KIND_BITS) - 1);
}
static inline uint32_t sim_tag_index(uint64_t tag) {
  return (uint32_t)tag;
}

/* Time and tag as one number: compared without a branch, of which half would be predicted wrong. */
__extension__ typedef unsigned __int128 sim_order_t;
static inline sim_order_t sim_event_order(const struct sim_event *e) {
  return (sim_order_t)e->time_ps << 64 | e->tag;
}
static inline bool sim_event_before(const struct sim_event *a, const struct sim_event *b) {
  return sim_event_order(a) < sim_event_order(b);
}

struct sim_heap {
  struct sim_event *e;
  size_t n, cap;
};

void sim_heap_init(struct sim_heap *h);
void sim_heap_fini(struct sim_heap *h);
/* Panics when out of memory: a lost event would hang the run. */
void sim_heap_push(struct sim_heap *h, struct sim_event e);
/* The heap must not be empty. */
struct sim_event sim_heap_pop(struct sim_heap *h);
/* Drops every event for which `stale` holds. */
void sim_heap_purge(struct sim_heap *h, bool (*stale)(const void *arg, const struct sim_event *e),
                    const void *arg);
#endif
