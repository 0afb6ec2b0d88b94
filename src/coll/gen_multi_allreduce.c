/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_allreduce.c - multi-object allreduce (gen_multi.h): in round t the groups
 * of level t within one of level t + 1 exchange their results (base/groups.h). */
#include "coll/gen_multi_list.h"

struct posting {
  const struct eyoti_multi *m;
  uint32_t round, part, messages;
  uint64_t bytes;
};
static bool post(void *arg, uint32_t target, uint32_t index) {
  const struct posting *x = arg;
  const struct eyoti_multi *m = x->m;
  if (eyoti_seat_poster(m->cores, x->messages, index) == m->core)
    eyoti_plan_put(m->p, eyoti_layout_member(m->l, eyoti_layout_first(m->l, target)),
                   eyoti_multi_slot(m, x->round, x->part), eyoti_multi_at(m, x->round), x->bytes,
                   eyoti_multi_word(m, x->round, x->part), EYOTI_HEAD);
  return false;
}

/* -- the parts of the plan --------------------------------------------------------------------- */

/* From the first unit to all units of the node: list number `number`, of so many bytes. */
static void node_down(const struct eyoti_multi *m, const uint8_t *parent, uint32_t number,
                      uint64_t bytes) {
  uint32_t word = m->node_words + number;
  struct eyoti_ref list = eyoti_multi_at(m, number);
  if (m->core != 0)
    eyoti_plan_await(m->p, eyoti_multi_member(m, parent[m->core]), word, EYOTI_HEAD);
  for (uint32_t child = m->core + 1; child < m->cores; child++)
    if (parent[child] == m->core)
      eyoti_plan_put(m->p, eyoti_multi_member(m, child), list, list, bytes, word, EYOTI_HEAD);
}

/* The first unit's: waits for what group number `part` of the round sends. */
static void await_part(const struct eyoti_multi *m, const struct eyoti_seat *x, uint32_t round,
                       uint32_t part) {
  uint32_t messages, sender = eyoti_seat_sender(x, part, x->part, x->number);
  struct eyoti_seat s = eyoti_seat_of(&m->groups, round, sender);
  uint32_t index = eyoti_seat_index(&s, m->node, &messages);
  uint32_t core = eyoti_seat_poster(eyoti_layout_cores(m->l, sender), messages, index);
  eyoti_plan_await(m->p, eyoti_layout_member(m->l, eyoti_layout_first(m->l, sender) + core),
                   eyoti_multi_word(m, round, part), EYOTI_HEAD);
}

/* The first unit's: its next list, from those of the round's groups. */
static void combine_parts(const struct eyoti_multi *m, const struct eyoti_seat *x, uint32_t round) {
  struct eyoti_multi_list list = {.n = 0};
  for (uint32_t part = 0; part < x->n; part++) {
    bool own = part == x->part;
    if (!own) await_part(m, x, round, part);
    eyoti_multi_append(m, &list, eyoti_groups_part(x->all, part, x->n),
                       own ? eyoti_multi_at(m, round) : eyoti_multi_slot(m, round, part));
  }
  eyoti_multi_keep(m, &list, round + 1);
}
static void await_parts(const struct eyoti_multi *m, const struct eyoti_seat *x, uint32_t round) {
  for (uint32_t part = 0; part < x->n; part++)
    if (part != x->part) await_part(m, x, round, part);
}

void eyoti_multi_exchange(const struct eyoti_multi *m, const uint8_t *parent, uint32_t round,
                          bool combines) {
  struct eyoti_seat x = eyoti_seat_of(&m->groups, round, m->node);
  struct posting posting = {m, round, x.part, eyoti_seat_targets(&x, NULL, NULL), 0};
  posting.bytes = eyoti_multi_bytes(m, eyoti_groups_at(&m->groups, round, m->node));
  if (posting.messages > EYOTI_SEAT_ALONE) node_down(m, parent, round, posting.bytes);
  (void)eyoti_seat_targets(&x, post, &posting);
  if (m->core == 0) (combines ? combine_parts : await_parts)(m, &x, round);
}

void eyoti_multi_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  struct eyoti_multi m;
  uint8_t parent[EYOTI_LAYOUT_CORES];
  eyoti_multi_begin(&m, p, a, l, radix, any_order);
  eyoti_postal_tree(m.cores, EYOTI_POSTAL_LATENCY, parent);
  p->symmetric = true;
  eyoti_multi_up(&m, 0);
  for (uint32_t round = 0; round < m.groups.levels; round++)
    eyoti_multi_exchange(&m, parent, round, true);
  node_down(&m, parent, m.groups.levels, m.len);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_multi_at(&m, m.groups.levels), m.len);
}
