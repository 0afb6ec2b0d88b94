/* SPDX-License-Identifier: BSD-3-Clause */
/* supervise_run.h - the process that supervises one run, the child of eyotrun's front process. For
 * supervise.c. */
#ifndef EYOT_SUPERVISE_RUN_H
#define EYOT_SUPERVISE_RUN_H

#include "job_files.h"
#include "supervise.h"

/* The signals that the front process passes on to the supervising one. */
#define SUPERVISE_SIGNALS \
  { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT }
#define SUPERVISE_SIGNALS_COUNT 8u

/* Starts the launcher and returns the exit code of the run. front: a descriptor that ends with the
 * front process; input: standard input of the launcher. All signals are blocked. */
int supervise_run(const struct supervise *o, struct job_files *files, int front, int input);
#endif
