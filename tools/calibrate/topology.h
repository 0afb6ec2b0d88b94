/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - processors and NUMA domains of this machine. */
#ifndef EYOT_CALIBRATE_TOPOLOGY_H
#define EYOT_CALIBRATE_TOPOLOGY_H

#include <stdint.h>

/* Of the processors that this process may use; numa divides processors (else it is 1). Without
 * hwloc (a choice of the build) numa is 1. */
void topology_read(uint32_t *processors, uint32_t *numa);

/* Returns the bytes of the processor's cache of that level (2 or 3), at most 32 MiB: what a table
 * of twice that still shows. *from: how that is known; a usual size if the system does not say. */
uint32_t topology_cache(uint32_t level, const char **from);
#endif
