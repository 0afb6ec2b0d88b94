/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.h - what runs came out as: the distinct texts of eyot_check_outcome, each with how
 * often it was seen.
 *
 * Why it exists: a run is taken back with all that it knew, so what it came out as must be counted
 * in memory that outlives it. A table lives in memory that a worker shares with the process that
 * started it, which adds up the tables of all and prints the sum. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_OUTCOME_H
#define EYOT_FABRIC_SIM_EXPLORE_OUTCOME_H

#include <stdint.h>
#include <stdio.h>

#define SIM_OUTCOME_BYTES 120u /* a longer text is cut */
#define SIM_OUTCOME_SLOTS 4096u
/* others are counted together */
#define SIM_OUTCOMES_MAX (SIM_OUTCOME_SLOTS - SIM_OUTCOME_SLOTS / 4)

struct sim_outcome {
  uint64_t count; /* 0: a free place */
  char text[SIM_OUTCOME_BYTES];
};

/* Zeroed is empty. By hash of the text, with linear probing. */
struct sim_outcomes {
  uint64_t others;
  uint32_t n;
  struct sim_outcome at[SIM_OUTCOME_SLOTS];
};

void sim_outcome_add(struct sim_outcomes *o, const char *text, uint64_t count);
void sim_outcome_merge(struct sim_outcomes *sum, const struct sim_outcomes *o);
/* In the order of the texts; nothing at all if there are none. */
void sim_outcome_print(const struct sim_outcomes *o, FILE *out);
#endif
