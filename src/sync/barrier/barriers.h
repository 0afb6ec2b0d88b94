/* SPDX-License-Identifier: BSD-3-Clause */
/* barriers.h - the state that a unit keeps of a team's barriers, for the files of src/sync/barrier.
 * It is in the team's control block (teams/sync_part.h), so that barriers need no allocation. */
#ifndef EYOT_SYNC_BARRIER_BARRIERS_H
#define EYOT_SYNC_BARRIER_BARRIERS_H

#include "sync/sync.h"
#include "teams/sync_part.h"

struct eyoti_barriers {
  /* split-phase */
  struct eyoti_ctl_step step; /* of the open barrier */
  uint64_t seq;               /* of the second block of ctl */
  uint64_t value;             /* the expression of the open barrier, if has_value */
  bool open, has_value;
  /* tree; the list of children follows the split block */
  bool planned;
  bool is_root;
  uint32_t children;
  fab_unit_t parent;
  uint64_t round; /* tree barriers entered */
};

_Static_assert(sizeof(struct eyoti_barriers) <= EYOTI_SYNC_OWN_BYTES,
               "the state fits the bytes of sync's own part");
_Static_assert(EYOTI_SYNC_OWN_BYTES % 8 == 0 &&
                   EYOTI_SYNC_OWN_BYTES - sizeof(struct eyoti_barriers) < 8,
               "sync's own part has no more bytes than the state needs");

static inline struct eyoti_barriers *eyoti_barriers_of(const struct eyoti_team *t) {
  return (struct eyoti_barriers *)(void *)(t->sync + EYOTI_SYNC_OWN_OFF);
}
static inline fab_unit_t *eyoti_barriers_children(const struct eyoti_team *t) {
  return (fab_unit_t *)(void *)(t->cold + eyoti_sync_children_off(t->size));
}

/* The block of split-phase barriers as a control-plane state. */
static inline struct eyoti_ctl eyoti_barriers_ctl(const struct eyoti_team *t) {
  struct eyoti_ctl c = t->ctl;
  c.seg = t->cold_seg;
  c.off = t->cold_off;
  c.seq = eyoti_barriers_of(t)->seq;
  c.nodes = NULL; /* the words of that way are one block's */
  c.held = NULL;
  return c;
}

/* tree.c: returns after every member has entered. Collective over the team, blocking. Errors: the
 * fabric's. */
int eyoti_tree_barrier(struct eyot_rt *rt, struct eyoti_team *t);
#endif
