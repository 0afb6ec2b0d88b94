/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.h - reports of a campaign of runs for the CI of others: --json, --junit and --sarif of
 * eyotcheck and of eyotrun --seeds. docs/ci.md describes the files. */
#ifndef EYOT_TOOLS_CAMPAIGN_H
#define EYOT_TOOLS_CAMPAIGN_H

#include "result.h"
#include "tool.h"

#define CAMPAIGN_FILES 3 /* json, junit, sarif */

/* The files of the options, NULL: not given; open from campaign_open to campaign_write. */
struct campaign_files {
  const char *json, *junit, *sarif;
  void *open[CAMPAIGN_FILES];
};

struct campaign {
  const struct tool *tool;
  char *const *program; /* and its arguments, ended by NULL */
  struct result_line line;
  uint64_t steps;
  int exit_code;
  const char *saved;   /* the file of the failing run, or NULL */
  const char *details; /* what the failing run printed: further places in the source; or NULL */
};

/* Opens the files, emptied, before any run. An exit code, after a message. */
int campaign_open(const struct tool *t, struct campaign_files *f);
/* Writes and closes them. An exit code, after a message. */
int campaign_write(struct campaign_files *f, const struct campaign *c);
#endif
