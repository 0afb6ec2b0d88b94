/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - the event queue: buckets by time in front of a heap, in the order of (time, tag).
 *
 * Why it exists: with thousands of units a heap's pop is a chain of cache misses, and a heap does
 * not know what comes after its first event, which has to be known to fetch memory ahead. Here an
 * event waits unsorted in the bucket of its time; when its time comes near the bucket is sorted
 * into the run, which is consumed in order. The heap takes what no bucket is for: events within the
 * run's time, and far ones. The earliest event is the first of the run or of the heap, so the order
 * is exact whatever the buckets' width, which only follows the density of events
 * (docs/adr/0007-event-queue.md). */
#ifndef EYOT_FABRIC_SIM_ENGINE_QUEUE_H
#define EYOT_FABRIC_SIM_ENGINE_QUEUE_H

#include "fabric_sim/engine/heap.h"

#define FS_QUEUE_BUCKETS 256u

struct fs_bucket {
  struct fs_event *e;
  uint32_t n, cap;
};

struct fs_queue {
  struct fs_event *run; /* sorted; [at, run_n) is left */
  size_t at, run_n, run_cap;
  struct fs_heap heap;
  size_t n;       /* events in all places */
  size_t waiting; /* of them in buckets */
  /* number of the bucket that the run was; later ones, FS_QUEUE_BUCKETS - 1 of them, are in use */
  uint64_t current;
  uint32_t shift;      /* a bucket is 2^shift ps; its number is time >> shift */
  uint32_t until_tune; /* events */
  uint64_t tuned_ps;   /* when the width was looked at last, */
  uint32_t popped;     /* and how many events that is ago */
  uint64_t full[FS_QUEUE_BUCKETS / 64];
  struct fs_bucket bucket[FS_QUEUE_BUCKETS];
};

void fs_queue_init(struct fs_queue *q);
void fs_queue_fini(struct fs_queue *q);
/* Panics when out of memory: a lost event would hang the run. */
void fs_queue_push(struct fs_queue *q, struct fs_event e);
/* The earliest event; the queue must not be empty. */
struct fs_event fs_queue_pop(struct fs_queue *q);
/* Its time. */
uint64_t fs_queue_next_ps(struct fs_queue *q);
/* Drops every event for which `stale` holds. */
void fs_queue_purge(struct fs_queue *q, bool (*stale)(const void *arg, const struct fs_event *e),
                    const void *arg);

/* What the i-th pop from now on (0: the next) will give unless something earlier comes between;
 * NULL: not known yet. */
static inline const struct fs_event *fs_queue_ahead(const struct fs_queue *q, size_t i) {
  return q->at + i < q->run_n ? &q->run[q->at + i] : NULL;
}
#endif
