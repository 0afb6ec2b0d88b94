/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds.h - many runs of one program in the simulator, each from another seed. */
#ifndef EYOTRUN_SEEDS_H
#define EYOTRUN_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

struct seeds_options {
  uint64_t n; /* runs; 0: one run as usual */
  uint64_t jobs;
  uint64_t limit_s; /* wall time after which a run is killed; 0: never */
  bool keep_going;
};
#define SEEDS_OPTIONS_INIT \
  { 0, 1, 120, false }

/* One option of this file by its name without dashes. takes_value: false for --keep-going. False:
 * not an option of this file. */
bool seeds_option_known(const char *name, bool *takes_value);
/* Sets it. Returns 0, or the exit code of wrong usage (told on stderr). */
int seeds_option_set(struct seeds_options *o, const char *name, const char *value);
/* The lines of --help, in columns of `column`. */
void seeds_help(int column);

/* Runs the job `o->n` times, each in a process forked from this one, with seeds first .. first + n
 * - 1. argv: program and arguments, to say how to repeat a run. Returns 0 when all ended with 0,
 * else the exit code of the failed run with the lowest seed (128 + signal, or 124: killed after
 * limit_s). */
int seeds_run(const struct seeds_options *o, const struct fab_module *module, struct fab_job *job,
              uint64_t first, char *const *argv);
#endif
