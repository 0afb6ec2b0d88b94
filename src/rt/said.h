/* SPDX-License-Identifier: BSD-3-Clause */
/* said.h - the errors and warnings that the units of a process have printed, so that one that all
 * of thousands of units meet is printed once and counted. For log.c, init and the fabrics. */
#ifndef EYOT_RT_SAID_H
#define EYOT_RT_SAID_H

#include <eyot/types.h>

#include "rt/place.h"

struct eyoti_proc;
struct eyoti_said;
struct eyoti_run_saying;

/* A message: `fmt`, `what` (literals) and `place` are equal for equal mistakes; `text` is the whole
 * line without the unit. */
struct eyoti_saying {
  const char *level, *fmt, *what, *text;
  struct eyoti_place place;
  uint32_t unit, units; /* who says it, of how many of the run */
};

/* Whether to print the message: false if the same text was printed before, or a few others of the
 * same mistake; it is counted then. */
bool eyoti_said_first(struct eyoti_proc *p, const struct eyoti_saying *m);
/* Prints a line for each mistake whose messages were not all printed, with the units that made it,
 * and forgets all. For the end of a run: a host for all its units, else eyot_finalize. */
EYOT_API void eyoti_said_close(struct eyoti_proc *p);
/* Counts over all processes of a supervised run (base/run.h) from now on: a message that another
 * process has printed is not printed again, and the supervisor prints the lines of the end. NULL:
 * ends that. p may be NULL. */
EYOT_API void eyoti_said_share(struct eyoti_proc *p, struct eyoti_run_saying *table);
/* The line for a mistake that was made `times` times: by the units of the first `n_bits` whose bit
 * is set, first by `unit`, with that text. */
struct eyoti_said_sum {
  const char *level, *first;
  const uint64_t *bits; /* NULL: not counted */
  uint32_t n_bits, unit;
  uint64_t times;
};
EYOT_API void eyoti_said_print(const struct eyoti_said_sum *sum);
/* said_shared.c: counts m in the table. False: the table is full; else *print as
 * eyoti_said_first. */
bool eyoti_said_shared(struct eyoti_run_saying *table, const struct eyoti_saying *m, bool *print);
void eyoti_said_free(struct eyoti_said *s); /* s may be NULL */
#endif
