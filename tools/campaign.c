/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.c - writes the reports of campaign.h. Places in the source are read from the texts of a
 * failure, "spinlock.c:53 (count)", and their files are searched below the current folder, since
 * SARIF wants paths relative to the root of the sources. */
#include "campaign.h"

#include <dirent.h>
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/out_file.h"
#include "base/wording.h"
#include "report_text.h"

#define PLACES_MAX 16u
#define NAME_BYTES 256u
#define PATH_BYTES 1024u
#define FILES_MAX 50000u /* searched for a source */
#define FOLDERS_DEEP 64u

struct place {
  char name[NAME_BYTES], path[PATH_BYTES]; /* as printed; relative to the current folder */
  uint32_t line;
};

struct places {
  uint32_t n;
  struct place at[PLACES_MAX];
};

/* -- what failed ------------------------------------------------------------------------------- */

static const struct {
  const char *id, *text;
} RULES[] = {
    {"race", "Two units access the same bytes, one of them writes, and nothing orders them."},
    {"source", "The source of a put is changed before the put is locally complete."},
    {"destination", "The destination of a get is changed before the get is complete."},
    {"range", "An operation arrives in memory that its owner has freed."},
    {"leak", "A unit ends without releasing what it has made."},
    {"owner", "A unit accesses a buffer that it does not own."},
    {"collective", "Members of a team call different collective functions."},
    {"deadlock", "No unit can continue."},
    {"livelock", "A run does not end within the limit of steps or virtual time."},
    {"crash", "A signal ends a unit."},
    {"failure", "The program says that it has failed, by its code, an assert or an invariant."},
};
#define N_RULES (sizeof RULES / sizeof *RULES)

/* The rule of a failure: its text begins with the detector's name, or contains the word. */
static const char *rule_of(const char *reason) {
  for (size_t i = 0; i < N_RULES; i++) {
    size_t n = strlen(RULES[i].id);
    if (strncmp(reason, RULES[i].id, n) == 0 && (reason[n] == ':' || reason[n] == '\0'))
      return RULES[i].id;
  }
  if (strstr(reason, "(deadlock)") != NULL) return "deadlock";
  if (strstr(reason, "(livelock)") != NULL) return "livelock";
  if (strstr(reason, "signal ") != NULL || strstr(reason, " at address ") != NULL) return "crash";
  return "failure";
}

/* Failures first: the code of a campaign may be that of a program, which may return any. */
static const char *verdict_of(const struct campaign *c) {
  if (c->line.failed > 0) return "failed";
  switch (c->exit_code) {
    case EYOTI_EXIT_OK:
      return "passed";
    case EYOTI_EXIT_INCONCLUSIVE:
      return "inconclusive";
    case EYOTI_EXIT_STALE:
      return "stale";
    default:
      return "interrupted";
  }
}

static void add_place(struct places *p, const char *name, size_t n, uint32_t line) {
  if (p->n == PLACES_MAX || n == 0 || n >= NAME_BYTES || line == 0) return;
  for (uint32_t i = 0; i < p->n; i++)
    if (strncmp(p->at[i].name, name, n) == 0 && p->at[i].name[n] == '\0' && p->at[i].line == line)
      return;
  struct place *at = &p->at[p->n++];
  snprintf(at->name, sizeof at->name, "%.*s", (int)n, name);
  snprintf(at->path, sizeof at->path, "%.*s", (int)n, name);
  at->line = line;
}

/* Finds "name.ext:line" in a text. */
static void find_places(struct places *p, const char *text) {
  for (const char *colon = text; (colon = strchr(colon, ':')) != NULL; colon++) {
    char *end;
    if (colon[1] < '1' || colon[1] > '9') continue;
    const char *name = colon;
    while (name > text && (report_name_char(name[-1]) || (name[-1] & 0x80) != 0)) name--;
    const char *dot = memchr(name, '.', (size_t)(colon - name));
    unsigned long line = strtoul(colon + 1, &end, 10);
    if (dot == NULL || dot == name || dot + 1 == colon || line > INT32_MAX) continue;
    add_place(p, name, (size_t)(colon - name), (uint32_t)line);
  }
}

/* -- files of the sources ---------------------------------------------------------------------- */

static bool has_lines(const char *path, uint32_t lines) {
  FILE *in = fopen(path, "re");
  uint32_t n = 0;
  if (in == NULL) return false;
  for (int c; n < lines && (c = fgetc(in)) != EOF;) n += c == '\n';
  fclose(in);
  return n >= lines;
}

static void found_file(struct places *p, const char *path, const char *name) {
  for (uint32_t i = 0; i < p->n; i++) {
    struct place *at = &p->at[i];
    if (strcmp(at->path, at->name) == 0 && strcmp(at->name, name) == 0 && has_lines(path, at->line))
      snprintf(at->path, sizeof at->path, "%s", path);
  }
}

/* Searches the folder whose path, "" or with a slash at its end, is in path[0..used), and those
 * below it. Not nftw: how it leaves out folders differs between C libraries. */
static void search_folder(struct places *p, char *path, size_t used, uint32_t depth,
                          uint32_t *seen) {
  path[used] = '\0';
  DIR *d = opendir(used == 0 ? "." : path);
  if (d == NULL) return;
  for (const struct dirent *e; *seen < FILES_MAX && (e = readdir(d)) != NULL;) {
    struct stat st;
    size_t len = strlen(e->d_name);
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (used + len + 2 > PATH_BYTES) continue;
    memcpy(path + used, e->d_name, len + 1);
    (*seen)++;
    if (lstat(path, &st) != 0) continue;
    if (S_ISREG(st.st_mode)) {
      found_file(p, path, e->d_name);
    } else if (S_ISDIR(st.st_mode) && e->d_name[0] != '.' && depth < FOLDERS_DEEP) {
      path[used + len] = '/';
      search_folder(p, path, used + len + 1, depth + 1, seen);
    }
  }
  closedir(d);
}

static void find_files(struct places *p) {
  char path[PATH_BYTES];
  uint32_t seen = 0;
  if (p->n > 0) search_folder(p, path, 0, 0, &seen);
}

/* The words of the command. */
static void put_xml_program(FILE *out, const struct campaign *c) {
  for (char *const *word = c->program; *word != NULL; word++) {
    if (word != c->program) fputc(' ', out);
    report_xml(out, *word);
  }
}

/* -- the three files --------------------------------------------------------------------------- */

static void json_failure(FILE *out, const struct campaign *c, const struct places *p) {
  fputs(",\n  \"failure\": {\"rule\": ", out);
  report_json(out, rule_of(c->line.reason));
  fputs(", \"reason\": ", out);
  report_json(out, c->line.reason);
  fprintf(out, ",\n    \"first\": %" PRIu64, c->line.first);
  if (c->line.choices != RESULT_NONE)
    fprintf(out, ", \"choices\": %" PRIu64 ", \"departures\": %" PRIu64, c->line.choices,
            c->line.nonzero);
  if (c->saved != NULL) {
    fputs(", \"file\": ", out);
    report_json(out, c->saved);
  }
  fputs(",\n    \"places\": [", out);
  for (uint32_t i = 0; i < p->n; i++) {
    fputs(i > 0 ? ", {\"file\": " : "{\"file\": ", out);
    report_json(out, p->at[i].path);
    fprintf(out, ", \"line\": %u}", p->at[i].line);
  }
  fputs("]}", out);
}

static void write_json(FILE *out, const struct campaign *c, const struct places *p) {
  const struct result_line *l = &c->line;
  fprintf(out, "{\n  \"format\": 1, \"tool\": \"%s\", \"version\": \"%s\",\n  \"program\": [",
          c->tool->name, eyot_version());
  for (char *const *word = c->program; *word != NULL; word++) {
    if (word != c->program) fputs(", ", out);
    report_json(out, *word);
  }
  fprintf(out,
          "],\n  \"strategy\": \"%s\", \"units\": %" PRIu64 ", \"seed\": %" PRIu64
          ",\n  \"runs\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"cut\": %" PRIu64
          ", \"undecided\": %" PRIu64 ", \"steps\": %" PRIu64 ",\n  \"exhausted\": %s, ",
          l->strategy, l->units, l->seed, l->runs, l->failed, l->cut, l->undecided, c->steps,
          l->exhausted ? "true" : "false");
  fprintf(out, "\"seconds\": %.6f, \"exit_code\": %d, \"verdict\": \"%s\"", l->seconds,
          c->exit_code, verdict_of(c));
  if (l->failed > 0)
    json_failure(out, c, p);
  else
    fputs(",\n  \"failure\": null", out);
  fputs("\n}\n", out);
}

static void write_junit(FILE *out, const struct campaign *c) {
  const struct result_line *l = &c->line;
  bool failed = l->failed > 0, error = !failed && c->exit_code != EYOTI_EXIT_OK;
  fprintf(out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"%s\" "
          "tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"%.6f\">\n<testcase "
          "classname=\"%s.%s\" name=\"",
          c->tool->name, failed, error, l->seconds, c->tool->name, l->strategy);
  put_xml_program(out, c);
  fprintf(out, "\" time=\"%.6f\">\n", l->seconds);
  if (failed) {
    fprintf(out, "<failure type=\"%s\" message=\"", rule_of(l->reason));
    report_xml(out, l->reason);
    eyoti_fprintf(out, "\">run %" PRIu64 " of %" PRIu64 " units, seed %" PRIu64, l->first, l->units,
                  l->seed);
    if (c->saved != NULL) {
      fputs("; to see it again: eyotcheck --replay ", out);
      report_xml(out, c->saved);
    }
    fputs("</failure>\n", out);
  } else if (error) {
    fprintf(out, "<error type=\"%s\" message=\"no run failed, but exit code %d\"/>\n",
            verdict_of(c), c->exit_code);
  }
  fprintf(out,
          "<system-out>%" PRIu64 " runs, %" PRIu64 " failed, %" PRIu64 " cut, %" PRIu64
          " undecided</system-out>\n</testcase>\n</testsuite>\n</testsuites>\n",
          l->runs, l->failed, l->cut, l->undecided);
}

static void sarif_place(FILE *out, const struct place *p) {
  fputs("{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
  report_uri(out, p->path);
  fprintf(out, "}, \"region\": {\"startLine\": %u}}}", p->line);
}

/* The first place is that of the result, the others are related. */
static void sarif_result(FILE *out, const struct campaign *c, const struct places *p) {
  fputs("\n    {\"ruleId\": ", out);
  report_json(out, rule_of(c->line.reason));
  fputs(", \"level\": \"error\", \"message\": {\"text\": ", out);
  report_json(out, c->line.reason);
  fputs("}", out);
  if (p->n > 0) {
    fputs(",\n     \"locations\": [", out);
    sarif_place(out, &p->at[0]);
    fputs("]", out);
  }
  for (uint32_t i = 1; i < p->n; i++) {
    fputs(i == 1 ? ",\n     \"relatedLocations\": [" : ", ", out);
    sarif_place(out, &p->at[i]);
  }
  fputs(p->n > 1 ? "]}\n  " : "}\n  ", out);
}

static void write_sarif(FILE *out, const struct campaign *c, const struct places *p) {
  fprintf(out,
          "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": "
          "\"2.1.0\",\n \"runs\": [{\n  \"tool\": {\"driver\": {\"name\": \"%s\", \"version\": "
          "\"%s\", \"rules\": [",
          c->tool->name, eyot_version());
  for (size_t i = 0; i < N_RULES; i++)
    fprintf(out, "%s\n    {\"id\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}",
            i > 0 ? "," : "", RULES[i].id, EYOTI_WORDED(RULES[i].text));
  fprintf(out, "\n  ]}},\n  \"invocations\": [{\"executionSuccessful\": %s, \"exitCode\": %d}],\n",
          c->line.failed > 0 || c->exit_code == EYOTI_EXIT_OK ? "true" : "false", c->exit_code);
  fputs("  \"results\": [", out);
  if (c->line.failed > 0) sarif_result(out, c, p);
  fputs("]\n }]}\n", out);
}

static const char *path_of(const struct campaign_files *f, int i) {
  return i == 0 ? f->json : i == 1 ? f->junit : f->sarif;
}

int campaign_open(const struct tool *t, struct campaign_files *f) {
  for (int i = 0; i < CAMPAIGN_FILES; i++) {
    f->open[i] = NULL;
    if (path_of(f, i) == NULL || (f->open[i] = fopen(path_of(f, i), "we")) != NULL) continue;
    fprintf(stderr, "%s: cannot write %s: %s\n", t->name, path_of(f, i), strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  return 0;
}

int campaign_write(struct campaign_files *f, const struct campaign *c) {
  static struct places places;
  places.n = 0;
  if (c->line.failed > 0) {
    find_places(&places, c->line.reason);
    if (c->details != NULL) find_places(&places, c->details);
    find_files(&places);
  }
  int code = 0;
  for (int i = 0; i < CAMPAIGN_FILES; i++) {
    FILE *out = f->open[i];
    struct sigaction before;
    if (out == NULL) continue;
    eyoti_out_begin(&before);
    if (i == 0) write_json(out, c, &places);
    if (i == 1) write_junit(out, c);
    if (i == 2) write_sarif(out, c, &places);
    bool ok = ferror(out) == 0;
    ok &= fclose(out) == 0;
    eyoti_out_end(&before);
    if (ok) continue;
    fprintf(stderr, "%s: cannot write %s: %s\n", c->tool->name, path_of(f, i), strerror(errno));
    code = EYOTI_EXIT_USAGE;
  }
  return code;
}
