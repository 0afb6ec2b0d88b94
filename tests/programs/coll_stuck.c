/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_stuck.c - one member of a team never makes the collective that the others have started, and
 * waits for a message instead: reports name the collective, not only the call that waits for it.
 *
 * coll_stuck wait|all|plan|test|start */
#include <string.h>

#include "eyot/msg.h"
#include "programs/api_check.h"

/* A team's first four calls wait for all members when they start. */
static void first_calls(void) {
  for (int i = 0; i < 4; i++) {
    eyot_coll_t sum;
    int64_t one = 1, all = 0;
    OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_INT64, EYOT_SUM, &one, &all, 1, &sum));
    OK(eyot_coll_wait(&sum));
  }
}

static void test_until_done(eyot_coll_t *op) {
  for (bool done = false; !done;) OK(eyot_coll_test(op, &done));
}

static void other_members(const char *how) {
  eyot_coll_t sum;
  int64_t one = 1, all = 0;
  if (strcmp(how, "plan") == 0 || strcmp(how, "start") == 0) {
    OK(eyot_allreduce_plan(EYOT_TEAM_ALL, EYOT_INT64, EYOT_SUM, &one, &all, 1, &sum));
    OK(eyot_coll_start(sum));
  } else {
    OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_INT64, EYOT_SUM, &one, &all, 1, &sum));
  }
  if (strcmp(how, "test") == 0)
    test_until_done(&sum);
  else if (strcmp(how, "all") == 0)
    OK(eyot_coll_wait_all(&sum, 1));
  else
    OK(eyot_coll_wait(&sum));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *how = argc > 1 ? argv[1] : "wait";
  if (strcmp(how, "start") != 0) first_calls();
  if (eyot_me().id != eyot_size() - 1) {
    other_members(how);
  } else {
    int64_t got;
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 7, &got, sizeof got, NULL));
  }
  return finish();
}
