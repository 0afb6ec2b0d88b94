/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.c - see flush.h. They complete the operations in flight to a unit or to all; on MPI order
 * does the same. */
#include "fabric_real/ops/flush.h"

#include "fabric_real/ops/complete.h"
#include "fabric_real/ops/message.h"
#include "fabric_real/ops/signal.h"

static int flush_check_unit(const struct fmpi *f, fab_unit_t unit) {
  if (unit < f->fab.n || unit == FAB_ALL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", unit, f->fab.n);
}

int fmpi_drain(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  if (level == FAB_REMOTE && f->signals.head != NULL) EYOTI_TRY(fmpi_signals_issue_set(f, unit));
  if (f->targets.oldest != NULL) EYOTI_TRY(fmpi_complete_set(f, unit, level));
  EYOTI_TRY(fmpi_messages_complete(f, unit));
  if (level == FAB_REMOTE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  f->fab.quiet =
      f->job.cpu_words && f->targets.oldest == NULL && f->signals.head == NULL && f->ops.lost == 0;
  return EYOT_OK;
}

int fmpi_flush(struct fab *fab, fab_unit_t unit, enum fab_level level) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_TRY(flush_check_unit(f, unit));
  EYOTI_TRY(fmpi_drain(f, unit, level));
  return f->ops.lost == 0 ? EYOT_OK : fmpi_ops_report(f, unit, level);
}

int fmpi_order(struct fab *fab, fab_unit_t unit) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_TRY(flush_check_unit(f, unit));
  if (f->signals.head != NULL) EYOTI_TRY(fmpi_signals_issue_set(f, unit));
  if (unit == FAB_ALL) {
    if (f->targets.oldest != NULL) EYOTI_TRY(fmpi_complete_set(f, FAB_ALL, FAB_REMOTE));
  } else {
    const struct fmpi_target *x = fmpi_target_find(&f->targets, unit);
    /* gets are not covered */
    if (x != NULL && x->writes != 0) EYOTI_TRY(fmpi_complete_set(f, unit, FAB_REMOTE));
  }
  /* Between copies by the CPU, stores in order are enough: order is not a store-to-load barrier. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return EYOT_OK;
}
