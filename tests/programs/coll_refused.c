/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_refused.c - one member's call on global memory is refused; the members' later calls, in
 * which some wait long for others, are right all the same.
 *
 * Why it exists: members that wait long compare the numbers of their calls, and a refused call is
 * one, as a call that consists of several operations is. */
#include <time.h>

#include "programs/api_check.h"

#define LATE_NS 60000000 /* longer than a wait after which members look */

static void come_late(bool late) {
  const struct timespec pause = {.tv_nsec = LATE_NS};
  if (late) (void)nanosleep(&pause, NULL);
}

/* Calls of two kinds, for which others wait. */
static void calls_are_right(eyot_team_t team) {
  uint32_t me = eyot_me().id;
  uint64_t one = 1, sum;
  for (int i = 0; i < 2; i++) {
    come_late(me == 0);
    OK(eyot_barrier(team));
    come_late(me == 1);
    OK(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
    CHECK(sum == eyot_size());
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  eyot_team_t team;
  eyot_gptr_t from, to;
  eyot_sync_t sync = EYOT_IN_MYSYNC | EYOT_OUT_MYSYNC;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  OK(eyot_team_alloc(team, 4096, &from));
  OK(eyot_team_alloc(team, 4096, &to));
  bool overlap = eyot_me().id == 1;
  int rc = eyot_global_gather_all(team, to, overlap ? to : from, 8, sync);
  CHECK(rc == (overlap ? EYOT_EINVAL : EYOT_EMISMATCH));
  calls_are_right(team);
  OK(eyot_global_prefix_reduce(team, EYOT_UINT64, EYOT_MAX, to, from, eyot_size(), 1, sync));
  calls_are_right(team);
  OK(eyot_team_free(from));
  OK(eyot_team_free(to));
  OK(eyot_team_destroy(&team));
  return finish();
}
