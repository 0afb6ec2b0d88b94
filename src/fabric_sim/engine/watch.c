/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - the watchdog: a timer of wall time checks whether units still make fabric calls. See
 * watch.h. */
#include "fabric_sim/engine/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "base/wording.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/world.h"
#include "rt/frames.h"

/* checks per limit, at least: a unit that is reported has been silent for three to four quarters of
 * it, or longer */
#define PERIODS 4u
#define PERIOD_LEAST_NS UINT64_C(10000000) /* a shorter one would leave the run no time */
#define PERIOD_MOST_NS UINT64_C(100000000)
#define WATCH_SIGNAL (SIGRTMAX - 2)
#define LIMIT_SIGNAL (SIGRTMAX - 3)
#define NS_A_S UINT64_C(1000000000)

uint64_t sim_watch_period(uint64_t limit_ns) {
  uint64_t ns = limit_ns / PERIODS;
  return ns > PERIOD_MOST_NS ? PERIOD_MOST_NS : ns > PERIOD_LEAST_NS ? ns : PERIOD_LEAST_NS;
}

static void watch_name(struct sim_world *w, struct sim_named *named, uint64_t still_ns, int fd,
                       const void *context) {
  const struct sim_unit *u = &w->units[w->running];
  uint64_t off = 0;
  (void)sim_prog_offset(w->prog, u->fab.me, u->rt.site, &off);
  for (uint32_t i = 0; i < named->n; i++)
    if (named->off[i] == off) return;
  named->off[named->n] = off;
  named->printing[named->n++] =
      w->reports->quiet(u, still_ns, w->opt.watchdog_ns, fd, context, named == &w->watch.named);
}

bool sim_watch_silent(struct sim_world *w, struct sim_named *named, struct sim_still *s,
                      uint64_t period_ns, int fd, const void *context) {
  const struct sim_unit *u = &w->units[w->running];
  uint64_t off;
  s->ns += period_ns;
  if (sim_prog_offset(w->prog, u->fab.me, eyoti_fault_of(context).pc, &off)) s->outside_ns = s->ns;
  bool late = s->ns >= w->opt.watchdog_ns && s->ns >= PERIODS * period_ns;
  if (!late && (s->ns < SIM_QUIET_NS || s->ns < s->ask_ns || named->n == SIM_QUIET_PLACES))
    return false;
  if (s->outside_ns <= s->ns / 2 && w->reports->inside(u, context)) {
    s->ask_ns = 2 * s->ns;
    if (late) sim_watch_alive(s);
    return false;
  }
  if (!late) watch_name(w, named, s->ns, fd, context);
  return late;
}

static void watch_on_timer(int sig, siginfo_t *info, void *context) {
  (void)sig;
  struct sim_world *w = info->si_value.sival_ptr;
  if (w == NULL) return;
  uint64_t calls = *(volatile uint64_t *)&w->calls;
  uint32_t running = *(volatile uint32_t *)&w->running;
  if (running == UINT32_MAX || calls != w->watch.seen_calls) {
    w->watch.seen_calls = calls;
    sim_watch_alive(&w->watch.still);
    return;
  }
  if (!sim_watch_silent(w, &w->watch.named, &w->watch.still, w->watch.period_ns, STDERR_FILENO,
                        context))
    return;
  char text[160];
  eyoti_snprintf(
      text, sizeof text,
      "no fabric call for %.1f s of wall-clock time (EYOT_WATCHDOG); a unit that polls its "
      "own memory must use eyot_wait_until",
      (double)w->opt.watchdog_ns * 1e-9);
  w->reports->crash(&w->units[running], text, SIM_CRASH_EXIT);
}

/* The run ends between two events; a unit that lets none happen for a second is stopped here. */
static void limit_on_timer(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  struct sim_world *w = info->si_value.sival_ptr;
  if (w == NULL) return;
  uint32_t running = *(volatile uint32_t *)&w->running;
  bool late = __atomic_exchange_n(&w->watch.time_up, true, __ATOMIC_RELAXED);
  if (late && running != UINT32_MAX)
    w->reports->crash(&w->units[running],
                      "the run has not ended within EYOT_TIME_LIMIT (--time-limit)",
                      EYOTI_EXIT_TIME_LIMIT);
}

static int watch_start(struct sim_world *w, int signo, void (*handler)(int, siginfo_t *, void *),
                       timer_t *timer, uint64_t first_ns, uint64_t then_ns) {
  struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&a.sa_mask);
  if (sigaction(signo, &a, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", signo, strerror(errno));
  struct sigevent e = {
      .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signo, .sigev_value.sival_ptr = w};
  if (timer_create(CLOCK_MONOTONIC, &e, timer) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_create: %s", strerror(errno));
  const struct itimerspec times = {
      .it_value = {.tv_sec = (time_t)(first_ns / NS_A_S), .tv_nsec = (long)(first_ns % NS_A_S)},
      .it_interval = {.tv_sec = (time_t)(then_ns / NS_A_S), .tv_nsec = (long)(then_ns % NS_A_S)}};
  if (timer_settime(*timer, 0, &times, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_settime: %s", strerror(errno));
  return EYOT_OK;
}

int sim_watch_open(struct sim_world *w, uint64_t limit_ns, uint64_t time_limit_ns) {
  if (time_limit_ns != 0) {
    EYOTI_TRY(watch_start(w, LIMIT_SIGNAL, limit_on_timer, &w->watch.limit, time_limit_ns, NS_A_S));
    w->watch.limited = true;
  }
  if (limit_ns == 0) return EYOT_OK;
  uint64_t ns = w->watch.period_ns = sim_watch_period(limit_ns);
  EYOTI_TRY(watch_start(w, WATCH_SIGNAL, watch_on_timer, &w->watch.timer, ns, ns));
  w->watch.armed = true;
  return EYOT_OK;
}

void sim_watch_hush(void) {
  const struct sigaction none = {.sa_handler = SIG_IGN};
  (void)sigaction(WATCH_SIGNAL, &none, NULL);
  (void)sigaction(LIMIT_SIGNAL, &none, NULL);
}

void sim_watch_close(struct sim_world *w) {
  if (w->watch.limited) (void)timer_delete(w->watch.limit);
  if (w->watch.limited) (void)signal(LIMIT_SIGNAL, SIG_IGN);
  w->watch.limited = false;
  if (!w->watch.armed) return;
  (void)timer_delete(w->watch.timer);
  (void)signal(WATCH_SIGNAL, SIG_IGN);
  w->watch.armed = false;
}
