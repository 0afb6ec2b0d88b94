/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds.h - the options of eyotrun that make many simulated runs of one program, each from
 * another seed. For eyotrun.c. */
#ifndef EYOTRUN_SEEDS_H
#define EYOTRUN_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "campaign.h"
#include "fabric/module.h"
#include "tool.h"

struct seeds_options {
  uint64_t n; /* number of runs; 0: one run, without this file */
  uint64_t jobs;
  uint64_t limit_s; /* wall time after which a run is killed; 0: no limit */
  bool keep_going;
  const char *result; /* a file for the line of result.h, or NULL */
  struct campaign_files files;
};
#define SEEDS_OPTIONS_INIT \
  { .jobs = 1, .limit_s = 120 }

/* The table's own copy of the name of such an option; NULL: it is none. */
const char *seeds_option_name(const char *name);
/* True for the name, without dashes, of an option of this file. takes_value: false for
 * --keep-going. */
bool seeds_option_known(const char *name, bool *takes_value);
/* Sets it. Returns 0, or the exit code for wrong usage (reported on stderr). */
int seeds_option_set(const struct tool *t, struct seeds_options *o, const char *name,
                     const char *value);
/* Whether a file for the outcome was given. */
bool seeds_wants_report(const struct seeds_options *o);
/* Prints the help on these options. */
void seeds_help(void);

/* Runs the job `o->n` times, each in a process forked from this one, with seeds first .. first + n
 * - 1. argv: program and arguments, for the message that says how to repeat a run. Returns 0 when
 * all runs returned 0, else the exit code of the failed run with the lowest seed (128 + signal, or
 * 124: killed after limit_s). */
int seeds_run(const struct tool *t, const struct seeds_options *o, const struct fab_module *module,
              struct fab_job *job, uint64_t first, char *const *argv);
#endif
