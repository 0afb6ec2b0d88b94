/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.c - implements quiet.h. */
#include "fabric_sim/report/quiet.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wording.h"
#include "rt/frames.h"

#define TEXT_BYTES 768u

/* Unlike fork, takes no locks, which the interrupted code may hold. */
static pid_t quiet_fork(void) {
#ifdef SYS_fork
  return (pid_t)syscall(SYS_fork);
#else
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

/* The middle process ends at once, so that nobody has to wait for the one that prints. */
static void quiet_print_calls(const struct sim_unit *u, int fd, const void *context) {
  pid_t pid = quiet_fork();
  if (pid == 0) {
    if (quiet_fork() == 0) {
      (void)dup2(fd, STDERR_FILENO);
      eyoti_frames_print(&u->rt, eyoti_fault_of(context).pc);
    }
    _exit(0);
  }
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

void sim_quiet_report(const struct sim_unit *u, uint64_t quiet_ns, uint64_t limit_ns, int fd,
                      const void *context) {
  int before = errno;
  char line[TEXT_BYTES];
  int n = eyoti_snprintf(
      line, sizeof line,
      "eyot: unit %u has made no call of eyot for %.1f s of wall-clock time, and no "
      "other unit can run meanwhile; if it polls memory that others write, use "
      "eyot_wait_until, or link it with eyotcc --instrument=accesses; if it computes, "
      "let it call eyot_progress now and then; the run ends after %.1f s (--watchdog); "
      "it is at\n",
      u->fab.me, (double)quiet_ns * 1e-9, (double)limit_ns * 1e-9);
  ssize_t ignored = write(fd, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
  (void)ignored;
  quiet_print_calls(u, fd, context);
  errno = before;
}
