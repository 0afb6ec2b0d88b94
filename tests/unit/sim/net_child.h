/* SPDX-License-Identifier: BSD-3-Clause */
/* net_child.h - runs a part of a test in a child, because SimGrid takes one platform a process. */
#ifndef EYOT_NET_CHILD_H
#define EYOT_NET_CHILD_H

#include <simgrid/engine.h>
#include <sys/wait.h>

#include "unit/sim/net_test.h"

/* In a child: simgrid_init, then body with the path of a file that holds `text`. An assertion that
 * fails leaves the body by longjmp, and the child ends with another code than 0. */
static inline void net_in_child(const char *text, void (*body)(const char *path, const void *arg),
                                const void *arg) {
  char path[] = "/tmp/eyot-net-XXXXXX.xml";
  int fd = mkstemps(path, 4), status = -1;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  fflush(stdout);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char name[] = "net_child", *argv[] = {name, NULL};
    int argc = 1;
    simgrid_init(&argc, argv);
    body(path, arg);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, &status, 0);
  unlink(path);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}
#endif
