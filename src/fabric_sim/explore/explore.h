/* SPDX-License-Identifier: BSD-3-Clause */
/* explore.h - many runs of one program, for eyotcheck. module.c calls sim_explore
 * (fab_module.job_check); the other functions are for the files of explore/ that it names.
 *
 * The program runs once to the start of runs, where a snapshot is taken; each worker is a fork of
 * that state and executes runs by a strategy, restoring the snapshot after each. One thread per
 * process. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_EXPLORE_H
#define EYOT_FABRIC_SIM_EXPLORE_EXPLORE_H

#include "base/exit_codes.h"
#include "fabric/module.h"
#include "fabric_sim/explore/interrupt.h"
#include "fabric_sim/explore/untimed.h"

struct chk_snap;

/* The result of one worker, in memory that it shares with the process that started it. */
struct sim_found {
  uint64_t runs, steps, failed, bounded, pruned, undecided;
  uint64_t run; /* the first failing run, from 1 */
  uint64_t trace;
  uint32_t n_choices;
  bool found, exhausted, ended;
  bool stop;    /* in the first worker's: all end before their next run */
  bool endless; /* the watchdog ended it */
  char text[SIM_UNTIMED_TEXT];
  struct chk_choice choices[]; /* SIM_CHOICES_MAX */
};
#define SIM_CHOICES_MAX (UINT32_C(1) << 22)

enum sim_pictures { SIM_PICTURES_NONE = 0, SIM_PICTURES_DRAWN, SIM_PICTURES_FAILED };

struct sim_explorer {
  struct sim_world *w;
  struct sim_untimed *untimed;
  struct chk_snap *snap;
  const struct fab_explore *what;
  int argc;
  char **argv;
  /* the original standard output and error, and a file in memory for the output of runs */
  int out, err, said;
  uint64_t said_runs; /* runs since the file was emptied */
  int64_t said_from;  /* where the output of the last quiet run begins */
  void *alt_stack;
  bool reports;               /* crash reports are enabled */
  enum sim_pictures pictures; /* of the failing run: --mermaid, --svg */
  struct sim_interrupt interrupt;
};

/* one_run.c. Runs the program to the start of runs and takes the snapshot. Returns an exit code,
 * after a message. */
int sim_explore_prepare(struct sim_explorer *e);
/* Executes one run by the strategy, then restores the snapshot. *trace may be NULL. quiet: its
 * output is discarded. */
enum chk_end sim_explore_run(struct sim_explorer *e, struct chk_strategy *s, bool quiet,
                             uint64_t *trace);
/* The engine's `ended` (engine/report_ops.h): fails the run; between runs processes end as they
 * do. */
void sim_explore_ended(const struct sim_unit *u, const char *what, int code);
/* From now on standard output is visible again. */
void sim_explore_loud(struct sim_explorer *e);
void sim_explore_finish(struct sim_explorer *e);

/* gcov_counters.c. Called before the snapshot is taken. ENOMEM. */
int sim_counters_keep(struct chk_snap *snap);
bool sim_counters_on(void);

/* found.c. Replays the run, which failed with `text`, with all its output; shrinks it if requested,
 * writes the file, and prints how to repeat the run. */
int sim_explore_found(struct sim_explorer *e, struct chk_stream *choices, const char *text,
                      bool shrink);
/* Runs the file of a failing run again, and makes it smaller if requested. */
int sim_explore_file(struct sim_explorer *e, const char *path, bool shrink);

/* result.c. Prints the counts of a search. */
void sim_explore_print_counts(const struct sim_explorer *e, const struct sim_found *sum,
                              double seconds);
/* Says why a search without a failing run does not answer the question; returns its exit code. */
int sim_explore_verdict(const struct sim_explorer *e, const struct sim_found *sum);
/* Fills the result that eyotcheck --result writes: the counts of a search, `first` NULL if no run
 * failed; and the failing run as it is saved. */
void sim_explore_report_counts(const struct sim_explorer *e, const struct sim_found *sum,
                               const struct sim_found *first, double seconds);
void sim_explore_report_failure(const struct sim_explorer *e, const char *text, uint32_t choices,
                                uint32_t nonzero);

/* explore.c. */
int sim_explore(struct sim_world *w, int argc, char **argv, const struct fab_explore *what);
#endif
