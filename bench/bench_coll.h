/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll.h - the parts of bench_coll: what is measured, and the floor (bench_coll_floor.c). */
#ifndef BENCH_COLL_H
#define BENCH_COLL_H

#include <eyot/neighbor.h>
#include <mpi.h>

#include "bench.h"

enum { COLL_UNITS_MAX = 64 };

/* Private buffers of a unit: of `most` bytes each; blocks of allgather and alltoall share them. */
struct buffers {
  double *from, *to;
  double *heap_from, *heap_to; /* the same in the heap */
  uint32_t me, n;              /* units */
  struct floor *hand;          /* NULL: the units do not share memory */
  eyot_graph_t ring;           /* all units, periodic */
  MPI_Comm ring_mpi;           /* the same */
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
/* bench_coll_blocks.c: functions that have no floor. */
void neighbors_open(struct buffers *b);
void neighbors_close(struct buffers *b);
void gather_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void gather_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void scatter_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void scatter_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void gatherv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void gatherv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void scatterv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void scatterv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void allgatherv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void allgatherv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void alltoallv_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void alltoallv_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void alltoallw_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void alltoallw_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void reduce_scatter_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void reduce_scatter_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void scan_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void scan_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
void neighbor_eyot(const struct buffers *b, uint64_t bytes, uint32_t i);
void neighbor_mpi(const struct buffers *b, uint64_t bytes, uint32_t i);
#endif
