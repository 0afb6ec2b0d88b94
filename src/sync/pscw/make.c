/* SPDX-License-Identifier: BSD-3-Clause */
/* make.c - creates, finds and destroys the objects of active target (eyot/pscw.h), and computes the
 * layout of pscw.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "sync/pscw/pscw.h"
#include "teams/agree.h"
#include "teams/compare.h"

#define KIND "object of eyot_pscw_create"

uint64_t eyoti_pscw_bytes(uint32_t n_slots) {
  return (((uint64_t)n_slots + 63) / 64 + 3 * (uint64_t)n_slots) * 8;
}

int eyoti_pscw_at(struct eyot_rt *rt, const struct eyoti_pscw *p, fab_unit_t unit, uint64_t off,
                  struct fab_addr *out) {
  return eyoti_gmem_resolve(
      rt, eyot_gptr_at(eyot_gptr_add(p->name.at, (int64_t)off), (eyot_unit_t){unit}),
      sizeof(uint64_t), out);
}

int eyoti_pscw_find(struct eyot_rt *rt, eyot_pscw_t name, struct eyoti_pscw **out) {
  struct eyoti_pscws *all = rt->sync->pscws;
  if (eyot_gptr_is_null(name.at))
    return EYOTI_PSCW_FAIL(rt, EYOT_ESEG,
                           "the object is null: it was not made yet, or has been destroyed");
  struct eyoti_pscw **at = all != NULL ? &all->first : NULL;
  while (at != NULL && *at != NULL && !eyot_gptr_equal((*at)->name.at, name.at)) at = &(*at)->next;
  if (at == NULL || *at == NULL)
    return EYOTI_PSCW_FAIL(rt, EYOT_ESEG,
                           "no such object of this unit at segment %u generation %u: it was "
                           "destroyed, or is of a team that unit %u is not in",
                           name.at.seg, eyoti_gptr_gen(name.at), rt->fab->me);
  struct eyoti_pscw *p = *at;
  *at = p->next; /* moves it to the front: programs use one for a while */
  p->next = all->first;
  all->first = p;
  *out = p;
  return EYOT_OK;
}

static void pscw_delete(struct eyoti_pscw *p) {
  if (p == NULL) return;
  struct eyoti_pscw_epoch *lists[] = {p->oldest, p->spare};
  for (size_t i = 0; i < 2; i++) {
    for (struct eyoti_pscw_epoch *e = lists[i], *next; e != NULL; e = next) {
      next = e->next;
      free(e);
    }
  }
  free(p->lease);
  free(p->leased.entry);
  free(p->free_lease);
  free(p->slot);
  free(p->known.entry);
  free(p->cond);
  free(p->access);
  free(p);
}

static int pscw_new(struct eyot_rt *rt, struct eyoti_team *t, const eyot_pscw_attr_t *attr,
                    struct eyoti_pscw **out) {
  uint32_t n = attr->changing ? 2 * attr->neighbors : attr->neighbors;
  struct eyoti_pscw *p = calloc(1, sizeof *p);
  if (p == NULL)
    return EYOTI_PSCW_FAIL(rt, EYOT_ENOMEM, "no memory for an object of active target");
  *p = (struct eyoti_pscw){
      .team = t, .attr = *attr, .n_slots = n, .words = (n + 63) / 64, .n_free = n};
  p->lease = calloc(n, sizeof *p->lease);
  p->leased.entry = calloc(n, sizeof *p->leased.entry);
  p->free_lease = calloc(n, sizeof *p->free_lease);
  p->slot = calloc(n, sizeof *p->slot);
  p->known.entry = calloc(n, sizeof *p->known.entry);
  p->cond = calloc(n, sizeof *p->cond);
  p->access = calloc(n, sizeof *p->access);
  if (p->lease == NULL || p->leased.entry == NULL || p->free_lease == NULL || p->slot == NULL ||
      p->known.entry == NULL || p->cond == NULL || p->access == NULL) {
    pscw_delete(p);
    return EYOTI_PSCW_FAIL(rt, EYOT_ENOMEM, "no memory for %u neighbors", attr->neighbors);
  }
  for (uint32_t i = 0; i < n; i++) {
    p->free_lease[i] = n - 1 - i;
    p->slot[i].owner = EYOTI_PSCW_NONE;
  }
  *out = p;
  return EYOT_OK;
}

/* Compares the function, then a hash over the team. An error of any member goes before the hash,
 * and all members return it. Collective. */
static int pscw_compare(struct eyot_rt *rt, struct eyoti_team *t, enum eyoti_compare_in in,
                        uint64_t hash, const char *what, int error) {
  struct eyoti_compared c;
  EYOTI_TRY(eyoti_compare(rt->fab, &t->ctl, in, hash, error, &c));
  if (c.error != EYOT_OK || c.same) return c.error;
  return EYOTI_PSCW_FAIL(rt, EYOT_EMISMATCH,
                         "the members of %s passed different %s, expected the same",
                         EYOTI_TEAM_WORDS(t), what);
}

/* Does all steps that may fail on one member alone, before the members agree. */
static int pscw_prepare(struct eyot_rt *rt, struct eyoti_team *t, const eyot_pscw_attr_t *attr,
                        const eyot_pscw_t *pscw, struct eyoti_pscw **out) {
  if (pscw == NULL) return EYOTI_PSCW_FAIL(rt, EYOT_EINVAL, "pscw is NULL");
  if (attr->neighbors < 1 || attr->neighbors > EYOTI_PSCW_NEIGHBORS_MAX)
    return EYOTI_PSCW_FAIL(rt, EYOT_EINVAL, "neighbors is %u, expected 1..%u", attr->neighbors,
                           EYOTI_PSCW_NEIGHBORS_MAX);
  if (rt->sync->pscws == NULL) rt->sync->pscws = calloc(1, sizeof *rt->sync->pscws);
  if (rt->sync->pscws == NULL)
    return EYOTI_PSCW_FAIL(rt, EYOT_ENOMEM, "no memory for the objects of a unit");
  return pscw_new(rt, t, attr, out);
}

int eyot_pscw_create(eyot_team_t team, const eyot_pscw_attr_t *attr, eyot_pscw_t *pscw) {
  EYOTI_ENTER(rt);
  static const eyot_pscw_attr_t DEFAULT = EYOT_PSCW_ATTR_INIT;
  struct eyoti_team *t;
  if (attr == NULL) attr = &DEFAULT;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  struct eyoti_pscw *p = NULL;
  eyot_gptr_t at;
  int rc = pscw_prepare(rt, t, attr, pscw, &p);
  if ((rc = pscw_compare(rt, t, EYOTI_IN_PSCW_CREATE,
                         eyoti_hash_mix(attr->neighbors, attr->changing), "attributes", rc)) !=
      EYOT_OK)
    goto delete_view;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  rc = eyot_team_alloc(team, eyoti_pscw_bytes(p->n_slots), &at);
  eyoti_rt_unnest(rt, nest);
  if (rc != EYOT_OK) goto delete_view;
  p->name.at = at;
  /* The caller's own part of an allocation that has just succeeded, so this cannot fail. No member
   * posts before all have zeroed their parts, for the allocation is an agreement on those. */
  rc = eyoti_pscw_at(rt, p, rt->fab->me, 0, &p->own);
  EYOTI_ASSERT(rc == EYOT_OK);
  p->mem = eyoti_gmem_mapped(rt, p->own);
  p->next = rt->sync->pscws->first;
  rt->sync->pscws->first = p;
  *pscw = p->name;
  eyoti_observe_made(rt, KIND, at.seg, 0);
  return EYOT_OK;

delete_view:
  pscw_delete(p);
  return rc;
}

int eyot_pscw_destroy(eyot_pscw_t *pscw) {
  EYOTI_ENTER(rt);
  struct eyoti_pscw *p;
  if (pscw == NULL) return EYOTI_PSCW_FAIL(rt, EYOT_EINVAL, "pscw is NULL");
  EYOTI_TRY(eyoti_pscw_find(rt, *pscw, &p));
  eyot_gptr_t at = p->name.at;
  EYOTI_TRY(eyoti_team_enter(rt, p->team));
  /* No operation on the object's memory may arrive after it is freed. A post of another unit to
   * this one that was not started keeps an epoch of that unit open. */
  int rc = fab_flush(rt->fab, FAB_ALL, FAB_REMOTE);
  if (p->accessing)
    rc = EYOTI_PSCW_FAIL(rt, EYOT_EBUSY, "an access epoch of unit %u is open; complete it first",
                         rt->fab->me);
  if (p->oldest != NULL)
    rc = EYOTI_PSCW_FAIL(rt, EYOT_EBUSY, "an exposure epoch of unit %u is open; wait for it first",
                         rt->fab->me);
  EYOTI_TRY(pscw_compare(rt, p->team, EYOTI_IN_PSCW_DESTROY,
                         eyoti_hash_mix(at.seg, eyoti_gptr_gen(at)), "objects", rc));
  EYOTI_ASSERT(rt->sync->pscws->first == p);
  rt->sync->pscws->first = p->next;
  pscw_delete(p);
  *pscw = EYOT_PSCW_NULL;
  eyoti_observe_released(rt, KIND, at.seg);
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  rc = eyot_team_free(at);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

void eyoti_pscws_stop(struct eyot_rt *rt) {
  struct eyoti_pscws *all = rt->sync->pscws;
  if (all == NULL) return;
  uint32_t leaks = 0;
  /* a post may still read its origin record there: the flush before may have failed */
  if (all->first != NULL) fab_settle(rt->fab, FAB_ALL);
  for (struct eyoti_pscw *p = all->first; p != NULL; p = all->first) {
    if (p->team->me == 0) leaks++;
    all->first = p->next;
    pscw_delete(p);
  }
  if (leaks > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u objects of eyot_pscw_create of teams whose first member is this unit were not "
              "destroyed",
              leaks);
  free(all);
  rt->sync->pscws = NULL;
}
