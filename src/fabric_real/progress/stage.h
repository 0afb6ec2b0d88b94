/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.h - transfers between private memory of units and other nodes, through a buffer of the
 * progress process. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_STAGE_H
#define EYOT_FABRIC_REAL_PROGRESS_STAGE_H

#include "fabric_real/progress/private.h"

#define FMPI_STAGE_BYTES (UINT64_C(128) << 10) /* of a piece */

struct fmpi_stage;
int fmpi_stage_open(struct fmpi_stage **out);
void fmpi_stage_close(struct fmpi_stage *g);
/* Leaves pieces on the way: fmpi_stage_settle and, of puts, a flush of their targets after it
 * complete them. *failed: 0 or the errno of a put that could not be sent; a get's failure shows
 * later, and is noted here. */
int fmpi_stage_move(struct fmpi *f, struct fmpi_stage *g, const struct fmpi_asked *a,
                    const struct fmpi_at *at, int *failed);
int fmpi_stage_settle(struct fmpi *f, struct fmpi_stage *g);
#endif
