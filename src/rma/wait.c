/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waits and tests for words of the caller's own memory (eyot/signal.h).
 *
 * A wait for all waits for one word after the other: each condition has held once. The others are
 * one wait of the fabric for any of the conditions that are not left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "rma/rma.h"

_Static_assert((int)EYOT_CMP_EQ == (int)FAB_EQ && (int)EYOT_CMP_NE == (int)FAB_NE &&
                   (int)EYOT_CMP_LT == (int)FAB_LT && (int)EYOT_CMP_LE == (int)FAB_LE &&
                   (int)EYOT_CMP_GT == (int)FAB_GT && (int)EYOT_CMP_GE == (int)FAB_GE,
               "eyot's comparisons have the values of the contract's");
_Static_assert(EYOT_FOREVER == FAB_FOREVER, "both have no end");

#define CONDS_ON_STACK 16u

static int word_type(eyot_type_t type, enum fab_word *out) {
  static const enum fab_word TYPES[] = {[EYOT_INT32] = FAB_I32,
                                        [EYOT_UINT32] = FAB_U32,
                                        [EYOT_INT64] = FAB_I64,
                                        [EYOT_UINT64] = FAB_U64};
  if ((unsigned)type >= sizeof TYPES / sizeof TYPES[0])
    return EYOTI_FAIL(EYOT_EINVAL,
                      "a word of type %d cannot be waited for, expected EYOT_INT32, EYOT_UINT32, "
                      "EYOT_INT64 or EYOT_UINT64",
                      (int)type);
  *out = TYPES[type];
  return EYOT_OK;
}

static int find_word(struct eyot_rt *rt, const eyot_cond_t *c, struct fab_cond *out) {
  struct fab_addr a;
  enum fab_word type;
  if ((unsigned)c->cmp > (unsigned)EYOT_CMP_GE)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "comparison %d does not exist, expected EYOT_CMP_EQ..EYOT_CMP_GE",
                      (int)c->cmp);
  EYOTI_TRY(word_type(c->type, &type));
  EYOTI_TRY(eyoti_rma_word_at(rt, c->word, fab_word_bytes(type), "word", &a));
  if (a.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the word is at %s; a unit waits only for words in its own memory",
                      eyoti_gmem_byte_words(rt, c->word, (char[EYOTI_BYTE_WORDS]){0}));
  *out = (struct fab_cond){
      .seg = a.seg, .cmp = (enum fab_cmp)c->cmp, .off = a.off, .value = c->value, .type = type};
  return EYOT_OK;
}

/* -- one word ---------------------------------------------------------------------------------- */

static int wait_one(struct eyot_rt *rt, const eyot_cond_t *cond, uint64_t timeout_ns,
                    uint64_t *seen) {
  struct fab_cond c;
  if (cond == NULL) return EYOTI_FAIL(EYOT_EINVAL, "cond is NULL");
  EYOTI_TRY(find_word(rt, cond, &c));
  return fab_wait_word(rt->fab, &c, timeout_ns, seen);
}

/* A test: *done says whether a wait without time has ended well. */
static int tested(int rc, bool *done) {
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *done = rc == EYOT_OK;
  return EYOT_OK;
}

static eyot_cond_t u64_at(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value) {
  return (eyot_cond_t){.word = sig, .type = EYOT_UINT64, .cmp = cmp, .value = value};
}

int eyot_wait_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen) {
  EYOTI_ENTER(rt);
  const eyot_cond_t c = u64_at(sig, cmp, value);
  return wait_one(rt, &c, FAB_FOREVER, seen);
}

int eyot_wait_until_timeout(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t timeout_ns,
                            uint64_t *seen) {
  EYOTI_ENTER(rt);
  const eyot_cond_t c = u64_at(sig, cmp, value);
  return wait_one(rt, &c, timeout_ns, seen);
}

int eyot_test_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen, bool *done) {
  EYOTI_ENTER(rt);
  const eyot_cond_t c = u64_at(sig, cmp, value);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  return tested(wait_one(rt, &c, 0, seen), done);
}

int eyot_wait_until_word(const eyot_cond_t *cond, uint64_t timeout_ns, uint64_t *seen) {
  EYOTI_ENTER(rt);
  return wait_one(rt, cond, timeout_ns, seen);
}

int eyot_test_until_word(const eyot_cond_t *cond, uint64_t *seen, bool *done) {
  EYOTI_ENTER(rt);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  return tested(wait_one(rt, cond, 0, seen), done);
}

/* -- all --------------------------------------------------------------------------------------- */

static int check_list(const eyot_cond_t *conds, size_t n) {
  if (conds == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "conds is NULL, and there are %zu conditions", n);
  if (n > UINT32_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "%zu conditions, there can be %u", n, UINT32_MAX);
  return EYOT_OK;
}

static int wait_all(struct eyot_rt *rt, const eyot_cond_t *conds, size_t n, uint64_t timeout_ns) {
  struct fab_cond c;
  EYOTI_TRY(check_list(conds, n));
  for (size_t i = 0; i < n; i++) /* all, before the first wait */
    if (!eyot_gptr_is_null(conds[i].word)) EYOTI_TRY(find_word(rt, &conds[i], &c));
  const bool timed = timeout_ns != 0 && timeout_ns != FAB_FOREVER;
  const uint64_t deadline = timed ? fab_deadline(rt->fab, timeout_ns) : 0;
  uint64_t left = timeout_ns;
  for (size_t i = 0; i < n; i++) {
    if (eyot_gptr_is_null(conds[i].word)) continue;
    EYOTI_TRY(find_word(rt, &conds[i], &c));
    EYOTI_TRY(fab_wait_word(rt->fab, &c, left, NULL));
    if (timed) left = fab_left(rt->fab, deadline);
  }
  return EYOT_OK;
}

int eyot_wait_until_all(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns) {
  EYOTI_ENTER(rt);
  return wait_all(rt, conds, n, timeout_ns);
}

int eyot_test_until_all(const eyot_cond_t *conds, size_t n, bool *done) {
  EYOTI_ENTER(rt);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  return tested(wait_all(rt, conds, n, 0), done);
}

/* -- any and some ------------------------------------------------------------------------------ */

/* The conditions that are not left out, on the stack of the waiting unit unless there are many. */
struct wait_list {
  uint32_t n;
  struct fab_cond *at;
  uint32_t *from; /* index of each among the caller's */
  uint32_t *held; /* for results */
  struct fab_cond few[CONDS_ON_STACK];
  uint32_t few_from[CONDS_ON_STACK], few_held[CONDS_ON_STACK];
};

static void list_close(struct wait_list *l) {
  if (l->at != l->few) free(l->at);
}

static int list_open(struct eyot_rt *rt, struct wait_list *l, const eyot_cond_t *conds, size_t n) {
  EYOTI_TRY(check_list(conds, n));
  l->n = 0;
  l->at = l->few;
  l->from = l->few_from;
  l->held = l->few_held;
  if (n > CONDS_ON_STACK) {
    l->at = malloc(n * (sizeof *l->at + 2 * sizeof *l->from));
    if (l->at == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %zu conditions", n);
    l->from = (uint32_t *)(void *)(l->at + n);
    l->held = l->from + n;
  }
  int rc = EYOT_OK;
  for (size_t i = 0; i < n && rc == EYOT_OK; i++) {
    if (eyot_gptr_is_null(conds[i].word)) continue;
    l->from[l->n] = (uint32_t)i;
    rc = find_word(rt, &conds[i], &l->at[l->n++]);
  }
  if (rc != EYOT_OK) list_close(l);
  return rc;
}

static int wait_any(struct eyot_rt *rt, const eyot_cond_t *conds, size_t n, uint64_t timeout_ns,
                    size_t *index) {
  struct wait_list l;
  uint32_t lowest;
  if (index == NULL) return EYOTI_FAIL(EYOT_EINVAL, "index is NULL");
  EYOTI_TRY(list_open(rt, &l, conds, n));
  int rc = EYOT_OK;
  if (l.n == 0)
    *index = EYOT_NO_COND;
  else if ((rc = fab_wait_any(rt->fab, l.at, l.n, timeout_ns, &lowest)) == EYOT_OK)
    *index = l.from[lowest];
  list_close(&l);
  return rc;
}

int eyot_wait_until_any(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns, size_t *index) {
  EYOTI_ENTER(rt);
  return wait_any(rt, conds, n, timeout_ns, index);
}

int eyot_test_until_any(const eyot_cond_t *conds, size_t n, size_t *index) {
  EYOTI_ENTER(rt);
  int rc = wait_any(rt, conds, n, 0, index);
  if (rc != EYOT_ETIMEOUT) return rc;
  *index = EYOT_NO_COND;
  return EYOT_OK;
}

static int wait_some(struct eyot_rt *rt, const eyot_cond_t *conds, size_t n, uint64_t timeout_ns,
                     size_t *indices, size_t *count) {
  struct wait_list l;
  if ((indices == NULL && n > 0) || count == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", count == NULL ? "count" : "indices");
  EYOTI_TRY(list_open(rt, &l, conds, n));
  int rc = EYOT_OK;
  uint32_t held = l.n;
  if (l.n > 0) rc = fab_wait_some(rt->fab, l.at, l.n, timeout_ns, l.held, &held);
  if (rc == EYOT_OK) {
    for (uint32_t k = 0; k < held; k++) indices[k] = l.from[l.held[k]];
    *count = held;
  }
  list_close(&l);
  return rc;
}

int eyot_wait_until_some(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns, size_t *indices,
                         size_t *count) {
  EYOTI_ENTER(rt);
  return wait_some(rt, conds, n, timeout_ns, indices, count);
}

int eyot_test_until_some(const eyot_cond_t *conds, size_t n, size_t *indices, size_t *count) {
  EYOTI_ENTER(rt);
  int rc = wait_some(rt, conds, n, 0, indices, count);
  if (rc != EYOT_ETIMEOUT) return rc;
  *count = 0;
  return EYOT_OK;
}
