/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_args.c - heat3d's command line. Every unit parses the same words; only unit 0 prints, so
 * parsing itself is silent. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat3d.h"

enum { HEAT_MAX_SIZE = 65535, HEAT_MAX_STEPS = 100000000, HEAT_MAX_CELL_NS = 1000000 };

const char *heat_args_usage(void) {
  return "usage: heat3d [OPTIONS]\n"
         "  --block X[,Y,Z]       cells of each unit's block (default 12,12,12; the grid grows "
         "with the number of units)\n"
         "  --size X[,Y,Z]        cells of the whole grid instead; blocks may differ by one cell\n"
         "  --steps N             time steps (default 50)\n"
         "  --variant V           nonblocking (default): gets in flight while the inside is "
         "computed; blocking: one get after the other\n"
         "  --sync S              signals (default): each neighbor tells when its faces are "
         "ready; barrier: one barrier a step\n"
         "  --residual-every N    print the largest change of a cell every N steps (default 0: at "
         "the end)\n"
         "  --cell-ns N           declared cost of one cell's update in nanoseconds (default 5)\n"
         "  --verify, --no-verify compare with a serial run on unit 0 (default: yes)\n"
         "  --image FILE          write the middle slice as a PPM image\n"
         "  --help\n";
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

/* "X" or "X,Y,Z". */
static int parse_size(const char *text, uint32_t size[HEAT_AXES]) {
  char copy[64];
  if (strlen(text) >= sizeof copy) return -1;
  strcpy(copy, text);
  char *word = copy;
  int n = 0;
  while (word != NULL && n < HEAT_AXES) {
    char *comma = strchr(word, ',');
    if (comma != NULL) *comma++ = '\0';
    if (parse_number(word, 1, HEAT_MAX_SIZE, &size[n]) != 0) return -1;
    n++;
    word = comma;
  }
  if (word != NULL || n == 2) return -1;
  if (n == 1) size[1] = size[2] = size[0];
  return 0;
}

static int parse_word(const char *text, const char *first, const char *second, int *index) {
  *index = strcmp(text, second) == 0;
  return *index == 1 || strcmp(text, first) == 0 ? 0 : -1;
}

static int take_option(int key, const char *value, struct heat_opts *opts) {
  int index = 0;
  uint32_t size[HEAT_AXES];
  switch (key) {
    case 'b':
    case 's':
      if (parse_size(value, size) != 0) return -1;
      memcpy(opts->size, size, sizeof size);
      opts->per_unit = key == 'b';
      return 0;
    case 'n':
      return parse_number(value, 1, HEAT_MAX_STEPS, &opts->steps);
    case 'r':
      return parse_number(value, 0, HEAT_MAX_STEPS, &opts->residual_every);
    case 'c':
      return parse_number(value, 0, HEAT_MAX_CELL_NS, &opts->cell_ns);
    case 'v':
      if (parse_word(value, "nonblocking", "blocking", &index) != 0) return -1;
      opts->variant = index ? HEAT_BLOCKING : HEAT_NONBLOCKING;
      return 0;
    case 'y':
      if (parse_word(value, "signals", "barrier", &index) != 0) return -1;
      opts->sync = index ? HEAT_BARRIER : HEAT_SIGNALS;
      return 0;
    case 'i':
      opts->image = value;
      return value[0] != '\0' ? 0 : -1;
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

int heat_args_parse(int argc, char **argv, struct heat_opts *opts, char *message,
                    size_t message_bytes) {
  static const struct option table[] = {
      {"block", 1, NULL, 'b'},   {"size", 1, NULL, 's'},   {"steps", 1, NULL, 'n'},
      {"variant", 1, NULL, 'v'}, {"sync", 1, NULL, 'y'},   {"residual-every", 1, NULL, 'r'},
      {"cell-ns", 1, NULL, 'c'}, {"verify", 0, NULL, 'V'}, {"no-verify", 0, NULL, 'N'},
      {"image", 1, NULL, 'i'},   {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
  *opts = (struct heat_opts){
      .size = {12, 12, 12}, .per_unit = true, .verify = true, .steps = 50, .cell_ns = HEAT_CELL_NS};
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
