/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.c - see remote.h. */
#include "fabric_real/mem/remote.h"

#include "fabric_real/wait/alone.h"

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

/* Open MPI 5 over UCX flushes with each request, and UCX 1.17 and later count the flushes of a rank
 * that are not complete in 8 bits: the process is aborted at 255. A flush of the rank completes
 * them. The progress thread counts too; a count that it loses does no harm. */
#define FOLLOWED_MAX 100u

static int bound_followed(const struct fmpi_remote *target) {
  uint8_t *n = &target->followed[target->rank];
  uint8_t now = (uint8_t)(__atomic_load_n(n, __ATOMIC_RELAXED) + 1);
  bool full = now >= FOLLOWED_MAX;
  __atomic_store_n(n, full ? 0 : now, __ATOMIC_RELAXED);
  if (full) FMPI_TRY(MPI_Win_flush(target->rank, target->win));
  return EYOT_OK;
}

int fmpi_remote_move(const struct fmpi_remote *target, char *here, uint64_t done, uint64_t len,
                     bool is_get, MPI_Request *req) {
  MPI_Aint disp = target->disp + (MPI_Aint)done;
  struct piece p = piece_of(disp, len);
  here += done;
  if (req != NULL && target->followed != NULL) EYOTI_TRY(bound_followed(target));
  if (is_get && req != NULL)
    FMPI_TRY_ALONE(target->alone, MPI_Rget(here, p.count, p.type, target->rank, disp, p.count,
                                           p.type, target->win, req));
  else if (is_get)
    FMPI_TRY(MPI_Get(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win));
  else if (req != NULL)
    FMPI_TRY_ALONE(target->alone, MPI_Rput(here, p.count, p.type, target->rank, disp, p.count,
                                           p.type, target->win, req));
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
