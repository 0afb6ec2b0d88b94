/* SPDX-License-Identifier: BSD-3-Clause */
/* pshmem.h - the profiling names of OpenSHMEM: shmem.h declares pshmem_NAME beside each shmem_NAME,
 * which is a weak symbol that a tool may define itself. Type-generic macros use the shmem names. */
#ifndef PSHMEM_H
#define PSHMEM_H
#include "shmem.h"
#endif
