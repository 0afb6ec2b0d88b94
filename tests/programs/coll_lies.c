/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_lies.c - collectives of teams that lie unevenly on nodes take about as long as those of all
 * units: in virtual time, without noise.
 *
 * The teams: all but the first five units, so that the first node has fewer; and all but each
 * seventh. */
#include "programs/coll_team.h"

#define MOST 65536u
#define CALLS 4

static char from[MOST], to[MOST];
static int64_t one[1], sum[1];

enum what {
  BROADCAST,
  LONG_BROADCAST,
  ALLREDUCE,
  LONG_ALLREDUCE,
  SCAN,
  ALLGATHER,
  ALLTOALL,
  WHATS
};
static const char *const NAMES[WHATS] = {
    "broadcast", "long broadcast", "allreduce", "long allreduce", "scan", "allgather", "alltoall"};

static void call(eyot_team_t t, enum what what) {
  const eyot_tunit_t root = {0};
  switch (what) {
    case BROADCAST:
      OK(eyot_broadcast(t, root, to, 8));
      break;
    case LONG_BROADCAST:
      OK(eyot_broadcast(t, root, to, MOST));
      break;
    case ALLREDUCE:
      OK(eyot_allreduce(t, EYOT_INT64, EYOT_SUM, one, sum, 1));
      break;
    case LONG_ALLREDUCE:
      OK(eyot_allreduce(t, EYOT_DOUBLE, EYOT_SUM, from, to, MOST / 8));
      break;
    case SCAN:
      OK(eyot_scan(t, EYOT_INT64, EYOT_SUM, one, sum, 1));
      break;
    case ALLGATHER:
      OK(eyot_allgather(t, one, to, 8));
      break;
    default:
      OK(eyot_alltoall(t, from, to, 8));
  }
}

/* Nanoseconds of a call, of the member that takes longest. */
static uint64_t time_of(eyot_team_t t, enum what what) {
  uint64_t all = 0;
  for (int i = 0; i <= CALLS; i++) {
    uint64_t most;
    OK(eyot_barrier(t));
    uint64_t ns = eyot_now_ns();
    call(t, what);
    ns = eyot_now_ns() - ns;
    OK(eyot_allreduce(t, EYOT_UINT64, EYOT_MAX, &ns, &most, 1));
    if (i > 0) all += most; /* the first call makes boards */
  }
  return all / CALLS;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t me = eyot_me().id;
  eyot_team_t fewer, holes;
  OK(eyot_team_split(EYOT_TEAM_ALL, me < 5, &fewer));
  OK(eyot_team_split(EYOT_TEAM_ALL, me % 7 == 3, &holes));
  for (enum what what = BROADCAST; what < WHATS; what++) {
    uint64_t all = time_of(EYOT_TEAM_ALL, what), first = 0, holed = 0;
    if (me >= 5) first = time_of(fewer, what);
    if (me % 7 != 3) holed = time_of(holes, what);
    if (first <= 2 * all && holed <= 2 * all) continue;
    fprintf(stderr, "%s: %lu ns, without five units %lu, without each seventh %lu\n", NAMES[what],
            (unsigned long)all, (unsigned long)first, (unsigned long)holed);
    eyot_abort(1, "a team that lies unevenly takes too long");
  }
  OK(eyot_team_destroy(&fewer));
  OK(eyot_team_destroy(&holes));
  if (me == 0) printf("ok\n");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
