/* SPDX-License-Identifier: BSD-3-Clause */
/* run_code.h - the exit code of a supervised run, from what its launcher reports and how its
 * processes have ended (docs/supervision.md has the rules). For supervise_run.c. */
#ifndef EYOT_RUN_CODE_H
#define EYOT_RUN_CODE_H

#include <stdbool.h>

#include "members.h"

struct run_end {
  const char *launcher; /* its path */
  int code;             /* the supervisor has ended the run with it; -1: it has not */
  int asked;            /* the signal that asked for the end; 0: none */
  bool silent;          /* the first process that ended unfinished had not said why */
  bool killed;          /* the launcher has not ended by itself */
  bool whole;           /* all processes of the job are members */
  int status;           /* the launcher's, as wait(2) gives it, unless it was killed */
};

/* Returns the code. A code that is neither the launcher's nor that of a process is explained on
 * standard error. */
int run_code(const struct run_end *e, const struct members *m);
#endif
