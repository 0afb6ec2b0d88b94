/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt.h - ends a search in order when a user or a batch system interrupts it (SIGINT,
 * SIGTERM, SIGHUP). For explore.c and found.c.
 *
 * Why it exists: hours of search must not be lost by Ctrl-C. The process that waits for the workers
 * blocks the signals and asks for them where it can act, so that no handler runs. Workers are in a
 * process group of their own, which Ctrl-C does not reach. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_INTERRUPT_H
#define EYOT_FABRIC_SIM_EXPLORE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* In memory that restored runs do not change. */
struct sim_interrupt {
  sigset_t before;  /* the mask that sim_interrupt_open has changed */
  sigset_t awaited; /* the signals that end a search; not those that the user ignores */
  int signal;       /* the first that came, or 0 */
  uint32_t times;   /* how many came */
};

/* Blocks the signals, and SIGCHLD. */
void sim_interrupt_open(struct sim_interrupt *i);
/* Restores the mask. Signals that wait behind the one that has ended the search are dropped. */
void sim_interrupt_close(struct sim_interrupt *i);
/* Waits until a signal comes or a child ends, at most `ms` milliseconds. */
void sim_interrupt_wait(struct sim_interrupt *i, uint32_t ms);
/* Whether one has come. */
bool sim_interrupt_seen(struct sim_interrupt *i);
/* In a forked worker: the mask as it was, and a process group of its own. */
void sim_interrupt_leave(const struct sim_interrupt *i);
#endif
