/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h - options that must be equal on all units. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_AGREE_H
#define EYOT_FABRIC_REAL_LAUNCH_AGREE_H

#include "fabric_real/endpoint/endpoint.h"

/* Collective. rc: an error that this unit has met before (logged), or 0. Errors: rc; EINVAL; on all
 * units alike. */
int fmpi_check_options(MPI_Comm world, int rc);
#endif
