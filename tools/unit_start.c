/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_start.c - see unit_start.h. The supervisor finds the process by its id, which does not
 * change when it executes the program. On another host it is not found, and this process becomes
 * the program's agent. */
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
#include "link_message.h"
#include "rt/launcher.h"
#include "tool.h"
#include "unit_agent.h"

#define ANSWER_MS 5000 /* a supervisor that does not answer is not waited for */

static char start_word[] = "--start-unit";

/* eyotrun may not be installed on another host, which its shell finds out. Said once on each: the
 * launchers number the processes of a host. */
static char shell[] = "/bin/sh", shell_flag[] = "-c";
static char shell_text[] =
    "[ ! -x \"$0\" ] || exec \"$0\" \"$@\"; shift; "
    "[ \"${MPI_LOCALRANKID:-${OMPI_COMM_WORLD_LOCAL_RANK:-0}}\" != 0 ] || "
    "echo \"eyotrun: host $(hostname) has no $0: processes of this host are watched over by the "
    "launcher alone; install eyot at the same path on all hosts\" >&2; "
    "exec \"$@\"";

int unit_start_args(bool elsewhere, char *self, size_t size, char **args, int *n) {
  ssize_t len = readlink("/proc/self/exe", self, size);
  if (len < 0 || (size_t)len >= size) {
    fprintf(stderr, "eyotrun: cannot find its own path: %s\n", strerror(errno));
    return TOOL_NOT_RUNNABLE_CODE;
  }
  self[len] = '\0';
  if (elsewhere) {
    args[(*n)++] = shell;
    args[(*n)++] = shell_flag;
    args[(*n)++] = shell_text;
  }
  args[(*n)++] = self;
  args[(*n)++] = start_word;
  return 0;
}

bool unit_start_wanted(int argc, char **argv) {
  return argc > 2 && strcmp(argv[1], start_word) == 0;
}

/* Tells the supervisor. False: it is on another host, or there is none. */
static bool unit_announce(const char *key) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s%s", EYOTI_RUN_SOCKET, key);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  const struct eyoti_run_start start = {EYOTI_RUN_MAGIC, EYOTI_RUN_ABI, eyoti_launcher_rank()};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  bool here = connect(fd, (struct sockaddr *)&a, len) == 0;
  if (here && send(fd, &start, sizeof start, MSG_NOSIGNAL) == (ssize_t)sizeof start)
    (void)poll(&p, 1, ANSWER_MS);
  close(fd);
  return here;
}

int unit_start(char **program) {
  const char *key = eyoti_conf_foreign_env(EYOTI_RUN_ENV);
  if (key != NULL && *key != '\0' && !unit_announce(key)) {
    int code = unit_agent(program, key, eyoti_conf_foreign_env(LINK_ENV));
    if (code >= 0) return code;
  }
  return unit_agent_execute(program);
}
