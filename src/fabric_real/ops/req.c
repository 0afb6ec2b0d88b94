/* SPDX-License-Identifier: BSD-3-Clause */
/* req.c - see req.h. */
#include "fabric_real/ops/req.h"

#include <inttypes.h>

#include "fabric_real/mem/attach_message.h"
#include "fabric_real/ops/complete.h"
#include "fabric_real/ops/message.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/progress/engine.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/wait/idle.h"

static int req_find(struct fmpi *f, fab_req_t req, struct fmpi_op **out) {
  struct fmpi_op *op = fmpi_op_find(f, req);
  if (op == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "request %" PRIx64 " is unknown, or was completed before", req);
  *out = op;
  return EYOT_OK;
}

static bool has_mpi_request(const struct fmpi_op *op) {
  return op->one != MPI_REQUEST_NULL || op->many != NULL;
}

static int wait_local(struct fmpi *f, struct fmpi_op *op) {
  if (op->message) return fmpi_message_wait(f, op);
  if (!op->local_done && !has_mpi_request(op) && !op->delegated && !op->sent)
    return fmpi_complete(f, op->unit, FAB_LOCAL); /* MPI's atomics have no request */
  EYOTI_TRY(fmpi_op_local(f, op));
  return op->failed;
}

static int wait_remote(struct fmpi *f, struct fmpi_op *op) {
  if (op->queued) EYOTI_TRY(fmpi_signals_issue(f, op->unit));
  if (op->message)
    EYOTI_TRY(fmpi_message_wait(f, op));
  else if (op->is_get || op->delegated)
    EYOTI_TRY(fmpi_op_local(f, op));
  else if (op->sent)
    EYOTI_TRY(fmpi_remote_amo_wait(f, op));
  else if (!op->remote_done)
    EYOTI_TRY(fmpi_complete(f, op->unit, FAB_REMOTE));
  EYOTI_ASSERT(op->local_done && op->remote_done);
  /* Of a delegated one the acquire load of what its progress process released is enough: what
   * follows need not wait for that line. */
  if (!op->delegated) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  int failed = op->failed;
  fmpi_op_drop(f, op);
  return failed;
}

/* Of a signal, or of an atomic without result, MPI may still read the operand, whoever waits. */
static bool lends_operand(const struct fmpi_op *op) {
  return op->width != 0 && op->old == NULL;
}

/* A put whose signal is queued, or that others execute, and what lends MPI its operand stay for the
 * flush; for the rest MPI's own flush of the target is enough. */
static int release(struct fmpi *f, struct fmpi_op *op) {
  int rc = wait_local(f, op);
  bool stays = op->queued || op->delegated || op->sent || lends_operand(op);
  if (rc != 0 || op->is_get || op->remote_done || !stays) {
    if (!op->queued) fmpi_op_drop(f, op);
    return rc;
  }
  op->requested = false;
  return EYOT_OK;
}

int fmpi_req_wait(struct fab *fab, fab_req_t req, enum fab_level level) {
  if (req == 0) return EYOT_OK;
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_op *op;
  EYOTI_TRY(req_find(f, req, &op));
  if (level == FAB_RELEASE) return release(f, op);
  return level == FAB_LOCAL ? wait_local(f, op) : wait_remote(f, op);
}

/* Local completion without blocking where there is something to test; an atomic of MPI's that
 * returns a value blocks until that has arrived. */
static int test_local(struct fmpi *f, struct fmpi_op *op, bool *done) {
  bool flag = true;
  if (op->message)
    EYOTI_TRY(fmpi_message_test(f, op, &flag));
  else if (!op->local_done && op->delegated)
    flag = fmpi_engine_test(f, op);
  else if (!op->local_done && op->sent)
    EYOTI_TRY(fmpi_remote_amo_test(f, op, &flag));
  else if (!op->local_done && has_mpi_request(op))
    EYOTI_TRY(fmpi_test_mpi(op->many != NULL ? op->many : &op->one,
                            op->many != NULL ? op->chunks : 1, &flag));
  else if (!op->local_done)
    EYOTI_TRY(fmpi_complete(f, op->unit, FAB_LOCAL));
  if (flag) EYOTI_TRY(fmpi_op_local(f, op));
  *done = flag;
  return EYOT_OK;
}

int fmpi_req_test(struct fab *fab, fab_req_t req, enum fab_level level, bool *done) {
  if (req == 0) {
    *done = true;
    return EYOT_OK;
  }
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_op *op;
  bool local = false;
  EYOTI_TRY(req_find(f, req, &op));
  EYOTI_TRY(test_local(f, op, &local));
  if (local && level == FAB_REMOTE && op->sent) EYOTI_TRY(fmpi_remote_amo_test(f, op, &local));
  /* MPI's own test does not serve requests of others */
  if (!local) EYOTI_TRY(fmpi_serve_others(f));
  if (local)
    f->idle.polls = 0;
  else
    fmpi_idle(f);
  /* may block: MPI has no flush that does not */
  if (local && level == FAB_REMOTE) EYOTI_TRY(wait_remote(f, op));
  if (local && level == FAB_LOCAL && op->failed != 0) return op->failed;
  *done = local;
  return EYOT_OK;
}
