/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - start and stop of the one-sided layer (rma.h). */
#include "rma/rma.h"

#include <stdlib.h>

#include "base/conf.h"
#include "rma/copy.h"
#include "rma/op.h"

int eyoti_rma_start(struct eyot_rt *rt) {
  EYOTI_ASSERT(rt->rma == NULL);
  uint64_t pack_bytes, bulk_atomic;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PACK_BYTES, &pack_bytes));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_BULK_ATOMIC, &bulk_atomic));
  struct eyoti_rma *r = eyoti_slack_new(sizeof *r);
  if (r == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of one-sided operations (%zu bytes)",
                      sizeof *r);
  r->pack_bytes = pack_bytes;
  r->bulk_atomic = bulk_atomic;
  eyoti_idtab_init(&r->ops, 0, EYOT_OP_MAX);
  /* only mapped memory is copied so, and in virtual time none is */
  r->stream_bytes =
      (rt->fab->caps & FAB_CAP_VIRTUAL_TIME) != 0 ? UINT64_MAX : eyoti_copy_stream_min();
  rt->rma = r;
  return EYOT_OK;
}

void eyoti_rma_stop(struct eyot_rt *rt) {
  struct eyoti_rma *r = rt->rma;
  if (r == NULL) return;
  int rc = eyoti_blocks_release(rt);
  if (rc != EYOT_OK)
    eyoti_log(EYOTI_LOG_WARN, __func__, rc, "the last packed transfer was not retired");
  for (uint32_t h = 0; h < EYOTI_PACK_HALVES; h++) free(r->pack[h]);
  eyoti_follow_stop(rt);
  free(r->handles);
  free(r->sets);
  eyoti_ops_stop(rt);
  free(r->phase);
  /* Phase names stay in the process's table: the fabric's summary refers to them after the unit has
   * left. */
  eyoti_slack_free(r);
  rt->rma = NULL;
}
