/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - a 4-ary heap of events. See heap.h. Four children per node halve the depth of a binary
 * heap, and a node's children share one cache line. */
#include "fabric_sim/engine/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/host/pages.h"

#define FIRST_CAP 32u
/* slots before the root, so that nodes 1-4, 5-8, ... are aligned to cache lines */
#define ALIGN_SLOTS 3u

void sim_heap_init(struct sim_heap *h) {
  *h = (struct sim_heap){0};
}

void sim_heap_fini(struct sim_heap *h) {
  if (h->e != NULL) free(h->e - ALIGN_SLOTS);
  *h = (struct sim_heap){0};
}

static void heap_grow(struct sim_heap *h) {
  size_t cap = h->cap == 0 ? FIRST_CAP : h->cap * 2;
  struct sim_event *block = sim_pages_alloc((cap + ALIGN_SLOTS) * sizeof *block);
  if (block == NULL)
    eyoti_no_memory(cap * sizeof(struct sim_event),
                    "%zu events of the simulator; lower EYOT_MAX_OUTSTANDING", cap);
  struct sim_event *e = block + ALIGN_SLOTS;
  if (h->e != NULL) {
    memcpy(e, h->e, h->n * sizeof *e);
    free(h->e - ALIGN_SLOTS);
  }
  h->e = e;
  h->cap = cap;
}

void sim_heap_push(struct sim_heap *h, struct sim_event e) {
  if (h->n == h->cap) heap_grow(h);
  size_t i = h->n++;
  while (i > 0) {
    size_t up = (i - 1) / 4;
    if (!sim_event_before(&e, &h->e[up])) break;
    h->e[i] = h->e[up];
    i = up;
  }
  h->e[i] = e;
}

/* Returns the least of the children first .. first+3, all of which exist. */
static inline size_t least_of_four(const struct sim_event *e, size_t first) {
  size_t a = first + (size_t)sim_event_before(&e[first + 1], &e[first]);
  size_t b = first + 2 + (size_t)sim_event_before(&e[first + 3], &e[first + 2]);
  return sim_event_before(&e[b], &e[a]) ? b : a;
}

static inline size_t least_of_some(const struct sim_event *e, size_t first, size_t end) {
  size_t least = first;
  for (size_t c = first + 1; c < end; c++)
    if (sim_event_before(&e[c], &e[least])) least = c;
  return least;
}

/* Puts `e`, which comes from the bottom, into the hole at i or below: the hole first moves down to
 * a leaf, since `e` nearly always belongs there. */
static void sift_down(struct sim_heap *h, size_t i, struct sim_event e) {
  const size_t top = i;
  for (size_t first = 4 * i + 1; first < h->n; first = 4 * i + 1) {
    size_t least =
        first + 4 <= h->n ? least_of_four(h->e, first) : least_of_some(h->e, first, h->n);
    h->e[i] = h->e[least];
    i = least;
  }
  while (i > top) {
    size_t up = (i - 1) / 4;
    if (!sim_event_before(&e, &h->e[up])) break;
    h->e[i] = h->e[up];
    i = up;
  }
  h->e[i] = e;
}

struct sim_event sim_heap_pop(struct sim_heap *h) {
  EYOTI_ASSERT(h->n > 0);
  struct sim_event top = h->e[0];
  struct sim_event last = h->e[--h->n];
  if (h->n > 0) sift_down(h, 0, last);
  return top;
}

void sim_heap_purge(struct sim_heap *h, bool (*stale)(const void *arg, const struct sim_event *e),
                    const void *arg) {
  size_t n = 0;
  for (size_t i = 0; i < h->n; i++)
    if (!stale(arg, &h->e[i])) h->e[n++] = h->e[i];
  h->n = n;
  for (size_t i = n / 4 + 1; i-- > 0;)
    if (i < n) sift_down(h, i, h->e[i]);
}
