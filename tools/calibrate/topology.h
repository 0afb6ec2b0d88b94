/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - processors and NUMA domains of this machine. */
#ifndef EYOT_CALIBRATE_TOPOLOGY_H
#define EYOT_CALIBRATE_TOPOLOGY_H

#include <stdint.h>

/* Of the processors that this process may use; numa divides processors (else it is 1). Without
 * hwloc (a choice of the build) numa is 1. */
void topology_read(uint32_t *processors, uint32_t *numa);
#endif
