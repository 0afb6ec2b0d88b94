/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c - ends of docs/limits.md that public calls reach: words that wrap, tables that are full,
 * sizes and pointers too large, and many operations, for runs whose numbers begin near their ends
 * (EYOTI_MPI_NUMBERS_FROM).
 *
 *   limits [ROUNDS] */
#include "api_check.h"

#define HANDLES 48u
#define REGISTERED 512u
#define LONG_WORDS 2048u /* handed over to progress processes */

static void words_wrap(eyot_gptr_t mine, eyot_gptr_t next) {
  uint64_t seen = 0, word;
  OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, next, EYOT_SIGNAL_ADD, UINT64_MAX));
  OK(eyot_wait_until(mine, EYOT_CMP_EQ, UINT64_MAX, &seen));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, next, EYOT_SIGNAL_ADD, 3));
  OK(eyot_wait_until(mine, EYOT_CMP_LT, UINT64_MAX, &seen));
  CHECK(seen == 2);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_fetch_add_u64(next, UINT64_MAX, &word));
  CHECK(word == 2);
  OK(eyot_fetch_add_u64(next, UINT64_MAX, &word));
  CHECK(word == 1);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void tables_end(void) {
  static uint64_t memory[4];
  eyot_gptr_t g[REGISTERED + 1];
  for (uint32_t i = 0; i < REGISTERED; i++) OK(eyot_register(memory, sizeof memory, &g[i]));
  CHECK(eyot_register(memory, sizeof memory, &g[REGISTERED]) == EYOT_EBUSY);
  OK(eyot_unregister(g[9]));
  OK(eyot_register(memory, sizeof memory, &g[9]));
  for (uint32_t i = 0; i < REGISTERED; i++) OK(eyot_unregister(g[i]));
  CHECK(eyot_register(memory, UINT64_C(1) << 47, &g[0]) == EYOT_EINVAL);
}

static void pointers_end(eyot_gptr_t next) {
  const int64_t far_bytes = INT64_C(1) << 47;
  uint64_t word;
  CHECK(eyot_get(&word, eyot_gptr_add(next, far_bytes - 1), 8) == EYOT_ERANGE);
  CHECK(eyot_get(&word, eyot_gptr_add(next, far_bytes), 8) == EYOT_ESEG);
  CHECK(eyot_get(&word, eyot_gptr_add(next, -far_bytes - 1), 8) == EYOT_ESEG);
  OK(eyot_get(&word, eyot_gptr_add(eyot_gptr_add(next, far_bytes), -far_bytes), 8));
}

/* Of each round's handles none completes an operation of an earlier round. */
static void many_operations(eyot_gptr_t words, eyot_gptr_t longs, uint32_t rounds) {
  static uint64_t from[HANDLES], to[HANDLES], large[LONG_WORDS], back[LONG_WORDS];
  eyot_handle_t old = {0};
  for (uint32_t r = 0; r < rounds; r++) {
    eyot_handle_t h[HANDLES], more[2];
    uint64_t sum = 0, first;
    for (uint32_t i = 0; i < HANDLES; i++) {
      from[i] = (uint64_t)eyot_me().id << 40 | (uint64_t)r << 8 | i;
      OK(eyot_put_nb(eyot_gptr_add(words, 8 * i), &from[i], 8, &h[i]));
    }
    if (r > 0 && old.id != 0) { /* completed a round ago */
      eyot_handle_t again = old;
      bool known = false;
      for (uint32_t i = 0; i < HANDLES; i++) known = known || h[i].id == again.id;
      CHECK(!known && eyot_wait(&again, EYOT_REMOTE) == EYOT_EINVAL);
    }
    old = h[0];
    OK(eyot_wait_all(h, HANDLES, EYOT_REMOTE));
    for (uint32_t i = 0; i < HANDLES; i++)
      OK(eyot_get_nb(&to[i], eyot_gptr_add(words, 8 * i), 8, &h[i]));
    OK(eyot_wait_all(h, HANDLES, EYOT_REMOTE));
    for (uint32_t i = 0; i < HANDLES; i++) CHECK(to[i] == from[i]);
    for (uint32_t i = 0; i < LONG_WORDS; i++) large[i] = from[0] + i;
    OK(eyot_put_nb(longs, large, sizeof large, &more[0]));
    OK(eyot_wait(&more[0], EYOT_REMOTE));
    OK(eyot_get_nb(back, longs, sizeof back, &more[1]));
    OK(eyot_wait(&more[1], EYOT_REMOTE));
    for (uint32_t i = 0; i < LONG_WORDS; i++) sum += back[i] != large[i];
    CHECK(sum == 0);
    OK(eyot_fetch_add_u64(eyot_gptr_add(words, 8 * HANDLES), 1, &first));
    CHECK(first == r);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_gptr_t all, longs;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * (HANDLES + 2), &all));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * LONG_WORDS, &longs));
  eyot_unit_t to = {(me + 1) % n};
  eyot_gptr_t next = eyot_gptr_at(all, to);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  words_wrap(eyot_gptr_add(eyot_gptr_at(all, eyot_me()), 8 * (HANDLES + 1)),
             eyot_gptr_add(next, 8 * (HANDLES + 1)));
  tables_end();
  pointers_end(next);
  many_operations(next, eyot_gptr_at(longs, to),
                  argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(longs));
  OK(eyot_team_free(all));
  return finish();
}
