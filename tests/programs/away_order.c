/* SPDX-License-Identifier: BSD-3-Clause */
/* away_order.c - operations that need the processor of their target: for tests of the figures
 * progress and serve. away_order WHAT
 *   order    of two puts with an order between, the second one is not seen before the first one, in
 *            no part, while their target computes and posts; 4 units, 2 on a node
 *   slow     a get from a unit that computes ends after the computation, whatever lengthens that;
 *            2 units
 */
#include <string.h>

#include "programs/api_check.h"

enum { ROUNDS = 300, WORDS = 8, POSTS = 32, COMPUTE_NS = 20000, SKEW_NS = 2000 };

static eyot_gptr_t mem, other;

/* Unit 0 puts to unit 2. */
static void put_twice(uint64_t round) {
  const eyot_unit_t to = {2};
  uint64_t words[WORDS];
  for (int i = 0; i < WORDS; i++) words[i] = round;
  eyot_gptr_t x = eyot_gptr_at(mem, to), y = eyot_gptr_add(x, 64);
  OK(eyot_put_nbi(x, words, sizeof *words));
  OK(eyot_order(to));
  OK(eyot_put_nbi(y, words, sizeof words));
  OK(eyot_flush_all(EYOT_REMOTE));
}

/* Unit 3 reads unit 2's memory, on its node, from the second put to the first one. */
static unsigned look(uint64_t round) {
  eyot_gptr_t x = eyot_gptr_at(mem, (eyot_unit_t){2}), y = eyot_gptr_add(x, 64);
  unsigned wrong = 0;
  for (bool whole = false; !whole;) {
    uint64_t first, second[WORDS];
    OK(eyot_get(second, y, sizeof second));
    OK(eyot_get(&first, x, sizeof first));
    bool any = false;
    whole = true;
    for (int i = 0; i < WORDS; i++) {
      any |= second[i] == round;
      whole &= second[i] == round;
    }
    wrong += any && first != round;
  }
  return wrong;
}

static void order(void) {
  uint32_t me = eyot_me().id;
  unsigned wrong = 0;
  uint64_t value = 0;
  CHECK(eyot_size() == 4);
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (me == 0) put_twice(round);
    if (me == 2 && round % 2 == 0) OK(eyot_compute(COMPUTE_NS));
    for (int i = 0; me == 2 && i < POSTS; i++)
      OK(eyot_put_nbi(eyot_gptr_at(other, (eyot_unit_t){1}), &value, sizeof value));
    if (me == 3) wrong += look(round);
    OK(eyot_flush_all(EYOT_REMOTE));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  CHECK(wrong == 0);
}

static void slow(void) {
  uint64_t value, since_ns, mine, ns[2];
  CHECK(eyot_size() == 2);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  since_ns = eyot_now_ns();
  if (eyot_me().id == 1) {
    OK(eyot_compute(5 * COMPUTE_NS));
  } else {
    OK(eyot_compute(COMPUTE_NS));
    OK(eyot_get(&value, eyot_gptr_at(mem, (eyot_unit_t){1}), sizeof value));
  }
  mine = eyot_now_ns() - since_ns;
  OK(eyot_allgather(EYOT_TEAM_ALL, &mine, ns, sizeof mine));
  CHECK(ns[1] > UINT64_C(6) * COMPUTE_NS); /* something has lengthened it */
  CHECK(ns[0] + SKEW_NS >= ns[1]);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 256, &mem));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &other));
  if (strcmp(argv[1], "order") == 0) order();
  if (strcmp(argv[1], "slow") == 0) slow();
  OK(eyot_team_free(other));
  OK(eyot_team_free(mem));
  if (eyot_me().id == 0) printf("ok\n");
  OK(eyot_finalize());
  return 0;
}
