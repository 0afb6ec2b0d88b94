/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.c - sets of units as runs (ranges.h): the builder that makes runs canonical, and set
 * operations. */
#include "teams/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"

#define FIRST_CAPACITY 4u

/* -- building ---------------------------------------------------------------------------------- */

void eyoti_ranges_begin(struct eyoti_ranges_builder *b) {
  *b = (struct eyoti_ranges_builder){0};
}

static void close_run(struct eyoti_ranges_builder *b) {
  if (b->open.count == 0 || b->failed) return;
  uint32_t n = b->out == NULL ? 0 : b->out->nruns;
  if (n == b->capacity) {
    uint32_t capacity = n == 0 ? FIRST_CAPACITY : n * 2;
    struct eyoti_ranges *out =
        capacity > n ? realloc(b->out, sizeof *out + capacity * sizeof out->run[0]) : NULL;
    if (out == NULL) {
      b->failed = true;
      return;
    }
    if (n == 0) *out = (struct eyoti_ranges){0};
    b->out = out;
    b->capacity = capacity;
  }
  if (b->open.count == 1) b->open.stride = 1;
  b->open.before = b->out->size;
  b->out->run[n] = b->open;
  b->out->nruns = n + 1;
  b->out->size += b->open.count;
}

/* Keeps runs canonical: they depend only on the sequence of members. A pair whose third member does
 * not fit is split if the third is closer, so that {0, 100, 101, 102} becomes {0} and
 * {100..102}. */
static void append_one(struct eyoti_ranges_builder *b, uint32_t unit) {
  struct eyoti_run *o = &b->open;
  if (o->count == 0) {
    *o = (struct eyoti_run){.first = unit, .count = 1, .stride = 1};
    return;
  }
  uint32_t last = eyoti_run_last(o);
  EYOTI_ASSERT(unit > last);
  if (o->count == 1) {
    o->stride = unit - o->first;
    o->count = 2;
  } else if (unit - last == o->stride) {
    o->count++;
  } else if (o->count == 2 && unit - last < o->stride) {
    o->count = 1;
    close_run(b);
    *o = (struct eyoti_run){.first = last, .count = 2, .stride = unit - last};
  } else {
    close_run(b);
    *o = (struct eyoti_run){.first = unit, .count = 1, .stride = 1};
  }
}

/* After three members of one stride the open run has that stride, whatever precedes it, and the
 * other members are added at once. */
void eyoti_ranges_append(struct eyoti_ranges_builder *b, uint32_t first, uint32_t count,
                         uint32_t stride) {
  for (uint32_t i = 0; i < 3 && i < count; i++) append_one(b, first + i * stride);
  if (count <= 3) return;
  EYOTI_ASSERT(b->open.stride == stride && b->open.count >= 2);
  b->open.count += count - 3;
}

int eyoti_ranges_finish(struct eyoti_ranges_builder *b, struct eyoti_ranges **out) {
  close_run(b);
  if (b->out == NULL && !b->failed) {
    b->out = calloc(1, sizeof *b->out);
    b->failed = b->out == NULL;
  }
  if (b->failed) {
    free(b->out);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a set of units");
  }
  EYOTI_ASSERT(eyoti_ranges_is_valid(b->out));
  *out = b->out;
  return EYOT_OK;
}

int eyoti_ranges_new(uint32_t first, uint32_t count, uint32_t stride, struct eyoti_ranges **out) {
  struct eyoti_ranges_builder b;
  eyoti_ranges_begin(&b);
  eyoti_ranges_append(&b, first, count, stride);
  return eyoti_ranges_finish(&b, out);
}

int eyoti_ranges_from_sorted(const uint32_t *units, uint32_t n, struct eyoti_ranges **out) {
  struct eyoti_ranges_builder b;
  eyoti_ranges_begin(&b);
  for (uint32_t i = 0; i < n; i++)
    if (i == 0 || units[i] != units[i - 1]) append_one(&b, units[i]);
  return eyoti_ranges_finish(&b, out);
}

int eyoti_ranges_copy(const struct eyoti_ranges *r, struct eyoti_ranges **out) {
  struct eyoti_ranges *copy = malloc(eyoti_ranges_bytes(r));
  if (copy == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a set of units of %u runs", r->nruns);
  memcpy(copy, r, eyoti_ranges_bytes(r));
  *out = copy;
  return EYOT_OK;
}

/* -- set algebra ------------------------------------------------------------------------------- */

/* The rest of a set during a traversal. */
struct cursor {
  const struct eyoti_ranges *set;
  uint32_t next_run;
  struct eyoti_run left; /* count 0: the end was reached */
};

static void cursor_load(struct cursor *c) {
  if (c->left.count == 0 && c->next_run < c->set->nruns) c->left = c->set->run[c->next_run++];
}

static struct cursor cursor_of(const struct eyoti_ranges *set) {
  struct cursor c = {.set = set};
  cursor_load(&c);
  return c;
}

static void cursor_skip(struct cursor *c, uint32_t count) {
  c->left.count -= count;
  c->left.first += count * c->left.stride;
  cursor_load(c);
}

/* The number of members below `unit` in the rest of the run. */
static uint32_t members_below(const struct eyoti_run *r, uint32_t unit) {
  if (r->count == 0 || unit <= r->first) return 0;
  uint32_t n = (unit - r->first - 1) / r->stride + 1;
  return n < r->count ? n : r->count;
}

/* Finds the next piece: members that only a has, only b has, or both have, ascending. False: both
 * are at the end. */
static bool next_piece(struct cursor *a, struct cursor *b, struct eyoti_run *piece, bool *in_a,
                       bool *in_b) {
  const struct eyoti_run *x = &a->left, *y = &b->left;
  if (x->count == 0 && y->count == 0) return false;
  uint32_t only_a = y->count == 0 ? x->count : members_below(x, y->first);
  uint32_t only_b = x->count == 0 ? y->count : members_below(y, x->first);
  uint32_t both = 1;
  if (only_a == 0 && only_b == 0 && x->stride == y->stride)
    both = x->count < y->count ? x->count : y->count;
  *in_a = only_b == 0;
  *in_b = only_a == 0;
  *piece = *in_a ? *x : *y;
  piece->count = only_a > 0 ? only_a : only_b > 0 ? only_b : both;
  if (*in_a) cursor_skip(a, piece->count);
  if (*in_b) cursor_skip(b, piece->count);
  return true;
}

int eyoti_ranges_combine(enum eyoti_ranges_op op, const struct eyoti_ranges *a,
                         const struct eyoti_ranges *b, struct eyoti_ranges **out) {
  struct cursor ca = cursor_of(a), cb = cursor_of(b);
  struct eyoti_ranges_builder builder;
  struct eyoti_run piece;
  bool in_a, in_b;
  eyoti_ranges_begin(&builder);
  while (next_piece(&ca, &cb, &piece, &in_a, &in_b)) {
    bool keep = op == EYOTI_RANGES_UNION || (op == EYOTI_RANGES_INTERSECT && in_a && in_b) ||
                (op == EYOTI_RANGES_DIFFERENCE && !in_b);
    if (keep) eyoti_ranges_append(&builder, piece.first, piece.count, piece.stride);
  }
  return eyoti_ranges_finish(&builder, out);
}

bool eyoti_ranges_subset(const struct eyoti_ranges *a, const struct eyoti_ranges *b) {
  struct cursor ca = cursor_of(a), cb = cursor_of(b);
  struct eyoti_run piece;
  bool in_a, in_b;
  while (ca.left.count > 0 && next_piece(&ca, &cb, &piece, &in_a, &in_b))
    if (!in_b) return false;
  return true;
}

int eyoti_ranges_slice(const struct eyoti_ranges *r, uint32_t start, uint32_t count,
                       struct eyoti_ranges **out) {
  EYOTI_ASSERT(start <= r->size && count <= r->size - start);
  struct eyoti_ranges_builder b;
  eyoti_ranges_begin(&b);
  for (uint32_t i = 0; i < r->nruns && count > 0; i++) {
    const struct eyoti_run *run = &r->run[i];
    if (start >= run->before + run->count) continue;
    uint32_t skip = start - run->before;
    uint32_t take = run->count - skip < count ? run->count - skip : count;
    eyoti_ranges_append(&b, run->first + skip * run->stride, take, run->stride);
    start += take;
    count -= take;
  }
  return eyoti_ranges_finish(&b, out);
}

/* -- queries ----------------------------------------------------------------------------------- */

/* The index of the last run for which key(run) <= x, or UINT32_MAX. */
static uint32_t run_of_index(const struct eyoti_ranges *r, uint32_t index) {
  uint32_t lo = 0, hi = r->nruns;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->run[mid].before <= index)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo - 1;
}

static uint32_t run_of_unit(const struct eyoti_ranges *r, uint32_t unit) {
  uint32_t lo = 0, hi = r->nruns;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->run[mid].first <= unit)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo - 1;
}

uint32_t eyoti_ranges_at(const struct eyoti_ranges *r, uint32_t i) {
  EYOTI_ASSERT(i < r->size);
  const struct eyoti_run *run = &r->run[run_of_index(r, i)];
  return run->first + (i - run->before) * run->stride;
}

bool eyoti_ranges_index(const struct eyoti_ranges *r, uint32_t unit, uint32_t *index) {
  uint32_t i = run_of_unit(r, unit);
  if (i == UINT32_MAX) return false;
  const struct eyoti_run *run = &r->run[i];
  uint32_t distance = unit - run->first;
  if (distance % run->stride != 0 || distance / run->stride >= run->count) return false;
  if (index != NULL) *index = run->before + distance / run->stride;
  return true;
}

bool eyoti_ranges_equal(const struct eyoti_ranges *a, const struct eyoti_ranges *b) {
  return a->nruns == b->nruns && memcmp(a, b, eyoti_ranges_bytes(a)) == 0;
}

uint64_t eyoti_ranges_hash(const struct eyoti_ranges *r) {
  uint64_t h = r->size;
  for (uint32_t i = 0; i < r->nruns; i++)
    h = eyoti_hash_mix(eyoti_hash_mix(h, (uint64_t)r->run[i].first << 32 | r->run[i].count),
                       r->run[i].stride);
  return h;
}

bool eyoti_ranges_is_valid(const struct eyoti_ranges *r) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < r->nruns; i++) {
    const struct eyoti_run *run = &r->run[i];
    if (run->count == 0 || run->stride == 0 || run->before != size ||
        (run->count == 1 && run->stride != 1))
      return false;
    if ((uint64_t)run->first + (uint64_t)(run->count - 1) * run->stride >= UINT32_MAX) return false;
    if (i > 0 && run->first <= eyoti_run_last(run - 1)) return false;
    size += run->count;
  }
  return size == r->size;
}
