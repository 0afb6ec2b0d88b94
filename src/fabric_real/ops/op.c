/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the table of operations that MPI has not finished or that the caller has not retired.
 *
 * An entry exists for every operation with a request, and for those without one of which MPI still
 * reads or writes a field (atomics, signals). Blocks are never moved, because MPI holds addresses
 * into them. A request is index and generation, so a retired one is recognized. */
#include <stdlib.h>
#include <string.h>

#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/ops/remote_amo.h"
#include "fabric_real/progress/engine.h"

static int op_grow(struct fmpi *f) {
  if (f->nblocks == FMPI_OP_BLOCKS_MAX)
    return EYOTI_FAIL(EYOT_EBUSY, "%u requests are waiting to be completed; wait for some",
                      FMPI_OP_BLOCKS_MAX * FMPI_OP_BLOCK);
  struct fmpi_op *b = calloc(FMPI_OP_BLOCK, sizeof *b);
  if (b == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u more operations", FMPI_OP_BLOCK);
  for (uint32_t i = FMPI_OP_BLOCK; i-- > 0;) {
    b[i].index = f->nblocks * FMPI_OP_BLOCK + i;
    b[i].generation = 1;
    b[i].queue_next = f->free;
    f->free = &b[i];
  }
  f->blocks[f->nblocks++] = b;
  return EYOT_OK;
}

int fmpi_op_new(struct fmpi *f, fab_unit_t unit, bool requested, struct fmpi_op **out) {
  if (f->free == NULL) EYOTI_TRY(op_grow(f));
  struct fmpi_op *op = f->free;
  EYOTI_ASSERT(!op->used);
  f->free = op->queue_next;
  *op = (struct fmpi_op){.index = op->index,
                         .generation = op->generation,
                         .unit = unit,
                         .used = true,
                         .requested = requested,
                         .one = MPI_REQUEST_NULL};
  *out = op;
  return EYOT_OK;
}

void fmpi_op_issued(struct fmpi *f, struct fmpi_op *op) {
  op->next = f->live;
  if (f->live != NULL) f->live->prev = op;
  f->live = op;
}

static void unlink_live(struct fmpi *f, struct fmpi_op *op) {
  if (op->prev != NULL)
    op->prev->next = op->next;
  else if (f->live == op)
    f->live = op->next;
  if (op->next != NULL) op->next->prev = op->prev;
  op->prev = op->next = NULL;
}

void fmpi_op_drop(struct fmpi *f, struct fmpi_op *op) {
  EYOTI_ASSERT(op->used && !op->queued);
  unlink_live(f, op);
  free(op->many);
  op->many = NULL;
  op->used = false;
  op->generation++;
  op->queue_next = f->free;
  f->free = op;
}

fab_req_t fmpi_op_id(const struct fmpi_op *op) {
  /* the highest bit stays free */
  return (uint64_t)(op->generation & INT32_MAX) << 32 | (op->index + 1);
}

struct fmpi_op *fmpi_op_find(const struct fmpi *f, fab_req_t req) {
  uint32_t index = (uint32_t)req - 1;
  if ((uint32_t)req == 0 || index / FMPI_OP_BLOCK >= f->nblocks) return NULL;
  struct fmpi_op *op = &f->blocks[index / FMPI_OP_BLOCK][index % FMPI_OP_BLOCK];
  return op->used && op->requested && (op->generation & INT32_MAX) == (uint32_t)(req >> 32) ? op
                                                                                            : NULL;
}

int fmpi_op_local(struct fmpi *f, struct fmpi_op *op) {
  if (op->local_done) return EYOT_OK;
  if (op->delegated) return fmpi_engine_wait(f, op);
  if (op->sent) return fmpi_remote_amo_wait(f, op);
  bool one = op->many == NULL;
  EYOTI_TRY(fmpi_wait_mpi(f, one ? &op->one : op->many, one ? 1 : op->chunks));
  if (op->old != NULL) *op->old = op->width == 4 ? op->result.u32 : op->result.u64;
  op->local_done = true;
  if (op->is_get) {
    op->remote_done = true;
    /* of chunks, some may have been completed to make room: a flush accounts for them */
    if (one) fmpi_target_done(f, op->unit, true);
  }
  return EYOT_OK;
}

int fmpi_ops_completed(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  for (struct fmpi_op *op = f->live, *next; op != NULL; op = next) {
    next = op->next;
    if (unit != FAB_ALL && op->unit != unit) continue;
    EYOTI_TRY(fmpi_op_local(f, op));
    if (op->queued) continue; /* its bytes may be there, its signal is not */
    if (op->sent && level == FAB_LOCAL && !op->remote_done) continue;
    if (op->sent) EYOTI_TRY(fmpi_remote_amo_wait(f, op));
    if (level == FAB_REMOTE) op->remote_done = true;
    if (!op->requested && op->failed == 0) /* one that has failed stays until a flush tells of it */
      fmpi_op_drop(f, op);
    else if (op->requested && op->remote_done)
      unlink_live(f, op);
  }
  return EYOT_OK;
}

/* Local completion tells of gets, whose results are missing; of puts the remote one does. */
int fmpi_ops_report(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  int rc = EYOT_OK;
  for (struct fmpi_op *op = f->live, *next; op != NULL; op = next) {
    next = op->next;
    if (op->requested || op->failed == 0 || !op->remote_done ||
        (unit != FAB_ALL && op->unit != unit))
      continue;
    if (level == FAB_LOCAL && !op->is_get) continue;
    rc = op->failed;
    f->lost--;
    fmpi_op_drop(f, op);
  }
  return rc;
}

void fmpi_ops_free(struct fmpi *f) {
  for (struct fmpi_op *op = f->live; op != NULL; op = op->next) free(op->many);
  for (uint32_t i = 0; i < f->nblocks; i++) free(f->blocks[i]);
  f->nblocks = 0;
  f->free = f->live = NULL;
}
