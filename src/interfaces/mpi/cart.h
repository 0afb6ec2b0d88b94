/* SPDX-License-Identifier: BSD-3-Clause */
/* cart.h - Cartesian topologies of the MPI interface: communicators whose ranks are the points of a
 * grid, in row-major order. */
#ifndef INTERFACES_MPI_CART_H
#define INTERFACES_MPI_CART_H

#include "interfaces/mpi/face.h"

struct face_cart {
  int ndims;
  struct face_cart_dim {
    int size;
    bool periodic;
  } dims[];
};

/* The ranks `disp` places before and after the caller along a dimension, or MPI_PROC_NULL. */
void face_cart_shift(const struct eyot_mpi_comm *comm, int direction, int disp, int *before,
                     int *after);

#endif
