/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.h - who sends to whom where the units of a node act as one: nodes in groups, groups of
 * groups and so on; the exchange between the groups of a level; and how a value spreads on a node.
 * Arithmetic alone, for the control plane (fabric/ctl_nodes.c) and collectives (coll/gen_multi*.c).
 *
 * Why it exists: with all units of a node posting, a round between nodes reaches many of them, for
 * any number of nodes and without folding. Source: J. Huang et al., PiP-MColl, CLUSTER 2023 (arXiv
 * 2305.10612); the groups are eyot's own (docs/adr/0071). */
#ifndef EYOT_BASE_GROUPS_H
#define EYOT_BASE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_GROUPS_LEVELS 32u /* of groups: 2^32 nodes by two */
#define EYOTI_POSTAL_MOST 256u  /* units of a node */
/* Messages that a unit posts on its node while one arrives: about what machines have. */
#define EYOTI_POSTAL_LATENCY 7u
#define EYOTI_SEAT_ALONE 4u /* so few messages to other nodes are sent by a node's first unit */

/* Nodes first .. end - 1. */
struct eyoti_nodes {
  uint32_t first, end;
};

/* Groups of nodes by levels: a group of level 0 is one node, one of level l + 1 consists of up to
 * `radix` groups of level l, and that of level `levels` is all nodes. Groups of one level in one
 * group differ by one node at most. */
struct eyoti_groups {
  uint32_t nodes, radix, levels;
};

/* Groups by the smallest number of levels that needs no radix above `radix` (2 or more), and then
 * by the smallest radix. */
struct eyoti_groups eyoti_groups_by(uint32_t nodes, uint32_t radix);
/* The number of groups of level `level` in a group of the next level. */
uint32_t eyoti_groups_parts(const struct eyoti_groups *g, uint32_t level, struct eyoti_nodes of);
/* Part number i of n of a group. */
static inline struct eyoti_nodes eyoti_groups_part(struct eyoti_nodes of, uint32_t i, uint32_t n) {
  uint64_t count = of.end - of.first;
  return (struct eyoti_nodes){of.first + (uint32_t)(count * i / n),
                              of.first + (uint32_t)(count * (i + 1) / n)};
}
/* The part of a node. */
uint32_t eyoti_groups_part_of(struct eyoti_nodes of, uint32_t node, uint32_t n);
/* The group of a level that a node is in. */
struct eyoti_nodes eyoti_groups_at(const struct eyoti_groups *g, uint32_t level, uint32_t node);

/* An exchange of the groups of one level within one of the next. Node number b of its group gets
 * the result of each sibling group from that one's number b. Sizes differ by one at most; where the
 * sibling has no number b, a number that depends on the receiver's group takes its place, so that
 * no node of the sibling sends to more than a few in place of another. So every node gets each
 * other group's result once, with any number of nodes. */

/* A node's seat in an exchange: its group's number among n siblings, and its own in the group. */
struct eyoti_seat {
  struct eyoti_nodes all; /* of the siblings */
  uint32_t n, part, number;
};
struct eyoti_seat eyoti_seat_of(const struct eyoti_groups *g, uint32_t level, uint32_t node);
/* The node of group `part` from which number `number` of group `to` gets that one's result. */
uint32_t eyoti_seat_sender(const struct eyoti_seat *x, uint32_t part, uint32_t to, uint32_t number);
/* Calls fn for each node that the node at x sends to, with a running number; stops where fn returns
 * true. Returns the number of calls. fn NULL: counts. */
typedef bool (*eyoti_seat_fn)(void *arg, uint32_t target, uint32_t index);
uint32_t eyoti_seat_targets(const struct eyoti_seat *x, eyoti_seat_fn fn, void *arg);
/* The number of the call for `target`, which must be one, and of all calls. */
uint32_t eyoti_seat_index(const struct eyoti_seat *x, uint32_t target, uint32_t *messages);
/* The unit of a node with so many units that sends message number `index` of `messages`. */
static inline uint32_t eyoti_seat_poster(uint32_t cores, uint32_t messages, uint32_t index) {
  return messages <= EYOTI_SEAT_ALONE ? 0 : (index + 1) % cores;
}

/* A tree over n processors of a node (n <= EYOTI_POSTAL_MOST) by which a value spreads fastest if
 * each can send one message after the other, and a message takes as long as `latency` of them: the
 * parent of each (of 0: 0), which is less. A core sends to its children in ascending order. Source:
 * A. Bar-Noy, S. Kipnis, Designing broadcasting algorithms in the postal model for message-passing
 * systems, SPAA 1992. */
void eyoti_postal_tree(uint32_t n, uint32_t latency, uint8_t *parent);
/* Where one processor has something else for each of n: how many follow each other in a group, of
 * which the first one gets all that is for the group and passes it on. n: it sends to each itself,
 * because that takes no longer. */
uint32_t eyoti_postal_group(uint32_t n, uint32_t latency);
#endif
