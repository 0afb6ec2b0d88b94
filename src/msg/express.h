/* SPDX-License-Identifier: BSD-3-Clause */
/* express.h - what the straight ways of short messages share (express.c, stream.c): whose ring a
 * message is in, and its next slot. Local. */
#ifndef EYOT_MSG_EXPRESS_H
#define EYOT_MSG_EXPRESS_H

#include <string.h>

#include "msg/call.h"
#include "msg/ring.h"

/* A member of the team, and its peer, if there is one; most calls ask for one of a few. NULL: the
 * team has no such member. */
static inline const struct eyoti_msg_recent *eyoti_msg_member(struct eyot_rt *rt,
                                                              struct eyoti_msgs *m,
                                                              eyot_team_t team, eyot_tunit_t unit) {
  struct eyoti_msg_recent *r = &m->recent[unit.id % EYOTI_MSG_RECENT];
  struct eyoti_team *t;
  bool same = r->peer != NULL && r->unit.id == unit.id && r->team.id == team.id;
  if (__builtin_expect(same && team.id == EYOT_TEAM_ALL.id, 1)) return r;
  if (!eyoti_team_find(rt, team, &t) || unit.id >= t->size) return NULL;
  if (!same)
    *r = (struct eyoti_msg_recent){team, unit, eyoti_msg_peer_find(m, eyoti_team_unit(t, unit.id)),
                                   t};
  r->of = t; /* the pointer to a team ends with it */
  return r;
}
static inline struct eyoti_msg_peer *eyoti_msg_peer_known(struct eyot_rt *rt, struct eyoti_msgs *m,
                                                          eyot_team_t team, eyot_tunit_t unit) {
  const struct eyoti_msg_recent *r = eyoti_msg_member(rt, m, team, unit);
  return r != NULL ? r->peer : NULL;
}

/* Whether the message is one that the receive gets whole, and its bytes with it. */
static inline bool eyoti_msg_image_fits(const char *image, const struct eyoti_msg_args *a,
                                        struct eyoti_msg_head *head) {
  memcpy(head, image, sizeof *head);
  return head->team == a->team.id && head->tag == a->tag && head->kind == EYOTI_MSG_INSIDE &&
         head->len <= a->bytes;
}

/* The arguments of a message that may go by stores. */
static inline bool eyoti_msg_is_short(const struct eyot_rt *rt, const struct eyoti_msgs *m,
                                      int32_t tag, const void *buf, uint64_t bytes) {
  return m != NULL && tag >= 0 && (buf != NULL || bytes == 0) && rt->threads == NULL &&
         eyoti_msg_stored(rt, m) != NULL;
}

/* Reads the word of a slot for a while. The pauses pay also where the wait is short: a reader that
 * does not pause takes the line from its sender between two stores (adr/0088). */
static inline bool eyoti_msg_slot_spin(const char *slot, uint64_t awaited, uint32_t spin_limit) {
  for (uint32_t n = 0;; n++) {
    /* pairs with the sender's store, or the fabric's signal */
    uint64_t word = __atomic_load_n((const uint64_t *)(const void *)slot, __ATOMIC_ACQUIRE);
    if (__builtin_expect(word >= awaited, 1)) return word == awaited;
    if (n >= spin_limit) return false;
    fab_relax();
  }
}

#endif
