/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_ways.c - implements predict_ways.h.
 *
 * Members are numbered from the root on. The subtree of 2^k members that begins at f is the one of
 * 2^(k-1) at f, and that of the child at f + 2^(k-1). What it takes depends on k and on where f
 * lies in its router, so the levels are computed one after the other, for each such place that a
 * multiple of 2^k can have: few, since these are a fraction of a router's members. Where the size
 * is no power of two, the last subtree of each level has fewer members, and is computed beside.
 *
 * Messages to other nodes come first on the way down. They leave through the node's NIC one after
 * the other while the head's processor goes on, and a message of several pieces shares the NIC with
 * the head's others until all have left. Copies within a node keep the processor, and wait for
 * memory, which serves the messages of a level one after the other. */
#include "coll/predict_ways.h"

#include "coll/round.h"

#define PLACES 20u        /* that are told apart; of more, the nodes of a router are not */
#define PIECE_BYTES 8184u /* longer messages share a NIC */

/* What a subtree takes from the time on at which its head has the vector: through children on other
 * nodes, from the time on at which the first of these messages begins to leave; and through those
 * of its own node, from the first copy on. Up: until the last message from another node has come;
 * until the head has all. */
struct subtree {
  uint64_t nets_ps, node_ps;
};
struct ways_tree {
  const struct eyoti_ways *w;
  uint64_t way_ps, nearer_ps; /* between routers until it has been seen; less within one */
  uint64_t gap_ps;            /* of a NIC */
  uint64_t step_ps;           /* between two messages of a head */
  uint64_t later_ps;          /* by which each other message of a head holds up all of them */
  uint32_t router;            /* members */
};

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static struct ways_tree tree_of(const struct eyoti_ways *w) {
  const struct fab_model *m = w->m;
  struct ways_tree t = {.w = w, .router = fab_model_router(m, w->cores)};
  t.gap_ps = fab_model_gap(m, w->bytes);
  t.way_ps = m->net_ps + m->look_ps + fab_model_bytes(w->bytes, m->net_kib_ps);
  if (t.router < w->size) { /* bytes are charged at the slower of NIC and link */
    uint64_t far = m->net_ps + m->look_ps + fab_model_bytes(w->bytes, fab_model_far_kib_ps(m));
    uint64_t hops = m->router_ps > 0 && m->router_ps < m->net_ps ? m->net_ps - m->router_ps : 0;
    t.nearer_ps = far - t.way_ps + hops;
    t.way_ps = far;
  }
  t.step_ps = larger(m->post_ps, t.gap_ps);
  if (w->bytes > PIECE_BYTES) t.step_ps = m->post_ps, t.later_ps = t.gap_ps;
  return t;
}

/* -- within a node ----------------------------------------------------------------------------- */

/* What the last of the messages to members 2^k apart waits for memory, beyond its own copy. */
static uint64_t memory_ps(const struct eyoti_ways *w, uint32_t k) {
  const struct fab_model *m = w->m;
  uint32_t cores = w->cores < w->size ? w->cores : w->size;
  uint64_t first = cores < m->memory_units ? cores : m->memory_units; /* in the fuller memory */
  uint64_t senders = ((uint64_t)cores + (UINT64_C(1) << k) - 1) >> (k + 1);
  uint64_t there = senders * first / cores;
  uint64_t turn = fab_model_bytes(w->bytes, m->memory_kib_ps);
  turn = turn > m->node_post_ps ? turn - m->node_post_ps : 0;
  return (there > 1 ? there - 1 : 0) * (w->down ? turn * 2 / 3 : turn);
}
static uint64_t copy_ps(const struct eyoti_ways *w, uint32_t k) {
  return w->m->node_post_ps + fab_model_node_bytes(w->m, w->bytes, 1) + memory_ps(w, k);
}

/* -- subtrees ---------------------------------------------------------------------------------- */

/* The messages to other nodes of the head of 2^k members: all children from one on. */
static uint32_t nets_of(const struct ways_tree *t, uint64_t head, uint32_t k) {
  uint32_t within = fab_model_log2(t->w->cores - (uint32_t)(head % t->w->cores));
  return k > within ? k - within : 0;
}

/* What the subtree takes, which sends so many messages to other nodes. */
static uint64_t subtree_ps(const struct ways_tree *t, const struct subtree *s, uint32_t nets) {
  uint64_t post = t->w->m->post_ps;
  if (!t->w->down || nets == 0) return s->node_ps;
  return larger(post + (nets - 1) * t->later_ps + s->nets_ps, nets * post + s->node_ps);
}

/* A child 2^k further, in whose subtree child_ps are taken, joins the head's subtree. from: the
 * head. */
static struct subtree join(const struct ways_tree *t, uint64_t from, uint32_t k,
                           struct subtree head, uint64_t child_ps) {
  const struct fab_model *m = t->w->m;
  bool same_node = from % t->w->cores + (UINT64_C(1) << k) < t->w->cores;
  bool same_router = from % t->router + (UINT64_C(1) << k) < t->router;
  uint64_t net = same_router ? t->way_ps - t->nearer_ps : t->way_ps;
  uint64_t copy = same_node ? copy_ps(t->w, k) : 0, way = m->node_ps + m->look_ps;
  uint64_t there = child_ps + (same_node ? copy + way : m->post_ps + net);
  if (!t->w->down) {
    if (!same_node) there = head.nets_ps = larger(there, head.nets_ps + t->gap_ps);
    head.node_ps = larger(head.node_ps + m->look_ps, there);
  } else if (same_node) {
    head.node_ps = copy + larger(head.node_ps, way + child_ps);
  } else {
    head.nets_ps = larger(net + child_ps, head.nets_ps > 0 ? t->step_ps + head.nets_ps : 0);
  }
  return head;
}

/* The heads of a level: those at multiples of 2^k, which have so many places in a router. */
struct level {
  struct subtree at[PLACES];
  uint32_t k, places;
};

static uint64_t level_ps(const struct ways_tree *t, const struct level *l, uint32_t head) {
  return subtree_ps(t, &l->at[head % l->places], nets_of(t, (uint64_t)head << l->k, l->k));
}

static void next_level(const struct ways_tree *t, struct level *l) {
  struct level below = *l;
  if (l->places % 2 == 0) l->places /= 2;
  l->k++;
  for (uint32_t i = 0; i < l->places; i++)
    l->at[i] = join(t, (uint64_t)i << l->k, below.k, below.at[2 * i % below.places],
                    level_ps(t, &below, 2 * i + 1));
}

/* The last subtree of a level, and its messages to other nodes. */
struct last {
  struct subtree s;
  uint32_t first, nets;
};

static void next_last(const struct ways_tree *t, const struct level *l, struct last *last) {
  uint32_t far = 1u << l->k, cores = t->w->cores;
  if ((last->first & far) == 0) return; /* no child: the members of the level below */
  uint64_t child_ps = subtree_ps(t, &last->s, last->nets);
  last->first -= far;
  last->nets = nets_of(t, last->first, l->k) + (last->first % cores + (uint64_t)far >= cores);
  last->s = join(t, last->first, l->k, l->at[(last->first >> l->k) % l->places], child_ps);
}

/* Places in a router of multiples of 2^aligned, of which nodes have a whole number. Where these are
 * too many, nodes are all between routers, and then they begin at a multiple of some members. */
static uint32_t places_of(struct ways_tree *t, struct eyoti_ways *w, uint32_t *aligned) {
  if (w->size <= w->cores) {
    *aligned = UINT32_MAX;
    return 1;
  }
  *aligned = (uint32_t)__builtin_ctz(w->cores);
  if (t->router < w->size && t->router >> *aligned <= PLACES) return t->router >> *aligned;
  t->router = w->cores;
  for (; w->cores >> *aligned > PLACES; ++*aligned) w->cores &= ~(1u << *aligned);
  return w->cores >> *aligned;
}

uint64_t eyoti_predict_ways_ps(const struct eyoti_ways *asked) {
  struct eyoti_ways w = *asked;
  struct ways_tree t = tree_of(&w);
  struct level l = {.places = 1};
  struct last last = {.first = w.size - 1};
  uint32_t aligned, places = places_of(&t, &w, &aligned);
  while ((UINT64_C(1) << l.k) < w.size) {
    if (l.k == aligned) {
      l.places = places;
      for (uint32_t i = 1; i < places; i++) l.at[i] = l.at[0];
    }
    next_last(&t, &l, &last);
    next_level(&t, &l);
  }
  return subtree_ps(&t, &last.s, last.nets);
}

/* -- rounds ------------------------------------------------------------------------------------ */

/* A round that follows on others without a wait: what the root's processor, its node's NIC and a
 * memory of its node do. */
static uint64_t next_ps(const struct eyoti_ways *w) {
  const struct fab_model *m = w->m;
  uint64_t nets = 0, copies = 0, cores = w->cores < w->size ? w->cores : w->size;
  for (uint64_t far = 1; far < w->size; far *= 2) {
    copies += far < cores;
    nets += far >= cores;
  }
  uint64_t first = cores < m->memory_units ? cores : m->memory_units;
  uint64_t memory = (cores - 1) * first / cores * fab_model_bytes(w->bytes, m->memory_kib_ps);
  uint64_t cpu = m->node_post_ps + fab_model_node_bytes(m, w->bytes, 1);
  cpu = w->down ? nets * m->post_ps + copies * cpu : cpu + (nets + copies) * m->look_ps;
  return larger(larger(cpu, memory), nets * fab_model_gap(m, w->bytes));
}

/* Those of an allreduce wait for each other; of others, some begin with a barrier. */
uint64_t eyoti_predict_binomial_ps(const struct fab_model *m, const struct eyoti_question *q,
                                   uint32_t cores) {
  bool down = q->function != EYOTI_CHOSEN_REDUCE, up = q->function != EYOTI_CHOSEN_BROADCAST;
  uint64_t most = up ? eyoti_round_levels(q->size, 8) : EYOTI_ROUND_MOST;
  uint64_t before = q->bytes > most ? (q->bytes - 1) / most : 0; /* rounds but the last one */
  struct eyoti_ways whole = {m, q->size, cores, most, down}, last = whole;
  last.bytes = q->bytes - before * most;
  if (down && up) {
    struct eyoti_ways whole_up = whole, last_up = last;
    whole_up.down = last_up.down = false;
    uint64_t ps = eyoti_predict_ways_ps(&last) + eyoti_predict_ways_ps(&last_up);
    if (before == 0) return ps;
    return ps + fab_model_doubling(m, q->size, cores, 0) +
           before * (eyoti_predict_ways_ps(&whole) + eyoti_predict_ways_ps(&whole_up));
  }
  if (before == 0) return eyoti_predict_ways_ps(&last);
  uint64_t begins = 1 + (before + 1) / eyoti_round_together(q->size);
  return begins * (fab_model_doubling(m, q->size, cores, 0) + eyoti_predict_ways_ps(&whole)) +
         (before - begins) * next_ps(&whole) + next_ps(&last);
}
