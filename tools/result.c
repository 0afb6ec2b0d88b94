/* SPDX-License-Identifier: BSD-3-Clause */
/* result.c - see result.h. */
#include "result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out_file.h"

static void put_number(FILE *out, const char *key, uint64_t value) {
  if (value == RESULT_NONE)
    fprintf(out, " %s=-", key);
  else
    fprintf(out, " %s=%" PRIu64, key, value);
}

/* In double quotes; a backslash before a double quote or a backslash; control characters become
 * blanks, so that the line stays one. */
static void put_text(FILE *out, const char *key, const char *text) {
  if (text == NULL) {
    fprintf(out, " %s=-", key);
    return;
  }
  fprintf(out, " %s=\"", key);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('"', out);
}

int result_open(const struct tool *t, const char *path, int *fd) {
  *fd = -1;
  if (path == NULL) return 0;
  *fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (*fd >= 0) return 0;
  fprintf(stderr, "%s: --result: cannot write %s: %s\n", t->name, path, strerror(errno));
  return EYOTI_EXIT_USAGE;
}

int result_write(const struct tool *t, int fd, const struct result_line *r) {
  struct sigaction before;
  eyoti_out_begin(&before);
  FILE *out = fdopen(fd, "w");
  bool ok = out != NULL;
  if (ok) {
    fprintf(out, "result: tool=%s strategy=%s", t->name, r->strategy);
    put_number(out, "units", r->units);
    put_number(out, "seed", r->seed);
    put_number(out, "runs", r->runs);
    put_number(out, "failed", r->failed);
    put_number(out, "first", r->first);
    put_number(out, "choices", r->choices);
    put_number(out, "nonzero", r->nonzero);
    put_number(out, "cut", r->cut);
    put_number(out, "undecided", r->undecided);
    fprintf(out, " exhausted=%s seconds=%.6f", r->exhausted ? "yes" : "no", r->seconds);
    put_text(out, "reason", r->reason);
    fputc('\n', out);
    ok = ferror(out) == 0;
  }
  if (out != NULL ? fclose(out) != 0 : close(fd) != 0) ok = false;
  eyoti_out_end(&before);
  if (ok) return 0;
  fprintf(stderr, "%s: --result: cannot write the result: %s\n", t->name, strerror(errno));
  return EYOTI_EXIT_USAGE;
}
