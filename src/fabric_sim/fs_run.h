/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_run.h - the limits of a run, checked before anything is made. */
#ifndef EYOT_FS_RUN_H
#define EYOT_FS_RUN_H

#include "fs_world.h"

/* fs_limits.c. Refuses a number of units that memory, address space or the map limit cannot hold:
 * says which, how many would fit, how to raise it. EINVAL, ERANGE. */
int fs_limits_check(const struct fs_options *opt);
/* True if that many units run with guard pages (at most FS_GUARDED_UNITS_MAX, if memory is to be
 * mapped for each). */
bool fs_limits_guards(uint32_t n_units);
#endif
