/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_tree.c - implements predict_tree.h.
 *
 * Members are numbered from the root on. The subtree of number f over n members has its children at
 * f + 2^k, each with 2^k members but for the last, which has the rest. Nodes are thought of as
 * beginning at the root. A subtree of 2^k members is a chain of k messages, each twice as long as
 * the one before; where n is no power of two, the last child's chain is shorter than the others. */
#include "coll/predict_tree.h"

#define LEVELS 32u

/* The chains of whole subtrees. */
struct chains {
  uint64_t node[LEVELS + 1], net[LEVELS + 1]; /* of k messages: all within a node; from nodes on */
  uint32_t whole;                             /* levels that have room in a node */
};

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Copying within a node. A memory serves one message after the other: leaves of a gather all begin
 * at the same time, and later messages come one after the other already; of a scatter half of the
 * messages of as many blocks are before. */
static uint64_t copy_ps(const struct eyoti_tree *t, uint64_t blocks) {
  uint64_t members = t->cores < t->size ? t->cores : t->size, before = 0;
  if (members > t->m->memory_units) members = t->m->memory_units;
  if (!t->gathers && members > 2 * blocks) before = (members - 2 * blocks) / 4;
  if (t->gathers && blocks == 1) before = (members - 1) / 2;
  return fab_model_node_bytes(t->m, blocks * t->bytes, 1) +
         before * fab_model_bytes(t->bytes, t->m->memory_kib_ps);
}

static bool on_one_node(const struct eyoti_tree *t, uint32_t a, uint32_t b) {
  return a / t->cores == b / t->cores;
}
/* Bytes between nodes so many members apart, some of which have several routers between them. */
static uint64_t net_bytes_ps(const struct eyoti_tree *t, uint64_t apart, uint64_t bytes) {
  bool links = apart >= fab_model_router(t->m, t->cores);
  return fab_model_bytes(bytes, links ? fab_model_far_kib_ps(t->m) : t->m->net_kib_ps);
}
static uint64_t net_ps(const struct eyoti_tree *t, uint64_t apart, uint64_t bytes) {
  return fab_model_net_message(t->m, 0) + net_bytes_ps(t, apart, bytes);
}

static struct chains chains_of(const struct eyoti_tree *t) {
  struct chains c = {.whole = 0};
  uint32_t levels = fab_model_log2(t->size);
  while (c.whole < levels && (UINT64_C(2) << c.whole) <= t->cores) c.whole++;
  for (uint32_t k = 0; k < levels; k++) {
    uint64_t blocks = UINT64_C(1) << k;
    c.node[k + 1] =
        c.node[k] + t->m->node_post_ps + t->m->node_ps + t->m->look_ps + copy_ps(t, blocks);
    c.net[k + 1] = (k < c.whole ? c.node[k + 1] : c.net[k] + net_ps(t, blocks, blocks * t->bytes));
  }
  return c;
}

/* The subtree of 2^k members. Where a node ends within it, one message of the chain crosses to
 * another node instead. */
static uint64_t whole_ps(const struct eyoti_tree *t, const struct chains *c, uint32_t first,
                         uint32_t k) {
  uint32_t last = first + ((1u << k) - 1);
  if (k > c->whole) return c->net[k];
  if (on_one_node(t, first, last)) return c->node[k];
  return c->node[k] + fab_model_net_message(t->m, 0) - fab_model_node_message(t->m, 0, 1);
}

/* A head of a subtree that works through its children: its processor, its node's NIC, and when the
 * subtree is ready. */
struct tree_head {
  uint64_t cpu_ps, nic_ps, ready_ps;
};

/* The child's blocks come, after its own subtree took so long. */
static void take_child(const struct eyoti_tree *t, struct tree_head *h, bool same_node,
                       uint32_t apart, uint64_t blocks, uint64_t child_ps) {
  const struct fab_model *m = t->m;
  uint64_t bytes = blocks * t->bytes, there;
  if (same_node) {
    there = child_ps + m->node_post_ps + m->node_ps + copy_ps(t, blocks);
  } else {
    there = larger(child_ps + m->post_ps + m->net_ps + net_bytes_ps(t, apart, bytes),
                   h->nic_ps + fab_model_gap(m, bytes));
    h->nic_ps = there;
  }
  h->ready_ps = larger(h->ready_ps, there) + m->look_ps;
}

/* Blocks go to the child, whose subtree then takes so long. */
static void give_child(const struct eyoti_tree *t, struct tree_head *h, bool same_node,
                       uint32_t apart, uint64_t blocks, uint64_t child_ps) {
  const struct fab_model *m = t->m;
  uint64_t bytes = blocks * t->bytes, there;
  if (same_node) {
    h->cpu_ps += m->node_post_ps + copy_ps(t, blocks);
    there = h->cpu_ps + m->node_ps;
  } else {
    h->cpu_ps += m->post_ps;
    uint64_t begin = larger(h->cpu_ps, h->nic_ps);
    h->nic_ps = begin + fab_model_gap(m, bytes);
    there = begin + m->net_ps + net_bytes_ps(t, apart, bytes);
  }
  h->ready_ps = larger(h->ready_ps, there + m->look_ps + child_ps);
}

/* Members first..first+n-1, of which n may be any number. A scatter begins with the last child, a
 * gather ends with it. */
static uint64_t subtree_ps(const struct eyoti_tree *t, const struct chains *c, uint32_t first,
                           uint32_t n) {
  struct tree_head h = {0, 0, 0};
  uint32_t levels = fab_model_log2(n);
  if (n > 1 && n == 1u << levels && first > 0) return whole_ps(t, c, first, levels);
  for (uint32_t i = 0; i < levels; i++) {
    uint32_t k = t->gathers ? i : levels - 1 - i, child = 1u << k;
    uint32_t members = n - child < child ? n - child : child;
    uint64_t child_ps = members == child ? whole_ps(t, c, first + child, k)
                                         : subtree_ps(t, c, first + child, members);
    (t->gathers ? take_child : give_child)(t, &h, on_one_node(t, first, first + child), child,
                                           members, child_ps);
  }
  return h.ready_ps;
}

uint64_t eyoti_predict_tree_ps(const struct eyoti_tree *t) {
  struct chains c = chains_of(t);
  return t->size > 1 ? subtree_ps(t, &c, 0, t->size) : 0;
}

/* What the root's processor, its node's NIC and a memory of its node do in a round. */
uint64_t eyoti_predict_tree_next_ps(const struct eyoti_tree *t) {
  const struct fab_model *m = t->m;
  uint64_t cpu = 0, nic = 0, link = 0, copied = 0;
  uint32_t members = t->cores < t->size ? t->cores : t->size, memories;
  for (uint32_t child = 1; child < t->size; child *= 2) {
    uint64_t blocks = t->size - child < child ? t->size - child : child;
    bool same_node = child < t->cores;
    if (same_node)
      copied +=
          (uint64_t)members / (2 * child) * child + (members % (2 * child) > child ? child : 0);
    else
      nic += fab_model_gap(m, blocks * t->bytes),
          link = larger(link, net_bytes_ps(t, child, blocks * t->bytes));
    if (t->gathers)
      cpu += m->look_ps;
    else
      cpu +=
          same_node ? m->node_post_ps + fab_model_node_bytes(m, blocks * t->bytes, 1) : m->post_ps;
  }
  memories = (members - 1) / m->memory_units + 1;
  uint64_t memory = fab_model_bytes(copied / memories * t->bytes, m->memory_kib_ps);
  return larger(larger(cpu, memory), larger(nic, link));
}
