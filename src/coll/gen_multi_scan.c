/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_scan.c - multi-object scan and exscan (gen_multi.h): nodes scan first, and the rounds
 * between nodes are those of an allreduce.
 *
 * A node's first unit has the operands of its units, and after the rounds the lists of all groups
 * before its own: those of the last round are of the lowest ranks. From both it makes the result of
 * each unit, in the order of gen_scan.c: the list of the ranks before a unit is the blocks that
 * recursive doubling would bring it, and they are combined from the nearest to the farthest, each
 * on the left (docs/adr/0067). A prefix is never given as one value: the sum of what is before the
 * node and what is before the unit on it has other bits. In the last round a node also waits for
 * the groups after its own, so that all members have begun when one ends. */
#include "coll/gen_multi_list.h"

/* The list of the ranks before the node. */
static void list_before(const struct eyoti_multi *m, struct eyoti_multi_list *list) {
  for (uint32_t round = m->groups.levels; round-- > 0;) {
    struct eyoti_seat x = eyoti_seat_of(&m->groups, round, m->node);
    for (uint32_t part = 0; part < x.part; part++)
      eyoti_multi_append(m, list, eyoti_groups_part(x.all, part, x.n),
                         eyoti_multi_slot(m, round, part));
  }
}

/* The result of a unit, before which there is this list. operand: NULL, or a part of the result. */
static void make_result(const struct eyoti_multi *m, const struct eyoti_multi_list *list,
                        const struct eyoti_ref *operand, struct eyoti_ref to) {
  bool empty = operand == NULL;
  if (!empty) eyoti_plan_copy(m->p, to, *operand, m->len);
  for (uint32_t i = list->n; i-- > 0; empty = false) {
    struct eyoti_ref block = eyoti_ref_add(m->work, i * m->slot);
    if (empty)
      eyoti_plan_copy(m->p, to, block, m->len);
    else
      eyoti_plan_combine_before(m->p, to, block, m->elements);
  }
}

/* Results lie in slots of the board, one for each unit of the node. */
struct fan {
  struct eyoti_ref results;
  uint32_t group; /* units whose results go to the first of them together */
};

/* The unit's result goes to it from the first one of its group. */
static void send_result(const struct eyoti_multi *m, const struct fan *f, uint32_t core) {
  eyoti_plan_put(m->p, eyoti_multi_member(m, core), eyoti_multi_at(m, m->groups.levels),
                 eyoti_ref_add(f->results, core * m->slot), m->len,
                 m->node_words + m->groups.levels, EYOTI_HEAD);
}
static void send_group(const struct eyoti_multi *m, const struct fan *f, uint32_t first) {
  struct eyoti_ref slots = eyoti_ref_add(f->results, first * m->slot);
  uint32_t n = m->cores - first < f->group ? m->cores - first : f->group;
  eyoti_plan_put(m->p, eyoti_multi_member(m, first), slots, slots, n * m->slot,
                 m->node_words + m->groups.levels, EYOTI_HEAD);
}

static void make_results(const struct eyoti_multi *m, const struct fan *f, bool inclusive) {
  struct eyoti_multi_list list = {.n = 0};
  uint32_t first = eyoti_layout_first(m->l, m->node);
  list_before(m, &list);
  for (uint32_t core = 0; core < m->cores; core++) {
    struct eyoti_ref operand = eyoti_ref(EYOTI_IN, 0);
    if (core > 0) operand = eyoti_ref_add(m->node_slots, core * m->slot);
    make_result(m, &list, inclusive ? &operand : NULL, eyoti_ref_add(f->results, core * m->slot));
    if (core + 1 < m->cores)
      eyoti_multi_push(m, &list, (struct eyoti_multi_block){first + core, first + core + 1},
                       operand);
  }
}

/* The other groups' results go first. OUT may be IN: it is written at the end. */
static void give_results(const struct eyoti_multi *m, const struct fan *f, bool inclusive) {
  uint32_t first = m->core, end = first + f->group < m->cores ? first + f->group : m->cores;
  for (uint32_t core = f->group; m->core == 0 && core < m->cores; core += f->group)
    send_group(m, f, core);
  for (uint32_t core = first + 1; core < end; core++) send_result(m, f, core);
  if (inclusive || m->p->me > 0)
    eyoti_plan_copy(m->p, eyoti_ref(EYOTI_OUT, 0), eyoti_ref_add(f->results, first * m->slot),
                    m->len);
}

static void gen(struct eyoti_multi *m, bool inclusive) {
  uint8_t parent[EYOTI_LAYOUT_CORES];
  uint32_t levels = m->groups.levels, word = m->node_words + levels;
  struct fan fan = {.results = eyoti_plan_board(m->p, m->l->most * m->slot),
                    .group = eyoti_postal_group(m->cores, EYOTI_POSTAL_LATENCY)};
  uint32_t head = m->core - m->core % fan.group;
  eyoti_postal_tree(m->cores, EYOTI_POSTAL_LATENCY, parent);
  m->p->symmetric = true;
  eyoti_multi_up(m, 0);
  for (uint32_t round = 0; round < levels; round++)
    eyoti_multi_exchange(m, parent, round, round + 1 < levels);
  if (m->core == 0) make_results(m, &fan, inclusive);
  if (m->core > 0)
    eyoti_plan_await(m->p, eyoti_multi_member(m, head == m->core ? 0 : head), word, EYOTI_HEAD);
  if (m->core == head)
    give_results(m, &fan, inclusive);
  else
    eyoti_plan_copy(m->p, eyoti_ref(EYOTI_OUT, 0), eyoti_multi_at(m, levels), m->len);
}

void eyoti_multi_scan(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                      const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  struct eyoti_multi m;
  eyoti_multi_begin(&m, p, a, l, radix, any_order);
  gen(&m, true);
}

void eyoti_multi_exscan(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  struct eyoti_multi m;
  eyoti_multi_begin(&m, p, a, l, radix, any_order);
  gen(&m, false);
}
