/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_shmem.h - the rows of bench_shmem: each operation by OpenSHMEM, and by eyot's own call for
 * the comparison of the two in one process. */
#ifndef BENCH_SHMEM_H
#define BENCH_SHMEM_H

#include <stddef.h>

/* As in bench.h. */
#define RELOAD(buffer) __asm__ volatile("" ::"r"(buffer) : "memory")

/* A loop of `n` operations, which returns the ns of one. */
typedef double bench_shmem_loop(int n);

double bench_shmem_ns(void); /* a clock */

/* Allocates what eyot's own calls use; collective. Not 0: it could not. */
int bench_shmem_own_begin(void);
/* The loop of eyot's own call for the row; NULL: eyot has no such call. */
bench_shmem_loop *bench_shmem_own(const char *row);
#endif
