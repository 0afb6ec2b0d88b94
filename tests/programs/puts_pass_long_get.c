/* SPDX-License-Identifier: BSD-3-Clause */
/* puts_pass_long_get.c - operations that are complete free their entries although an older one is
 * in flight: after posting a long get, unit 0 completes more puts to another unit than may be in
 * flight, in less time than the get takes. */
#include <stdlib.h>

#include "programs/api_check.h"

#define LONG_BYTES ((uint64_t)32 << 20)
#define PUTS 1000u /* EYOT_MAX_OUTSTANDING is 256 */

static void puts_pass_get(eyot_gptr_t from, eyot_gptr_t to) {
  void *here = malloc(LONG_BYTES);
  uint64_t word = 1, begin_ns = eyot_now_ns();
  CHECK(here != NULL);
  OK(eyot_get_nbi(here, from, LONG_BYTES));
  for (uint32_t i = 0; i < PUTS; i++) OK(eyot_put(to, &word, sizeof word));
  uint64_t puts_ns = eyot_now_ns() - begin_ns;
  OK(eyot_flush_all(EYOT_REMOTE));
  uint64_t get_ns = eyot_now_ns() - begin_ns;
  if (puts_ns > get_ns * 3 / 4)
    printf("%u puts took %lu ns, the get %lu ns\n", PUTS, (unsigned long)puts_ns,
           (unsigned long)get_ns);
  CHECK(puts_ns <= get_ns * 3 / 4);
  free(here);
}

int main(int argc, char **argv) {
  eyot_gptr_t part;
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() == 3);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, LONG_BYTES, &part));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0)
    puts_pass_get(eyot_gptr_at(part, (eyot_unit_t){1}), eyot_gptr_at(part, (eyot_unit_t){2}));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(part));
  return finish();
}
