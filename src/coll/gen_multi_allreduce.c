/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_allreduce.c - multi-object allreduce (gen_multi.h). */

/* Why every node gets each other group's result once, with any number of nodes. In round t the
 * groups of level t within one of level t + 1 exchange. Node number b of its group gets the result
 * of a sibling group from that one's number b. Sizes differ by one at most; where the sibling has
 * no number b, a number that depends on the receiver's group takes its place, so that no node of
 * the sibling sends to more than a few in place of another. */
#include "coll/gen_multi_list.h"

/* -- who sends to whom ------------------------------------------------------------------------- */

/* A node's seat in a round: its group's number among n siblings, and its number in the group. */
struct seat {
  struct eyoti_nodes all; /* of the siblings */
  uint32_t n, part, number;
};

static struct seat seat_of(const struct eyoti_multi *m, uint32_t round, uint32_t node) {
  struct seat x = {.all = eyoti_groups_at(&m->groups, round + 1, node)};
  x.n = eyoti_groups_parts(&m->groups, round, x.all);
  x.part = eyoti_groups_part_of(x.all, node, x.n);
  x.number = node - eyoti_groups_part(x.all, x.part, x.n).first;
  return x;
}

/* The node of group `part` from which number `number` of group `to` gets that one's result. */
static uint32_t sender_of(const struct seat *x, uint32_t part, uint32_t to, uint32_t number) {
  struct eyoti_nodes from = eyoti_groups_part(x->all, part, x->n);
  uint32_t count = from.end - from.first;
  return from.first + (number < count ? number : to % count);
}

/* Calls fn for each node that the node at x sends to, with a running number; stops where fn returns
 * true. Returns the number of calls. */
typedef bool (*target_fn)(void *arg, uint32_t target, uint32_t index);
static uint32_t each_target(const struct seat *x, target_fn fn, void *arg) {
  uint32_t me = eyoti_groups_part(x->all, x->part, x->n).first + x->number, index = 0;
  for (uint32_t i = 1; i < x->n; i++) {
    uint32_t to = (x->part + i) % x->n;
    struct eyoti_nodes there = eyoti_groups_part(x->all, to, x->n);
    uint32_t last = there.end - there.first - 1;
    if (x->number <= last && fn(arg, there.first + x->number, index++)) return index;
    if (last != x->number && sender_of(x, x->part, to, last) == me &&
        fn(arg, there.first + last, index++))
      return index;
  }
  return index;
}

static bool count_only(void *arg, uint32_t target, uint32_t index) {
  (void)arg, (void)target, (void)index;
  return false;
}
static bool is_target(void *arg, uint32_t target, uint32_t index) {
  (void)index;
  return target == *(uint32_t *)arg;
}

/* The unit of a node with so many units that sends message number `index` of `messages`. */
static uint32_t poster_of(uint32_t cores, uint32_t messages, uint32_t index) {
  return messages <= EYOTI_MULTI_ALONE ? 0 : (index + 1) % cores;
}

struct posting {
  const struct eyoti_multi *m;
  uint32_t round, part, messages;
  uint64_t bytes;
};
static bool post(void *arg, uint32_t target, uint32_t index) {
  const struct posting *x = arg;
  const struct eyoti_multi *m = x->m;
  if (poster_of(m->cores, x->messages, index) == m->core)
    eyoti_plan_put(m->p, eyoti_layout_first(m->l, target), eyoti_multi_slot(m, x->round, x->part),
                   eyoti_multi_at(m, x->round), x->bytes, eyoti_multi_word(m, x->round, x->part),
                   EYOTI_HEAD);
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
static void await_part(const struct eyoti_multi *m, const struct seat *x, uint32_t round,
                       uint32_t part) {
  uint32_t me = m->node, sender = sender_of(x, part, x->part, x->number);
  struct seat s = seat_of(m, round, sender);
  uint32_t messages = each_target(&s, count_only, NULL);
  uint32_t index = each_target(&s, is_target, &me) - 1;
  uint32_t core = poster_of(eyoti_layout_cores(m->l, sender), messages, index);
  eyoti_plan_await(m->p, eyoti_layout_first(m->l, sender) + core, eyoti_multi_word(m, round, part),
                   EYOTI_HEAD);
}

/* The first unit's: its next list, from those of the round's groups. */
static void combine_parts(const struct eyoti_multi *m, const struct seat *x, uint32_t round) {
  struct eyoti_multi_list list = {.n = 0};
  for (uint32_t part = 0; part < x->n; part++) {
    bool own = part == x->part;
    if (!own) await_part(m, x, round, part);
    eyoti_multi_append(m, &list, eyoti_groups_part(x->all, part, x->n),
                       own ? eyoti_multi_at(m, round) : eyoti_multi_slot(m, round, part));
  }
  eyoti_multi_keep(m, &list, round + 1);
}

static void exchange(const struct eyoti_multi *m, const uint8_t *parent, uint32_t round) {
  struct seat x = seat_of(m, round, m->node);
  struct posting posting = {m, round, x.part, each_target(&x, count_only, NULL), 0};
  posting.bytes = eyoti_multi_bytes(m, eyoti_groups_at(&m->groups, round, m->node));
  if (posting.messages > EYOTI_MULTI_ALONE) node_down(m, parent, round, posting.bytes);
  (void)each_target(&x, post, &posting);
  if (m->core == 0) combine_parts(m, &x, round);
}

void eyoti_multi_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l, uint32_t radix, bool any_order) {
  struct eyoti_multi m;
  uint8_t parent[EYOTI_LAYOUT_CORES];
  eyoti_multi_begin(&m, p, a, l, radix, any_order);
  eyoti_layout_tree(m.cores, EYOTI_LAYOUT_LATENCY, parent);
  p->symmetric = true;
  eyoti_multi_up(&m, 0);
  for (uint32_t round = 0; round < m.groups.levels; round++) exchange(&m, parent, round);
  node_down(&m, parent, m.groups.levels, m.len);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), eyoti_multi_at(&m, m.groups.levels), m.len);
}
