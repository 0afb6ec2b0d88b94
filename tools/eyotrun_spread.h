/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_spread.h - how many processes each machine gets where nodes have progress processes
 * beside their units. */
#ifndef EYOTRUN_SPREAD_H
#define EYOTRUN_SPREAD_H

#include <stdint.h>

#include "eyotrun_hosts.h"

/* Finds where `units` processes would go with --hosts or --hostfile (one of them is given, and
 * checked) and --per-host, and replaces these by a list of the same machines in which each takes
 * its units and, for each of its nodes of node_size units (0: the machine is one), `servers` (> 0)
 * processes more. *processes: all of them. Returns 0, or an exit code (told on stderr). */
int spread_hosts(struct hosts_options *o, uint64_t units, uint64_t node_size, uint64_t servers,
                 uint64_t *processes);
#endif
