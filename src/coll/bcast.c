/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.c - eyot_broadcast, in its three forms. */
#include <eyot/coll_nb.h>

#include "coll/call.h"
#include "coll/gen.h"
#include "coll/global.h"
#include "coll/quick.h"
#include "coll/round.h"

int eyoti_coll_do_broadcast(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, void *buf,
                            uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  bool is_root = t->me == root.id;
  int refused = eyoti_coll_check_root(t, root.id);
  if (refused == EYOT_OK) refused = eyoti_coll_check_buffers(buf, NULL, false, bytes, 1);
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_BROADCAST, .root = root.id, .count = bytes, .bytes = bytes},
      .gen = eyoti_gen_broadcast_binomial,
      .round_bytes = EYOTI_ROUND_MOST,
      .in = buf,
      .out = buf,
      .reads = is_root ? bytes : 0,
      .writes = is_root ? 0 : bytes,
      .seen_bytes = bytes};
  return eyoti_coll_do(rt, t, &c, refused, how);
}

int eyot_broadcast(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_BROADCAST, root.id, 0, 0, bytes, buf, buf);
  return eyoti_coll_do_broadcast(rt, team, root, buf, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_broadcast_nb(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes,
                      eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_broadcast(rt, team, root, buf, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_broadcast_plan(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes,
                        eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_broadcast(rt, team, root, buf, bytes, EYOTI_HOW(PERSISTENT, handle));
}
