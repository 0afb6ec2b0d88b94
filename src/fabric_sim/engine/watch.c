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
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/world.h"

/* checks per limit: a unit that is reported has been silent for three to four quarters of it, or
 * longer */
#define PERIODS 4u
#define WATCH_SIGNAL (SIGRTMAX - 2)

static void watch_on_timer(int sig, siginfo_t *info, void *context) {
  (void)sig, (void)context;
  struct sim_world *w = info->si_value.sival_ptr;
  if (w == NULL) return;
  uint64_t calls = *(volatile uint64_t *)&w->calls;
  uint32_t running = *(volatile uint32_t *)&w->running;
  if (running == UINT32_MAX || calls != w->watch.seen_calls) {
    w->watch.seen_calls = calls;
    w->watch.still = 0;
    return;
  }
  if (++w->watch.still < PERIODS) return;
  char text[160];
  snprintf(text, sizeof text,
           "no fabric call for %.1f s of wall-clock time (EYOT_WATCHDOG); a unit that polls its "
           "own memory must use eyot_wait_until",
           (double)w->opt.watchdog_ns * 1e-9);
  w->reports->crash(&w->units[running], text, SIM_CRASH_EXIT);
}

int sim_watch_open(struct sim_world *w, uint64_t limit_ns) {
  if (limit_ns == 0) return EYOT_OK;
  struct sigaction a = {.sa_sigaction = watch_on_timer,
                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&a.sa_mask);
  if (sigaction(WATCH_SIGNAL, &a, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", WATCH_SIGNAL, strerror(errno));
  struct sigevent e = {
      .sigev_notify = SIGEV_SIGNAL, .sigev_signo = WATCH_SIGNAL, .sigev_value.sival_ptr = w};
  if (timer_create(CLOCK_MONOTONIC, &e, &w->watch.timer) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_create: %s", strerror(errno));
  w->watch.armed = true;
  uint64_t ns = limit_ns / PERIODS > 0 ? limit_ns / PERIODS : 1;
  const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
  const struct itimerspec period = {t, t};
  if (timer_settime(w->watch.timer, 0, &period, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "timer_settime: %s", strerror(errno));
  return EYOT_OK;
}

void sim_watch_close(struct sim_world *w) {
  if (!w->watch.armed) return;
  (void)timer_delete(w->watch.timer);
  (void)signal(WATCH_SIGNAL, SIG_IGN);
  w->watch.armed = false;
}
