/* SPDX-License-Identifier: BSD-3-Clause */
/* shmemx.h - extensions of OpenSHMEM: eyot has none. The specification asks for the file. */
#ifndef SHMEMX_H
#define SHMEMX_H
#include "shmem.h"
#endif
