/* SPDX-License-Identifier: BSD-3-Clause */
/* mpp/shmem.h - shmem.h by its older path. */
#ifndef MPP_SHMEM_H
#define MPP_SHMEM_H
#include "../shmem.h"
#endif
