/* SPDX-License-Identifier: BSD-3-Clause */
/* gups_args.c - gups's command line. Every unit parses the same words; only unit 0 prints, so
 * parsing itself is silent. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gups.h"

enum { GUPS_MAX_LOG2 = 40 };
#define GUPS_MAX_UPDATES (UINT64_C(1) << 48)

const char *gups_args_usage(void) {
  return "usage: gups [OPTIONS]\n"
         "  --log2-table M        2^M words in the whole table (default: 256 words a unit, for "
         "getput 1024, rounded up)\n"
         "  --updates N           updates of all units together (default: four times the words)\n"
         "  --variant V           atomic (default): xor atomics, none may be lost; getput: get, "
         "xor, put, which loses some (at most 1% "
         "allowed)\n"
         "  --verify, --no-verify apply the same updates again and count the words that did not "
         "return to their start (default: yes)\n"
         "  --help\n";
}

static int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  char *end;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 10);
  if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || v < min || v > max)
    return -1;
  *value = v;
  return 0;
}

static int take_option(int key, const char *value, struct gups_opts *opts) {
  uint64_t number;
  switch (key) {
    case 't':
      if (parse_number(value, 1, GUPS_MAX_LOG2, &number) != 0) return -1;
      opts->log2_table = (uint32_t)number;
      return 0;
    case 'u':
      return parse_number(value, 1, GUPS_MAX_UPDATES, &opts->updates);
    case 'v':
      if (strcmp(value, "atomic") != 0 && strcmp(value, "getput") != 0) return -1;
      opts->variant = strcmp(value, "atomic") == 0 ? GUPS_ATOMIC : GUPS_GETPUT;
      return 0;
    case 'V':
      opts->verify = true;
      return 0;
    case 'N':
      opts->verify = false;
      return 0;
    default:
      return -1;
  }
}

int gups_args_parse(int argc, char **argv, struct gups_opts *opts, char *message,
                    size_t message_bytes) {
  static const struct option table[] = {{"log2-table", 1, NULL, 't'},
                                        {"updates", 1, NULL, 'u'},
                                        {"variant", 1, NULL, 'v'},
                                        {"verify", 0, NULL, 'V'},
                                        {"no-verify", 0, NULL, 'N'},
                                        {"help", 0, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  *opts = (struct gups_opts){.variant = GUPS_ATOMIC, .verify = true};
  opterr = 0;
  optind = 1;
  for (;;) {
    int word = optind, which = -1;
    int key = getopt_long(argc, argv, "+:", table, &which);
    if (key == -1) break;
    if (key == 'h') return 1;
    if (key == '?' || key == ':') {
      snprintf(message, message_bytes, "%s '%s'",
               key == ':' ? "a value is missing behind" : "unknown option", argv[word]);
      return -1;
    }
    if (take_option(key, optarg, opts) != 0) {
      snprintf(message, message_bytes, "bad value '%s' for --%s", optarg, table[which].name);
      return -1;
    }
  }
  if (optind < argc) {
    snprintf(message, message_bytes, "unexpected word '%s'", argv[optind]);
    return -1;
  }
  return 0;
}
