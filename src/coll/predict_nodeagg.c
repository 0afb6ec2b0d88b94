/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_nodeagg.c - implements predict_nodeagg.h. */
#include "coll/predict_nodeagg.h"

#include "coll/predict_shape.h"

/* From the agents of a node, which are its first units, to its other units, each of which looks at
 * a word of each agent. The memory of the first units is at one end of each of their copies. */
static uint64_t from_agents_ps(const struct fab_model *m, const struct eyoti_node_shape *s,
                               uint32_t agents, uint64_t bytes) {
  uint64_t first = s->cores < m->memory_units ? s->cores : m->memory_units;
  uint64_t there = agents < first ? agents : first;
  uint64_t ends = there * (2 * (first - 1) + s->cores - first) + (agents - there) * first;
  uint64_t memory = ends * fab_model_bytes(bytes, m->memory_kib_ps) / 2;
  uint64_t copies = (s->cores - 1) * fab_model_bytes(bytes, m->node_kib_ps);
  return (s->cores - 1) * m->node_post_ps + (copies > memory ? copies : memory) + m->node_ps +
         agents * m->look_ps;
}

/* Within the node a message to each agent, or of an allgather to each unit; one to each other node;
 * and within the node from the agents, which begin when the first message has come. Two nodes may
 * have different members: blocks of the other are fewer, and in an alltoall those of the own node,
 * which cross no network, may come last. */
uint64_t eyoti_predict_nodeagg_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_fullest_of(q);
  bool all = q->function == EYOTI_CHOSEN_ALLTOALL;
  uint32_t least = q->uneven_nodes > 0 ? eyoti_least_of(q) : s.cores; /* has the largest parts */
  uint32_t part = (s.nodes + least - 1) / least, agents = s.cores < s.nodes ? s.cores : s.nodes;
  uint64_t there = s.nodes == 2 ? q->size - s.cores : s.cores; /* members of another node */
  uint64_t own = part * s.cores * q->bytes, other = part * there * q->bytes;
  uint64_t out = (s.cores - 1) * (m->node_post_ps + fab_model_node_bytes(m, q->bytes, s.cores));
  if (all)
    out = agents * m->node_post_ps + (agents - 1) * fab_model_node_bytes(m, own, s.cores) +
          fab_model_node_bytes(m, other, s.cores);
  out += m->node_ps + s.cores * m->look_ps;
  uint64_t gap = fab_model_gap(m, s.cores * q->bytes * (all ? there : 1));
  uint64_t posts = part * m->post_ps, nic = (s.nodes - 1) * gap;
  uint64_t links = fab_model_links(m, q->size, s.cores, q->bytes) / (all ? 1 : s.cores);
  if (links > nic) nic = links;
  if (posts > nic) nic = posts;
  uint64_t give = from_agents_ps(m, &s, all || part > 1 ? agents : agents - 1, other);
  uint64_t far =
      m->net_ps + part * m->look_ps + (nic > give ? nic + give / agents : give + nic / agents);
  uint64_t home = all ? from_agents_ps(m, &s, agents, own) : 0;
  return out + (far > home ? far : home);
}
