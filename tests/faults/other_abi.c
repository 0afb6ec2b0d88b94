/* SPDX-License-Identifier: BSD-3-Clause */
/* other_abi.c - the fabric module of a later eyot. */
#include "fabric/module.h"

EYOT_API const struct fab_module eyot_fabric_module = {.abi = FAB_ABI + 1, .name = "mpi"};
