/* SPDX-License-Identifier: BSD-3-Clause */
/* net_tables.h - struct sim_net, shared by the files that implement net.h: net.c (opening, places),
 * net_make.c (tables), net_path.c (routes), net_reserve.c (times). */
#ifndef EYOT_FABRIC_SIM_MACHINE_NET_TABLES_H
#define EYOT_FABRIC_SIM_MACHINE_NET_TABLES_H

#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/fattree.h"
#include "fabric_sim/machine/net.h"
#include "fabric_sim/machine/platform.h"
#include "fabric_sim/machine/res.h"
#include "fabric_sim/machine/res_gaps.h"
#include "fabric_sim/machine/simgrid.h"
#include "fabric_sim/machine/torus.h"

/* of a preset: 64 bytes each that a message has used, and of address space */
#define SIM_NET_LINKS_MAX (1u << 22)
#define SIM_NET_LEVELS 3u         /* blade, chassis, group: per node */
#define SIM_NET_REQUEST_BYTES 16u /* bytes that a get's request or an atomic puts on the wire */
/* cache lines whose last user is kept: powers of two; more where lines have a reach */
#define SIM_NET_LINE_USES (1u << 16)
#define SIM_NET_LINE_USES_MAX (1u << 21)
#define SIM_NET_PAGE_USES (1u << 18)   /* pages that units have used; a power of two */
#define SIM_NET_CACHE_SLOTS (1u << 14) /* routes of a platform file that are kept; a power of two */
#define SIM_NET_KNOWN_SLOTS (1u << 15) /* routes of a Dragonfly that are kept; a power of two */

/* Costs of links: a preset has one wire per class, a platform file one per link; from 1 on. */
struct sim_wire {
  uint64_t lat_ps;
  sim_per_byte_t per_byte;
  uint64_t packet_ps;
  bool shared; /* false: messages do not contend */
};

struct sim_nic {
  struct sim_res tx, rx, amo;
};

/* The route between two nodes. */
struct sim_path {
  const uint32_t *links;
  uint32_t n;
  uint64_t extra_ps; /* latency beyond the links' */
  uint64_t lat_ps;   /* latency of the links; SIM_PATH_UNKNOWN: to be added up */
  bool detour;       /* not a minimal route */
};
#define SIM_PATH_UNKNOWN UINT64_MAX

union sim_path_buffer {
  uint32_t df[SIM_DF_DETOUR_MAX];
  uint32_t torus[SIM_TORUS_HOPS_MAX];
  uint32_t tree[SIM_TREE_HOPS_MAX];
};

/* A route of a platform file. Links are allocated when a slot first needs them and grow. */
struct sim_route_slot {
  uint32_t src, dst; /* hosts; src == dst: empty */
  uint32_t n, cap;
  uint32_t *links;
  uint64_t extra_ps;
};

/* A minimal route of a Dragonfly: a cache line. */
struct sim_route_known {
  uint64_t pair; /* of nodes, src << 32 | dst; 0, which no route has: the slot is empty */
  uint64_t lat_ps;
  uint32_t n, links[SIM_DF_HOPS_MAX];
} __attribute__((aligned(64)));

/* A cache line of a unit's memory, and who used it last. */
struct sim_line_use {
  uint64_t line;
  uint32_t owner, seg, user; /* user: the unit plus 1; 0: the slot is free */
  uint32_t turn;             /* how many lines the user had used by then, of 2^32 */
};

/* Pages of a unit's memory that the system gave last, in parts that were given in a row. */
#define SIM_NET_GIVEN 8u
struct sim_given {
  uint32_t n; /* parts so far; part n % SIM_NET_GIVEN is the last */
  struct sim_given_part {
    uint64_t off, bytes; /* bytes 0: none */
    uint32_t seg, turn;  /* turn: as in sim_line_use, of the first line */
  } part[SIM_NET_GIVEN];
};

struct sim_traffic; /* traffic.h */

struct sim_net {
  struct sim_plat plat;
  struct fab_model model;            /* of plat */
  bool shared;                       /* long messages go in pieces (net_piece.c), */
  bool flows;                        /* or are SimGrid's flows */
  bool on_nic;                       /* units of one node reach each other through its NIC */
  uint32_t n_units, n_nodes, n_numa; /* of the job */
  bool signals_apart;                /* net.h */
  bool spans;                        /* its units are on different nodes */
  uint32_t n_routers, n_links;       /* of the machine; n_routers: of a preset */
  uint32_t units_per_node;           /* 0: differs (platform file) */
  uint32_t per_node;                 /* fab_ops.per_node */
  uint32_t *unit_node, *unit_numa;   /* [n_units] */
  uint32_t *level[SIM_NET_LEVELS];   /* [n_nodes] ids of blade, chassis, group */
  void **host;                       /* [n_nodes] */
  void **get_host;     /* [n_nodes] SimGrid's flows of gets, where their rate differs; else NULL */
  struct sim_nic *nic; /* [n_nodes] */
  struct sim_res *memory; /* [n_numa] */
  /* [n_units] the cache line that atomics from the same node contend for */
  struct sim_res *line;
  struct sim_res *links;    /* [n_links]; .wire is its wire, 0: not used so far */
  struct sim_res_pool gaps; /* of NICs and links, where they are many */
  struct sim_wire *wires;
  uint64_t nic_packet_ps;
  sim_per_byte_t put_per_byte, get_per_byte, copy_per_byte, memory_per_byte;
  sim_per_byte_t copies_per_byte[2]
                                [3]; /* within a node, by puts and gets: up to each cache, beyond */
  bool memory_slows;                 /* memory is, or nearly, slower than a processor that copies */
  uint64_t memory_piece_ps;          /* what memory takes for one end of a piece */
  struct sim_df df;
  /* the routes of the operation whose times are computed: a unit may post, and its stack should not
   * have them */
  union sim_path_buffer buffer[2];
  bool detours; /* routing is not minimal */
  uint64_t route_seed, drawn;
  struct sim_torus torus;
  struct sim_tree tree;
  uint32_t *tree_node;         /* [n_nodes] nodes of the machine, fat trees only */
  const struct sim_sg_ops *sg; /* NULL: nothing of SimGrid is used */
  struct sim_sg_file *file;
  struct sim_route_slot *cache;   /* [SIM_NET_CACHE_SLOTS], platform files only */
  struct sim_route_known *known;  /* [SIM_NET_KNOWN_SLOTS], Dragonflies only */
  struct sim_line_use *line_uses; /* [n_line_uses], if they have a price (line_use.c) */
  uint32_t n_line_uses;
  uint32_t *line_turns;     /* [n_units] lines that the unit has used, of 2^32 */
  struct sim_given **given; /* [n_units] NULL: nothing so far */
  uint64_t *page_uses;      /* [SIM_NET_PAGE_USES] pages by unit, if their first use has a price */
  struct sim_traffic *traffic; /* of other jobs; NULL: none */
  char text[320];
};

static inline uint64_t sim_cost_ps(uint64_t bytes, sim_per_byte_t per_byte) {
  return (uint64_t)(((unsigned __int128)bytes * per_byte) / SIM_PER_BYTE_ONE);
}

/* net_size.c: sets units per node, the numbers of nodes, routers and links, and the graph of a
 * preset. */
struct sim_place;
int sim_net_size(struct sim_net *net, const struct sim_net_opts *opts,
                 const struct sim_place *place);

/* net_path.c: the class of a preset's link. */
uint32_t sim_net_class(const struct sim_net *net, uint32_t link);

static inline const struct sim_wire *sim_net_wire(const struct sim_net *net, uint32_t link) {
  struct sim_res *r = &net->links[link];
  if (__builtin_expect(r->wire == 0, 0))
    r->wire = (sim_net_class(net, link) + 1) & (SIM_RES_WIRES - 1);
  return &net->wires[r->wire];
}

/* net_make.c: sizes, places and sets the costs of everything for opts; net->plat is set. On error
 * the caller closes. */
int sim_net_make(struct sim_net *net, const struct sim_net_opts *opts);

/* line_use.c: makes the table of cache lines, if they have a price. Returns false: no memory. */
bool sim_net_make_lines(struct sim_net *net);
void sim_net_free_lines(struct sim_net *net);

/* net_path.c: the route between two nodes; from a node to itself it has no links, only its router.
 * path->links points into `buffer` or into the cache, and is valid until the next call for another
 * pair of nodes; the two directions of one pair can be held at the same time. */
void sim_net_path(struct sim_net *net, uint32_t src_node, uint32_t dst_node,
                  union sim_path_buffer *buffer, struct sim_path *path);
/* Fills a slot of the known routes. */
void sim_net_learn(const struct sim_net *net, struct sim_route_known *k, uint32_t src_node,
                   uint32_t dst_node);

/* The two directions of a pair have two slots, as both can be held at the same time. */
static inline uint32_t sim_known_slot(uint32_t src, uint32_t dst) {
  uint64_t pair = (uint64_t)src << 32 | dst;
  return (uint32_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 40 << 1 | (src > dst)) &
         (SIM_NET_KNOWN_SLOTS - 1);
}

/* The same between two nodes of a Dragonfly, whose routes are kept. */
static inline __attribute__((always_inline)) struct sim_path sim_net_known(
    const struct sim_net *net, uint32_t src_node, uint32_t dst_node) {
  struct sim_route_known *k = &net->known[sim_known_slot(src_node, dst_node)];
  if (__builtin_expect(k->pair != ((uint64_t)src_node << 32 | dst_node), 0))
    sim_net_learn(net, k, src_node, dst_node);
  return (struct sim_path){.links = k->links, .n = k->n, .lat_ps = k->lat_ps};
}

/* net_route.c: a run with this seed begins. */
void sim_route_begin(struct sim_net *net, uint64_t seed);

/* net_route.c: changes the minimal route of a message to a detour where net->detours calls for it;
 * head_ps: when its head reaches the first link. */
void sim_net_detour(struct sim_net *net, uint32_t src_node, uint32_t dst_node, uint64_t head_ps,
                    union sim_path_buffer *buffer, struct sim_path *path);
#endif
