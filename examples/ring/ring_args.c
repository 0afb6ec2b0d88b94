/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_args.c - ring's command line. Every unit parses the same words; only unit 0 prints, so
 * parsing itself is silent. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

enum { RING_MAX_ITEMS = 1 << 24, RING_MAX_BYTES = 1 << 24 };

const char *ring_args_usage(void) {
  return "usage: ring [OPTIONS]\n"
         "  --shape S             ring (default): each unit produces for the next one; fan: unit 0 "
         "produces for each of the others\n"
         "  --by M                put (default): the producer puts items, a put without bytes "
         "returns the slots; get: the consumer gets "
         "items,\n"
         "                        which returns the slots\n"
         "  --items N             items of each stream (default 100)\n"
         "  --bytes B             bytes of an item, 16 or more (default 256)\n"
         "  --slots S             slots of each stream, 1..1024 (default 8)\n"
         "  --window W            slots that are announced and returned together; divides the "
         "slots (default 1)\n"
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

static int parse_word(const char *text, const char *first, const char *second, bool *is_second) {
  *is_second = strcmp(text, second) == 0;
  return *is_second || strcmp(text, first) == 0 ? 0 : -1;
}

static int take_option(int key, const char *value, struct ring_opts *opts) {
  bool second;
  switch (key) {
    case 's':
      if (parse_word(value, "ring", "fan", &second) != 0) return -1;
      opts->shape = second ? RING_FAN : RING_RING;
      return 0;
    case 'm':
      if (parse_word(value, "put", "get", &second) != 0) return -1;
      opts->by = second ? RING_GET : RING_PUT;
      return 0;
    case 'i':
      return parse_number(value, 1, RING_MAX_ITEMS, &opts->items);
    case 'b':
      return parse_number(value, RING_MIN_BYTES, RING_MAX_BYTES, &opts->bytes);
    case 'n':
      return parse_number(value, 1, RING_MAX_SLOTS, &opts->slots);
    case 'w':
      return parse_number(value, 1, RING_MAX_SLOTS, &opts->window);
    default:
      return -1;
  }
}

static int check_together(const struct ring_opts *opts, char *message, size_t message_bytes) {
  if (opts->slots % opts->window != 0) {
    snprintf(message, message_bytes, "%u slots cannot be cut into windows of %u", opts->slots,
             opts->window);
    return -1;
  }
  if (opts->shape == RING_FAN && eyot_size() < 2) {
    snprintf(message, message_bytes, "shape fan needs 2 units or more");
    return -1;
  }
  return 0;
}

int ring_args_parse(int argc, char **argv, struct ring_opts *opts, char *message,
                    size_t message_bytes) {
  static const struct option table[] = {{"shape", 1, NULL, 's'}, {"by", 1, NULL, 'm'},
                                        {"items", 1, NULL, 'i'}, {"bytes", 1, NULL, 'b'},
                                        {"slots", 1, NULL, 'n'}, {"window", 1, NULL, 'w'},
                                        {"help", 0, NULL, 'h'},  {NULL, 0, NULL, 0}};
  *opts = (struct ring_opts){
      .shape = RING_RING, .by = RING_PUT, .items = 100, .bytes = 256, .slots = 8, .window = 1};
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
  return check_together(opts, message, message_bytes);
}
