/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - see heap.h. Four children a node: half the depth of a binary heap, and one cache
 * line for a node's children. */
#include "fabric_sim/engine/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/pages.h"

#define FIRST_CAP 1024u
#define LEAD 3u /* places before the root, so that nodes 1-4, 5-8, ... are aligned to cache lines */

void fs_heap_init(struct fs_heap *h) {
  *h = (struct fs_heap){0};
}

void fs_heap_fini(struct fs_heap *h) {
  if (h->e != NULL) free(h->e - LEAD);
  *h = (struct fs_heap){0};
}

static void grow(struct fs_heap *h) {
  size_t cap = h->cap == 0 ? FIRST_CAP : h->cap * 2;
  struct fs_event *block = fs_pages_alloc((cap + LEAD) * sizeof *block);
  if (block == NULL) EYOTI_PANIC("no memory for %zu simulator events", cap);
  struct fs_event *e = block + LEAD;
  if (h->e != NULL) {
    memcpy(e, h->e, h->n * sizeof *e);
    free(h->e - LEAD);
  }
  h->e = e;
  h->cap = cap;
}

void fs_heap_push(struct fs_heap *h, struct fs_event e) {
  if (h->n == h->cap) grow(h);
  size_t i = h->n++;
  while (i > 0) {
    size_t up = (i - 1) / 4;
    if (!fs_event_before(&e, &h->e[up])) break;
    h->e[i] = h->e[up];
    i = up;
  }
  h->e[i] = e;
}

/* The least of the children first .. first+3, all of which exist. */
static inline size_t least_of_four(const struct fs_event *e, size_t first) {
  size_t a = first + (size_t)fs_event_before(&e[first + 1], &e[first]);
  size_t b = first + 2 + (size_t)fs_event_before(&e[first + 3], &e[first + 2]);
  return fs_event_before(&e[b], &e[a]) ? b : a;
}

static inline size_t least_of_some(const struct fs_event *e, size_t first, size_t end) {
  size_t least = first;
  for (size_t c = first + 1; c < end; c++)
    if (fs_event_before(&e[c], &e[least])) least = c;
  return least;
}

/* Puts `e`, which comes from the bottom, where the hole at i is, or below: the hole goes down to a
 * leaf first, since `e` nearly always belongs there. */
static void sift_down(struct fs_heap *h, size_t i, struct fs_event e) {
  const size_t top = i;
  for (size_t first = 4 * i + 1; first < h->n; first = 4 * i + 1) {
    size_t least =
        first + 4 <= h->n ? least_of_four(h->e, first) : least_of_some(h->e, first, h->n);
    h->e[i] = h->e[least];
    i = least;
  }
  while (i > top) {
    size_t up = (i - 1) / 4;
    if (!fs_event_before(&e, &h->e[up])) break;
    h->e[i] = h->e[up];
    i = up;
  }
  h->e[i] = e;
}

struct fs_event fs_heap_pop(struct fs_heap *h) {
  EYOTI_ASSERT(h->n > 0);
  struct fs_event top = h->e[0];
  struct fs_event last = h->e[--h->n];
  if (h->n > 0) sift_down(h, 0, last);
  return top;
}

void fs_heap_purge(struct fs_heap *h, bool (*stale)(const void *arg, const struct fs_event *e),
                   const void *arg) {
  size_t n = 0;
  for (size_t i = 0; i < h->n; i++)
    if (!stale(arg, &h->e[i])) h->e[n++] = h->e[i];
  h->n = n;
  for (size_t i = n / 4 + 1; i-- > 0;)
    if (i < n) sift_down(h, i, h->e[i]);
}
