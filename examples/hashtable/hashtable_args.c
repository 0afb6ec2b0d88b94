/* SPDX-License-Identifier: BSD-3-Clause */
/* hashtable_args.c - hashtable's command line. Every unit parses the same words; only unit 0
 * prints, so parsing itself is silent. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "hashtable.h"

#define HT_MAX_INSERTS (UINT64_C(1) << 24)
#define HT_MAX_CELLS (UINT64_C(1) << 31)
#define HT_MAX_SEED ((UINT64_C(1) << 24) - 1)

const char *ht_args_usage(void) {
  return "usage: hashtable [OPTIONS]\n"
         "  --inserts N           keys that each unit inserts (default: 16384, on the sim fabric "
         "256)\n"
         "  --table N             slots of each unit's table (default: twice the inserts)\n"
         "  --heap N              cells of each unit's overflow heap (default: half the inserts, "
         "and 64)\n"
         "  --distinct N          draw keys from N different ones; a key that is inserted twice is "
         "in the table twice (default: all keys "
         "differ)\n"
         "  --seed N              seed of the keys, 0..16777215 (default 1)\n"
         "  --watch               look each key up right after its insert, while others insert "
         "(costs time)\n"
         "  --verify, --no-verify look every key up and compare with what the volumes hold "
         "(default: yes)\n"
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

static int take_option(int key, const char *value, struct ht_opts *opts) {
  switch (key) {
    case 'i':
      return parse_number(value, 1, HT_MAX_INSERTS, &opts->inserts);
    case 't':
      return parse_number(value, 1, HT_MAX_CELLS, &opts->table);
    case 'p':
      return parse_number(value, 1, HT_MAX_CELLS, &opts->heap);
    case 'd':
      return parse_number(value, 1, UINT32_MAX, &opts->distinct);
    case 's':
      return parse_number(value, 0, HT_MAX_SEED, &opts->seed);
    case 'w':
      opts->watch = true;
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

int ht_args_parse(int argc, char **argv, struct ht_opts *opts, char *message,
                  size_t message_bytes) {
  static const struct option table[] = {{"inserts", 1, NULL, 'i'}, {"table", 1, NULL, 't'},
                                        {"heap", 1, NULL, 'p'},    {"distinct", 1, NULL, 'd'},
                                        {"seed", 1, NULL, 's'},    {"watch", 0, NULL, 'w'},
                                        {"verify", 0, NULL, 'V'},  {"no-verify", 0, NULL, 'N'},
                                        {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
  *opts = (struct ht_opts){.seed = 1, .verify = true};
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
