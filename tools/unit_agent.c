/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_agent.c - see unit_agent.h.
 *
 * The program stays in the process group that the launcher has made: signals to the group reach it
 * without help, and SIGKILL reaches both. The agent blocks all signals, so that it outlives the
 * program. It keeps the launcher's descriptors open: the launcher, which takes their end for the
 * end of the process, learns of it from the agent's. */
#include "unit_agent.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/exit_codes.h"
#include "base/image.h"
#include "base/wording.h"
#include "job_procs.h"
#include "link_dial.h"
#include "members.h"
#include "rt/launcher.h"
#include "run_report.h"
#include "tool.h"

#define NAME_BYTES 192u
#define EVENTS 16
#define NOBODY UINT32_MAX

enum tag { TAG_CHILD = 1, TAG_LINK };

struct agent {
  struct members members;   /* those that join; usually the child alone */
  int epoll, signals, link; /* link: -1: the supervisor cannot be reached */
  pid_t child;
  bool child_over, told; /* told: the supervisor, or the launcher, knows of the end */
  bool lost;             /* a process has ended without eyot_finalize */
  int child_status;
  uint32_t joined; /* the process that has joined last; NOBODY */
  char host[LINK_HOST];
};

static bool agent_poll(const struct agent *a, int fd, enum tag tag) {
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = tag};
  return fd >= 0 && epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static bool agent_open(struct agent *a, char key[EYOTI_RUN_KEY]) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  if (!members_key(key)) return false;
  int listener = members_listen(key);
  a->epoll = epoll_create1(EPOLL_CLOEXEC);
  a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (listener < 0 || a->epoll < 0 || !agent_poll(a, a->signals, TAG_CHILD)) return false;
  return members_open(&a->members, listener, a->epoll);
}

/* Once on each host: the launchers number the processes of a host. */
static bool is_first_here(void) {
  const char *rank = eyoti_conf_foreign_env("MPI_LOCALRANKID");
  if (rank == NULL) rank = eyoti_conf_foreign_env("OMPI_COMM_WORLD_LOCAL_RANK");
  return rank == NULL || strcmp(rank, "0") == 0;
}

static void agent_link(struct agent *a, const char *key, const char *at) {
  struct link_hello hello = {.magic = EYOTI_RUN_MAGIC,
                             .abi = EYOTI_RUN_ABI,
                             .rank = eyoti_launcher_rank(),
                             .pid = (int32_t)a->child};
  if (gethostname(a->host, sizeof a->host - 1) != 0) snprintf(a->host, sizeof a->host, "a host");
  snprintf(hello.host, sizeof hello.host, "%s", a->host);
  snprintf(hello.key, sizeof hello.key, "%s", key);
  a->link = at != NULL ? link_dial(at, &hello) : -1;
  if (agent_poll(a, a->link, TAG_LINK) || !is_first_here()) return;
  eyoti_fprintf(
      stderr,
      "eyotrun: host %s cannot reach eyotrun at port and addresses '%s': a process of this "
      "host that ends before eyot_init is not noticed, and its waits are not reported; let "
      "hosts connect to the one where eyotrun runs, or name its network by --iface\n",
      a->host, at != NULL ? at : "");
}

/* What is known of the process now. */
static struct link_say agent_state(struct agent *a, enum link_what what) {
  bool joined = a->joined != NOBODY;
  const struct member *p = joined ? &a->members.member[a->joined] : NULL;
  const struct eyoti_run_record *r = joined ? &a->members.run->record[a->joined] : NULL;
  members_look(&a->members);
  return (struct link_say){
      .what = (uint32_t)what,
      .state = joined ? __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) : EYOTI_RUN_STARTED,
      .unit = joined ? __atomic_load_n(&r->unit, __ATOMIC_ACQUIRE) : EYOTI_RUN_NO_UNIT,
      .rank = eyoti_launcher_rank(),
      .server = joined ? r->server : 0,
      .joined = joined,
      .pid = (int32_t)(joined ? p->pid : a->child),
      .status = -1,
      .stopped = joined ? p->stopped : job_procs_state(a->child) == 'T',
      .exit_all = a->members.run->exit_all,
      .waited_ns = run_report_standstill_ns(&a->members)};
}

static void agent_unlink(struct agent *a) {
  if (a->link >= 0) close(a->link);
  a->link = -1;
}

/* A supervisor that has not read for so long that there is no room is not there any more. */
static void agent_say(struct agent *a, struct link_say *s, const char *text) {
  size_t len = text != NULL ? strlen(text) : 0;
  char message[sizeof *s + LINK_TEXT];
  if (a->link < 0) return;
  s->len = (uint32_t)(len < LINK_TEXT ? len : LINK_TEXT - 1);
  memcpy(message, s, sizeof *s);
  if (s->len > 0) memcpy(message + sizeof *s, text, s->len);
  for (size_t sent = 0, all = sizeof *s + s->len; sent < all;) {
    ssize_t n = send(a->link, message + sent, all - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) sent += (size_t)n;
    if (n >= 0 || errno == EINTR) continue;
    agent_unlink(a);
    return;
  }
}

static void agent_say_state(struct agent *a) {
  struct link_say s = agent_state(a, LINK_STATE);
  agent_say(a, &s, NULL);
}

static void agent_report(struct agent *a) {
  struct link_say s = agent_state(a, LINK_REPORT);
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (to == NULL) return;
  run_report_line(&a->members, a->joined != NOBODY ? a->joined : a->members.n, to);
  if (fclose(to) == 0) agent_say(a, &s, text);
  free(text);
}

/* Kills the program and what it has started, if the launcher has given it a process group. */
static void agent_kill(const struct agent *a) {
  members_kill(&a->members);
  if (!a->child_over) (void)kill(a->child, SIGKILL);
  if (getpgrp() == getpid()) (void)kill(0, SIGKILL);
}

/* A process that had joined has ended, or the child without joining. */
static void agent_ended(struct agent *a, int status) {
  char name[NAME_BYTES], how[NAME_BYTES];
  if (a->told) return;
  a->told = true;
  struct link_say s = agent_state(a, LINK_ENDED);
  s.status = status;
  agent_say(a, &s, NULL);
  if (a->link >= 0 || !a->lost) return;
  members_name(&a->members, a->joined, name, sizeof name);
  bool known = members_how(&a->members, a->joined, how, sizeof how);
  eyoti_fprintf(stderr, "eyotrun: %s on %s ended%s%s without eyot_finalize; the run ends\n", name,
                a->host, known ? " " : "", known ? how : "");
  int code = status < 0 ? 0 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  eyoti_launcher_abort(code > 0 ? code : EYOTI_EXIT_INCOMPLETE);
}

static void agent_exit_all(struct agent *a) {
  struct link_say s = agent_state(a, LINK_EXIT_ALL);
  int code = (int)(s.exit_all & 0xff);
  agent_say(a, &s, NULL);
  if (a->link < 0) eyoti_launcher_abort(code != 0 ? code : EYOTI_RUN_EXIT_ZERO);
}

static void agent_gone(struct agent *a, uint32_t i) {
  struct member *p = &a->members.member[i];
  if (p->pid == a->child && p->status < 0 && a->child_over) p->status = a->child_status;
  bool silent =
      members_unfinished(&a->members, i) && a->members.run->record[i].state != EYOTI_RUN_ABORTING;
  if (!silent && i != a->joined) return;
  a->joined = i;
  a->lost |= silent;
  if (silent) agent_ended(a, p->status);
}

static void on_member(struct agent *a, uint64_t tag) {
  uint32_t i;
  switch (members_event(&a->members, tag, &i)) {
    case MEMBERS_JOINED:
      a->joined = i;
      break;
    case MEMBERS_GONE:
      agent_gone(a, i);
      return;
    case MEMBERS_EXIT_ALL:
      agent_exit_all(a);
      return;
    case MEMBERS_NOTHING:
      break;
  }
  if (a->joined != NOBODY && !a->told) agent_say_state(a);
}

/* Waits for it, but leaves it for members_event to read how it has ended. */
static void on_child(struct agent *a) {
  struct signalfd_siginfo s;
  siginfo_t info = {0};
  while (read(a->signals, &s, sizeof s) == (ssize_t)sizeof s) continue;
  if (waitid(P_PID, (id_t)a->child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return;
  a->child_over = true;
  a->child_status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status;
}

static void on_link(struct agent *a) {
  char what = 0;
  ssize_t n = recv(a->link, &what, 1, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n == 1 && what == LINK_ASK_STATE) agent_say_state(a);
  if (n == 1 && what == LINK_ASK_REPORT) agent_report(a);
  bool over = n == 0 || (n < 0 && errno == ECONNRESET); /* the supervisor has been killed */
  if (over || (n == 1 && what == LINK_ASK_KILL)) agent_kill(a);
  if (n != 1) agent_unlink(a);
}

static void agent_loop(struct agent *a) {
  struct epoll_event events[EVENTS];
  while (!a->child_over || members_alive(&a->members) > 0) {
    int n = epoll_wait(a->epoll, events, EVENTS, -1);
    for (int i = 0; i < n; i++) {
      uint64_t tag = events[i].data.u64;
      if (tag == TAG_CHILD)
        on_child(a);
      else if (tag == TAG_LINK)
        on_link(a);
      else
        on_member(a, tag);
    }
  }
  agent_ended(a, a->child_status);
}

/* Ends as the child has ended. */
static int agent_leave(const struct agent *a) {
  const struct rlimit no_core = {0};
  sigset_t one;
  int status = a->child_status;
  (void)waitpid(a->child, NULL, 0); /* not all containers have an init that does it */
  fflush(NULL);
  if (WIFEXITED(status))
    return a->lost && WEXITSTATUS(status) == 0 ? EYOTI_EXIT_INCOMPLETE : WEXITSTATUS(status);
  (void)setrlimit(RLIMIT_CORE, &no_core); /* the child has made it */
  (void)signal(WTERMSIG(status), SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, WTERMSIG(status));
  (void)raise(WTERMSIG(status));
  (void)sigprocmask(SIG_UNBLOCK, &one, NULL);
  return 128 + WTERMSIG(status);
}

int unit_agent_execute(char **program) {
  execvp(program[0], program);
  int code = errno == ENOENT ? TOOL_NOT_FOUND_CODE : TOOL_NOT_RUNNABLE_CODE;
  fprintf(stderr, "eyotrun: cannot run %s: %s\n", program[0], strerror(errno));
  return code;
}

int unit_agent(char **program, const char *key, const char *at) {
  eyoti_wording_set(eyoti_image_file_words(program[0]));
  struct agent a = {.link = -1, .joined = NOBODY};
  char own[EYOTI_RUN_KEY], run[EYOTI_RUN_KEY];
  sigset_t all, before;
  snprintf(run, sizeof run, "%s", key); /* `key` is in the environment, which changes */
  sigfillset(&all);
  (void)sigprocmask(SIG_BLOCK, &all, &before);
  pid_t self = getpid();
  bool open = agent_open(&a, own) && eyoti_conf_foreign_set(EYOTI_RUN_ENV, own) == 0;
  a.child = open ? fork() : -1;
  if (a.child < 0) {
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return -1;
  }
  if (a.child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(TOOL_NOT_RUNNABLE_CODE);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    _exit(unit_agent_execute(program));
  }
  agent_link(&a, run, at);
  agent_loop(&a);
  run_report_said(&a.members);
  members_close(&a.members);
  return agent_leave(&a);
}
