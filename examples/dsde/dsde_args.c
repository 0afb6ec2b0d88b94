/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde_args.c - dsde's command line. Every unit parses the same words; only unit 0 prints, so
 * parsing itself is silent. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsde.h"

const char *dsde_args_usage(void) {
  return "usage: dsde [OPTIONS]\n"
         "  --protocol P          accumulate: places taken by atomics, puts, a fence; notify: "
         "notified puts and a split-phase barrier;\n"
         "                        alltoall: counts, then data; all (default): one after the other\n"
         "  --targets K           random units to which each unit sends 8 bytes, 1..4096 (default "
         "6)\n"
         "  --rounds N            exchanges by each protocol, 1..4096 (default 5)\n"
         "  --room N              items that a unit can receive in an exchange (default: four "
         "times the targets, and 32)\n"
         "  --seed N              seed of the targets (default 1)\n"
         "  --back-to-back        no barrier before each exchange: shows that exchanges do not "
         "disturb each other; times are not those of "
         "one exchange\n"
         "  --help\n";
}

static const char *const NAMES[DSDE_PROTOCOLS] = {"accumulate", "notify", "alltoall"};

const char *dsde_protocol_name(int protocol) {
  return NAMES[protocol];
}

static int parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *value) {
  char *end;
  errno = 0;
  unsigned long v = strtoul(text, &end, 10);
  if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || v < min || v > max)
    return -1;
  *value = (uint32_t)v;
  return 0;
}

static int parse_protocol(const char *text, bool use[DSDE_PROTOCOLS]) {
  bool all = strcmp(text, "all") == 0, any = all;
  for (int i = 0; i < DSDE_PROTOCOLS; i++) {
    use[i] = all || strcmp(text, NAMES[i]) == 0;
    any = any || use[i];
  }
  return any ? 0 : -1;
}

static int take_option(int key, const char *value, struct dsde_opts *opts) {
  switch (key) {
    case 'p':
      return parse_protocol(value, opts->use);
    case 'k':
      return parse_number(value, 1, DSDE_MAX_TARGETS, &opts->targets);
    case 'n':
      return parse_number(value, 1, DSDE_MAX_ROUNDS, &opts->rounds);
    case 'r':
      return parse_number(value, 1, DSDE_MAX_ROOM, &opts->room);
    case 's':
      return parse_number(value, 0, UINT32_MAX, &opts->seed);
    case 'b':
      opts->meet = false;
      return 0;
    default:
      return -1;
  }
}

int dsde_args_parse(int argc, char **argv, struct dsde_opts *opts, char *message,
                    size_t message_bytes) {
  static const struct option table[] = {{"protocol", 1, NULL, 'p'}, {"targets", 1, NULL, 'k'},
                                        {"rounds", 1, NULL, 'n'},   {"room", 1, NULL, 'r'},
                                        {"seed", 1, NULL, 's'},     {"back-to-back", 0, NULL, 'b'},
                                        {"help", 0, NULL, 'h'},     {NULL, 0, NULL, 0}};
  *opts = (struct dsde_opts){
      .use = {true, true, true}, .targets = 6, .rounds = 5, .seed = 1, .meet = true};
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
  if (opts->room == 0) opts->room = 4 * opts->targets + 32;
  return 0;
}
