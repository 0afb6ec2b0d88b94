/* SPDX-License-Identifier: BSD-3-Clause */
/* node_memory.h - small shared memory of a node for the fabric's own words (rings, wakeups),
 * aligned to a cache line. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_NODE_MEMORY_H
#define EYOT_FABRIC_REAL_ENDPOINT_NODE_MEMORY_H

#include "fabric_real/endpoint/endpoint.h"

/* Of the node's first process. Collective over the node. */
int fmpi_share_lines(const struct fmpi *f, uint64_t bytes, MPI_Win *win, void **memory);
#endif
