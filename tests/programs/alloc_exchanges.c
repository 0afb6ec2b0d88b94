/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc_exchanges.c - a collective allocation is one exchange: its memory is zero on all members as
 * soon as one of them has it. With the argument `count` it also counts the messages of allocations
 * and of a first collective beside those of a barrier. */
#include <string.h>

#include "programs/api_check.h"

enum { ROUNDS = 30, WORDS = 96 };

static uint64_t sent(void) {
  eyot_counts_t c;
  OK(eyot_count_read(&c));
  return c.signals;
}

/* The memory was full of ones before. Each unit puts to the next one at once. */
static void reuse(uint64_t round) {
  uint32_t n = eyot_size(), me = eyot_me().id;
  eyot_gptr_t g;
  void *own;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * sizeof(uint64_t), &g));
  OK(eyot_put(eyot_gptr_at(g, (eyot_unit_t){(me + 1) % n}), &round, sizeof round));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &own));
  const uint64_t *words = own;
  CHECK(words[0] == round);
  for (uint32_t i = 1; i < WORDS; i++) CHECK(words[i] == 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  memset(own, 0xff, WORDS * sizeof(uint64_t));
  OK(eyot_team_free(g));
}

static void count(void) {
  eyot_gptr_t g;
  uint64_t start, barrier, sum = 1;
  OK(eyot_count_begin());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  barrier = sent();
  CHECK(barrier > 0);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &g));
  CHECK(sent() == 2 * barrier);
  OK(eyot_team_free(g));
  CHECK(sent() == 3 * barrier);
  start = sent();
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &sum, &sum, 1));
  uint64_t first = sent() - start;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &sum, &sum, 1));
  uint64_t second = sent() - start - first;
  CHECK(first - second == barrier); /* its board */
  OK(eyot_count_end());
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc > 1 && strcmp(argv[1], "count") == 0) count();
  for (uint64_t round = 1; round <= ROUNDS; round++) reuse(round);
  return finish();
}
