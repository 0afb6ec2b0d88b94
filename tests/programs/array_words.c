/* SPDX-License-Identifier: BSD-3-Clause */
/* array_words.c - accumulates of arrays, which a fabric may take in one posting: each word stays
 * atomic by itself, against other arrays, single atomics, and compare-and-swaps.
 *
 *   array_words [WORDS [ROUNDS]]
 * Unit 0 owns the words. Every other unit adds an array of ones to them; an odd one also adds 1 to
 * the last word alone, and 1 to the first by compare-and-swap. No addition may be lost. A sum that
 * fetches returns values of which no two units' are equal, word by word. Prints ok. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 64 };

static void must(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "array_words: unit %u: %s\n", eyot_me().id, what);
  eyot_abort(1, what);
}

static void add_by_cas(eyot_gptr_t at) {
  uint64_t was = 0, seen;
  for (;;) {
    must(eyot_cas_u64(at, was, was + 1, &seen) == EYOT_OK, "eyot_cas_u64");
    if (seen == was) return;
    was = seen;
  }
}

/* Every word counts the arrays: the values that the fetching additions of all units return are the
 * numbers from `from` on, each once. */
static void check_fetched(eyot_gptr_t words, uint64_t n, const uint64_t *ones, uint64_t from) {
  static uint64_t old[WORDS_MAX], all[WORDS_MAX];
  must(eyot_get_accumulate_array(words, EYOT_UINT64, EYOT_SUM, ones, old, n) == EYOT_OK, "fetch");
  uint64_t units = eyot_size(), want = 0;
  for (uint64_t i = 0; i < units; i++) want += from + i;
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, old, all, n) == EYOT_OK, "allreduce");
  for (uint64_t i = 1; i + 1 < n; i++) must(all[i] == want, "two units fetched the same value");
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv) == EYOT_OK, "eyot_init");
  uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 8;
  uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 4;
  must(n >= 1 && n <= WORDS_MAX && rounds >= 1, "usage: array_words [WORDS 1..64 [ROUNDS]]");
  static uint64_t ones[WORDS_MAX], got[WORDS_MAX];
  for (uint64_t i = 0; i < n; i++) ones[i] = 1;
  eyot_gptr_t words;
  must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof ones, &words) == EYOT_OK, "eyot_team_alloc");
  words = eyot_gptr_at(words, (eyot_unit_t){0});
  eyot_gptr_t last = eyot_gptr_add(words, (int64_t)(8 * (n - 1)));
  bool odd = eyot_me().id % 2 == 1;
  for (uint64_t r = 0; r < rounds && eyot_me().id != 0; r++) {
    must(eyot_accumulate_array(words, EYOT_UINT64, EYOT_SUM, ones, n) == EYOT_OK, "accumulate");
    if (odd) must(eyot_accumulate_nbi(last, EYOT_UINT64, EYOT_SUM, ones) == EYOT_OK, "one word");
    if (odd) add_by_cas(words);
  }
  must(eyot_flush_all(EYOT_REMOTE) == EYOT_OK, "eyot_flush_all");
  must(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK, "eyot_barrier");
  must(eyot_get(got, words, 8 * n) == EYOT_OK, "eyot_get");
  uint64_t arrays = rounds * (eyot_size() - 1), more = rounds * (eyot_size() / 2);
  for (uint64_t i = 0; i < n; i++)
    must(got[i] == arrays + (i == 0 ? more : 0) + (i == n - 1 ? more : 0), "an addition is lost");
  must(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK, "eyot_barrier");
  check_fetched(words, n, ones, arrays);
  must(eyot_team_free(words) == EYOT_OK, "eyot_team_free");
  if (eyot_me().id == 0) printf("ok\n");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
