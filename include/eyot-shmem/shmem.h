/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem.h - OpenSHMEM on eyot: the functions of OpenSHMEM 1.5 with their deprecated parts, and of
 * 1.6 the scans, block-strided copies, signal_set and signal_add, pe_quiet, sessions and team_ptr.
 *
 * The specification says what each function does; the comments of the parts say what is particular
 * to eyot. A mistake (an address that is not symmetric, a PE out of range) ends the run with a
 * message that names the call and the program's line: most functions return nothing.
 * docs/openshmem.md shows how to build, run and check a program. */
#ifndef SHMEM_H
#define SHMEM_H

#include "shmem/atomic.h"
#include "shmem/coll.h"
#include "shmem/deprecated.h"
#include "shmem/rma.h"
#include "shmem/setup.h"
#include "shmem/sync.h"
#include "shmem/types.h"

#if defined(__cplusplus)
#include "shmem/cxx.h"
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include "shmem/generic.h"
#endif
#endif
