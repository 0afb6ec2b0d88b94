/* SPDX-License-Identifier: BSD-3-Clause */
/* pages.h - which pages of a segment are there. */
#ifndef EYOT_FABRIC_REAL_MEM_PAGES_H
#define EYOT_FABRIC_REAL_MEM_PAGES_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_find_pins(struct fmpi *f); /* sets job.pins */

/* fab_ops */
int fmpi_seg_reach(struct fab *fab, uint64_t want, uint64_t *len);
int fmpi_seg_return(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);
int fmpi_seg_secure(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len);
#endif
