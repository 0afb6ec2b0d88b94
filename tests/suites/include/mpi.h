/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h - empty: a group of the verifier includes MPI's header and calls nothing of it. */
