/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_hosts.h - which machines mpiexec starts processes on, and how it reaches them. */
#ifndef EYOTRUN_HOSTS_H
#define EYOTRUN_HOSTS_H

#include <limits.h>
#include <stdbool.h>

#define HOSTS_ARGS_MAX 12 /* words that hosts_args appends at most */

/* Values as given on the command line; NULL: not given. */
struct hosts_options {
  char *hosts, *hostfile, *per_host, *launcher, *launcher_exec, *iface;
  char launcher_path[PATH_MAX]; /* where launcher_exec is */
};

/* One option of this file by its name without dashes. */
bool hosts_option_known(const char *name);
/* Sets it, after having checked what can be checked on this machine: what Hydra does with a bad
 * value is a floating point exception, or less than was asked for. Returns 0, or the exit code of
 * wrong usage (told on stderr). */
int hosts_option_set(struct hosts_options *o, const char *name, char *value);
/* The first of these options that was given, or NULL. */
const char *hosts_given(const struct hosts_options *o);
/* True if processes may start elsewhere, so that the limits of this machine say nothing. */
bool hosts_elsewhere(const struct hosts_options *o);
/* Options that contradict each other: 0, or the exit code of wrong usage (told on stderr). */
int hosts_check(const struct hosts_options *o);
/* Appends mpiexec's arguments (Hydra's, of MPICH 3.1 and later) to args, of which *n are used. They
 * point into *o. */
void hosts_args(struct hosts_options *o, char **args, int *n);
/* The lines of --help, in columns of `column`. */
void hosts_help(int column);
#endif
