/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - see rma.h. A copy where the memory is mapped here, otherwise MPI, in pieces that its int
 * counts can express. */
#include "fabric_real/ops/rma.h"

#include <stdlib.h>
#include <string.h>

#include "fabric_real/mem/attach_message.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/remote.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/complete.h"
#include "fabric_real/ops/handover.h"
#include "fabric_real/wait/supervised.h"

static int move_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                       bool is_get, struct fmpi_op *op) {
  /* no division on the usual way */
  uint64_t pieces =
      len <= f->job.chunk_bytes ? 1 : (len + f->job.chunk_bytes - 1) / f->job.chunk_bytes;
  MPI_Request *reqs = NULL;
  if (op != NULL && pieces > 1) {
    reqs = pieces <= INT32_MAX ? malloc(pieces * sizeof *reqs) : NULL;
    if (reqs == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory to follow a transfer of %lu bytes in %lu pieces",
                        len, pieces);
    for (uint64_t i = 0; i < pieces; i++) reqs[i] = MPI_REQUEST_NULL;
    op->many = reqs;
    op->chunks = (uint32_t)pieces;
  } else if (op != NULL) {
    reqs = &op->one;
  }
  struct fmpi_remote target = fmpi_remote_of(f, at);
  for (uint64_t done = 0, i = 0; done < len; done += f->job.chunk_bytes, i++) {
    uint64_t left = len - done;
    EYOTI_TRY(fmpi_target_add(f, at, is_get));
    EYOTI_TRY(fmpi_remote_move(&target, here, done,
                               left < f->job.chunk_bytes ? left : f->job.chunk_bytes, is_get,
                               reqs != NULL ? &reqs[i] : NULL));
  }
  return EYOT_OK;
}

int fmpi_put_remote(struct fmpi *f, const struct fmpi_at *at, const void *src, uint64_t len,
                    struct fmpi_op *op) {
  return move_remote(f, at, (char *)(uintptr_t)src, len, false, op);
}

/* A caller that waits at once needs no request and no entry among the targets: a flush of this
 * window after the call completes it. A get must not wait for other operations in flight to its
 * target; and where units share processors, waiting gives way, which MPI's own does not. */
static bool can_finish(const struct fmpi *f, const struct fmpi_at *at, bool is_get) {
  if (!f->fab.waits || f->probe.win != MPI_WIN_NULL) return false;
  return !is_get || f->targets.oldest == NULL || fmpi_target_find(&f->targets, at->unit) == NULL;
}

static int move_and_flush(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                          bool is_get) {
  struct fmpi_remote target = fmpi_remote_of(f, at);
  uint64_t done = 0;
  for (; len - done > f->job.chunk_bytes; done += f->job.chunk_bytes)
    EYOTI_TRY(fmpi_remote_move(&target, here, done, f->job.chunk_bytes, is_get, NULL));
  EYOTI_TRY(fmpi_remote_move(&target, here, done, len - done, is_get, NULL));
  fmpi_flush_published(f, true);
  FMPI_TRY(MPI_Win_flush(target.rank, target.win));
  fmpi_flush_published(f, false);
  return EYOT_OK;
}

static int finish_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                         bool is_get) {
  int rc = move_and_flush(f, at, here, len, is_get);
  /* MPI may still refer to the caller's memory: let a flush know of it, and that one wait. */
  if (__builtin_expect(rc != EYOT_OK, 0) && fmpi_target_add(f, at, is_get) == EYOT_OK)
    fab_settle_set(&f->fab, at->unit);
  return rc;
}

static int start_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                        bool is_get, fab_req_t *req) {
  if (fmpi_by_attach_message(f, at)) {
    EYOTI_TRY(fmpi_attach_message_move(f, at, here, len, is_get));
    if (req != NULL) *req = 0;
    return EYOT_OK;
  }
  if (req == NULL) return move_remote(f, at, here, len, is_get, NULL);
  if (can_finish(f, at, is_get)) {
    *req = 0;
    return finish_remote(f, at, here, len, is_get);
  }
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, at->unit, true, &op));
  op->is_get = is_get;
  int rc = move_remote(f, at, here, len, is_get, op);
  if (rc != 0) {
    fmpi_op_drop(f, op);
    return rc;
  }
  fmpi_op_issued(f, op);
  *req = fmpi_op_id(op);
  return EYOT_OK;
}

int fmpi_put(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(fmpi_resolve(f, dst, len, &at));
  fmpi_count(&f->stats, fab, dst.unit, len);
  if (__builtin_expect(f->progress.engine != NULL, 0) && fmpi_engine_takes(f, len)) {
    bool taken = false;
    EYOTI_TRY(fmpi_engine_post(f, &(struct fmpi_transfer){.at = &at, .here = src, .len = len}, req,
                               &taken));
    if (taken) return EYOT_OK;
  }
  if (at.ptr == NULL && len != 0)
    return start_remote(f, &at, (char *)(uintptr_t)src, len, false, req);
  if (len != 0) fmpi_copy_in(at.ptr, src, len);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}

int fmpi_get(struct fab *fab, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(fmpi_resolve(f, src, len, &at));
  fmpi_count(&f->stats, fab, src.unit, len);
  if (__builtin_expect(f->progress.engine != NULL, 0) && fmpi_engine_takes(f, len)) {
    bool taken = false;
    EYOTI_TRY(fmpi_engine_post(
        f, &(struct fmpi_transfer){.at = &at, .here = dst, .len = len, .is_get = true}, req,
        &taken));
    if (taken) return EYOT_OK;
  }
  if (at.ptr == NULL && len != 0) return start_remote(f, &at, dst, len, true, req);
  if (len != 0) fmpi_copy_out(dst, at.ptr, len);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}
