/* SPDX-License-Identifier: BSD-3-Clause */
/* amo.c - see amo.h. The CPU's on words of the own node and, by remote AMOs
 * (progress/remote_amo.h), of other nodes; or MPI's for every target, the caller itself included.
 *
 * A word is changed by one kind only, because CPU atomics beside MPI's lose updates. MPI promises
 * atomicity between different operations on one word only where accumulate_ops allows it, and has
 * no standard value that allows all of ours together; MPICH serves all of a window's accumulates in
 * one place, and the conformance suite stresses the mixture. An MPI that does not must not be
 * used. */
#include "fabric_real/ops/amo.h"

#include "fabric_real/mem/attach_message.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/remote.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/complete.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/wait/wakeup.h"

#define WORD_MPI(width) ((width) == 4 ? MPI_UINT32_T : MPI_UINT64_T)

static MPI_Op mpi_op(enum fab_amo_op op) {
  switch (op) {
    case FAB_AMO_READ:
      return MPI_NO_OP;
    case FAB_AMO_ADD:
      return MPI_SUM;
    case FAB_AMO_AND:
      return MPI_BAND;
    case FAB_AMO_OR:
      return MPI_BOR;
    case FAB_AMO_XOR:
      return MPI_BXOR;
    case FAB_AMO_SWAP:
      return MPI_REPLACE;
    case FAB_AMO_CAS:
      break;
  }
  return MPI_OP_NULL;
}

static int amo_check(struct fab_addr dst, const struct fab_amo *amo) {
  if (amo->width != 4 && amo->width != 8)
    return EYOTI_FAIL(EYOT_EINVAL, "an atomic is 4 or 8 bytes wide, not %u", amo->width);
  if ((uint32_t)amo->op > FAB_AMO_CAS)
    return EYOTI_FAIL(EYOT_EINVAL, "no such atomic: %u", (uint32_t)amo->op);
  if (dst.off % amo->width != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %lu of an atomic must be a multiple of its %u bytes",
                      dst.off, amo->width);
  return EYOT_OK;
}

/* op's words stay where they are until MPI has completed it locally. */
static int issue(const struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                 struct fmpi_op *op) {
  MPI_Datatype type = WORD_MPI(amo->width);
  MPI_Aint disp;
  int rank;
  fmpi_target_rank(f, at, &rank, &disp);
  if (amo->op == FAB_AMO_CAS)
    FMPI_TRY(
        MPI_Compare_and_swap(&op->operand, &op->compare, &op->result, type, rank, disp, at->win));
  else if (op->old == NULL && amo->op != FAB_AMO_READ)
    FMPI_TRY(MPI_Accumulate(&op->operand, 1, type, rank, disp, 1, type, mpi_op(amo->op), at->win));
  else
    FMPI_TRY(
        MPI_Fetch_and_op(&op->operand, &op->result, type, rank, disp, mpi_op(amo->op), at->win));
  return EYOT_OK;
}

static union fmpi_word amo_word_of(uint32_t width, uint64_t value) {
  return width == 4 ? (union fmpi_word){.u32 = (uint32_t)value} : (union fmpi_word){.u64 = value};
}

static int by_mpi(struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                  uint64_t *old, fab_req_t *req) {
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, at->unit, req != NULL, &op));
  op->width = amo->width;
  op->operand = amo_word_of(amo->width, amo->operand);
  op->compare = amo_word_of(amo->width, amo->compare);
  op->old = old;
  op->narrow = amo->narrow;
  op->local_done = old == NULL; /* the caller waits for nothing: the operand is ours */
  int rc = fmpi_target_add(f, at, false);
  if (rc == 0) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    rc = issue(f, at, amo, op);
  }
  if (rc != 0) {
    fmpi_op_drop(f, op);
    return rc;
  }
  fmpi_op_issued(f, op);
  if (req != NULL) *req = fmpi_op_id(op);
  return EYOT_OK;
}

/* The operands are in the remote AMO. */
static int amo_by_message(struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                          uint64_t *old, fab_req_t *req) {
  const struct fmpi_remote_amo e = {
      .what = amo->op, .width = amo->width, .operand = amo->operand, .compare = amo->compare};
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, at->unit, req != NULL, &op));
  op->old = old;
  op->narrow = amo->narrow;
  op->local_done = old == NULL;
  int rc = fmpi_target_add_delegated(f, at->unit, false);
  if (rc == 0) rc = fmpi_remote_amo_post(f, at, &e, op);
  if (rc != 0) {
    fmpi_op_drop(f, op);
    return rc;
  }
  fmpi_op_issued(f, op);
  if (req != NULL) *req = fmpi_op_id(op);
  return EYOT_OK;
}

int fmpi_amo(struct fab *fab, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(amo_check(dst, amo));
  EYOTI_TRY(fmpi_resolve(f, dst, amo->width, &at));
  fmpi_count(&f->stats, fab, dst.unit, amo->width);
  if (fmpi_by_remote_amo(f, &at)) return amo_by_message(f, &at, amo, old, req);
  if (fmpi_by_attach_message(f, &at)) {
    uint64_t before;
    EYOTI_TRY(fmpi_attach_message_amo(f, &at, amo, old != NULL ? &before : NULL));
    if (old != NULL) fab_amo_store(old, amo->narrow, before);
    if (req != NULL) *req = 0;
    return EYOT_OK;
  }
  if (!fmpi_by_cpu(f, &at)) return by_mpi(f, &at, amo, old, req);
  uint64_t before = fab_cpu_amo(at.ptr, amo);
  fmpi_wakeup_changed(f, at.unit);
  if (old != NULL) fab_amo_store(old, amo->narrow, before);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}
