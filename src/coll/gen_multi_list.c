/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_list.c - implements gen_multi_list.h. */
#include "coll/gen_multi_list.h"

/* -- lists of blocks --------------------------------------------------------------------------- */

/* Whether b follows a and both are the halves of a block of the tree over `size` ranks. */
static bool are_siblings(const struct eyoti_multi_block *a, const struct eyoti_multi_block *b,
                         uint32_t size) {
  uint64_t half = a->end - a->first;
  if (b->first != a->end || (half & (half - 1)) != 0 || a->first % (2 * half) != 0) return false;
  uint64_t end = a->first + 2 * half;
  return b->end == (end < size ? end : size);
}

void eyoti_multi_push(const struct eyoti_multi *m, struct eyoti_multi_list *list,
                      struct eyoti_multi_block b, struct eyoti_ref from) {
  struct eyoti_ref to = m->work;
  bool there = false; /* the result of b is the last one of the list */
  if (list->n == 0) list->first = b.first;
  while (list->n > 0) {
    struct eyoti_multi_block last = eyoti_multi_block(list, list->n - 1);
    if (!m->any_order && !are_siblings(&last, &b, m->l->size)) break;
    struct eyoti_ref acc = eyoti_ref_add(to, (list->n - 1) * m->slot);
    if (there) from = eyoti_ref_add(to, list->n * m->slot);
    eyoti_plan_combine(m->p, acc, from, m->elements);
    b.first = last.first;
    list->n--;
    there = true;
  }
  EYOTI_ASSERT(list->n < EYOTI_MULTI_BLOCKS);
  if (!there && m->len > 0)
    eyoti_plan_copy(m->p, eyoti_ref_add(to, list->n * m->slot), from, m->len);
  list->end[list->n++] = b.end;
}

void eyoti_multi_append(const struct eyoti_multi *m, struct eyoti_multi_list *list,
                        struct eyoti_nodes nodes, struct eyoti_ref from) {
  struct eyoti_multi_list theirs;
  eyoti_multi_list(m, nodes, &theirs);
  for (uint32_t i = 0; i < theirs.n; i++)
    eyoti_multi_push(m, list, eyoti_multi_block(&theirs, i), eyoti_ref_add(from, i * m->slot));
}

void eyoti_multi_keep(const struct eyoti_multi *m, const struct eyoti_multi_list *list,
                      uint32_t number) {
  EYOTI_ASSERT(list->n <= m->list_most[number]);
  eyoti_plan_copy(m->p, eyoti_multi_at(m, number), m->work, list->n * m->slot);
}

void eyoti_multi_list(const struct eyoti_multi *m, struct eyoti_nodes nodes,
                      struct eyoti_multi_list *list) {
  uint32_t first = eyoti_layout_first(m->l, nodes.first);
  uint32_t end = eyoti_layout_first(m->l, nodes.end);
  list->n = 0;
  list->first = first;
  while (first < end) {
    struct eyoti_gen_ranks ranks = {first, end, m->l->size};
    EYOTI_ASSERT(list->n < EYOTI_MULTI_BLOCKS);
    first = list->end[list->n++] = m->any_order ? end : eyoti_gen_tree_block(ranks);
  }
}

uint64_t eyoti_multi_bytes(const struct eyoti_multi *m, struct eyoti_nodes nodes) {
  struct eyoti_multi_list list;
  if (m->len == 0) return 0;
  eyoti_multi_list(m, nodes, &list);
  return list.n * m->slot;
}

/* Blocks of the list of a group of a level, at most: of each size two, but one of the largest. */
static uint32_t list_most(const struct eyoti_multi *m, uint32_t level) {
  uint64_t nodes = 1, ranks;
  for (uint32_t i = 0; i < level && nodes < m->l->nodes; i++) nodes *= m->groups.radix;
  if (m->any_order || nodes >= m->l->nodes) return 1;
  ranks = nodes * m->l->most < m->l->size ? nodes * m->l->most : m->l->size;
  struct eyoti_multi_list list;
  uint32_t most = 0, period = 1, log = 0;
  while (((uint64_t)1 << log) < ranks) log++;
  if (level > 0 || (m->l->placed != NULL && log > 0)) return 2 * log;
  /* Of single nodes: alignment repeats itself. The last node may have fewer ranks. */
  while (period < m->l->most) period *= 2;
  for (uint32_t i = 0; i < period && i < m->l->nodes; i++) {
    eyoti_multi_list(m, (struct eyoti_nodes){i, i + 1}, &list);
    if (list.n > most) most = list.n;
  }
  eyoti_multi_list(m, (struct eyoti_nodes){m->l->nodes - 1, m->l->nodes}, &list);
  return list.n > most ? list.n : most;
}

/* -- memory, and the way to one unit ----------------------------------------------------------- */

/* The words from node_words on also serve the ways down, one for each round and the result. */
static void reserve(struct eyoti_multi *m) {
  uint32_t most = m->l->most, levels = m->groups.levels, lists = 0, rounds = 0;
  if (most < levels + 1) most = levels + 1;
  for (uint32_t round = 0; round <= levels; round++) {
    m->list_most[round] = (uint8_t)list_most(m, round);
    m->list_at[round] = lists;
    lists += m->list_most[round];
    if (round == levels) break;
    m->round_at[round] = rounds;
    rounds += m->groups.radix * m->list_most[round];
  }
  /* What all members use comes first: of the rest only the nodes' first units touch the memory. */
  m->node_words = eyoti_plan_words(m->p, most);
  m->round_words = eyoti_plan_words(m->p, levels * m->groups.radix);
  m->lists = eyoti_plan_board(m->p, lists * m->slot);
  bool hot = m->p->hot_bytes != UINT64_MAX; /* the slots of the node's units are not */
  if (hot) m->own = eyoti_plan_board(m->p, m->slot);
  m->node_slots = eyoti_plan_board(m->p, m->l->most * m->slot);
  if (!hot) m->own = m->node_slots;
  m->work = m->any_order ? eyoti_plan_board(m->p, m->slot)
                         : eyoti_plan_temp(m->p, EYOTI_MULTI_BLOCKS * m->slot);
  m->rounds = eyoti_plan_board(m->p, rounds * m->slot);
}

void eyoti_multi_begin(struct eyoti_multi *m, struct eyoti_plan *p, const struct eyoti_coll_args *a,
                       const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  *m = (struct eyoti_multi){.p = p, .l = l, .any_order = any_order, .len = a->len};
  m->groups = eyoti_groups_by(l->nodes, radix);
  m->slot = eyoti_gen_round8(a->len);
  m->elements = a->len > 0 ? a->len / a->combiner.width : 0;
  uint32_t position = eyoti_layout_position(l, p->me);
  m->node = eyoti_layout_node(l, position);
  m->core = position - eyoti_layout_first(l, m->node);
  m->cores = eyoti_layout_cores(l, m->node);
  reserve(m);
}

void eyoti_multi_up(const struct eyoti_multi *m, uint32_t to) {
  uint32_t first = eyoti_layout_first(m->l, m->node);
  if (m->core != to) {
    eyoti_plan_copy(m->p, m->own, eyoti_ref(EYOTI_IN, 0), m->len);
    eyoti_plan_put(m->p, eyoti_multi_member(m, to), eyoti_ref_add(m->node_slots, m->core * m->slot),
                   m->own, m->len, m->node_words + m->core, EYOTI_HEAD);
    return;
  }
  struct eyoti_multi_list list = {.n = 0};
  for (uint32_t core = 0; core < m->cores; core++) {
    struct eyoti_ref from = eyoti_ref_add(m->node_slots, core * m->slot);
    if (core != to)
      eyoti_plan_await(m->p, eyoti_multi_member(m, core), m->node_words + core, EYOTI_HEAD);
    else
      from = eyoti_ref(EYOTI_IN, 0);
    eyoti_multi_push(m, &list, (struct eyoti_multi_block){first + core, first + core + 1}, from);
  }
  eyoti_multi_keep(m, &list, 0);
}
