/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.h - the outcomes of runs: the distinct texts of eyot_check_outcome, each with its count.
 * For the untimed engine, which counts, and explore.c, which prints.
 *
 * Why it exists: a restored run loses all its memory, so its outcome is counted in memory that
 * outlives it. Each worker has a table in memory that it shares with the process that started it,
 * which adds the tables up and prints the sum. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_OUTCOME_H
#define EYOT_FABRIC_SIM_EXPLORE_OUTCOME_H

#include <stdint.h>
#include <stdio.h>

#define SIM_OUTCOME_BYTES 120u /* a longer text is truncated */
#define SIM_OUTCOME_SLOTS 4096u
/* the rest are counted together */
#define SIM_OUTCOMES_MAX (SIM_OUTCOME_SLOTS - SIM_OUTCOME_SLOTS / 4)

struct sim_outcome {
  uint64_t count; /* 0: a free slot */
  char text[SIM_OUTCOME_BYTES];
};

/* An open-addressing table by hash of the text; all zero is empty. */
struct sim_outcomes {
  uint64_t others;
  uint32_t n;
  struct sim_outcome at[SIM_OUTCOME_SLOTS];
};

void sim_outcome_add(struct sim_outcomes *o, const char *text, uint64_t count);
void sim_outcome_merge(struct sim_outcomes *sum, const struct sim_outcomes *o);
/* Prints the outcomes in the order of their texts; prints nothing if there are none. */
void sim_outcome_print(const struct sim_outcomes *o, FILE *out);
#endif
