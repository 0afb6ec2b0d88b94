/* SPDX-License-Identifier: BSD-3-Clause */
/* pmi.c - see pmi.h.
 *
 * The protocol (PMI-1, "cmd=barrier_in", "cmd=barrier_out", a line each, on the socket PMI_FD) is
 * that of MPICH's Hydra and of Slurm's plugin pmi2 since 2005 and 2012. MPICH speaks it only inside
 * MPI_Init, MPI_Finalize and some rare calls, each time to the end of a line, so that between its
 * calls the line is ours. Builds of MPICH with another interface say so in their version text. */
#include "fabric_real/launch/pmi.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "rt/launcher.h"

#define LINE_BYTES 1024u
#define POLL_MS 1 /* between two calls of MPI */
/* the launcher does not answer: a process that it waits for has gone */
#define PATIENCE_MS 60000

bool fmpi_pmi_usable(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int len;
  struct pollfd p = {.fd = eyoti_launcher_descriptor(), .events = POLLOUT};
  if (MPI_Get_library_version(text, &len) != MPI_SUCCESS ||
      strncmp(text, "MPICH Version:", 14) != 0)
    return false;
  if (strstr(text, "pmi2") != NULL || strstr(text, "pmix") != NULL ||
      strstr(text, "with-pmi") != NULL)
    return false;
  /* open, and nothing is there to be read */
  return p.fd >= 0 && poll(&p, 1, 0) == 1 && p.revents == POLLOUT;
}

static int let_mpi_work(void) {
  int flag;
  FMPI_TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  return EYOT_OK;
}

/* One line, without its end, byte by byte, so that nothing after it is taken from MPI. */
static int read_line(int fd, bool progress, char *line) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  int waited_ms = 0;
  for (size_t used = 0; used + 1 < LINE_BYTES;) {
    int ready = poll(&p, 1, POLL_MS);
    if (ready == 0) {
      if (progress) EYOTI_TRY(let_mpi_work());
      waited_ms += POLL_MS;
      if (waited_ms >= PATIENCE_MS)
        return EYOTI_FAIL(EYOT_ESYS,
                          "the launcher does not answer; some process may have left the job");
      continue;
    }
    ssize_t got = ready > 0 ? read(fd, line + used, 1) : -1;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return EYOTI_FAIL(EYOT_ESYS, "the launcher has closed its connection (PMI_FD)");
    if (line[used] == '\n') {
      line[used] = '\0';
      return EYOT_OK;
    }
    used++;
  }
  return EYOTI_FAIL(EYOT_ESYS, "the launcher answers a line of more than %u bytes", LINE_BYTES);
}

int fmpi_pmi_barrier(bool progress) {
  static const char ask[] = "cmd=barrier_in\n";
  char line[LINE_BYTES];
  int fd = eyoti_launcher_descriptor();
  size_t sent = 0;
  while (sent < sizeof ask - 1) {
    ssize_t n = write(fd, ask + sent, sizeof ask - 1 - sent);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return EYOTI_FAIL(EYOT_ESYS, "cannot write to the launcher (PMI_FD): error %d", errno);
    if (n > 0) sent += (size_t)n;
  }
  EYOTI_TRY(read_line(fd, progress, line));
  if (strncmp(line, "cmd=barrier_out", 15) == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ESYS, "the launcher answered '%s' to a barrier", line);
}
