/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt.c - see interrupt.h. */
#include "fabric_sim/explore/interrupt.h"

#include <time.h>
#include <unistd.h>

static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};

void sim_interrupt_open(struct sim_interrupt *i) {
  *i = (struct sim_interrupt){0};
  sigemptyset(&i->awaited);
  for (size_t k = 0; k < sizeof ENDING / sizeof *ENDING; k++) {
    struct sigaction now;
    if (sigaction(ENDING[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&i->awaited, ENDING[k]);
  }
  sigset_t all = i->awaited;
  sigaddset(&all, SIGCHLD);
  (void)sigprocmask(SIG_BLOCK, &all, &i->before);
}

static void take(struct sim_interrupt *i, const sigset_t *set, const struct timespec *most) {
  int sig = sigtimedwait(set, NULL, most);
  if (sig <= 0 || sigismember(&i->awaited, sig) == 0) return;
  if (i->signal == 0) i->signal = sig;
  i->times++;
}

void sim_interrupt_wait(struct sim_interrupt *i, uint32_t ms) {
  sigset_t all = i->awaited;
  sigaddset(&all, SIGCHLD);
  const struct timespec most = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
  take(i, &all, &most);
}

bool sim_interrupt_seen(struct sim_interrupt *i) {
  static const struct timespec at_once = {0, 0};
  take(i, &i->awaited, &at_once);
  return i->signal != 0;
}

/* All that wait. */
static void drop(struct sim_interrupt *i) {
  uint32_t times;
  do {
    times = i->times;
    (void)sim_interrupt_seen(i);
  } while (i->times > times);
}

void sim_interrupt_close(struct sim_interrupt *i) {
  /* the search has ended by the first: one more must not end the process before it has reported */
  if (i->signal != 0) drop(i);
  (void)sigprocmask(SIG_SETMASK, &i->before, NULL);
}

void sim_interrupt_leave(const struct sim_interrupt *i) {
  struct sim_interrupt earlier = *i;
  (void)setpgid(0, 0);
  drop(&earlier); /* what came to the group of the process that waits, which has it too */
  (void)sigprocmask(SIG_SETMASK, &i->before, NULL);
}
