/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_unmet.c - calls of a new team that cannot have the algorithm that EYOT_COLL asks for, for
 * tests of which call the warning names. coll_unmet HOW
 *   blocking  eyot_allreduce
 *   inside    eyot_allreduce_nb, which goes on in other calls before its wait
 *   waited    eyot_allreduce_nb, which goes on in its wait
 *   between   eyot_allreduce_nb, whose lanes the team's first blocking call waits for
 *   plan      eyot_allreduce_plan, which is started twice */
#include <string.h>

#include "programs/api_check.h"

enum { N = 1000 };

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *how = argc > 1 ? argv[1] : "";
  static uint64_t from[N], to[N];
  uint64_t word = 7;
  eyot_tunit_t root = {0};
  eyot_team_t team;
  eyot_coll_t h = EYOT_COLL_DONE;
  for (int i = 0; i < N; i++) from[i] = 1;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  if (strcmp(how, "blocking") == 0) {
    OK(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, from, to, N));
  } else if (strcmp(how, "plan") == 0) {
    OK(eyot_allreduce_plan(team, EYOT_UINT64, EYOT_SUM, from, to, N, &h));
    OK(eyot_coll_start(h));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_coll_wait(&h));
    OK(eyot_coll_start(h));
    OK(eyot_coll_wait(&h));
    OK(eyot_coll_free(&h));
  } else {
    OK(eyot_allreduce_nb(team, EYOT_UINT64, EYOT_SUM, from, to, N, &h));
    if (strcmp(how, "inside") == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
    if (strcmp(how, "between") == 0) OK(eyot_broadcast(team, root, &word, sizeof word));
    OK(eyot_coll_wait(&h));
  }
  for (int i = 0; i < N; i++) CHECK(to[i] == eyot_size());
  OK(eyot_team_destroy(&team));
  return finish();
}
