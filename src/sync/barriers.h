/* barriers.h - what a unit keeps of a team's barriers: in the team's control block (teams/sync_part.h), so that nothing needs an
 * allocation. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_BARRIERS_H
#define EYOT_BARRIERS_H

#include "../teams/sync_part.h"
#include "sync.h"

struct eyoti_barriers {
  /* split-phase */
  struct eyoti_ctl_step step; /* of the barrier that is open */
  uint64_t seq;               /* of the second block of ctl */
  uint64_t value;             /* the expression of the open barrier, if has_value */
  bool open, has_value;
  /* tree; the units to which the caller sends are behind the split block */
  bool planned;
  bool is_root;
  uint32_t children;
  fab_unit_t parent;
  uint64_t round; /* tree barriers entered */
};

_Static_assert(sizeof(struct eyoti_barriers) <= EYOTI_SYNC_OWN_BYTES, "the unit's own part has room for it");
_Static_assert(EYOTI_SYNC_OWN_BYTES % 8 == 0 && EYOTI_SYNC_OWN_BYTES - sizeof(struct eyoti_barriers) < 8, "and no more");

static inline struct eyoti_barriers *eyoti_barriers_of(const struct eyoti_team *t) {
  return (struct eyoti_barriers *)(void *)(t->sync + EYOTI_SYNC_OWN_OFF);
}
static inline fab_unit_t *eyoti_barriers_children(const struct eyoti_team *t) {
  return (fab_unit_t *)(void *)(t->sync + eyoti_sync_children_off(t->size));
}

/* tree.c: returns after every member has entered. Collective over the team, blocking. Errors: the fabric's. */
int eyoti_tree_barrier(struct eyot_rt *rt, struct eyoti_team *t);
#endif
