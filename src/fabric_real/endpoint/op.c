/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - see op.h. */
#include "fabric_real/endpoint/op.h"

#include <stdlib.h>
#include <string.h>

#include "fabric_real/endpoint/endpoint.h"

static int op_grow(struct fmpi *f) {
  if (f->ops.nblocks == FMPI_OP_BLOCKS_MAX)
    return EYOTI_FAIL(EYOT_EBUSY, "%u requests are waiting to be completed; wait for some",
                      FMPI_OP_BLOCKS_MAX * FMPI_OP_BLOCK);
  struct fmpi_op *b = calloc(FMPI_OP_BLOCK, sizeof *b);
  if (b == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u more operations", FMPI_OP_BLOCK);
  for (uint32_t i = FMPI_OP_BLOCK; i-- > 0;) {
    b[i].index = f->ops.nblocks * FMPI_OP_BLOCK + i;
    b[i].generation = (uint32_t)f->job.numbers_from + 1;
    b[i].queue_next = f->ops.free;
    f->ops.free = &b[i];
  }
  f->ops.blocks[f->ops.nblocks++] = b;
  return EYOT_OK;
}

int fmpi_op_new(struct fmpi *f, fab_unit_t unit, bool requested, struct fmpi_op **out) {
  if (f->ops.free == NULL) EYOTI_TRY(op_grow(f));
  struct fmpi_op *op = f->ops.free;
  EYOTI_ASSERT(!op->used);
  f->ops.free = op->queue_next;
  *op = (struct fmpi_op){.index = op->index,
                         .generation = op->generation,
                         .unit = unit,
                         .set = fab_set_now(&f->fab),
                         .used = true,
                         .requested = requested,
                         .one = MPI_REQUEST_NULL,
                         .apart = MPI_REQUEST_NULL};
  *out = op;
  return EYOT_OK;
}

void fmpi_op_issued_in(struct fmpi_op **live, struct fmpi_op *op) {
  op->live = live;
  op->next = *live;
  if (*live != NULL) (*live)->prev = op;
  *live = op;
}

void fmpi_op_issued(struct fmpi *f, struct fmpi_op *op) {
  fmpi_op_issued_in(&f->ops.live, op);
}

void fmpi_op_unlink(struct fmpi_op *op) {
  if (op->live == NULL) return;
  if (op->prev != NULL)
    op->prev->next = op->next;
  else
    *op->live = op->next;
  if (op->next != NULL) op->next->prev = op->prev;
  op->prev = op->next = NULL;
  op->live = NULL;
}

void fmpi_op_drop(struct fmpi *f, struct fmpi_op *op) {
  EYOTI_ASSERT(op->used && !op->queued);
  fmpi_op_unlink(op);
  if (op->many != NULL) free(op->many);
  op->many = NULL;
  op->used = false;
  op->generation++;
  op->queue_next = f->ops.free;
  f->ops.free = op;
}

fab_req_t fmpi_op_id(const struct fmpi_op *op) {
  /* the highest bit stays free */
  return (uint64_t)(op->generation & INT32_MAX) << 32 | (op->index + 1);
}

struct fmpi_op *fmpi_op_find(const struct fmpi *f, fab_req_t req) {
  uint32_t index = (uint32_t)req - 1;
  if ((uint32_t)req == 0 || index / FMPI_OP_BLOCK >= f->ops.nblocks) return NULL;
  struct fmpi_op *op = &f->ops.blocks[index / FMPI_OP_BLOCK][index % FMPI_OP_BLOCK];
  return op->used && op->requested && (op->generation & INT32_MAX) == (uint32_t)(req >> 32) ? op
                                                                                            : NULL;
}

void fmpi_ops_free(struct fmpi *f) {
  for (struct fmpi_op *op = f->ops.live; op != NULL; op = op->next) free(op->many);
  for (uint32_t i = 0; i < f->ops.nblocks; i++) free(f->ops.blocks[i]);
  f->ops.nblocks = 0;
  f->ops.free = f->ops.live = NULL;
}
