/* SPDX-License-Identifier: BSD-3-Clause */
/* hashtable.c - a distributed hash table: all units insert random 8-byte keys at the same time.
 *
 * Each unit owns a local volume: a table of slots, and an overflow heap for keys that collide. A
 * compare-and-swap writes a key into its slot. If the slot is taken, a fetch-and-add on the
 * volume's next-free index allocates a cell of the heap, a put fills it, and a second
 * compare-and-swap makes it the last cell of the slot's chain. The owner takes no part. Inserts of
 * a unit are sequential, because atomics that return a value block. Phases in the summary: insert,
 * verify. */
#include "hashtable.h"

#include <stdio.h>
#include <string.h>

#include "../common/args.h"

enum { HT_INSERTS_SIM = 256, HT_INSERTS = 16384, HT_COMPUTE_EVERY = 64 };
#define HT_MAX_INSERTS (UINT64_C(1) << 24)
#define HT_MAX_CELLS (UINT64_C(1) << 31)
#define HT_MAX_SEED ((UINT64_C(1) << 24) - 1)

int ht_fail(const char *what, int code) {
  fprintf(stderr, "hashtable: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

int ht_broken(const char *what) {
  fprintf(stderr, "hashtable: unit %u: the table is damaged: %s\n", eyot_me().id, what);
  return EYOT_ESTATE;
}

static bool on_sim(void) {
  return strcmp(eyot_fabric_name(), "sim") == 0;
}

/* Defaults of options that are not given. With the default table one insert in five collides. */
static void complete_options(struct ht_opts *opts) {
  if (opts->inserts == 0) opts->inserts = on_sim() ? HT_INSERTS_SIM : HT_INSERTS;
  if (opts->table == 0) opts->table = 2 * opts->inserts;
  if (opts->heap == 0) opts->heap = opts->inserts / 2 + 64;
}

static void print_problem(const struct ht_opts *opts) {
  printf("hashtable: %u units (%s), a unit: %llu inserts, %llu slots, %llu overflow cells; ",
         eyot_size(), eyot_fabric_name(), (unsigned long long)opts->inserts,
         (unsigned long long)opts->table, (unsigned long long)opts->heap);
  if (opts->distinct == 0)
    printf("all keys differ, seed %llu\n", (unsigned long long)opts->seed);
  else
    printf("keys drawn from %llu, seed %llu\n", (unsigned long long)opts->distinct,
           (unsigned long long)opts->seed);
  fflush(stdout);
}

/* One insert and, if it is to be watched, a lookup while others insert. */
static int insert_one(const struct ht_opts *opts, const struct ht_table *t, uint64_t key,
                      struct ht_tally *tally) {
  uint64_t count, refused = tally->refused;
  int code = ht_insert(t, key, tally);
  if (code != EYOT_OK || !opts->watch || tally->refused != refused) return code;
  code = ht_lookup(t, key, &count);
  if (code == EYOT_OK && count == 0) tally->unseen++;
  return code;
}

/* All inserts of all units, with synchronization: from a barrier to the end of the fence. */
static int insert_all(const struct ht_opts *opts, const struct ht_table *t, struct ht_tally *tally,
                      uint64_t *ns) {
  HT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  HT_TRY(eyot_phase("insert"));
  uint64_t begin = eyot_now_ns();
  for (uint64_t i = 0; i < opts->inserts; i++) {
    if (i % HT_COMPUTE_EVERY == 0) HT_TRY(eyot_compute(HT_COMPUTE_EVERY * HT_KEY_NS));
    int code = insert_one(opts, t, ht_key(opts, eyot_me().id, i), tally);
    if (code != EYOT_OK) return code;
  }
  HT_TRY(eyot_fence(t->g));
  *ns = eyot_now_ns() - begin;
  HT_TRY(eyot_phase("verify"));
  return EYOT_OK;
}

static void print_result(uint64_t inserts, const struct ht_tally *tally, uint64_t ns) {
  printf("hashtable: %llu inserts, %llu collisions (%.1f%%), %llu further tries to link\n",
         (unsigned long long)inserts, (unsigned long long)tally->collisions,
         100.0 * (double)tally->collisions / (double)inserts, (unsigned long long)tally->retries);
  printf("hashtable: %.0f inserts/s in %s time (%.3f ms)\n",
         ns > 0 ? (double)inserts * 1e9 / (double)ns : 0.0, on_sim() ? "virtual" : "wall",
         (double)ns / 1e6);
  fflush(stdout);
}

static void print_full(const struct ht_opts *opts, const struct ht_tally *tally, uint64_t inserts,
                       uint64_t needed) {
  fprintf(stderr,
          "hashtable: %llu of %llu keys were not inserted: an overflow heap of %llu cells was "
          "full; give --heap %llu or more, or a larger "
          "--table\n",
          (unsigned long long)tally->refused, (unsigned long long)inserts,
          (unsigned long long)opts->heap, (unsigned long long)needed);
}

static int run(const struct ht_opts *opts, const struct ht_table *t, bool *right) {
  struct ht_tally mine = {0, 0, 0, 0}, all;
  uint64_t size[2], largest[2], taken;
  int code = insert_all(opts, t, &mine, &size[0]);
  if (code != EYOT_OK) return code;
  HT_TRY(eyot_read_u64(eyot_gptr_at(t->g, eyot_me()), &taken)); /* next_free */
  size[1] = taken;
  HT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all,
                        sizeof all / sizeof(uint64_t)));
  HT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, size, largest, 2));
  uint64_t inserts = opts->inserts * eyot_size();
  if (all.refused > 0) {
    if (eyot_me().id == 0) print_full(opts, &all, inserts, largest[1]);
    *right = false;
  } else {
    if (eyot_me().id == 0) print_result(inserts, &all, largest[0]);
    if (all.unseen > 0) {
      if (eyot_me().id == 0)
        printf("hashtable: WRONG: %llu keys were not found right after their insert\n",
               (unsigned long long)all.unseen);
      *right = false;
    } else if (opts->verify) {
      code = ht_check(opts, t, right);
      if (code != EYOT_OK) return code;
    } else if (eyot_me().id == 0) {
      printf("hashtable: not verified (--no-verify)\n");
    }
  }
  HT_TRY(eyot_phase(NULL));
  return EYOT_OK;
}

/* Returns the exit code. An error that all units see ends the run in order; any other aborts it. */
static int work(struct ht_opts *opts) {
  struct ht_table t;
  bool right = true, speaks = eyot_me().id == 0;
  complete_options(opts);
  int code = ht_open(opts, &t);
  if (code == EYOT_ENOMEM) {
    if (speaks)
      fprintf(stderr,
              "hashtable: a volume takes %llu bytes of a unit's symmetric heap; raise "
              "EYOT_HEAP_MAX, or take fewer --inserts, --table or "
              "--heap\n",
              (unsigned long long)ht_volume_bytes(opts));
    return 1;
  }
  if (code != EYOT_OK) eyot_abort(1, "hashtable cannot continue");
  if (speaks) print_problem(opts);
  if (run(opts, &t, &right) != EYOT_OK || eyot_team_free(t.g) != EYOT_OK)
    eyot_abort(1, "hashtable cannot continue");
  return right ? 0 : 1;
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct ht_opts *opts) {
  const struct args_option table[] = {
      {"inserts", "N", ARGS_FIELD(&opts->inserts), 1, HT_MAX_INSERTS,
       .help = "keys that each unit inserts; by default 16384, on the sim fabric 256"},
      {"table", "N", ARGS_FIELD(&opts->table), 1, HT_MAX_CELLS,
       .help = "slots of each unit's table; by default twice the inserts"},
      {"heap", "N", ARGS_FIELD(&opts->heap), 1, HT_MAX_CELLS,
       .help = "cells of each unit's overflow heap; by default half the inserts, and 64"},
      {"distinct", "N", ARGS_FIELD(&opts->distinct), 1, UINT32_MAX,
       .help = "draw keys from N different ones; a key that is inserted twice is in the table "
               "twice; by default all keys differ"},
      {"seed", "N", ARGS_FIELD(&opts->seed), 0, HT_MAX_SEED, 1, .help = "seed of the keys"},
      {"watch", .flag = &opts->watch, .set = true,
       .help = "look each key up right after its insert, while other units insert (costs time)"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "look up every key and compare the volumes with the keys (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  return args_parse("hashtable", table, ARGS_COUNT(table), argc, argv);
}

int main(int argc, char **argv) {
  struct ht_opts opts = {.verify = true};
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "hashtable: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) leave = work(&opts);
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
