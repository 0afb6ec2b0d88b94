/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_file.h - the figures of a machine from the section platform of a machine file
 * (base/machine_file.h): `base`, the preset whose shape and kind it has, and every figure of
 * platform_keys.def that such a machine has. For platform.c. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_FILE_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_FILE_H

#include <stddef.h>

#include "fabric_sim/machine/platform.h"

/* find: returns the preset of a name; NULL: there is none. Errors: EINVAL (logs file, line and what
 * is expected), ESYS (the file cannot be read), ENOMEM. */
int sim_plat_file(const char *path, const struct sim_plat *(*find)(const char *name, size_t len),
                  struct sim_plat *out);
#endif
