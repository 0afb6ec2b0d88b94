/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - the event queue of a world (world.h): buckets by time, blocks of buckets, and a heap;
 * pops in the order of (time, tag).
 *
 * A heap's pop is a chain of cache misses, and a heap does not show the events after its first, for
 * which the main loop prefetches. So an event waits unsorted in the bucket of its time, or, if that
 * is far, in the block of its bucket, which is distributed to buckets when it is near. A bucket is
 * sorted into the run, which is consumed in order. The heap takes the rest: events within the run's
 * time, and those beyond all blocks. The order is exact for every width of buckets, which only
 * follows the density of events (docs/adr/0007-event-queue.md and 0095). */
#ifndef EYOT_FABRIC_SIM_ENGINE_QUEUE_H
#define EYOT_FABRIC_SIM_ENGINE_QUEUE_H

#include "fabric_sim/engine/heap.h"

#define SIM_QUEUE_BUCKETS 256u
/* buckets of a block: the buckets are for the block of the run and the one after it */
#define SIM_QUEUE_BLOCK_BITS 7u
#define SIM_QUEUE_BLOCKS 256u
/* a run is extended by the next bucket, if it has events, when fewer events than this are left */
#define SIM_QUEUE_AHEAD 16u
/* a bucket is distributed to at most 2^SIM_QUEUE_SLOT_BITS slots before it is sorted */
#define SIM_QUEUE_SLOT_BITS 8u

struct sim_bucket {
  struct sim_event *e;
  uint32_t n, cap;
};

struct sim_queue {
  struct sim_event *run; /* sorted; entries [at, run_n) are left */
  size_t at, run_n, run_cap;
  size_t low; /* at most run_n: from there on the run is extended, or used up */
  struct sim_heap heap;
  size_t waiting;      /* events in buckets */
  size_t far;          /* events in blocks */
  uint64_t current;    /* number of the bucket that became the run last */
  uint64_t reach;      /* the number of buckets after it that are in use */
  uint32_t shift;      /* a bucket is 2^shift ps; its number is time >> shift */
  uint32_t until_tune; /* events */
  uint64_t tuned_ps;   /* when the width was last checked, */
  uint64_t popped;     /* and the number of events since, without those of the run from `at` 0 on */
  uint64_t full[SIM_QUEUE_BUCKETS / 64];
  struct sim_bucket bucket[SIM_QUEUE_BUCKETS];
  uint64_t full_blocks[SIM_QUEUE_BLOCKS / 64];
  struct sim_bucket block[SIM_QUEUE_BLOCKS];
  struct sim_bucket spare; /* the memory of the block that was distributed last */
  uint32_t start[(1u << SIM_QUEUE_SLOT_BITS) + 1]; /* while a bucket is sorted */
};

void sim_queue_init(struct sim_queue *q);
void sim_queue_fini(struct sim_queue *q);
/* Panics when out of memory: a lost event would hang the run. */
static inline void sim_queue_push(struct sim_queue *q, struct sim_event e);
/* Removes and returns the earliest event; the queue must not be empty. */
static inline struct sim_event sim_queue_pop(struct sim_queue *q);
/* The general cases of both. */
void sim_queue_push_slow(struct sim_queue *q, struct sim_event e);
struct sim_event sim_queue_pop_slow(struct sim_queue *q);
/* Returns the time of the earliest event; the queue must not be empty. */
uint64_t sim_queue_next_ps(struct sim_queue *q);
/* Drops every event for which `stale` holds. */
void sim_queue_purge(struct sim_queue *q, bool (*stale)(const void *arg, const struct sim_event *e),
                     const void *arg);

/* The common case is inline: a bucket is for the event, and has room. */
static inline __attribute__((always_inline)) void sim_queue_push(struct sim_queue *q,
                                                                 struct sim_event e) {
  uint64_t number = e.time_ps >> q->shift;
  uint32_t slot = (uint32_t)number % SIM_QUEUE_BUCKETS;
  struct sim_bucket *b = &q->bucket[slot];
  if (__builtin_expect(number - q->current - 1 >= q->reach || b->n == b->cap, 0)) {
    sim_queue_push_slow(q, e);
    return;
  }
  if (b->n == 0) q->full[slot / 64] |= UINT64_C(1) << slot % 64;
  b->e[b->n++] = e;
  q->waiting++;
}

/* The number of events. */
static inline size_t sim_queue_n(const struct sim_queue *q) {
  return q->run_n - q->at + q->waiting + q->far + q->heap.n;
}

/* Whether there is no event; one comparison while the run is not near its end. */
static inline bool sim_queue_is_empty(const struct sim_queue *q) {
  return __builtin_expect(q->at >= q->low, 0) && sim_queue_n(q) == 0;
}

/* The common case is inline: the run has an event before all of the heap. Counters are brought up
 * to date when the run ends or is extended. */
static inline struct sim_event sim_queue_pop(struct sim_queue *q) {
  if (__builtin_expect(q->at >= q->low, 0)) return sim_queue_pop_slow(q);
  struct sim_event e = q->run[q->at];
  if (__builtin_expect(q->heap.n > 0 && !sim_event_before(&e, &q->heap.e[0]), 0))
    return sim_queue_pop_slow(q);
  q->at++;
  return e;
}

/* Returns the events that the next pops will return unless an earlier one is pushed, and how many
 * are known. */
static inline const struct sim_event *sim_queue_ahead(const struct sim_queue *q, size_t *n) {
  *n = q->run_n - q->at;
  return q->run + q->at;
}
#endif
