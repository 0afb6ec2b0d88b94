/* SPDX-License-Identifier: BSD-3-Clause */
/* node_memory.c - see node_memory.h. Open MPI begins windows wherever its own state ends, so the
 * window has one cache line more. Pages begin at the same offset in all processes, and so do
 * lines. */
#include "fabric_real/endpoint/node_memory.h"

int fmpi_share_lines(const struct fmpi *f, uint64_t bytes, MPI_Win *win, void **memory) {
  int rank, unit_bytes;
  MPI_Aint size;
  char *own, *from;
  FMPI_TRY(MPI_Comm_rank(f->comm.node, &rank));
  FMPI_TRY(MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)bytes + FMPI_LINE : 0, 1, MPI_INFO_NULL,
                                   f->comm.node, &own, win));
  FMPI_TRY(MPI_Win_shared_query(*win, 0, &size, &unit_bytes, &from));
  EYOTI_ASSERT((uint64_t)size >= bytes + FMPI_LINE);
  *memory = from + (FMPI_LINE - (uintptr_t)from % FMPI_LINE) % FMPI_LINE;
  return EYOT_OK;
}
