/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds.h - campaigns: the options of eyotrun that make many simulated runs of one program,
 * each from another seed, and the merge of the shards of one. For eyotrun.c. */
#ifndef EYOTRUN_SEEDS_H
#define EYOTRUN_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "campaign.h"
#include "fabric/module.h"
#include "shard.h"
#include "tool.h"

#define SEEDS_LIMIT_DEFAULT_S 120u

struct seeds_options {
  uint64_t n;             /* number of runs; 0: one run, without this file */
  uint64_t jobs;          /* 0: as many as processors */
  uint64_t limit_s;       /* wall time after which a run is killed; 0: no limit */
  uint64_t shard, shards; /* 0: not given */
  bool keep_going, merge, limit_given;
  bool progress;      /* the campaign's progress is shown */
  const char *result; /* a file for the line of result.h, or NULL */
  const char *journal, *resume;
  struct campaign_files files;
};
#define SEEDS_OPTIONS_INIT \
  { .limit_s = SEEDS_LIMIT_DEFAULT_S }

/* eyotrun_seeds_options.c. The table's own copy of the name of such an option; NULL: it is none. */
const char *seeds_option_name(const char *name);
/* True for the name, without dashes, of an option of this file. takes_value: false for
 * --keep-going. */
bool seeds_option_known(const char *name, bool *takes_value);
/* Sets it. Returns 0, or the exit code for wrong usage (reported on stderr). */
int seeds_option_set(const struct tool *t, struct seeds_options *o, const char *name,
                     const char *value);
/* Refuses options that do not go together. option: one of them that was given, or NULL. */
int seeds_options_check(const struct tool *t, const struct seeds_options *o, const char *option);
/* With --resume: takes from the journal what the command line does not give: program (NULL-ended,
 * for good), options, seeds. Returns an exit code, after a message. */
int seeds_take_journal(const struct tool *t, struct seeds_options *o, char ***program,
                       int *n_program);
/* Before the program is loaded: decides whether progress is shown, so that no run shows its own. */
int seeds_take_progress(struct seeds_options *o);
/* Prints the help on these options. */
void seeds_help(void);

/* Makes the runs of the job with `o->n` seeds from `first` on, or those of its shard, each in a
 * process forked from this one. argv: program and arguments, for the message that says how to
 * repeat a run. Returns 0 when all runs returned 0, else the exit code of the failed run with the
 * lowest seed (128 + signal, or 124: killed after limit_s). */
int seeds_run(const struct tool *t, const struct seeds_options *o, const struct fab_module *module,
              struct fab_job *job, uint64_t first, char *const *argv);

/* eyotrun_merge.c. Verifies that the journals are the shards of one campaign, all of them, each
 * once and at its end, and reports the outcome. Returns the exit code that the campaign would have
 * had in one command; EYOTI_EXIT_USAGE: they are not. */
int seeds_merge(const struct tool *t, const struct seeds_options *o, char *const *paths, int n);
#endif
