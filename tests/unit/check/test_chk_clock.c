/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_clock.c - compares the shared vector clocks with plain arrays, through joins, copies and
 * collections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/race/clock.h"

enum { CLOCKS = 12 };

struct pair {
  struct chk_node *clock;
  uint64_t token;
  uint32_t *plain;
};

static uint32_t draw(uint64_t *seed, uint32_t bound) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % bound;
}

static void same(const struct chk_clocks *cs, const struct pair *p) {
  uint32_t lo = UINT32_MAX, hi = 0;
  for (uint32_t i = 0; i < cs->n; i++) {
    uint32_t v = p->plain[i];
    if (chk_clock_get(cs, p->clock, i) != v)
      fail_msg("entry %u of %u: %u, not %u", i, cs->n, chk_clock_get(cs, p->clock, i), v);
    lo = v < lo ? v : lo;
    hi = v > hi ? v : hi;
  }
  assert_int_equal(p->clock == NULL ? 0 : p->clock->lo, lo);
  assert_int_equal(p->clock == NULL ? 0 : p->clock->hi, hi);
}

static void collect(struct chk_clocks *cs, const struct pair *p) {
  for (uint32_t k = 0; k < CLOCKS; k++) chk_clock_mark(cs, p[k].clock);
  chk_clocks_sweep(cs);
  assert_false(chk_clocks_full(cs));
}

static void many_steps(uint32_t n, uint32_t steps) {
  struct chk_clocks cs;
  struct pair p[CLOCKS];
  uint64_t seed = n;
  chk_clocks_init(&cs, n);
  for (uint32_t k = 0; k < CLOCKS; k++)
    p[k] = (struct pair){.plain = calloc(n, sizeof(uint32_t)), .token = chk_clock_token(&cs)};
  for (uint32_t step = 0; step < steps; step++) {
    struct pair *a = &p[draw(&seed, CLOCKS)], *b = &p[draw(&seed, CLOCKS)];
    switch (draw(&seed, 4)) {
      case 0: { /* a run of entries, now and then all */
        uint32_t from = draw(&seed, n), len = draw(&seed, 8) == 0 ? n : 1 + draw(&seed, 40),
                 value = step / 8 + draw(&seed, 3);
        for (uint32_t i = from; i < n && i < from + len; i++) {
          a->clock = chk_clock_raise(&cs, a->clock, i, value, a->token);
          a->plain[i] = value > a->plain[i] ? value : a->plain[i];
        }
        break;
      }
      case 1: /* a copy: both keep it, and neither may change it in place */
        a->clock = b->clock;
        memcpy(a->plain, b->plain, sizeof(uint32_t) * n);
        a->token = chk_clock_token(&cs);
        b->token = chk_clock_token(&cs);
        break;
      default: /* new knowledge is shared from then on */
        a->clock = chk_clock_join(&cs, a->clock, b->clock, a->token);
        b->token = chk_clock_token(&cs);
        for (uint32_t i = 0; i < n; i++)
          a->plain[i] = b->plain[i] > a->plain[i] ? b->plain[i] : a->plain[i];
    }
    if (step % 16 == 0 || step + 1 == steps) {
      for (uint32_t k = 0; k < CLOCKS; k++) same(&cs, &p[k]);
    }
    if (chk_clocks_full(&cs) || step % 100 == 0) collect(&cs, p);
  }
  for (uint32_t k = 0; k < CLOCKS; k++) free(p[k].plain);
  chk_clocks_fini(&cs);
}

static void clocks_of_all_sizes_agree_with_arrays(void **state) {
  (void)state;
  static const uint32_t sizes[] = {1, 2, 31, 64, 65, 511, 513, 1000, 4096, 4097};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) many_steps(sizes[i], 500);
}

/* After a dissemination all units know the same, and few nodes are made compared with n log n
 * clocks of n entries. */
static void dissemination_makes_few_nodes(void **state) {
  (void)state;
  enum { N = 1024, ROUNDS = 10 };
  struct chk_clocks cs;
  chk_clocks_init(&cs, N);
  struct chk_node **now = calloc(N, sizeof *now), **then = calloc(N, sizeof *then);
  for (uint32_t u = 0; u < N; u++) now[u] = chk_clock_raise(&cs, NULL, u, 7, chk_clock_token(&cs));
  for (uint32_t d = 1; d < N; d *= 2) {
    memcpy(then, now, sizeof(struct chk_node *) * N);
    for (uint32_t u = 0; u < N; u++)
      now[u] = chk_clock_join(&cs, now[u], then[(u + N - d) % N], chk_clock_token(&cs));
  }
  for (uint32_t u = 0; u < N; u++) {
    assert_int_equal(now[u]->lo, 7);
    assert_int_equal(now[u]->hi, 7);
  }
  assert_true(cs.made < 5 * N * ROUNDS);
  free(now);
  free(then);
  chk_clocks_fini(&cs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(clocks_of_all_sizes_agree_with_arrays),
                                     cmocka_unit_test(dissemination_makes_few_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
