/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl_nodes.h - the exchange by nodes, for a set that lies on several nodes; inside the control
 * plane (ctl.c), and for teams, which makes its list and gives it memory.
 *
 * Why it exists: dissemination takes ceil(log2 p) messages between nodes one after the other. Here
 * the units of a node act as one, and all of them post: they give their words to the node's first
 * unit; in each of a few rounds the node's result goes to its units, each of which sends it to some
 * of the nodes of other groups; and the result goes to all units (base/groups.h; docs/adr/0076,
 * 0143). */
#ifndef EYOT_FABRIC_CTL_NODES_H
#define EYOT_FABRIC_CTL_NODES_H

#include "base/groups.h"
#include "base/placement.h"
#include "fabric/ctl.h"

#define EYOTI_CTL_NODES_RADIX_MOST 64u

/* How the members lie: member i on node i / per_node, or as `placed` says, on nodes of per_node
 * members at most. */
struct eyoti_ctl_nodes_shape {
  uint32_t size, per_node;
  uint32_t radix;                       /* other groups that a group sends to in a round, plus 1 */
  const struct eyoti_placement *placed; /* NULL: regularly */
};
/* The shape of the first `size` units by the fabric's model; per_node 0: there is none, because
 * they lie otherwise, or on one node. *quicker: by the model it is quicker than dissemination. */
struct eyoti_ctl_nodes_shape eyoti_ctl_nodes_choose(const struct fab *f, uint32_t size,
                                                    bool *quicker);
/* The same of members that lie anywhere; per_node 0: they are on one node, or too many on some. */
struct eyoti_ctl_nodes_shape eyoti_ctl_nodes_choose_placed(const struct fab *f,
                                                           const struct eyoti_placement *placed,
                                                           bool *quicker);
/* Whether a member is the first of its node. */
bool eyoti_ctl_nodes_is_first(const struct eyoti_ctl_nodes_shape *shape, uint32_t member);

/* The memory of a member, which must be zero before the first exchange on every member: bytes of
 * the part that all members use, and of the part that only the first members of nodes use. */
uint64_t eyoti_ctl_nodes_bytes(const struct eyoti_ctl_nodes_shape *shape);
uint64_t eyoti_ctl_nodes_first_bytes(const struct eyoti_ctl_nodes_shape *shape);

/* Where one of the parts lies: the same on all members, and the caller's own address of it. */
struct eyoti_ctl_nodes_place {
  fab_seg_t seg;
  uint64_t off;
  char *own;
};
/* What the caller does in each exchange, as a list. NULL: no memory (not logged). Local. */
struct eyoti_ctl_nodes *eyoti_ctl_nodes_make(const struct eyoti_ctl_nodes_shape *shape,
                                             const struct eyoti_ctl_set *set);
void eyoti_ctl_nodes_place(struct eyoti_ctl_nodes *n, struct eyoti_ctl_nodes_place all,
                           struct eyoti_ctl_nodes_place first);
void eyoti_ctl_nodes_free(struct eyoti_ctl_nodes *n);
/* Part of eyoti_ctl_writer, for the messages on a node. */
uint32_t eyoti_ctl_nodes_writer(const struct eyoti_ctl_nodes *n, fab_seg_t seg, uint64_t off);

/* Parts of eyoti_ctl_begin and eyoti_ctl_advance. begin: s->round, shape and words are set, and
 * c->seq is the number; after an error no member has been notified. */
int eyoti_ctl_nodes_begin(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s);
int eyoti_ctl_nodes_advance(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                            uint64_t timeout_ns);
/* Part of eyoti_ctl_awaits: after advance has returned ETIMEOUT. */
const uint64_t *eyoti_ctl_nodes_awaits(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                                       struct fab_cond *cond);
#endif
