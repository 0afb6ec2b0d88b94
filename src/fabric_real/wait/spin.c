/* SPDX-License-Identifier: BSD-3-Clause */
/* spin.c - see spin.h.
 *
 * A timer interrupts the thread, and the signal's handler yields and sets the timer again: the
 * thread runs between two yields even if it shares its processor with a process that never yields.
 * The signal is SIGURG: by default it is ignored, so that a late one does nothing, debuggers pass
 * it on without a word, and programs have to expect it at any time. MPI libraries expect timers
 * that interrupt them, because profilers set such; system calls are restarted. */
#include "fabric_real/wait/spin.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERIOD_NS 300000 /* between two yields; 0.2 to 0.5 ms were best for 8 on 2 processors */

#ifndef sigev_notify_thread_id /* libraries before glibc 2.39 have no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static bool set_timer(timer_t timer) {
  const struct itimerspec once = {.it_value = {.tv_nsec = PERIOD_NS}};
  return timer_settime(timer, 0, &once, NULL) == 0;
}

static void on_timer(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  if (info->si_code != SI_TIMER) return; /* the program's own, which it would ignore */
  const struct fmpi_spin *s = info->si_value.sival_ptr;
  int before = errno;
  (void)sched_yield();
  if (s->on) (void)set_timer(s->timer);
  errno = before;
}

/* Whether the handler is there that the program has left to the system. */
static bool is_default(const struct sigaction *a) {
  return (a->sa_flags & SA_SIGINFO) == 0 && a->sa_handler == SIG_DFL;
}

static bool is_ours(const struct sigaction *a) {
  return (a->sa_flags & SA_SIGINFO) != 0 && a->sa_sigaction == on_timer;
}

void fmpi_spin_begin(struct fmpi_spin *s, bool lacking) {
  struct sigaction handler = {.sa_sigaction = on_timer, .sa_flags = SA_RESTART | SA_SIGINFO};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
  event.sigev_value.sival_ptr = s;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  s->on = 0;
  if (!lacking || sigaction(SIGURG, NULL, &s->before) != 0 || !is_default(&s->before)) return;
  if (timer_create(CLOCK_MONOTONIC, &event, &s->timer) != 0) return;
  sigemptyset(&handler.sa_mask);
  s->on = 1;
  if (sigaction(SIGURG, &handler, NULL) != 0 || !set_timer(s->timer)) fmpi_spin_end(s);
}

void fmpi_spin_end(struct fmpi_spin *s) {
  struct sigaction now;
  if (!s->on) return;
  s->on = 0; /* a handler that runs from here on leaves the timer alone */
  (void)timer_delete(s->timer);
  /* A thread of the program may have set its own meanwhile. Setting the default also discards a
   * signal that is pending. */
  if (sigaction(SIGURG, NULL, &now) == 0 && is_ours(&now))
    (void)sigaction(SIGURG, &s->before, NULL);
}
