/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - orders of a team's members other than the sorted one (eyot/view.h). A view holds
 * team-relative ids and translates them by the team's ranges; one with a stride computes them, and
 * its inverse by the inverse of the stride modulo the size. Tables are interned, because thousands
 * of units of a simulator may make the same view. */
#include <eyot/view.h>
#include <inttypes.h>
#include <stdlib.h>

#include "rt/proc.h"
#include "teams/teams.h"

#define NO_RANK UINT32_MAX

struct eyot_view {
  eyot_team_t team;
  uint32_t size;
  /* without tables: rank i is the member (first + i*stride) mod size */
  uint32_t first, stride, inverse;
  /* NULL, or the member of each rank, then the rank of each member; interned */
  const uint32_t *member;
};

static int new_view(eyot_team_t team, uint32_t size, eyot_view_t **out) {
  eyot_view_t *v = malloc(sizeof *v);
  if (v == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a view");
  *v = (eyot_view_t){.team = team, .size = size};
  *out = v;
  return EYOT_OK;
}

/* The number whose product with `stride` is 1 modulo `size`; 0: there is none, unless size is 1.
 * Source: Euclid's algorithm, extended. */
static uint32_t inverse_of(uint32_t stride, uint32_t size) {
  int64_t r0 = size, r1 = stride, t0 = 0, t1 = 1;
  while (r1 != 0) {
    int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
    r0 = r1;
    r1 = r;
    t0 = t1;
    t1 = t;
  }
  return r0 != 1 ? 0 : (uint32_t)(t0 < 0 ? t0 + size : t0);
}

int eyot_view_strided(eyot_team_t team, uint32_t first, int64_t stride, eyot_view_t **view) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (view == NULL) return EYOTI_FAIL(EYOT_EINVAL, "view is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (first >= t->size)
    return EYOTI_FAIL(EYOT_EINVAL, "first is %u, expected less than %u, the size of %s", first,
                      t->size, EYOTI_TEAM_WORDS(t));
  int64_t rest = stride % (int64_t)t->size;
  uint32_t step = (uint32_t)(rest < 0 ? rest + (int64_t)t->size : rest);
  uint32_t inverse = inverse_of(step, t->size);
  if (inverse == 0 && t->size > 1)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "stride %" PRId64
                      " has a common divisor with %u, the size of %s, and would leave members out",
                      stride, t->size, EYOTI_TEAM_WORDS(t));
  eyot_view_t *v;
  EYOTI_TRY(new_view(team, t->size, &v));
  v->first = first;
  v->stride = step;
  v->inverse = inverse;
  *view = v;
  return EYOT_OK;
}

/* Fills `table`: the member of each rank, then the rank of each member. */
static int fill(const struct eyoti_team *t, const eyot_unit_t *units, uint32_t *table) {
  uint32_t *rank_of = table + t->size;
  for (uint32_t i = 0; i < t->size; i++) rank_of[i] = NO_RANK;
  for (uint32_t i = 0; i < t->size; i++) {
    uint32_t member;
    if (!eyoti_team_index(t, units[i].id, &member))
      return EYOTI_FAIL(EYOT_EUNIT, "unit %u, of rank %u, is not in %s", units[i].id, i,
                        EYOTI_TEAM_WORDS(t));
    if (rank_of[member] != NO_RANK)
      return EYOTI_FAIL(EYOT_EINVAL, "unit %u has the ranks %u and %u, expected one", units[i].id,
                        rank_of[member], i);
    table[i] = member;
    rank_of[member] = i;
  }
  return EYOT_OK;
}

int eyot_view_from(eyot_team_t team, const eyot_unit_t *units, uint32_t n, eyot_view_t **view) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (units == NULL || view == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", units == NULL ? "units" : "view");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (n != t->size)
    return EYOTI_FAIL(EYOT_EINVAL, "%u units, expected %u, the size of %s", n, t->size,
                      EYOTI_TEAM_WORDS(t));
  size_t bytes = 2 * sizeof(uint32_t) * (size_t)n;
  uint32_t *table = malloc(bytes);
  eyot_view_t *v = NULL;
  int rc = table == NULL ? EYOTI_FAIL(EYOT_ENOMEM, "no memory for a view of %u ranks", n)
                         : fill(t, units, table);
  if (rc == EYOT_OK) rc = new_view(team, n, &v);
  if (rc == EYOT_OK && (v->member = eyoti_proc_intern(rt->proc, table, bytes)) == NULL)
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory for a view of %u ranks", n);
  free(table);
  if (rc != EYOT_OK) {
    free(v);
    return rc;
  }
  *view = v;
  return EYOT_OK;
}

void eyot_view_free(eyot_view_t *view) {
  EYOTI_PASS();
  struct eyot_rt *rt = eyot_current;
  if (view == NULL) return;
  /* after eyot_finalize a process that is one unit has no tables any more */
  if (view->member != NULL && rt->proc != NULL) eyoti_proc_release(rt->proc, view->member);
  free(view);
}

static uint32_t member_of(const eyot_view_t *v, uint32_t rank) {
  if (v->member != NULL) return v->member[rank];
  return (uint32_t)((v->first + (uint64_t)rank * v->stride) % v->size);
}

static uint32_t rank_of(const eyot_view_t *v, uint32_t member) {
  if (v->member != NULL) return v->member[v->size + member];
  uint64_t far = member >= v->first ? member - v->first : member + (uint64_t)v->size - v->first;
  return (uint32_t)(far * v->inverse % v->size);
}

/* The live team of a view, for a query that writes to `out`. */
static int query(struct eyot_rt *rt, const eyot_view_t *v, const void *out, struct eyoti_team **t) {
  if (v == NULL || out == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", v == NULL ? "view" : "the result's address");
  return eyoti_team_get(rt, v->team, t);
}

int eyot_view_me(const eyot_view_t *view, uint32_t *rank) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(query(rt, view, rank, &t));
  *rank = rank_of(view, t->me);
  return EYOT_OK;
}

int eyot_view_size(const eyot_view_t *view, uint32_t *size) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(query(rt, view, size, &t));
  *size = view->size;
  return EYOT_OK;
}

int eyot_view_team(const eyot_view_t *view, eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(query(rt, view, team, &t));
  *team = view->team;
  return EYOT_OK;
}

int eyot_view_unit(const eyot_view_t *view, uint32_t rank, eyot_unit_t *unit) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(query(rt, view, unit, &t));
  if (rank >= view->size)
    return EYOTI_FAIL(EYOT_ERANGE, "rank %u, expected less than %u", rank, view->size);
  unit->id = eyoti_team_unit(t, member_of(view, rank));
  return EYOT_OK;
}

int eyot_view_rank(const eyot_view_t *view, eyot_unit_t unit, uint32_t *rank) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  uint32_t member;
  EYOTI_TRY(query(rt, view, rank, &t));
  if (!eyoti_team_index(t, unit.id, &member))
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u is not in %s", unit.id, EYOTI_TEAM_WORDS(t));
  *rank = rank_of(view, member);
  return EYOT_OK;
}
