/* SPDX-License-Identifier: BSD-3-Clause */
/* complete.c - counts the operations in flight, completes them, and reports the failed ones. See
 * complete.h. */
#include "fabric_real/ops/complete.h"

#include "fabric_real/progress/engine.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/probe.h"
#include "fabric_real/wait/supervised.h"

int fmpi_op_local(struct fmpi *f, struct fmpi_op *op) {
  if (op->local_done) return EYOT_OK;
  if (op->delegated) return fmpi_engine_wait(f, op);
  if (op->sent) return fmpi_remote_amo_wait(f, op);
  bool one = op->many == NULL;
  EYOTI_TRY(fmpi_wait_mpi(f, one ? &op->one : op->many, one ? 1 : op->chunks));
  if (op->old != NULL)
    fab_amo_store(op->old, op->narrow, op->width == 4 ? op->result.u32 : op->result.u64);
  op->local_done = true;
  if (op->is_get) {
    op->remote_done = true;
    /* of chunks, some may have been completed to keep the bound: a flush accounts for them */
    if (one) fmpi_target_done(&f->targets, op->unit, true);
  }
  return EYOT_OK;
}

/* After a flush of `unit` or FAB_ALL. */
static int ops_completed(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  for (struct fmpi_op *op = f->ops.live, *next; op != NULL; op = next) {
    next = op->next;
    if (unit != FAB_ALL && op->unit != unit) continue;
    EYOTI_TRY(fmpi_op_local(f, op));
    if (op->queued) continue; /* its bytes may be there, its signal is not */
    if (op->sent && level == FAB_LOCAL && !op->remote_done) continue;
    if (op->sent) EYOTI_TRY(fmpi_remote_amo_wait(f, op));
    if (level == FAB_REMOTE) op->remote_done = true;
    if (!op->requested && op->failed == 0) /* one that has failed stays until a flush reports it */
      fmpi_op_drop(f, op);
    else if (op->requested && op->remote_done)
      fmpi_op_unlink(op);
  }
  return EYOT_OK;
}

/* Local completion reports gets, whose results are missing; remote completion reports puts. */
int fmpi_ops_report(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  int rc = EYOT_OK;
  for (struct fmpi_op *op = f->ops.live, *next; op != NULL; op = next) {
    next = op->next;
    if (op->requested || op->failed == 0 || !op->remote_done ||
        (unit != FAB_ALL && op->unit != unit) || !fab_set_covers(f->fab.set, op->set))
      continue;
    if (level == FAB_LOCAL && !op->is_get) continue;
    rc = op->failed;
    f->ops.lost--;
    fmpi_op_drop(f, op);
  }
  return rc;
}

static int flush_window(struct fmpi *f, MPI_Win win, int rank, enum fab_level level) {
  fmpi_flush_published(f, true);
  if (level == FAB_REMOTE)
    FMPI_TRY(MPI_Win_flush(rank, win));
  else
    FMPI_TRY(MPI_Win_flush_local(rank, win));
  fmpi_flush_published(f, false);
  return EYOT_OK;
}

static int flush_target(struct fmpi *f, const struct fmpi_target *x, enum fab_level level) {
  int rank = fmpi_rank_of(f, x->unit);
  if (x->unit != f->fab.me || f->job.servers != 0) {
    if (x->segs != 0) EYOTI_TRY(fmpi_let_run(f, rank));
    if (x->attached && (x->segs == 0 || rank != (int)x->unit))
      EYOTI_TRY(fmpi_let_run(f, (int)x->unit));
  }
  for (uint64_t left = x->segs; left != 0; left &= left - 1) {
    const struct fmpi_seg *s = &f->seg[__builtin_ctzll(left)];
    EYOTI_ASSERT(s->live && s->rma != MPI_WIN_NULL);
    EYOTI_TRY(flush_window(f, s->rma, rank, level));
  }
  return x->attached ? flush_window(f, f->attach.win, (int)x->unit, level) : EYOT_OK;
}

int fmpi_complete(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  struct fmpi_targets *t = &f->targets;
  struct fmpi_target *x = unit == FAB_ALL ? t->oldest : fmpi_target_find(t, unit);
  if (x == NULL) return EYOT_OK;
  while (x != NULL) {
    struct fmpi_target *newer = x->newer;
    EYOTI_TRY(flush_target(f, x, level));
    if (level == FAB_REMOTE) fmpi_target_forget(t, x);
    if (unit != FAB_ALL) break;
    x = newer;
  }
  return ops_completed(f, unit, level);
}

/* MPI knows no sets: its flush of a target completes those of the others there, too. */
int fmpi_complete_set(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  const fab_set_t set = f->fab.set;
  if (set == FAB_SET_ALL) return fmpi_complete(f, unit, level);
  struct fmpi_target *x = unit == FAB_ALL ? f->targets.oldest : fmpi_target_find(&f->targets, unit);
  while (x != NULL) {
    struct fmpi_target *newer = x->newer;
    if (x->unit == unit || unit == FAB_ALL) {
      if (fmpi_target_has(x, set)) EYOTI_TRY(fmpi_complete(f, x->unit, level));
    }
    x = unit == FAB_ALL ? newer : NULL;
  }
  return EYOT_OK;
}

/* Counts one more in flight to `unit`; keeps the bound. */
static int count_one(struct fmpi *f, fab_unit_t unit, bool is_get, struct fmpi_target **out) {
  struct fmpi_targets *t = &f->targets;
  if (t->inflight >= t->limit) EYOTI_TRY(fmpi_complete(f, t->oldest->unit, FAB_REMOTE));
  *out = fmpi_target_count(t, unit, is_get);
  (*out)->sets |= UINT64_C(1) << fab_set_now(&f->fab) % 64;
  f->fab.quiet = false;
  return EYOT_OK;
}

int fmpi_target_add(struct fmpi *f, const struct fmpi_at *at, bool is_get) {
  struct fmpi_target *x;
  EYOTI_TRY(count_one(f, at->unit, is_get, &x));
  if (at->slot == FAB_SEG_MAX)
    x->attached = true;
  else
    x->segs |= UINT64_C(1) << at->slot;
  return EYOT_OK;
}

int fmpi_target_add_delegated(struct fmpi *f, fab_unit_t unit, bool is_get) {
  struct fmpi_target *x;
  return count_one(f, unit, is_get, &x);
}
