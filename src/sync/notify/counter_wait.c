/* SPDX-License-Identifier: BSD-3-Clause */
/* counter_wait.c - waits and tests for counters (eyot/notify.h): one, all, any, some of a list.
 *
 * One counter is one wait for its word. All of a list are waited for one after the other: the last
 * one decides. Any is one wait for all words at once. A firing is consumed only when the call is
 * certain to succeed. */
#include <stdlib.h>

#include "sync/notify/counter.h"

#define CONDS_ON_STACK 32u

/* The condition that the word has reached the value for `firings` more firings, or, where no word
 * can, one that never holds. */
static struct fab_cond cond_of(const struct eyoti_counter *c, uint32_t firings) {
  struct fab_cond cond = {.seg = c->seg, .cmp = FAB_GE, .off = c->off};
  if (!eyoti_counter_needs(c, firings, &cond.value)) {
    cond.cmp = FAB_LT;
    cond.value = 0;
  }
  return cond;
}

static int wait_firings(struct eyot_rt *rt, const struct eyoti_counter *c, uint32_t firings,
                        uint64_t timeout_ns) {
  struct fab_cond cond = cond_of(c, firings);
  return fab_wait_mem(rt->fab, cond.seg, cond.off, cond.cmp, cond.value, timeout_ns, NULL);
}

static void consume(struct eyoti_counter *c) {
  c->consumed += c->threshold;
}

/* A test that found no firing is no error. */
static int counter_report(int rc, bool *fired) {
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *fired = rc == EYOT_OK;
  return EYOT_OK;
}

/* -- one --------------------------------------------------------------------------------------- */

static int counter_wait_one(struct eyot_rt *rt, eyot_counter_t counter, uint64_t timeout_ns) {
  struct eyoti_counter *c;
  EYOTI_TRY(eyoti_counter_find(rt, counter, &c));
  EYOTI_TRY(wait_firings(rt, c, 1, timeout_ns));
  consume(c);
  return EYOT_OK;
}

int eyot_counter_wait(eyot_counter_t counter) {
  EYOTI_ENTER(rt);
  return counter_wait_one(rt, counter, FAB_FOREVER);
}

int eyot_counter_wait_timeout(eyot_counter_t counter, uint64_t timeout_ns) {
  EYOTI_ENTER(rt);
  return counter_wait_one(rt, counter, timeout_ns);
}

int eyot_counter_test(eyot_counter_t counter, bool *fired) {
  EYOTI_ENTER(rt);
  if (fired == NULL) return EYOTI_FAIL(EYOT_EINVAL, "fired is NULL");
  return counter_report(counter_wait_one(rt, counter, 0), fired);
}

/* -- all --------------------------------------------------------------------------------------- */

static int check_n(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n) {
  if (counters == NULL && n > 0)
    return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "counters are NULL, expected an array of %zu", n);
  if (n > UINT32_MAX)
    return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "%zu counters, expected at most %u", n, UINT32_MAX);
  return EYOT_OK;
}

static int check_list(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n) {
  struct eyoti_counter *c;
  EYOTI_TRY(check_n(rt, counters, n));
  for (size_t i = 0; i < n; i++) EYOTI_TRY(eyoti_counter_find(rt, counters[i], &c));
  return EYOT_OK;
}

/* Finds a counter of a list that was checked. */
static struct eyoti_counter *counter_found(struct eyot_rt *rt, eyot_counter_t counter) {
  struct eyoti_counter *c = NULL;
  int rc = eyoti_counter_find(rt, counter, &c);
  EYOTI_ASSERT(rc == EYOT_OK);
  return c;
}

static int wait_all(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n,
                    uint64_t timeout_ns) {
  EYOTI_TRY(check_list(rt, counters, n));
  int rc = EYOT_OK;
  size_t seen = 0;
  for (; seen < n && rc == EYOT_OK; seen++) {
    struct eyoti_counter *c = counter_found(rt, counters[seen]);
    rc = wait_firings(rt, c, ++c->claims, timeout_ns);
  }
  for (size_t i = 0; i < seen; i++) {
    struct eyoti_counter *c = counter_found(rt, counters[i]);
    if (rc == EYOT_OK) consume(c);
    c->claims--;
  }
  return rc;
}

int eyot_counter_wait_all(const eyot_counter_t *counters, size_t n) {
  EYOTI_ENTER(rt);
  return wait_all(rt, counters, n, FAB_FOREVER);
}

int eyot_counter_test_all(const eyot_counter_t *counters, size_t n, bool *fired) {
  EYOTI_ENTER(rt);
  if (fired == NULL) return EYOTI_FAIL(EYOT_EINVAL, "fired is NULL");
  return counter_report(wait_all(rt, counters, n, 0), fired);
}

/* -- any and some ------------------------------------------------------------------------------ */

/* The conditions of a list, on the stack of the waiting unit unless there are many. */
struct conds {
  struct fab_cond *at;
  struct fab_cond few[CONDS_ON_STACK];
};

static void conds_close(struct conds *k) {
  if (k->at != k->few) free(k->at);
}

static int conds_open(struct eyot_rt *rt, struct conds *k, const eyot_counter_t *counters,
                      size_t n) {
  EYOTI_TRY(check_n(rt, counters, n));
  if (n == 0)
    return EYOTI_COUNTER_FAIL(
        rt, EYOT_EINVAL,
        "the list of counters is empty, so the wait would never end; give at least one counter");
  k->at = n <= CONDS_ON_STACK ? k->few : malloc(n * sizeof *k->at);
  if (k->at == NULL) return EYOTI_COUNTER_FAIL(rt, EYOT_ENOMEM, "no memory for %zu conditions", n);
  int rc = EYOT_OK;
  for (size_t i = 0; i < n && rc == EYOT_OK; i++) {
    struct eyoti_counter *c;
    rc = eyoti_counter_find(rt, counters[i], &c);
    if (rc == EYOT_OK) k->at[i] = cond_of(c, 1);
  }
  if (rc != EYOT_OK) conds_close(k);
  return rc;
}

/* Of the counters that fire, the one that was returned longest ago, so that none starves, whichever
 * lists are used in turn. `at`: the lowest index. */
static size_t longest_ago(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n, size_t at) {
  uint64_t served = counter_found(rt, counters[at])->served;
  for (size_t i = at + 1; i < n && served > 0; i++) {
    const struct eyoti_counter *c = counter_found(rt, counters[i]);
    if (c->served >= served || !eyoti_counter_fires(c)) continue;
    at = i;
    served = c->served;
  }
  return at;
}

static int counter_wait_any(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n,
                            uint64_t timeout_ns, size_t *index) {
  struct conds k;
  uint32_t lowest;
  if (index == NULL) return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "index is NULL");
  EYOTI_TRY(conds_open(rt, &k, counters, n));
  int rc = fab_wait_any(rt->fab, k.at, (uint32_t)n, timeout_ns, &lowest);
  conds_close(&k);
  if (rc != EYOT_OK) return rc;
  size_t i = longest_ago(rt, counters, n, lowest);
  struct eyoti_counter *c = counter_found(rt, counters[i]);
  consume(c);
  c->served = ++rt->sync->counters->served;
  *index = i;
  return EYOT_OK;
}

int eyot_counter_wait_any(const eyot_counter_t *counters, size_t n, size_t *index) {
  EYOTI_ENTER(rt);
  return counter_wait_any(rt, counters, n, FAB_FOREVER, index);
}

int eyot_counter_test_any(const eyot_counter_t *counters, size_t n, size_t *index, bool *fired) {
  EYOTI_ENTER(rt);
  if (fired == NULL) return EYOTI_FAIL(EYOT_EINVAL, "fired is NULL");
  return counter_report(counter_wait_any(rt, counters, n, 0, index), fired);
}

/* Consumes a firing of each counter that fires, from `at` on: none before it fired when the fabric
 * checked. A counter that is named again has fewer firings left by then. */
static size_t counter_collect(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n,
                              size_t at, size_t *indices) {
  size_t count = 0;
  for (size_t i = at; i < n; i++) {
    struct eyoti_counter *c = counter_found(rt, counters[i]);
    if (!eyoti_counter_fires(c)) continue;
    consume(c);
    indices[count++] = i;
  }
  return count;
}

static int wait_some(struct eyot_rt *rt, const eyot_counter_t *counters, size_t n,
                     uint64_t timeout_ns, size_t *indices, size_t *count) {
  struct conds k;
  uint32_t lowest;
  if (indices == NULL || count == NULL)
    return EYOTI_COUNTER_FAIL(rt, EYOT_EINVAL, "%s is NULL", indices == NULL ? "indices" : "count");
  EYOTI_TRY(conds_open(rt, &k, counters, n));
  int rc = fab_wait_any(rt->fab, k.at, (uint32_t)n, timeout_ns, &lowest);
  conds_close(&k);
  if (rc != EYOT_OK) return rc;
  *count = counter_collect(rt, counters, n, lowest, indices);
  EYOTI_ASSERT(*count > 0);
  return EYOT_OK;
}

int eyot_counter_wait_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                           size_t *count) {
  EYOTI_ENTER(rt);
  return wait_some(rt, counters, n, FAB_FOREVER, indices, count);
}

int eyot_counter_test_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                           size_t *count) {
  EYOTI_ENTER(rt);
  int rc = wait_some(rt, counters, n, 0, indices, count);
  if (rc != EYOT_ETIMEOUT) return rc;
  *count = 0;
  return EYOT_OK;
}
