/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_keys.h - reads "key=value,..." of a parametric Dragonfly into its description. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H

#include "fabric_sim/machine/platform.h"

/* Changes *p key by key (keys and ranges: sim_plat_parse). Errors: EINVAL (key, value and what is
 * expected); *p is then unspecified. */
int sim_plat_keys(const char *text, struct sim_plat *p);
#endif
