/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - producers and consumers over rings of slots, by notified access (Belli, Hoefler 2015):
 * items per second.
 *
 * There are more items than slots: the consumer's counters fire when items have arrived, the
 * producer's when slots are free again. The consumer compares every byte of every item with the
 * expected one, which detects lost, torn, late, repeated and reordered items. The summary has one
 * phase: stream. */
#include "ring.h"

#include <stdio.h>
#include <string.h>

#include "../common/args.h"

int ring_fail(const char *what, int code) {
  fprintf(stderr, "ring: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

static void print_result(const struct ring_opts *opts, uint64_t streams, uint64_t ns) {
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  double items = (double)streams * opts->items, seconds = (double)ns / 1e9;
  printf(
      "ring: %u units (%s), %llu streams of %u items of %u bytes by %s, %u slots in windows of "
      "%u\n",
      eyot_size(), eyot_fabric_name(), (unsigned long long)streams, opts->items, opts->bytes,
      opts->by == RING_PUT ? "put" : "get", opts->slots, opts->window);
  printf("ring: %.0f items/s, %.0f bytes/s in %s time (%.3f ms)\n", ns > 0 ? items / seconds : 0.0,
         ns > 0 ? items * opts->bytes / seconds : 0.0, clock, (double)ns / 1e6);
  fflush(stdout);
}

static void judge(const struct ring_opts *opts, uint64_t streams, uint64_t wrong) {
  if (wrong == 0)
    printf("ring: verified: %llu items, each whole and in its turn\n",
           (unsigned long long)(streams * opts->items));
  else
    printf("ring: WRONG: %llu of %llu items\n", (unsigned long long)wrong,
           (unsigned long long)(streams * opts->items));
  fflush(stdout);
}

static int run(const struct ring_opts *opts, bool *right) {
  struct ring_ends ends;
  uint64_t wrong = 0, all_wrong, ns,
           streams = opts->shape == RING_RING ? eyot_size() : eyot_size() - 1;
  RING_TRY(ring_ends_open(opts, &ends));
  RING_TRY(eyot_phase("stream"));
  uint64_t begin = eyot_now_ns();
  int code = ring_run(opts, &ends, &wrong);
  if (code != EYOT_OK) return code;
  uint64_t mine = eyot_now_ns() - begin;
  RING_TRY(eyot_phase(NULL));
  RING_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &ns, 1));
  RING_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &wrong, &all_wrong, 1));
  if (eyot_me().id == 0) {
    print_result(opts, streams, ns);
    judge(opts, streams, all_wrong);
  }
  *right = all_wrong == 0;
  return ring_ends_close(opts, &ends);
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct ring_opts *opts) {
  const struct args_option table[] = {
      {"shape", "ring|fan", ARGS_WORD(&opts->shape),
       .help = "ring (default): each unit produces for the next one; fan: unit 0 produces for each "
               "of the others"},
      {"by", "put|get", ARGS_WORD(&opts->by),
       .help = "put (default): the producer puts items, and a put without bytes returns the slots; "
               "get: the consumer gets items, which returns the slots"},
      {"items", "N", ARGS_FIELD(&opts->items), 1, RING_MAX_ITEMS, 100,
       .help = "items of each stream"},
      {"bytes", "B", ARGS_FIELD(&opts->bytes), RING_MIN_BYTES, RING_MAX_BYTES, 256,
       .help = "bytes of an item"},
      {"slots", "S", ARGS_FIELD(&opts->slots), 1, RING_MAX_SLOTS, 8,
       .help = "slots of each stream"},
      {"window", "W", ARGS_FIELD(&opts->window), 1, RING_MAX_SLOTS, 1,
       .help = "slots that are announced and returned together; divides the slots"},
  };
  int leave = args_parse("ring", table, ARGS_COUNT(table), argc, argv);
  if (leave != ARGS_RUN) return leave;
  if (opts->slots % opts->window != 0)
    return args_error("ring",
                      "%u slots cannot be cut into windows of %u; choose a --window that "
                      "divides --slots",
                      opts->slots, opts->window);
  if (opts->shape == RING_FAN && eyot_size() < 2)
    return args_error("ring", "shape fan needs 2 units or more; start more units");
  return ARGS_RUN;
}

int main(int argc, char **argv) {
  struct ring_opts opts = {.shape = RING_RING, .by = RING_PUT};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "ring: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) {
    if (run(&opts, &right) != EYOT_OK) eyot_abort(1, "ring cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
