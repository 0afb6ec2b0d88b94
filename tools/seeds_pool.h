/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds_pool.h - makes the runs of a campaign of seeds, several at a time, each in a process forked
 * from this one, and hands over how they ended in the order of seeds: nothing that follows depends
 * on the number of processes. For eyotrun_seeds.c. */
#ifndef EYOT_TOOLS_SEEDS_POOL_H
#define EYOT_TOOLS_SEEDS_POOL_H

#include "fabric/module.h"
#include "shard.h"

#define SEEDS_JOBS_MAX 256u
#define SEEDS_REASON_BYTES 128u

struct seeds_ended {
  uint64_t seed, time_us; /* wall time */
  int status;             /* of waitpid */
};

struct seeds_job {
  const struct fab_module *module;
  struct fab_job *job; /* open; stays open */
  struct seed_range range;
  uint64_t from;    /* the first run of the shard to make, from 0 */
  uint64_t limit_s; /* wall time after which a run is killed; 0: no limit */
  uint64_t jobs;
  bool keep_going; /* false: a failed run is the last one in the order of seeds */
  /* Told of each run in the order of seeds; may be NULL. */
  void (*ended)(void *arg, const struct seeds_ended *e);
  /* Called several times a second; false: make no more runs. May be NULL. */
  bool (*tick)(void *arg);
  void *arg;
};

struct seeds_outcome {
  bool ok;    /* false: runs could not be started (reported) */
  int signal; /* that has interrupted the campaign, or 0 */
  int output; /* of the failed run with the lowest seed, for close; -1: none failed */
  uint64_t output_seed;
};

/* Returns when the last run has ended, or was killed because it does not count. */
struct seeds_outcome seeds_pool_run(const struct seeds_job *j);
/* The exit code of a status; 0: the run passed. */
int seeds_code_of(int status);
/* Why a run with that status failed. */
void seeds_reason_of(int status, uint64_t limit_s, char reason[SEEDS_REASON_BYTES]);
#endif
