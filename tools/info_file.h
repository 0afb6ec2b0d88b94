/* SPDX-License-Identifier: BSD-3-Clause */
/* info_file.h - what eyot-info prints figures for: only SimGrid platforms that a run would take. */
#ifndef EYOT_TOOLS_INFO_FILE_H
#define EYOT_TOOLS_INFO_FILE_H

#include <stdint.h>

#include "fabric_sim/machine/platform.h"

/* If the platform is a SimGrid platform: loads SimGrid and the file, and checks that its hosts hold
 * so many units, `per_node` on each (0: as many as it has cores). Others are right. Once a process.
 * Returns the tool's exit code, after a message. */
int info_file_check(const struct sim_plat *p, uint32_t units, uint32_t per_node);
#endif
