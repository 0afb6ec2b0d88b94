/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_differ.c - unit 2 makes another collective call than the others: the report of the simulator
 * has the calls of all of them, with arguments and lines.
 *
 * Why it exists: the unit that finds the difference knows a hash of the others' arguments, and it
 * is often not the one that is wrong.
 *
 * coll_differ elements|form|before|end|forgotten|operator|lengths|left
 * left: no member receives anything of the odd one, and the team has no later call
 * forgotten: it makes none, which no other notices before eyot_finalize, whose error counts */
#include <string.h>

#include "programs/api_check.h"

static uint64_t in[8], out[8];

static int reduce(bool odd) {
  eyot_coll_t op;
  if (!odd)
    OK(eyot_reduce_nb(EYOT_TEAM_ALL, (eyot_tunit_t){3}, EYOT_UINT64, EYOT_SUM, in, out, 8, &op));
  else
    OK(eyot_reduce_plan(EYOT_TEAM_ALL, (eyot_tunit_t){3}, EYOT_UINT64, EYOT_SUM, in, out, 8, &op));
  if (odd) OK(eyot_coll_start(op));
  return eyot_coll_wait(&op);
}

static int before(bool odd) {
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, out, 8));
  return odd ? eyot_barrier(EYOT_TEAM_ALL)
             : eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, in, 8);
}

static void combine(void *o, const void *left, const void *right, uint64_t n, void *context) {
  (void)o, (void)left, (void)right, (void)n, (void)context;
}
static int user(bool odd) {
  eyot_op_t op;
  OK(eyot_op_create(combine, NULL, 8, odd, &op));
  return eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, op, in, out, 2);
}

static int lengths(bool odd) {
  const uint64_t sizes[4] = {8, 8, odd ? 16 : 8, 8};
  return eyot_allgatherv(EYOT_TEAM_ALL, in, out, sizes, NULL);
}

static int left(bool odd) {
  eyot_team_t team;
  eyot_tunit_t root = {1};
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  return odd ? eyot_reduce(team, root, EYOT_UINT64, EYOT_SUM, in, out, 1)
             : eyot_broadcast(team, root, in, 8);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2);
  bool odd = eyot_me().id == 2;
  if (strcmp(argv[1], "elements") == 0)
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, out, odd ? 7 : 8));
  else if (strcmp(argv[1], "form") == 0)
    OK(reduce(odd));
  else if (strcmp(argv[1], "before") == 0)
    OK(before(odd));
  else if (strcmp(argv[1], "operator") == 0)
    OK(user(odd));
  else if (strcmp(argv[1], "lengths") == 0)
    OK(lengths(odd));
  else if (strcmp(argv[1], "left") == 0)
    OK(left(odd));
  else if (strcmp(argv[1], "forgotten") == 0) {
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, out, 8));
    if (!odd) OK(eyot_scatter(EYOT_TEAM_ALL, (eyot_tunit_t){0}, in, out, 1));
    printf("%s: %s\n", odd ? "odd" : "other", eyot_errname(eyot_finalize()));
    return 0;
  } else if (odd)
    OK(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
