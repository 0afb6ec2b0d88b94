/* SPDX-License-Identifier: BSD-3-Clause */
/* group.c - the functions of eyot/group.h. A group holds an immutable set (ranges.h); a change
 * replaces it. */
#include "teams/group.h"

#include <stdlib.h>
#include <string.h>

#include "rt/rt.h"

struct eyot_group {
  struct eyoti_ranges *set;
};

const struct eyoti_ranges *eyoti_group_ranges(const eyot_group_t *g) {
  return g->set;
}

/* Takes ownership of `set`, also when it fails. */
static int wrap(struct eyoti_ranges *set, eyot_group_t **out) {
  eyot_group_t *g = malloc(sizeof *g);
  if (g == NULL) {
    free(set);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a group");
  }
  g->set = set;
  *out = g;
  return EYOT_OK;
}

int eyoti_group_of(const struct eyoti_ranges *set, eyot_group_t **out) {
  struct eyoti_ranges *copy;
  EYOTI_TRY(eyoti_ranges_copy(set, &copy));
  return wrap(copy, out);
}

static int group_range(uint32_t first, uint32_t count, uint32_t stride, eyot_group_t **out) {
  if (out == NULL) return EYOTI_FAIL(EYOT_EINVAL, "out is NULL");
  if (stride == 0) return EYOTI_FAIL(EYOT_EINVAL, "stride is 0, expected at least 1");
  if (count > 0 && (uint64_t)first + (uint64_t)(count - 1) * stride >= UINT32_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "%u units from %u by %u go beyond the largest unit id %u", count,
                      first, stride, UINT32_MAX - 1);
  struct eyoti_ranges *set;
  EYOTI_TRY(eyoti_ranges_new(first, count, stride, &set));
  return wrap(set, out);
}

int eyot_group_range(uint32_t first, uint32_t count, uint32_t stride, eyot_group_t **out) {
  EYOTI_PASS();
  return group_range(first, count, stride, out);
}

int eyot_group_new(eyot_group_t **out) {
  EYOTI_PASS();
  return group_range(0, 0, 1, out);
}

static int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int eyot_group_from(const eyot_unit_t *units, uint32_t n, eyot_group_t **out) {
  EYOTI_PASS();
  if (out == NULL || (units == NULL && n > 0))
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", out == NULL ? "out" : "units");
  if (n == 0) return group_range(0, 0, 1, out);
  uint32_t *ids = malloc(n * sizeof *ids);
  if (ids == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to sort %u units", n);
  for (uint32_t i = 0; i < n; i++) ids[i] = units[i].id;
  qsort(ids, n, sizeof *ids, compare_ids);
  struct eyoti_ranges *set = NULL;
  int rc = ids[n - 1] == UINT32_MAX ? EYOTI_FAIL(EYOT_EINVAL, "%u is no unit", UINT32_MAX)
                                    : eyoti_ranges_from_sorted(ids, n, &set);
  free(ids);
  return rc != EYOT_OK ? rc : wrap(set, out);
}

int eyot_group_copy(const eyot_group_t *g, eyot_group_t **out) {
  EYOTI_PASS();
  if (g == NULL || out == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", g == NULL ? "group" : "out");
  return eyoti_group_of(g->set, out);
}

void eyot_group_free(eyot_group_t *g) {
  if (g == NULL) return;
  free(g->set);
  free(g);
}

/* Adds (union) or removes (difference) one unit. */
static int group_change(eyot_group_t *g, enum eyoti_ranges_op op, uint32_t unit) {
  struct eyoti_ranges *one, *set;
  EYOTI_TRY(eyoti_ranges_new(unit, 1, 1, &one));
  int rc = eyoti_ranges_combine(op, g->set, one, &set);
  free(one);
  if (rc != EYOT_OK) return rc;
  free(g->set);
  g->set = set;
  return EYOT_OK;
}

int eyot_group_add(eyot_group_t *g, eyot_unit_t unit) {
  EYOTI_PASS();
  if (g == NULL) return EYOTI_FAIL(EYOT_EINVAL, "group is NULL");
  if (unit.id == UINT32_MAX) return EYOTI_FAIL(EYOT_EINVAL, "%u is no unit", unit.id);
  return eyoti_ranges_index(g->set, unit.id, NULL) ? EYOT_OK
                                                   : group_change(g, EYOTI_RANGES_UNION, unit.id);
}

int eyot_group_remove(eyot_group_t *g, eyot_unit_t unit) {
  EYOTI_PASS();
  if (g == NULL) return EYOTI_FAIL(EYOT_EINVAL, "group is NULL");
  return eyoti_ranges_index(g->set, unit.id, NULL)
             ? group_change(g, EYOTI_RANGES_DIFFERENCE, unit.id)
             : EYOT_OK;
}

static int combined(enum eyoti_ranges_op op, const eyot_group_t *a, const eyot_group_t *b,
                    eyot_group_t **out) {
  if (a == NULL || b == NULL || out == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", out == NULL ? "out" : "a group");
  struct eyoti_ranges *set;
  EYOTI_TRY(eyoti_ranges_combine(op, a->set, b->set, &set));
  return wrap(set, out);
}

int eyot_group_union(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out) {
  EYOTI_PASS();
  return combined(EYOTI_RANGES_UNION, a, b, out);
}
int eyot_group_intersect(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out) {
  EYOTI_PASS();
  return combined(EYOTI_RANGES_INTERSECT, a, b, out);
}
int eyot_group_difference(const eyot_group_t *a, const eyot_group_t *b, eyot_group_t **out) {
  EYOTI_PASS();
  return combined(EYOTI_RANGES_DIFFERENCE, a, b, out);
}

static int one_part(const eyot_group_t *g, uint32_t start, uint32_t count, eyot_group_t **out) {
  struct eyoti_ranges *set;
  EYOTI_TRY(eyoti_ranges_slice(g->set, start, count, &set));
  return wrap(set, out);
}

int eyot_group_split(const eyot_group_t *g, uint32_t n, eyot_group_t **parts) {
  EYOTI_PASS();
  if (g == NULL || parts == NULL || n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "group %s, parts %s, n %u: expected a group and an array of at least one",
                      g ? "given" : "NULL", parts ? "given" : "NULL", n);
  eyot_group_t **made = calloc(n, sizeof(eyot_group_t *));
  if (made == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u groups", n);
  uint32_t start = 0;
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++) {
    uint32_t count = g->set->size / n + (i < g->set->size % n ? 1 : 0);
    rc = one_part(g, start, count, &made[i]);
    start += count;
  }
  if (rc == EYOT_OK)
    memcpy(parts, made, n * sizeof(eyot_group_t *));
  else
    for (uint32_t i = 0; i < n; i++) eyot_group_free(made[i]);
  free(made);
  return rc;
}

uint32_t eyot_group_size(const eyot_group_t *g) {
  return g == NULL ? 0 : g->set->size;
}

bool eyot_group_has(const eyot_group_t *g, eyot_unit_t unit) {
  return g != NULL && eyoti_ranges_index(g->set, unit.id, NULL);
}

bool eyot_group_equal(const eyot_group_t *a, const eyot_group_t *b) {
  return a != NULL && b != NULL && eyoti_ranges_equal(a->set, b->set);
}

int eyot_group_members(const eyot_group_t *g, eyot_unit_t *units, uint32_t capacity) {
  EYOTI_PASS();
  if (g == NULL || (units == NULL && capacity > 0))
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", g == NULL ? "group" : "units");
  if (capacity < g->set->size)
    return EYOTI_FAIL(EYOT_ERANGE, "the group has %u members, the array has room for %u",
                      g->set->size, capacity);
  for (uint32_t r = 0; r < g->set->nruns; r++) {
    const struct eyoti_run *run = &g->set->run[r];
    for (uint32_t i = 0; i < run->count; i++)
      units[run->before + i] = (eyot_unit_t){run->first + i * run->stride};
  }
  return EYOT_OK;
}

int eyot_group_at(const eyot_group_t *g, uint32_t i, eyot_unit_t *unit) {
  EYOTI_PASS();
  if (g == NULL || unit == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", g == NULL ? "group" : "unit");
  if (i >= g->set->size)
    return EYOTI_FAIL(EYOT_ERANGE, "member %u of a group of %u", i, g->set->size);
  *unit = (eyot_unit_t){eyoti_ranges_at(g->set, i)};
  return EYOT_OK;
}

int eyot_group_index(const eyot_group_t *g, eyot_unit_t unit, uint32_t *i) {
  EYOTI_PASS();
  if (g == NULL || i == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", g == NULL ? "group" : "i");
  uint32_t index;
  if (!eyoti_ranges_index(g->set, unit.id, &index))
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u is not a member of the group", unit.id);
  *i = index;
  return EYOT_OK;
}
