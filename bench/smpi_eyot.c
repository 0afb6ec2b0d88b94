/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi_eyot.c - the calls of eyot that heat3d makes outside its halo exchange, by MPI, so that the
 * program itself runs in SimGrid's simulation of MPI (SMPI). Compiled by smpicc (suite_smpi.sh).
 *
 * Declared computation goes to SMPI as an execution on a host of a billion operations a second
 * (suite_smpi.sh writes the platform), so that both simulators are told the same times. */
#include "smpi_eyot.h"

#include <eyot/eyot.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

static double begin_s; /* of this rank: SMPI gives each rank globals of its own */

/* eyot_init, which is inline, calls it. */
int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi) {
  (void)fast_abi;
  MPI_Init(argc, argv);
  begin_s = MPI_Wtime();
  return EYOT_OK;
}

int eyot_finalize(void) {
  MPI_Finalize();
  return EYOT_OK;
}

eyot_unit_t eyot_me(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return (eyot_unit_t){(uint32_t)rank};
}

uint32_t eyot_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return (uint32_t)size;
}

int eyot_barrier(eyot_team_t team) {
  (void)team;
  MPI_Barrier(MPI_COMM_WORLD);
  return EYOT_OK;
}

/* The maximum of doubles or of 64-bit numbers. */
int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *src, void *dst,
                   uint64_t count) {
  (void)team;
  if (op != EYOT_MAX || (type != EYOT_DOUBLE && type != EYOT_UINT64)) return EYOT_ENOTSUP;
  MPI_Allreduce(src, dst, (int)count, type == EYOT_DOUBLE ? MPI_DOUBLE : MPI_UINT64_T, MPI_MAX,
                MPI_COMM_WORLD);
  return EYOT_OK;
}

int eyot_compute(uint64_t ns) {
  if (ns > 0) smpi_execute_flops((double)ns);
  return EYOT_OK;
}

uint64_t eyot_now_ns(void) {
  return (uint64_t)((MPI_Wtime() - begin_s) * 1e9);
}

int eyot_sync(void) {
  smpi_eyot_published();
  return EYOT_OK;
}

int eyot_phase(const char *name) {
  (void)name;
  return EYOT_OK;
}

int eyot_progress(void) {
  return EYOT_OK;
}

const char *eyot_fabric_name(void) {
  return "sim";
} /* its times are virtual */

const char *eyot_strerror(int code) {
  return code == EYOT_OK ? "no error" : "an error";
}

void eyot_abort(int code, const char *why) {
  fprintf(stderr, "%s\n", why);
  MPI_Abort(MPI_COMM_WORLD, code);
  abort(); /* not reached */
}
