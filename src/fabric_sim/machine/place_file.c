/* SPDX-License-Identifier: BSD-3-Clause */
/* place_file.c - reads the file of --placement line by line. See place_file.h. */
#include "fabric_sim/machine/place_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define LINE_MAX_BYTES 256
#define NODE_MAX (1u << 30)

/* Reads a number and moves past it. */
static bool read_number(char **at, uint32_t most, uint32_t *out) {
  if (**at < '0' || **at > '9') return false;
  unsigned long long value = strtoull(*at, at, 10);
  *out = (uint32_t)value;
  return value <= most;
}

static void skip_blanks(char **at) {
  *at += strspn(*at, " \t\r\n");
}

static int malformed(const struct sim_place_file *f, uint32_t line) {
  return EYOTI_FAIL(EYOT_EINVAL, "%s, line %u is malformed; expected UNIT NODE or FIRST-LAST NODE",
                    f->path, line);
}

static int place_line(struct sim_place_file *f, uint32_t n_units, uint32_t line, char *text) {
  uint32_t first, last, node;
  text[strcspn(text, "#")] = '\0';
  skip_blanks(&text);
  if (*text == '\0') return 0;
  if (!read_number(&text, UINT32_MAX, &first)) return malformed(f, line);
  last = first;
  if (*text == '-' && (text++, !read_number(&text, UINT32_MAX, &last))) return malformed(f, line);
  if (*text != ' ' && *text != '\t') return malformed(f, line);
  skip_blanks(&text);
  if (!read_number(&text, NODE_MAX, &node)) return malformed(f, line);
  skip_blanks(&text);
  if (*text != '\0' || first > last) return malformed(f, line);
  if (last >= n_units)
    return EYOTI_FAIL(EYOT_EINVAL, "%s, line %u: unit %u of %u; expected at most %u", f->path, line,
                      last, n_units, n_units - 1);
  for (uint32_t u = first; u <= last; u++) {
    if (f->line_of[u] != 0)
      return EYOTI_FAIL(EYOT_EINVAL, "%s, line %u: unit %u was placed in line %u; expected once",
                        f->path, line, u, f->line_of[u]);
    f->node_of[u] = node;
    f->line_of[u] = line;
  }
  return 0;
}

static int place_lines(struct sim_place_file *f, uint32_t n_units, FILE *from) {
  char text[LINE_MAX_BYTES];
  for (uint32_t line = 1; fgets(text, sizeof text, from) != NULL; line++) {
    if (strchr(text, '\n') == NULL && !feof(from)) return malformed(f, line);
    EYOTI_TRY(place_line(f, n_units, line, text));
  }
  if (ferror(from)) return EYOTI_FAIL(EYOT_ESYS, "%s cannot be read: %s", f->path, strerror(errno));
  for (uint32_t u = 0; u < n_units; u++)
    if (f->line_of[u] == 0)
      return EYOTI_FAIL(EYOT_EINVAL, "%s has no node for unit %u of %u; expected a line for each",
                        f->path, u, n_units);
  return 0;
}

int sim_place_file(const char *path, uint32_t n_units, struct sim_place_file *out) {
  *out = (struct sim_place_file){.path = path,
                                 .node_of = calloc(n_units, sizeof *out->node_of),
                                 .line_of = calloc(n_units, sizeof *out->line_of)};
  if (out->node_of == NULL || out->line_of == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to place %u units", n_units);
  FILE *from = fopen(path, "re");
  if (from == NULL)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "EYOT_PLACEMENT=%s (--placement): %s; expected packed, cyclic, random, "
                      "random:SEED or a file of lines UNIT NODE",
                      path, strerror(errno));
  int rc = place_lines(out, n_units, from);
  fclose(from);
  return rc;
}

void sim_place_file_free(struct sim_place_file *f) {
  free(f->node_of);
  free(f->line_of);
}
