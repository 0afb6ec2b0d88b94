/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.h - one MPI call on memory that is not mapped here. A flush of the rank that
 * fmpi_target_rank gives completes it. */
#ifndef EYOT_FABRIC_REAL_MEM_REMOTE_H
#define EYOT_FABRIC_REAL_MEM_REMOTE_H

#include "fabric_real/endpoint/endpoint.h"

/* With progress processes, of a segment. */
void fmpi_target_rank_served(const struct fmpi *f, const struct fmpi_at *at, int *rank,
                             MPI_Aint *disp);
/* The rank that MPI addresses for a place, and the displacement there: the unit's, or those of the
 * progress process that serves it, which has the memory of its whole node. */
static inline void fmpi_target_rank(const struct fmpi *f, const struct fmpi_at *at, int *rank,
                                    MPI_Aint *disp) {
  *rank = (int)at->unit;
  *disp = at->disp;
  /* only its owner exposes attached memory */
  if (__builtin_expect(f->job.servers != 0 && at->slot != FAB_SEG_MAX, 0))
    fmpi_target_rank_served(f, at, rank, disp);
}

struct fmpi_remote {
  MPI_Win win;
  MPI_Aint disp;
  int rank;
  uint8_t *followed; /* of struct fmpi_job */
  bool *alone;       /* of struct fmpi_progress */
};
static inline struct fmpi_remote fmpi_remote_of(const struct fmpi *f, const struct fmpi_at *at) {
  struct fmpi_remote target = {
      .win = at->win, .followed = f->job.followed, .alone = f->progress.alone};
  fmpi_target_rank(f, at, &target.rank, &target.disp);
  return target;
}
/* A piece of a put or get; if req is not NULL, completed locally by that. */
int fmpi_remote_move(const struct fmpi_remote *target, char *here, uint64_t done, uint64_t len,
                     bool is_get, MPI_Request *req);
/* The same of a place. */
int fmpi_move_piece(const struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t done,
                    uint64_t len, bool is_get, MPI_Request *req);
/* *value stays until the flush. */
int fmpi_signal_by_mpi(const struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                       const uint64_t *value);
#endif
