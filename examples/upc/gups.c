/* SPDX-License-Identifier: BSD-3-Clause */
/* gups.c - HPC Challenge RandomAccess as a UPC program: relaxed reads and writes of a cyclic table,
 * so threads that meet lose updates. A second pass undoes all updates with atomics, which wait for
 * no other thread; words that are not their index afterwards are errors. HPC Challenge accepts less
 * than 1 %, and so does the exit code.
 *
 * The program has races by design: eyotcheck reports them. */
#include <eyot/upc.h>

#include "../common/args.h"
#include "../gups/gups_stream.h"
#include "all_alloc.h"

/* Updates that a thread holds at a time: HPC Challenge allows 1,024. */
enum { LOOKAHEAD = 1024, UPDATES_A_WORD = 4, UPDATE_NS = 1 };

struct gups {
  uint32_t log2_words;
  uint64_t updates; /* of all threads; 0: UPDATES_A_WORD a word */
  uint64_t words;
  upc_shared_t table;
};

UPC_SHARED_ARRAY(int64_t, wrong, 1); /* wrong words of each thread */
UPC_SHARED_ARRAY(int64_t, total, 1);

static void must(int code) {
  if (code != EYOT_OK) upc_global_exit(1); /* the call has said why */
}

/* Inlined: a call returns a pointer to shared in memory, and loads of it would wait. */
static inline __attribute__((always_inline)) upc_shared_t word(const struct gups *g,
                                                               uint64_t random) {
  return upc_add(g->table, (int64_t)(random & (g->words - 1)), sizeof(uint64_t), 1);
}

static void update(const struct gups *g, uint64_t random) {
  upc_shared_t p = word(g, random);
  uint64_t value = upc_relaxed_get(uint64_t, p);
  upc_relaxed_put(uint64_t, p, value ^ random);
}

/* The caller's share of the updates, by plain accesses or by atomics. */
static void pass(const struct gups *g, bool atomic) {
  static uint64_t operands[LOOKAHEAD];
  uint64_t n = g->updates / (uint64_t)THREADS, rest = g->updates % (uint64_t)THREADS;
  uint64_t me = (uint64_t)MYTHREAD, first = n * me + (me < rest ? me : rest);
  uint64_t x = gups_at(first), left = n + (me < rest);
  for (uint64_t some; left > 0; left -= some) {
    some = left < LOOKAHEAD ? left : LOOKAHEAD;
    must(eyot_compute(some * UPDATE_NS));
    for (uint64_t i = 0; i < some; i++) {
      operands[i] = x = gups_next(x);
      if (atomic)
        must(eyot_accumulate_nbi(word(g, x).at, EYOT_UINT64, EYOT_BXOR, &operands[i]));
      else
        update(g, x);
    }
    if (atomic) must(eyot_flush_all(EYOT_REMOTE));
  }
  upc_barrier();
}

static int64_t count_wrong(const struct gups *g) {
  int64_t i, bad = 0;
  upc_forall_cyclic(i, (int64_t)g->words) {
    const uint64_t *mine = upc_cast(word(g, (uint64_t)i));
    bad += *mine != (uint64_t)i;
  }
  upc_relaxed_put(int64_t, upc_add(upc_shared_array(wrong), MYTHREAD, sizeof(int64_t), 1), bad);
  upc_all_reduceL(upc_shared_array(total), upc_shared_array(wrong), UPC_ADD, (size_t)THREADS, 1,
                  NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  return upc_relaxed_get(int64_t, upc_shared_array(total));
}

static bool run(struct gups *g) {
  int64_t i;
  g->words = UINT64_C(1) << g->log2_words;
  if (g->updates == 0) g->updates = UPDATES_A_WORD * g->words;
  g->table = all_alloc("gups", g->words, sizeof(uint64_t));
  upc_forall_cyclic(i, (int64_t)g->words)
      upc_relaxed_put(uint64_t, word(g, (uint64_t)i), (uint64_t)i);
  upc_barrier();
  upc_tick_t begin = upc_ticks_now();
  pass(g, false);
  double ns = (double)upc_ticks_to_ns(upc_ticks_now() - begin);
  pass(g, true);
  int64_t bad = count_wrong(g);
  double percent = 100.0 * (double)bad / (double)g->words;
  bool right = percent < 1.0;
  if (MYTHREAD == 0) {
    printf("gups: table 2^%u words on %d threads, %llu updates, %.3f ms, %.6f GUP/s\n",
           g->log2_words, THREADS, (unsigned long long)g->updates, ns / 1e6,
           ns > 0 ? (double)g->updates / ns : 0.0);
    printf("gups: %s: %lld of %llu words wrong, %.4f %% (less than 1 %% is allowed)\n",
           right ? "verified" : "WRONG", (long long)bad, (unsigned long long)g->words, percent);
  }
  upc_all_free(g->table);
  return right;
}

int main(int argc, char **argv) {
  static char long_name[] = "--m";
  struct gups g = {.updates = 0};
  const struct args_option table[] = {
      {"m", "M", ARGS_FIELD(&g.log2_words), 1, 40, 21,
       .help = "2^M words in the table over all threads, also -m M; 8 bytes a word must fit into "
               "UPC_SHARED_HEAP_SIZE times the threads"},
      {"updates", "N", ARGS_FIELD(&g.updates), 1, UINT64_C(1) << 48,
       .help = "updates of all threads together; by default four times the words"},
  };
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "-m") == 0) argv[i] = long_name;
  upc_init();
  int leave = args_parse("gups", table, ARGS_COUNT(table), argc, argv);
  if (leave == ARGS_RUN) leave = run(&g) ? 0 : 1;
  upc_finalize();
  return leave;
}
