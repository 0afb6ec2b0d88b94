/* SPDX-License-Identifier: BSD-3-Clause */
/* fs_fab.h - the simulator's table of operations. */
#ifndef EYOT_FS_FAB_H
#define EYOT_FS_FAB_H

#include "../fabric/fabric.h"

extern const struct fab_ops fs_fab_ops;
#endif
