/* SPDX-License-Identifier: BSD-3-Clause */
/* put.c - blocking put and get, and put to local completion, after their inline part (eyot/fast.h):
 * the memory is not mapped here, its part was not used lately, or an argument is wrong. */
#include <inttypes.h>

#include "rma/copy.h"
#include "rma/rma.h"

/* Copies a word, aligned or not, without a call: many parts that take turns would pay for it each
 * time. */
static inline void put_copy(void *dst, const void *src, uint64_t len) {
  if (eyoti_copy_word(dst, src, len)) return;
  if (len == sizeof(uint64_t))
    memcpy(dst, src, sizeof(uint64_t));
  else
    eyoti_fast_copy(dst, src, len);
}

int eyoti_put_call(eyot_gptr_t dst, const void *src, uint64_t len) {
  char *p = src != NULL ? eyoti_mapped_find(&eyot_current->mapped, dst, len) : NULL;
  if (p != NULL) {
    put_copy(p, src, len);
    EYOTI_FENCE_AFTER_PUT();
    return EYOT_OK;
  }
  EYOTI_ENTER_AS(rt, "eyot_put");
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, length %" PRId64, (int64_t)len);
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, dst, len, &a));
  if (len == 0) return EYOT_OK;
  rt->fab->waits = true;
  int rc = fab_put_wait(rt->fab, a, src, len);
  rt->fab->waits = false;
  return rc;
}

int eyoti_put_local_call(eyot_gptr_t dst, const void *src, uint64_t len) {
  char *p = src != NULL ? eyoti_mapped_find(&eyot_current->mapped, dst, len) : NULL;
  if (p != NULL) {
    put_copy(p, src, len);
    EYOTI_FENCE_AFTER_PUT();
    return EYOT_OK;
  }
  EYOTI_ENTER_AS(rt, "eyot_put_local");
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, length %" PRId64, (int64_t)len);
  struct fab_addr a;
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_gmem_resolve(rt, dst, len, &a));
  if (len == 0) return EYOT_OK;
  EYOTI_TRY(fab_put(rt->fab, a, src, len, &req));
  return fab_req_release(rt->fab, a.unit, req);
}

int eyoti_get_call(void *dst, eyot_gptr_t src, uint64_t len) {
  char *p = dst != NULL ? eyoti_mapped_find(&eyot_current->mapped, src, len) : NULL;
  if (p != NULL) {
    put_copy(dst, p, len);
    EYOTI_FENCE_AFTER_GET();
    return EYOT_OK;
  }
  EYOTI_ENTER_AS(rt, "eyot_get");
  if (dst == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "destination is NULL, length %" PRId64, (int64_t)len);
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, src, len, &a));
  if (len == 0) return EYOT_OK;
  rt->fab->waits = true;
  int rc = fab_get_wait(rt->fab, dst, a, len);
  rt->fab->waits = false;
  return rc;
}
