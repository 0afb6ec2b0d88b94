/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c - see probe.h.
 *
 * Where units share processors, the target is asked for one byte, and this process yields until the
 * answer is here: then the target has run, and the flush that follows finds its acknowledgements.
 * Correctness does not depend on it. */
#include "fabric_real/wait/probe.h"

#include "fabric_real/wait/alone.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/spin.h"

int fmpi_probe_open(struct fmpi *f) {
  if (!f->job.oversubscribed || f->fab.n + f->job.servers == 1) return EYOT_OK;
  FMPI_TRY_SPINNING(
      f, MPI_Win_create(&f->probe.here, 1, 1, MPI_INFO_NULL, f->comm.wide, &f->probe.win));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, f->probe.win));
  return EYOT_OK;
}

int fmpi_probe_close(struct fmpi *f) {
  if (f->probe.win == MPI_WIN_NULL) return EYOT_OK;
  FMPI_TRY(MPI_Win_unlock_all(f->probe.win));
  FMPI_TRY_SPINNING(f, MPI_Win_free(&f->probe.win));
  return EYOT_OK;
}

int fmpi_let_run(struct fmpi *f, int rank) {
  if (f->probe.win == MPI_WIN_NULL) return EYOT_OK;
  MPI_Request req;
  FMPI_TRY_ALONE(f->progress.alone,
                 MPI_Rget(&f->probe.there, 1, MPI_BYTE, rank, 0, 1, MPI_BYTE, f->probe.win, &req));
  return fmpi_wait_mpi(f, &req, 1);
}
