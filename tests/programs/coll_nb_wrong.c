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

/* -- blocks of several lengths ----------------------------------------------------------------- */

#define MEMBERS 16u
static uint64_t sizes[MEMBERS], buffer[16 * MEMBERS], to[16 * MEMBERS], told[MEMBERS];

/* Completes what has been started on all members; a start that makes memory compares the calls. */
static void ends(const char *what, int started, eyot_coll_t *op, int want) {
  if (started == want) return;
  expect(what, started, EYOT_OK);
  expect(what, eyot_coll_wait(op), want);
  CHECK(op->id == 0);
}

/* The lengths of sender and receiver differ: found after the start, by the receiver, and, where all
 * tell their lengths first, by all. */
static void lengths_differ(void) {
  const uint32_t n = eyot_size(), me = eyot_me().id;
  const eyot_tunit_t root = {n - 1};
  eyot_coll_t op;
  for (uint32_t m = 0; m < n; m++) sizes[m] = 8;
  uint64_t own = me == 0 ? 16 : 8;
  int rc = eyot_gatherv_nb(EYOT_TEAM_ALL, root, buffer, own, to, sizes, NULL, &op);
  expect("start of gatherv_nb", rc, EYOT_OK);
  rc = eyot_coll_wait(&op);
  if (me == root.id) expect("gatherv_nb on root", rc, EYOT_EMISMATCH);
  rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &got, 1);
  expect("the next call for all", rc, EYOT_EMISMATCH);
  works();
  rc = eyot_scatterv_nb(EYOT_TEAM_ALL, root, buffer, sizes, NULL, to, own, &op);
  expect("scatterv_nb", rc, EYOT_OK);
  rc = eyot_coll_wait(&op);
  if (me == 0 || rc != EYOT_OK) expect("scatterv_nb", rc, EYOT_EMISMATCH);
  rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &got, 1);
  expect("the next call for all", rc, EYOT_EMISMATCH);
  works();
  sizes[1] = own;
  ends("alltoallv_nb", eyot_alltoallv_nb(EYOT_TEAM_ALL, buffer, sizes, NULL, to, sizes, NULL, &op),
       &op, EYOT_EMISMATCH);
  ends("allgatherv_nb", eyot_allgatherv_nb(EYOT_TEAM_ALL, buffer, to, sizes, NULL, &op), &op,
       EYOT_EMISMATCH);
  rc = eyot_reduce_scatter_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, buffer, to, sizes, &op);
  ends("reduce_scatter_nb", rc, &op, EYOT_EMISMATCH);
  rc = eyot_alltoall_strided_nb(EYOT_TEAM_ALL, buffer, 8, to, 8, me == 0 ? 2 : 1, 4, &op);
  ends("alltoall_strided_nb", rc, &op, EYOT_EMISMATCH);
  works();
  rc = eyot_collect_nb(EYOT_TEAM_ALL, buffer, 8, to, me == 0 ? 8 : sizeof to, told, &op);
  expect("collect_nb", rc, EYOT_OK);
  expect("collect_nb", eyot_coll_wait(&op), me == 0 ? EYOT_ERANGE : EYOT_EMISMATCH);
  works();
}

/* A member's arguments are refused at once; the others learn of it. */
static void several_refused(void) {
  const uint32_t n = eyot_size();
  const bool other = eyot_me().id == 1;
  const eyot_tunit_t root = {0};
  eyot_coll_t op;
  for (uint32_t m = 0; m < n; m++) sizes[m] = 8;
  int rc = eyot_collect_nb(EYOT_TEAM_ALL, other ? NULL : buffer, 8, to, sizeof to, told, &op);
  ends("collect_nb from NULL", rc, &op, other ? EYOT_EINVAL : EYOT_EMISMATCH);
  rc = eyot_alltoallv_nb(EYOT_TEAM_ALL, buffer, other ? NULL : sizes, NULL, to, sizes, NULL, &op);
  ends("alltoallv_nb without sizes", rc, &op, other ? EYOT_EINVAL : EYOT_EMISMATCH);
  rc = eyot_gatherv_nb(EYOT_TEAM_ALL, root, buffer, 8, to, sizes, NULL, NULL);
  expect("gatherv_nb without a place for the handle", rc, EYOT_EINVAL);
  rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &got, 1);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  works();
  expect("a plan without sizes",
         eyot_alltoallv_plan(EYOT_TEAM_ALL, buffer, NULL, NULL, to, sizes, NULL, &op), EYOT_EINVAL);
  expect("a plan with an overlap",
         eyot_allgatherv_plan(EYOT_TEAM_ALL, (char *)to + 4, to, sizes, NULL, &op), EYOT_EINVAL);
}

/* Blocks of two words each, which begin at send_at and recv_at of one array, and the same places
 * for those of another one. */
static int places_refused(uint64_t send_step, uint64_t recv_from, uint64_t recv_step) {
  static uint64_t both[4 * MEMBERS + 2], send_at[MEMBERS], recv_at[MEMBERS], lengths[MEMBERS];
  eyot_coll_t op;
  for (uint64_t m = 0; m < MEMBERS; m++) {
    lengths[m] = 16;
    send_at[m] = m * send_step;
    recv_at[m] = recv_from + m * recv_step;
  }
  int rc = eyot_alltoallv_plan(EYOT_TEAM_ALL, both, lengths, send_at, both, lengths, recv_at, &op);
  if (rc == EYOT_OK) expect("free", eyot_coll_free(&op), EYOT_OK);
  return rc;
}

static void places(void) {
  eyot_coll_t op;
  const eyot_tunit_t me = {eyot_me().id};
  uint64_t gaps[MEMBERS], ends = 32 * eyot_size() - 16;
  for (uint64_t m = 0; m < MEMBERS; m++) gaps[m] = 32 * m;
  for (uint64_t m = 0; m < MEMBERS; m++) sizes[m] = 16;
  static char two[32 * MEMBERS];
  expect("blocks in the gaps of others", places_refused(32, 16, 32), EYOT_OK);
  expect("blocks that are sent twice", places_refused(0, 16, 16), EYOT_OK);
  expect("blocks that are received twice", places_refused(32, 16, 0), EYOT_EINVAL);
  expect("blocks that begin in those of others", places_refused(32, 8, 32), EYOT_EINVAL);
  expect("blocks that end in those of others", places_refused(32, 24, 32), EYOT_EINVAL);
  expect("a long block over others", places_refused(8, 8 * eyot_size(), 16), EYOT_EINVAL);
  expect("a block in a gap", eyot_allgatherv_plan(EYOT_TEAM_ALL, two + ends, two, sizes, gaps, &op),
         EYOT_OK);
  expect("free", eyot_coll_free(&op), EYOT_OK);
  expect("a block that ends in another one",
         eyot_gatherv_plan(EYOT_TEAM_ALL, me, two + ends - 8, 16, two, sizes, gaps, &op),
         EYOT_EINVAL);
  expect("a block in a gap of what is sent",
         eyot_scatterv_plan(EYOT_TEAM_ALL, me, two, sizes, gaps, two + ends, 16, &op), EYOT_OK);
  expect("free", eyot_coll_free(&op), EYOT_OK);
}

static int blocks_refused(eyot_block_t block, bool sent) {
  eyot_coll_t op;
  static eyot_block_t right[MEMBERS], wrong[MEMBERS];
  for (uint32_t m = 0; m < eyot_size(); m++)
    right[m] = wrong[m] = (eyot_block_t){.at = 8 * m, .run_bytes = 8};
  wrong[eyot_size() - 1] = block;
  return eyot_alltoallw_plan(EYOT_TEAM_ALL, buffer, sent ? wrong : right, to, sent ? right : wrong,
                             &op);
}

/* Wrong blocks and strides. */
static void shapes_refused(void) {
  eyot_coll_t op;
  const eyot_block_t before = {.run_bytes = 8, .count = {2}, .stride = {-8}};
  const eyot_block_t huge = {.run_bytes = UINT64_MAX / 2, .count = {3}, .stride = {8}};
  const eyot_block_t far = {.at = UINT64_MAX - 3, .run_bytes = 8};
  const eyot_block_t over = {.run_bytes = 8, .count = {2}, .stride = {4}};
  const eyot_block_t across = {.run_bytes = 8, .count = {2, 2}, .stride = {16, 16}};
  expect("a block before the buffer", blocks_refused(before, true), EYOT_EINVAL);
  expect("a block beyond memory", blocks_refused(huge, true), EYOT_EINVAL);
  expect("a block after memory", blocks_refused(far, false), EYOT_EINVAL);
  expect("runs that overlap", blocks_refused(over, false), EYOT_EINVAL);
  expect("rows that overlap", blocks_refused(across, false), EYOT_EINVAL);
  expect("no blocks", eyot_alltoallw_plan(EYOT_TEAM_ALL, buffer, NULL, to, NULL, &op), EYOT_EINVAL);
  expect("a stride that is too short",
         eyot_alltoall_strided_plan(EYOT_TEAM_ALL, buffer, 8, to, 4, 2, 8, &op), EYOT_EINVAL);
  expect("strides beyond memory",
         eyot_alltoall_strided_plan(EYOT_TEAM_ALL, buffer, UINT64_MAX / 4, to, 8, 8, 8, &op),
         EYOT_EINVAL);
  expect("buffers that overlap",
         eyot_alltoall_strided_plan(EYOT_TEAM_ALL, to, 8, (char *)to + 4, 8, 1, 8, &op),
         EYOT_EINVAL);
  /* one's elements lie in the other's gaps */
  expect("buffers that interleave",
         eyot_alltoall_strided_plan(EYOT_TEAM_ALL, to, 8, (char *)to + 4, 8, 1, 4, &op), EYOT_OK);
  expect("free", eyot_coll_free(&op), EYOT_OK);
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
  CHECK(eyot_size() <= MEMBERS);
  lengths_differ();
  several_refused();
  places();
  shapes_refused();
  works();
  teams();
  eyot_errors_clear();
  return finish();
}
