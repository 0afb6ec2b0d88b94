/* SPDX-License-Identifier: BSD-3-Clause */
/* supervise.c - see supervise.h: the front process. It starts the supervising process
 * (supervise_run.c), passes signals and a terminal's input on to it, and cleans up if that is
 * killed; the supervising process cleans up if the front process is killed.
 *
 * The job has a process group of its own, so that Ctrl-C and Ctrl-\ reach the front process alone,
 * which decides what they mean. A group in the background cannot read a terminal; therefore the
 * front process copies what it reads there. */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job_procs.h"
#include "supervise_run.h"
#include "tool.h"

#define INPUT_BYTES 4096

struct front {
  pid_t child;
  int signals;     /* signalfd */
  int input;       /* the terminal is copied to it; -1: not */
  bool reads;      /* the terminal still has input */
  sigset_t before; /* the signals that were blocked */
};

static int failed(const char *what) {
  fprintf(stderr, "eyotrun: cannot supervise the run: %s: %s\n", what, strerror(errno));
  return TOOL_NOT_RUNNABLE_CODE;
}

static bool block_signals(struct front *f) {
  static const int PASSED[] = SUPERVISE_SIGNALS;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTTIN);
  for (size_t i = 0; i < SUPERVISE_SIGNALS_COUNT; i++) sigaddset(&set, PASSED[i]);
  if (sigprocmask(SIG_BLOCK, &set, &f->before) != 0) return false;
  (void)signal(SIGPIPE, SIG_IGN);
  f->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return f->signals >= 0;
}

/* True: standard input is a terminal, and this process is in its foreground. */
static bool has_terminal(void) {
  return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void copy_input(struct front *f) {
  char buffer[INPUT_BYTES];
  ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EIO)) return;
  for (ssize_t at = 0, put = 0; n > 0 && at < n; at += put)
    if ((put = write(f->input, buffer + at, (size_t)(n - at))) <= 0) n = 0;
  if (n > 0) return;
  close(f->input);
  f->input = -1;
}

/* Stops this process like any other in the terminal's foreground, until it is continued. */
static void stop_self(void) {
  (void)kill(getpid(), SIGSTOP);
}

/* Returns the status of the supervising process; -1: it runs. */
static int take_signal(struct front *f) {
  struct signalfd_siginfo s;
  int status;
  if (read(f->signals, &s, sizeof s) != (ssize_t)sizeof s) return -1;
  if (s.ssi_signo == SIGCHLD) {
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
      if (pid == f->child) return status;
    return -1;
  }
  if (s.ssi_signo == SIGTTIN) return -1;
  (void)kill(f->child, (int)s.ssi_signo);
  if (s.ssi_signo == SIGTSTP) stop_self();
  return -1;
}

static int front_loop(struct front *f) {
  for (;;) {
    struct pollfd p[2] = {{.fd = f->signals, .events = POLLIN},
                          {.fd = f->input >= 0 ? STDIN_FILENO : -1, .events = POLLIN}};
    if (poll(p, 2, -1) < 0 && errno != EINTR) return -1;
    if ((p[1].revents & (POLLIN | POLLHUP)) != 0) copy_input(f);
    int status = (p[0].revents & POLLIN) != 0 ? take_signal(f) : -1;
    if (status >= 0) return status;
  }
}

/* The supervising process was killed: what it watched over is below this one now. */
static int clean_up(const struct front *f, struct job_files *files, int status) {
  (void)f;
  fprintf(stderr, "eyotrun: the process that supervises the run was killed by signal %d (%s)\n",
          WTERMSIG(status), strsignal(WTERMSIG(status)));
  job_files_scan(files);
  if (!job_procs_kill(0))
    fputs("eyotrun: some processes of the job cannot be killed; see ps\n", stderr);
  job_files_remove(files);
  return 128 + WTERMSIG(status);
}

int supervise(const struct supervise *o) {
  struct front f = {.input = -1};
  int life[2], input[2] = {-1, -1};
  struct job_files *files =
      mmap(NULL, sizeof *files, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (files == MAP_FAILED || pipe2(life, O_CLOEXEC) != 0 || !block_signals(&f) ||
      prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    return failed("a process, or what it needs");
  if (isatty(STDIN_FILENO) && pipe2(input, O_CLOEXEC) != 0) return failed("a pipe for input");
  job_files_watch(files);
  fflush(NULL);
  f.child = fork();
  if (f.child < 0) return failed("a process");
  if (f.child == 0) {
    close(life[1]);
    close(f.signals);
    if (input[1] >= 0) close(input[1]);
    _exit(supervise_run(o, files, life[0], input[0] >= 0 ? input[0] : STDIN_FILENO));
  }
  close(life[0]);
  if (input[0] >= 0) close(input[0]);
  if (has_terminal())
    f.input = input[1];
  else if (input[1] >= 0)
    close(input[1]); /* a job in the background reads an end of file */
  int status = front_loop(&f);
  if (status < 0) return failed("waiting");
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : clean_up(&f, files, status);
  (void)sigprocmask(SIG_SETMASK, &f.before, NULL);
  return code;
}
