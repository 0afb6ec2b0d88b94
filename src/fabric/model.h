/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - what messages cost on a fabric, for the choice of algorithms, and the costs of patterns
 * that several choose by. sim fills the figures in from the machine's; for others there is
 * FAB_MODEL_DEFAULT. All in integers, so that all units choose alike. */
#ifndef EYOT_FABRIC_MODEL_H
#define EYOT_FABRIC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Picoseconds. */
struct fab_model {
  uint64_t post_ps;               /* processor: a put to another node */
  uint64_t net_ps;                /* from its end until the bytes are visible there */
  uint64_t gap_ps;                /* least distance of two messages of a node */
  uint64_t node_post_ps, node_ps; /* the first two within a node */
  uint64_t look_ps;               /* a look at a word that has come */
  uint64_t call_ps; /* processor: a collective call, its messages apart; the same for all ways */
  uint64_t net_kib_ps, node_kib_ps; /* each 1,024 bytes of a message, beyond that */
  /* the same within a node, where so many units share one memory, of their messages together */
  uint64_t memory_kib_ps;
  uint32_t memory_units;
  uint64_t memory_ps,
      router_ps; /* node_ps of such units, and net_ps within a router; 0: the same */
  /* Links between routers of so many nodes each; 0: they are no limit. Of a row of so many routers
   * each has a link to each other; a link carries messages to as many rows as there are. */
  uint32_t router_nodes, row_routers;
  uint64_t link_kib_ps; /* each 1,024 bytes on a link */
};

/* What a machine's file says of two-sided messages; has_...: it does. */
struct fab_thresholds {
  bool has_eager, has_block;
  uint32_t eager, block; /* as EYOT_MSG_EAGER and EYOT_MSG_BLOCK, in bytes */
};

/* Judged: a cluster of some years ago. No figure of it is in a result. */
#define FAB_MODEL_DEFAULT                                                            \
  {                                                                                  \
    .post_ps = 100000, .net_ps = 1000000, .gap_ps = 10000, .node_post_ps = 20000,    \
    .node_ps = 100000, .look_ps = 10000, .net_kib_ps = 100000, .node_kib_ps = 80000, \
    .memory_kib_ps = 20000, .memory_units = 32                                       \
  }

/* A number's logarithm, rounded up; what bytes cost at so much a KiB; the least distance of two
 * messages of a node. */
uint32_t fab_model_log2(uint64_t n);
uint64_t fab_model_bytes(uint64_t bytes, uint64_t kib_ps);
uint64_t fab_model_gap(const struct fab_model *m, uint64_t bytes);
/* Copying within a node, beside so many others in all: the processor copies, and memory serves all.
 * A message within a node, and between nodes. */
uint64_t fab_model_node_bytes(const struct fab_model *m, uint64_t bytes, uint64_t copies);
uint64_t fab_model_node_message(const struct fab_model *m, uint64_t bytes, uint64_t copies);
uint64_t fab_model_net_message(const struct fab_model *m, uint64_t bytes);
/* A level of an exchange, in which so many units of a node send at the same time: the ways of some
 * hide what others wait for memory. */
uint64_t fab_model_node_level(const struct fab_model *m, uint64_t bytes, uint64_t units);

/* Units of a router, with so many on a node; UINT32_MAX: links are no limit. Each 1,024 bytes of a
 * message between two routers. What the busiest link takes while each unit sends so many bytes to
 * each unit of other routers. */
uint32_t fab_model_router(const struct fab_model *m, uint32_t cores);
uint64_t fab_model_far_kib_ps(const struct fab_model *m);
uint64_t fab_model_links(const struct fab_model *m, uint32_t size, uint32_t cores, uint64_t bytes);
/* The same while each of so many routers sends so many bytes to each other one. */
uint64_t fab_model_router_links(const struct fab_model *m, uint32_t routers, uint64_t bytes);
/* What is sent of all units' messages of so many bytes to the one `apart` units further, beyond one
 * of them: at a NIC from which `senders` go to another node, or at the busiest link. */
uint64_t fab_model_shift(const struct fab_model *m, uint32_t size, uint32_t cores, uint32_t apart,
                         uint32_t senders, uint64_t bytes);

/* ceil(log2 p) exchanges of p units, so many on a node: that of level k is with a unit 2^k apart,
 * on one node while nodes consist of aligned blocks of 2^(k+1) units; else at least some send
 * through the NIC, one after the other. */
uint64_t fab_model_doubling(const struct fab_model *m, uint32_t size, uint32_t cores,
                            uint64_t bytes);
/* From all units of a node to one of them. */
uint64_t fab_model_node_up(const struct fab_model *m, uint32_t cores, uint64_t bytes);
/* Multi-object rounds (base/groups.h): in each a value goes from one unit of a node to all, and
 * from these to radix - 1 nodes; at the end to all units. */
uint64_t fab_model_node_rounds(const struct fab_model *m, uint32_t cores, uint32_t radix,
                               uint32_t rounds, uint64_t bytes);
/* A reduction of all units by nodes, and its result back, by the cheapest radix of up to `most`;
 * UINT64_MAX: there is none. *radix: written unless so. A node with few units has as many messages
 * to send to others as one with many. */
struct fab_nodes {
  uint32_t n, most, least; /* units of the nodes with most and least */
};
static inline struct fab_nodes fab_nodes_regular(uint32_t size, uint32_t cores) {
  return (struct fab_nodes){(size - 1) / cores + 1, cores, cores};
}
uint64_t fab_model_by_nodes(const struct fab_model *m, const struct fab_nodes *nodes, uint32_t most,
                            uint32_t *radix);
/* The least radix that needs no more rounds for so many nodes, and the rounds of a radix. */
uint32_t fab_model_radix(uint32_t nodes, uint32_t rounds);
uint32_t fab_model_rounds(uint32_t nodes, uint32_t radix);
#endif
