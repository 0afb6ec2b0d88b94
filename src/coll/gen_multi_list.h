/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_list.h - what the multi-object reductions share (gen_multi.h): partial results of
 * groups of nodes, and the way to one unit of a node. For gen_multi_*.c only.
 *
 * Groups of nodes are contiguous in rank order, so partial results are those of intervals of ranks
 * (of members in the order of their positions, if they are scattered: then the order of combination
 * does not matter).
 * Where the order of combination matters, the partial result of an interval is a list of blocks of
 * the canonical tree over ranks (those that lie in it, as large as possible): T(base, k) = T(base,
 * k-1) OP T(base + 2^(k-1), k-1), or T(base, k-1) alone where nothing follows. Any two lists of
 * neighboring intervals give the list of their union by combining siblings. So all members have the
 * bits of the one tree, whatever the layout. Where it does not matter, a list is one block. */
#ifndef EYOT_COLL_GEN_MULTI_LIST_H
#define EYOT_COLL_GEN_MULTI_LIST_H

#include "coll/gen_multi.h"
#include "rma/op.h"

#define EYOTI_MULTI_BLOCKS 64u /* of a list: 2 * 32 levels of the tree */

/* Ranks first .. end - 1, whose result is one value. */
struct eyoti_multi_block {
  uint32_t first, end;
};
/* Blocks that follow each other. Lists lie on the stacks of simulated units, which are short. */
struct eyoti_multi_list {
  uint32_t first, n, end[EYOTI_MULTI_BLOCKS];
};
static inline struct eyoti_multi_block eyoti_multi_block(const struct eyoti_multi_list *list,
                                                         uint32_t i) {
  return (struct eyoti_multi_block){i > 0 ? list->end[i - 1] : list->first, list->end[i]};
}

/* A reduction as one member sees it. */
struct eyoti_multi {
  struct eyoti_plan *p;
  const struct eyoti_layout *l;
  struct eyoti_groups groups;
  bool any_order;
  uint64_t len, slot, elements;
  uint32_t node, core, cores;
  /* Words and slots: of a node's units at the unit that combines, which are the words of messages
   * of the first unit at the others; and of the rounds' groups. */
  uint32_t node_words, round_words;
  struct eyoti_ref node_slots, lists, rounds;
  struct eyoti_ref own;  /* where what a unit sends to the one that combines leaves from */
  struct eyoti_ref work; /* a list that grows has more blocks than in the end */
  /* Lists before each round, and the result: where they begin, and their blocks at most; and where
   * the round's groups' lists begin. In slots. */
  uint32_t list_at[EYOTI_GROUPS_LEVELS + 1], round_at[EYOTI_GROUPS_LEVELS];
  uint8_t list_most[EYOTI_GROUPS_LEVELS + 1];
};

/* Fills *m in, and reserves words and slots, which are the same on all members. */
void eyoti_multi_begin(struct eyoti_multi *m, struct eyoti_plan *p, const struct eyoti_coll_args *a,
                       const struct eyoti_layout *l, uint32_t radix, bool any_order);
static inline uint32_t eyoti_multi_member(const struct eyoti_multi *m, uint32_t core) {
  return eyoti_layout_member(m->l, eyoti_layout_first(m->l, m->node) + core);
}

/* The list of the nodes' ranks, as a member computes it that does not have the results. */
void eyoti_multi_list(const struct eyoti_multi *m, struct eyoti_nodes nodes,
                      struct eyoti_multi_list *list);
/* Appends a block whose result is at `from` to the list at m->work, and combines what can be. */
void eyoti_multi_push(const struct eyoti_multi *m, struct eyoti_multi_list *list,
                      struct eyoti_multi_block b, struct eyoti_ref from);
/* The same of all blocks of the nodes' list at `from`. */
void eyoti_multi_append(const struct eyoti_multi *m, struct eyoti_multi_list *list,
                        struct eyoti_nodes nodes, struct eyoti_ref from);
/* Moves the list at m->work to list number `number`. */
void eyoti_multi_keep(const struct eyoti_multi *m, const struct eyoti_multi_list *list,
                      uint32_t number);
static inline struct eyoti_ref eyoti_multi_at(const struct eyoti_multi *m, uint32_t number) {
  return eyoti_ref_add(m->lists, m->list_at[number] * m->slot);
}
/* Where list number `round` of group `part` comes to, and its word. */
static inline uint32_t eyoti_multi_word(const struct eyoti_multi *m, uint32_t round,
                                        uint32_t part) {
  return m->round_words + round * m->groups.radix + part;
}
static inline struct eyoti_ref eyoti_multi_slot(const struct eyoti_multi *m, uint32_t round,
                                                uint32_t part) {
  return eyoti_ref_add(m->rounds, (m->round_at[round] + part * m->list_most[round]) * m->slot);
}
/* The bytes of the nodes' list. */
uint64_t eyoti_multi_bytes(const struct eyoti_multi *m, struct eyoti_nodes nodes);
/* From all units of the node to unit number `to` of it, which then has list number 0. */
void eyoti_multi_up(const struct eyoti_multi *m, uint32_t to);
/* gen_multi_allreduce.c: a round between nodes. The first unit then has the lists of the other
 * groups of the round in their slots, and its next list if it combines them. parent: of the tree
 * over the node's units. */
void eyoti_multi_exchange(const struct eyoti_multi *m, const uint8_t *parent, uint32_t round,
                          bool combines);
#endif
