/* SPDX-License-Identifier: BSD-3-Clause */
/* journal_file.h - the open file of a campaign: lines are collected, and written and synchronized
 * together with a line of counts. For eyotrun_seeds.c and eyotrun_merge.c. */
#ifndef EYOT_TOOLS_JOURNAL_FILE_H
#define EYOT_TOOLS_JOURNAL_FILE_H

#include "journal.h"

struct journal_file {
  const char *path;
  int fd;      /* -1: no journal is wanted, and all calls do nothing */
  FILE *lines; /* not written yet */
  char *text;
  size_t bytes;
};

/* Makes the file with the campaign's first line. NULL: none is wanted. It must not have content:
 * hours of runs may be in it. Returns an exit code, after a message. */
int journal_file_create(struct journal_file *f, const char *path, const struct journal_head *h);
/* Opens an existing one, reads it into j, and cuts off what a crash has left after the last line
 * of counts. Refuses another campaign than h's, and a file that another process writes. */
int journal_file_continue(struct journal_file *f, const char *path, const struct journal_head *h,
                          struct journal *j);
void journal_file_failure(struct journal_file *f, const struct journal_failure *failure);
/* Writes all lines so far and one of counts, and waits until they are on the disk. */
int journal_file_counts(struct journal_file *f, const struct journal_counts *c,
                        const char *verdict);
/* Drops lines that are not written. */
void journal_file_close(struct journal_file *f);
#endif
