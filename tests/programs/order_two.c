/* SPDX-License-Identifier: BSD-3-Clause */
/* order_two.c - an order puts all puts before it, not only the last one, before the signal after
 * it. */
#include "api_check.h"

#define PUTS 4u
#define ROUNDS 20u

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  eyot_gptr_t words;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * (PUTS + 1), &words));
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_gptr_t next = eyot_gptr_at(words, (eyot_unit_t){(me + 1) % n}),
              mine = eyot_gptr_at(words, eyot_me());
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    uint64_t seen[PUTS];
    for (uint32_t i = 0; i < PUTS; i++) OK(eyot_put_nbi(eyot_gptr_add(next, 8 * i), &round, 8));
    OK(eyot_order(eyot_gptr_unit(next)));
    OK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(next, 8 * PUTS), EYOT_SIGNAL_SET,
                           round));
    OK(eyot_wait_until(eyot_gptr_add(mine, 8 * PUTS), EYOT_CMP_GE, round, NULL));
    OK(eyot_get(seen, mine, sizeof seen));
    for (uint32_t i = 0; i < PUTS; i++) CHECK(seen[i] >= round);
    OK(eyot_flush_all(EYOT_REMOTE));
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  OK(eyot_team_free(words));
  return finish();
}
