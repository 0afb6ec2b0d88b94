/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_spread.h - computes how many processes each machine gets where nodes have progress
 * processes in addition to their units. For eyotrun.c. */
#ifndef EYOTRUN_SPREAD_H
#define EYOTRUN_SPREAD_H

#include <stdint.h>

#include "eyotrun_hosts.h"

/* Finds where `units` processes would be placed with --hosts or --hostfile (one of them is given,
 * and checked) and --per-host, and replaces these by a list of the same machines in which each
 * takes its units and, for each of its nodes of node_size units (0: the machine is one node),
 * `servers` (> 0) additional processes. *processes: the total. Returns 0, or an exit code (reported
 * on stderr). */
int spread_hosts(struct hosts_options *o, uint64_t units, uint64_t node_size, uint64_t servers,
                 uint64_t *processes);
#endif
