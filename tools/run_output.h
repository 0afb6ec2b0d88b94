/* SPDX-License-Identifier: BSD-3-Clause */
/* run_output.h - the standard output of a launcher of MPI, where that may not be writable. For
 * supervise_run.c.
 *
 * Why it exists: a launcher that cannot write what units print ends the job with messages and a
 * code of its own. Here what cannot be written is lost, as in the simulator, the run goes on, and
 * its code tells. */
#ifndef EYOT_RUN_OUTPUT_H
#define EYOT_RUN_OUTPUT_H

#include <stdbool.h>

struct run_output {
  int read, write; /* the pipe that the launcher writes to; -1: it has standard output itself */
  int failed;      /* errno of the first write that failed; 0: none has */
};

/* Makes the pipe if standard output is a file, a device or closed: terminals and pipes are the
 * launcher's own. False: there is no descriptor (errno). */
bool run_output_open(struct run_output *o);
/* In the launcher's process, and in this one after it was started. False: no descriptor. */
bool run_output_enter(const struct run_output *o);
void run_output_started(struct run_output *o);
/* Copies what the launcher has written so far. False: it has closed its end. */
bool run_output_copy(struct run_output *o);
/* Copies the rest, and tells what was lost. Returns the exit code of a run that ended with
 * `code`. */
int run_output_close(struct run_output *o, int code);
#endif
