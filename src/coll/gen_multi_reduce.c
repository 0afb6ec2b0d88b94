/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_reduce.c - multi-object reduce (gen_multi.h): a tree over nodes, the way of the
 * broadcast back. Of each group of nodes one unit has the partial result: the root in its groups,
 * else the first unit of the group's first node. */
#include "coll/gen_multi_list.h"

/* The member that has the result of a group. */
static uint32_t keeper_of(const struct eyoti_multi *m, struct eyoti_nodes group, uint32_t root) {
  uint32_t node = eyoti_layout_node(m->l, eyoti_layout_position(m->l, root));
  if (node >= group.first && node < group.end) return root;
  return eyoti_layout_member(m->l, eyoti_layout_first(m->l, group.first));
}

/* The keeper of a group combines what those of its parts send. */
static void gather_parts(const struct eyoti_multi *m, uint32_t round, uint32_t root) {
  struct eyoti_nodes all = eyoti_groups_at(&m->groups, round + 1, m->node);
  uint32_t n = eyoti_groups_parts(&m->groups, round, all);
  struct eyoti_multi_list list = {.n = 0};
  for (uint32_t part = 0; part < n; part++) {
    struct eyoti_nodes nodes = eyoti_groups_part(all, part, n);
    uint32_t sender = keeper_of(m, nodes, root);
    struct eyoti_ref from = eyoti_multi_at(m, round);
    if (sender != m->p->me) {
      eyoti_plan_await(m->p, sender, eyoti_multi_word(m, round, part), EYOTI_HEAD);
      from = eyoti_multi_slot(m, round, part);
    }
    eyoti_multi_append(m, &list, nodes, from);
  }
  eyoti_multi_keep(m, &list, round + 1);
}

static void send_part(const struct eyoti_multi *m, uint32_t round, uint32_t to) {
  struct eyoti_nodes all = eyoti_groups_at(&m->groups, round + 1, m->node);
  struct eyoti_nodes mine = eyoti_groups_at(&m->groups, round, m->node);
  uint32_t part = eyoti_groups_part_of(all, m->node, eyoti_groups_parts(&m->groups, round, all));
  eyoti_plan_put(m->p, to, eyoti_multi_slot(m, round, part), eyoti_multi_at(m, round),
                 eyoti_multi_bytes(m, mine), eyoti_multi_word(m, round, part), EYOTI_HEAD);
}

void eyoti_multi_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  struct eyoti_multi m;
  eyoti_multi_begin(&m, p, a, l, radix, any_order);
  struct eyoti_nodes own = {m.node, m.node + 1};
  uint32_t first = keeper_of(&m, own, a->root);
  eyoti_multi_up(&m, eyoti_layout_position(l, first) - eyoti_layout_first(l, m.node));
  if (first != p->me) return;
  for (uint32_t round = 0; round < m.groups.levels; round++) {
    uint32_t to = keeper_of(&m, eyoti_groups_at(&m.groups, round + 1, m.node), a->root);
    if (to != p->me) {
      send_part(&m, round, to);
      return;
    }
    gather_parts(&m, round, a->root);
  }
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_multi_at(&m, m.groups.levels), m.len);
}
