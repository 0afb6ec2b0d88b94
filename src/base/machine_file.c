/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_file.c - the reader of machine files. See machine_file.h. */
#include "base/machine_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FILE_BYTES_MAX (1u << 20)
#define SPACE " \t\r"

static const char *const SECTIONS[] = {"platform", "model", "thresholds", EYOTI_MACHINE_RULES};

struct machine_reader {
  const char *path, *section;
  uint32_t line;
  bool versioned; /* the first line has been read */
  struct eyoti_machine *m;
};

#define READ_FAIL(r, fmt, ...) \
  EYOTI_FAIL(EYOT_EINVAL, "%s:%u: " fmt, (r)->path, (r)->line, __VA_ARGS__)

/* Returns the next word of *at, ends it, and moves *at behind it; "" at the end. */
static char *next_word(char **at) {
  char *word = *at + strspn(*at, SPACE), *end = word + strcspn(word, SPACE);
  *at = *end == '\0' ? end : end + 1;
  *end = '\0';
  return word;
}

static char *trim(char *text) {
  text += strspn(text, SPACE);
  for (size_t len = strlen(text); len > 0 && strchr(SPACE, text[len - 1]) != NULL; len--)
    text[len - 1] = '\0';
  return text;
}

static int read_section(struct machine_reader *r, char *line) {
  size_t len = strlen(line);
  if (line[len - 1] != ']') return READ_FAIL(r, "'%s'; expected a section, [NAME]", line);
  line[len - 1] = '\0';
  for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++)
    if (strcmp(SECTIONS[i], line + 1) == 0) {
      r->section = SECTIONS[i];
      return EYOT_OK;
    }
  return READ_FAIL(r, "unknown section '%s'; known are platform, model, thresholds and collectives",
                   line + 1);
}

/* Reads " LOW HIGH]" up to the end of the line. */
static int read_spread(struct machine_reader *r, const char *text,
                       struct eyoti_machine_entry *entry) {
  int used = 0; /* characters, if all is there */
  if (sscanf(text, "%lf %lf ] %n", &entry->low, &entry->high, &used) != 2 || used == 0 ||
      text[used] != '\0' || !(entry->low >= 0 && entry->low <= entry->high))
    return READ_FAIL(r,
                     "%s: '[%s'; expected the quartiles, [LOW HIGH], two numbers of which the "
                     "first is not the larger one, or none",
                     entry->key, text);
  entry->measured = true;
  return EYOT_OK;
}

static int read_value(struct machine_reader *r, char *text, struct eyoti_machine_entry *entry) {
  char *spread = strchr(text, '[');
  if (spread != NULL) {
    *spread = '\0';
    EYOTI_TRY(read_spread(r, spread + 1, entry));
  }
  entry->value = next_word(&text);
  entry->unit = next_word(&text);
  const char *more = next_word(&text);
  if (*entry->value == '\0')
    return READ_FAIL(r, "%s has no value; expected %s = VALUE UNIT", entry->key, entry->key);
  if (*more != '\0')
    return READ_FAIL(r, "%s: '%s' after value and unit; expected [LOW HIGH], # or the end",
                     entry->key, more);
  return EYOT_OK;
}

static int add_entry(struct machine_reader *r, const struct eyoti_machine_entry *entry) {
  struct eyoti_machine *m = r->m;
  const struct eyoti_machine_entry *same = eyoti_machine_find(m, entry->section, entry->key);
  if (same != NULL)
    return READ_FAIL(r, "%s is given twice, first in line %u; expected once", entry->key,
                     same->line);
  if (m->n == m->cap) {
    uint32_t cap = m->cap == 0 ? 64 : 2 * m->cap;
    void *at = realloc(m->at, cap * sizeof *m->at);
    if (at == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u lines of %s", cap, r->path);
    m->at = at, m->cap = cap;
  }
  m->at[m->n++] = *entry;
  return EYOT_OK;
}

/* A rule is a word; coll/rules.c knows what it says. */
static int read_rule(struct machine_reader *r, const char *line) {
  if (line[strcspn(line, SPACE)] != '\0')
    return READ_FAIL(r, "'%s'; expected a rule without spaces, FUNCTION:FROM-TO:ALGORITHM", line);
  const struct eyoti_machine_entry entry = {
      .section = r->section, .key = line, .value = "", .unit = "", .line = r->line};
  return add_entry(r, &entry);
}

static int read_entry(struct machine_reader *r, char *line) {
  if (r->section != NULL && strcmp(r->section, EYOTI_MACHINE_RULES) == 0) return read_rule(r, line);
  char *equals = strchr(line, '=');
  if (equals == NULL || equals == line)
    return READ_FAIL(r, "'%s'; expected KEY = VALUE UNIT, or [SECTION]", line);
  *equals = '\0';
  struct eyoti_machine_entry entry = {.section = r->section, .key = trim(line), .line = r->line};
  if (r->section == NULL)
    return READ_FAIL(r, "%s stands before the first section; expected [platform]", entry.key);
  EYOTI_TRY(read_value(r, equals + 1, &entry));
  return add_entry(r, &entry);
}

static int read_line(struct machine_reader *r, char *line) {
  line[strcspn(line, "#")] = '\0';
  line = trim(line);
  if (*line == '\0') return EYOT_OK;
  if (!r->versioned) {
    unsigned version = 0;
    char end;
    if (sscanf(line, "eyot-machine %u %c", &version, &end) != 1 || version != EYOTI_MACHINE_VERSION)
      return READ_FAIL(r, "'%s'; expected 'eyot-machine %u', as eyot-calibrate writes it", line,
                       EYOTI_MACHINE_VERSION);
    r->versioned = true;
    return EYOT_OK;
  }
  return *line == '[' ? read_section(r, line) : read_entry(r, line);
}

static int read_lines(const char *path, struct eyoti_machine *m) {
  struct machine_reader r = {.path = path, .m = m};
  for (char *line = m->text, *next; line != NULL; line = next) {
    r.line++;
    next = strchr(line, '\n');
    if (next != NULL) *next++ = '\0';
    EYOTI_TRY(read_line(&r, line));
  }
  if (!r.versioned)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s is empty; expected a machine file, which eyot-calibrate writes", path);
  return EYOT_OK;
}

/* Reads the whole file as text. */
static int load(const char *path, char **out) {
  FILE *f = fopen(path, "r");
  if (f == NULL) return EYOTI_FAIL(EYOT_ESYS, "%s: %s", path, strerror(errno));
  char *text = malloc(FILE_BYTES_MAX + 1);
  size_t len = text != NULL ? fread(text, 1, FILE_BYTES_MAX + 1, f) : 0;
  bool failed = ferror(f) != 0;
  int reason = errno;
  (void)fclose(f);
  if (text == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %s", path);
  if (!failed && len <= FILE_BYTES_MAX && memchr(text, '\0', len) == NULL) {
    text[len] = '\0';
    *out = text;
    return EYOT_OK;
  }
  free(text);
  if (failed) return EYOTI_FAIL(EYOT_ESYS, "%s: %s", path, strerror(reason));
  return EYOTI_FAIL(EYOT_EINVAL, "%s is no text of at most %u bytes; expected a machine file", path,
                    FILE_BYTES_MAX);
}

int eyoti_machine_read(const char *path, struct eyoti_machine *out) {
  struct eyoti_machine m = {0};
  EYOTI_TRY(load(path, &m.text));
  int rc = read_lines(path, &m);
  if (rc != EYOT_OK) {
    eyoti_machine_free(&m);
    return rc;
  }
  *out = m;
  return EYOT_OK;
}

void eyoti_machine_free(struct eyoti_machine *m) {
  free(m->at);
  free(m->text);
  *m = (struct eyoti_machine){0};
}

const struct eyoti_machine_entry *eyoti_machine_find(const struct eyoti_machine *m,
                                                     const char *section, const char *key) {
  for (uint32_t i = 0; i < m->n; i++)
    if (strcmp(m->at[i].key, key) == 0 && strcmp(m->at[i].section, section) == 0) return &m->at[i];
  return NULL;
}
