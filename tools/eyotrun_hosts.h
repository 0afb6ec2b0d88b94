/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_hosts.h - the options of eyotrun that select the machines on which mpiexec starts
 * processes, and how it reaches them. For eyotrun.c and eyotrun_spread.c. */
#ifndef EYOTRUN_HOSTS_H
#define EYOTRUN_HOSTS_H

#include <limits.h>
#include <stdbool.h>

#define HOSTS_ARGS_MAX 12 /* hosts_args appends at most this many words */

/* Values as given on the command line; NULL: not given. */
struct hosts_options {
  char *hosts, *hostfile, *per_host, *launcher, *launcher_exec, *iface;
  char launcher_path[PATH_MAX]; /* the path at which launcher_exec was found */
};

/* True for the name, without dashes, of an option of this file. */
bool hosts_option_known(const char *name);
/* Sets it after the checks that are possible on this machine: a bad value makes Hydra stop with a
 * floating point exception, or start fewer processes. Returns 0, or the exit code for wrong usage
 * (reported on stderr). */
int hosts_option_set(struct hosts_options *o, const char *name, char *value);
/* The first of these options that was given, or NULL. */
const char *hosts_given(const struct hosts_options *o);
/* True if processes may start on other machines, so that the limits of this one don't apply. */
bool hosts_elsewhere(const struct hosts_options *o);
/* Checks for contradicting options: 0, or the exit code for wrong usage (reported on stderr). */
int hosts_check(const struct hosts_options *o);
/* Refuses hosts that this machine cannot reach, before the launcher waits for them for ever: names
 * that ssh cannot resolve, and hosts that do not answer. Only where ssh starts the processes.
 * Returns an exit code, after a message. */
int hosts_reach(const struct hosts_options *o);
/* Appends mpiexec's arguments (for Hydra, of MPICH 3.1 and later) to args, of which *n are used.
 * They point into *o. */
void hosts_args(struct hosts_options *o, char **args, int *n);
/* Prints the help on these options. */
void hosts_help(void);
#endif
