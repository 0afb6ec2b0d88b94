/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h - creating and destroying segments: collective over the units, with the progress
 * processes. launch/open.c enters the functions into the table of operations. */
#ifndef EYOT_FABRIC_REAL_OPS_SEGMENT_H
#define EYOT_FABRIC_REAL_OPS_SEGMENT_H

#include "fabric_real/endpoint/endpoint.h"

struct fmpi_over; /* mem/over.h */

/* As seg_reserve. over: NULL, or pages of the caller that become its part. */
int fmpi_seg_over(struct fmpi *f, uint64_t len, uint64_t promised, const struct fmpi_over *over,
                  fab_seg_t *seg);

/* fab_ops */
int fmpi_seg_create(struct fab *fab, uint64_t len, fab_seg_t *seg);
int fmpi_seg_reserve(struct fab *fab, uint64_t len, uint64_t promised, uint64_t *front,
                     fab_seg_t *seg);
int fmpi_seg_available(struct fab *fab, uint64_t *len);
int fmpi_seg_destroy(struct fab *fab, fab_seg_t seg);
#endif
