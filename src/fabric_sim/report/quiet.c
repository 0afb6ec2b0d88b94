/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.c - implements quiet.h. */
#include "fabric_sim/report/quiet.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wording.h"
#include "fabric_sim/engine/world.h"
#include "rt/frames.h"

#define TEXT_BYTES 768u
#define FRAMES_MOST 16u /* from a function of a library to eyot's, or the program's */
#define ASK_SECONDS 2u
#define AWAIT_MS 10000 /* eyoti_frames_print gives up before */

/* Unlike fork, takes no locks, which the interrupted code may hold. */
static pid_t quiet_fork(void) {
#ifdef SYS_fork
  return (pid_t)syscall(SYS_fork);
#else
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

/* -- where the unit is ------------------------------------------------------------------------- */

/* The base of the file that contains the address; NULL: unknown. */
static const void *quiet_file_of(const void *address) {
  Dl_info at;
  return dladdr(address, &at) != 0 ? at.dli_fbase : NULL;
}

static bool quiet_calls_inside(const struct sim_unit *u, const char *pc) {
  const void *const own[] = {quiet_file_of((const void *)(uintptr_t)eyoti_frames_from),
                             quiet_file_of((const void *)(uintptr_t)sim_quiet_inside)};
  void *frame[FRAMES_MOST];
  uint32_t n = eyoti_frames_from(pc, frame, FRAMES_MOST);
  for (uint32_t i = 0; i < n; i++) {
    /* a return address may belong to the next function already */
    const char *at = (const char *)frame[i] - (i > 0);
    uint64_t off;
    if (sim_prog_offset(u->world->prog, u->fab.me, at, &off)) return false;
    const void *file = quiet_file_of(at);
    if (file != NULL && (file == own[0] || file == own[1])) return true;
  }
  return false;
}

/* In a process of its own: the interrupted code may hold the loader's lock. */
bool sim_quiet_inside(const struct sim_unit *u, const void *context) {
  int before = errno, status = 0;
  pid_t pid = quiet_fork();
  if (pid == 0) {
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(ASK_SECONDS);
    _exit(quiet_calls_inside(u, eyoti_fault_of(context).pc) ? 1 : 0);
  }
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  errno = before;
  return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* -- the report -------------------------------------------------------------------------------- */

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

int sim_quiet_report(const struct sim_unit *u, uint64_t quiet_ns, uint64_t limit_ns, int fd,
                     const void *context, bool await) {
  int before = errno, ends[2] = {-1, -1};
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
  if (await && pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  quiet_print_calls(u, fd, context);
  if (ends[1] >= 0) (void)close(ends[1]);
  errno = before;
  return ends[0];
}

void sim_quiet_await(const int *printing, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    struct pollfd p = {.fd = printing[i], .events = POLLIN};
    while (printing[i] >= 0 && poll(&p, 1, AWAIT_MS) < 0 && errno == EINTR) {
    }
  }
}
