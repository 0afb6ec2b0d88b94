/* SPDX-License-Identifier: BSD-3-Clause */
/* at.h - a place that an operation names, checked (mem/resolve.h makes one). */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_AT_H
#define EYOT_FABRIC_REAL_ENDPOINT_AT_H

#include <mpi.h>

#include "fabric/fabric.h"

struct fmpi_at {
  char *ptr;   /* where it is mapped here; NULL: only MPI reaches it */
  MPI_Win win; /* how MPI addresses it: window and displacement in the unit's part */
  MPI_Aint disp;
  uint32_t slot; /* of its segment; FAB_SEG_MAX: attached memory */
  fab_unit_t unit;
};
#endif
