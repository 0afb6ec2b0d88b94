/* SPDX-License-Identifier: BSD-3-Clause */
/* two_teams.c - units make collective calls of several teams as its arguments say, so that members
 * of one team can wait in a call of another one.
 *
 * Why it exists: a unit that waits in eyot_team_destroy of a team waited for ever for members that
 * had broadcast there, and waited for that unit in a call of all units; nothing was reported.
 *
 * two_teams CALLS...     unit k makes those of argument k, or of the last one: a letter for the
 *                        function (see call) and one for the team (T, U, or A for all units);
 *                        e.g. bT.BA: eyot_broadcast of T, eyot_barrier of all units; -: none */
#include <string.h>

#include "programs/api_check.h"

static uint64_t in[64], out[64];
static eyot_team_t teams[3];

static eyot_team_t *team_of(char letter) {
  return &teams[letter == 'T' ? 0 : letter == 'U' ? 1 : 2];
}

static int call(char function, eyot_team_t *team) {
  const eyot_tunit_t root = {0};
  static eyot_coll_t op; /* is never waited for */
  switch (function) {
    case 'd':
      return eyot_team_destroy(team);
    case 'b':
      return eyot_broadcast(*team, root, in, 8);
    case 'r':
      return eyot_reduce(*team, root, EYOT_UINT64, EYOT_SUM, in, out, 1);
    case 'g':
      return eyot_gather(*team, root, in, out, 8);
    case 'a':
      return eyot_allreduce(*team, EYOT_UINT64, EYOT_SUM, in, out, 1);
    case 'x':
      return eyot_scan(*team, EYOT_UINT64, EYOT_SUM, in, out, 1);
    case 'n':
      return eyot_allreduce_nb(*team, EYOT_UINT64, EYOT_SUM, in, out, 1, &op);
    case 'B':
      return eyot_barrier(*team);
    case 's':
      return eyot_send(*team, root, 0, in, 8);
    case 'w': /* the root waits for the last unit */
      return eyot_recv(*team, (eyot_tunit_t){eyot_size() - 1}, 0, out, 8, NULL);
    default:
      CHECK(false);
      return 0;
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const uint32_t me = eyot_me().id;
  CHECK(argc > 1 && eyot_size() <= 64);
  teams[2] = EYOT_TEAM_ALL;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &teams[0]));
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &teams[1]));
  for (uint32_t i = 0; i < 3; i++)
    OK(eyot_allreduce(teams[i], EYOT_UINT64, EYOT_SUM, in, out, 1)); /* makes boards */
  const char *calls = argv[(int)me + 1 < argc ? (int)me + 1 : argc - 1];
  for (; calls[0] != '\0' && calls[1] != '\0'; calls += calls[2] == '.' ? 3 : 2) {
    int rc = call(calls[0], team_of(calls[1]));
    printf("unit %u: %c%c: %s\n", me, calls[0], calls[1], eyot_errname(rc));
    fflush(stdout);
  }
  int rc = eyot_finalize();
  printf("unit %u: end: %s\n", me, eyot_errname(rc));
  return rc == EYOT_OK ? 0 : 1;
}
