/* SPDX-License-Identifier: BSD-3-Clause */
/* args.h - the command line of an example, described by a table with one row per option.
 *
 * A row names the option, the field that receives its value, and the values that are allowed. The
 * table also produces --help and the error messages. Every unit parses the same words; only unit 0
 * prints.
 *
 *   const struct args_option table[] = {
 *       {"steps", "N", ARGS_FIELD(&opts->steps), 1, MAX_STEPS, 50, .help = "time steps"},
 *   };
 *   int leave = args_parse("heat3d", table, ARGS_COUNT(table), argc, argv);
 *   if (leave != ARGS_RUN) return leave; */
#ifndef EXAMPLES_ARGS_H
#define EXAMPLES_ARGS_H

#include <ctype.h>
#include <errno.h>
#include <eyot/eyot.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results of args_parse besides exit code 0, after --help. */
enum { ARGS_RUN = -1, ARGS_ERROR = 2 };

enum args_type {
  ARGS_NONE = 0, /* the option has no value */
  ARGS_UINT32,
  ARGS_UINT64,
  ARGS_TRIPLE, /* X, which stands for X,X,X, or X,Y,Z */
  ARGS_CHOICE, /* the number of a word, from 0 */
  ARGS_TEXT    /* not empty */
};

struct args_option {
  const char *name;    /* without -- */
  const char *value;   /* stands for the value in --help; of a choice, the words: "put|get" */
  enum args_type type; /* set together with `field` by ARGS_FIELD or ARGS_WORD */
  void *field;
  uint64_t min, max; /* bounds of a number */
  uint64_t initial;  /* stored in the field before parsing; 0: the field stays as it is */
  const char *help;
  /* optional: the option stores `set` here */
  bool *flag;
  bool set;
};

/* A field for a number, three numbers or a text: the type of the field is the type of the
 * option. */
/* clang-format off */
#define ARGS_FIELD(pointer)                     \
  .type = _Generic((pointer),                   \
                   uint32_t *: ARGS_UINT32,     \
                   uint64_t *: ARGS_UINT64,     \
                   uint32_t (*)[3]: ARGS_TRIPLE, \
                   const char **: ARGS_TEXT),   \
  .field = (pointer)
/* A field for a choice: an enumeration that counts from 0 in the order of the words. */
#define ARGS_WORD(pointer) .type = _Generic((pointer), uint32_t *: ARGS_CHOICE), .field = (pointer)
/* clang-format on */
#define ARGS_COUNT(table) (sizeof(table) / sizeof(table)[0])

enum { ARGS_MAX_OPTIONS = 16, ARGS_MESSAGE_BYTES = 256, ARGS_HELP_BYTES = 512 };
/* Columns of --help. */
enum { ARGS_HELP_COLUMN = 26, ARGS_HELP_WIDTH = 96 };

/* Prints "program: message" on unit 0. Returns ARGS_ERROR, the exit code for a wrong command
 * line. */
__attribute__((format(printf, 2, 3))) static inline int args_error(const char *program,
                                                                   const char *format, ...) {
  if (eyot_me().id != 0) return ARGS_ERROR;
  va_list values;
  fprintf(stderr, "%s: ", program);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fprintf(stderr, "; `%s --help` lists all options\n", program);
  return ARGS_ERROR;
}

/* Reads digits at *text and moves *text past them. */
static inline bool args_number(const char **text, const struct args_option *option,
                               uint64_t *value) {
  char *end;
  if (!isdigit((unsigned char)**text)) return false;
  errno = 0;
  unsigned long long number = strtoull(*text, &end, 10);
  if (errno != 0 || number < option->min || number > option->max) return false;
  *text = end;
  *value = number;
  return true;
}

static inline bool args_triple(const char *text, const struct args_option *option,
                               uint32_t triple[3]) {
  uint64_t value[3];
  int n = 0;
  for (;; text++) {
    if (!args_number(&text, option, &value[n])) return false;
    n++;
    if (n == 3 || *text != ',') break;
  }
  if (*text != '\0' || n == 2) return false;
  for (int i = 0; i < 3; i++) triple[i] = (uint32_t)value[n == 1 ? 0 : i];
  return true;
}

static inline bool args_word(const char *text, const char *words, uint32_t *index) {
  size_t bytes = strlen(text);
  for (uint32_t i = 0;; i++) {
    size_t length = strcspn(words, "|");
    if (length == bytes && memcmp(words, text, bytes) == 0) {
      *index = i;
      return true;
    }
    if (words[length] == '\0') return false;
    words += length + 1;
  }
}

/* Stores a value in the option's field; false if the value is not allowed. */
static inline bool args_store(const struct args_option *option, const char *text) {
  uint64_t number;
  switch (option->type) {
    case ARGS_NONE:
      break;
    case ARGS_UINT32:
      if (!args_number(&text, option, &number) || *text != '\0') return false;
      *(uint32_t *)option->field = (uint32_t)number;
      break;
    case ARGS_UINT64:
      if (!args_number(&text, option, &number) || *text != '\0') return false;
      *(uint64_t *)option->field = number;
      break;
    case ARGS_TRIPLE:
      if (!args_triple(text, option, option->field)) return false;
      break;
    case ARGS_CHOICE:
      if (!args_word(text, option->value, option->field)) return false;
      break;
    case ARGS_TEXT:
      if (text[0] == '\0') return false;
      *(const char **)option->field = text;
      break;
  }
  if (option->flag != NULL) *option->flag = option->set;
  return true;
}

static inline void args_store_initial(const struct args_option *option) {
  if (option->initial == 0) return;
  if (option->type == ARGS_UINT64) *(uint64_t *)option->field = option->initial;
  for (int i = 0; i < 3 && option->type == ARGS_TRIPLE; i++)
    ((uint32_t *)option->field)[i] = (uint32_t)option->initial;
  if (option->type == ARGS_UINT32 || option->type == ARGS_CHOICE)
    *(uint32_t *)option->field = (uint32_t)option->initial;
}

/* The values that an option allows, for messages. */
static inline const char *args_expected(const struct args_option *option,
                                        char text[ARGS_MESSAGE_BYTES]) {
  unsigned long long min = option->min, max = option->max;
  if (option->type == ARGS_CHOICE)
    snprintf(text, ARGS_MESSAGE_BYTES, "one of %s", option->value);
  else if (option->type == ARGS_TEXT)
    snprintf(text, ARGS_MESSAGE_BYTES, "%s, not empty", option->value);
  else if (option->type == ARGS_TRIPLE)
    snprintf(text, ARGS_MESSAGE_BYTES, "X or X,Y,Z, whole numbers from %llu to %llu", min, max);
  else
    snprintf(text, ARGS_MESSAGE_BYTES, "a whole number from %llu to %llu", min, max);
  return text;
}

/* Prints words from ARGS_HELP_COLUMN on; `column` is where the line stands. */
static inline void args_print_text(int column, const char *text) {
  if (column >= ARGS_HELP_COLUMN) column = printf("\n") - 1;
  printf("%*s", ARGS_HELP_COLUMN - column, "");
  column = ARGS_HELP_COLUMN;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (column > ARGS_HELP_COLUMN && column + 1 + length > ARGS_HELP_WIDTH)
      column = printf("\n%*s", ARGS_HELP_COLUMN, "") - 1;
    else if (column > ARGS_HELP_COLUMN)
      column += printf(" ");
    column += printf("%.*s", length, text);
    text += length + (text[length] == ' ');
  }
  printf("\n");
}

static inline void args_print_option(const struct args_option *option) {
  char text[ARGS_HELP_BYTES], bounds[ARGS_MESSAGE_BYTES] = "", first[32] = "";
  unsigned long long min = option->min, max = option->max, initial = option->initial;
  bool number = option->type == ARGS_UINT32 || option->type == ARGS_UINT64;
  if (initial != 0) snprintf(first, sizeof first, ", default %llu", initial);
  if (number || option->type == ARGS_TRIPLE)
    snprintf(bounds, sizeof bounds, " (%llu to %llu%s)", min, max, first);
  snprintf(text, sizeof text, "%s%s", option->help, bounds);
  args_print_text(printf("  --%s%s%s", option->name, option->type == ARGS_NONE ? "" : " ",
                         option->type == ARGS_NONE ? "" : option->value),
                  text);
}

static inline void args_print_help(const char *program, const struct args_option *table,
                                   size_t count) {
  if (eyot_me().id != 0) return;
  printf("usage: %s [OPTIONS]\n", program);
  for (size_t i = 0; i < count; i++) args_print_option(&table[i]);
  args_print_text(printf("  --help"), "print this text");
}

/* Rejects the word at which getopt_long stopped with '?' or ':'. `at`: the option, or NULL. */
static inline int args_reject(const char *program, const struct args_option *at, const char *word) {
  char expected[ARGS_MESSAGE_BYTES];
  if (at == NULL) return args_error(program, "unknown option '%s'", word);
  if (at->type == ARGS_NONE)
    return args_error(program, "--%s takes no value: '%s'", at->name, word);
  return args_error(program, "--%s needs a value: expected %s", at->name,
                    args_expected(at, expected));
}

/* Returns ARGS_RUN, or the exit code to leave with: 0 after --help, ARGS_ERROR after an error.
 * `count` is at most ARGS_MAX_OPTIONS. */
static inline int args_parse(const char *program, const struct args_option *table, size_t count,
                             int argc, char **argv) {
  enum { HELP = 256, FIRST };
  struct option options[ARGS_MAX_OPTIONS + 2] = {{"help", no_argument, NULL, HELP}};
  char expected[ARGS_MESSAGE_BYTES];
  for (size_t i = 0; i < count; i++) {
    int has_value = table[i].type == ARGS_NONE ? no_argument : required_argument;
    options[i + 1] = (struct option){table[i].name, has_value, NULL, FIRST + (int)i};
    args_store_initial(&table[i]);
  }
  opterr = 0;
  optind = 1;
  for (;;) {
    const char *word = argv[optind];
    int key = getopt_long(argc, argv, "+:", options, NULL);
    if (key == -1) break;
    if (key == HELP) {
      args_print_help(program, table, count);
      return 0;
    }
    if (key == '?' || key == ':')
      return args_reject(program, optopt >= FIRST ? &table[optopt - FIRST] : NULL, word);
    const struct args_option *option = &table[key - FIRST];
    if (!args_store(option, optarg))
      return args_error(program, "bad value '%s' for --%s: expected %s", optarg, option->name,
                        args_expected(option, expected));
  }
  if (optind < argc)
    return args_error(program, "unexpected word '%s': options begin with --", argv[optind]);
  return ARGS_RUN;
}
#endif
