/* SPDX-License-Identifier: BSD-3-Clause */
/* links.c - see links.h. A connection is a member once it has shown the key. Messages are read one
 * at a time, and no further: epoll tells of the next. */
#include "links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/conf.h"
#include "clock.h"

#define BACKLOG 4096
#define STRANGERS 256u /* connections that have not shown the key */
#define LISTENER_TAG UINT32_MAX
#define NO_MEMBER UINT32_MAX
/* a connection that nothing has passed for so long is tried, so that no firewall forgets it */
#define KEEP_SECONDS 60

struct link {
  int fd;          /* -1: closed */
  uint32_t member; /* NO_MEMBER: it has not shown the key */
  bool reports;    /* has been asked for a report */
  size_t have;     /* bytes of `in` */
  union {
    struct link_hello hello;
    struct {
      struct link_say say;
      char text[LINK_TEXT];
    } message;
  } in;
};

static bool links_failed(const char *what) {
  fprintf(stderr, "eyotrun: cannot supervise processes of other hosts: %s: %s\n", what,
          strerror(errno));
  return false;
}

static bool links_poll(const struct links *l, int fd, uint32_t index) {
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = LINKS_TAG + index};
  return epoll_ctl(l->members->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* A listening socket of both families, or of IPv4. Returns its port, 0: impossible. */
static unsigned links_listen(int *fd) {
  const int off = 0;
  struct sockaddr_storage a = {.ss_family = AF_INET6}; /* any address, any port */
  socklen_t len = sizeof(struct sockaddr_in6);
  *fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0 || setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
      bind(*fd, (struct sockaddr *)&a, len) != 0) {
    if (*fd >= 0) close(*fd);
    a = (struct sockaddr_storage){.ss_family = AF_INET};
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&a, sizeof(struct sockaddr_in)) != 0) return 0;
  }
  len = sizeof a;
  if (listen(*fd, BACKLOG) != 0 || getsockname(*fd, (struct sockaddr *)&a, &len) != 0) return 0;
  return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                       : ((struct sockaddr_in *)&a)->sin_port);
}

/* Other hosts may reach it: it is up, not the loopback's, and no address of one cable alone. */
static bool is_reachable(const struct ifaddrs *a, const char *iface) {
  if (a->ifa_addr == NULL || (a->ifa_flags & IFF_UP) == 0 || (a->ifa_flags & IFF_LOOPBACK) != 0)
    return false;
  if (iface != NULL && strcmp(a->ifa_name, iface) != 0) return false;
  if (a->ifa_addr->sa_family == AF_INET) return true;
  return a->ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr);
}

/* Sets LINK_ENV: the port, and this host's addresses. */
static bool links_publish(unsigned port, const char *iface) {
  char at[LINK_AT], host[LINK_ADDRESS];
  struct ifaddrs *all = NULL;
  size_t n = (size_t)snprintf(at, sizeof at, "%u", port);
  if (getifaddrs(&all) != 0) return false;
  uint32_t addresses = 0;
  for (const struct ifaddrs *a = all; a != NULL && addresses < LINK_ADDRESSES - 1;
       a = a->ifa_next) {
    if (!is_reachable(a, iface)) continue;
    socklen_t len = a->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                                      : sizeof(struct sockaddr_in6);
    if (getnameinfo(a->ifa_addr, len, host, sizeof host, NULL, 0, NI_NUMERICHOST) != 0) continue;
    n += (size_t)snprintf(at + n, sizeof at - n, " %s", host);
    addresses++;
  }
  freeifaddrs(all);
  return eyoti_conf_foreign_set(LINK_ENV, at) == 0;
}

bool links_open(struct links *l, struct members *m, const char *key, const char *iface) {
  *l = (struct links){.members = m, .listener = -1};
  snprintf(l->key, sizeof l->key, "%s", key);
  l->link = calloc(EYOTI_RUN_RECORDS + STRANGERS, sizeof *l->link);
  unsigned port = links_listen(&l->listener);
  if (l->link == NULL || port == 0 || !links_publish(port, iface)) return links_failed("a socket");
  return links_poll(l, l->listener, LISTENER_TAG) || links_failed("a descriptor");
}

static void links_drop(struct link *k) {
  if (k->fd >= 0) close(k->fd);
  k->fd = -1;
}

void links_close(struct links *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    links_drop(l->link[i]);
    free(l->link[i]);
  }
  free(l->link);
  if (l->listener >= 0) close(l->listener);
  l->link = NULL;
  l->n = 0;
}

static void links_accept(struct links *l) {
  const int on = 1, seconds = KEEP_SECONDS;
  uint32_t i = 0;
  int fd = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  while (i < l->n && (l->link[i]->fd >= 0 || l->link[i]->member != NO_MEMBER)) i++;
  if (i == l->n && i < EYOTI_RUN_RECORDS + STRANGERS) {
    l->link[i] = calloc(1, sizeof **l->link);
    l->n += l->link[i] != NULL;
  }
  if (i == l->n || !links_poll(l, fd, i)) {
    close(fd);
    return;
  }
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  *l->link[i] = (struct link){.fd = fd, .member = NO_MEMBER};
}

/* Reads on until `in` has `need` bytes. 1: it has; 0: not yet; -1: the connection has ended. */
static int links_fill(struct link *k, size_t need) {
  if (k->have < need) {
    ssize_t n = recv(k->fd, (char *)&k->in + k->have, need - k->have, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n <= 0) return -1;
    k->have += (size_t)n;
  }
  return k->have >= need;
}

/* A difference takes as long to find wherever it is. */
static bool same_key(const char *a, const char *b) {
  unsigned char different = 0;
  for (size_t i = 0; i < EYOTI_RUN_KEY; i++) different |= (unsigned char)(a[i] ^ b[i]);
  return different == 0;
}

/* A process of another host becomes a member. */
static bool links_greet(struct links *l, struct link *k) {
  const struct link_hello *h = &k->in.hello;
  const uint32_t answer = EYOTI_RUN_MAGIC;
  struct members *m = l->members;
  if (h->magic != EYOTI_RUN_MAGIC || h->abi != EYOTI_RUN_ABI || !same_key(h->key, l->key) ||
      m->n == EYOTI_RUN_RECORDS)
    return false;
  struct remote *r = calloc(1, sizeof *r);
  if (r == NULL) return false;
  r->pid = h->pid;
  snprintf(r->host, sizeof r->host, "%.*s", (int)sizeof h->host - 1, h->host);
  k->member = m->n++;
  m->member[k->member] = (struct member){.socket = -1, .pidfd = -1, .status = -1, .remote = r};
  struct eyoti_run_record *record = &m->run->record[k->member];
  record->unit = EYOTI_RUN_NO_UNIT;
  record->rank = h->rank;
  record->state = EYOTI_RUN_STARTED;
  k->have = 0;
  return send(k->fd, &answer, sizeof answer, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

/* The process has ended, or its host, or the agent: without a status, unless it has told it. */
static enum members_event links_gone(struct links *l, struct link *k, uint32_t *which) {
  links_drop(k);
  if (k->member == NO_MEMBER) return MEMBERS_NOTHING;
  struct member *p = &l->members->member[k->member];
  *which = k->member;
  if (p->gone) return MEMBERS_NOTHING;
  p->gone = true;
  p->ended = ++l->members->ended;
  return MEMBERS_GONE;
}

static enum members_event links_told(struct links *l, struct link *k, uint32_t *which) {
  const struct link_say *s = &k->in.message.say;
  struct members *m = l->members;
  struct member *p = &m->member[k->member];
  struct eyoti_run_record *r = &m->run->record[k->member];
  bool joins = s->joined != 0 && !p->remote->joined;
  r->unit = s->unit;
  r->rank = s->rank;
  r->server = s->server;
  __atomic_store_n(&r->state, s->state, __ATOMIC_RELEASE);
  p->stopped = s->stopped != 0;
  p->remote->pid = s->pid;
  p->remote->waited_ns = s->waited_ns;
  p->remote->asked_ns = 0;
  p->remote->joined |= joins;
  m->joined += joins;
  *which = k->member;
  k->have = 0;
  switch ((enum link_what)s->what) {
    case LINK_STATE:
      break;
    case LINK_REPORT:
      k->reports = false;
      free(p->remote->report);
      p->remote->report = strndup(k->in.message.text, s->len);
      break;
    case LINK_EXIT_ALL:
      m->run->exit_all = s->exit_all;
      return MEMBERS_EXIT_ALL;
    case LINK_ENDED:
      p->status = s->status;
      return links_gone(l, k, which);
  }
  return joins ? MEMBERS_JOINED : MEMBERS_NOTHING;
}

enum members_event links_event(struct links *l, uint64_t tag, uint32_t *which) {
  uint32_t i = (uint32_t)tag;
  *which = 0;
  if (i == LISTENER_TAG) {
    links_accept(l);
    return MEMBERS_NOTHING;
  }
  struct link *k = i < l->n ? l->link[i] : NULL;
  if (k == NULL || k->fd < 0) return MEMBERS_NOTHING;
  bool known = k->member != NO_MEMBER;
  int full = links_fill(k, known ? sizeof k->in.message.say : sizeof k->in.hello);
  if (full > 0 && !known) full = links_greet(l, k) ? 0 : -1;
  if (full > 0) {
    uint32_t len = k->in.message.say.len;
    full = len < LINK_TEXT ? links_fill(k, sizeof k->in.message.say + len) : -1;
  }
  if (full == 0) return MEMBERS_NOTHING;
  return full > 0 ? links_told(l, k, which) : links_gone(l, k, which);
}

void links_ask(struct links *l, enum link_ask what) {
  const char byte = (char)what;
  for (uint32_t i = 0; i < l->n; i++) {
    struct link *k = l->link[i];
    if (k->fd < 0 || k->member == NO_MEMBER) continue;
    struct remote *r = l->members->member[k->member].remote;
    if (send(k->fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) continue;
    if (what == LINK_ASK_REPORT) k->reports = true;
    if (r->asked_ns == 0) r->asked_ns = clock_now_ns();
  }
}

bool links_reported(const struct links *l) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->link[i]->fd >= 0 && l->link[i]->reports) return false;
  return true;
}
