/* SPDX-License-Identifier: BSD-3-Clause */
/* suppress.c - implements suppress.h. */
#include "fabric_sim/explore/suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

#define LINES_MAX 256u
#define LINE_BYTES 512u

struct suppression {
  char pattern[2][LINE_BYTES]; /* the second: empty if there is none */
  unsigned line;
  bool used;
};

struct sim_suppress {
  char path[LINE_BYTES];
  unsigned n;
  struct suppression at[LINES_MAX];
};

static bool suppress_refuse(FILE *f, const char *path, unsigned line, const char *why) {
  fprintf(stderr, "eyot: EYOT_RACE_SUPPRESSIONS: %s:%u: %s\n", path, line, why);
  (void)fclose(f);
  return false;
}

/* A line has one pattern or two; '#' begins a comment. */
static bool suppress_read(struct sim_suppress *s, FILE *f, const char *path) {
  char text[2 * LINE_BYTES];
  for (unsigned line = 1; fgets(text, sizeof text, f) != NULL; line++) {
    if (strchr(text, '\n') == NULL && !feof(f))
      return suppress_refuse(f, path, line, "the line is longer than 1022 bytes");
    text[strcspn(text, "#\n")] = '\0';
    char *rest = NULL, *one = strtok_r(text, " \t\r", &rest), *two = strtok_r(NULL, " \t\r", &rest);
    if (one == NULL) continue;
    if (strtok_r(NULL, " \t\r", &rest) != NULL)
      return suppress_refuse(f, path, line,
                             "a line has one pattern, or two for the two accesses of a race");
    if (strlen(one) >= LINE_BYTES || (two != NULL && strlen(two) >= LINE_BYTES))
      return suppress_refuse(f, path, line, "a pattern is longer than 511 bytes");
    if (s->n == LINES_MAX)
      return suppress_refuse(f, path, line, "there are more than 256 suppressions");
    struct suppression *x = &s->at[s->n++];
    snprintf(x->pattern[0], LINE_BYTES, "%s", one);
    snprintf(x->pattern[1], LINE_BYTES, "%s", two != NULL ? two : "");
    x->line = line;
  }
  if (ferror(f) != 0) { /* as of a folder */
    fprintf(stderr, "eyot: EYOT_RACE_SUPPRESSIONS: cannot read %s: %s\n", path, strerror(errno));
    (void)fclose(f);
    return false;
  }
  (void)fclose(f);
  return true;
}

bool sim_suppress_open(const char *path, struct sim_suppress **out) {
  *out = NULL;
  if (path == NULL) return true;
  FILE *f = fopen(path, "re");
  if (f == NULL) {
    fprintf(stderr, "eyot: EYOT_RACE_SUPPRESSIONS: cannot read %s: %s\n", path, strerror(errno));
    return false;
  }
  struct sim_suppress *s =
      mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED) eyoti_no_memory(sizeof *s, "suppressions of races");
  snprintf(s->path, sizeof s->path, "%s", path);
  if (!suppress_read(s, f, path)) {
    sim_suppress_close(s);
    return false;
  }
  *out = s;
  return true;
}

void sim_suppress_close(struct sim_suppress *s) {
  if (s != NULL) munmap(s, sizeof *s);
}

/* A pattern matches the call, without an article, the function, the file with or without line. */
static bool suppress_matches(const char *pattern, struct sim_suppress_access a) {
  const char *call = strrchr(a.call, ' '), *open = strstr(a.place, " (");
  if (fnmatch(pattern, call != NULL ? call + 1 : a.call, 0) == 0) return true;
  char text[LINE_BYTES];
  snprintf(text, sizeof text, "%s", open != NULL ? open + 2 : "");
  text[strcspn(text, ")+")] = '\0';
  if (text[0] != '\0' && fnmatch(pattern, text, 0) == 0) return true;
  snprintf(text, sizeof text, "%s", a.place);
  text[strcspn(text, " ")] = '\0';
  if (fnmatch(pattern, text, 0) == 0) return true;
  char *colon = strrchr(text, ':');
  if (colon == NULL) return false;
  *colon = '\0';
  return fnmatch(pattern, text, 0) == 0;
}

static bool suppress_fits(const struct suppression *x, struct sim_suppress_access a,
                          struct sim_suppress_access b) {
  return suppress_matches(x->pattern[0], a) &&
         (x->pattern[1][0] == '\0' || suppress_matches(x->pattern[1], b));
}

bool sim_suppress_hides(struct sim_suppress *s, struct sim_suppress_access first,
                        struct sim_suppress_access second) {
  for (unsigned i = 0; s != NULL && i < s->n; i++) {
    struct suppression *x = &s->at[i];
    if (!suppress_fits(x, first, second) && !suppress_fits(x, second, first)) continue;
    __atomic_store_n(&x->used, true, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

void sim_suppress_print_unused(const struct sim_suppress *s, FILE *out) {
  for (unsigned i = 0; s != NULL && i < s->n; i++) {
    const struct suppression *x = &s->at[i];
    if (!__atomic_load_n(&x->used, __ATOMIC_RELAXED))
      fprintf(out, "eyot: %s:%u: the suppression '%s%s%s' has hidden no race\n", s->path, x->line,
              x->pattern[0], x->pattern[1][0] != '\0' ? " " : "", x->pattern[1]);
  }
}
