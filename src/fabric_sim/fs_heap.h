/* fs_heap.h - the event queue: a 4-ary heap of (time, key, what).
 *
 * Why it exists: all order of a run comes from here. Equal times are ordered by the key, of which the upper bits are drawn from the choice stream and the
 * lower ones are the sequence number, so that no two events compare equal and the order does not depend on the executor.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FS_HEAP_H
#define EYOT_FS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fs_event {
  uint64_t time_ps;
  uint64_t key;
  uintptr_t what; /* a pointer to a unit or an operation (aligned to 8 or more), with enum fs_event_kind in the low bits */
};

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
void fs_heap_purge(struct fs_heap *h, bool (*stale)(const struct fs_event *e));
#endif
