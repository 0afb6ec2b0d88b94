/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c - see signal.h. The signal becomes visible after the bytes of its put.
 *
 * MPI has no way to chain the two and no flush that does not block. So a signal whose bytes went
 * through MPI is queued, first in first out for each target, and sent by the next call that waits,
 * flushes, orders or makes progress, after a flush of its target. All other signals are sent at
 * once. */
#include "fabric_real/ops/signal.h"

#include "fabric_real/mem/attach_message.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/remote.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/complete.h"
#include "fabric_real/ops/handover.h"
#include "fabric_real/ops/rma.h"
#include "fabric_real/progress/remote_amo.h"

/* Counts one more in flight, of the operation's set, which may have been queued for long; keeps the
 * bound. */
static int signal_count(struct fmpi *f, const struct fmpi_op *op) {
  const fab_set_t set = f->fab.set;
  const struct fmpi_at *at = &op->sig_at;
  f->fab.set = op->set;
  int rc = fmpi_by_remote_amo(f, at) ? fmpi_target_add_delegated(f, at->unit, false)
                                     : fmpi_target_add(f, at, false);
  f->fab.set = set;
  return rc;
}

/* To a word that the CPU cannot change; it has been counted. */
static int signal_send(struct fmpi *f, struct fmpi_op *op) {
  if (fmpi_by_remote_amo(f, &op->sig_at))
    return fmpi_remote_amo_signal(f, &op->sig_at, op->sig_op, op->operand.u64, op);
  return fmpi_signal_by_mpi(f, &op->sig_at, op->sig_op, &op->operand.u64);
}

static void enqueue(struct fmpi *f, struct fmpi_op *op) {
  op->queued = true;
  op->queue_next = NULL;
  if (f->signals.tail != NULL)
    f->signals.tail->queue_next = op;
  else
    f->signals.head = op;
  f->signals.tail = op;
  f->signals.n++;
  f->fab.quiet = false;
}

/* Takes `op` out of the queue; `before` is its predecessor or NULL. */
static void dequeue(struct fmpi *f, struct fmpi_op *before, struct fmpi_op *op) {
  if (before != NULL)
    before->queue_next = op->queue_next;
  else
    f->signals.head = op->queue_next;
  if (f->signals.tail == op) f->signals.tail = before;
  op->queue_next = NULL;
  op->queued = false;
  f->signals.n--;
}

static bool is_queued_for(const struct fmpi *f, fab_unit_t unit) {
  for (const struct fmpi_op *op = f->signals.head; op != NULL; op = op->queue_next)
    if (op->unit == unit) return true;
  return false;
}

/* The bound is kept while the operation still counts as queued, so that completing another does not
 * take this one for complete. */
static int send_queued(struct fmpi *f, struct fmpi_op *before, struct fmpi_op *op) {
  bool cpu = fmpi_by_cpu(f, &op->sig_at), message = fmpi_by_attach_message(f, &op->sig_at);
  if (!cpu && !message) EYOTI_TRY(signal_count(f, op));
  dequeue(f, before, op);
  if (!cpu && !message) return signal_send(f, op);
  if (cpu)
    fmpi_signal_mapped(f, &op->sig_at, op->sig_op, op->operand.u64);
  else
    EYOTI_TRY(fmpi_attach_message_signal(f, &op->sig_at, op->sig_op, op->operand.u64));
  op->local_done = op->remote_done = true;
  if (!op->requested) fmpi_op_drop(f, op);
  return EYOT_OK;
}

/* All signals to one unit whose bytes have arrived, in their order. */
static int send_to(struct fmpi *f, fab_unit_t unit) {
  struct fmpi_op *before = NULL;
  for (struct fmpi_op *op = f->signals.head, *next; op != NULL; op = next) {
    next = op->queue_next;
    if (op->unit != unit)
      before = op;
    else
      EYOTI_TRY(send_queued(f, before, op));
  }
  return EYOT_OK;
}

static int signals_issue(struct fmpi *f, fab_set_t set, fab_unit_t unit) {
  const struct fmpi_op *op = f->signals.head;
  while (op != NULL) {
    if ((unit != FAB_ALL && op->unit != unit) || !fab_set_covers(set, op->set)) {
      op = op->queue_next;
      continue;
    }
    fab_unit_t target = op->unit;
    EYOTI_TRY(fmpi_complete(f, target, FAB_REMOTE));
    EYOTI_TRY(send_to(f, target));
    op = f->signals.head; /* each round empties one target's part */
  }
  return EYOT_OK;
}

int fmpi_signals_issue(struct fmpi *f, fab_unit_t unit) {
  return signals_issue(f, FAB_SET_ALL, unit);
}

int fmpi_signals_issue_set(struct fmpi *f, fab_unit_t unit) {
  return signals_issue(f, f->fab.set, unit);
}

int fmpi_signal_check(struct fab_addr dst, uint64_t len, const struct fab_sig *sig) {
  if (sig->op != FAB_SIG_SET && sig->op != FAB_SIG_ADD)
    return EYOTI_FAIL(EYOT_EINVAL, "no such signal: %u", (uint32_t)sig->op);
  if (sig->at.off % 8 != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %lu of a signal must be a multiple of 8 bytes",
                      sig->at.off);
  if (len != 0 && sig->at.unit != dst.unit)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the signal is at unit %u, its bytes go to unit %u; they must be the same",
                      sig->at.unit, dst.unit);
  return EYOT_OK;
}

/* `data` is where bytes go that must travel by MPI (len 0: none are left to go). */
static int signal_start(struct fmpi *f, const struct fmpi_at *data, const void *src, uint64_t len,
                        bool queue, struct fmpi_op *op) {
  if (len != 0) EYOTI_TRY(fmpi_put_remote(f, data, src, len, op->requested ? op : NULL));
  op->local_done = len == 0;
  if (queue) {
    enqueue(f, op);
    return EYOT_OK;
  }
  EYOTI_TRY(signal_count(f, op));
  return signal_send(f, op);
}

int fmpi_put_signal(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                    const struct fab_sig *sig, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at data = {0}, word;
  EYOTI_TRY(fmpi_signal_check(dst, len, sig));
  EYOTI_TRY(fmpi_resolve(f, sig->at, 8, &word));
  if (len != 0) EYOTI_TRY(fmpi_resolve(f, dst, len, &data));
  fmpi_count(&f->stats, fab, sig->at.unit, len + 8);
  if (__builtin_expect(f->progress.engine != NULL, 0) && fmpi_engine_takes(f, len)) {
    bool taken = false;
    EYOTI_TRY(fmpi_engine_post(
        f, &(struct fmpi_transfer){.at = &data, .here = src, .len = len, .sig = sig}, req, &taken));
    if (taken) return EYOT_OK;
  }
  if (data.ptr != NULL) {
    fmpi_copy_in(data.ptr, src, len);
    len = 0;
  } else if (fmpi_by_attach_message(f, &data) && len != 0) {
    EYOTI_TRY(fmpi_attach_message_move(f, &data, (char *)(uintptr_t)src, len, false));
    len = 0;
  }
  bool queue = len != 0 || is_queued_for(f, word.unit);
  if (!queue && fmpi_by_attach_message(f, &word)) {
    EYOTI_TRY(fmpi_attach_message_signal(f, &word, sig->op, sig->value));
    if (req != NULL) *req = 0;
    return EYOT_OK;
  }
  if (!queue && fmpi_by_cpu(f, &word)) {
    fmpi_signal_mapped(f, &word, sig->op, sig->value);
    if (req != NULL) *req = 0;
    return EYOT_OK;
  }
  if (queue && f->signals.n >= f->targets.limit) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, word.unit, req != NULL, &op));
  op->width = 8;
  op->operand.u64 = sig->value;
  op->sig_op = sig->op;
  op->sig_at = word;
  int rc = signal_start(f, &data, src, len, queue, op);
  if (rc != 0) {
    if (!op->queued) fmpi_op_drop(f, op);
    return rc;
  }
  fmpi_op_issued(f, op);
  if (req != NULL) *req = fmpi_op_id(op);
  return EYOT_OK;
}
