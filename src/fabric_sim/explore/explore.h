/* SPDX-License-Identifier: BSD-3-Clause */
/* explore.h - many runs of one program: the beginning, the workers, what was found. The sim's
 * answer to eyotcheck (fab_module.job_check). */
#ifndef EYOT_FABRIC_SIM_EXPLORE_EXPLORE_H
#define EYOT_FABRIC_SIM_EXPLORE_EXPLORE_H

#include "fabric_sim/engine/ops_table.h"
#include "fabric_sim/explore/untimed.h"

struct ec_snap;

#define FS_EXPLORE_FOUND 1 /* exit code: a run failed */
#define FS_EXPLORE_USAGE 2 /* nothing could be explored */

/* Of one worker, in memory that it shares with the process that started it. */
struct fs_found {
  uint64_t runs, steps, failed, bounded, pruned, undecided;
  uint64_t run; /* the first that failed, from 1 */
  uint64_t trace;
  uint32_t n_choices;
  bool found, exhausted, ended;
  bool endless; /* the watchdog has ended it */
  char text[FS_CHECK_TEXT];
  struct ec_choice choices[]; /* FS_CHOICES_MAX */
};
#define FS_CHOICES_MAX (UINT32_C(1) << 22)

struct fs_explorer {
  struct fs_world *w;
  struct fs_check *check;
  struct ec_snap *snap;
  const struct fab_explore *what;
  int argc;
  char **argv;
  /* standard output and error as they are, and a file in memory that takes what runs print */
  int out, err, said;
  uint64_t said_runs; /* since it was emptied */
  void *alt_stack;
  bool tells;         /* of a crash */
  struct fab_ops ops; /* the sim's, with those of eyot/check.h */
};

/* one_run.c. To the beginning of runs; the snapshot is taken. An exit code, after a
 * message. */
int fs_explore_prepare(struct fs_explorer *e);
/* One run by the strategy, from the beginning; afterwards everything is as at the beginning again.
 * *trace may be NULL. quiet: what it prints is lost. */
enum ec_end fs_explore_run(struct fs_explorer *e, struct ec_strategy *s, bool quiet,
                           uint64_t *trace);
/* From now on standard output is heard again. */
void fs_explore_loud(struct fs_explorer *e);
void fs_explore_finish(struct fs_explorer *e);

/* gcov_counters.c. Before the snapshot. ENOMEM. */
int fs_counters_keep(struct ec_snap *snap);
bool fs_counters_on(void);

/* found.c. Replays the run, which failed with `text`, with all that it prints; makes it
 * smaller if asked, writes the file, says how to repeat it. */
int fs_explore_found(struct fs_explorer *e, struct ec_stream *choices, const char *text,
                     bool shrink);
int fs_explore_file(struct fs_explorer *e, const char *path, bool shrink);

/* explore.c. */
int fs_explore(struct fs_world *w, int argc, char **argv, const struct fab_explore *what);
#endif
