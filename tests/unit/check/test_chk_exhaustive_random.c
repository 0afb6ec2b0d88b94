/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_exhaustive_random.c - in hundreds of small random systems the search with reduction ends
 * in the same states as an oracle: final ones and deadlocks. Arguments: the first seed and the
 * number of seeds; by default as many as a test has time for. */
#include <stdio.h>

#include "unit/check/chk_toy_unit.h"

#define SEEDS 400u
#define MAX_PLAIN 3000u
#define MAX_REDUCED 60000u

struct range {
  uint64_t first, n;
};

static uint32_t draw(uint64_t *state, uint32_t bound) {
  *state += 0x9e3779b97f4a7c15u;
  return (uint32_t)(toy_mix(*state) % bound);
}

/* A line of a code below n_codes; only lower codes are created from higher ones, so that creation
 * ends. */
static struct toy_line line_of(uint64_t *r, uint32_t words, uint32_t code, uint32_t units,
                               uint32_t n_codes) {
  uint8_t a = (uint8_t)draw(r, words), b = (uint8_t)draw(r, words);
  switch (draw(r, 16)) {
    case 0:
    case 1:
      return (struct toy_line){TOY_READ, a, 0};
    case 2:
    case 3:
    case 4:
      return (struct toy_line){TOY_WRITE, a, (uint8_t)draw(r, 3)};
    case 5:
      return (struct toy_line){TOY_ADD, a, 1};
    case 6:
    case 7:
      return (struct toy_line){TOY_AWAIT, a, (uint8_t)draw(r, 2)};
    case 8:
      return (struct toy_line){TOY_EITHER, a, b};
    case 9:
      return (struct toy_line){TOY_BOTH, a, b};
    case 10:
      return (struct toy_line){TOY_SPIN, a, (uint8_t)draw(r, 2)};
    case 11:
      return (struct toy_line){TOY_LOCK, a, 0};
    case 12:
    case 13: {
      uint32_t first = code < units ? units : code + 1;
      if (first < n_codes)
        return (struct toy_line){TOY_CREATE, (uint8_t)(first + draw(r, n_codes - first)), 0};
      return (struct toy_line){TOY_WRITE, a, 1};
    }
    case 14:
      return (struct toy_line){TOY_DRAW, a, 2};
    default:
      return (struct toy_line){TOY_DRAW2, (uint8_t)draw(r, words - 1), 0};
  }
}

static struct toy_system system_of(uint64_t seed) {
  uint64_t r = seed * 77;
  uint32_t units = 2 + draw(&r, 2), n_codes = units + draw(&r, 3), words = 2 + draw(&r, 3),
           lines = 2 + draw(&r, units == 2 ? 3 : 2);
  struct toy_system t = {.units = units};
  for (uint32_t c = 0; c < n_codes; c++) {
    uint32_t n = c < units ? lines : 1 + draw(&r, 2);
    uint32_t created = 0;
    for (uint32_t l = 0; l < n; l++) {
      struct toy_line line = line_of(&r, words, c, units, n_codes);
      if (line.op == TOY_CREATE && created++ > 0) line = (struct toy_line){TOY_READ, 0, 0};
      t.code[c][l] = line;
    }
  }
  return t;
}

static void show(const struct toy_system *t) {
  static const char *const names[] = {"end",  "read", "write", "add",    "await", "either",
                                      "both", "spin", "lock",  "create", "draw",  "draw2"};
  for (uint32_t c = 0; c < TOY_CODES; c++) {
    if (t->code[c][0].op == TOY_END) continue;
    print_message("  %s %u:", c < t->units ? "unit" : "code", c);
    for (uint32_t l = 0; t->code[c][l].op != TOY_END; l++)
      print_message(" %s(%u,%u)", names[t->code[c][l].op], t->code[c][l].a, t->code[c][l].b);
    print_message("\n");
  }
}

static void random_systems_end_in_the_states_of_an_oracle(void **state) {
  const struct range *range = *state;
  uint64_t plain_runs = 0, reduced_runs = 0, pruned = 0, by_plain = 0, skipped = 0, states = 0;
  for (uint64_t seed = range->first; seed < range->first + range->n; seed++) {
    struct toy_system t = system_of(seed);
    struct toy_set want = toy_finals(&t);
    struct toy_result reduced = toy_search(&t, true, MAX_REDUCED, NULL),
                      plain = toy_search(&t, false, MAX_PLAIN, NULL);
    if ((reduced.complete && !toy_same(&reduced.finals, &want)) ||
        (plain.complete && !toy_same(&plain.finals, &want))) {
      print_message("seed %llu: %zu final states, reduced %zu in %llu runs, plain %zu in %llu\n",
                    (unsigned long long)seed, want.n, reduced.finals.n,
                    (unsigned long long)reduced.runs, plain.finals.n,
                    (unsigned long long)plain.runs);
      show(&t);
      fail();
    }
    if (plain.complete && reduced.complete) {
      assert_true(reduced.whole <= plain.whole);
      by_plain++;
      plain_runs += plain.runs;
      reduced_runs += reduced.whole;
      pruned += reduced.pruned;
    }
    skipped += !reduced.complete;
    states += want.n;
    free(want.at);
    free(plain.finals.at);
    free(reduced.finals.at);
  }
  print_message(
      "%llu systems, %llu final states, %llu too large; in %llu also searched plainly: %llu runs, "
      "reduced %llu + %llu pruned\n",
      (unsigned long long)range->n, (unsigned long long)states, (unsigned long long)skipped,
      (unsigned long long)by_plain, (unsigned long long)plain_runs,
      (unsigned long long)reduced_runs, (unsigned long long)pruned);
}

int main(int argc, char **argv) {
  struct range range = {argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                        argc > 2 ? strtoull(argv[2], NULL, 10) : SEEDS};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(random_systems_end_in_the_states_of_an_oracle, &range)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
