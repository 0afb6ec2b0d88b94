/* SPDX-License-Identifier: BSD-3-Clause */
/* vendor.h - the differences between the MPIs that the fabric is built for. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_VENDOR_H
#define EYOT_FABRIC_REAL_LAUNCH_VENDOR_H

#include "fabric_real/endpoint/endpoint.h"

bool fmpi_is_openmpi(void);                 /* may be asked before MPI_Init */
int fmpi_vendor_before_init(void);          /* before MPI_T too, which reads the environment */
void fmpi_vendor_skip_address_search(void); /* between MPI_T_init_thread and MPI_Init */
int fmpi_vendor_thread_level(bool thread,
                             bool serialized); /* thread: eyot has one of its own that calls MPI */
/* attached memory by messages, not by a dynamic window */
bool fmpi_vendor_attach_by_message(void);
/* too many transfers with a request to one rank abort the process (mem/remote.c) */
bool fmpi_vendor_bounds_requests(void);
/* Transfers with a request that another thread completes too early are never reported as complete
 * (wait/alone.h). */
bool fmpi_vendor_loses_requests(void);
int fmpi_check_launcher(int world_size);   /* EFABRIC: it is not the launcher of this MPI */
int fmpi_check_launcher_before_init(void); /* the same, as far as it can be known */
#endif
