/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c - costs of patterns of messages (model.h). */
#include "fabric/model.h"

#include "base/groups.h"

uint32_t fab_model_log2(uint64_t n) {
  uint32_t log = 0;
  while (((uint64_t)1 << log) < n) log++;
  return log;
}
uint64_t fab_model_bytes(uint64_t bytes, uint64_t kib_ps) {
  return bytes / 1024 * kib_ps + bytes % 1024 * kib_ps / 1024;
}
static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
uint64_t fab_model_gap(const struct fab_model *m, uint64_t bytes) {
  return larger(m->gap_ps, fab_model_bytes(bytes, m->net_kib_ps));
}

uint64_t fab_model_node_bytes(const struct fab_model *m, uint64_t bytes, uint64_t copies) {
  if (copies > m->memory_units) copies = m->memory_units;
  return larger(fab_model_bytes(bytes, m->node_kib_ps),
                copies * fab_model_bytes(bytes, m->memory_kib_ps));
}
uint64_t fab_model_node_message(const struct fab_model *m, uint64_t bytes, uint64_t copies) {
  return m->node_post_ps + m->node_ps + m->look_ps + fab_model_node_bytes(m, bytes, copies);
}
uint64_t fab_model_net_message(const struct fab_model *m, uint64_t bytes) {
  return m->post_ps + m->net_ps + m->look_ps + fab_model_bytes(bytes, m->net_kib_ps);
}

uint64_t fab_model_node_level(const struct fab_model *m, uint64_t bytes, uint64_t units) {
  if (units > m->memory_units) units = m->memory_units;
  return larger(fab_model_node_message(m, bytes, 1),
                m->node_post_ps + m->look_ps + units * fab_model_bytes(bytes, m->memory_kib_ps));
}

uint32_t fab_model_router(const struct fab_model *m, uint32_t cores) {
  return m->router_nodes > 0 ? m->router_nodes * cores : UINT32_MAX;
}
uint64_t fab_model_far_kib_ps(const struct fab_model *m) {
  return larger(m->net_kib_ps, m->link_kib_ps);
}
uint64_t fab_model_links(const struct fab_model *m, uint32_t size, uint32_t cores, uint64_t bytes) {
  uint64_t router = fab_model_router(m, cores);
  if (size <= router) return 0;
  uint64_t others = size - router, routers = (size - 1) / router + 1;
  uint64_t rows = (routers - 1) / m->row_routers + 1;
  return fab_model_bytes(rows * router * (others < router ? others : router) * bytes,
                         m->link_kib_ps);
}

uint64_t fab_model_router_links(const struct fab_model *m, uint32_t routers, uint64_t bytes) {
  uint64_t rows = m->row_routers > 0 ? (routers - 1) / m->row_routers + 1 : 1;
  return fab_model_bytes(rows * bytes, m->link_kib_ps);
}

uint64_t fab_model_shift(const struct fab_model *m, uint32_t size, uint32_t cores, uint32_t apart,
                         uint32_t senders, uint64_t bytes) {
  uint64_t nic = senders * fab_model_gap(m, bytes), router = fab_model_router(m, cores);
  if (size <= router) return nic;
  uint64_t over = apart % router, crossing = larger(over, router - over), others = size - router;
  if (apart < router) crossing = apart;
  if (crossing > others) crossing = others;
  uint64_t links = fab_model_bytes(crossing * bytes, m->link_kib_ps);
  uint64_t own = fab_model_bytes(bytes, m->net_kib_ps);
  return larger(nic, links > own ? links - own : 0);
}

uint64_t fab_model_doubling(const struct fab_model *m, uint32_t size, uint32_t cores,
                            uint64_t bytes) {
  uint64_t ps = 0;
  uint32_t others = size > cores ? size - cores : 0;
  for (uint32_t k = 0; ((uint64_t)1 << k) < size; k++) {
    uint32_t apart = 1u << k, senders = apart < cores ? apart : cores;
    if (senders > others) senders = others;
    if (others > 0 && cores % (2 * (uint64_t)apart) != 0)
      ps +=
          fab_model_net_message(m, bytes) + fab_model_shift(m, size, cores, apart, senders, bytes);
    else
      ps += fab_model_node_level(m, bytes, cores);
  }
  return ps;
}

/* The time until a value has spread from one unit of a node to all. */
static uint64_t fan_ps(const struct fab_model *m, uint32_t cores, uint64_t bytes) {
  uint64_t ps = 0;
  /* In a step as long as a message each that knows sends to so many more: an upper bound. */
  for (uint64_t know = 1; know < cores; know *= EYOTI_POSTAL_LATENCY + 1) {
    uint64_t left = (cores - 1) / know;
    uint64_t posts = left < EYOTI_POSTAL_LATENCY ? left : EYOTI_POSTAL_LATENCY;
    uint64_t senders = know < cores - know ? know : cores - know;
    ps += fab_model_node_message(m, bytes, senders) +
          (posts > 0 ? posts - 1 : 0) * (m->node_post_ps + fab_model_node_bytes(m, bytes, senders));
  }
  return ps;
}

/* The receiver's memory is at both ends of copies from its own units, and at one of the others'. */
uint64_t fab_model_node_up(const struct fab_model *m, uint32_t cores, uint64_t bytes) {
  if (cores <= 1) return 0;
  uint64_t first = cores < m->memory_units ? cores : m->memory_units;
  uint64_t ends = 2 * (first - 1) + cores - first;
  uint64_t memory = ends * fab_model_bytes(bytes, m->memory_kib_ps) / 2;
  return m->node_post_ps + m->node_ps + larger(fab_model_node_bytes(m, bytes, 1), memory) +
         cores * m->look_ps;
}

/* The same, where `least` units of some node post. */
static uint64_t uneven_rounds_ps(const struct fab_model *m, uint32_t cores, uint32_t least,
                                 uint32_t radix, uint32_t rounds, uint64_t bytes) {
  uint64_t others = radix - 1, posts = (others + least - 1) / least, fan = fan_ps(m, cores, bytes);
  uint64_t way = m->net_ps + m->look_ps + fab_model_bytes(bytes, m->net_kib_ps);
  if (others <= EYOTI_SEAT_ALONE) return rounds * (others * m->post_ps + way) + fan;
  return rounds * (fan + larger(posts * m->post_ps, others * fab_model_gap(m, bytes)) + way) + fan;
}

uint64_t fab_model_node_rounds(const struct fab_model *m, uint32_t cores, uint32_t radix,
                               uint32_t rounds, uint64_t bytes) {
  return uneven_rounds_ps(m, cores, cores, radix, rounds, bytes);
}

uint64_t fab_model_by_nodes(const struct fab_model *m, const struct fab_nodes *nodes, uint32_t most,
                            uint32_t *radix) {
  uint64_t least = UINT64_MAX, up = fab_model_node_up(m, nodes->most, 0);
  for (uint32_t rounds = 1; rounds <= fab_model_log2(nodes->n); rounds++) {
    uint32_t of_rounds = fab_model_radix(nodes->n, rounds);
    if (of_rounds > most) continue;
    uint64_t ps = up + uneven_rounds_ps(m, nodes->most, nodes->least, of_rounds, rounds, 0);
    if (ps >= least) continue;
    least = ps;
    *radix = of_rounds;
  }
  return least;
}

static bool reaches(uint32_t radix, uint32_t rounds, uint32_t nodes) {
  uint64_t reach = 1;
  for (uint32_t i = 0; i < rounds && reach < nodes; i++) reach *= radix;
  return reach >= nodes;
}

/* By halves: every unit asks, so a search of all radices would be quadratic in the units. */
uint32_t fab_model_radix(uint32_t nodes, uint32_t rounds) {
  uint32_t least = 2, most = nodes > 2 ? nodes : 2;
  while (least < most) {
    uint32_t radix = least + (most - least) / 2;
    if (reaches(radix, rounds, nodes))
      most = radix;
    else
      least = radix + 1;
  }
  return least;
}

uint32_t fab_model_rounds(uint32_t nodes, uint32_t radix) {
  uint32_t rounds = 0;
  for (uint64_t reach = 1; reach < nodes; reach *= radix) rounds++;
  return rounds;
}
