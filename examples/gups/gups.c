/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.c - HPCC RandomAccess: random xor updates of a table that is spread over all units, in giga
 * updates per second.
 *
 * Units split the official stream of updates evenly and apply their parts at the same time.
 * Verification applies the same stream once more with atomics: x ^ a ^ a = x, so every word must
 * return to its start value, its index. Phases in the summary: update, verify. */
#include "gups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"

/* Defaults. Gets and puts lose the fewer updates the larger the table is. */
enum { GUPS_WORDS_A_UNIT = 256, GUPS_WORDS_A_UNIT_GETPUT = 1024, GUPS_UPDATES_A_WORD = 4 };
enum { GUPS_MAX_LOG2 = 40 };
#define GUPS_MAX_UPDATES (UINT64_C(1) << 48)

int gups_fail(const char *what, int code) {
  fprintf(stderr, "gups: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

static int table_open(struct gups_table *t, uint32_t log2_table) {
  void *address;
  t->words = UINT64_C(1) << log2_table;
  t->per_unit = (t->words + eyot_size() - 1) / eyot_size();
  GUPS_TRY(eyot_team_alloc(EYOT_TEAM_ALL, t->per_unit * sizeof(uint64_t), &t->g));
  GUPS_TRY(eyot_gptr_addr(eyot_gptr_at(t->g, eyot_me()), &address));
  t->mine = address;
  t->first = t->per_unit * eyot_me().id;
  t->count = t->first >= t->words                ? 0
             : t->words - t->first < t->per_unit ? t->words - t->first
                                                 : t->per_unit;
  for (uint64_t i = 0; i < t->count; i++) t->mine[i] = t->first + i;
  /* Written by plain stores, changed by atomics from here on. */
  GUPS_TRY(eyot_sync());
  GUPS_TRY(eyot_barrier(EYOT_TEAM_ALL));
  return EYOT_OK;
}

static eyot_gptr_t word_of(const struct gups_table *t, uint64_t random) {
  uint64_t i = random & (t->words - 1);
  return eyot_gptr_add(eyot_gptr_at(t->g, (eyot_unit_t){(uint32_t)(i / t->per_unit)}),
                       (int64_t)(i % t->per_unit * sizeof(uint64_t)));
}

/* Atomic updates, at most GUPS_LOOKAHEAD of them in flight. Operands stay untouched until the
 * flush. */
static int update_atomic(const struct gups_table *t, uint64_t *x, uint64_t n, uint64_t *operands) {
  for (uint64_t i = 0; i < n; i++) {
    operands[i] = *x = gups_next(*x);
    GUPS_TRY(eyot_accumulate_nbi(word_of(t, *x), EYOT_UINT64, EYOT_BXOR, &operands[i]));
  }
  GUPS_TRY(eyot_flush_all(EYOT_REMOTE));
  return EYOT_OK;
}

/* Read, change, write: between the get and the put another unit's update of the same word is lost.
 * The puts are complete before the barrier that ends this phase, so the atomics of the
 * verification find their values in the words. */
static int update_getput(const struct gups_table *t, uint64_t *x, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    uint64_t value;
    *x = gups_next(*x);
    GUPS_TRY(eyot_get(&value, word_of(t, *x), sizeof value));
    value ^= *x;
    GUPS_TRY(eyot_put(word_of(t, *x), &value, sizeof value));
  }
  return EYOT_OK;
}

/* This unit's share of the stream. Element i of the stream is the state after i+1 steps. */
static int update_all(const struct gups_table *t, uint64_t updates, enum gups_variant variant,
                      uint64_t *operands) {
  uint64_t share = updates / eyot_size(), rest = updates % eyot_size(), me = eyot_me().id;
  uint64_t first = share * me + (me < rest ? me : rest), left = share + (me < rest ? 1 : 0),
           x = gups_at(first);
  while (left > 0) {
    uint64_t n = left < GUPS_LOOKAHEAD ? left : GUPS_LOOKAHEAD;
    GUPS_TRY(eyot_compute(n * GUPS_UPDATE_NS));
    int code = variant == GUPS_ATOMIC ? update_atomic(t, &x, n, operands) : update_getput(t, &x, n);
    if (code != EYOT_OK) return code;
    left -= n;
  }
  GUPS_TRY(eyot_barrier(EYOT_TEAM_ALL));
  return EYOT_OK;
}

/* Counts the words of all units that differ from their start value. */
static int count_errors(const struct gups_table *t, uint64_t *errors) {
  uint64_t mine = 0;
  GUPS_TRY(eyot_sync());
  for (uint64_t i = 0; i < t->count; i++) mine += t->mine[i] != t->first + i;
  GUPS_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, errors, 1));
  return EYOT_OK;
}

/* Atomics must lose nothing; HPCC accepts one wrong word in a hundred for the others. */
static bool judge(const struct gups_opts *opts, const struct gups_table *t, uint64_t errors) {
  bool right = opts->variant == GUPS_ATOMIC ? errors == 0 : errors * 100 <= t->words;
  if (eyot_me().id == 0) {
    printf("gups: %s: %llu of %llu words wrong (%.4f%%, %s)\n", right ? "verified" : "WRONG",
           (unsigned long long)errors, (unsigned long long)t->words,
           100.0 * (double)errors / (double)t->words,
           opts->variant == GUPS_ATOMIC ? "none allowed" : "1% allowed");
    fflush(stdout);
  }
  return right;
}

static void print_result(const struct gups_opts *opts, uint64_t updates, uint64_t ns) {
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  printf("gups: table 2^%u words on %u units (%s), %llu updates, %s\n", opts->log2_table,
         eyot_size(), eyot_fabric_name(), (unsigned long long)updates,
         opts->variant == GUPS_ATOMIC ? "xor atomics" : "get and put");
  printf("gups: %.6f GUP/s in %s time (%.3f ms)\n", ns > 0 ? (double)updates / (double)ns : 0.0,
         clock, (double)ns / 1e6);
  fflush(stdout);
}

static int run(struct gups_opts *opts, bool *right) {
  struct gups_table t;
  uint64_t words = (uint64_t)eyot_size() *
                   (opts->variant == GUPS_ATOMIC ? GUPS_WORDS_A_UNIT : GUPS_WORDS_A_UNIT_GETPUT);
  if (opts->log2_table == 0)
    while ((UINT64_C(1) << opts->log2_table) < words) opts->log2_table++;
  GUPS_TRY(table_open(&t, opts->log2_table));
  uint64_t updates = opts->updates > 0 ? opts->updates : t.words * GUPS_UPDATES_A_WORD, ns, errors;
  uint64_t *operands = malloc(GUPS_LOOKAHEAD * sizeof(uint64_t));
  if (operands == NULL) return gups_fail("memory for the updates in flight", EYOT_ENOMEM);
  GUPS_TRY(eyot_phase("update"));
  uint64_t begin = eyot_now_ns();
  GUPS_TRY(update_all(&t, updates, opts->variant, operands));
  uint64_t mine = eyot_now_ns() - begin;
  GUPS_TRY(eyot_phase("verify"));
  GUPS_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &ns, 1));
  if (eyot_me().id == 0) print_result(opts, updates, ns);
  if (opts->verify) {
    GUPS_TRY(update_all(&t, updates, GUPS_ATOMIC, operands));
    GUPS_TRY(count_errors(&t, &errors));
    *right = judge(opts, &t, errors);
  } else if (eyot_me().id == 0) {
    printf("gups: not verified (--no-verify)\n");
  }
  GUPS_TRY(eyot_phase(NULL));
  free(operands);
  GUPS_TRY(eyot_team_free(t.g));
  return EYOT_OK;
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct gups_opts *opts) {
  const struct args_option table[] = {
      {"log2-table", "M", ARGS_FIELD(&opts->log2_table), 1, GUPS_MAX_LOG2,
       .help = "2^M words in the whole table; by default 256 words a unit, for getput 1024, "
               "rounded up"},
      {"updates", "N", ARGS_FIELD(&opts->updates), 1, GUPS_MAX_UPDATES,
       .help = "updates of all units together; by default four times the words"},
      {"variant", "atomic|getput", ARGS_WORD(&opts->variant),
       .help = "atomic (default): xor atomics, none may be lost; getput: get, xor, put, which "
               "loses some (at most 1% allowed)"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "apply the same updates again and count the words that do not return to their "
               "start value (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  return args_parse("gups", table, ARGS_COUNT(table), argc, argv);
}

int main(int argc, char **argv) {
  struct gups_opts opts = {.variant = GUPS_ATOMIC, .verify = true};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "gups: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) {
    if (run(&opts, &right) != EYOT_OK) eyot_abort(1, "gups cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
