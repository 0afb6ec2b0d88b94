/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.c - creates, finds and destroys counters (eyot/notify.h), and the table of counter.h. The
 * waits are in counter_wait.c. */
#include "sync/notify/counter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "teams/agree.h"

#define KIND "counter"

static uint64_t id_of(eyot_gptr_t at) {
  return eyoti_hash_mix(at.offset, (uint64_t)at.seg << 16 | at.gen);
}

static int counter_get_table(struct eyot_rt *rt, struct eyoti_counters **out) {
  struct eyoti_counters *cs = rt->sync->counters;
  if (cs == NULL) {
    if ((cs = calloc(1, sizeof *cs)) == NULL)
      return EYOTI_COUNTER_FAIL(rt, EYOT_ENOMEM, "no memory for the table of counters");
    cs->bucket = cs->first_bucket;
    cs->n_buckets = EYOTI_COUNTER_BUCKETS;
    rt->sync->counters = cs;
  }
  *out = cs;
  return EYOT_OK;
}

/* All counters in the table are the caller's own, so the unit is no part of the key. */
static struct eyoti_counter **counter_bucket_of(const struct eyoti_counters *cs, eyot_gptr_t at) {
  uint64_t h = eyoti_hash_mix(eyoti_hash_mix(0, at.offset), (uint64_t)at.seg << 16 | at.gen);
  return &cs->bucket[h & (cs->n_buckets - 1)];
}

static void link_in(struct eyoti_counters *cs, struct eyoti_counter *c) {
  struct eyoti_counter **b = counter_bucket_of(cs, c->at);
  c->chain = *b;
  *b = c;
}

/* Doubles the buckets; without memory the chains only get longer. */
static void counter_grow(struct eyoti_counters *cs) {
  struct eyoti_counter **old = cs->bucket,
                       **bucket = calloc(cs->n_buckets * 2, sizeof(struct eyoti_counter *));
  if (bucket == NULL) return;
  uint32_t n = cs->n_buckets;
  cs->bucket = bucket;
  cs->n_buckets *= 2;
  for (uint32_t i = 0; i < n; i++)
    while (old[i] != NULL) {
      struct eyoti_counter *c = old[i];
      old[i] = c->chain;
      link_in(cs, c);
    }
  if (old != cs->first_bucket) free(old);
}

static void counter_enter(struct eyoti_counters *cs, struct eyoti_counter *c) {
  if (cs->n_counters == cs->n_buckets) counter_grow(cs);
  link_in(cs, c);
  cs->n_counters++;
}

static void counter_leave(struct eyoti_counters *cs, struct eyoti_counter *c) {
  struct eyoti_counter **p = counter_bucket_of(cs, c->at);
  while (*p != c) p = &(*p)->chain;
  *p = c->chain;
  cs->n_counters--;
  if (cs->last == c) cs->last = NULL;
  free(c);
}

static bool same_word(eyot_gptr_t a, eyot_gptr_t b) {
  return a.offset == b.offset && a.seg == b.seg && a.gen == b.gen;
}

static struct eyoti_counter *look_up(struct eyoti_counters *cs, eyot_gptr_t at) {
  if (cs == NULL) return NULL;
  if (cs->last != NULL && same_word(cs->last->at, at)) return cs->last;
  struct eyoti_counter *c = *counter_bucket_of(cs, at);
  while (c != NULL && !same_word(c->at, at)) c = c->chain;
  if (c != NULL) cs->last = c;
  return c;
}

static int not_found(struct eyot_rt *rt, eyot_gptr_t at) {
  return EYOTI_COUNTER_FAIL(
      rt, EYOT_ESEG, "no counter of unit %u is at segment %u generation %u offset %" PRIu64 ": %s",
      rt->fab->me, at.seg, at.gen, at.offset,
      eyoti_gmem_gone(rt, at, "it was destroyed, or never made", (char[EYOTI_GONE]){0}));
}

int eyoti_counter_find(struct eyot_rt *rt, eyot_counter_t counter, struct eyoti_counter **out) {
  if (eyot_gptr_is_null(counter.at))
    return EYOTI_COUNTER_FAIL(rt, EYOT_ESEG,
                              "the counter is null: it was not made yet, or has been destroyed");
  if (counter.at.unit != rt->fab->me)
    return EYOTI_COUNTER_FAIL(
        rt, EYOT_EUNIT,
        "the counter is unit %u's, and only its owner waits for it; see eyot_counter_at: %s",
        counter.at.unit, eyoti_gmem_about(rt, counter.at, (char[EYOTI_GONE]){0}));
  struct eyoti_counter *c = look_up(rt->sync->counters, counter.at);
  if (c == NULL) return not_found(rt, counter.at);
  *out = c;
  return EYOT_OK;
}

static int check_new(struct eyot_rt *rt, uint64_t threshold, const eyot_counter_t *counter) {
  if (counter == NULL) return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "counter is NULL");
  if (threshold == 0)
    return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "the threshold is 0, expected 1 or more");
  return EYOT_OK;
}

/* Does all steps that may fail for lack of memory, before the counter exists. */
static int counter_prepare(struct eyot_rt *rt, uint64_t threshold, const eyot_counter_t *counter,
                           struct eyoti_counter **out) {
  struct eyoti_counters *cs;
  EYOTI_TRY(check_new(rt, threshold, counter));
  EYOTI_TRY(counter_get_table(rt, &cs));
  struct eyoti_counter *c = calloc(1, sizeof *c);
  if (c == NULL) return EYOTI_COUNTER_FAIL(rt, EYOT_ENOMEM, "no memory for a counter");
  c->threshold = threshold;
  *out = c;
  return EYOT_OK;
}

/* Sets the addresses of a word that exists. */
static int counter_bind(struct eyot_rt *rt, struct eyoti_counter *c, eyot_gptr_t at) {
  struct fab_addr a;
  c->at = eyot_gptr_at(at, (eyot_unit_t){rt->fab->me});
  EYOTI_TRY(eyoti_gmem_resolve(rt, c->at, sizeof(uint64_t), &a));
  c->seg = a.seg;
  c->off = a.off;
  c->word = eyoti_gmem_mapped(rt, a);
  return EYOT_OK;
}

/* Calls of public functions set the name that diagnostics show; these restore the caller's
 * afterwards. */
static int counter_quietly_alloc(struct eyot_rt *rt, struct eyoti_team *t, eyot_gptr_t *at) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = t != NULL ? eyot_team_alloc(t->handle, sizeof(uint64_t), at)
                     : eyot_alloc(sizeof(uint64_t), at);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

static int counter_quietly_free(struct eyot_rt *rt, bool of_team, eyot_gptr_t at) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = of_team ? eyot_team_free(at) : eyot_free(at);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

int eyot_counter_alloc(uint64_t threshold, eyot_counter_t *counter) {
  EYOTI_ENTER(rt);
  struct eyoti_counter *c;
  eyot_gptr_t at;
  EYOTI_TRY(counter_prepare(rt, threshold, counter, &c));
  int rc = counter_quietly_alloc(rt, NULL, &at);
  if (rc != EYOT_OK) goto delete_counter;
  if ((rc = counter_bind(rt, c, at)) != EYOT_OK) goto free_memory;
  c->reported = true;
  counter_enter(rt->sync->counters, c);
  eyoti_observe_made(rt, KIND, id_of(at), 0);
  counter->at = at;
  return EYOT_OK;

free_memory:
  (void)counter_quietly_free(rt, false, at);
delete_counter:
  free(c);
  return rc;
}

int eyot_counter_create(eyot_team_t team, uint64_t threshold, eyot_counter_t *counter) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  struct eyoti_counter *c = NULL;
  eyot_gptr_t at;
  /* A member that cannot take part reports that to the others. */
  int rc = eyoti_agree_done(rt->fab, &t->ctl, counter_prepare(rt, threshold, counter, &c));
  if (rc != EYOT_OK) goto delete_counter;
  if ((rc = counter_quietly_alloc(rt, t, &at)) != EYOT_OK) goto delete_counter;
  rc = counter_bind(rt, c, at);
  EYOTI_ASSERT(rc == EYOT_OK); /* the caller's own part of an allocation that has just succeeded */
  c->collective = true;
  c->reported = t->me == 0;
  counter_enter(rt->sync->counters, c);
  eyoti_observe_made(rt, KIND, id_of(at), 0);
  counter->at = at;
  return EYOT_OK;

delete_counter:
  free(c);
  return rc;
}

int eyot_counter_destroy(eyot_counter_t *counter) {
  EYOTI_ENTER(rt);
  if (counter == NULL) return EYOTI_FAIL(EYOT_EINVAL, "counter is NULL");
  eyot_gptr_t at = counter->at;
  if (eyot_gptr_is_null(at))
    return EYOTI_FAIL(EYOT_ESEG, "the counter is null: it was not made yet, or has been destroyed");
  if (eyoti_gptr_is_private(at) && at.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT, "the counter is unit %u's, and only its owner destroys it",
                      at.unit);
  struct eyoti_counter *c = look_up(rt->sync->counters, at);
  if (c == NULL) return not_found(rt, at);
  /* A member's operations arrive before it meets the others in the release: the memory may then
   * belong to another allocation. */
  int rc = c->collective ? eyoti_rma_flush(rt, FAB_ALL) : EYOT_OK;
  EYOTI_TRY(counter_quietly_free(rt, c->collective, c->at));
  eyoti_observe_released(rt, KIND, id_of(at));
  counter_leave(rt->sync->counters, c);
  *counter = EYOT_COUNTER_NULL;
  return rc;
}

int eyot_counter_set_threshold(eyot_counter_t counter, uint64_t threshold) {
  EYOTI_ENTER(rt);
  struct eyoti_counter *c;
  EYOTI_TRY(eyoti_counter_find(rt, counter, &c));
  EYOTI_TRY(check_new(rt, threshold, &counter));
  c->threshold = threshold;
  return EYOT_OK;
}

int eyot_counter_value(eyot_counter_t counter, uint64_t *value) {
  EYOTI_ENTER(rt);
  struct eyoti_counter *c;
  uint64_t word;
  if (value == NULL) return EYOTI_FAIL(EYOT_EINVAL, "value is NULL");
  EYOTI_TRY(eyoti_counter_find(rt, counter, &c));
  EYOTI_TRY(fab_wait_mem(rt->fab, c->seg, c->off, FAB_GE, 0, 0, &word));
  *value = word - c->consumed;
  return EYOT_OK;
}

void eyoti_counters_stop(struct eyot_rt *rt) {
  struct eyoti_counters *cs = rt->sync->counters;
  if (cs == NULL) return;
  uint32_t left = 0;
  for (uint32_t i = 0; i < cs->n_buckets; i++)
    while (cs->bucket[i] != NULL) {
      left += cs->bucket[i]->reported;
      counter_leave(cs, cs->bucket[i]);
    }
  if (left > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u counters of this unit, or of teams whose first member it is, were not destroyed",
              left);
  if (cs->bucket != cs->first_bucket) free(cs->bucket);
  free(cs);
  rt->sync->counters = NULL;
}
