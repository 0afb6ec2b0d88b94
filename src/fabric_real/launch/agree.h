/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h - options that must be equal on all units. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_AGREE_H
#define EYOT_FABRIC_REAL_LAUNCH_AGREE_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_check_options(MPI_Comm world); /* collective. Errors: EINVAL, on all units alike */
#endif
