/* SPDX-License-Identifier: BSD-3-Clause */
/* journal.h - the file of a campaign of seeds (eyotrun --journal): what was run, each failure, and
 * how far the campaign is. It is the result for machines, and what --resume and --merge read.
 *
 * Lines of JSON: the campaign; then failures in the order of seeds, and counts. Failures are valid
 * from the next line of counts on, which is on the disk before anything else is written. What a
 * crash leaves after the last line of counts is dropped, and is run again. docs/ci.md has the
 * format. */
#ifndef EYOT_TOOLS_JOURNAL_H
#define EYOT_TOOLS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shard.h"

#define JOURNAL_FORMAT 1u
#define JOURNAL_TEXT_BYTES 512u /* of a message */

/* What makes two campaigns the same. Lists end with NULL. */
struct journal_head {
  const char *version; /* of eyot */
  const char *runtime; /* hash of eyot's libraries */
  const char *build;   /* hash of the program's file */
  char **program;      /* and its arguments */
  char **options;      /* of the configuration, as flag=value, without the seed */
  struct seed_range range;
  uint64_t limit_s; /* --run-limit */
  bool keep_going;
};

struct journal_failure {
  uint64_t seed, time_us;
  int exit_code;
  const char *reason, *repeat; /* repeat: the command */
};

/* Counts of runs: `runs` runs, the first ones of the shard, have ended. */
struct journal_counts {
  uint64_t runs, failed, time_us; /* time_us: wall time of all sessions */
};

/* A journal as read. */
struct journal {
  struct journal_head head;
  struct journal_failure *failures; /* by seed */
  struct journal_counts counts;
  bool ended;          /* nothing is left to run */
  uint64_t kept_bytes; /* up to the last line of counts */
  /* what journal_free releases */
  char *text;
  size_t failures_cap;
};

/* Reads the text of a journal, which is taken over (from malloc). false: it is not one, `why` says
 * where and what; j can be freed. */
bool journal_parse(char *text, size_t bytes, struct journal *j, char why[JOURNAL_TEXT_BYTES]);
/* Reads a file. false, after a message of eyotrun. */
bool journal_read(const char *path, FILE *in, struct journal *j);
void journal_free(struct journal *j);
/* Says in `how` in what two campaigns differ, but for the shard; false: they do not. */
bool journal_differ(const struct journal_head *a, const struct journal_head *b,
                    char how[JOURNAL_TEXT_BYTES]);

/* The lines. */
void journal_put_head(FILE *out, const struct journal_head *h);
void journal_put_failure(FILE *out, const struct journal_failure *f);
/* verdict: NULL: there are runs left. */
void journal_put_counts(FILE *out, const struct journal_counts *c, const char *verdict);
#endif
