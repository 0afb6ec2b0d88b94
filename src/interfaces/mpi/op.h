/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - operators of the MPI interface: eyot's, and those of functions with MPI's parameters,
 * which are the program's, or this library's where
 * eyot has no operator. Of these eyot gets one for each datatype they are used with. */
#ifndef INTERFACES_MPI_OP_H
#define INTERFACES_MPI_OP_H

#include "interfaces/mpi/type.h"

struct eyot_mpi_op {
  uint32_t live;
  eyot_op_t op; /* eyot's, of predefined ones */
  const char *name;
  MPI_User_function *function; /* NULL: predefined */
  bool commutative;
  struct face_pair *pairs;
  struct eyot_mpi_op *next; /* of all that the program has made */
};

/* An operator of a function, with a datatype. */
struct face_pair {
  MPI_User_function *function;
  struct eyot_mpi_op *op;
  struct eyot_mpi_type *type;
  eyot_op_t eyot;   /* EYOT_NOOP: the elements are too long for eyot */
  uint32_t pending; /* collectives that are not complete */
  struct face_pair *next;
};

int face_op(const struct eyot_mpi_comm *comm, const struct eyot_mpi_op *op);
/* The function that combines elements of the type: the program's, or one of this library where
 * eyot has no operator; NULL where it has. */
MPI_User_function *face_function(const struct eyot_mpi_op *op, const struct eyot_mpi_type *type);
/* The pair of an operator with a function and a datatype, made when it is first asked for. */
int face_pair(const struct eyot_mpi_comm *comm, struct eyot_mpi_op *op, struct eyot_mpi_type *type,
              struct face_pair **pair);
/* A collective that uses the pair is complete. */
void face_pair_done(struct face_pair *pair);
/* inout[i] = in[i] OP inout[i] for n elements. function NULL: op is predefined. */
void face_apply(const struct face_pair *pair, const void *in, void *inout, uint64_t n);
/* The same for a predefined operator, which takes the type (face_takes). */
void face_apply_predefined(const struct eyot_mpi_op *op, const struct eyot_mpi_type *type,
                           const void *in, void *inout, uint64_t n);
/* Refuses elements that an operator does not take, which the program's all take. */
int face_takes(const struct eyot_mpi_comm *comm, const struct eyot_mpi_op *op,
               const struct eyot_mpi_type *type);

#endif
