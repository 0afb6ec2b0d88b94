/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_reach.c - refuses hosts that cannot be reached (hosts_reach of eyotrun_hosts.h).
 *
 * Hydra starts an ssh for each host and waits for all of them, also for one that has failed. Names
 * mean what ssh's configuration says (`ssh -G`); hosts behind a proxy cannot be tried from here. A
 * host that refuses a connection is there. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/conf.h"
#include "eyotrun_hosts.h"
#include "mpi_limits.h"
#include "tool.h"

#define CONNECT_MS 5000 /* to all hosts at once */
#define NAME_BYTES 256
#define HOSTS_MAX 4096u

struct target {
  char name[NAME_BYTES]; /* as given */
  int fd;                /* of a connection that is being made; -1: none */
};

/* What ssh makes of a name. False: ssh does not know, or uses a proxy. */
static bool by_ssh(const char *name, char *host, char *port) {
  char command[NAME_BYTES + 64], line[1024];
  bool direct = true;
  snprintf(host, NAME_BYTES, "%s", name);
  snprintf(port, 16, "22");
  /* the name has only the characters of hosts (eyotrun_hosts.c) */
  snprintf(command, sizeof command, "ssh -G %s 2>/dev/null </dev/null", name);
  FILE *f = popen(command, "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "hostname ", 9) == 0) snprintf(host, NAME_BYTES, "%.255s", line + 9);
    if (strncmp(line, "port ", 5) == 0) snprintf(port, 16, "%.15s", line + 5);
    if (strncmp(line, "proxyjump ", 10) == 0 || strncmp(line, "proxycommand ", 13) == 0)
      direct = direct && strstr(line, " none") != NULL;
  }
  if (f != NULL) (void)pclose(f);
  return direct;
}

static int refuse_host(const char *name, const char *why) {
  fprintf(stderr,
          "eyotrun: host '%s' cannot be reached: %s; expected hosts that ssh reaches from here "
          "(--hosts, --hostfile)\n",
          name, why);
  return TOOL_USAGE_CODE;
}

/* Begins a connection. Returns an exit code. */
static int reach_begin(struct target *t) {
  char host[NAME_BYTES], port[16], why[NAME_BYTES + 64];
  t->fd = -1;
  if (!by_ssh(t->name, host, port)) return 0;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
  int rc = getaddrinfo(host, port, &hints, &all);
  if (rc != 0) {
    snprintf(why, sizeof why, "Could not resolve hostname %s: %s", host, gai_strerror(rc));
    return refuse_host(t->name, why);
  }
  /* several addresses of a host are tried by ssh in turn: only one alone can say that it fails */
  if (all->ai_next == NULL) {
    t->fd = socket(all->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    rc = t->fd >= 0 ? connect(t->fd, all->ai_addr, all->ai_addrlen) : 0;
    int error = errno;
    if (t->fd >= 0 && (rc == 0 || error != EINPROGRESS)) {
      close(t->fd);
      t->fd = -1;
    }
    if (rc != 0 && (error == EHOSTUNREACH || error == ENETUNREACH)) {
      freeaddrinfo(all);
      return refuse_host(t->name, strerror(error));
    }
  }
  freeaddrinfo(all);
  return 0;
}

/* Waits for one connection; the others go on meanwhile. */
static int reach_end(struct target *t, int *left_ms) {
  if (t->fd < 0) return 0;
  struct pollfd p = {.fd = t->fd, .events = POLLOUT};
  int error = 0, spent_ms = 0, ready;
  socklen_t len = sizeof error;
  for (ready = poll(&p, 1, 0); ready == 0 && spent_ms < *left_ms; spent_ms += 10)
    ready = poll(&p, 1, 10);
  *left_ms -= spent_ms;
  if (ready > 0) (void)getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len);
  close(t->fd);
  if (ready == 0) return refuse_host(t->name, "it does not answer within 5 s");
  bool gone = error == EHOSTUNREACH || error == ENETUNREACH || error == ETIMEDOUT;
  return gone ? refuse_host(t->name, strerror(error)) : 0;
}

/* Adds a name once. */
static void reach_add(struct target *all, uint32_t *n, const char *name, size_t len) {
  if (len == 0 || len >= NAME_BYTES || *n == HOSTS_MAX) return;
  for (uint32_t i = 0; i < *n; i++)
    if (strncmp(all[i].name, name, len) == 0 && all[i].name[len] == '\0') return;
  memcpy(all[*n].name, name, len);
  all[(*n)++].name[len] = '\0';
}

static void reach_list(const struct hosts_options *o, struct target *all, uint32_t *n) {
  for (const char *item = o->hosts; item != NULL && *item != '\0';) {
    reach_add(all, n, item, strcspn(item, ":,"));
    item += strcspn(item, ",");
    item += *item == ',';
  }
  FILE *f = o->hostfile != NULL ? fopen(o->hostfile, "re") : NULL;
  char line[1024];
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    const char *host = line + strspn(line, " \t");
    reach_add(all, n, host, strcspn(host, " \t:#\r\n"));
  }
  if (f != NULL) fclose(f);
}

/* The processes are started by ssh. */
static bool is_by_ssh(const struct hosts_options *o) {
  char path[NAME_BYTES];
  const char *launcher =
      o->launcher != NULL ? o->launcher : eyoti_conf_foreign_env("HYDRA_LAUNCHER");
  if (o->launcher_exec != NULL || eyoti_conf_foreign_env("HYDRA_LAUNCHER_EXEC") != NULL)
    return false;
  if (launcher == NULL) return mpi_limits_one_machine() && tool_find("ssh", path, sizeof path);
  return strcmp(launcher, "ssh") == 0 && tool_find("ssh", path, sizeof path);
}

int hosts_reach(const struct hosts_options *o) {
  int code = 0, left_ms = CONNECT_MS;
  uint32_t n = 0;
  if (!hosts_elsewhere(o) || !is_by_ssh(o)) return 0;
  struct target *all = calloc(HOSTS_MAX, sizeof *all);
  if (all == NULL) return 0; /* what follows reports it */
  reach_list(o, all, &n);
  uint32_t begun = 0;
  while (begun < n && code == 0) code = reach_begin(&all[begun++]);
  for (uint32_t i = 0; i < begun; i++) {
    int ended = reach_end(&all[i], &left_ms);
    if (code == 0) code = ended;
  }
  free(all);
  return code;
}
