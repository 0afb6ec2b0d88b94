/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c - eyot_barrier_nb and eyot_barrier_plan: an allreduce of no elements, which goes on in
 * the team's lanes. The barrier that blocks, and the split-phase one, are sync's own. */
#include <eyot/coll_nb.h>

#include "coll/call.h"
#include "coll/gen.h"

static int barrier(struct eyot_rt *rt, eyot_team_t team, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_BARRIER, .type = EYOT_UINT8, .op = EYOT_BAND},
      .gen = eyoti_gen_allreduce_binomial,
      .round_bytes = 1};
  int refused = eyoti_coll_combiner(rt, t, &c.args);
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_barrier_nb(eyot_team_t team, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return barrier(rt, team, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_barrier_plan(eyot_team_t team, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return barrier(rt, team, EYOTI_HOW(PERSISTENT, handle));
}
