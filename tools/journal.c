/* SPDX-License-Identifier: BSD-3-Clause */
/* journal.c - the lines of a campaign's file (journal.h), written and read. The reader accepts what
 * the writer writes and nothing else, so that a damaged line cannot pass for a good one. */
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report_text.h"

#define US_PER_S 1000000u
#define EXIT_CODE_MAX 255u
#define FILE_BYTES_MAX ((size_t)1 << 31)
#define READ_BYTES ((size_t)1 << 16)
#define LIST_LEAST 8u

/* -- writing ----------------------------------------------------------------------------------- */

static void put_list(FILE *out, const char *name, char *const *list) {
  fprintf(out, ", \"%s\": [", name);
  for (char *const *word = list; *word != NULL; word++) {
    if (word != list) fputs(", ", out);
    report_json(out, *word);
  }
  fputc(']', out);
}

static void put_seconds(FILE *out, uint64_t us) {
  fprintf(out, ", \"seconds\": %" PRIu64 ".%06" PRIu64, us / US_PER_S, us % US_PER_S);
}

void journal_put_head(FILE *out, const struct journal_head *h) {
  fprintf(out, "{\"campaign\": %u, \"tool\": \"eyotrun\", \"version\": ", JOURNAL_FORMAT);
  report_json(out, h->version);
  fputs(", \"runtime\": ", out);
  report_json(out, h->runtime);
  fputs(", \"build\": ", out);
  report_json(out, h->build);
  put_list(out, "program", h->program);
  put_list(out, "options", h->options);
  fprintf(out,
          ", \"seed\": %" PRIu64 ", \"seeds\": %" PRIu64 ", \"shard\": %" PRIu64
          ", \"shards\": %" PRIu64 ", \"keep_going\": %s, \"run_limit\": %" PRIu64 "}\n",
          h->range.first, h->range.n, h->range.shard, h->range.shards,
          h->keep_going ? "true" : "false", h->limit_s);
}

void journal_put_failure(FILE *out, const struct journal_failure *f) {
  fprintf(out, "{\"failed_seed\": %" PRIu64 ", \"exit_code\": %d, \"reason\": ", f->seed,
          f->exit_code);
  report_json(out, f->reason);
  put_seconds(out, f->time_us);
  fputs(", \"repeat\": ", out);
  report_json(out, f->repeat);
  fputs("}\n", out);
}

void journal_put_counts(FILE *out, const struct journal_counts *c, const char *verdict) {
  fprintf(out, "{\"runs\": %" PRIu64 ", \"failed\": %" PRIu64, c->runs, c->failed);
  put_seconds(out, c->time_us);
  fputs(", \"verdict\": ", out);
  if (verdict != NULL)
    report_json(out, verdict);
  else
    fputs("null", out);
  fputs("}\n", out);
}

/* -- reading: a line --------------------------------------------------------------------------- */

/* What is left of a line, ended by '\0'. */
struct cursor {
  char *at;
  bool bad;
};

static void take(struct cursor *c, const char *text) {
  size_t n = strlen(text);
  if (!c->bad && strncmp(c->at, text, n) == 0)
    c->at += n;
  else
    c->bad = true;
}

static bool see(struct cursor *c, const char *text) {
  size_t n = strlen(text);
  if (c->bad || strncmp(c->at, text, n) != 0) return false;
  c->at += n;
  return true;
}

static uint64_t take_number(struct cursor *c, uint64_t most) {
  uint64_t v = 0;
  char *from = c->at;
  for (; !c->bad && *c->at >= '0' && *c->at <= '9'; c->at++) {
    uint64_t digit = (uint64_t)(*c->at - '0');
    if (digit > most || v > (most - digit) / 10 || (c->at > from && *from == '0')) c->bad = true;
    v = v * 10 + digit;
  }
  if (c->at == from) c->bad = true;
  return c->bad ? 0 : v;
}

static uint64_t take_seconds(struct cursor *c) {
  take(c, ", \"seconds\": ");
  uint64_t s = take_number(c, UINT64_MAX / US_PER_S - 1), us = 0;
  take(c, ".");
  for (uint32_t i = 0; i < 6; i++) {
    if (c->bad || *c->at < '0' || *c->at > '9') {
      c->bad = true;
      return 0;
    }
    us = us * 10 + (uint64_t)(*c->at++ - '0');
  }
  return s * US_PER_S + us;
}

/* The character of "\u00XX"; 0: the writer does not write such a one. */
static char take_escaped(struct cursor *c) {
  static const char HEX[] = "0123456789abcdef";
  take(c, "u00");
  const char *high = c->bad || *c->at == '\0' ? NULL : strchr(HEX, *c->at);
  const char *low = high == NULL || c->at[1] == '\0' ? NULL : strchr(HEX, c->at[1]);
  if (low == NULL || high - HEX > 1) return 0;
  c->at += 2;
  return (char)((high - HEX) * 16 + (low - HEX));
}

/* A string, decoded where it stands: it never becomes longer. */
static char *take_string(struct cursor *c) {
  take(c, "\"");
  char *from = c->at, *to = c->at;
  while (!c->bad && *c->at != '"') {
    char v = *c->at++;
    if (v == '\\') {
      v = *c->at == '"' || *c->at == '\\' ? *c->at++ : take_escaped(c);
    }
    if (v == '\0') c->bad = true; /* also the end of the line */
    if (!c->bad) *to++ = v;
  }
  if (c->bad) return NULL;
  c->at++;
  *to = '\0';
  return from;
}

/* A list of strings, ended by NULL; for free. */
static char **take_list(struct cursor *c, const char *name) {
  size_t n = 0, cap = LIST_LEAST;
  char **list = calloc(cap, sizeof *list);
  if (list == NULL) eyoti_no_memory(cap * sizeof *list, "a journal");
  take(c, name);
  bool more = !see(c, "]");
  while (more && !c->bad) {
    if (n + 2 > cap) {
      list = realloc(list, (cap *= 2) * sizeof *list);
      if (list == NULL) eyoti_no_memory(cap * sizeof *list, "a journal");
    }
    list[n++] = take_string(c);
    more = see(c, ", ");
    if (!more) take(c, "]");
  }
  list[n] = NULL;
  return list;
}

static bool take_end(struct cursor *c) {
  take(c, "}");
  return !c->bad && *c->at == '\0';
}

static bool parse_head(char *line, struct journal_head *h) {
  struct cursor c = {.at = line};
  take(&c, "{\"campaign\": ");
  if (take_number(&c, UINT32_MAX) != JOURNAL_FORMAT) return false;
  take(&c, ", \"tool\": \"eyotrun\", \"version\": ");
  h->version = take_string(&c);
  take(&c, ", \"runtime\": ");
  h->runtime = take_string(&c);
  take(&c, ", \"build\": ");
  h->build = take_string(&c);
  h->program = take_list(&c, ", \"program\": [");
  h->options = take_list(&c, ", \"options\": [");
  take(&c, ", \"seed\": ");
  h->range.first = take_number(&c, UINT64_MAX);
  take(&c, ", \"seeds\": ");
  h->range.n = take_number(&c, UINT64_MAX);
  take(&c, ", \"shard\": ");
  h->range.shard = take_number(&c, UINT64_MAX);
  take(&c, ", \"shards\": ");
  h->range.shards = take_number(&c, UINT64_MAX);
  take(&c, ", \"keep_going\": ");
  h->keep_going = see(&c, "true");
  if (!h->keep_going) take(&c, "false");
  take(&c, ", \"run_limit\": ");
  h->limit_s = take_number(&c, UINT64_MAX);
  return take_end(&c);
}

static bool parse_failure(char *line, struct journal_failure *f) {
  struct cursor c = {.at = line};
  take(&c, "{\"failed_seed\": ");
  f->seed = take_number(&c, UINT64_MAX);
  take(&c, ", \"exit_code\": ");
  f->exit_code = (int)take_number(&c, EXIT_CODE_MAX);
  take(&c, ", \"reason\": ");
  f->reason = take_string(&c);
  f->time_us = take_seconds(&c);
  take(&c, ", \"repeat\": ");
  f->repeat = take_string(&c);
  return take_end(&c) && f->exit_code != 0;
}

static bool parse_counts(char *line, struct journal_counts *counts, bool *ended) {
  struct cursor c = {.at = line};
  take(&c, "{\"runs\": ");
  counts->runs = take_number(&c, UINT64_MAX);
  take(&c, ", \"failed\": ");
  counts->failed = take_number(&c, UINT64_MAX);
  counts->time_us = take_seconds(&c);
  take(&c, ", \"verdict\": ");
  *ended = !see(&c, "null");
  if (*ended) {
    const char *verdict = take_string(&c);
    const char *expected = counts->failed > 0 ? "failed" : "passed";
    if (verdict == NULL || strcmp(verdict, expected) != 0) return false;
  }
  return take_end(&c);
}

/* -- reading: the file ------------------------------------------------------------------------- */

/* Failures of the file so far, of which the first counts.failed are valid. */
struct reading {
  struct journal *j;
  uint64_t line, n_failures;
  uint64_t damaged; /* the first line that is none, or 0 */
  char *why;
};

static bool refuse(struct reading *r, const char *text) {
  snprintf(r->why, JOURNAL_TEXT_BYTES, "line %" PRIu64 " %s", r->line, text);
  return false;
}

static bool add_failure(struct reading *r, const struct journal_failure *f) {
  struct journal *j = r->j;
  const struct seed_range *range = &j->head.range;
  uint64_t i = seed_range_find(range, f->seed);
  uint64_t least = j->counts.runs;
  if (r->n_failures > j->counts.failed)
    least = seed_range_find(range, j->failures[r->n_failures - 1].seed) + 1;
  if (i == UINT64_MAX) return refuse(r, "has a seed that is not of this campaign");
  if (i < least) return refuse(r, "has a seed that is not above the ones before");
  if (r->n_failures == j->failures_cap) {
    j->failures_cap = j->failures_cap > 0 ? 2 * j->failures_cap : LIST_LEAST;
    j->failures = realloc(j->failures, j->failures_cap * sizeof *j->failures);
    if (j->failures == NULL) eyoti_no_memory(j->failures_cap * sizeof *j->failures, "failures");
  }
  j->failures[r->n_failures++] = *f;
  return true;
}

static bool add_counts(struct reading *r, const struct journal_counts *c, bool ended) {
  struct journal *j = r->j;
  uint64_t all = seed_range_count(&j->head.range);
  uint64_t last = r->n_failures == 0
                      ? 0
                      : seed_range_find(&j->head.range, j->failures[r->n_failures - 1].seed) + 1;
  if (c->failed != r->n_failures) return refuse(r, "does not count the failures before it");
  if (c->runs > all || c->runs < j->counts.runs || c->runs < last)
    return refuse(r, "has a number of runs that does not follow");
  bool stopped = c->failed > 0 && !j->head.keep_going;
  if (stopped && (c->failed > 1 || c->runs != last))
    return refuse(r, "goes on after the first failure, which ends this campaign");
  if (ended != (stopped || c->runs == all)) return refuse(r, "ends at the wrong number of runs");
  j->counts = *c;
  j->ended = ended;
  return true;
}

/* A line; bytes: of the file up to its end. */
static bool read_line(struct reading *r, char *line, size_t len, size_t bytes) {
  struct journal *j = r->j;
  struct journal_failure failure;
  struct journal_counts counts;
  bool ended, whole = strlen(line) == len;
  r->line++;
  if (r->line == 1) {
    if (!whole || !parse_head(line, &j->head) || !seed_range_valid(&j->head.range) ||
        j->head.program[0] == NULL)
      return refuse(r, "is no campaign of this version's format");
    j->kept_bytes = bytes;
    return true;
  }
  if (j->ended) return refuse(r, "follows the end of the campaign");
  bool is_counts = whole && parse_counts(line, &counts, &ended);
  if (r->damaged != 0) { /* a crash can leave this behind, but no counts after it */
    r->line = r->damaged;
    return is_counts ? refuse(r, "is damaged, and later ones are not") : true;
  }
  if (is_counts) {
    if (!add_counts(r, &counts, ended)) return false;
    j->kept_bytes = bytes;
    return true;
  }
  if (whole && parse_failure(line, &failure)) return add_failure(r, &failure);
  r->damaged = r->line;
  return true;
}

bool journal_parse(char *text, size_t bytes, struct journal *j, char why[JOURNAL_TEXT_BYTES]) {
  *j = (struct journal){.text = text};
  struct reading r = {.j = j, .why = why};
  for (size_t from = 0; from < bytes;) {
    char *line = text + from, *end = memchr(line, '\n', bytes - from);
    if (end == NULL) break; /* torn */
    *end = '\0';
    size_t len = (size_t)(end - line);
    from += len + 1;
    if (!read_line(&r, line, len, from)) return false;
  }
  if (r.line > 0) return true;
  snprintf(why, JOURNAL_TEXT_BYTES, "it has no whole line");
  return false;
}

bool journal_read(const char *path, FILE *in, struct journal *j) {
  char why[JOURNAL_TEXT_BYTES];
  char *text = NULL;
  size_t n = 0, got = READ_BYTES;
  *j = (struct journal){0};
  while (got == READ_BYTES && n < FILE_BYTES_MAX) {
    char *more = realloc(text, n + READ_BYTES + 1);
    if (more == NULL) eyoti_no_memory(n, "the journal %s", path);
    text = more;
    got = fread(text + n, 1, READ_BYTES, in);
    n += got;
  }
  if (ferror(in) != 0 || n >= FILE_BYTES_MAX) {
    fprintf(stderr, "eyotrun: cannot read %s: %s\n", path,
            ferror(in) != 0 ? strerror(errno) : "it is larger than a journal can be");
    free(text);
    return false;
  }
  if (journal_parse(text, n, j, why)) return true;
  fprintf(stderr, "eyotrun: %s is no journal of a campaign (--journal): %s\n", path, why);
  journal_free(j);
  return false;
}

void journal_free(struct journal *j) {
  free(j->head.program);
  free(j->head.options);
  free(j->failures);
  free(j->text);
  *j = (struct journal){0};
}
