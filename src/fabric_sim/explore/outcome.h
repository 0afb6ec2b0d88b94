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

#define FS_OUTCOME_BYTES 120u /* a longer text is cut */
#define FS_OUTCOME_SLOTS 4096u
#define FS_OUTCOMES_MAX (FS_OUTCOME_SLOTS - FS_OUTCOME_SLOTS / 4) /* others are counted together */

struct fs_outcome {
  uint64_t count; /* 0: a free place */
  char text[FS_OUTCOME_BYTES];
};

/* Zeroed is empty. By hash of the text, with linear probing. */
struct fs_outcomes {
  uint64_t others;
  uint32_t n;
  struct fs_outcome at[FS_OUTCOME_SLOTS];
};

void fs_outcome_add(struct fs_outcomes *o, const char *text, uint64_t count);
void fs_outcome_merge(struct fs_outcomes *sum, const struct fs_outcomes *o);
/* In the order of the texts; nothing at all if there are none. */
void fs_outcome_print(const struct fs_outcomes *o, FILE *out);
#endif
