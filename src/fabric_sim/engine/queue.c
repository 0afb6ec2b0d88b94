/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - the event queue of buckets, run and heap. See queue.h. */
#include "fabric_sim/engine/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FIRST_SHIFT 17u /* 131 ns */
#define SHIFT_MAX 40u   /* about a second */
#define GOAL 64u        /* intended number of events per bucket */
#define TUNE_POPS 4096u /* check the width once per this many events */
#define FIRST_CAP 64u   /* initial capacity of a bucket */
#define SLOT_MAX 32u    /* events per slot; insertion sort is too slow for more */

void sim_queue_init(struct sim_queue *q) {
  *q = (struct sim_queue){.shift = FIRST_SHIFT, .until_tune = TUNE_POPS};
  sim_heap_init(&q->heap);
}

void sim_queue_fini(struct sim_queue *q) {
  for (uint32_t i = 0; i < SIM_QUEUE_BUCKETS; i++) free(q->bucket[i].e);
  free(q->run);
  sim_heap_fini(&q->heap);
}

static struct sim_event *larger(struct sim_event *e, size_t cap) {
  e = realloc(e, cap * sizeof *e);
  if (e == NULL)
    eyoti_no_memory(cap * sizeof(struct sim_event),
                    "%zu events of the simulator; lower EYOT_MAX_OUTSTANDING", cap);
  return e;
}

static void queue_append(struct sim_queue *q, uint64_t number, struct sim_event e) {
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BUCKETS);
  struct sim_bucket *b = &q->bucket[slot];
  if (b->n == b->cap) {
    b->cap = b->cap == 0 ? FIRST_CAP : b->cap * 2;
    b->e = larger(b->e, b->cap);
  }
  b->e[b->n++] = e;
  q->full[slot / 64] |= UINT64_C(1) << slot % 64;
  q->waiting++;
}

/* Inserts an event, which is already counted, where it belongs. */
static inline void queue_insert(struct sim_queue *q, struct sim_event e) {
  uint64_t number = e.time_ps >> q->shift;
  if (number - q->current - 1 < SIM_QUEUE_BUCKETS - 1) /* not if it is before, either */
    queue_append(q, number, e);
  else
    sim_heap_push(&q->heap, e);
}

void sim_queue_push_slow(struct sim_queue *q, struct sim_event e) {
  q->n++;
  queue_insert(q, e);
}

/* Returns the number of the first bucket with events; there is one. */
static uint64_t first_full(const struct sim_queue *q) {
  uint32_t start = (uint32_t)((q->current + 1) % SIM_QUEUE_BUCKETS), word = start / 64;
  uint64_t mask = q->full[word] >> start % 64 << start % 64;
  while (mask == 0) {
    word = (word + 1) % (SIM_QUEUE_BUCKETS / 64);
    mask = q->full[word];
  }
  uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(mask);
  return q->current + 1 + (slot - start) % SIM_QUEUE_BUCKETS;
}

static int queue_compare(const void *a, const void *b) {
  return sim_event_before(a, b) ? -1 : sim_event_before(b, a);
}

static void insertion_sort(struct sim_event *e, size_t n) {
  for (size_t i = 1; i < n; i++) {
    struct sim_event x = e[i];
    size_t k = i;
    for (; k > 0 && sim_event_before(&x, &e[k - 1]); k--) e[k] = e[k - 1];
    e[k] = x;
  }
}

/* Sorts a bucket into the run: distributes it by time into about as many slots as there are events,
 * then swaps neighbors. It often runs on a unit's stack, so the counts of the slots are in the
 * queue. */
static void sort_to_run(struct sim_queue *q, const struct sim_bucket *b) {
  uint32_t bits = 0, most = 0, *start = q->start;
  while (bits < SIM_QUEUE_SLOT_BITS && bits < q->shift && 1u << bits < b->n) bits++;
  uint32_t down = q->shift - bits, mask = (1u << bits) - 1;
  memset(start, 0, (mask + 2) * sizeof *start);
  for (uint32_t i = 0; i < b->n; i++) {
    uint32_t count = ++start[(b->e[i].time_ps >> down & mask) + 1];
    most = count > most ? count : most;
  }
  for (uint32_t i = 1; i <= mask; i++) start[i] += start[i - 1];
  for (uint32_t i = 0; i < b->n; i++) q->run[start[b->e[i].time_ps >> down & mask]++] = b->e[i];
  if (most <= SLOT_MAX)
    insertion_sort(q->run, b->n);
  else
    qsort(q->run, b->n, sizeof *q->run, queue_compare);
}

/* The run is used up: the next bucket becomes the run, unless the heap has an event before all of
 * that bucket. */
static void refill(struct sim_queue *q) {
  uint64_t number = first_full(q);
  if (q->heap.n > 0 && q->heap.e[0].time_ps >> q->shift < number) return;
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BUCKETS);
  struct sim_bucket *b = &q->bucket[slot];
  if (b->n > q->run_cap) {
    q->run_cap = b->cap;
    q->run = larger(q->run, q->run_cap);
  }
  sort_to_run(q, b);
  q->at = 0;
  q->run_n = b->n;
  q->waiting -= b->n;
  b->n = 0;
  q->full[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  q->current = number;
}

static bool run_is_first(struct sim_queue *q) {
  EYOTI_ASSERT(q->n > 0);
  if (q->at == q->run_n) {
    if (q->waiting > 0) refill(q);
    if (q->at == q->run_n) return false;
  }
  return q->heap.n == 0 || sim_event_before(&q->run[q->at], &q->heap.e[0]);
}

uint64_t sim_queue_next_ps(struct sim_queue *q) {
  return run_is_first(q) ? q->run[q->at].time_ps : q->heap.e[0].time_ps;
}

/* Distributes everything but the heap again, to buckets of 2^shift ps. */
static void reshape(struct sim_queue *q, uint32_t shift, uint64_t now_ps) {
  size_t n = q->run_n - q->at, total = n + q->waiting;
  struct sim_event *all = larger(NULL, total + 1);
  if (n > 0) memcpy(all, q->run + q->at, n * sizeof *all);
  for (uint32_t i = 0; i < SIM_QUEUE_BUCKETS; i++) {
    struct sim_bucket *b = &q->bucket[i];
    if (b->n > 0) memcpy(all + n, b->e, b->n * sizeof *all);
    n += b->n;
    b->n = 0;
  }
  EYOTI_ASSERT(n == total);
  memset(q->full, 0, sizeof q->full);
  q->at = q->run_n = q->waiting = 0;
  q->shift = shift;
  q->current = now_ps >> shift;
  for (size_t i = 0; i < n; i++) queue_insert(q, all[i]);
  free(all);
}

/* Chooses the width again if buckets hold less than half or more than twice the intended number. */
static void tune(struct sim_queue *q, uint64_t now_ps) {
  uint64_t goal_ps = (now_ps - q->tuned_ps) * GOAL / q->popped;
  uint32_t shift = 0;
  while (shift < SHIFT_MAX && goal_ps >> shift > 1) shift++;
  uint32_t off = shift > q->shift ? shift - q->shift : q->shift - shift;
  if (off > 1) reshape(q, shift, now_ps);
  q->tuned_ps = now_ps;
  q->popped = 0;
  q->until_tune = TUNE_POPS + (q->n < UINT32_MAX / 2 ? (uint32_t)q->n : UINT32_MAX / 2);
}

struct sim_event sim_queue_pop_slow(struct sim_queue *q) {
  struct sim_event e;
  if (run_is_first(q)) {
    e = q->run[q->at++];
  } else {
    e = sim_heap_pop(&q->heap);
    uint64_t number = e.time_ps >> q->shift;
    /* before every full bucket; otherwise that bucket would be the run */
    if (q->at == q->run_n && number > q->current) q->current = number;
  }
  q->n--;
  q->popped++;
  if (q->popped >= q->until_tune) tune(q, e.time_ps);
  return e;
}

void sim_queue_purge(struct sim_queue *q, bool (*stale)(const void *arg, const struct sim_event *e),
                     const void *arg) {
  sim_heap_purge(&q->heap, stale, arg);
  size_t n = q->at;
  for (size_t i = q->at; i < q->run_n; i++)
    if (!stale(arg, &q->run[i])) q->run[n++] = q->run[i];
  q->run_n = n;
  q->waiting = 0;
  for (uint32_t i = 0; i < SIM_QUEUE_BUCKETS; i++) {
    struct sim_bucket *b = &q->bucket[i];
    uint32_t left = 0;
    for (uint32_t k = 0; k < b->n; k++)
      if (!stale(arg, &b->e[k])) b->e[left++] = b->e[k];
    b->n = left;
    if (left == 0) q->full[i / 64] &= ~(UINT64_C(1) << i % 64);
    q->waiting += left;
  }
  q->n = q->heap.n + (q->run_n - q->at) + q->waiting;
}
