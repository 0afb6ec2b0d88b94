/* SPDX-License-Identifier: BSD-3-Clause */
/* run_output.c - see run_output.h. */
#include "run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/exit_codes.h"

#define PIECE_BYTES 65536 /* what a pipe holds */

/* A file that has standard error too keeps the order in which the launcher writes to both. */
static bool output_may_fail(void) {
  struct stat out, err;
  int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return true;
  if (fstat(STDOUT_FILENO, &out) != 0) return true;
  if (S_ISCHR(out.st_mode))
    return !isatty(STDOUT_FILENO) && out.st_rdev != makedev(1, 3); /* not /dev/null */
  bool both =
      fstat(STDERR_FILENO, &err) == 0 && err.st_dev == out.st_dev && err.st_ino == out.st_ino;
  return S_ISREG(out.st_mode) && !both;
}

bool run_output_open(struct run_output *o) {
  int ends[2];
  *o = (struct run_output){.read = -1, .write = -1};
  if (!output_may_fail()) return true;
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  o->read = ends[0];
  o->write = ends[1];
  return fcntl(o->read, F_SETFL, O_NONBLOCK) == 0;
}

bool run_output_enter(const struct run_output *o) {
  return o->write < 0 || dup2(o->write, STDOUT_FILENO) >= 0;
}

void run_output_started(struct run_output *o) {
  if (o->write >= 0) close(o->write);
  o->write = -1;
}

static void output_write(struct run_output *o, const char *text, size_t n) {
  while (n > 0 && o->failed == 0) {
    ssize_t put = write(STDOUT_FILENO, text, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      o->failed = put < 0 ? errno : EIO;
      return;
    }
    text += put;
    n -= (size_t)put;
  }
}

bool run_output_copy(struct run_output *o) {
  char piece[PIECE_BYTES];
  for (;;) {
    ssize_t n = read(o->read, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 && errno == EAGAIN;
    output_write(o, piece, (size_t)n);
  }
}

int run_output_close(struct run_output *o, int code) {
  if (o->read < 0) return code;
  (void)run_output_copy(o);
  close(o->read);
  o->read = -1;
  if (o->failed == 0) return code;
  fprintf(stderr, "eyotrun: cannot write the output: %s\n",
          o->failed == EBADF ? "standard output is closed" : strerror(o->failed));
  return code != 0 ? code : EYOTI_EXIT_USAGE;
}
