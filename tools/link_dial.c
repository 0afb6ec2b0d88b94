/* SPDX-License-Identifier: BSD-3-Clause */
/* link_dial.c - see link_dial.h. An address may be another host's here, as that of a bridge which
 * every host has: only the answer to the hello counts. */
#include "link_dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

#define DIAL_MS 3000
#define KEEP_SECONDS 60 /* as in links.c */

struct dial {
  uint32_t n;
  struct pollfd fd[LINK_ADDRESSES]; /* waits for POLLOUT: being connected; POLLIN: the answer */
};

static uint64_t now_ms(void) {
  return clock_now_ns() / 1000000;
}

static void dial_begin(struct dial *d, const char *host, const char *port) {
  const struct addrinfo how = {.ai_socktype = SOCK_STREAM,
                               .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
  struct addrinfo *a;
  if (d->n == LINK_ADDRESSES || getaddrinfo(host, port, &how, &a) != 0) return;
  int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && (connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS))
    d->fd[d->n++] = (struct pollfd){.fd = fd, .events = POLLOUT};
  else if (fd >= 0)
    close(fd);
  freeaddrinfo(a);
}

/* Goes on with a connection that is ready. 1: it was answered; 0: not yet; -1: it is none. */
static int dial_next(struct pollfd *p, const struct link_hello *hello) {
  uint32_t answer = 0;
  int error = 0;
  socklen_t len = sizeof error;
  if (p->events == POLLIN) {
    bool answered = recv(p->fd, &answer, sizeof answer, MSG_DONTWAIT) == (ssize_t)sizeof answer;
    return answered && answer == EYOTI_RUN_MAGIC ? 1 : -1;
  }
  if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0 ||
      send(p->fd, hello, sizeof *hello, MSG_NOSIGNAL) != (ssize_t)sizeof *hello)
    return -1;
  p->events = POLLIN;
  return 0;
}

/* Returns the first that was answered, or -1. */
static int dial_wait(struct dial *d, const struct link_hello *hello) {
  uint64_t until = now_ms() + DIAL_MS, now;
  uint32_t left = d->n;
  while (left > 0 && (now = now_ms()) < until) {
    if (poll(d->fd, d->n, (int)(until - now)) < 0 && errno != EINTR) return -1;
    for (uint32_t i = 0; i < d->n; i++) {
      if (d->fd[i].fd < 0 || d->fd[i].revents == 0) continue;
      int next = dial_next(&d->fd[i], hello), fd = d->fd[i].fd;
      if (next == 0) continue;
      d->fd[i].fd = -1; /* poll passes over it */
      if (next > 0) return fd;
      close(fd);
      left--;
    }
  }
  return -1;
}

int link_dial(const char *at, const struct link_hello *hello) {
  const int on = 1, seconds = KEEP_SECONDS;
  char text[LINK_AT], *rest = NULL;
  struct dial d = {0};
  snprintf(text, sizeof text, "%s", at);
  const char *port = strtok_r(text, " ", &rest);
  for (const char *host; port != NULL && (host = strtok_r(NULL, " ", &rest)) != NULL;)
    dial_begin(&d, host, port);
  int fd = dial_wait(&d, hello);
  for (uint32_t i = 0; i < d.n; i++)
    if (d.fd[i].fd >= 0) close(d.fd[i].fd);
  if (fd < 0) return -1;
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}
