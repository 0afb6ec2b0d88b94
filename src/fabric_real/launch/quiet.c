/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.c - see quiet.h: the end of MPI, in silence.
 *
 * Why it exists: with MPICH 4.0 over UCX and TCP any program's MPI_Finalize hangs in up to two runs
 * out of five (pmodels/mpich, pull request 6596). Each process closes its connections, which takes
 * an answer of the other side, and then waits for the others outside of UCX, where it answers none.
 * A process that has answered another's close before it began its own waits forever. So connections
 * are completed first, and then no process enters MPI until all have left it: every process sends
 * its own closes before it answers any. The launcher reports that all have left (pmi.h), not MPI;
 * without it, a fixed time is waited. Measured in docs/adr/0016-silence-before-finalize.md. */
#include "fabric_real/launch/quiet.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "fabric_real/launch/pmi.h"

/* where the launcher cannot tell: longer than units of an oversubscribed machine differ in leaving
 * a barrier */
#define SILENCE_NS 50000000L
/* the first opens a connection that is half open, the second has its answer */
#define ROUNDS 2
/* above, n * (n - 1) connections cost more than they are worth: such jobs do not run on TCP */
#define UNITS_MAX 256

/* A message to every process, and one from every process. */
static int greet_all(MPI_Comm comm, int me, int n, MPI_Request *reqs) {
  int k = 0;
  for (int unit = 0; unit < n; unit++) {
    if (unit == me) continue;
    FMPI_TRY(MPI_Irecv(NULL, 0, MPI_BYTE, unit, 0, comm, &reqs[k++]));
    FMPI_TRY(MPI_Issend(NULL, 0, MPI_BYTE, unit, 0, comm, &reqs[k++]));
  }
  for (int i = 0; i < k; i++) FMPI_TRY(MPI_Wait(&reqs[i], MPI_STATUS_IGNORE));
  return EYOT_OK;
}

static int make_complete(int n) {
  int me, rc = EYOT_OK;
  MPI_Comm own; /* the program may have used MPI too, and left messages */
  FMPI_TRY(MPI_Comm_dup(MPI_COMM_WORLD, &own));
  FMPI_TRY(MPI_Comm_rank(own, &me));
  MPI_Request *reqs = malloc(2 * (size_t)n * sizeof *reqs);
  if (reqs == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %d requests", 2 * n);
  for (int i = 0; i < ROUNDS && rc == EYOT_OK; i++) rc = greet_all(own, me, n, reqs);
  free(reqs);
  FMPI_TRY(MPI_Comm_free(&own));
  return rc;
}

static bool is_connection(int fd) {
  struct sockaddr_storage peer = {0};
  socklen_t len = sizeof peer;
  return getpeername(fd, (struct sockaddr *)(void *)&peer, &len) == 0 &&
         (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

bool fmpi_quiet_connected(void) {
  DIR *all = opendir("/proc/self/fd");
  bool found = all == NULL;
  for (const struct dirent *d; !found && (d = readdir(all)) != NULL;)
    found = d->d_name[0] != '.' && is_connection((int)strtol(d->d_name, NULL, 10));
  if (all != NULL) (void)closedir(all);
  return found;
}

/* All or none. */
static int agree_on_pmi(bool *usable) {
  int mine = fmpi_pmi_usable(), all = 0;
  FMPI_TRY(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  *usable = all != 0;
  return EYOT_OK;
}

/* No process enters MPI from some moment at which all connections are complete until all have left
 * it. The first barrier ends when no process waits for a message any more, so that none which MPI
 * has kept back is missed after it. */
static int be_silent(void) {
  const struct timespec silence = {.tv_nsec = SILENCE_NS};
  bool by_launcher = false;
  EYOTI_TRY(agree_on_pmi(&by_launcher));
  if (by_launcher) {
    EYOTI_TRY(fmpi_pmi_barrier(true));
    return fmpi_pmi_barrier(false);
  }
  FMPI_TRY(MPI_Barrier(MPI_COMM_WORLD));
  nanosleep(&silence, NULL);
  return EYOT_OK;
}

int fmpi_finalize_mpi(const struct fmpi *f) {
  int n;
  FMPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &n));
  /* several machines (or not known yet), or one on which MPI uses TCP */
  if (f->job.machine_processes != (uint32_t)n || f->job.connected) {
    if (n <= UNITS_MAX) EYOTI_TRY(make_complete(n));
    EYOTI_TRY(be_silent());
  }
  FMPI_TRY(MPI_Finalize());
  return EYOT_OK;
}
