/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups.c - RandomAccess as in section 6.5.3 of Zhou (figure 6.12). An update reads a word of
 * a table that is spread over all units, writes it changed, and counts it by an atomic
 * fetch-and-add; each step is complete before the next. In examples/gups, as in HPCC, updates
 * overlap.
 *
 *   eyotrun --fabric sim --platform xc40 -n N bench_gups PLACE LOG2_WORDS ROUNDS UPDATES
 *   eyotrun --fabric mpi -n N [--node-size S] bench_gups_mpi PLACE LOG2_WORDS ROUNDS
 * N is a power of two; a unit has 2^LOG2_WORDS words and makes UPDATES updates a block, by default
 * as many as take about BLOCK_NS. bench_gups_mpi alternates between eyot and MPI.
 * Lines: value WAY@N rate_{virtual|wall}_PLACE GUP/s NUMBER. */
#include "bench_gups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/gups/gups_stream.h"
#include "bench.h"

/* UPDATES_LEAST: between virtual nodes, with more units than processors, one may take
 * milliseconds. */
enum {
  BLOCK_NS = 20000000,
  UPDATES_LEAST = 8,
  LOG2_MOST = 24,
  ROUNDS_MOST = 1000,
  WAYS_MOST = 4,
  UPDATE_NS = 2
};
/* As HPCC: so many updates a word; more would lose more of them. */
enum { UPDATES_A_WORD = 4, LOST_ONE_IN = 100 };

struct task {
  const char *place;
  uint32_t log2_words, log2_units, rounds;
  uint64_t updates; /* 0: as many as make a block */
};

static void all_here(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static void reset(const struct ra_way *way, const struct ra_table *t) {
  uint64_t words = ra_words(t), first = words * eyot_me().id;
  for (uint64_t k = 0; k < words; k++) t->mine[k] = first + k;
  t->mine[words] = 0;
  way->sync(t);
  all_here();
}

/* Each unit applies again the updates of the stream that are of its words: x ^ a ^ a = x, so
 * without losses every word is its index again. HPCC allows one in a hundred to be lost, because
 * reading and writing are two steps. All updates must be counted; else the job aborts. */
static void verify(const struct ra_way *way, const struct ra_table *t, uint64_t updates) {
  uint64_t words = ra_words(t), me = eyot_me().id, all = updates << t->log2_units, sum[2] = {0};
  way->sync(t);
  uint64_t x = gups_at(RA_STREAM);
  for (uint64_t k = 0; k < all; k++) {
    x = gups_next(x);
    uint64_t i = ra_index(t, x);
    if (i >> t->log2_words == me) t->mine[i & (words - 1)] ^= x;
  }
  for (uint64_t k = 0; k < words; k++) sum[0] += t->mine[k] != words * me + k;
  sum[1] = t->mine[words];
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, sum, sum, 2), "eyot_allreduce");
  uint64_t table = words << t->log2_units, base = all < table ? all : table;
  if (sum[1] == all && sum[0] * LOST_ONE_IN <= base) return;
  if (me == 0)
    fprintf(stderr,
            "bench_gups: %s: %lu of %lu updates counted, %lu words wrong; expected all, and at "
            "most one in %d of %lu\n",
            way->name, sum[1], all, sum[0], LOST_ONE_IN, base);
  all_here(); /* else another unit's end of the job may come before the message */
  eyot_abort(1, "bench_gups: not verified");
}

/* ns from a barrier until all units have made `updates` updates each, of their shares of HPCC's
 * stream; the same number on all units. */
static uint64_t block(const struct ra_way *way, const struct ra_table *t, uint64_t updates) {
  uint64_t x = gups_at(RA_STREAM + updates * eyot_me().id), mine, ns;
  reset(way, t);
  uint64_t begin = eyot_now_ns();
  must(eyot_compute(updates * UPDATE_NS), "eyot_compute");
  way->update(t, x, updates);
  way->finish(t);
  mine = eyot_now_ns() - begin;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &ns, 1), "eyot_allreduce");
  verify(way, t, updates);
  return ns;
}

static uint64_t enough(const struct ra_way *way, const struct ra_table *t,
                       const struct task *task) {
  if (task->updates != 0) return task->updates;
  uint64_t n = UPDATES_LEAST, most = ra_words(t) * UPDATES_A_WORD;
  while (n < most && block(way, t, n) < BLOCK_NS) n *= 2;
  return n < most ? n : most;
}

static void measure(const struct task *task) {
  struct ra_table t[WAYS_MOST] = {0};
  uint64_t n[WAYS_MOST];
  uint32_t ways = 0;
  for (; RA_WAYS[ways].name != NULL; ways++) {
    if (ways == WAYS_MOST) eyot_abort(1, "more ways than WAYS_MOST");
    t[ways] = (struct ra_table){.log2_words = task->log2_words, .log2_units = task->log2_units};
    RA_WAYS[ways].open(&t[ways]);
    n[ways] = enough(&RA_WAYS[ways], &t[ways], task);
  }
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  for (uint32_t round = 0; round < task->rounds; round++)
    for (uint32_t i = 0; i < ways; i++) {
      uint32_t w = round % 2 == 0 ? i : ways - 1 - i;
      uint64_t ns = block(&RA_WAYS[w], &t[w], n[w]);
      if (eyot_me().id == 0)
        printf("value %s@%u rate_%s_%s GUP/s %.6g\n", RA_WAYS[w].name, eyot_size(), clock,
               task->place, (double)(n[w] << task->log2_units) / (double)ns);
    }
  fflush(stdout);
  for (uint32_t w = ways; w > 0; w--) RA_WAYS[w - 1].close(&t[w - 1]);
}

static bool understood(int argc, char **argv, struct task *task) {
  long log2_words = argc > 2 ? atol(argv[2]) : 0, rounds = argc > 3 ? atol(argv[3]) : 0,
       updates = argc > 4 ? atol(argv[4]) : 0;
  uint32_t units = 0;
  while ((UINT64_C(1) << units) < eyot_size()) units++;
  if (argc < 4 || argc > 5 || eyot_size() != UINT32_C(1) << units) return false;
  if (log2_words < 1 || log2_words > LOG2_MOST || rounds < 1 || rounds > ROUNDS_MOST) return false;
  if (argc == 5 && (updates < 1 || updates > UPDATES_A_WORD * (1L << log2_words))) return false;
  *task = (struct task){.place = argv[1],
                        .log2_words = (uint32_t)log2_words,
                        .log2_units = units,
                        .rounds = (uint32_t)rounds,
                        .updates = (uint64_t)updates};
  return true;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  struct task task;
  bool right = understood(argc, argv, &task);
  if (right)
    measure(&task);
  else if (eyot_me().id == 0)
    fprintf(stderr,
            "bench_gups: needs a power of two of units, and PLACE LOG2_WORDS ROUNDS [UPDATES]: "
            "words 2^1 to 2^%d a unit, rounds 1 to %d, "
            "updates of a unit at "
            "most %d a word\n",
            LOG2_MOST, ROUNDS_MOST, UPDATES_A_WORD);
  return eyot_finalize() != EYOT_OK ? 1 : right ? 0 : 2;
}
