/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - the checks of the programs of tests/mpi_face, which are written from MPI's text alone.
 * A check that fails prints its line and rank; the program goes on, and ends with 1 (finish). */
#ifndef TESTS_MPI_FACE_CHECK_H
#define TESTS_MPI_FACE_CHECK_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n_ranks, failures;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition) && failures++ < 10)                                                          \
      fprintf(stderr, "%s:%d: rank %d of %d: %s\n", __FILE__, __LINE__, me, n_ranks, #condition); \
  } while (0)
#define MUST(call) CHECK((call) == MPI_SUCCESS)

static inline void begin(void) {
  MUST(MPI_Init(NULL, NULL));
  MUST(MPI_Comm_rank(MPI_COMM_WORLD, &me));
  MUST(MPI_Comm_size(MPI_COMM_WORLD, &n_ranks));
}

static inline int finish(void) {
  int mine = failures, all = 0;
  MUST(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  MUST(MPI_Finalize());
  return all > 0 || failures > 0;
}
#endif
