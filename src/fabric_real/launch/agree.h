/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h - what all processes of the job agree on at start: options that must be equal on all
 * units, and facts that each process knows a part of. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_AGREE_H
#define EYOT_FABRIC_REAL_LAUNCH_AGREE_H

#include "fabric_real/endpoint/endpoint.h"

/* Collective over MPI_COMM_WORLD. rc: an error that this unit has met before (logged), or 0. Sets
 * job.key, together, oversubscribed (if together), connected and quiet_fence. Errors: rc; EINVAL;
 * on all units alike. */
int fmpi_agree(struct fmpi *f, int rc);
/* Called after an error of fmpi_agree. False: some processes have not failed alike within seconds,
 * and wait for this one elsewhere (logged). */
bool fmpi_agree_failed(void);
#endif
