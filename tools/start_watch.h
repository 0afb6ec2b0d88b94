/* SPDX-License-Identifier: BSD-3-Clause */
/* start_watch.h - the watch over the start of a supervised run (--start-limit).
 * For supervise_run.c.
 *
 * Why it exists: all processes meet inside eyot_init. If the MPI library loses one of them there,
 * as MPICH 4.0 does after an allocation that fails in its start, the others wait for ever inside
 * calls of MPI, where nothing but the supervisor can notice. */
#ifndef EYOT_START_WATCH_H
#define EYOT_START_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

struct start_watch {
  uint64_t limit_ns;         /* in which eyot_init ends; 0: no watch */
  uint64_t next_ns, last_ns; /* of looking, by the caller's clock */
  /* Since a process is in eyot_init, and since no process of the job is outside it; without the
   * time that the job was suspended. */
  uint64_t spent_ns, complete_ns;
  bool told;
};

enum start_state {
  START_GOES_ON, /* or is over */
  START_SLOW,    /* a quarter of the limit has passed, told once */
  START_FAILED   /* the limit has passed since the last process came */
};

/* The watch begins with the first process in eyot_init. limit_ns: 0: none. */
void start_watch_open(struct start_watch *w, uint64_t limit_ns, uint64_t now_ns);
/* To be called when next_ns has come. `all`: the members are the whole job. */
enum start_state start_watch_look(struct start_watch *w, const struct members *m, bool all,
                                  uint64_t now_ns);
#endif
