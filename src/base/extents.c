/* SPDX-License-Identifier: BSD-3-Clause */
/* extents.c - implements extents.h: a sorted array, searched by halving. */
#include "base/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FIRST_CAPACITY 4u

void eyoti_extents_init(struct eyoti_extents *e, uint64_t begin, uint64_t end) {
  EYOTI_ASSERT(begin <= end && end < (uint64_t)1 << 63);
  *e = (struct eyoti_extents){.begin = begin, .end = end};
}

void eyoti_extents_fini(struct eyoti_extents *e) {
  free(e->used);
  *e = (struct eyoti_extents){0};
}

/* The index of the first extent that ends above `off`: the first that can overlap a range from
 * `off` on. */
static uint32_t first_ending_above(const struct eyoti_extents *e, uint64_t off) {
  if (off <= e->begin) return 0;
  uint32_t lo = 0, hi = e->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (e->used[mid].off + e->used[mid].len > off)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

/* The first offset from `off` on, and the last up to it, whose address is aligned. The latter may
 * wrap below 0, to a large number. */
static uint64_t align_up(const struct eyoti_extents *e, uint64_t off, uint64_t align) {
  return ((e->origin + off + align - 1) & ~(align - 1)) - e->origin;
}
static uint64_t align_down(const struct eyoti_extents *e, uint64_t off, uint64_t align) {
  return ((e->origin + off) & ~(align - 1)) - e->origin;
}
static bool is_power_of_two(uint64_t x) {
  return x != 0 && (x & (x - 1)) == 0;
}

/* The start and end of the gap before extent i (i == n: the last gap). */
static uint64_t gap_start(const struct eyoti_extents *e, uint32_t i) {
  return i == 0 ? e->begin : e->used[i - 1].off + e->used[i - 1].len;
}
static uint64_t gap_end(const struct eyoti_extents *e, uint32_t i) {
  return i == e->n ? e->end : e->used[i].off;
}

/* Counts on after an extent was taken. */
static void pack(struct eyoti_extents *e) {
  while (e->packed < e->n && gap_start(e, e->packed) == e->used[e->packed].off) e->packed++;
}

bool eyoti_extents_lowest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                          uint64_t hint, uint64_t *off) {
  EYOTI_ASSERT(len > 0 && is_power_of_two(align));
  if (hint >= e->end) return false;
  uint32_t first = first_ending_above(e, hint);
  for (uint32_t i = first > e->packed ? first : e->packed; i <= e->n; i++) {
    uint64_t start = gap_start(e, i), end = gap_end(e, i);
    uint64_t at = align_up(e, start > hint ? start : hint, align);
    if (at >= start && at <= end && len <= end - at) {
      *off = at;
      return true;
    }
  }
  return false;
}

bool eyoti_extents_highest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                           uint64_t *off) {
  EYOTI_ASSERT(len > 0 && is_power_of_two(align));
  for (uint32_t i = e->n + 1; i-- > 0;) {
    uint64_t start = gap_start(e, i), end = gap_end(e, i);
    if (len > end - start) continue;
    uint64_t at = align_down(e, end - len, align);
    if (at < start || at > end) continue;
    *off = at;
    return true;
  }
  return false;
}

/* True if `len` bytes at `off` are free before extent i, the first that ends above off. */
static bool is_free_before(const struct eyoti_extents *e, uint32_t i, uint64_t off, uint64_t len) {
  return i == e->n || (e->used[i].off >= off && len <= e->used[i].off - off);
}

bool eyoti_extents_is_free(const struct eyoti_extents *e, uint64_t off, uint64_t len) {
  if (off < e->begin || off > e->end || len > e->end - off) return false;
  return is_free_before(e, first_ending_above(e, off), off, len);
}

int eyoti_extents_reserve(struct eyoti_extents *e) {
  if (e->n < e->capacity) return EYOT_OK;
  uint32_t capacity = e->capacity == 0 ? FIRST_CAPACITY : e->capacity * 2;
  struct eyoti_extent *used =
      capacity > e->capacity ? realloc(e->used, capacity * sizeof *used) : NULL;
  if (used == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of %u allocations", capacity);
  e->used = used;
  e->capacity = capacity;
  return EYOT_OK;
}

int eyoti_extents_take(struct eyoti_extents *e, uint64_t off, uint64_t len) {
  EYOTI_ASSERT(len > 0 && off >= e->begin && off <= e->end && len <= e->end - off);
  uint32_t i = first_ending_above(e, off);
  EYOTI_ASSERT(is_free_before(e, i, off, len));
  EYOTI_TRY(eyoti_extents_reserve(e));
  if (i < e->n) memmove(&e->used[i + 1], &e->used[i], (e->n - i) * sizeof *e->used);
  e->used[i] = (struct eyoti_extent){off, len};
  e->n++;
  pack(e);
  return EYOT_OK;
}

bool eyoti_extents_release(struct eyoti_extents *e, uint64_t off, uint64_t *len) {
  uint32_t i = first_ending_above(e, off);
  if (i == e->n || e->used[i].off != off) return false;
  if (len != NULL) *len = e->used[i].len;
  e->n--;
  if (i < e->packed) e->packed = i;
  if (i < e->n) memmove(&e->used[i], &e->used[i + 1], (e->n - i) * sizeof *e->used);
  if (e->n == 0 && e->capacity > FIRST_CAPACITY) {
    free(e->used);
    e->used = NULL;
    e->capacity = 0;
  }
  return true;
}

uint64_t eyoti_extents_largest_free(const struct eyoti_extents *e, uint64_t *start) {
  uint64_t largest = 0, at = e->begin;
  for (uint32_t i = 0; i <= e->n; i++) {
    uint64_t gap = gap_end(e, i) - gap_start(e, i);
    if (gap <= largest) continue;
    largest = gap;
    at = gap_start(e, i);
  }
  if (start != NULL) *start = at;
  return largest;
}

bool eyoti_extents_is_valid(const struct eyoti_extents *e) {
  uint64_t at = e->begin;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->used[i].off < at || e->used[i].len == 0 || e->used[i].len > e->end - e->used[i].off)
      return false;
    at = e->used[i].off + e->used[i].len;
  }
  for (uint32_t i = 0; i < e->packed; i++)
    if (i >= e->n || gap_start(e, i) != gap_end(e, i)) return false;
  return e->n <= e->capacity && at <= e->end;
}
