/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.c - see remote.h. */
#include "fabric_real/mem/remote.h"

void fmpi_target_rank_served(const struct fmpi *f, const struct fmpi_at *at, int *rank,
                             MPI_Aint *disp) {
  uint32_t node;
  fab_unit_t first;
  fmpi_home(f, at->unit, &node, &first);
  *rank = (int)(f->fab.n + node * f->job.servers + (at->unit - first) % f->job.servers);
  *disp = at->disp + (MPI_Aint)((at->unit - first) * f->seg[at->slot].stride);
}

struct piece {
  MPI_Datatype type;
  int count;
};

/* A single aligned word travels as a word, so that MPI has no reason to tear it. */
static struct piece piece_of(MPI_Aint disp, uint64_t len) {
  if (len == 8 && disp % 8 == 0) return (struct piece){MPI_UINT64_T, 1};
  if (len == 4 && disp % 4 == 0) return (struct piece){MPI_UINT32_T, 1};
  return (struct piece){MPI_BYTE, (int)len};
}

int fmpi_remote_move(const struct fmpi_remote *target, char *here, uint64_t done, uint64_t len,
                     bool is_get, MPI_Request *req) {
  MPI_Aint disp = target->disp + (MPI_Aint)done;
  struct piece p = piece_of(disp, len);
  here += done;
  if (is_get && req != NULL)
    FMPI_TRY(
        MPI_Rget(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win, req));
  else if (is_get)
    FMPI_TRY(MPI_Get(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win));
  else if (req != NULL)
    FMPI_TRY(
        MPI_Rput(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win, req));
  else
    FMPI_TRY(MPI_Put(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win));
  return EYOT_OK;
}

int fmpi_move_piece(const struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t done,
                    uint64_t len, bool is_get, MPI_Request *req) {
  struct fmpi_remote target = fmpi_remote_of(f, at);
  return fmpi_remote_move(&target, here, done, len, is_get, req);
}

int fmpi_signal_by_mpi(const struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                       const uint64_t *value) {
  MPI_Aint disp;
  int rank;
  fmpi_target_rank(f, at, &rank, &disp);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* copies by the CPU before it */
  FMPI_TRY(MPI_Accumulate(value, 1, MPI_UINT64_T, rank, disp, 1, MPI_UINT64_T,
                          op == FAB_SIG_SET ? MPI_REPLACE : MPI_SUM, at->win));
  return EYOT_OK;
}
