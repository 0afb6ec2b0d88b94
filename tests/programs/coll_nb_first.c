/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_nb_first.c - a team's first call that does not block, between blocking ones, in teams that
 * have had a blocking one already. coll_nb_first
 *
 * Why it exists: the memory of such calls is made in steps, which one member may end before a
 * blocking call that another begins first (coll/lanes.c). The call was then counted after that one
 * on some members, and the team's next comparison told of a mistake that nobody had made. */
#include "programs/api_check.h"

enum { BROADCAST, SCATTERV, ALLREDUCE, PLAN, KINDS };
enum { BLOCK = 25, TAG = 5 };

struct side {
  eyot_team_t team;
  uint32_t me, n;
};

/* Its waits continue the making of the memory, which may then be over on some members only. */
static void pass_round(const struct side *s) {
  uint32_t mine = s->me, theirs;
  eyot_tunit_t next = {(s->me + 1) % s->n}, before = {(s->me + s->n - 1) % s->n};
  OK(eyot_sendrecv(s->team, next, TAG, &mine, sizeof mine, before, TAG, &theirs, sizeof theirs,
                   NULL));
  CHECK(theirs == before.id);
}

static void start(const struct side *s, int kind, uint64_t *one, uint64_t *sum,
                  const uint64_t *lengths, eyot_coll_t *h) {
  const eyot_tunit_t root = {0};
  if (kind == BROADCAST) OK(eyot_broadcast_nb(s->team, root, one, sizeof *one, h));
  if (kind == SCATTERV)
    OK(eyot_scatterv_nb(s->team, root, NULL, lengths, NULL, NULL, lengths[s->me], h));
  if (kind == ALLREDUCE) OK(eyot_allreduce_nb(s->team, EYOT_UINT64, EYOT_SUM, one, sum, 1, h));
  if (kind != PLAN) return;
  OK(eyot_scan_plan(s->team, EYOT_UINT64, EYOT_SUM, one, sum, 1, h));
  OK(eyot_coll_start(*h));
}

static void round_of(const struct side *s, int kind, bool messages) {
  uint64_t one = 1, sum = 0, total = 0, *lengths = calloc(s->n, sizeof *lengths);
  char block[BLOCK] = {0}, *all = malloc((uint64_t)s->n * BLOCK);
  const eyot_tunit_t root = {s->n - 1};
  eyot_coll_t h;
  CHECK(lengths != NULL && all != NULL);
  OK(eyot_broadcast(s->team, root, block, sizeof block));
  start(s, kind, &one, &sum, lengths, &h);
  if (messages) pass_round(s);
  OK(eyot_gather(s->team, root, block, all, sizeof block));
  OK(eyot_coll_wait(&h));
  OK(eyot_allreduce(s->team, EYOT_UINT64, EYOT_SUM, &one, &total, 1));
  CHECK(total == s->n);
  CHECK(kind != ALLREDUCE || sum == s->n);
  CHECK(kind != PLAN || sum == s->me + 1);
  if (kind == PLAN) OK(eyot_coll_free(&h));
  free(all);
  free(lengths);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  for (int i = 0; i < 4 * KINDS; i++) {
    struct side s;
    eyot_tunit_t me;
    uint32_t color = i % 4 < 2 ? 0 : eyot_me().id % 2;
    OK(eyot_team_split(EYOT_TEAM_ALL, color, &s.team));
    OK(eyot_team_me(s.team, &me));
    OK(eyot_team_size(s.team, &s.n));
    s.me = me.id;
    round_of(&s, i / 4, i % 2 == 0);
    OK(eyot_team_destroy(&s.team));
  }
  return finish();
}
