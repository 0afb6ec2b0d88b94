/* SPDX-License-Identifier: BSD-3-Clause */
/* data.h - the program's data as a segment (eyot/data.h, base/image.h). launch/ finds out whether
 * the program wants it, all agree that they run one program, and then the pages move.
 *
 * Why it exists: units of a node access each other's heap as plain memory; only in memory that they
 * share can they do so with globals, wait for them and use the processor's atomics. */
#ifndef EYOT_FABRIC_REAL_OPS_DATA_H
#define EYOT_FABRIC_REAL_OPS_DATA_H

#include "fabric_real/endpoint/endpoint.h"

/* Before MPI starts: finds the data of the program if that is to be a segment. Errors: those of
 * eyoti_image_open. */
int fmpi_data_find(struct fmpi *f);
/* A word that is the same on all units if they run one program; 0: the data is no segment. */
uint64_t fmpi_data_word(const struct fmpi *f);
/* Makes the segment. Collective over the units. Errors: those of fmpi_seg_reserve, ESTATE. */
int fmpi_data_open(struct fmpi *f);
void fmpi_data_close(struct fmpi *f);

/* fab_ops */
int fmpi_seg_data(struct fab *fab, struct fab_data *data);
bool fmpi_seg_data_known(const struct fab *fab, struct fab_data *data);
#endif
