/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - which processes share a node, and the numbering of units. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_PLACE_H
#define EYOT_FABRIC_REAL_LAUNCH_PLACE_H

#include "fabric_real/endpoint/endpoint.h"

/* Collective over MPI_COMM_WORLD; node_size 0: a node is a machine. */
int fmpi_place_units(struct fmpi *f, uint32_t node_size);
/* That many processes of this machine may use fewer processors. */
bool fmpi_lacks_processors(uint32_t processes);
#endif
