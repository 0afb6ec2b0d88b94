/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_apart.c - members of a team call collective functions that exchange messages by different
 * words, so that none of them can complete: all get EYOT_EMISMATCH, the team stays unusable, and
 * memory and other teams are as before.
 *
 * Why it exists: which wait meets which depends on what the team has called before (boards, lanes,
 * openings), so chance has to choose.
 *
 * coll_apart ROUNDS [SEED [all]]     all: at last in EYOT_TEAM_ALL, whose finalize reports it */
#include <string.h>

#include "programs/api_check.h"

enum way {
  BARRIER,
  TREE,
  ALLREDUCE,
  BROADCAST,
  GATHER,
  SCAN,
  NB_WAIT,
  NB_TEST,
  PLAN,
  ALLOC,
  SPLIT,
  NEIGHBORS,
  WAYS
};
#define TRIES 64 /* a root of one-way calls waits for nobody in the first 16 */

/* The words by which they exchange messages; functions of the same ones are not for this test. */
static int words_of(enum way w) {
  static const int WORDS[WAYS] = {
      [TREE] = 1,    [ALLREDUCE] = 2, [BROADCAST] = 2, [GATHER] = 2,   [SCAN] = 2,
      [NB_WAIT] = 3, [NB_TEST] = 3,   [PLAN] = 3,      [NEIGHBORS] = 4};
  return WORDS[w];
}

struct world {
  eyot_team_t team;
  eyot_graph_t ring;
  uint64_t in, out[64];
};

static int nb(struct world *w, bool tests) {
  eyot_coll_t op;
  bool done = false;
  int rc = eyot_allreduce_nb(w->team, EYOT_UINT64, EYOT_SUM, &w->in, w->out, 1, &op);
  if (rc != EYOT_OK) return rc;
  if (!tests) return eyot_coll_wait(&op);
  while (rc == EYOT_OK && !done) rc = eyot_coll_test(&op, &done);
  CHECK(op.id == EYOT_COLL_DONE.id); /* also after an error */
  return rc;
}

static int plan(struct world *w) {
  eyot_coll_t op;
  OK(eyot_allreduce_plan(w->team, EYOT_UINT64, EYOT_SUM, &w->in, w->out, 1, &op));
  int rc = eyot_coll_start(op);
  if (rc == EYOT_OK) rc = eyot_coll_wait(&op);
  OK(eyot_coll_free(&op));
  return rc;
}

static int call(struct world *w, enum way way) {
  eyot_tunit_t first = {0};
  eyot_gptr_t memory;
  eyot_team_t half;
  int rc;
  switch (way) {
    case BARRIER:
      return eyot_barrier(w->team);
    case TREE:
      return eyot_barrier_by(w->team, EYOT_BARRIER_TREE);
    case ALLREDUCE:
      return eyot_allreduce(w->team, EYOT_UINT64, EYOT_SUM, &w->in, w->out, 1);
    case BROADCAST:
      return eyot_broadcast(w->team, first, &w->in, 8);
    case GATHER:
      return eyot_gather(w->team, first, &w->in, w->out, 8);
    case SCAN:
      return eyot_scan(w->team, EYOT_UINT64, EYOT_SUM, &w->in, w->out, 1);
    case NB_WAIT:
      return nb(w, false);
    case NB_TEST:
      return nb(w, true);
    case PLAN:
      return plan(w);
    case ALLOC:
      rc = eyot_team_alloc(w->team, 64, &memory);
      return rc == EYOT_OK ? eyot_team_free(memory) : rc;
    case SPLIT:
      rc = eyot_team_split(w->team, 0, &half);
      return rc == EYOT_OK ? eyot_team_destroy(&half) : rc;
    case NEIGHBORS:
      return eyot_neighbor_allgather(w->ring, &w->in, w->out, 8);
    case WAYS:
      break;
  }
  CHECK(false);
  return 0;
}

static void world_new(struct world *w, eyot_team_t team) {
  uint32_t n;
  *w = (struct world){.team = team, .in = eyot_me().id};
  OK(eyot_team_size(team, &n));
  CHECK(n <= 64);
  OK(eyot_cart_create(team, 1, &n, &(bool){true}, &w->ring));
}

/* Calls that are right, then those that are not, on a team of all units. Whether the team is as
 * before after them. */
static bool round_on(eyot_team_t team, eyot_team_t other, uint64_t *d) {
  uint32_t n = eyot_size();
  struct world w;
  world_new(&w, team);
  for (uint64_t calls = draw(d) % 12; calls > 0; calls--) OK(call(&w, (enum way)(draw(d) % WAYS)));
  enum way a = (enum way)(draw(d) % WAYS), b;
  do b = (enum way)(draw(d) % WAYS);
  while (words_of(a) == words_of(b));
  uint64_t some = draw(d), odd = draw(d) % n; /* the member odd calls b, the next one a */
  uint32_t me = eyot_me().id;
  bool is_b = me == odd || (me != (odd + 1) % n && (some >> me & 1) != 0);
  int rc = EYOT_OK;
  for (int tries = 0; rc == EYOT_OK && tries < TRIES; tries++) rc = call(&w, is_b ? b : a);
  if (rc != EYOT_EMISMATCH)
    fprintf(stderr, "unit %u: %d and %d, returned %d\n", me, (int)a, (int)b, rc);
  CHECK(rc == EYOT_EMISMATCH);
  /* Calls that met in one exchange, as at the first use of a kind, leave the team in order: on all
   * members or on none. */
  enum way way = (enum way)(draw(d) % WAYS);
  uint64_t code = (uint64_t)-call(&w, way), least, most;
  OK(eyot_allreduce(other, EYOT_UINT64, EYOT_MIN, &code, &least, 1));
  OK(eyot_allreduce(other, EYOT_UINT64, EYOT_MAX, &code, &most, 1));
  if (least != most || (code != 0 && code != -EYOT_EMISMATCH))
    fprintf(stderr, "unit %u: %d and %d, then %d: %d\n", me, (int)a, (int)b, (int)way, -(int)code);
  CHECK(least == most && (code == 0 || code == -EYOT_EMISMATCH));
  if (code == 0) return true;
  for (int again = 0; again < 3; again++) {
    way = (enum way)(draw(d) % WAYS);
    CHECK(call(&w, way) == EYOT_EMISMATCH);
  }
  CHECK(eyot_barrier_notify(team, NULL) == EYOT_EMISMATCH);
  return false;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
  uint64_t d = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  bool all = argc > 3 && strcmp(argv[3], "all") == 0;
  eyot_team_t team;
  for (uint64_t i = 0; i < rounds; i++) {
    OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
    bool in_order = round_on(team, EYOT_TEAM_ALL, &d);
    /* of one that is left, eyot_finalize would tell once more that one-way calls have differed */
    if (in_order) (void)eyot_team_destroy(&team);
    uint64_t one = 1, sum = 0;
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
    CHECK(sum == eyot_size());
  }
  if (!all) return finish();
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  while (round_on(EYOT_TEAM_ALL, team, &d)) continue;
  printf("unit %u: apart\n", eyot_me().id);
  fflush(stdout);
  (void)eyot_errors_clear();
  return eyot_finalize() == EYOT_EMISMATCH ? 0 : 1;
}
