/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h - the line of --result: how a campaign of runs ended, as key=value pairs for scripts. */
#ifndef EYOT_TOOLS_RESULT_H
#define EYOT_TOOLS_RESULT_H

#include <stdint.h>

#include "tool.h"

#define RESULT_NONE UINT64_MAX /* a number that there is not: "-" */

/* Counts and the first failure. Texts that are NULL and numbers that are RESULT_NONE read "-". */
struct result_line {
  const char *strategy; /* as given, or "seeds" */
  uint64_t units, seed, runs, failed;
  uint64_t first; /* of the failed runs, from 1 */
  const char *reason;
  uint64_t choices, nonzero; /* of the failing run as saved */
  uint64_t cut, undecided;
  bool exhausted; /* no schedule is left */
  double seconds; /* wall time */
};

/* Opens the file of --result, emptied, before any run; NULL: none is wanted, *fd is -1. An exit
 * code, after a message. */
int result_open(const struct tool *t, const char *path, int *fd);
/* Writes the line and closes the file. An exit code, after a message. */
int result_write(const struct tool *t, int fd, const struct result_line *r);
#endif
