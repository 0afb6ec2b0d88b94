/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_start.c - see unit_start.h. The supervisor finds the process by its id, which does not
 * change when it executes the program. */
#include "unit_start.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/run.h"
#include "rt/launcher.h"
#include "tool.h"

#define ANSWER_MS 5000 /* a supervisor that does not answer is not waited for */

static char start_word[] = "--start-unit";

int unit_start_args(char *self, size_t size, char **args, int *n) {
  ssize_t len = readlink("/proc/self/exe", self, size);
  if (len < 0 || (size_t)len >= size) {
    fprintf(stderr, "eyotrun: cannot find its own path: %s\n", strerror(errno));
    return TOOL_NOT_RUNNABLE_CODE;
  }
  self[len] = '\0';
  args[(*n)++] = self;
  args[(*n)++] = start_word;
  return 0;
}

bool unit_start_wanted(int argc, char **argv) {
  return argc > UNIT_START_WORDS && strcmp(argv[UNIT_START_WORDS - 1], start_word) == 0;
}

/* Without a supervisor the program runs all the same. */
static void unit_announce(const char *key) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s%s", EYOTI_RUN_SOCKET, key);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  const struct eyoti_run_start start = {EYOTI_RUN_MAGIC, EYOTI_RUN_ABI, eyoti_launcher_rank()};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  if (connect(fd, (struct sockaddr *)&a, len) == 0 &&
      send(fd, &start, sizeof start, MSG_NOSIGNAL) == (ssize_t)sizeof start)
    (void)poll(&p, 1, ANSWER_MS);
  close(fd);
}

int unit_start(char **program) {
  const char *key = eyoti_conf_foreign_env(EYOTI_RUN_ENV);
  if (key != NULL && *key != '\0') unit_announce(key);
  execvp(program[0], program);
  int code = errno == ENOENT ? TOOL_NOT_FOUND_CODE : TOOL_NOT_RUNNABLE_CODE;
  fprintf(stderr, "eyotrun: cannot run %s: %s\n", program[0], strerror(errno));
  return code;
}
