/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw.c - post, start, complete, wait and test of active target (eyot/pscw.h); pscw.h has the
 * protocol.
 *
 * Costs for k known neighbors: post k signals, complete k flushes and k signals; start and wait
 * only wait. */
#include "sync/pscw/pscw.h"

#include <inttypes.h>
#include <stdlib.h>

#include "teams/group.h"

/* The object and the group of a call, checked. */
static int pscw_check(struct eyot_rt *rt, eyot_pscw_t name, const eyot_group_t *group,
                      struct eyoti_pscw **out, const struct eyoti_ranges **set) {
  struct eyoti_pscw *p;
  EYOTI_TRY(eyoti_pscw_find(rt, name, &p));
  if (p->broken)
    return EYOTI_PSCW_FAIL(
        rt, EYOT_ESTATE,
        "an earlier call on this object has failed half-way; it can only be destroyed");
  if (group == NULL) return EYOTI_PSCW_FAIL(rt, EYOT_EINVAL, "group is NULL");
  const struct eyoti_ranges *g = eyoti_group_ranges(group);
  for (uint32_t i = 0; i < g->size; i++) {
    uint32_t unit = eyoti_ranges_at(g, i);
    if (!eyoti_team_index(p->team, unit, NULL))
      return EYOTI_PSCW_FAIL(rt, EYOT_EUNIT,
                             "unit %u of the group is not in %s, for which the object was made",
                             unit, EYOTI_TEAM_WORDS(p->team));
  }
  if (g->size > p->n_slots)
    return EYOTI_PSCW_FAIL(rt, EYOT_EBUSY,
                           "a group of %u units; the object was made for %u neighbors", g->size,
                           p->attr.neighbors);
  *out = p;
  *set = g;
  return EYOT_OK;
}

/* -- exposure ---------------------------------------------------------------------------------- */

/* An epoch with space for n neighbors; reuses one that is over. */
static int epoch_new(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t n,
                     struct eyoti_pscw_epoch **out) {
  struct eyoti_pscw_epoch *e = p->spare;
  if (e != NULL) p->spare = e->next;
  if (e == NULL || e->capacity < n) {
    free(e);
    e = malloc(sizeof *e + n * sizeof e->entry[0]);
    if (e == NULL) return EYOTI_PSCW_FAIL(rt, EYOT_ENOMEM, "no memory for an epoch of %u units", n);
    e->capacity = n;
  }
  e->next = NULL;
  e->n = e->done = 0;
  *out = e;
  return EYOT_OK;
}

static void epoch_spare(struct eyoti_pscw *p, struct eyoti_pscw_epoch *e) {
  e->next = p->spare;
  p->spare = e;
}

int eyot_pscw_post(eyot_pscw_t pscw, const eyot_group_t *group) {
  EYOTI_ENTER(rt);
  struct eyoti_pscw *p;
  const struct eyoti_ranges *set;
  struct eyoti_pscw_epoch *e;
  EYOTI_TRY(pscw_check(rt, pscw, group, &p, &set));
  EYOTI_TRY(epoch_new(rt, p, set->size, &e));
  int rc = eyoti_pscw_lease_all(rt, p, set, e);
  if (rc != EYOT_OK) {
    epoch_spare(p, e);
    return rc;
  }
  /* Orders the caller's direct accesses before the signals that let other units in. */
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (uint32_t i = 0; i < e->n && rc == EYOT_OK; i++) {
    rc = eyoti_pscw_lease_post(rt, p, e->entry[i].lease);
    e->entry[i].completions = p->lease[e->entry[i].lease].posted;
  }
  if (rc != EYOT_OK) {
    p->broken = true;
    epoch_spare(p, e);
    return rc;
  }
  if (p->oldest == NULL)
    p->oldest = e;
  else
    p->newest->next = e;
  p->newest = e;
  return EYOT_OK;
}

/* Ends the oldest epoch. Its neighbors have started and completed all that was posted to them up to
 * it. */
static int epoch_end(struct eyot_rt *rt, struct eyoti_pscw *p) {
  struct eyoti_pscw_epoch *e = p->oldest;
  int rc = EYOT_OK;
  p->oldest = e->next;
  for (uint32_t i = 0; i < e->n; i++) {
    struct eyoti_pscw_lease *l = &p->lease[e->entry[i].lease];
    EYOTI_ASSERT(l->open > 0 && l->state >= EYOTI_PSCW_FIRST);
    l->open--;
    l->state = EYOTI_PSCW_KNOWN;
    if (!p->attr.changing || l->open > 0) continue;
    int one = eyoti_pscw_lease_end(rt, p, e->entry[i].lease);
    if (rc == EYOT_OK) rc = one;
  }
  epoch_spare(p, e);
  if (rc != EYOT_OK) p->broken = true;
  return rc;
}

/* ETIMEOUT (not logged): not all have completed. */
static int pscw_wait_until(struct eyot_rt *rt, eyot_pscw_t name, uint64_t timeout_ns) {
  struct eyoti_pscw *p;
  EYOTI_TRY(eyoti_pscw_find(rt, name, &p));
  struct eyoti_pscw_epoch *e = p->oldest;
  if (e == NULL)
    return EYOTI_PSCW_FAIL(rt, EYOT_ESTATE, "no exposure epoch is open; post one first");
  for (; e->done < e->n; e->done++) {
    uint64_t off = p->own.off + eyoti_pscw_counter_off(p, e->entry[e->done].lease);
    EYOTI_TRY(fab_wait_mem(rt->fab, p->own.seg, off, FAB_GE, e->entry[e->done].completions,
                           timeout_ns, NULL));
  }
  return epoch_end(rt, p);
}

int eyot_pscw_wait(eyot_pscw_t pscw) {
  EYOTI_ENTER(rt);
  return pscw_wait_until(rt, pscw, FAB_FOREVER);
}

int eyot_pscw_test(eyot_pscw_t pscw, bool *done) {
  EYOTI_ENTER(rt);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  int rc = pscw_wait_until(rt, pscw, 0);
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *done = rc == EYOT_OK;
  return EYOT_OK;
}

/* -- access ------------------------------------------------------------------------------------ */

int eyot_pscw_start(eyot_pscw_t pscw, const eyot_group_t *group) {
  EYOTI_ENTER(rt);
  struct eyoti_pscw *p;
  const struct eyoti_ranges *set;
  EYOTI_TRY(pscw_check(rt, pscw, group, &p, &set));
  if (p->accessing)
    return EYOTI_PSCW_FAIL(rt, EYOT_ESTATE,
                           "an access epoch to %u units is open; complete it first", p->n_access);
  for (uint32_t i = 0; i < set->size; i++)
    EYOTI_TRY(eyoti_pscw_list_await(rt, p, eyoti_ranges_at(set, i), &p->access[i]));
  /* Only when all have posted: after an error above, every post can be started again. */
  for (uint32_t i = 0; i < set->size; i++) p->slot[p->access[i].slot].started++;
  p->n_access = set->size;
  p->accessing = true;
  return EYOT_OK;
}

/* Adds 1 to the counter that the poster has named. The poster's wait, which acquires, then sees
 * what was completed before. */
static int pscw_signal_complete(struct eyot_rt *rt, const struct eyoti_pscw *p,
                                const struct eyoti_pscw_access *a) {
  struct fab_sig sig = {.op = FAB_SIG_ADD, .value = 1};
  EYOTI_TRY(eyoti_pscw_at(rt, p, a->unit, eyoti_pscw_counter_off(p, a->counter), &sig.at));
  return fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, NULL);
}

/* The flush reports an operation that has failed: no neighbor was notified then, and the epoch is
 * still open. */
int eyot_pscw_complete(eyot_pscw_t pscw) {
  EYOTI_ENTER(rt);
  struct eyoti_pscw *p;
  EYOTI_TRY(eyoti_pscw_find(rt, pscw, &p));
  if (!p->accessing)
    return EYOTI_PSCW_FAIL(rt, EYOT_ESTATE, "no access epoch is open; start one first");
  for (uint32_t i = 0; i < p->n_access; i++) EYOTI_TRY(eyoti_rma_flush(rt, p->access[i].unit));
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < p->n_access && rc == EYOT_OK; i++)
    rc = pscw_signal_complete(rt, p, &p->access[i]);
  p->accessing = false;
  if (rc != EYOT_OK) p->broken = true;
  return rc;
}
