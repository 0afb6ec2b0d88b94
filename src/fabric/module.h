/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h - how the core and the tools use a fabric module: the table that it exports, and what
 * eyotcheck asks a module that explores schedules. For init, the fabrics' modules and tools/. */
#ifndef EYOT_FABRIC_MODULE_H
#define EYOT_FABRIC_MODULE_H

#include "fabric/fabric.h"

/* A fabric module (a shared object that the core loads) exports struct fab_module under the name
 * FAB_MODULE_SYMBOL. */
#define FAB_MODULE_SYMBOL "eyot_fabric_module"
struct fab_job; /* the module's own */

/* The defects that eyotcheck can look for in every run; bits of fab_explore.detect. */
enum fab_detect {
  FAB_DETECT_SOURCE = 1u << 0,
  FAB_DETECT_DESTINATION = 1u << 1,
  FAB_DETECT_RANGE = 1u << 2,
  FAB_DETECT_LEAK = 1u << 3,
  FAB_DETECT_COLLECTIVE = 1u << 4,
  FAB_DETECT_DEADLOCK = 1u << 5,
  FAB_DETECT_RACE = 1u << 6,
  FAB_DETECT_OWNER = 1u << 7,
  FAB_DETECT_ALL = (1u << 8) - 1
};

/* How exploring ended. Numbers are 0 and `reason` is empty where there is nothing to say. */
struct fab_explored {
  uint64_t runs, failed, cut, undecided;
  uint64_t first;            /* the first run that failed, from 1 */
  uint32_t choices, nonzero; /* of that run as saved */
  bool exhausted;            /* no schedule is left */
  uint64_t steps;            /* of all runs */
  int interrupted;           /* the signal that ended the search, or 0 */
  bool stale;                /* a replayed file no longer applies */
  double seconds;            /* wall time of the search */
  char reason[512];          /* why the first run failed */
  char details[4096];        /* what it printed */
};

struct chk_options; /* check/strategy/strategy.h */
/* The options of eyotcheck. Strings live as long as the call. */
struct fab_explore {
  const char *strategy;                       /* a name of check/strategy/strategies.def */
  const struct chk_options *strategy_options; /* its options */
  const char *replay;                         /* a file of a failing run to run again, or NULL */
  const char *shrink;                         /* a file of a failing run to make smaller, or NULL */
  const char *differs;                        /* how this run differs from that file; NULL: not */
  uint64_t build;                             /* hash of the program's file, for the file */
  const char *save;                           /* the file for a failing run */
  const char *mermaid, *svg;                  /* the files for its pictures, or NULL */
  uint64_t seed, runs, seconds, max_steps;    /* 0: no bound */
  uint32_t jobs;
  uint32_t detect; /* enum fab_detect */
  /* livelock: a run of more than max_steps has failed */
  bool keep_going, verbose, shrink_found, livelock;
  struct fab_explored *explored; /* or NULL */
  uint32_t n_options; /* of the configuration, as name=value: for the file of a failing run */
  const char *const *options;
};
struct fab_module {
  uint32_t abi; /* FAB_ABI */
  const char *name;
  /* Opens the endpoint of a unit that runs as a process of its own (mpi). NULL for fabrics that
   * host units themselves (sim). */
  int (*open)(struct fab **out);
  /* A whole job in this process (sim), in steps, so that eyotrun can load a program once and fork
   * for each of many runs. NULL for others. job_open: reads the configuration, makes the machine
   * and loads the program (argv[0]); 0, or the exit code of a run that could not begin (logged).
   * job_run: runs the units from `seed` on, prints the summary; returns the exit code; called at
   * most once in a job and process. */
  int (*job_open)(int argc, char **argv, struct fab_job **job);
  int (*job_run)(struct fab_job *job, uint64_t seed);
  void (*job_close)(struct fab_job *job);
  /* In place of job_open: explores many runs of a program (eyotcheck), and prints the findings to
   * stdout. Returns an exit code: 0: no finding. NULL: not available. */
  int (*job_check)(int argc, char **argv, const struct fab_explore *what);
};
#endif
