/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.c - completing what is in flight to a unit or to all, and order, which on MPI is the
 * same. */
#include "fabric_real/endpoint/endpoint.h"

/* MPI's own waiting spins without giving way. Where units share processors, the target is asked for
 * one byte and looked at in between yields; when the answer is here, the target has run and the
 * flush that follows finds its acknowledgements. Nothing depends on that for being right. */
int fmpi_let_run(struct fmpi *f, int rank) {
  if (f->probe == MPI_WIN_NULL) return EYOT_OK;
  MPI_Request req;
  FMPI_TRY(MPI_Rget(&f->probe_there, 1, MPI_BYTE, rank, 0, 1, MPI_BYTE, f->probe, &req));
  return fmpi_wait_mpi(f, &req, 1);
}

static int flush_window(MPI_Win win, int rank, enum fab_level level) {
  if (level == FAB_REMOTE)
    FMPI_TRY(MPI_Win_flush(rank, win));
  else
    FMPI_TRY(MPI_Win_flush_local(rank, win));
  return EYOT_OK;
}

static int flush_target(struct fmpi *f, const struct fmpi_target *x, enum fab_level level) {
  int rank = fmpi_rank_of(f, x->unit);
  if (x->unit != f->fab.me || f->servers != 0) {
    if (x->segs != 0) EYOTI_TRY(fmpi_let_run(f, rank));
    if (x->attached && (x->segs == 0 || rank != (int)x->unit))
      EYOTI_TRY(fmpi_let_run(f, (int)x->unit));
  }
  for (uint64_t left = x->segs; left != 0; left &= left - 1) {
    const struct fmpi_seg *s = &f->seg[__builtin_ctzll(left)];
    EYOTI_ASSERT(s->live && s->rma != MPI_WIN_NULL);
    EYOTI_TRY(flush_window(s->rma, rank, level));
  }
  return x->attached ? flush_window(f->dynamic, (int)x->unit, level) : EYOT_OK;
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
  return fmpi_ops_completed(f, unit, level);
}

static int flush_check_unit(const struct fmpi *f, fab_unit_t unit) {
  if (unit < f->fab.n || unit == FAB_ALL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", unit, f->fab.n);
}

int fmpi_drain(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  if (level == FAB_REMOTE && f->queue_head != NULL) EYOTI_TRY(fmpi_signals_issue(f, unit));
  if (f->targets.oldest != NULL) EYOTI_TRY(fmpi_complete(f, unit, level));
  if (level == FAB_REMOTE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  f->fab.quiet = f->cpu_words && f->targets.oldest == NULL && f->queue_head == NULL && f->lost == 0;
  return EYOT_OK;
}

int fmpi_flush(struct fab *fab, fab_unit_t unit, enum fab_level level) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_TRY(flush_check_unit(f, unit));
  EYOTI_TRY(fmpi_drain(f, unit, level));
  return f->lost == 0 ? EYOT_OK : fmpi_ops_report(f, unit, level);
}

int fmpi_order(struct fab *fab, fab_unit_t unit) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_TRY(flush_check_unit(f, unit));
  if (f->queue_head != NULL) EYOTI_TRY(fmpi_signals_issue(f, unit));
  if (unit == FAB_ALL) {
    if (f->targets.oldest != NULL) EYOTI_TRY(fmpi_complete(f, FAB_ALL, FAB_REMOTE));
  } else {
    const struct fmpi_target *x = fmpi_target_find(&f->targets, unit);
    /* gets are not covered */
    if (x != NULL && x->writes != 0) EYOTI_TRY(fmpi_complete(f, unit, FAB_REMOTE));
  }
  /* Between copies by the CPU, stores in order are enough: order is not a store-to-load barrier. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return EYOT_OK;
}
