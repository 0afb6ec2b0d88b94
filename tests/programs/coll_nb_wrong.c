/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_nb_wrong.c - wrong uses of non-blocking and persistent collectives: each gets its error, on
 * the members that should get one, and afterwards the team works. With EYOT_ERRORS=return. */
#include "programs/api_check.h"

static uint64_t mine, got;

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "coll_nb_wrong: unit %u: %s: %s, expected %s\n", eyot_me().id, what,
          eyot_strerror(rc), eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static int sum_nb(eyot_coll_t *op) {
  return eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &got, 1, op);
}
static int sum_plan(eyot_team_t team, eyot_coll_t *op) {
  return eyot_allreduce_plan(team, EYOT_UINT64, EYOT_SUM, &mine, &got, 1, op);
}

static void works(void) {
  eyot_coll_t op;
  mine = eyot_me().id;
  expect("start", sum_nb(&op), EYOT_OK);
  expect("wait", eyot_coll_wait(&op), EYOT_OK);
  CHECK(got == (uint64_t)eyot_size() * (eyot_size() - 1) / 2);
}

static void handles(void) {
  eyot_coll_t op, old, done = EYOT_COLL_DONE;
  bool is_done = false;
  expect("wait for DONE", eyot_coll_wait(&done), EYOT_OK);
  expect("test of DONE", eyot_coll_test(&done, &is_done), EYOT_OK);
  CHECK(is_done);
  expect("no handle", sum_nb(NULL), EYOT_EINVAL);
  expect("start", sum_nb(&op), EYOT_OK);
  old = op;
  expect("start of what is no plan", eyot_coll_start(op), EYOT_ESTATE);
  expect("free of what is under way", eyot_coll_free(&op), EYOT_ESTATE);
  expect("test without a place", eyot_coll_test(&op, NULL), EYOT_EINVAL);
  expect("wait", eyot_coll_wait(&op), EYOT_OK);
  CHECK(op.id == 0);
  expect("wait for an old handle", eyot_coll_wait(&old), EYOT_EINVAL);
  expect("wait for NULL", eyot_coll_wait(NULL), EYOT_EINVAL);
  expect("wait for all of NULL", eyot_coll_wait_all(NULL, 2), EYOT_EINVAL);
}

static void plans(void) {
  eyot_coll_t op, old;
  expect("plan", sum_plan(EYOT_TEAM_ALL, &op), EYOT_OK);
  expect("plan with a wrong operator",
         eyot_allreduce_plan(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_BXOR, &mine, &got, 1, &old),
         EYOT_EINVAL);
  old = op;
  expect("wait for a plan that was not started", eyot_coll_wait(&op), EYOT_ESTATE);
  expect("start", eyot_coll_start(op), EYOT_OK);
  expect("second start", eyot_coll_start(op), EYOT_ESTATE);
  expect("free of a started plan", eyot_coll_free(&op), EYOT_ESTATE);
  expect("wait", eyot_coll_wait(&op), EYOT_OK);
  expect("free", eyot_coll_free(&op), EYOT_OK);
  expect("start of a freed plan", eyot_coll_start(old), EYOT_EINVAL);
}

static void many(void) {
  enum { MOST = 64 };
  static uint64_t to[MOST];
  eyot_coll_t op[MOST], more;
  mine = eyot_me().id;
  for (int i = 0; i < MOST; i++)
    expect("one of many",
           eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &to[i], 1, &op[i]),
           EYOT_OK);
  expect("one too many", sum_nb(&more), EYOT_EBUSY);
  expect("wait for all", eyot_coll_wait_all(op, MOST), EYOT_OK);
  for (int i = 0; i < MOST; i++) CHECK(to[i] == eyot_size() - 1);
}

/* One member's arguments are refused; members make different calls. */
static void calls_differ(void) {
  eyot_coll_t op;
  bool other = eyot_me().id == 1;
  mine = eyot_me().id;
  int rc =
      eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, other ? NULL : &mine, &got, 1, &op);
  expect("refused arguments", rc, other ? EYOT_EINVAL : EYOT_OK);
  if (!other) expect("the others", eyot_coll_wait(&op), EYOT_EMISMATCH);
  works();
  uint64_t n = other ? 2 : 1, from[2] = {0}, to[2];
  expect("start", eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, from, to, n, &op),
         EYOT_OK);
  expect("different counts", eyot_coll_wait(&op), EYOT_EMISMATCH);
  works();
  if (other)
    rc = eyot_allgather_nb(EYOT_TEAM_ALL, from, to, 1, &op);
  else
    rc = sum_nb(&op);
  expect("start", rc, EYOT_OK);
  expect("different functions", eyot_coll_wait(&op), EYOT_EMISMATCH);
}

static void teams(void) {
  eyot_team_t team;
  eyot_coll_t op;
  expect("split", eyot_team_split(EYOT_TEAM_ALL, 0, &team), EYOT_OK);
  expect("plan", sum_plan(team, &op), EYOT_OK);
  expect("a team with a plan that was not started", eyot_team_destroy(&team), EYOT_EBUSY);
  expect("start", eyot_coll_start(op), EYOT_OK);
  expect("wait", eyot_coll_wait(&op), EYOT_OK);
  expect("a team with a plan", eyot_team_destroy(&team), EYOT_EBUSY);
  expect("free", eyot_coll_free(&op), EYOT_OK);
  expect("the team", eyot_team_destroy(&team), EYOT_OK);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  works();
  handles();
  plans();
  works();
  many();
  calls_differ();
  works();
  teams();
  eyot_errors_clear();
  return finish();
}
