/* SPDX-License-Identifier: BSD-3-Clause */
/* outstanding.c - a unit has at most EYOT_MAX_OUTSTANDING operations in flight: in virtual time, so
 * many puts take as long as each other, and the next one waits for the first.
 *
 *   outstanding MOST    units 0 and 1 are on nodes of their own */
#include "api_check.h"

#define MOST 64u

int main(int argc, char **argv) {
  static uint64_t some;
  uint64_t took_ns[MOST + 1];
  OK(eyot_init(&argc, &argv));
  uint32_t most = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
  CHECK(most >= 2 && most <= MOST);
  eyot_gptr_t words;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &words));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_compute(100000));
  for (uint32_t i = 0; i <= most && eyot_me().id == 0; i++) {
    uint64_t before_ns = eyot_now_ns();
    OK(eyot_put_nbi(eyot_gptr_at(words, (eyot_unit_t){1}), &some, 8));
    took_ns[i] = eyot_now_ns() - before_ns;
    if (i < most)
      CHECK(took_ns[i] <= 2 * took_ns[0]);
    else
      CHECK(took_ns[i] > 2 * took_ns[0]);
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(words));
  return finish();
}
