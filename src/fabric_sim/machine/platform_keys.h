/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_keys.h - parses "key=value,..." of a parametric Dragonfly into its description. For
 * platform.c only. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H

#include "fabric_sim/machine/platform.h"

/* Changes *p key by key (keys and ranges: sim_plat_parse). Errors: EINVAL (logs key, value and the
 * expected form); *p is then unspecified. */
int sim_plat_keys(const char *text, struct sim_plat *p);
#endif
