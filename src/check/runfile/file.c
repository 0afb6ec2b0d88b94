/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c - the contents of a failing run's file (file.h), and writing them. file_read.c reads. */
#include "check/runfile/file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "check/snapshot/mem.h"

#define LINE_CHARS 120 /* a line of choices ends after this many characters */

void chk_file_init(struct chk_file *f) {
  *f = (struct chk_file){0};
}

static void free_strings(char **strings, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) chk_free(strings[i]);
  chk_free(strings);
}

void chk_file_fini(struct chk_file *f) {
  chk_free(f->program);
  chk_free(f->failure);
  chk_free(f->version);
  free_strings(f->arguments, f->n_arguments);
  free_strings(f->options, f->n_options);
  chk_stream_fini(&f->stream);
  chk_file_init(f);
}

static int runfile_copy(const char *string, char **out) {
  size_t bytes = strlen(string) + 1;
  char *to = chk_alloc(bytes);
  if (!to) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a string of %zu bytes", bytes);
  memcpy(to, string, bytes);
  *out = to;
  return 0;
}

static int runfile_replace(const char *string, char **at) {
  char *to;
  EYOTI_TRY(runfile_copy(string, &to));
  chk_free(*at);
  *at = to;
  return 0;
}

int chk_file_set_program(struct chk_file *f, const char *program) {
  return runfile_replace(program, &f->program);
}
int chk_file_set_failure(struct chk_file *f, const char *failure) {
  return runfile_replace(failure, &f->failure);
}

int chk_file_set_version(struct chk_file *f, const char *version) {
  return runfile_replace(version, &f->version);
}

static int runfile_add(const char *string, char ***strings, uint32_t *n) {
  if (*n == CHK_FILE_STRINGS_MAX)
    return EYOTI_FAIL(EYOT_ERANGE, "more than %u arguments or options", CHK_FILE_STRINGS_MAX);
  char **more = chk_resize(*strings, (*n + 1) * sizeof *more);
  if (!more) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u strings", *n + 1);
  *strings = more;
  EYOTI_TRY(runfile_copy(string, &more[*n]));
  ++*n;
  return 0;
}

int chk_file_add_argument(struct chk_file *f, const char *argument) {
  return runfile_add(argument, &f->arguments, &f->n_arguments);
}

int chk_file_add_option(struct chk_file *f, const char *option) {
  const char *equals = strchr(option, '=');
  if (!equals || equals == option)
    return EYOTI_FAIL(EYOT_EINVAL, "option \"%s\" is not of the form name=value", option);
  return runfile_add(option, &f->options, &f->n_options);
}

static void write_string(FILE *out, const char *key, const char *string) {
  fprintf(out, "%s \"", key);
  for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c < 0x20 || *c > 0x7e)
      fprintf(out, "\\x%02x", *c);
    else
      fputc(*c, out);
  }
  fputs("\"\n", out);
}

static void write_choices(FILE *out, const struct chk_stream *s) {
  fprintf(out, "choices %u\n", s->n);
  int column = 0;
  for (uint32_t i = 0, n; i < s->n; i += n) {
    struct chk_choice c = s->at[i];
    for (n = 1; i + n < s->n && s->at[i + n].value == c.value && s->at[i + n].bound == c.bound;)
      n++;
    column += fprintf(out, column > 0 ? " %u/%u" : "%u/%u", c.value, c.bound);
    if (n > 1) column += fprintf(out, "*%u", n);
    if (column < LINE_CHARS && i + n < s->n) continue;
    fputc('\n', out);
    column = 0;
  }
}

int chk_file_write(const struct chk_file *f, FILE *out, const char *path) {
  if (!f->program || !f->failure || f->units == 0 || f->units > CHK_FILE_UNITS_MAX)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "a failing run has a program, a failure and 1 to %u units, not %s, %s and %u",
                      CHK_FILE_UNITS_MAX, f->program ? f->program : "none",
                      f->failure ? f->failure : "none", f->units);
  fprintf(out, "eyotcheck %u\n", f->version != NULL ? CHK_FILE_FORMAT : 1);
  write_string(out, "program", f->program);
  for (uint32_t i = 0; i < f->n_arguments; i++) write_string(out, "argument", f->arguments[i]);
  for (uint32_t i = 0; i < f->n_options; i++) write_string(out, "option", f->options[i]);
  fprintf(out, "units %u\n", f->units);
  if (f->version != NULL) {
    write_string(out, "eyot", f->version);
    fprintf(out, "build %016" PRIx64 "\n", f->build);
  }
  write_string(out, "failure", f->failure);
  fprintf(out, "trace %016" PRIx64 "\n", f->trace);
  write_choices(out, &f->stream);
  fputs("end\n", out);
  errno = 0; /* of a write before it is not known */
  if (fflush(out) == 0 && !ferror(out)) return 0;
  return EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", path,
                    errno != 0 ? strerror(errno) : "a part of it is lost");
}

void chk_file_failure_kind(const char *failure, char *kind, size_t size) {
  size_t n = 0;
  for (; *failure != '\0' && n + 1 < size; failure++)
    if (*failure < '0' || *failure > '9') kind[n++] = *failure;
  kind[n] = '\0';
}
