/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - the event queue of buckets, blocks, run and heap. See queue.h. */
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
#define BLOCK_BUCKETS (UINT64_C(1) << SIM_QUEUE_BLOCK_BITS)

_Static_assert(2 * BLOCK_BUCKETS <= SIM_QUEUE_BUCKETS, "two blocks have a bucket for each number");

void sim_queue_init(struct sim_queue *q) {
  *q = (struct sim_queue){
      .shift = FIRST_SHIFT, .until_tune = TUNE_POPS, .reach = 2 * BLOCK_BUCKETS - 1};
  sim_heap_init(&q->heap);
}

void sim_queue_fini(struct sim_queue *q) {
  for (uint32_t i = 0; i < SIM_QUEUE_BUCKETS; i++) free(q->bucket[i].e);
  for (uint32_t i = 0; i < SIM_QUEUE_BLOCKS; i++) free(q->block[i].e);
  free(q->spare.e);
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

static void bucket_add(struct sim_bucket *b, struct sim_event e) {
  if (b->n == b->cap) {
    b->cap = b->cap == 0 ? FIRST_CAP : b->cap * 2;
    b->e = larger(b->e, b->cap);
  }
  b->e[b->n++] = e;
}

static void mark(uint64_t *full, uint32_t slot) {
  full[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void unmark(uint64_t *full, uint32_t slot) {
  full[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static void queue_append(struct sim_queue *q, uint64_t number, struct sim_event e) {
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BUCKETS);
  bucket_add(&q->bucket[slot], e);
  mark(q->full, slot);
  q->waiting++;
}

static void block_append(struct sim_queue *q, uint64_t number, struct sim_event e) {
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BLOCKS);
  struct sim_bucket *b = &q->block[slot];
  if (b->cap == 0 && q->spare.cap != 0) {
    *b = q->spare;
    q->spare = (struct sim_bucket){0};
  }
  bucket_add(b, e);
  mark(q->full_blocks, slot);
  q->far++;
}

/* The first block that the buckets are not for. */
static uint64_t far_from(const struct sim_queue *q) {
  return (q->current >> SIM_QUEUE_BLOCK_BITS) + 2;
}

void sim_queue_push_slow(struct sim_queue *q, struct sim_event e) {
  uint64_t number = e.time_ps >> q->shift, block = number >> SIM_QUEUE_BLOCK_BITS;
  if (number - q->current - 1 < q->reach) /* not if it is before, either */
    queue_append(q, number, e);
  else if (block - far_from(q) < SIM_QUEUE_BLOCKS)
    block_append(q, block, e);
  else
    sim_heap_push(&q->heap, e);
}

/* Of `n` marks in a ring, one at least set: how many places after `start` the first of them is. */
static uint32_t first_mark(const uint64_t *full, uint32_t n, uint32_t start) {
  uint32_t word = start / 64;
  uint64_t mask = full[word] >> start % 64 << start % 64;
  while (mask == 0) {
    word = (word + 1) % (n / 64);
    mask = full[word];
  }
  return (word * 64 + (uint32_t)__builtin_ctzll(mask) - start) % n;
}

/* Returns the number of the first bucket with events; there is one. */
static uint64_t first_full(const struct sim_queue *q) {
  uint64_t next = q->current + 1;
  return next + first_mark(q->full, SIM_QUEUE_BUCKETS, (uint32_t)(next % SIM_QUEUE_BUCKETS));
}

/* The same of blocks, of which `from` is the first that may have some. */
static uint64_t first_block(const struct sim_queue *q, uint64_t from) {
  return from + first_mark(q->full_blocks, SIM_QUEUE_BLOCKS, (uint32_t)(from % SIM_QUEUE_BLOCKS));
}

/* Distributes the events of a block to its buckets. */
static void block_open(struct sim_queue *q, uint64_t number) {
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BLOCKS);
  struct sim_bucket b = q->block[slot];
  q->block[slot] = (struct sim_bucket){0};
  unmark(q->full_blocks, slot);
  q->far -= b.n;
  for (uint32_t i = 0; i < b.n; i++) queue_append(q, b.e[i].time_ps >> q->shift, b.e[i]);
  free(q->spare.e);
  b.n = 0;
  q->spare = b;
}

/* All before that bucket, and the bucket itself, is empty, or becomes the run: blocks that the
 * buckets are for from now on are distributed. */
static void queue_move(struct sim_queue *q, uint64_t number) {
  uint64_t from = far_from(q), block;
  q->current = number;
  q->reach = (far_from(q) << SIM_QUEUE_BLOCK_BITS) - number - 1;
  while (q->far > 0 && (block = first_block(q, from)) < far_from(q)) block_open(q, block);
}

static int queue_compare(const void *a, const void *b) {
  return sim_event_before(a, b) ? -1 : sim_event_before(b, a);
}

/* Most are in order already. */
static void insertion_sort(struct sim_event *e, size_t n) {
  for (size_t i = 1; i < n; i++) {
    if (__builtin_expect(!sim_event_before(&e[i], &e[i - 1]), 1)) continue;
    struct sim_event x = e[i];
    size_t k = i;
    do e[k] = e[k - 1];
    while (--k > 0 && sim_event_before(&x, &e[k - 1]));
    e[k] = x;
  }
}

/* Sorts a bucket to `run`: distributes it by time into about as many slots as there are events,
 * then swaps neighbors. It often runs on a unit's stack, so the counts of the slots are in the
 * queue. */
static void sort_to_run(struct sim_queue *q, const struct sim_bucket *b, struct sim_event *run) {
  const struct sim_event *e = b->e, *end = e + b->n;
  uint32_t bits = 0, most = 0, *start = q->start;
  while (bits < SIM_QUEUE_SLOT_BITS && bits < q->shift && 1u << bits < b->n) bits++;
  uint32_t down = q->shift - bits, mask = (1u << bits) - 1;
  memset(start, 0, (mask + 2) * sizeof *start);
  for (const struct sim_event *x = e; x < end; x++) {
    uint32_t count = ++start[(x->time_ps >> down & mask) + 1];
    most = count > most ? count : most;
  }
  for (uint32_t i = 1; i <= mask; i++) start[i] += start[i - 1];
  for (const struct sim_event *x = e; x < end; x++) run[start[x->time_ps >> down & mask]++] = *x;
  if (most <= SLOT_MAX)
    insertion_sort(run, (size_t)(end - e));
  else
    qsort(run, (size_t)(end - e), sizeof *run, queue_compare);
}

/* Appends a bucket, the next with events, to the run. */
static void run_append(struct sim_queue *q, uint64_t number) {
  uint32_t slot = (uint32_t)(number % SIM_QUEUE_BUCKETS);
  struct sim_bucket *b = &q->bucket[slot];
  size_t left = q->run_n - q->at;
  if (left + b->n > q->run_cap) {
    q->run_cap = left + b->cap;
    q->run = larger(q->run, q->run_cap);
  }
  if (left > 0) memmove(q->run, q->run + q->at, left * sizeof *q->run);
  sort_to_run(q, b, q->run + left);
  q->popped += q->at;
  q->at = 0;
  q->run_n = left + b->n;
  q->low = q->run_n > SIM_QUEUE_AHEAD ? q->run_n - SIM_QUEUE_AHEAD : 0;
  q->waiting -= b->n;
  b->n = 0;
  unmark(q->full, slot);
  queue_move(q, number);
}

/* The run is used up: the next bucket becomes the run, unless the heap has an event before all of
 * that bucket. */
static void refill(struct sim_queue *q) {
  uint64_t first = q->heap.n > 0 ? q->heap.e[0].time_ps >> q->shift : UINT64_MAX;
  if (q->waiting == 0) {
    uint64_t before = (first_block(q, far_from(q)) << SIM_QUEUE_BLOCK_BITS) - 1;
    if (first <= before) return;
    queue_move(q, before);
  }
  uint64_t number = first_full(q);
  if (first >= number) run_append(q, number);
}

/* Few events are left in the run: more are appended, so that the main loop sees them ahead. Only of
 * the very next bucket: events that are pushed later, and come before what is appended, go to the
 * heap. */
static void run_extend(struct sim_queue *q) {
  uint64_t next = q->current + 1;
  uint32_t slot = (uint32_t)(next % SIM_QUEUE_BUCKETS);
  if ((q->full[slot / 64] >> slot % 64 & 1) != 0)
    run_append(q, next);
  else
    q->low = q->run_n;
}

static bool run_is_first(struct sim_queue *q) {
  EYOTI_ASSERT(sim_queue_n(q) > 0);
  if (q->at == q->run_n) {
    if (q->waiting + q->far > 0) refill(q);
    if (q->at == q->run_n) return false;
  } else if (q->at >= q->low) {
    run_extend(q);
  }
  return q->heap.n == 0 || sim_event_before(&q->run[q->at], &q->heap.e[0]);
}

uint64_t sim_queue_next_ps(struct sim_queue *q) {
  return run_is_first(q) ? q->run[q->at].time_ps : q->heap.e[0].time_ps;
}

/* Appends the bucket's events to `all`, and empties it. */
static size_t bucket_take(struct sim_bucket *b, struct sim_event *all, size_t n) {
  if (b->n > 0) memcpy(all + n, b->e, b->n * sizeof *all);
  n += b->n;
  b->n = 0;
  return n;
}

/* Distributes everything but the heap again, to buckets of 2^shift ps. */
static void reshape(struct sim_queue *q, uint32_t shift, uint64_t now_ps) {
  size_t n = q->run_n - q->at, total = n + q->waiting + q->far;
  struct sim_event *all = larger(NULL, total + 1);
  if (n > 0) memcpy(all, q->run + q->at, n * sizeof *all);
  for (uint32_t i = 0; i < SIM_QUEUE_BUCKETS; i++) n = bucket_take(&q->bucket[i], all, n);
  for (uint32_t i = 0; i < SIM_QUEUE_BLOCKS; i++) n = bucket_take(&q->block[i], all, n);
  EYOTI_ASSERT(n == total);
  memset(q->full, 0, sizeof q->full);
  memset(q->full_blocks, 0, sizeof q->full_blocks);
  q->popped += q->at;
  q->at = q->run_n = q->low = q->waiting = q->far = 0;
  q->shift = shift;
  queue_move(q, now_ps >> shift);
  for (size_t i = 0; i < n; i++) sim_queue_push_slow(q, all[i]);
  free(all);
}

/* Chooses the width again if buckets hold less than half or more than twice the intended number. */
static void tune(struct sim_queue *q, uint64_t now_ps) {
  uint64_t goal_ps = (now_ps - q->tuned_ps) * GOAL / (q->popped + q->at);
  uint32_t shift = 0;
  while (shift < SHIFT_MAX && goal_ps >> shift > 1) shift++;
  uint32_t off = shift > q->shift ? shift - q->shift : q->shift - shift;
  if (off > 1) reshape(q, shift, now_ps);
  q->tuned_ps = now_ps;
  q->popped = (uint64_t)0 - q->at;
  size_t n = sim_queue_n(q);
  q->until_tune = TUNE_POPS + (n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2);
}

struct sim_event sim_queue_pop_slow(struct sim_queue *q) {
  struct sim_event e;
  if (run_is_first(q)) {
    e = q->run[q->at++];
  } else {
    e = sim_heap_pop(&q->heap);
    q->popped++;
    uint64_t number = e.time_ps >> q->shift;
    /* before every full bucket; otherwise that bucket would be the run */
    if (q->at == q->run_n && number > q->current) queue_move(q, number);
  }
  if (q->popped + q->at >= q->until_tune) tune(q, e.time_ps);
  return e;
}

/* Drops the stale events of buckets or blocks; returns the number of the others. */
static size_t purge(struct sim_bucket *buckets, uint32_t n, uint64_t *full,
                    bool (*stale)(const void *arg, const struct sim_event *e), const void *arg) {
  size_t all = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct sim_bucket *b = &buckets[i];
    uint32_t left = 0;
    for (uint32_t k = 0; k < b->n; k++)
      if (!stale(arg, &b->e[k])) b->e[left++] = b->e[k];
    b->n = left;
    if (left == 0) unmark(full, i);
    all += left;
  }
  return all;
}

void sim_queue_purge(struct sim_queue *q, bool (*stale)(const void *arg, const struct sim_event *e),
                     const void *arg) {
  sim_heap_purge(&q->heap, stale, arg);
  size_t n = q->at;
  for (size_t i = q->at; i < q->run_n; i++)
    if (!stale(arg, &q->run[i])) q->run[n++] = q->run[i];
  q->run_n = n;
  if (q->low > n) q->low = n;
  q->waiting = purge(q->bucket, SIM_QUEUE_BUCKETS, q->full, stale, arg);
  q->far = purge(q->block, SIM_QUEUE_BLOCKS, q->full_blocks, stale, arg);
}
