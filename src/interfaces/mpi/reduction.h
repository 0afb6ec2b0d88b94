/* SPDX-License-Identifier: BSD-3-Clause */
/* reduction.h - what reduce.c and reduce_scatter.c share. */
#ifndef INTERFACES_MPI_REDUCTION_H
#define INTERFACES_MPI_REDUCTION_H

#include "interfaces/mpi/coll.h"

/* Checks a reduction of `count` elements of each rank, of whose result the caller gets the first
 * recvcount (ways: FACE_OUT) or nothing (0), and says what eyot is to do. */
int face_reduction(struct face_call *c, const struct face_args *a, int count, int recvcount,
                   unsigned ways, struct face_reduction *r);
/* Moves the caller's `bytes` bytes to the member `to`, and gets those of the member `from`. */
int face_move_block(struct face_call *c, uint32_t to, const void *send, uint32_t from, void *recv,
                    uint64_t bytes);
/* The member m gets the operands of rank m: eyot combines in the order of members. */
int face_move_operands(struct face_call *c, struct face_reduction *r);

#endif
