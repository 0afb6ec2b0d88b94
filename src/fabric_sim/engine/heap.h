/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h - events, their order, and a 4-ary heap of them, which is a part of the event queue
 * (queue.h).
 *
 * Why it exists: all order of a run comes from here. Equal times are ordered by the tag, of which
 * the upper bits are drawn from the choice stream; below them come the event's kind and the number
 * of its unit or operation, which are the same in every run. So the order depends neither on
 * addresses nor on the executor. */
#ifndef EYOT_FABRIC_SIM_ENGINE_HEAP_H
#define EYOT_FABRIC_SIM_ENGINE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FS_TAG_INDEX_BITS 32u
#define FS_TAG_KIND_BITS 3u
#define FS_TAG_TIE_BITS (64u - FS_TAG_KIND_BITS - FS_TAG_INDEX_BITS)

/* 16 bytes, so that the four children of a node are one cache line. */
struct fs_event {
  uint64_t time_ps;
  uint64_t tag;
};

static inline uint64_t fs_tag(uint32_t tie, uint32_t kind, uint32_t index) {
  return (uint64_t)tie << (64u - FS_TAG_TIE_BITS) | (uint64_t)kind << FS_TAG_INDEX_BITS | index;
}
static inline uint32_t fs_tag_kind(uint64_t tag) {
  return (uint32_t)(tag >> FS_TAG_INDEX_BITS) & ((1u << FS_TAG_KIND_BITS) - 1);
}
static inline uint32_t fs_tag_index(uint64_t tag) {
  return (uint32_t)tag;
}

/* Time and tag as one number: compared without a branch, of which half would be predicted wrong. */
__extension__ typedef unsigned __int128 fs_order_t;
static inline fs_order_t fs_event_order(const struct fs_event *e) {
  return (fs_order_t)e->time_ps << 64 | e->tag;
}
static inline bool fs_event_before(const struct fs_event *a, const struct fs_event *b) {
  return fs_event_order(a) < fs_event_order(b);
}

struct fs_heap {
  struct fs_event *e;
  size_t n, cap;
};

void fs_heap_init(struct fs_heap *h);
void fs_heap_fini(struct fs_heap *h);
/* Panics when out of memory: a lost event would hang the run. */
void fs_heap_push(struct fs_heap *h, struct fs_event e);
/* The heap must not be empty. */
struct fs_event fs_heap_pop(struct fs_heap *h);
/* Drops every event for which `stale` holds. */
void fs_heap_purge(struct fs_heap *h, bool (*stale)(const void *arg, const struct fs_event *e),
                   const void *arg);
#endif
