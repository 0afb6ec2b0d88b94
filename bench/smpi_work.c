/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi_work.c - barriers, and a flood of small messages, of an MPI program in SimGrid's own
 * simulation of MPI (SMPI): what bench_messages.c does with eyot. For smpicc (suite_smpi.sh).
 *
 *   smpi_work barrier TIMES     so many barriers; nobody leaves one before all have come
 *   smpi_work flood MESSAGES    so many messages of 8 bytes from each rank to the one half way
 * Both verify what they can see, and rank 0 prints one line with the virtual time. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "smpi_work: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void barriers(int me, long times) {
  double mine = 0, last = 0;
  for (long i = 0; i < times; i++) {
    mine = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double left = MPI_Wtime();
  MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (left < last) fail("a rank has left a barrier before another has come");
  if (me == 0) printf("barriers: verified\n");
}

static void flood(int me, int n, long messages) {
  int to = (me + n / 2) % n, from = (me + n - n / 2) % n;
  uint64_t *out = malloc((size_t)messages * sizeof *out),
           *in = calloc((size_t)messages, sizeof *in);
  MPI_Request *requests = malloc(2 * (size_t)messages * sizeof *requests);
  if (out == NULL || in == NULL || requests == NULL) fail("no memory");
  for (long i = 0; i < messages; i++) {
    out[i] = ((uint64_t)me << 32) + (uint64_t)i + 1;
    MPI_Irecv(&in[i], 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, &requests[i]);
  }
  for (long i = 0; i < messages; i++)
    MPI_Isend(&out[i], 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD, &requests[messages + i]);
  MPI_Waitall((int)(2 * messages), requests, MPI_STATUSES_IGNORE);
  for (long i = 0; i < messages; i++)
    if (in[i] != ((uint64_t)from << 32) + (uint64_t)i + 1) fail("a message has wrong bytes");
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("flood: verified\n");
  free(out);
  free(in);
  free(requests);
}

int main(int argc, char **argv) {
  int me, n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  long count = argc == 3 ? atol(argv[2]) : 0;
  if (count < 1 || count > 1000000) fail("usage: smpi_work barrier|flood COUNT");
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (strcmp(argv[1], "barrier") == 0)
    barriers(me, count);
  else if (strcmp(argv[1], "flood") == 0)
    flood(me, n, count);
  else
    fail("usage: smpi_work barrier|flood COUNT");
  if (me == 0) printf("ranks %d virtual_us %.3f\n", n, (MPI_Wtime() - begin) * 1e6);
  MPI_Finalize();
  return 0;
}
