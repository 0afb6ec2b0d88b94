/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c - whole barriers (eyot/barrier.h), and eyoti_sync_barrier for the layers above
 * (sync.h). A barrier is the control plane's exchange without words (fabric/ctl.h).
 * Source: Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming
 * with MPI-3 one sided, SC 2013, section 2.3 (fence). */
#include <eyot/barrier.h>

#include "sync/barrier/barriers.h"

int eyoti_sync_barrier(struct eyot_rt *rt, struct eyoti_team *t) {
  return eyoti_ctl_exchange(rt->fab, &t->ctl, NULL, NULL, 0);
}

int eyot_barrier(eyot_team_t team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  return eyoti_sync_barrier(rt, t);
}

static enum eyoti_call_words words_of(const struct eyoti_team *t, eyot_barrier_kind_t kind) {
  if (kind == EYOT_BARRIER_TREE) return EYOTI_WORDS_TREE;
  bool nodes = kind == EYOT_BARRIER_NODES && t->ctl.nodes != NULL;
  return nodes == t->ctl.by_nodes ? EYOTI_WORDS_CONTROL : EYOTI_WORDS_OTHER_WAY;
}

int eyot_barrier_by(eyot_team_t team, eyot_barrier_kind_t kind) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter_by(rt, t, words_of(t, kind), FAB_COLLECTIVE_NONE, 0));
  switch (kind) {
    case EYOT_BARRIER_DISSEMINATION:
      return eyoti_ctl_barrier_by(rt->fab, &t->ctl, EYOTI_CTL_DISSEMINATE);
    case EYOT_BARRIER_TREE:
      return eyoti_tree_barrier(rt, t);
    case EYOT_BARRIER_NODES:
      return eyoti_ctl_barrier_by(rt->fab, &t->ctl, EYOTI_CTL_BY_NODES);
  }
  return EYOTI_FAIL(
      EYOT_EINVAL,
      "there is no kind %d of barriers, expected EYOT_BARRIER_DISSEMINATION, EYOT_BARRIER_TREE or "
      "EYOT_BARRIER_NODES",
      (int)kind);
}
