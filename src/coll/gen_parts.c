/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_parts.c - broadcast and allreduce of long vectors, in parts (gen_multi.h).
 *
 * In a tree the root's processor copies the vector log2(c) times for c units of its node, while
 * most others wait. Here each unit has a part of the vector, and gives it to all others of its
 * node, so that they copy as much as each other, and the memory of the node is what limits them.
 * broadcast: the root gives a part to each unit of its node (of a fuller node than the emptiest
 * one, to as many as that has); the units with part k of all nodes are a binomial tree over nodes.
 * A unit sends its part to other nodes first, and then to its own. On one node the others tell the
 * root that they have begun, so that no call needs a barrier.
 * allreduce: each unit gets its part of all operands, combines them along the tree over ranks
 * (docs/adr/0067), and gives the result to all. */
#include "coll/gen_multi.h"

#define PART_ALIGN 64u /* bytes, of a broadcast */

struct parts_job {
  struct eyoti_plan *p;
  const struct eyoti_coll_args *a;
  const struct eyoti_layout *l;
  uint32_t parts, cores, node, core; /* units of the caller's node; its own place */
  uint32_t root_node;
  uint32_t own, others, began; /* words: the caller's part, those of other units, for the root */
  struct eyoti_ref slot;       /* of the whole vector */
};

static struct eyoti_gen_block part_of(const struct parts_job *x, uint32_t core) {
  return eyoti_gen_part(x->a->len, PART_ALIGN, core, x->parts);
}
static uint32_t member_of(const struct parts_job *x, uint32_t node, uint32_t core) {
  return eyoti_layout_member(x->l, eyoti_layout_first(x->l, node) + core);
}
static void put_part(const struct parts_job *x, uint32_t to, struct eyoti_ref source, uint32_t core,
                     uint32_t word) {
  struct eyoti_gen_block b = part_of(x, core);
  eyoti_plan_put(x->p, to, eyoti_ref_add(x->slot, b.at), eyoti_ref_add(source, b.at), b.len, word,
                 EYOTI_HEAD);
}

/* The caller's part, from its parent in the tree over nodes, and to its children; the root's node
 * is number 0 in it. */
static void pass_on(const struct parts_job *x, struct eyoti_ref source) {
  if (x->core >= x->parts) return;
  uint32_t nodes = x->l->nodes, number = (x->node + nodes - x->root_node) % nodes, bit = 1;
  while (bit < nodes && (number & bit) == 0) bit *= 2;
  if (number != 0) {
    uint32_t parent = (number - bit + x->root_node) % nodes;
    eyoti_plan_await(x->p, member_of(x, parent, x->core), x->own, EYOTI_HEAD);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (number + bit >= nodes) continue;
    uint32_t child = (number + bit + x->root_node) % nodes;
    put_part(x, member_of(x, child, x->core), source, x->core, x->own);
  }
}

/* The caller's part, to the units of its node that have not the whole. */
static void share(const struct parts_job *x, struct eyoti_ref source) {
  for (uint32_t i = 1; i < x->cores && x->core < x->parts; i++) {
    uint32_t to = member_of(x, x->node, (x->core + i) % x->cores);
    if (to != x->a->root) put_part(x, to, source, x->core, x->others + x->core);
  }
}

static void from_root(const struct parts_job *x) {
  struct eyoti_ref buffer = eyoti_ref(EYOTI_IN, 0);
  for (uint32_t i = 1; i < x->cores; i++) {
    uint32_t core = (x->core + i) % x->cores;
    if (core < x->parts) put_part(x, member_of(x, x->node, core), buffer, core, x->own);
  }
  pass_on(x, buffer);
  share(x, buffer);
  for (uint32_t core = 0; core < x->cores && x->p->symmetric; core++)
    if (core != x->core)
      eyoti_plan_await(x->p, member_of(x, x->node, core), x->began + core, EYOTI_HEAD);
}

void eyoti_parts_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l) {
  struct parts_job x = {.p = p, .a = a, .l = l, .parts = l->least};
  uint32_t me = eyoti_layout_position(l, p->me), root = eyoti_layout_position(l, a->root);
  x.node = eyoti_layout_node(l, me);
  x.core = me - eyoti_layout_first(l, x.node);
  x.cores = eyoti_layout_cores(l, x.node);
  x.root_node = eyoti_layout_node(l, root);
  x.own = eyoti_plan_words(p, 1);
  x.others = eyoti_plan_words(p, x.parts);
  x.began = eyoti_plan_words(p, l->most);
  x.slot = eyoti_plan_board(p, a->len);
  p->symmetric = l->nodes == 1;
  if (p->me == a->root) {
    from_root(&x);
    return;
  }
  if (p->symmetric) eyoti_plan_signal(p, a->root, x.began + x.core, EYOTI_HEAD);
  if (x.node == x.root_node && x.core < x.parts) eyoti_plan_await(p, a->root, x.own, EYOTI_HEAD);
  pass_on(&x, x.slot);
  share(&x, x.slot);
  for (uint32_t i = 1; i < x.cores; i++) {
    uint32_t core = (x.core + x.cores - i) % x.cores;
    if (core < x.parts)
      eyoti_plan_await(p, member_of(&x, x.node, core), x.others + core, EYOTI_HEAD);
  }
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), x.slot, a->len);
}

/* -- allreduce --------------------------------------------------------------------------------- */

static struct eyoti_gen_block operand_part(const struct eyoti_plan *p,
                                           const struct eyoti_coll_args *a, uint32_t member) {
  return eyoti_gen_part(a->len, a->combiner.width, member, p->size);
}

void eyoti_parts_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  uint64_t width = a->combiner.width, most = (a->len / width / p->size + 1) * width;
  uint64_t slot = eyoti_gen_round8(most);
  uint32_t given = eyoti_plan_words(p, p->size), combined = eyoti_plan_words(p, p->size);
  struct eyoti_ref slots = eyoti_plan_board(p, p->size * slot);
  struct eyoti_ref sum = eyoti_plan_board(p, a->len);
  struct eyoti_gen_block own = operand_part(p, a, p->me);
  p->symmetric = true;
  for (uint32_t i = 1; i < p->size; i++) {
    uint32_t to = eyoti_plan_member(p, i);
    struct eyoti_gen_block x = operand_part(p, a, to);
    eyoti_plan_put(p, to, eyoti_ref_add(slots, p->me * slot), eyoti_ref(EYOTI_IN, x.at), x.len,
                   given + p->me, EYOTI_HEAD);
  }
  eyoti_plan_copy(p, eyoti_ref_add(slots, p->me * slot), eyoti_ref(EYOTI_IN, own.at), own.len);
  eyoti_plan_await_each(p, given);
  eyoti_gen_combine_slots(p, slots, slot, own.len / width);
  for (uint32_t i = 1; i < p->size; i++)
    eyoti_plan_put(p, eyoti_plan_member(p, i), eyoti_ref_add(sum, own.at), slots, own.len,
                   combined + p->me, EYOTI_HEAD);
  eyoti_plan_copy(p, eyoti_ref_add(sum, own.at), slots, own.len);
  eyoti_plan_await_each(p, combined);
  eyoti_plan_drain(p); /* OUT may be IN */
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), sum, a->len);
}
