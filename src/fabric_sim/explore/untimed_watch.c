/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_watch.c - the watchdog of explored runs: a timer of wall time checks whether steps are
 * taken. See untimed.h. A unit that runs for long without returning to the scheduler would stop the
 * search; a step that is too long ends its run, which has failed.
 *
 * This watchdog is not engine/watch.c's, which ends the process, and keeps its state in memory that
 * is restored between two runs. */
#include "fabric_sim/explore/untimed_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/explore/untimed_proc.h"

static void untimed_on_timer(int sig, siginfo_t *info, void *context) {
  (void)sig;
  struct sim_world *w = info->si_value.sival_ptr;
  if (w == NULL) return;
  struct sim_untimed *c = w->untimed;
  uint64_t steps = *(volatile uint64_t *)&c->watch.steps;
  uint32_t running = *(volatile uint32_t *)&w->running;
  if (running == UINT32_MAX || steps != c->watch.seen) {
    c->watch.seen = steps;
    sim_watch_alive(&c->watch.still);
    return;
  }
  if (!sim_watch_silent(w, &c->watch.named, &c->watch.still, c->watch.period_ns, c->watch.err,
                        context) ||
      !c->can_escape)
    return;
  char text[SIM_UNTIMED_TEXT];
  eyoti_snprintf(
      text, sizeof text,
      "unit %u made no fabric call that waits for %.1f s of wall-clock time (--watchdog): an "
      "endless loop? One that polls its own memory must use eyot_wait_until or "
      "eyot_test_until",
      running, (double)w->opt.watchdog_ns * 1e-9);
  c->watch.struck = true;
  sim_untimed_crashed(w, text);
}

int sim_untimed_watch_open(struct sim_world *w) {
  struct sim_untimed *c = w->untimed;
  uint64_t limit_ns = w->opt.watchdog_ns;
  c->watch.armed = false;
  if (limit_ns == 0) return EYOT_OK;
  struct sigaction a = {.sa_sigaction = untimed_on_timer,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&a.sa_mask);
  if (sigaction(SIM_UNTIMED_WATCH_SIGNAL, &a, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", SIM_UNTIMED_WATCH_SIGNAL, strerror(errno));
  struct sigevent e = {.sigev_notify = SIGEV_SIGNAL,
                       .sigev_signo = SIM_UNTIMED_WATCH_SIGNAL,
                       .sigev_value.sival_ptr = w};
  if (timer_create(CLOCK_MONOTONIC, &e, &c->watch.timer) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_create: %s", strerror(errno));
  c->watch.armed = true;
  uint64_t ns = c->watch.period_ns = sim_watch_period(limit_ns);
  const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
  const struct itimerspec period = {t, t};
  if (timer_settime(c->watch.timer, 0, &period, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_settime: %s", strerror(errno));
  return EYOT_OK;
}

void sim_untimed_watch_close(struct sim_world *w) {
  struct sim_untimed *c = w->untimed;
  if (!c->watch.armed) return;
  (void)timer_delete(c->watch.timer);
  (void)signal(SIM_UNTIMED_WATCH_SIGNAL, SIG_IGN);
  c->watch.armed = false;
}
