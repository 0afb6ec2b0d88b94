/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi_broadcast.c - multi-object broadcast (gen_multi.h): a tree over nodes, counted from the
 * root's. The first node of a group sends to the first nodes of its parts, from the largest groups
 * on; its units share these messages. On each node the message comes to one unit (on the root's
 * node: the root), and spreads from there. */
#include "coll/gen_multi.h"

struct spread {
  struct eyoti_plan *p;
  const struct eyoti_layout *l;
  struct eyoti_groups groups;
  struct eyoti_ref slot;
  uint64_t len;
  uint32_t word, root_node, root_core;
};

/* Nodes and units of a node are counted from the root's. */
static uint32_t node_at(const struct spread *s, uint32_t number) {
  return (uint32_t)(((uint64_t)number + s->root_node) % s->l->nodes);
}
static uint32_t member_at(const struct spread *s, uint32_t number, uint32_t core) {
  uint32_t node = node_at(s, number);
  uint32_t shift = number == 0 ? s->root_core : 0;
  uint32_t of_node = (core + shift) % eyoti_layout_cores(s->l, node);
  return eyoti_layout_member(s->l, eyoti_layout_first(s->l, node) + of_node);
}

/* What a node has to do. */
struct task {
  uint32_t sender, index; /* from which node its message comes (as which of that one's); of 0: - */
  uint32_t messages;      /* that it sends */
};

/* Goes down from all nodes to node `number`. target: called for each message that it sends. */
static struct task task_of(const struct spread *s, uint32_t number,
                           void (*target)(void *arg, uint32_t target, uint32_t index), void *arg) {
  struct task t = {0};
  struct eyoti_nodes at = {0, s->groups.nodes};
  uint32_t sent = 0; /* by the first node of `at`, in larger groups */
  for (uint32_t level = s->groups.levels; level > 0; level--) {
    uint32_t n = eyoti_groups_parts(&s->groups, level - 1, at);
    uint32_t part = eyoti_groups_part_of(at, number, n);
    if (at.first == number) {
      for (uint32_t i = 1; i < n && target != NULL; i++)
        target(arg, eyoti_groups_part(at, i, n).first, t.messages + i - 1);
      t.messages += n - 1;
    }
    struct eyoti_nodes to = eyoti_groups_part(at, part, n);
    if (to.first == number && part > 0) t.sender = at.first, t.index = sent + part - 1;
    sent = part > 0 ? 0 : sent + n - 1;
    at = to;
  }
  return t;
}

static uint32_t poster_of(const struct spread *s, uint32_t number, uint32_t messages,
                          uint32_t index) {
  uint32_t cores = eyoti_layout_cores(s->l, node_at(s, number));
  return eyoti_seat_poster(cores, messages, index);
}

struct message_plan {
  const struct spread *s;
  uint32_t number, core, messages;
};
static void post(void *arg, uint32_t target, uint32_t index) {
  const struct message_plan *x = arg;
  if (poster_of(x->s, x->number, x->messages, index) != x->core) return;
  eyoti_plan_put(x->s->p, member_at(x->s, target, 0), x->s->slot, x->s->slot, x->s->len, x->s->word,
                 EYOTI_HEAD);
}

static void receive(const struct spread *s, uint32_t number, uint32_t core, const struct task *t,
                    const uint8_t *parent) {
  uint32_t from;
  if (number == 0 && core == 0) return;
  if (core > 0) {
    from = member_at(s, number, parent[core]);
  } else {
    uint32_t messages = task_of(s, t->sender, NULL, NULL).messages;
    from = member_at(s, t->sender, poster_of(s, t->sender, messages, t->index));
  }
  eyoti_plan_await(s->p, from, s->word, EYOTI_HEAD);
}

static void node_down(const struct spread *s, uint32_t number, uint32_t core, uint32_t cores,
                      const uint8_t *parent) {
  for (uint32_t child = core + 1; child < cores; child++)
    if (parent[child] == core)
      eyoti_plan_put(s->p, member_at(s, number, child), s->slot, s->slot, s->len, s->word,
                     EYOTI_HEAD);
}

void eyoti_multi_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l, uint32_t radix) {
  struct spread s = {.p = p, .l = l, .len = a->len};
  uint8_t parent[EYOTI_LAYOUT_CORES];
  s.groups = eyoti_groups_by(l->nodes, radix);
  s.word = eyoti_plan_words(p, 1);
  s.slot = eyoti_plan_board(p, a->len);
  uint32_t root = eyoti_layout_position(l, a->root), me = eyoti_layout_position(l, p->me);
  s.root_node = eyoti_layout_node(l, root);
  s.root_core = root - eyoti_layout_first(l, s.root_node);
  uint32_t node = eyoti_layout_node(l, me), cores = eyoti_layout_cores(l, node);
  uint32_t number = (uint32_t)(((uint64_t)node + l->nodes - s.root_node) % l->nodes);
  uint32_t core = me - eyoti_layout_first(l, node);
  if (number == 0) core = (core + cores - s.root_core) % cores;
  eyoti_postal_tree(cores, EYOTI_POSTAL_LATENCY, parent);
  struct task t = task_of(&s, number, NULL, NULL);
  struct message_plan posting = {&s, number, core, t.messages};
  bool alone = t.messages <= EYOTI_SEAT_ALONE;
  if (p->me == a->root) eyoti_plan_copy(p, s.slot, eyoti_ref(EYOTI_OUT, 0), a->len);
  receive(&s, number, core, &t, parent);
  if (alone) (void)task_of(&s, number, post, &posting); /* the way between nodes is longer */
  node_down(&s, number, core, cores, parent);
  if (!alone) (void)task_of(&s, number, post, &posting);
  if (p->me != a->root) eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), s.slot, a->len);
}
