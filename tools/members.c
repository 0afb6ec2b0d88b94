/* SPDX-License-Identifier: BSD-3-Clause */
/* members.c - see members.h. */
#include "members.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wording.h"
#include "job_procs.h"

#define BACKLOG 4096
/* the low bits of a tag: 0: the listener; else the index of a member, and which descriptor */
#define TAG_PIDFD (UINT64_C(1) << 32)
#define TAG_SOCKET (UINT64_C(2) << 32)

/* PIDFD_GET_INFO of linux/pidfd.h, which older systems do not have. */
struct pidfd_exit {
  uint64_t mask, cgroup;
  uint32_t ids[11];
  int32_t exit_code;
};
#define PIDFD_EXIT (UINT64_C(1) << 3)
#define PIDFD_ASK _IOWR(0xff, 11, struct pidfd_exit)

static bool members_failed(const char *what) {
  fprintf(stderr, "eyotrun: cannot supervise the run: %s: %s\n", what, strerror(errno));
  return false;
}

bool members_key(char key[EYOTI_RUN_KEY]) {
  unsigned char bytes[(EYOTI_RUN_KEY - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return members_failed("a random key");
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(key + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

int members_listen(const char *key) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s%s", EYOTI_RUN_SOCKET, key);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, BACKLOG) == 0) return fd;
  (void)members_failed("a socket for its processes");
  if (fd >= 0) close(fd);
  return -1;
}

static bool members_poll(const struct members *m, int fd, uint64_t tag) {
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = MEMBERS_TAG + tag};
  return epoll_ctl(m->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

bool members_open(struct members *m, int listener, int epoll) {
  *m = (struct members){.epoll = epoll, .listener = listener, .memory = -1, .run = MAP_FAILED};
  m->member = calloc(EYOTI_RUN_RECORDS, sizeof *m->member);
  m->memory = memfd_create("eyot-run", MFD_CLOEXEC);
  if (m->member == NULL || m->memory < 0 || ftruncate(m->memory, sizeof *m->run) != 0)
    return members_failed("memory");
  m->run = mmap(NULL, sizeof *m->run, PROT_READ | PROT_WRITE, MAP_SHARED, m->memory, 0);
  if (m->run == MAP_FAILED || !members_poll(m, listener, 0)) return members_failed("memory");
  m->run->magic = EYOTI_RUN_MAGIC;
  m->run->abi = EYOTI_RUN_ABI;
  return true;
}

void members_descriptors(void) {
  struct rlimit r;
  if (getrlimit(RLIMIT_NOFILE, &r) != 0) return;
  r.rlim_cur = r.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &r);
}

void members_close(struct members *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    const struct member *p = &m->member[i];
    if (p->pidfd >= 0) close(p->pidfd);
    if (p->remote != NULL) free(p->remote->report);
    free(p->remote);
  }
  if (m->run != MAP_FAILED && m->run != NULL) munmap(m->run, sizeof *m->run);
  if (m->memory >= 0) close(m->memory);
  if (m->listener >= 0) close(m->listener);
  free(m->member);
  m->member = NULL;
}

/* Sends the index of the record and the memory. */
static bool members_answer(const struct members *m, int fd, uint32_t index) {
  const struct eyoti_run_joined joined = {EYOTI_RUN_MAGIC, index};
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec io = {(void *)(uintptr_t)&joined, sizeof joined};
  struct msghdr msg = {
      .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &m->memory, sizeof(int));
  return sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof joined;
}

/* The process that the launcher has started as `pid` and that has not joined; m->n: none. */
static uint32_t members_find_early(const struct members *m, pid_t pid) {
  uint32_t i = 0;
  while (i < m->n && (m->member[i].pid != pid || m->member[i].gone || !members_early(m, i))) i++;
  return i;
}

static void members_accept(struct members *m) {
  struct ucred cred;
  socklen_t len = sizeof cred;
  int fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0;
  uint32_t i = known && cred.pid != 0 ? members_find_early(m, cred.pid) : m->n;
  /* Nobody else may read the memory, or end the run. */
  if (!known || cred.uid != getuid() || i == EYOTI_RUN_RECORDS) {
    close(fd);
    return;
  }
  struct member *p = &m->member[i];
  if (i == m->n) {
    m->n++;
    *p = (struct member){.pid = cred.pid, .pidfd = -1, .status = -1};
    if (p->pid != 0) p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    m->run->record[i].unit = m->run->record[i].rank = EYOTI_RUN_NO_UNIT;
    if (p->pidfd >= 0 && !members_poll(m, p->pidfd, TAG_PIDFD + i))
      fprintf(stderr, "eyotrun: cannot watch process %d: %s\n", (int)p->pid, strerror(errno));
  }
  p->socket = fd;
  if (!members_poll(m, fd, TAG_SOCKET + i))
    fprintf(stderr, "eyotrun: cannot watch process %d: %s\n", (int)p->pid, strerror(errno));
}

static void members_disconnected(struct members *m, struct member *p) {
  if (p->socket >= 0) close(p->socket);
  p->socket = -1;
  if (p->ended == 0) p->ended = ++m->ended;
}

static enum members_event members_gone(struct members *m, struct member *p) {
  if (p->pidfd >= 0) (void)epoll_ctl(m->epoll, EPOLL_CTL_DEL, p->pidfd, NULL);
  members_disconnected(m, p);
  bool before = p->gone;
  p->gone = true;
  if (p->pid != 0 && !before) p->status = job_procs_status(p->pid);
  return before ? MEMBERS_NOTHING : MEMBERS_GONE;
}

/* A process is about to execute the program. Without a pidfd it is not watched until it joins. */
static void members_started(struct members *m, uint32_t i, const struct eyoti_run_start *s) {
  struct member *p = &m->member[i];
  __atomic_store_n(&m->run->record[i].rank, s->rank, __ATOMIC_RELAXED);
  __atomic_store_n(&m->run->record[i].state, EYOTI_RUN_STARTED, __ATOMIC_RELEASE);
  p->gone = p->pidfd < 0;
  close(p->socket);
  p->socket = -1;
}

static bool members_joined(struct members *m, uint32_t i) {
  /* before the answer, after which the process writes it */
  __atomic_store_n(&m->run->record[i].state, EYOTI_RUN_JOINED, __ATOMIC_RELEASE);
  m->joined++;
  return members_answer(m, m->member[i].socket, i);
}

/* The start of the program, a request to join, a request to end the run, or the end of the
 * connection. */
static enum members_event members_read(struct members *m, uint32_t i) {
  struct member *p = &m->member[i];
  union {
    struct eyoti_run_join join;
    struct eyoti_run_start start;
    char what;
  } text;
  ssize_t n = p->socket >= 0 ? recv(p->socket, &text, sizeof text, MSG_DONTWAIT) : -1;
  if (n < 0 && (errno == EAGAIN || p->socket < 0)) return MEMBERS_NOTHING;
  bool known = n >= (ssize_t)sizeof text.join && text.join.magic == EYOTI_RUN_MAGIC &&
               text.join.abi == EYOTI_RUN_ABI;
  if (known && n == (ssize_t)sizeof text.start) {
    members_started(m, i, &text.start);
    return MEMBERS_NOTHING;
  }
  if (known && members_joined(m, i)) return MEMBERS_JOINED;
  if (n == 1 && text.what == EYOTI_RUN_EXIT_ALL) return MEMBERS_EXIT_ALL;
  if (n == 1 && text.what == EYOTI_RUN_TOLD) return MEMBERS_NOTHING;
  if (p->pidfd < 0) return members_gone(m, p);
  members_disconnected(m, p); /* the process has left the run, or is about to end */
  return MEMBERS_NOTHING;
}

enum members_event members_event(struct members *m, uint64_t tag, uint32_t *which) {
  uint64_t low = tag - MEMBERS_TAG;
  uint32_t i = (uint32_t)low;
  *which = i;
  if (low == 0) {
    members_accept(m);
    return MEMBERS_NOTHING;
  }
  if (i >= m->n) return MEMBERS_NOTHING;
  return (low & TAG_SOCKET) != 0 ? members_read(m, i) : members_gone(m, &m->member[i]);
}

void members_look(struct members *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    struct member *p = &m->member[i];
    if (p->remote == NULL) p->stopped = !p->gone && p->pid != 0 && job_procs_state(p->pid) == 'T';
  }
}

bool members_cut_off(const struct members *m, uint32_t i, uint64_t now_ns, uint64_t for_ns) {
  const struct member *p = &m->member[i];
  return !p->gone && p->remote != NULL && p->remote->asked_ns != 0 &&
         now_ns >= p->remote->asked_ns + for_ns;
}

void members_kill(const struct members *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    const struct member *p = &m->member[i];
    if (!p->gone && p->pidfd >= 0) (void)syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0);
  }
}

uint32_t members_alive(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) n += !m->member[i].gone;
  return n;
}

/* pairs with the process's release */
static uint32_t members_state(const struct members *m, uint32_t i) {
  return __atomic_load_n(&m->run->record[i].state, __ATOMIC_ACQUIRE);
}

bool members_unfinished(const struct members *m, uint32_t i) {
  uint32_t state = members_state(m, i);
  return state != EYOTI_RUN_LEFT && state != EYOTI_RUN_REFUSED && state != EYOTI_RUN_STARTED;
}

static bool members_told(const struct members *m, uint32_t i) {
  uint32_t state = members_state(m, i);
  return state == EYOTI_RUN_ABORTING || (state == EYOTI_RUN_REFUSED && m->member[i].gone);
}

bool members_anyone_told(const struct members *m) {
  uint32_t i = 0;
  while (i < m->n && !members_told(m, i)) i++;
  return i < m->n;
}

bool members_early(const struct members *m, uint32_t i) {
  return members_state(m, i) == EYOTI_RUN_STARTED;
}

uint32_t members_starting(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++)
    n += !m->member[i].gone && members_state(m, i) == EYOTI_RUN_JOINED &&
         __atomic_load_n(&m->run->record[i].unit, __ATOMIC_ACQUIRE) == EYOTI_RUN_NO_UNIT;
  return n;
}

uint32_t members_opening(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++)
    n += !m->member[i].gone && members_state(m, i) == EYOTI_RUN_JOINED;
  return n;
}

uint32_t members_outside(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++)
    n += !m->member[i].gone && members_early(m, i) && !members_is_script(m, i);
  return n;
}

/* It has ended, and is watched over from its start on. */
static bool members_seen_gone(const struct member *p) {
  return p->gone && (p->pidfd >= 0 || p->remote != NULL);
}

uint32_t members_ended_early(const struct members *m) {
  uint32_t i = 0;
  while (i < m->n && !(members_seen_gone(&m->member[i]) && members_early(m, i))) i++;
  return i;
}

uint32_t members_known(const struct members *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) n += !members_is_script(m, i);
  return n;
}

bool members_is_script(const struct members *m, uint32_t i) {
  uint32_t rank = m->run->record[i].rank;
  if (!members_early(m, i)) return false;
  for (uint32_t k = 0; k < m->n; k++)
    if (!members_early(m, k) && rank != EYOTI_RUN_NO_UNIT && m->run->record[k].rank == rank)
      return true;
  return false;
}

/* Not ioctl: its second parameter is an int with some C libraries, a long with others. */
static long members_ask(int pidfd, struct pidfd_exit *info) {
  return syscall(SYS_ioctl, pidfd, PIDFD_ASK, info);
}

/* As wait(2) gives it; -1: not known (an older kernel, or the launcher has not read it yet). */
static int members_status(const struct member *p) {
  struct pidfd_exit info = {.mask = PIDFD_EXIT};
  if (p->status >= 0) return p->status;
  if (p->pidfd < 0 || !p->gone || members_ask(p->pidfd, &info) != 0) return -1;
  return (info.mask & PIDFD_EXIT) != 0 ? info.exit_code : -1;
}

/* Its end can be the cause of the others'. */
static bool members_is_cause(const struct members *m, uint32_t i) {
  const struct member *p = &m->member[i];
  if (members_early(m, i))
    return members_seen_gone(p) && (members_status(p) != 0 || !members_is_script(m, i));
  return p->ended != 0 && members_unfinished(m, i);
}

uint32_t members_first_lost(const struct members *m, bool *sure) {
  uint32_t first = m->n;
  *sure = false;
  for (uint32_t i = 0; i < m->n; i++) {
    const struct member *p = &m->member[i];
    if (!members_is_cause(m, i)) continue;
    int status = members_status(p);
    /* a launcher that kills a process of another host kills its agent too, which tells nothing */
    bool killed = status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    bool own = status >= 0 && (!killed || p->remote != NULL);
    if (first == m->n || own > *sure || (own == *sure && p->ended < m->member[first].ended))
      first = i;
    *sure |= own;
  }
  return first;
}

bool members_how(const struct members *m, uint32_t i, char *text, size_t size) {
  int status = members_status(&m->member[i]);
  if (status < 0) return false;
  if (WIFSIGNALED(status))
    snprintf(text, size, "by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    snprintf(text, size, "with code %d", WEXITSTATUS(status));
  return true;
}

int members_code(const struct members *m, uint32_t i) {
  int status = members_status(&m->member[i]);
  bool far = m->member[i].remote != NULL;
  if (status >= 0 && WIFSIGNALED(status) && (far || WTERMSIG(status) != SIGKILL))
    return 128 + WTERMSIG(status);
  return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The launcher has executed a script, which decides on the code. */
static bool members_in_script(const struct members *m, uint32_t i) {
  for (uint32_t k = 0; k < m->n; k++)
    if (members_early(m, k) && m->run->record[k].rank == m->run->record[i].rank) return true;
  return false;
}

int members_failed_code(const struct members *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    int code = m->member[i].gone && !members_early(m, i) ? members_code(m, i) : 0;
    if (code > 0 && !members_in_script(m, i)) return code;
  }
  return 0;
}

uint32_t members_cause(const struct members *m, uint32_t i) {
  if (members_code(m, i) != 128 + SIGTERM) return i;
  for (uint32_t k = 0; k < m->n; k++)
    if (m->member[k].gone && members_state(m, k) == EYOTI_RUN_LEFT && members_code(m, k) > 0)
      return k;
  return i;
}

void members_name(const struct members *m, uint32_t i, char *text, size_t size) {
  const struct eyoti_run_record *r = &m->run->record[i];
  const struct remote *far = m->member[i].remote;
  uint32_t unit = __atomic_load_n(&r->unit, __ATOMIC_ACQUIRE), server = r->server, rank = r->rank;
  char process[sizeof far->host + 32];
  snprintf(process, sizeof process, "process %d%s%s",
           (int)(far != NULL ? far->pid : m->member[i].pid), far != NULL ? " on " : "",
           far != NULL ? far->host : "");
  if (server != 0)
    snprintf(text, size, "progress process %u (rank %u, %s)", server - 1, rank, process);
  else if (unit != EYOTI_RUN_NO_UNIT)
    eyoti_snprintf(text, size, "unit %u (%s)", unit, process);
  else if (rank != EYOTI_RUN_NO_UNIT)
    eyoti_snprintf(text, size, "the process of rank %u (%s), %s eyot_init", rank, process,
                   members_early(m, i) ? "before" : "in");
  else
    eyoti_snprintf(text, size, "%s, in eyot_init", process);
}
