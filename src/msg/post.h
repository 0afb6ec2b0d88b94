/* SPDX-License-Identifier: BSD-3-Clause */
/* post.h - what a unit wants: receives that are posted, and the peers whose messages they, or
 * probes, wait for. For match.c, probe.c, ring_in.c and stream.c. */
#ifndef EYOT_MSG_POST_H
#define EYOT_MSG_POST_H

#include "msg/state.h"

/* ring_in.c: adds a peer that has a ring to those that are posted for, or takes it out; where it is
 * the only one, at once. Local. */
void eyoti_msg_wanted_add_more(struct eyoti_msgs *m, struct eyoti_msg_peer *p);
void eyoti_msg_wanted_remove_one(struct eyoti_msgs *m, const struct eyoti_msg_peer *p);
static inline void eyoti_msg_wanted_add(struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (m->n_wanted > 0)
    eyoti_msg_wanted_add_more(m, p);
  else
    m->wanted[m->n_wanted++] = p;
}
static inline void eyoti_msg_wanted_remove(struct eyoti_msgs *m, const struct eyoti_msg_peer *p) {
  if (m->n_wanted > 1)
    eyoti_msg_wanted_remove_one(m, p);
  else
    m->n_wanted = 0;
}
/* From now on, and no longer, the unit takes messages that match the key; *of, which unwant gets:
 * the peer that it names, or NULL. Errors: ENOMEM. */
static inline void eyoti_msg_want_of(struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (p->from == NULL)
    m->new_wants++;
  else if (p->posted == 0)
    eyoti_msg_wanted_add(m, p);
  p->posted++;
}
static inline int eyoti_msg_want(struct eyot_rt *rt, struct eyoti_msgs *m,
                                 const struct eyoti_msg_key *key, struct eyoti_msg_peer **of) {
  *of = NULL;
  if (key->from == EYOTI_MSG_ANY_FROM) {
    m->wild_wants++;
    return EYOT_OK;
  }
  EYOTI_TRY(eyoti_msg_peer(rt, m, key->from, of));
  eyoti_msg_want_of(m, *of);
  return EYOT_OK;
}
static inline void eyoti_msg_unwant(struct eyoti_msgs *m, struct eyoti_msg_peer *of) {
  if (of == NULL) {
    m->wild_wants--;
    return;
  }
  of->posted--;
  if (of->from == NULL)
    m->new_wants--;
  else if (of->posted == 0)
    eyoti_msg_wanted_remove(m, of);
}

/* Posts a receive that names sender and tag, or takes it back. Local. */
static inline void eyoti_msg_post_named(struct eyoti_msgs *m, struct eyoti_msg_op *op,
                                        struct eyoti_msg_peer *p) {
  eyoti_msg_want_of(m, p);
  op->from = p;
  op->stamp = ++m->stamp;
  op->posted = true;
  m->n_posted++;
  eyoti_msg_index_add(&m->posted, &op->entry, &op->key);
}
static inline void eyoti_msg_unpost_named(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  eyoti_msg_index_remove(&m->posted, &op->entry);
  eyoti_msg_unwant(m, op->from);
  op->posted = false;
  m->n_posted--;
}
#endif
