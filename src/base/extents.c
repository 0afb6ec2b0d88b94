/* SPDX-License-Identifier: BSD-3-Clause */
/* extents.c - implements extents.h. A part has at most PART_MOST extents, sorted, and the length of
 * the largest gap before any of them: searches pass over parts without a gap that is large enough,
 * and an insertion moves one part's extents only. Up to PART_MOST extents are one part, `first`;
 * more are those of `parts`, each with space for PART_MOST. Only an empty space has an empty
 * part. */
#include "base/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FIRST_CAPACITY 4u
#define PART_MOST 128u
#define PARTS_FIRST 8u

/* Extent i of part k; of the last part, i may be the number of its extents: the end. */
struct spot {
  uint32_t k, i;
};

void eyoti_extents_init(struct eyoti_extents *e, uint64_t begin, uint64_t end) {
  EYOTI_ASSERT(begin <= end && end < (uint64_t)1 << 63);
  *e = (struct eyoti_extents){.begin = begin, .end = end, .n_parts = 1};
}

static struct eyoti_extents_part *part_at(struct eyoti_extents *e, uint32_t k) {
  return e->parts != NULL ? &e->parts[k] : &e->first;
}
static const struct eyoti_extents_part *part_of(const struct eyoti_extents *e, uint32_t k) {
  return e->parts != NULL ? &e->parts[k] : &e->first;
}

static void release_all(struct eyoti_extents *e) {
  for (uint32_t k = 0; k < e->n_parts; k++) free(part_at(e, k)->used);
  free(e->parts);
  free(e->spare);
  e->parts = NULL;
  e->spare = NULL;
  e->first = (struct eyoti_extents_part){0};
  e->n_parts = 1;
  e->capacity = 0;
}

void eyoti_extents_fini(struct eyoti_extents *e) {
  release_all(e);
  *e = (struct eyoti_extents){.n_parts = 1};
}

/* -- places and gaps --------------------------------------------------------------------------- */

static uint64_t end_of(const struct eyoti_extent *x) {
  return x->off + x->len;
}
static uint64_t part_end(const struct eyoti_extents_part *p) {
  return end_of(&p->used[p->n - 1]);
}

/* The first extent that ends above `off`: the first that can overlap a range from `off` on. */
static struct spot first_ending_above(const struct eyoti_extents *e, uint64_t off) {
  uint32_t lo = 0, hi = e->n_parts - 1; /* the last part also has the end */
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (part_end(part_of(e, mid)) > off)
      hi = mid;
    else
      lo = mid + 1;
  }
  const struct eyoti_extents_part *p = part_of(e, lo);
  struct spot at = {lo, 0};
  for (hi = p->n; at.i < hi;) {
    uint32_t mid = at.i + (hi - at.i) / 2;
    if (end_of(&p->used[mid]) > off)
      hi = mid;
    else
      at.i = mid + 1;
  }
  return at;
}

/* The start and end of the gap before a place. */
static uint64_t gap_start(const struct eyoti_extents *e, uint32_t k, uint32_t i) {
  if (i > 0) return end_of(&part_of(e, k)->used[i - 1]);
  return k > 0 ? part_end(part_of(e, k - 1)) : e->begin;
}
static uint64_t gap_end(const struct eyoti_extents *e, uint32_t k, uint32_t i) {
  const struct eyoti_extents_part *p = part_of(e, k);
  return i < p->n ? p->used[i].off : e->end;
}

static uint64_t largest_gap(const struct eyoti_extents *e, uint32_t k) {
  const struct eyoti_extents_part *p = part_of(e, k);
  uint64_t largest = 0, start = gap_start(e, k, 0);
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->used[i].off - start > largest) largest = p->used[i].off - start;
    start = end_of(&p->used[i]);
  }
  return largest;
}

/* Measures again what a change of part k before its place i can have changed. */
static void measure(struct eyoti_extents *e, uint32_t k, uint32_t i) {
  part_at(e, k)->gap = largest_gap(e, k);
  if (i >= part_of(e, k)->n && k + 1 < e->n_parts) part_at(e, k + 1)->gap = largest_gap(e, k + 1);
}

static uint64_t origin_at(const struct eyoti_extents *e, uint64_t off) {
  return e->cut != 0 && off >= e->cut ? e->cut_origin : e->origin;
}
/* The first offset from `off` on, and the last up to it, whose address is aligned. The latter may
 * wrap below 0, to a large number. */
static uint64_t align_up(const struct eyoti_extents *e, uint64_t off, uint64_t align) {
  uint64_t origin = origin_at(e, off);
  return ((origin + off + align - 1) & ~(align - 1)) - origin;
}
static uint64_t align_down(const struct eyoti_extents *e, uint64_t off, uint64_t align) {
  uint64_t origin = origin_at(e, off);
  return ((origin + off) & ~(align - 1)) - origin;
}

/* Whether a range that is to end before the cut does not. */
static bool is_cut(const struct eyoti_extents *e, uint64_t off, uint64_t len) {
  return off > e->cut || len > e->cut - off;
}
static bool is_power_of_two(uint64_t x) {
  return x != 0 && (x & (x - 1)) == 0;
}

/* -- searches ---------------------------------------------------------------------------------- */

static bool lowest_in_gap(const struct eyoti_extents *e, uint32_t k, uint32_t i, uint64_t len,
                          uint64_t align, uint64_t hint, uint64_t *off) {
  uint64_t start = gap_start(e, k, i), end = gap_end(e, k, i);
  uint64_t from = start > hint ? start : hint, at = align_up(e, from, align);
  if (from < e->cut && is_cut(e, at, len)) at = align_up(e, e->cut, align);
  if (at < start || at > end || len > end - at) return false;
  *off = at;
  return true;
}

static bool highest_in_gap(const struct eyoti_extents *e, uint32_t k, uint32_t i, uint64_t len,
                           uint64_t align, uint64_t *off) {
  uint64_t start = gap_start(e, k, i), end = gap_end(e, k, i);
  if (len > end - start) return false;
  uint64_t at = align_down(e, end - len, align);
  if (start < e->cut && end > e->cut && at < e->cut) {
    if (len > e->cut - start) return false;
    at = align_down(e, e->cut - len, align);
  }
  if (at < start || at > end) return false;
  *off = at;
  return true;
}

bool eyoti_extents_lowest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                          uint64_t hint, uint64_t *off) {
  EYOTI_ASSERT(len > 0 && is_power_of_two(align));
  if (hint >= e->end) return false;
  struct spot at = first_ending_above(e, hint);
  for (uint32_t k = at.k; k < e->n_parts; k++) {
    const struct eyoti_extents_part *p = part_of(e, k);
    for (uint32_t i = k == at.k ? at.i : 0; p->gap >= len && i < p->n; i++)
      if (lowest_in_gap(e, k, i, len, align, hint, off)) return true;
  }
  uint32_t last = e->n_parts - 1;
  return lowest_in_gap(e, last, part_of(e, last)->n, len, align, hint, off);
}

bool eyoti_extents_highest(const struct eyoti_extents *e, uint64_t len, uint64_t align,
                           uint64_t *off) {
  EYOTI_ASSERT(len > 0 && is_power_of_two(align));
  uint32_t k = e->n_parts - 1;
  if (highest_in_gap(e, k, part_of(e, k)->n, len, align, off)) return true;
  for (k = e->n_parts; k-- > 0;) {
    const struct eyoti_extents_part *p = part_of(e, k);
    for (uint32_t i = p->n; p->gap >= len && i-- > 0;)
      if (highest_in_gap(e, k, i, len, align, off)) return true;
  }
  return false;
}

/* True if `len` bytes at `off` are free before the first extent that ends above off. */
static bool is_free_before(const struct eyoti_extents *e, struct spot at, uint64_t off,
                           uint64_t len) {
  uint64_t end = gap_end(e, at.k, at.i);
  return end >= off && len <= end - off;
}

bool eyoti_extents_is_free(const struct eyoti_extents *e, uint64_t off, uint64_t len) {
  if (off < e->begin || off > e->end || len > e->end - off) return false;
  if (off < e->cut && is_cut(e, off, len)) return false;
  return is_free_before(e, first_ending_above(e, off), off, len);
}

static void take_larger(uint64_t from, uint64_t to, uint64_t *largest, uint64_t *at) {
  if (to - from <= *largest) return;
  *largest = to - from;
  *at = from;
}

uint64_t eyoti_extents_largest_free(const struct eyoti_extents *e, uint64_t *start) {
  uint64_t largest = 0, at = e->begin;
  for (uint32_t k = 0; k < e->n_parts; k++) {
    const struct eyoti_extents_part *p = part_of(e, k);
    bool last = k + 1 == e->n_parts;
    for (uint32_t i = 0; (last || p->gap > largest) && i < p->n + last; i++) {
      uint64_t from = gap_start(e, k, i), to = gap_end(e, k, i);
      if (from < e->cut && e->cut < to) {
        take_larger(from, e->cut, &largest, &at);
        from = e->cut;
      }
      take_larger(from, to, &largest, &at);
    }
  }
  if (start != NULL) *start = at;
  return largest;
}

/* -- changes ----------------------------------------------------------------------------------- */

static int no_memory(uint64_t n) {
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of %u allocations", (uint32_t)n);
}

/* Space for a part more: its extents, and its place in the table. */
static int reserve_part(struct eyoti_extents *e) {
  if (e->spare == NULL) e->spare = malloc(PART_MOST * sizeof *e->spare);
  if (e->spare == NULL) return no_memory(e->n + UINT64_C(1));
  if (e->parts != NULL && e->n_parts < e->capacity) return EYOT_OK;
  uint64_t capacity = e->parts == NULL ? PARTS_FIRST : e->capacity * UINT64_C(2);
  struct eyoti_extents_part *parts = realloc(e->parts, capacity * sizeof *parts);
  if (parts == NULL) return no_memory(e->n + UINT64_C(1));
  if (e->parts == NULL) parts[0] = e->first;
  e->parts = parts;
  e->capacity = (uint32_t)capacity;
  return EYOT_OK;
}

int eyoti_extents_reserve(struct eyoti_extents *e) {
  if (e->parts != NULL || e->n == PART_MOST) return reserve_part(e);
  struct eyoti_extents_part *p = &e->first;
  if (e->n < e->capacity) return EYOT_OK;
  uint32_t capacity = e->capacity == 0 ? FIRST_CAPACITY : e->capacity * 2;
  struct eyoti_extent *used = realloc(p->used, capacity * sizeof *used);
  if (used == NULL) return no_memory(capacity);
  p->used = used;
  e->capacity = capacity;
  return EYOT_OK;
}

/* Moves the upper half of a full part to a new one after it. */
static void split(struct eyoti_extents *e, uint32_t k) {
  memmove(&e->parts[k + 1], &e->parts[k], (e->n_parts - k) * sizeof *e->parts);
  struct eyoti_extents_part *low = &e->parts[k], *high = &e->parts[k + 1];
  e->n_parts++;
  low->n = PART_MOST / 2;
  *high = (struct eyoti_extents_part){.used = e->spare, .n = PART_MOST - low->n};
  e->spare = NULL;
  memcpy(high->used, &low->used[low->n], high->n * sizeof *high->used);
  measure(e, k, low->n);
}

int eyoti_extents_take(struct eyoti_extents *e, uint64_t off, uint64_t len) {
  EYOTI_ASSERT(len > 0 && off >= e->begin && off <= e->end && len <= e->end - off);
  struct spot at = first_ending_above(e, off);
  EYOTI_ASSERT(is_free_before(e, at, off, len));
  EYOTI_TRY(eyoti_extents_reserve(e));
  if (part_of(e, at.k)->n == PART_MOST) {
    split(e, at.k);
    if (at.i > PART_MOST / 2) at = (struct spot){at.k + 1, at.i - PART_MOST / 2};
  }
  struct eyoti_extents_part *p = part_at(e, at.k);
  memmove(&p->used[at.i + 1], &p->used[at.i], (p->n - at.i) * sizeof *p->used);
  p->used[at.i] = (struct eyoti_extent){off, len};
  p->n++;
  e->n++;
  measure(e, at.k, at.i + 1);
  return EYOT_OK;
}

/* Drops a part whose extents, if it has any, were moved. */
static void drop_part(struct eyoti_extents *e, uint32_t k) {
  if (e->spare == NULL)
    e->spare = e->parts[k].used;
  else
    free(e->parts[k].used);
  e->n_parts--;
  memmove(&e->parts[k], &e->parts[k + 1], (e->n_parts - k) * sizeof *e->parts);
}

/* Joins part k with the next, if they fill half a part. */
static void join(struct eyoti_extents *e, uint32_t k) {
  if (k + 1 >= e->n_parts || e->parts[k].n + e->parts[k + 1].n > PART_MOST / 2) return;
  struct eyoti_extents_part *p = &e->parts[k], *next = p + 1;
  memcpy(&p->used[p->n], next->used, next->n * sizeof *next->used);
  p->n += next->n;
  drop_part(e, k + 1);
}

bool eyoti_extents_release(struct eyoti_extents *e, uint64_t off, uint64_t *len) {
  struct spot at = first_ending_above(e, off);
  struct eyoti_extents_part *p = part_at(e, at.k);
  if (at.i == p->n || p->used[at.i].off != off) return false;
  if (len != NULL) *len = p->used[at.i].len;
  p->n--;
  e->n--;
  memmove(&p->used[at.i], &p->used[at.i + 1], (p->n - at.i) * sizeof *p->used);
  if (e->n == 0 && e->promised_len == 0) {
    release_all(e);
    return true;
  }
  if (p->n == 0 && e->n_parts > 1) {
    drop_part(e, at.k);
    if (at.k == e->n_parts) return true; /* the last: the gap at the end has no part */
    at.i = 0;
  }
  join(e, at.k);
  measure(e, at.k, at.i);
  return true;
}

bool eyoti_extents_is_valid(const struct eyoti_extents *e) {
  uint64_t at = e->begin;
  uint32_t n = 0;
  for (uint32_t k = 0; k < e->n_parts; k++) {
    const struct eyoti_extents_part *p = part_of(e, k);
    if (p->n > PART_MOST || (p->n == 0 && e->n > 0) || p->gap != largest_gap(e, k)) return false;
    for (uint32_t i = 0; i < p->n; i++) {
      if (p->used[i].off < at || p->used[i].len == 0 || p->used[i].len > e->end - p->used[i].off)
        return false;
      if (p->used[i].off < e->cut && is_cut(e, p->used[i].off, p->used[i].len)) return false;
      at = end_of(&p->used[i]);
    }
    n += p->n;
  }
  return n == e->n && at <= e->end;
}
