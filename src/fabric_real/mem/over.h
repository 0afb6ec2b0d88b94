/* SPDX-License-Identifier: BSD-3-Clause */
/* over.h - moves pages that the program has into the memory of a segment, at the addresses that
 * they have. For ops/segment.c. */
#ifndef EYOT_FABRIC_REAL_MEM_OVER_H
#define EYOT_FABRIC_REAL_MEM_OVER_H

#include "base/image.h"
#include "fabric_real/endpoint/node_memory.h"

/* The data pages of the program. */
struct fmpi_over {
  const struct eyoti_image *image;
  char *own; /* where image->lo is in this process */
};

/* Copies them to `part`, which is shared memory, and maps that over them. No other thread may write
 * to them meanwhile; signals are blocked. Errors: ESYS (logged; a part may have been moved, and all
 * values are as before). */
int fmpi_over_move(const struct fmpi_over *over, char *part);
static inline uint64_t fmpi_own_part(const struct fmpi *f) {
  return f->fab.me - f->fab.local.first;
}
#endif
