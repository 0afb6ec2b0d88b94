/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll.h - the parts of bench_coll: what is measured, and the floor (bench_coll_floor.c). */
#ifndef BENCH_COLL_H
#define BENCH_COLL_H

#include <mpi.h>

#include "bench.h"

enum { COLL_UNITS_MAX = 64 };

/* Private buffers of a unit: of `most` bytes each; blocks of allgather and alltoall share them. */
struct buffers {
  double *from, *to;
  uint32_t me, n;     /* units */
  struct floor *hand; /* NULL: the units do not share memory */
};

/* The operations by hand on an MPI shared window, for units of one node: NULL where they are not.
 * Collective. */
struct floor *floor_open(uint32_t me, uint32_t n);
void floor_close(struct floor *f);
/* As the functions of eyot and of MPI; bytes: as there. i: number of the call, which gives the
 * root. */
void floor_barrier(const struct buffers *b, uint64_t bytes, uint32_t i);
void floor_broadcast(const struct buffers *b, uint64_t bytes, uint32_t i);
void floor_reduce(const struct buffers *b, uint64_t bytes, uint32_t i);
void floor_allreduce(const struct buffers *b, uint64_t bytes, uint32_t i);
void floor_allgather(const struct buffers *b, uint64_t bytes, uint32_t i);
void floor_alltoall(const struct buffers *b, uint64_t bytes, uint32_t i);
#endif
