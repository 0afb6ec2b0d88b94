/* SPDX-License-Identifier: BSD-3-Clause */
/* file_read.c - strict reading of a failing run's file (file.h).
 *
 * Why it exists: developers edit and merge these files. A file that is not exactly of the form that
 * file.h states is refused with the line, what it contains and what was expected, since a run of
 * something else would pass and look like a failure that is gone. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "check/runfile/file.h"
#include "check/snapshot/mem.h"

#define FILE_BYTES_MAX (UINT64_C(1) << 30)
#define FIRST_BYTES ((size_t)65536)
#define SHOWN 40 /* characters of a wrong line that the message shows */

struct file_reader {
  const char *name;
  char *text, *next; /* the whole file, ended by a NUL; the line after `at` */
  char *at;          /* the rest of the line, ended by a NUL in place of its newline */
  const char *end;
  uint32_t line, format;
  struct chk_file_error *error;
};

static int runfile_refuse(struct file_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int runfile_refuse(struct file_reader *r, const char *fmt, ...) {
  char what[sizeof r->error->what];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  if (r->error) {
    r->error->line = r->line;
    memcpy(r->error->what, what, sizeof what);
  }
  return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: %s", r->name, r->line, what);
}

static int slurp(struct file_reader *r, FILE *in) {
  size_t used = 0, cap = 0;
  for (;;) {
    if (cap - used < 2) {
      cap = cap ? cap * 2 : FIRST_BYTES;
      char *text = cap <= FILE_BYTES_MAX ? chk_resize(r->text, cap) : NULL;
      if (!text)
        return EYOTI_FAIL(EYOT_ENOMEM, "%s: no memory for a file of more than %zu bytes", r->name,
                          used);
      r->text = text;
    }
    size_t got = fread(r->text + used, 1, cap - used - 1, in);
    if (got == 0) break;
    used += got;
  }
  if (ferror(in)) return EYOTI_FAIL(EYOT_ESYS, "%s cannot be read", r->name);
  r->text[used] = '\0';
  r->next = r->text;
  r->end = r->text + used;
  return 0;
}

/* Moves r->at to the next line that is neither empty nor a comment. `expected` is for the
 * message. */
static int runfile_next_line(struct file_reader *r, const char *expected) {
  do {
    r->line++;
    if (r->next == r->end) return runfile_refuse(r, "the file ends here; expected %s", expected);
    r->at = r->next;
    char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!newline)
      return runfile_refuse(
          r, "the line has no end; expected a newline, since files that were cut have none");
    if (memchr(r->at, '\0', (size_t)(newline - r->at)))
      return runfile_refuse(r, "a byte 0; expected text");
    *newline = '\0';
    r->next = newline + 1;
  } while (*r->at == '\0' || *r->at == '#');
  return 0;
}

/* True if the line begins with the keyword and a space; then r->at points after them. */
static bool keyword(struct file_reader *r, const char *word) {
  size_t n = strlen(word);
  if (strncmp(r->at, word, n) != 0 || r->at[n] != ' ') return false;
  r->at += n + 1;
  return true;
}

static int expect(struct file_reader *r, const char *word, const char *expected) {
  if (keyword(r, word)) return 0;
  return runfile_refuse(r, "found '%.*s'; expected %s", SHOWN, r->at, expected);
}

static int line_end(struct file_reader *r) {
  if (*r->at == '\0') return 0;
  return runfile_refuse(r, "found '%.*s'; expected the end of the line", SHOWN, r->at);
}

/* Decimal digits without sign or leading zeros, so that equal contents have equal text. */
static int number(struct file_reader *r, uint32_t least, uint32_t most, const char *of,
                  uint32_t *out) {
  uint64_t value = 0;
  char *at = r->at;
  while (*at >= '0' && *at <= '9' && value <= UINT32_MAX)
    value = value * 10 + (uint64_t)(*at++ - '0');
  if (at == r->at || value > UINT32_MAX || (*r->at == '0' && at - r->at > 1) || value < least ||
      value > most)
    return runfile_refuse(r, "found '%.*s'; expected %s, a number from %u to %u", SHOWN, r->at, of,
                          least, most);
  r->at = at;
  *out = (uint32_t)value;
  return 0;
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape sequence stands for; r->at points after the backslash. */
static int escape(struct file_reader *r, char *out) {
  if (*r->at == '"' || *r->at == '\\') {
    *out = *r->at++;
    return 0;
  }
  int high = *r->at == 'x' ? digit(r->at[1]) : -1, low = high >= 0 ? digit(r->at[2]) : -1;
  if (low < 0 || high * 16 + low == 0)
    return runfile_refuse(
        r, "found '\\%.3s'; expected \\\", \\\\ or \\x and two digits 0-9a-f, not both 0", r->at);
  *out = (char)(high * 16 + low);
  r->at += 3;
  return 0;
}

/* The rest of the line, a quoted string; escapes are replaced in place. */
static int string(struct file_reader *r, const char **out) {
  if (*r->at != '"')
    return runfile_refuse(r, "found '%.*s'; expected a string in quotes", SHOWN, r->at);
  char *to = r->at, *start = to;
  r->at++;
  while (*r->at != '"') {
    unsigned char c = (unsigned char)*r->at;
    if (c == '\0')
      return runfile_refuse(r, "the string has no end; expected a \" before the end of the line");
    if (c < 0x20 || c > 0x7e)
      return runfile_refuse(r, "a byte %#04x; expected printable ASCII, other bytes as \\x%02x", c,
                            c);
    r->at++;
    if (c == '\\')
      EYOTI_TRY(escape(r, to++));
    else
      *to++ = (char)c;
  }
  r->at++;
  EYOTI_TRY(line_end(r));
  *to = '\0';
  *out = start;
  return 0;
}

static int read_program(struct file_reader *r, struct chk_file *f) {
  const char *text;
  EYOTI_TRY(runfile_next_line(r, "'eyotcheck 2'"));
  EYOTI_TRY(expect(r, "eyotcheck", "'eyotcheck 2', the first line of a file of a failing run"));
  EYOTI_TRY(number(r, 1, CHK_FILE_FORMAT, "the version of the format", &r->format));
  EYOTI_TRY(line_end(r));
  EYOTI_TRY(runfile_next_line(r, "program \"...\""));
  EYOTI_TRY(expect(r, "program", "program \"...\""));
  EYOTI_TRY(string(r, &text));
  return chk_file_set_program(f, text);
}

/* Reads arguments, options and the number of units after them. */
static int read_start(struct file_reader *r, struct chk_file *f) {
  const char *text;
  for (;;) {
    EYOTI_TRY(runfile_next_line(r, "argument \"...\", option \"name=value\" or units N"));
    bool argument = f->n_options == 0 && keyword(r, "argument"),
         option = !argument && keyword(r, "option");
    if (!argument && !option) break;
    if ((argument ? f->n_arguments : f->n_options) == CHK_FILE_STRINGS_MAX)
      return runfile_refuse(r, "one more %s; expected at most %u", argument ? "argument" : "option",
                            CHK_FILE_STRINGS_MAX);
    EYOTI_TRY(string(r, &text));
    if (option && (*text == '=' || !strchr(text, '=')))
      return runfile_refuse(r, "found option \"%.*s\"; expected \"name=value\"", SHOWN, text);
    EYOTI_TRY(argument ? chk_file_add_argument(f, text) : chk_file_add_option(f, text));
  }
  EYOTI_TRY(expect(r, "units",
                   f->n_options ? "option \"name=value\" or units N"
                                : "argument \"...\", option \"name=value\" or units N"));
  EYOTI_TRY(number(r, 1, CHK_FILE_UNITS_MAX, "units", &f->units));
  return line_end(r);
}

/* Sixteen digits, the rest of a line that begins with `word`. */
static int read_hash(struct file_reader *r, const char *word, const char *expected, uint64_t *out) {
  uint64_t hash = 0;
  int digits = 0;
  EYOTI_TRY(runfile_next_line(r, expected));
  EYOTI_TRY(expect(r, word, expected));
  for (; digit(r->at[digits]) >= 0 && digits < 17; digits++)
    hash = hash << 4 | (uint64_t)digit(r->at[digits]);
  if (digits != 16 || r->at[16] != '\0')
    return runfile_refuse(r, "found '%.*s'; expected 16 digits 0-9a-f", SHOWN, r->at);
  *out = hash;
  return 0;
}

static int read_origin(struct file_reader *r, struct chk_file *f) {
  const char *text;
  if (r->format == 1) return 0;
  EYOTI_TRY(runfile_next_line(r, "eyot \"...\""));
  EYOTI_TRY(expect(r, "eyot", "eyot \"...\", the version of eyot"));
  EYOTI_TRY(string(r, &text));
  EYOTI_TRY(chk_file_set_version(f, text));
  return read_hash(r, "build", "build and 16 digits", &f->build);
}

static int read_failure(struct file_reader *r, struct chk_file *f) {
  const char *text;
  EYOTI_TRY(runfile_next_line(r, "failure \"...\""));
  EYOTI_TRY(expect(r, "failure", "failure \"...\""));
  EYOTI_TRY(string(r, &text));
  EYOTI_TRY(chk_file_set_failure(f, text));
  return read_hash(r, "trace", "trace and 16 digits", &f->trace);
}

/* Reads one word of a line of choices. */
static int read_choice(struct file_reader *r, struct chk_stream *s, uint32_t n) {
  uint32_t value, bound, count = 1;
  EYOTI_TRY(number(r, 0, UINT32_MAX - 1, "a choice value/bound", &value));
  if (*r->at != '/')
    return runfile_refuse(r, "found '%.*s' after the value %u; expected /bound", SHOWN, r->at,
                          value);
  r->at++;
  EYOTI_TRY(number(r, 2, UINT32_MAX, "a bound", &bound));
  if (value >= bound)
    return runfile_refuse(r, "found the choice %u/%u; expected a value below its bound", value,
                          bound);
  if (*r->at == '*') {
    r->at++;
    EYOTI_TRY(number(r, 2, CHK_FILE_CHOICES_MAX, "how many times", &count));
  }
  if (*r->at != ' ' && *r->at != '\0')
    return runfile_refuse(r, "found '%.*s' after a choice; expected a space or the end of the line",
                          SHOWN, r->at);
  if (count > n - s->n)
    return runfile_refuse(r, "choice number %" PRIu64 "; expected %u, as 'choices' says",
                          (uint64_t)s->n + count, n);
  while (count-- > 0) chk_stream_add(s, value, bound);
  return 0;
}

static int read_choices(struct file_reader *r, struct chk_stream *s) {
  uint32_t n;
  EYOTI_TRY(runfile_next_line(r, "choices N"));
  EYOTI_TRY(expect(r, "choices", "choices N"));
  EYOTI_TRY(number(r, 0, CHK_FILE_CHOICES_MAX, "how many choices", &n));
  EYOTI_TRY(line_end(r));
  while (s->n < n) {
    EYOTI_TRY(runfile_next_line(r, "more choices"));
    if (strcmp(r->at, "end") == 0)
      return runfile_refuse(r, "found 'end' after %u choices; expected %u, as 'choices' says", s->n,
                            n);
    EYOTI_TRY(read_choice(r, s, n));
    while (*r->at == ' ') {
      r->at++;
      EYOTI_TRY(read_choice(r, s, n));
    }
  }
  EYOTI_TRY(runfile_next_line(r, "'end'"));
  if (strcmp(r->at, "end") != 0)
    return runfile_refuse(r, "found '%.*s' after %u choices; expected 'end'", SHOWN, r->at, n);
  r->line++;
  if (r->next != r->end)
    return runfile_refuse(r, "found '%.*s' after 'end'; expected the end of the file", SHOWN,
                          r->next);
  return 0;
}

int chk_file_read(struct chk_file *f, FILE *in, const char *name, struct chk_file_error *error) {
  struct file_reader r = {.name = name, .error = error};
  struct chk_file file;
  chk_file_init(&file);
  if (error) *error = (struct chk_file_error){0};
  int rc = slurp(&r, in);
  if (rc == 0) rc = read_program(&r, &file);
  if (rc == 0) rc = read_start(&r, &file);
  if (rc == 0) rc = read_origin(&r, &file);
  if (rc == 0) rc = read_failure(&r, &file);
  if (rc == 0) rc = read_choices(&r, &file.stream);
  chk_free(r.text);
  if (rc != 0) {
    chk_file_fini(&file);
    return rc;
  }
  *f = file;
  return 0;
}
