/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_late.c - calls differ, and one member goes on with them late: others are then in a later
 * call of the same channel, and wait there so long that they look for members left behind. Those
 * are not: they wait for the late one, in an opening that all pass. coll_late
 *
 * Why it exists: a member that was told to leave that opening was apart from the others from then
 * on, and some calls later all waited for ever. Needs 4 units or more: of fewer, none waits for the
 * late one alone. */
#include <eyot/coll_nb.h>
#include <eyot/time.h>

#include "programs/api_check.h"

#define ELEMENTS 16384u /* of several rounds: such a call compares first */
#define LANES 4u        /* channels, which calls take in turn (coll/lane.c) */
#define ONE_WAY 48u     /* calls, of which some in each channel begin with an opening */
#define LATE_NS UINT64_C(300000000)

int main(int argc, char **argv) {
  static uint64_t from[ELEMENTS], to[ELEMENTS];
  eyot_coll_t op, later[LANES];
  OK(eyot_init(&argc, &argv));
  const uint32_t me = (uint32_t)eyot_me().id, n = (uint32_t)eyot_size();
  CHECK(n >= 4);
  for (uint32_t i = 0; i < LANES; i++) { /* makes the boards */
    OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, from, to, ELEMENTS, &op));
    OK(eyot_coll_wait(&op));
  }
  for (uint32_t round = 0; round < 3; round++) {
    OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, from, to, ELEMENTS - (me == 1),
                         &op));
    if (me == 1) OK(eyot_compute(LATE_NS));
    CHECK(eyot_coll_wait(&op) == EYOT_EMISMATCH);
    for (uint32_t i = 0; i < LANES; i++)
      OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &from[i], &to[i], 1, &later[i]));
    OK(eyot_coll_wait(&later[LANES - 1])); /* in the channel of the call that failed */
    OK(eyot_coll_wait_all(later, LANES));
    for (uint32_t i = 0; i < ONE_WAY; i++) {
      eyot_tunit_t root = {i % n};
      if (me == root.id) from[0] = i;
      OK(eyot_broadcast_nb(EYOT_TEAM_ALL, root, from, 8, &op));
      OK(eyot_coll_wait(&op));
      CHECK(from[0] == i);
    }
    from[0] = 0;
  }
  (void)eyot_errors_clear();
  return finish();
}
