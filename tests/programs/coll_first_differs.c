/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_first_differs.c - a team's first call that is not blocking meets another function on other
 * members: all get EYOT_EMISMATCH once, and the team works and ends as any other.
 *
 * Why it exists: the call that is not blocking leaves the state of a team's lanes, which only these
 * members have then (coll/lanes.c), and the end of a team must be the same exchanges on all.
 *
 * With EYOT_ERRORS=return. */
#include "programs/api_check.h"

/* From BARRIER on functions meet it in the team's control block also after a blocking one. */
enum { ALLREDUCE, BROADCAST, BARRIER, ALLOC, SPLIT, DESTROY, OTHERS };
enum { AT_ONCE, AFTER_CALL, AFTER_NB, PLAN_LEFT, CALL_LEFT, ENDS };

static uint64_t mine = 1, got;

static void expect(const char *what, int other, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "coll_first_differs: unit %u: beside function %d: %s: %s, expected %s\n",
          eyot_me().id, other, what, eyot_strerror(rc), eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static int blocking(eyot_team_t team, int function) {
  const eyot_tunit_t root = {0};
  eyot_gptr_t memory;
  eyot_team_t part;
  switch (function) {
    case ALLREDUCE:
      return eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &mine, &got, 1);
    case BROADCAST:
      return eyot_broadcast(team, root, &mine, sizeof mine);
    case BARRIER:
      return eyot_barrier(team);
    case ALLOC:
      return eyot_team_alloc(team, 64, &memory);
    case SPLIT:
      return eyot_team_split(team, 0, &part);
    default:
      return eyot_team_destroy(&team);
  }
}

static int start(eyot_team_t team, eyot_coll_t *op) {
  return eyot_allreduce_nb(team, EYOT_UINT64, EYOT_SUM, &mine, &got, 1, op);
}

static int nb(eyot_team_t team, bool tests) {
  eyot_coll_t op;
  bool done = false;
  int rc = start(team, &op);
  if (rc != EYOT_OK) return rc;
  if (!tests) return eyot_coll_wait(&op);
  while (rc == EYOT_OK && !done) rc = eyot_coll_test(&op, &done);
  CHECK(op.id == EYOT_COLL_DONE.id); /* also after an error */
  return rc;
}

/* A plan that one member has left keeps the team alive on all. */
static void left(eyot_team_t team, int other) {
  eyot_coll_t op;
  bool one = eyot_me().id == 0;
  if (one)
    expect("a plan", other, eyot_allreduce_plan(team, EYOT_UINT64, EYOT_SUM, &mine, &got, 1, &op),
           EYOT_OK);
  expect("the end with a plan", other, eyot_team_destroy(&team), EYOT_EBUSY);
  expect("the team with a plan", other, nb(team, false), EYOT_OK);
  if (one) expect("its end", other, eyot_coll_free(&op), EYOT_OK);
}

/* So does the call itself, until it is completed. */
static void call_left(eyot_team_t team, int other, bool first) {
  eyot_coll_t op;
  if (first)
    expect("a start", other, start(team, &op), EYOT_OK);
  else
    expect("the other call", other, blocking(team, other), EYOT_EMISMATCH);
  expect("the end with a call", other, eyot_team_destroy(&team), EYOT_EBUSY);
  if (first) expect("the call that was left", other, eyot_coll_wait(&op), EYOT_EMISMATCH);
}

static void round_of(int other, int end, bool tests, bool before) {
  const uint32_t me = eyot_me().id, n = eyot_size();
  eyot_team_t team;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  if (before) OK(blocking(team, ALLREDUCE));
  bool first = end % 2 == 0 ? me == 0 : me != n - 1; /* who does not block */
  if (end == CALL_LEFT) {
    call_left(team, other, first);
  } else {
    int rc = first ? nb(team, tests) : blocking(team, other);
    expect(first ? "a call that does not block" : "the other call", other, rc, EYOT_EMISMATCH);
  }
  if (end == PLAN_LEFT) left(team, other);
  if (end == AFTER_CALL || end == AFTER_NB) {
    got = 0;
    expect("the next call", other, end == AFTER_NB ? nb(team, tests) : blocking(team, ALLREDUCE),
           EYOT_OK);
    CHECK(got == n);
  }
  expect("the end", other, eyot_team_destroy(&team), EYOT_OK);
  CHECK(team.id == EYOT_TEAM_NULL.id);
}

/* The end of a team with boards compares two words of all members, and so does a free. */
static void end_beside_free(void) {
  const uint32_t n = eyot_size();
  eyot_team_t team;
  eyot_gptr_t memory;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  OK(eyot_team_alloc(team, 64, &memory));
  OK(blocking(team, ALLREDUCE));
  bool ends = eyot_me().id == 0;
  expect(ends ? "the end" : "the free", DESTROY,
         ends ? eyot_team_destroy(&team) : eyot_team_free(memory), EYOT_EMISMATCH);
  got = 0;
  expect("the next call", DESTROY, blocking(team, ALLREDUCE), EYOT_OK);
  CHECK(got == n);
  expect("the free of all", DESTROY, eyot_team_free(memory), EYOT_OK);
  expect("the end of all", DESTROY, eyot_team_destroy(&team), EYOT_OK);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  end_beside_free();
  for (int other = 0; other < OTHERS; other++)
    for (int end = 0; end < ENDS; end++)
      for (int how = 0; how < (other < BARRIER ? 2 : 4); how++)
        round_of(other, end, how % 2 != 0, how / 2 != 0);
  return finish();
}
