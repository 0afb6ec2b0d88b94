/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds_report.h - the outcome of a campaign of seeds, as printed and in the files of --result,
 * --json, --junit and --sarif. For eyotrun_seeds.c and eyotrun_merge.c. */
#ifndef EYOT_TOOLS_SEEDS_REPORT_H
#define EYOT_TOOLS_SEEDS_REPORT_H

#include "eyotrun_seeds.h"
#include "journal.h"

#define SEEDS_LISTED_MAX 64u /* at most so many failed seeds are listed */

struct seeds_total {
  struct seed_range range;
  struct journal_counts counts;
  struct journal_failure lowest; /* the failed run with the lowest seed */
  uint64_t listed[SEEDS_LISTED_MAX];
  uint64_t units;
  const char *details; /* what the run of `lowest` printed, or NULL */
  int exit_code;
  bool keep_going;
  bool ended; /* no run is left */
};

/* The open files of a campaign's options. */
struct seeds_reports {
  const struct tool *tool;
  int result;
  struct campaign_files files;
};

/* An exit code, after a message. */
int seeds_reports_open(struct seeds_reports *r, const struct tool *t,
                       const struct seeds_options *o);
int seeds_reports_write(struct seeds_reports *r, const struct seeds_total *total,
                        char *const *program);
/* Prints what failed, or that nothing did. */
void seeds_print_outcome(const struct seeds_total *total);
#endif
