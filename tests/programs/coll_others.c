/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_others.c - unit 0 calls another collective function than the other members, as the first one
 * of their team: both functions exchange messages by the team's control block, which finds it. For
 * tests of what the error says. The team works as before after it. coll_others HOW
 *   broadcast  eyot_barrier, eyot_broadcast
 *   alloc      eyot_broadcast, eyot_team_alloc, whose exchanges have the same words
 *   nb         eyot_barrier, eyot_broadcast_nb, which ends in its wait
 *   inside     the same, which ends in a barrier of all units
 *   plan       eyot_team_alloc, a plan of eyot_broadcast
 *   fence      eyot_fence, eyot_barrier
 *   refused    eyot_own_gather, eyot_graph_destroy, both with arguments that they refuse
 *   finalize   eyot_finalize, eyot_barrier, of all units */
#include <string.h>

#include "programs/api_check.h"

static const eyot_tunit_t ROOT = {0};

static int alloc(eyot_team_t team) {
  eyot_gptr_t at;
  return eyot_team_alloc(team, 64, &at);
}

static int nb(eyot_team_t team, bool inside) {
  uint64_t word = 1;
  eyot_coll_t h;
  OK(eyot_broadcast_nb(team, ROOT, &word, sizeof word, &h));
  if (inside) OK(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_coll_wait(&h);
}

static int plan(eyot_team_t team) {
  uint64_t word = 1;
  eyot_coll_t h;
  OK(eyot_broadcast_plan(team, ROOT, &word, sizeof word, &h));
  OK(eyot_coll_start(h));
  int rc = eyot_coll_wait(&h);
  OK(eyot_coll_free(&h));
  return rc;
}

static int fence(eyot_team_t team, bool first) {
  eyot_gptr_t at;
  OK(eyot_team_alloc(team, 64, &at));
  int rc = first ? eyot_fence(at) : eyot_barrier(team);
  OK(eyot_team_free(at));
  return rc;
}

static uint64_t pack_nothing(void *context, const void *send, void *buf, uint64_t space) {
  (void)context, (void)send, (void)buf, (void)space;
  return 0;
}
static void unpack_nothing(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)context, (void)recv, (void)buf, (void)bytes;
}

static int refused(eyot_team_t team, bool first) {
  const eyot_exchange_ops_t ops = {
      .pack = pack_nothing, .unpack = unpack_nothing, .where = EYOT_EXCHANGE_PACKED};
  eyot_graph_t graph;
  eyot_exchange_t user;
  uint64_t bytes;
  OK(eyot_graph_create(team, NULL, 0, NULL, 0, &graph));
  OK(eyot_exchange_create(graph, &ops, &user));
  int rc = first ? eyot_own_gather(team, ROOT, NULL, 0, NULL, &bytes) : eyot_graph_destroy(&graph);
  OK(eyot_exchange_destroy(&user));
  OK(eyot_graph_destroy(&graph));
  return rc;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *how = argc > 1 ? argv[1] : "";
  bool first = eyot_me().id == 0;
  uint64_t word = 1, sum = 0;
  eyot_team_t team;
  int rc = EYOT_OK;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  if (strcmp(how, "broadcast") == 0)
    rc = first ? eyot_barrier(team) : eyot_broadcast(team, ROOT, &word, sizeof word);
  else if (strcmp(how, "alloc") == 0)
    rc = first ? eyot_broadcast(team, ROOT, &word, sizeof word) : alloc(team);
  else if (strcmp(how, "nb") == 0)
    rc = first ? eyot_barrier(team) : nb(team, false);
  else if (strcmp(how, "inside") == 0)
    rc = first ? eyot_barrier(team) : nb(team, true);
  else if (strcmp(how, "plan") == 0)
    rc = first ? alloc(team) : plan(team);
  else if (strcmp(how, "fence") == 0)
    rc = fence(team, first);
  else if (strcmp(how, "refused") == 0)
    rc = refused(team, first);
  else if (!first)
    rc = eyot_barrier(EYOT_TEAM_ALL);
  if (strcmp(how, "finalize") == 0) return eyot_finalize() == EYOT_OK && rc == EYOT_OK;
  CHECK(rc == EYOT_EMISMATCH);
  if (strcmp(how, "inside") == 0 && first) OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &word, &sum, 1));
  CHECK(sum == eyot_size());
  eyot_errors_clear();
  return finish();
}
