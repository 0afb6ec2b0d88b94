/* SPDX-License-Identifier: BSD-3-Clause */
/* nb.c - non-blocking put and get, and the completion of handles (eyot/rma.h).
 *
 * A handle is the fabric's request id, or one of follow.c. An operation on memory that is mapped
 * here, or of no bytes, is complete at once and gives handle 0, unless the fabric executes long
 * ones asynchronously. */
#include <inttypes.h>

#include "rma/copy.h"
#include "rma/rma.h"

static inline __attribute__((always_inline)) int nb_put(struct eyot_rt *rt, eyot_gptr_t dst,
                                                        const void *src, uint64_t len,
                                                        fab_req_t *req) {
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, length %" PRId64, (int64_t)len);
  char *p = rt->fab->delegates ? NULL : eyoti_mapped_addr(&rt->mapped, dst, len);
  if (p != NULL && len > 0) {
    if (!eyoti_copy_word(p, src, len)) eyoti_fast_copy(p, src, len);
    EYOTI_FENCE_AFTER_PUT();
    return EYOT_OK;
  }
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, dst, len, &a));
  return len == 0 ? EYOT_OK : fab_put(rt->fab, a, src, len, req);
}

int eyoti_rma_put(struct eyot_rt *rt, eyot_gptr_t dst, const void *src, uint64_t len,
                  fab_req_t *req) {
  return nb_put(rt, dst, src, len, req);
}

static inline __attribute__((always_inline)) int nb_get(struct eyot_rt *rt, void *dst,
                                                        eyot_gptr_t src, uint64_t len,
                                                        fab_req_t *req) {
  if (dst == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "destination is NULL, length %" PRId64, (int64_t)len);
  char *p = rt->fab->delegates ? NULL : eyoti_mapped_addr(&rt->mapped, src, len);
  if (p != NULL && len > 0) {
    if (!eyoti_copy_word(dst, p, len)) eyoti_fast_copy(dst, p, len);
    EYOTI_FENCE_AFTER_GET();
    return EYOT_OK;
  }
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, src, len, &a));
  return len == 0 ? EYOT_OK : fab_get(rt->fab, dst, a, len, req);
}

int eyoti_rma_get_to(struct eyot_rt *rt, void *dst, eyot_gptr_t src, uint64_t len, fab_req_t *req) {
  return nb_get(rt, dst, src, len, req);
}

int eyoti_rma_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src, uint64_t len, fab_req_t *req) {
  *req = 0;
  return eyoti_rma_get_to(rt, dst, src, len, req);
}

int eyot_put_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_handle_t *handle) {
  EYOTI_ENTER(rt);
  if (handle == NULL)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "handle is NULL; use eyot_put_nbi for an operation that is completed by flush");
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_rma_put(rt, dst, src, len, &req));
  eyoti_handle_give(rt, req, handle);
  return EYOT_OK;
}

int eyot_get_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_handle_t *handle) {
  EYOTI_ENTER(rt);
  if (handle == NULL)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "handle is NULL; use eyot_get_nbi for an operation that is completed by flush");
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_rma_get_to(rt, dst, src, len, &req));
  eyoti_handle_give(rt, req, handle);
  return EYOT_OK;
}

int eyoti_put_nbi_call(eyot_gptr_t dst, const void *src, uint64_t len) {
  EYOTI_ENTER_AS(rt, "eyot_put_nbi");
  return nb_put(rt, dst, src, len, NULL);
}

int eyoti_get_nbi_call(void *dst, eyot_gptr_t src, uint64_t len) {
  EYOTI_ENTER_AS(rt, "eyot_get_nbi");
  return nb_get(rt, dst, src, len, NULL);
}

static int check_completion(const eyot_handle_t *handles, size_t n, eyot_level_t level) {
  if (level != EYOT_LOCAL && level != EYOT_REMOTE)
    return EYOTI_FAIL(EYOT_EINVAL, "completion level %d is neither EYOT_LOCAL nor EYOT_REMOTE",
                      (int)level);
  if (handles == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "handles are NULL, expected an array of %zu", n);
  return EYOT_OK;
}

static enum fab_level fab_level_of(eyot_level_t level) {
  return level == EYOT_REMOTE ? FAB_REMOTE : FAB_LOCAL;
}

/* The caller may free its buffer also after an error. A request that is not one (EINVAL) has no
 * buffer. */
static int wait_request(struct eyot_rt *rt, fab_req_t req, enum fab_level level) {
  int rc = fab_req_wait(rt->fab, req, level);
  if (rc != EYOT_OK && rc != EYOT_EINVAL) fab_settle_set(rt->fab, FAB_ALL);
  return rc;
}

static int nb_wait_one(struct eyot_rt *rt, eyot_handle_t *handle, eyot_level_t level) {
  /* also if it fails: the handle is then gone */
  if (level == EYOT_REMOTE && handle->id != 0) eyoti_handle_forget(rt, handle->id);
  if ((handle->id & EYOTI_FOLLOW_BIT) != 0)
    EYOTI_TRY(eyoti_follow_wait(rt, *handle, fab_level_of(level)));
  else
    EYOTI_TRY(wait_request(rt, handle->id, fab_level_of(level)));
  if (level == EYOT_REMOTE) *handle = EYOT_HANDLE_DONE;
  return EYOT_OK;
}

/* A handle of 0 is complete and needs no fabric call: no caller polls it again. */
static int test_one(struct eyot_rt *rt, eyot_handle_t *handle, eyot_level_t level, bool *done) {
  bool complete = true;
  if ((handle->id & EYOTI_FOLLOW_BIT) != 0)
    EYOTI_TRY(eyoti_follow_test(rt, *handle, fab_level_of(level), &complete));
  else if (handle->id != 0)
    EYOTI_TRY(fab_req_test(rt->fab, handle->id, fab_level_of(level), &complete));
  if (complete && level == EYOT_REMOTE) {
    if (handle->id != 0) eyoti_handle_forget(rt, handle->id);
    *handle = EYOT_HANDLE_DONE;
  }
  *done = complete;
  return EYOT_OK;
}

int eyot_wait(eyot_handle_t *handle, eyot_level_t level) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(check_completion(handle, 1, level));
  return nb_wait_one(rt, handle, level);
}

int eyot_test(eyot_handle_t *handle, eyot_level_t level, bool *done) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(check_completion(handle, 1, level));
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  return test_one(rt, handle, level, done);
}

/* One handle that fails must not leave the buffers of the others in flight: all are waited for, and
 * the first error is returned. */
int eyot_wait_all(eyot_handle_t *handles, size_t n, eyot_level_t level) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(check_completion(handles, n, level));
  int first = EYOT_OK;
  /* The signals that follow gets are sent before the first wait. */
  for (size_t i = 0; rt->rma->follows != NULL && i < n; i++) eyoti_follow_start(rt, handles[i]);
  for (size_t i = 0; i < n; i++) {
    int rc = nb_wait_one(rt, &handles[i], level);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

int eyot_test_all(eyot_handle_t *handles, size_t n, eyot_level_t level, bool *done) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(check_completion(handles, n, level));
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  bool all = true;
  for (size_t i = 0; i < n; i++) {
    bool one;
    EYOTI_TRY(test_one(rt, &handles[i], level, &one));
    all = all && one;
  }
  *done = all;
  return EYOT_OK;
}
