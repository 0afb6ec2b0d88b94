/* put.c - blocking put and get when the memory is not mapped here. SPDX-License-Identifier: BSD-3-Clause */
#include "rma.h"

int eyoti_put_call(eyot_gptr_t dst, const void *src, uint64_t len) {
  EYOTI_ENTER_AS(rt, "eyot_put");
  if (src == NULL && len > 0) return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, length %llu", (unsigned long long)len);
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, dst, len, &a));
  if (len == 0) return EYOT_OK;
  rt->fab->waits = true;
  int rc = fab_put_wait(rt->fab, a, src, len);
  rt->fab->waits = false;
  return rc;
}

int eyoti_get_call(void *dst, eyot_gptr_t src, uint64_t len) {
  EYOTI_ENTER_AS(rt, "eyot_get");
  if (dst == NULL && len > 0) return EYOTI_FAIL(EYOT_EINVAL, "destination is NULL, length %llu", (unsigned long long)len);
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, src, len, &a));
  if (len == 0) return EYOT_OK;
  rt->fab->waits = true;
  int rc = fab_get_wait(rt->fab, dst, a, len);
  rt->fab->waits = false;
  return rc;
}
