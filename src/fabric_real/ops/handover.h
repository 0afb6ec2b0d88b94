/* SPDX-License-Identifier: BSD-3-Clause */
/* handover.h - handing long non-blocking transfers over to progress processes
 * (progress/engine.h). */
#ifndef EYOT_FABRIC_REAL_OPS_HANDOVER_H
#define EYOT_FABRIC_REAL_OPS_HANDOVER_H

#include "fabric_real/progress/engine.h"

static inline bool fmpi_engine_takes(const struct fmpi *f, uint64_t len) {
  return len >= f->progress.engine->least_bytes && !f->fab.waits;
}
/* A transfer to hand over. */
struct fmpi_transfer {
  const struct fmpi_at *at; /* the target's place */
  const void *here;         /* the local buffer */
  uint64_t len;
  bool is_get;
  const struct fab_sig *sig; /* after a put, or NULL */
};
/* *taken false: it cannot be handed over, because the buffer is private memory that is out of reach
 * or too short to be worth it, or because the place is attached. */
int fmpi_engine_post(struct fmpi *f, const struct fmpi_transfer *t, fab_req_t *req, bool *taken);
#endif
