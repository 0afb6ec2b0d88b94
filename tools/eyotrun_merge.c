/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_merge.c - eyotrun --merge: the outcome of a campaign whose shards several commands have
 * run (eyotrun_seeds.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "eyotrun_seeds.h"
#include "journal_file.h"
#include "outputs.h"
#include "seeds_report.h"

#define MISSING_LISTED_MAX 16u
#define UNITS_OPTION "units="

struct merge {
  char *const *paths;
  uint32_t n;
  struct journal *journals;
  struct journal_failure *failures; /* of all, by seed */
  struct seeds_total total;
};

static int read_one(struct merge *m, uint32_t i) {
  char how[JOURNAL_TEXT_BYTES];
  const char *path = m->paths[i];
  struct journal *j = &m->journals[i];
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    fprintf(stderr, "eyotrun: --merge: cannot read %s: %s%s\n", path, strerror(errno),
            path[0] == '-' ? "; options are given before the journals" : "");
    return EYOTI_EXIT_USAGE;
  }
  bool read = journal_read(path, in, j);
  fclose(in);
  if (!read) return EYOTI_EXIT_USAGE;
  if (journal_differ(&m->journals[0].head, &j->head, how)) {
    fprintf(stderr, "eyotrun: --merge: %s and %s are of different campaigns: %s\n", m->paths[0],
            path, how);
    return EYOTI_EXIT_USAGE;
  }
  if (!j->ended) {
    fprintf(stderr,
            "eyotrun: --merge: %s has %" PRIu64 " of its %" PRIu64
            " runs only; to go on: eyotrun --resume %s\n",
            path, j->counts.runs, seed_range_count(&j->head.range), path);
    return EYOTI_EXIT_USAGE;
  }
  return 0;
}

/* Each shard must be there once. */
static int check_shards(const struct merge *m) {
  uint64_t shards = m->journals[0].head.range.shards, missing = 0;
  const char **file_of = calloc(shards + 1, sizeof *file_of);
  if (file_of == NULL) eyoti_no_memory(shards * sizeof *file_of, "%" PRIu64 " shards", shards);
  int code = 0;
  for (uint32_t i = 0; i < m->n && code == 0; i++) {
    uint64_t shard = m->journals[i].head.range.shard;
    if (file_of[shard] != NULL) {
      fprintf(stderr, "eyotrun: --merge: shard %" PRIu64 " of %" PRIu64 " is in %s and in %s\n",
              shard, shards, file_of[shard], m->paths[i]);
      code = EYOTI_EXIT_USAGE;
    }
    file_of[shard] = m->paths[i];
  }
  for (uint64_t k = 1; k <= shards && code == 0; k++) {
    if (file_of[k] != NULL) continue;
    if (missing == 0) fputs("eyotrun: --merge: these shards are missing:", stderr);
    if (missing++ < MISSING_LISTED_MAX) fprintf(stderr, " %" PRIu64 "/%" PRIu64, k, shards);
  }
  if (missing > 0) fprintf(stderr, "%s\n", missing > MISSING_LISTED_MAX ? " ..." : "");
  free(file_of);
  return missing > 0 ? EYOTI_EXIT_USAGE : code;
}

static int by_seed(const void *a, const void *b) {
  uint64_t x = ((const struct journal_failure *)a)->seed;
  uint64_t y = ((const struct journal_failure *)b)->seed;
  return (x > y) - (x < y);
}

/* Adds up. A campaign that stops at its first failure has made the runs up to it. */
static void sum_up(struct merge *m) {
  const struct journal_head *h = &m->journals[0].head;
  struct seeds_total *t = &m->total;
  *t = (struct seeds_total){.range = h->range, .keep_going = h->keep_going, .ended = true};
  t->range.shard = t->range.shards = 1;
  for (char *const *option = h->options; *option != NULL; option++)
    if (strncmp(*option, UNITS_OPTION, sizeof UNITS_OPTION - 1) == 0)
      t->units = strtoull(*option + sizeof UNITS_OPTION - 1, NULL, 10);
  uint64_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const struct journal *j = &m->journals[i];
    t->counts.runs += j->counts.runs;
    t->counts.time_us += j->counts.time_us;
    n += j->counts.failed;
  }
  m->failures = calloc(n + 1, sizeof *m->failures);
  if (m->failures == NULL) eyoti_no_memory(n * sizeof *m->failures, "failures");
  for (uint32_t i = 0; i < m->n; i++)
    for (uint64_t k = 0; k < m->journals[i].counts.failed; k++)
      m->failures[t->counts.failed++] = m->journals[i].failures[k];
  qsort(m->failures, n, sizeof *m->failures, by_seed);
  if (n == 0) return;
  t->lowest = m->failures[0];
  t->exit_code = t->lowest.exit_code;
  for (uint64_t i = 0; i < n && i < SEEDS_LISTED_MAX; i++) t->listed[i] = m->failures[i].seed;
  if (t->keep_going) return;
  t->counts.runs = t->lowest.seed - t->range.first + 1;
  t->counts.failed = 1;
}

static int write_journal(const struct merge *m, const char *path) {
  struct journal_file f;
  struct journal_head h = m->journals[0].head;
  h.range = m->total.range;
  int code = journal_file_create(&f, path, &h);
  if (code != 0) return code;
  for (uint64_t i = 0; i < m->total.counts.failed; i++) journal_file_failure(&f, &m->failures[i]);
  code =
      journal_file_counts(&f, &m->total.counts, m->total.counts.failed > 0 ? "failed" : "passed");
  journal_file_close(&f);
  return code;
}

/* A report must not lie over a journal. */
static int check_outputs(const struct merge *m, const struct tool *t,
                         const struct seeds_options *o) {
  struct output files[] = {{"--json", o->files.json, false},   {"--junit", o->files.junit, false},
                           {"--sarif", o->files.sarif, false}, {"--result", o->result, false},
                           {"--journal", o->journal, false},   {"a journal to merge", NULL, true}};
  const size_t n = sizeof files / sizeof *files;
  int code = outputs_check(t, files, n);
  for (uint32_t i = 0; i < m->n && code == 0; i++) {
    files[n - 1].path = m->paths[i];
    code = outputs_check(t, files, n);
  }
  return code;
}

static int merge(struct merge *m, const struct tool *t, const struct seeds_options *o) {
  struct seeds_reports reports;
  int code = check_outputs(m, t, o);
  for (uint32_t i = 0; i < m->n && code == 0; i++) code = read_one(m, i);
  if (code == 0) code = check_shards(m);
  if (code != 0) return code;
  sum_up(m);
  code = seeds_reports_open(&reports, t, o);
  if (code == 0) code = write_journal(m, o->journal);
  if (code != 0) return code;
  code = seeds_reports_write(&reports, &m->total, m->journals[0].head.program);
  if (code == 0 || m->total.counts.failed > 0) seeds_print_outcome(&m->total);
  return code != 0 ? code : m->total.exit_code;
}

int seeds_merge(const struct tool *t, const struct seeds_options *o, char *const *paths, int n) {
  if (n < 1) return tool_usage(t, "--merge: no journal given", "");
  struct merge m = {
      .paths = paths, .n = (uint32_t)n, .journals = calloc((size_t)n, sizeof *m.journals)};
  if (m.journals == NULL) eyoti_no_memory((size_t)n * sizeof *m.journals, "%d journals", n);
  int code = merge(&m, t, o);
  for (int i = 0; i < n; i++) journal_free(&m.journals[i]);
  free(m.journals);
  free(m.failures);
  return code;
}
