/* SPDX-License-Identifier: BSD-3-Clause */
/* supervise_run.c - see supervise_run.h. One loop over epoll: signals, the front process, members
 * that join and end, files that are made, and deadlines. Whatever ends the run, the end is the
 * same: the launcher and all processes of the job are killed, and their files removed. */
#include "supervise_run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/exit_codes.h"
#include "base/wording.h"
#include "clock.h"
#include "job_procs.h"
#include "links.h"
#include "members.h"
#include "run_code.h"
#include "run_output.h"
#include "run_report.h"
#include "start_watch.h"
#include "tool.h"

#define NS_A_S UINT64_C(1000000000)
#define NS_A_MS UINT64_C(1000000)
/* a launcher that has been told of an end is given this long to end the job in its own way */
#define PATIENCE_NS (10 * NS_A_S)
/* and one that a unit has left */
#define LOST_NS (2 * NS_A_S)
/* in which the first of the processes that ended becomes known */
#define NAME_NS (200 * NS_A_MS)
#define NAME_LOOK_MS 10
/* in which a job ends by itself after a process that has not called eyot_init */
#define EARLY_NS NS_A_S
/* processes end shortly after their launcher */
#define MEMBERS_END_NS (2 * NS_A_S)
/* in which the agents of other hosts tell what their processes wait for */
#define REPORT_NS (2 * NS_A_S)
#define NO_CODE (-1)
#define EVENTS 64
#define NAME_BYTES 192u
#define NEVER UINT64_MAX

enum tag { TAG_SIGNALS = 1, TAG_FRONT, TAG_FILES, TAG_OUTPUT };

struct run {
  const struct supervise *o;
  struct job_files *files;
  struct members members;
  struct links links;
  struct run_output output;
  int epoll, signals, front;
  pid_t launcher;
  bool launcher_over;
  int launcher_status;
  int asked;        /* the signal that asked for the end; 0: none */
  uint32_t lost;    /* members that ended unfinished */
  bool silent;      /* the first of them had not said why */
  int code;         /* of the run; -1: the launcher's */
  uint64_t kill_ns; /* when the job is killed, if it has not ended */
  uint64_t limit_ns, look_ns, period_ns;
  uint64_t name_ns;    /* until when the process that ended first is to be named; NEVER: it is */
  uint64_t stopped_ns; /* since when a process is stopped; NEVER: none is */
  uint64_t early_ns;   /* when the run ends because a process ended before eyot_init */
  uint64_t report_ns;  /* until when agents are waited for before a report; NEVER: none is due */
  int report_code;     /* of the run that ends after it; NO_CODE: it goes on */
  struct start_watch start;
  bool watch_told;
  bool suspended;
};

static void say(const char *text) {
  fprintf(stderr, "eyotrun: %s\n", text);
}

static bool run_failed(const char *what) {
  fprintf(stderr, "eyotrun: cannot supervise the run: %s: %s\n", what, strerror(errno));
  return false;
}

static bool run_poll(struct run *r, int fd, enum tag tag) {
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = tag};
  return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static bool open_signals(struct run *r) {
  static const int PASSED[] = SUPERVISE_SIGNALS;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (size_t i = 0; i < SUPERVISE_SIGNALS_COUNT; i++) sigaddset(&set, PASSED[i]);
  r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return r->signals >= 0 && run_poll(r, r->signals, TAG_SIGNALS);
}

static bool run_open(struct run *r) {
  char key[EYOTI_RUN_KEY];
  if (!members_key(key)) return false;
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  r->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (r->epoll < 0 || !open_signals(r) || !run_poll(r, r->front, TAG_FRONT))
    return run_failed("a descriptor");
  if (!run_output_open(&r->output) ||
      (r->output.read >= 0 && !run_poll(r, r->output.read, TAG_OUTPUT)))
    return run_failed("a pipe for the output");
  if (r->files->watch >= 0) (void)run_poll(r, r->files->watch, TAG_FILES);
  int listener = members_listen(key);
  if (listener < 0 || !members_open(&r->members, listener, r->epoll)) return false;
  if (r->o->elsewhere && !links_open(&r->links, &r->members, key, r->o->iface)) return false;
  return eyoti_conf_foreign_set(EYOTI_RUN_ENV, key) == 0;
}

static bool launch(struct run *r, int input) {
  pid_t self = getpid();
  r->launcher = fork();
  if (r->launcher < 0) return run_failed("a process for the launcher");
  if (r->launcher > 0) return true;
  sigset_t none;
  sigemptyset(&none);
  (void)signal(SIGPIPE, SIG_DFL);
  /* if both processes of eyotrun are killed, the launcher ends the job */
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != self) _exit(TOOL_NOT_RUNNABLE_CODE);
  if (input != STDIN_FILENO && dup2(input, STDIN_FILENO) < 0) _exit(TOOL_NOT_RUNNABLE_CODE);
  if (!run_output_enter(&r->output)) _exit(TOOL_NOT_RUNNABLE_CODE);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  execv(r->o->args[0], r->o->args);
  fprintf(stderr, "eyotrun: cannot run %s: %s\n", r->o->args[0], strerror(errno));
  _exit(TOOL_NOT_RUNNABLE_CODE);
}

/* The job is to be killed now, and the run's exit code is `code`. */
static void end_now(struct run *r, int code) {
  if (r->code < 0) r->code = code;
  r->kill_ns = 0;
}

static void end_until(struct run *r, uint64_t patience_ns) {
  uint64_t until_ns = clock_now_ns() + patience_ns;
  if (until_ns < r->kill_ns) r->kill_ns = until_ns;
}

/* Names the process that ended first, once it is known, or `last`: not to be known any more. */
static void name_lost(struct run *r, bool last) {
  char name[NAME_BYTES], how[NAME_BYTES];
  bool sure;
  uint32_t i = members_first_lost(&r->members, &sure);
  if (!sure && !last) return;
  r->name_ns = NEVER;
  if (members_anyone_told(&r->members))
    return; /* on another host, as its agent has said meanwhile */
  uint32_t cause = members_cause(&r->members, i);
  members_name(&r->members, cause, name, sizeof name);
  bool told = members_how(&r->members, cause, how, sizeof how);
  if (cause != i) {
    fprintf(stderr, "eyotrun: %s ended %s, and the launcher ended others; the run ends\n", name,
            how);
    return;
  }
  eyoti_fprintf(stderr, "eyotrun: %s%s ended%s%s%s; the run ends\n", name,
                members_early(&r->members, i) ? "," : "", told ? " " : "", told ? how : "",
                members_early(&r->members, i) ? "" : EYOTI_WORDED(" without eyot_finalize"));
}

/* All units meet in eyot_init: one that has ended before leaves the others there. A launcher that
 * ends the job for it is given some time. */
static void look_early(struct run *r) {
  if (r->early_ns == NEVER && members_ended_early(&r->members) < r->members.n &&
      members_starting(&r->members) > 0)
    r->early_ns = clock_now_ns() + EARLY_NS;
  if (r->early_ns != NEVER) links_ask(&r->links, LINK_ASK_STATE);
}

static void end_early(struct run *r) {
  char name[NAME_BYTES], how[NAME_BYTES];
  uint32_t i = members_ended_early(&r->members), n = members_starting(&r->members);
  r->early_ns = NEVER;
  if (n == 0 || r->launcher_over || r->asked != 0 || r->code >= 0 || r->lost > 0) return;
  members_name(&r->members, i, name, sizeof name);
  bool told = members_how(&r->members, i, how, sizeof how);
  eyoti_fprintf(stderr, "eyotrun: %s, ended%s%s; %u process%s in eyot_init for it; the run ends\n",
                name, told ? " " : "", told ? how : "", n, n == 1 ? " waits" : "es wait");
  int code = members_code(&r->members, i);
  end_now(r, code > 0 ? code : EYOTI_EXIT_INCOMPLETE);
}

/* A member has ended. The first that was not finished is the cause of the others' end. */
static void on_gone(struct run *r, uint32_t i) {
  if (members_early(&r->members, i)) look_early(r);
  if (!members_unfinished(&r->members, i)) return;
  links_ask(&r->links, LINK_ASK_STATE);
  if (r->lost++ > 0 || r->asked != 0 || r->code >= 0 || members_anyone_told(&r->members)) return;
  r->silent = true;
  r->name_ns = clock_now_ns() + NAME_NS;
  end_until(r, LOST_NS);
}

static void on_member(struct run *r, uint64_t tag) {
  uint32_t i;
  bool far = (tag & LINKS_TAG) != 0;
  switch (far ? links_event(&r->links, tag, &i) : members_event(&r->members, tag, &i)) {
    case MEMBERS_GONE:
      on_gone(r, i);
      break;
    case MEMBERS_EXIT_ALL:
      end_now(r, (int)(__atomic_load_n(&r->members.run->exit_all, __ATOMIC_ACQUIRE) & 0xff));
      break;
    case MEMBERS_JOINED:
      look_early(r);
      break;
    case MEMBERS_NOTHING:
      break;
  }
}

static void reap(struct run *r) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != r->launcher) continue;
    r->launcher_over = true;
    r->launcher_status = status;
  }
}

/* The first signal asks the launcher to end the job; a second one kills it. */
static void on_end_signal(struct run *r, int signo) {
  if (r->asked != 0) {
    end_now(r, 128 + r->asked);
    return;
  }
  r->asked = signo;
  fprintf(stderr, "eyotrun: %s: ends the run%s\n", strsignal(signo),
          signo == SIGINT ? "; once more kills it" : "");
  (void)kill(r->launcher, signo);
  end_until(r, PATIENCE_NS);
}

static void stop_job(struct run *r, bool stop) {
  pid_t pids[1024];
  size_t n = job_procs_below(0, pids, sizeof pids / sizeof *pids);
  for (size_t i = 0; i < n; i++) (void)kill(pids[i], stop ? SIGSTOP : SIGCONT);
  r->suspended = stop;
}

static void report_now(struct run *r) {
  r->report_ns = NEVER;
  members_look(&r->members);
  run_report_print(&r->members);
  if (r->report_code != NO_CODE) end_now(r, r->report_code);
}

/* Prints who waits for what, once the agents have told it, and ends the run with `code`. */
static void report(struct run *r, int code) {
  if (code != NO_CODE) r->report_code = code;
  if (r->report_ns != NEVER) return;
  r->report_ns = clock_now_ns() + REPORT_NS;
  links_ask(&r->links, LINK_ASK_REPORT);
  if (links_reported(&r->links)) report_now(r);
}

static void on_signal(struct run *r) {
  struct signalfd_siginfo s;
  while (read(r->signals, &s, sizeof s) == (ssize_t)sizeof s) {
    int signo = (int)s.ssi_signo;
    if (signo == SIGCHLD)
      reap(r);
    else if (signo == SIGTSTP || signo == SIGCONT)
      stop_job(r, signo == SIGTSTP);
    else if (signo == SIGINT || signo == SIGTERM || signo == SIGHUP)
      on_end_signal(r, signo);
    else if (signo == SIGQUIT)
      report(r, NO_CODE);
    else
      (void)kill(r->launcher, signo);
  }
}

/* The processes that are known here are all of the job. */
static bool is_whole(const struct run *r) {
  return !r->o->elsewhere || members_known(&r->members) >= r->o->processes;
}

/* All units are known, and have waited for so long. Those of other hosts are asked in each period,
 * and were seen waiting after the others' waits had begun. */
static bool is_standstill(const struct run *r, uint64_t limit) {
  return is_whole(r) && run_report_standstill_ns(&r->members) >= limit;
}

/* --watchdog: a unit that waits for so long is reported, once in each wait. When all units wait,
 * the run cannot go on, because nothing but units changes what units wait for. */
static void watch_waits(struct run *r) {
  uint64_t limit = r->o->watchdog_ns, longest = run_report_longest_ns(&r->members);
  if (r->report_ns != NEVER) return;
  if (longest < limit) r->watch_told = false;
  if (is_standstill(r, limit)) {
    eyoti_fprintf(
        stderr,
        "eyotrun: deadlock: every unit that has not finalized has waited for %.3g s or longer "
        "(--watchdog)\n",
        (double)limit * 1e-9);
    report(r, EYOTI_EXIT_DEADLOCK);
  } else if (longest >= limit && !r->watch_told) {
    r->watch_told = true;
    eyoti_fprintf(stderr, "eyotrun: a unit has waited for %.3g s or longer (--watchdog)\n",
                  (double)limit * 1e-9);
    report(r, NO_CODE);
  }
}

/* --heartbeat: a process that stays stopped for so long is named, and the run ends; or one of
 * another host, whose agent does not answer for so long. */
static void watch_stopped(struct run *r, uint64_t now) {
  char name[NAME_BYTES];
  uint64_t limit = r->o->heartbeat_ns;
  uint32_t i = 0, n = r->members.n;
  members_look(&r->members);
  while (i < n && !members_cut_off(&r->members, i, now, limit)) i++;
  bool cut_off = i < n;
  for (i = cut_off ? i : 0; !cut_off && i < n && !r->members.member[i].stopped;) i++;
  if (i == n) r->stopped_ns = NEVER;
  if (i == n || r->report_ns != NEVER) return;
  if (r->stopped_ns == NEVER) r->stopped_ns = now;
  if (!cut_off && now - r->stopped_ns < limit) return;
  members_name(&r->members, i, name, sizeof name);
  fprintf(stderr, "eyotrun: %s %s for %.3g s (--heartbeat)\n", name,
          cut_off ? "does not answer: its host is stopped or cut off" : "is stopped (SIGSTOP)",
          (double)limit * 1e-9);
  report(r, EYOTI_EXIT_STOPPED);
}

/* --start-limit: all processes of the job are in eyot_init, or some are, for so long. */
static void watch_start(struct run *r, uint64_t now) {
  if (now < r->start.next_ns || r->report_ns != NEVER) return;
  if (members_opening(&r->members) > 0) links_ask(&r->links, LINK_ASK_STATE);
  enum start_state s = start_watch_look(&r->start, &r->members, is_whole(r), now);
  if (s == START_GOES_ON) return;
  eyoti_fprintf(stderr, "eyotrun: %u of %u processes have been in eyot_init for %.3g s%s\n",
                members_opening(&r->members), members_alive(&r->members),
                (double)r->start.spent_ns * 1e-9,
                s == START_SLOW ? "" : "; the run ends (--start-limit)");
  report(r, s == START_FAILED ? EYOTI_EXIT_TIME_LIMIT : NO_CODE);
}

static void on_deadlines(struct run *r) {
  uint64_t now = clock_now_ns();
  if (r->name_ns != NEVER) name_lost(r, now >= r->name_ns);
  if (now >= r->early_ns) end_early(r);
  if (now >= r->limit_ns) {
    r->limit_ns = NEVER;
    fprintf(stderr, "eyotrun: the run has not ended within %.3g s (--time-limit)\n",
            (double)r->o->time_limit_ns * 1e-9);
    report(r, EYOTI_EXIT_TIME_LIMIT);
  }
  if (r->report_ns != NEVER && (links_reported(&r->links) || now >= r->report_ns)) report_now(r);
  if (r->suspended) return;
  watch_start(r, now);
  if (now < r->look_ns) return;
  r->look_ns = now + r->period_ns;
  links_ask(&r->links, LINK_ASK_STATE);
  if (r->o->watchdog_ns != 0) watch_waits(r);
  if (r->o->heartbeat_ns != 0) watch_stopped(r, now);
}

static int timeout_ms(const struct run *r) {
  uint64_t now = clock_now_ns(), next = r->kill_ns;
  if (r->name_ns != NEVER) return NAME_LOOK_MS;
  if (r->limit_ns < next) next = r->limit_ns;
  if (r->early_ns < next) next = r->early_ns;
  if (r->report_ns < next) next = r->report_ns;
  if (!r->suspended && r->look_ns < next) next = r->look_ns;
  if (!r->suspended && r->start.next_ns < next) next = r->start.next_ns;
  if (next == NEVER) return -1;
  return next <= now ? 0 : (int)((next - now) / NS_A_MS + 1);
}

/* Handles what is ready, or waits for it. */
static void step(struct run *r, int ms) {
  struct epoll_event events[EVENTS];
  int n = epoll_wait(r->epoll, events, EVENTS, ms);
  for (int i = 0; i < n; i++) {
    uint64_t tag = events[i].data.u64;
    if (tag == TAG_SIGNALS) {
      on_signal(r);
    } else if (tag == TAG_FRONT) {
      say("the process that was started was killed; the run ends");
      (void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->front, NULL);
      end_now(r, 128 + SIGKILL);
    } else if (tag == TAG_OUTPUT) {
      if (!run_output_copy(&r->output))
        (void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->output.read, NULL);
    } else if (tag == TAG_FILES) {
      job_files_note(r->files);
    } else {
      on_member(r, tag);
    }
  }
}

/* Kills what is left of the job, and waits for the end of its members. */
static void kill_job(struct run *r) {
  job_files_note(r->files);
  job_files_scan(r->files);
  links_ask(&r->links, LINK_ASK_KILL);
  if (!r->launcher_over) (void)kill(r->launcher, SIGKILL);
  members_kill(&r->members);
  if (!job_procs_kill(0)) say("some processes of the job cannot be killed; see ps");
  job_files_remove(r->files);
}

/* The launcher has ended: its processes end, or have ended, on their own. */
static void await_members(struct run *r) {
  uint64_t until_ns = clock_now_ns() + MEMBERS_END_NS;
  while ((members_alive(&r->members) > 0 || r->name_ns != NEVER) && r->kill_ns != 0 &&
         clock_now_ns() < until_ns) {
    step(r, NAME_LOOK_MS);
    on_deadlines(r);
  }
}

/* How often waits and stopped processes are looked for: eight times within the shortest limit. */
static uint64_t look_period_ns(const struct supervise *o) {
  uint64_t least = NEVER;
  if (o->watchdog_ns != 0) least = o->watchdog_ns;
  if (o->heartbeat_ns != 0 && o->heartbeat_ns < least) least = o->heartbeat_ns;
  return least == NEVER || least / 8 > 10 * NS_A_MS ? least == NEVER ? NEVER : least / 8
                                                    : 10 * NS_A_MS;
}

int supervise_run(const struct supervise *o, struct job_files *files, int front, int input) {
  struct run r = {.o = o,
                  .files = files,
                  .front = front,
                  .code = -1,
                  .kill_ns = NEVER,
                  .look_ns = NEVER,
                  .name_ns = NEVER,
                  .stopped_ns = NEVER,
                  .early_ns = NEVER,
                  .report_ns = NEVER,
                  .report_code = NO_CODE,
                  .links.listener = -1,
                  .period_ns = look_period_ns(o),
                  .limit_ns = o->time_limit_ns != 0 ? clock_now_ns() + o->time_limit_ns : NEVER};
  if (r.period_ns != NEVER) r.look_ns = clock_now_ns() + r.period_ns;
  start_watch_open(&r.start, o->start_limit_ns, clock_now_ns());
  (void)setpgid(0, 0);
  if (!run_open(&r) || !launch(&r, input)) return TOOL_NOT_RUNNABLE_CODE;
  members_descriptors(); /* not the launcher's processes */
  run_output_started(&r.output);
  if (input != STDIN_FILENO) close(input);
  while (!r.launcher_over && clock_now_ns() < r.kill_ns) {
    step(&r, timeout_ms(&r));
    on_deadlines(&r);
  }
  if (r.report_ns != NEVER) report_now(&r);
  if (r.launcher_over && r.code < 0) await_members(&r);
  if (r.name_ns != NEVER) name_lost(&r, true);
  bool killed = !r.launcher_over;
  kill_job(&r);
  run_report_said(&r.members);
  const struct run_end end = {.launcher = o->args[0],
                              .code = r.code,
                              .asked = r.asked,
                              .silent = r.silent,
                              .killed = killed,
                              .whole = is_whole(&r),
                              .status = r.launcher_status};
  int code = run_code(&end, &r.members);
  links_close(&r.links);
  members_close(&r.members);
  return run_output_close(&r.output, code);
}
