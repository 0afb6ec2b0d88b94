/* SPDX-License-Identifier: BSD-3-Clause */
/* supervised.c - see supervised.h. */
#include "fabric_real/wait/supervised.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/conf.h"
#include "rt/launcher.h"
#include "rt/rt.h"
#include "rt/said.h"

#define JOIN_MS 5000                   /* until the supervisor's answer */
#define DESCRIBED_NS UINT64_C(5000000) /* a wait that lasts so long is described in words */

static socklen_t socket_name(const char *key, struct sockaddr_un *a) {
  *a = (struct sockaddr_un){.sun_family = AF_UNIX};
  int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "%s%s", EYOTI_RUN_SOCKET, key);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* A connection to the supervisor; -1: it is on another host, or there is none. */
static int run_connect(const char *key) {
  struct sockaddr_un name;
  socklen_t len = socket_name(key, &name);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&name, len) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Receives the index of the record and the memory. */
static bool run_answer(int fd, struct eyoti_run_joined *joined, int *memory) {
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec io = {joined, sizeof *joined};
  struct msghdr m = {
      .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct pollfd p = {.fd = fd, .events = POLLIN};
  *memory = -1;
  if (poll(&p, 1, JOIN_MS) != 1) return false;
  ssize_t got = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
  const struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
    memcpy(memory, CMSG_DATA(c), sizeof *memory);
  return got == (ssize_t)sizeof *joined && joined->magic == EYOTI_RUN_MAGIC &&
         joined->index < EYOTI_RUN_RECORDS && *memory >= 0;
}

void fmpi_supervised_join(struct fmpi *f) {
  f->supervised.fd = -1;
  const char *text = eyoti_conf_foreign_env(EYOTI_RUN_ENV);
  if (text == NULL || *text == '\0') return;
  const struct eyoti_run_join join = {EYOTI_RUN_MAGIC, EYOTI_RUN_ABI};
  struct eyoti_run_joined joined;
  int memory = -1, fd = run_connect(text);
  if (fd < 0) return;
  void *at = MAP_FAILED;
  if (send(fd, &join, sizeof join, MSG_NOSIGNAL) == (ssize_t)sizeof join &&
      run_answer(fd, &joined, &memory))
    at = mmap(NULL, sizeof(struct eyoti_run_memory), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (memory >= 0) close(memory);
  if (at == MAP_FAILED) {
    close(fd);
    return;
  }
  f->supervised.fd = fd;
  f->supervised.run = at;
  f->supervised.record = &f->supervised.run->record[joined.index];
  eyoti_said_share(eyot_current->proc, f->supervised.run->saying);
  f->supervised.record->current = (uint64_t)(uintptr_t)&eyot_current;
  __atomic_store_n(&f->supervised.record->rank, eyoti_launcher_rank(), __ATOMIC_RELAXED);
  /* A launcher that is killed takes its processes along; without it none of them could end. */
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void fmpi_supervised_known(struct fmpi *f) {
  struct eyoti_run_record *r = f->supervised.record;
  if (r == NULL) return;
  bool unit = f->job.server == FMPI_UNIT;
  __atomic_store_n(&r->server, unit ? 0 : f->job.server + 1, __ATOMIC_RELAXED);
  /* pairs with the supervisor's acquire: `server` is set */
  __atomic_store_n(&r->unit, f->fab.me, __ATOMIC_RELEASE);
}

void fmpi_supervised_state(const struct fmpi *f, enum eyoti_run_state state) {
  struct eyoti_run_record *r = f->supervised.record;
  const char what = EYOTI_RUN_TOLD;
  if (r == NULL) return;
  /* pairs with the supervisor's acquire */
  __atomic_store_n(&r->state, (uint32_t)state, __ATOMIC_RELEASE);
  /* an agent tells the supervisor of another host before the launcher kills both */
  if (state == EYOTI_RUN_ABORTING) (void)!send(f->supervised.fd, &what, 1, MSG_NOSIGNAL);
}

void fmpi_supervised_leave(struct fmpi *f) {
  if (f->supervised.run == NULL) return;
  f->supervised.record = NULL;
  eyoti_said_share(eyot_current->proc, NULL);
  munmap(f->supervised.run, sizeof *f->supervised.run);
  f->supervised.run = NULL;
  close(f->supervised.fd);
}

bool fmpi_supervised_exit_all(struct fmpi *f, int code) {
  const char what = EYOTI_RUN_EXIT_ALL;
  if (f->supervised.run == NULL) return false;
  uint32_t none = 0;
  __atomic_store_n(&f->supervised.run->unit, f->fab.me, __ATOMIC_RELAXED);
  (void)__atomic_compare_exchange_n(&f->supervised.run->exit_all, &none,
                                    0x100u + ((uint32_t)code & 0xff), false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
  return send(f->supervised.fd, &what, 1, MSG_NOSIGNAL) == 1;
}

void fmpi_wait_published(struct fmpi *f, enum eyoti_run_wait_kind kind, const struct fab_cond *w,
                         uint32_t words, uint64_t timeout_ns) {
  struct eyoti_run_record *r = f->supervised.record;
  if (r == NULL || f->supervised.tries) return;
  struct eyoti_run_wait *to = &r->wait;
  const struct eyot_rt *rt = eyot_current;
  char named[EYOTI_CALL_WORDS];
  const char *call = rt->fab != NULL ? eyoti_rt_shown(rt) : "eyot_init";
  if (call != NULL && rt->fab != NULL)
    call = eyoti_made_call_words(rt, eyoti_rt_what(rt), call, named);
  __atomic_store_n(&to->turn, to->turn | 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* pairs with the supervisor's two reads of `turn` */
  if (w != NULL) {
    to->seg = w->seg;
    to->off = w->off;
    to->cmp = (uint32_t)w->cmp;
    to->value = fab_word_value(w->type, w->value);
    to->type = (uint32_t)w->type;
  }
  to->words = words;
  to->timed = timeout_ns != FAB_FOREVER;
  to->site = (uint64_t)(uintptr_t)eyoti_rt_site(rt);
  to->since_ns = fmpi_clock_ns();
  size_t i = 0;
  for (; call != NULL && i + 1 < EYOTI_RUN_CALL && call[i] != '\0'; i++) to->call[i] = call[i];
  to->call[i] = '\0';
  to->word.known = to->about.known = 0;
  f->supervised.described = false;
  to->kind = (uint32_t)kind;
  __atomic_store_n(&to->turn, to->turn + 1, __ATOMIC_RELEASE);
}

void fmpi_wait_described(struct fmpi *f, const struct fab_cond *w) {
  struct eyoti_run_record *r = f->supervised.record;
  if (r == NULL || f->supervised.described) return;
  struct eyoti_run_wait *to = &r->wait;
  const struct eyot_rt *rt = eyot_current;
  if (fmpi_clock_ns() - to->since_ns < DESCRIBED_NS) return;
  f->supervised.described = true;
  __atomic_store_n(&to->turn, to->turn | 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* as above */
  if (w != NULL) eyoti_made_describe(rt, w->seg, w->off, &to->word);
  eyoti_made_describe_about(rt, eyoti_rt_what(rt), &to->about);
  __atomic_store_n(&to->turn, to->turn + 1, __ATOMIC_RELEASE);
}

void fmpi_wait_unpublished(struct fmpi *f) {
  struct eyoti_run_record *r = f->supervised.record;
  if (r != NULL && !f->supervised.tries)
    __atomic_store_n(&r->wait.kind, (uint32_t)EYOTI_RUN_NO_WAIT, __ATOMIC_RELAXED);
}

void fmpi_tries(struct fab *fab, uint64_t timeout_ns) {
  struct fmpi *f = fmpi_of(fab);
  if (timeout_ns == 0) {
    f->supervised.tries = false;
    fmpi_wait_unpublished(f);
  } else if (!f->supervised.tries) {
    fmpi_wait_published(f, EYOTI_RUN_WAIT_TRIES, NULL, 0, timeout_ns);
    f->supervised.tries = true;
  } else {
    fmpi_wait_described(f, NULL);
  }
}
