/* SPDX-License-Identifier: BSD-3-Clause */
/* net_tables.h - struct fs_net and what its files share: net.c (opening, places), net_make.c
 * (tables), net_path.c (routes), net_reserve.c (times). */
#ifndef EYOT_FABRIC_SIM_MACHINE_NET_TABLES_H
#define EYOT_FABRIC_SIM_MACHINE_NET_TABLES_H

#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/net.h"
#include "fabric_sim/machine/net_simgrid.h"
#include "fabric_sim/machine/platform.h"
#include "fabric_sim/machine/res.h"
#include "fabric_sim/machine/torus.h"

#define FS_NET_LINKS_MAX (1u << 20) /* of a preset: about 600 bytes each, most of it SimGrid's */
#define FS_NET_LEVELS 3u            /* blade, chassis, group: per node */
#define FS_NET_REQUEST_BYTES 16u    /* what a get's request and an atomic put on the wire */
/* within a node, up to a cache line does not use up memory bandwidth */
#define FS_NET_LINE_BYTES 64u
#define FS_NET_CACHE_SLOTS (1u << 14) /* routes of a platform file that are kept; a power of two */

/* Prices of links: a preset has one wire a class, a platform file one a link. */
struct fs_wire {
  uint64_t lat_ps;
  fs_per_byte_t per_byte;
  bool shared; /* false: messages do not disturb each other */
};

struct fs_nic {
  struct fs_res tx, rx, amo;
};

/* A way from node to node. */
struct fs_path {
  const uint32_t *links;
  uint32_t n;
  uint64_t extra_ps; /* latency beyond the links' */
};

union fs_path_room {
  uint32_t df[FS_DF_HOPS_MAX];
  uint32_t torus[FS_TORUS_HOPS_MAX];
};

/* A route of a platform file. Links are allocated when a slot first needs them and grow. */
struct fs_route_slot {
  uint32_t src, dst; /* hosts; src == dst: empty */
  uint32_t n, cap;
  uint32_t *links;
  uint64_t extra_ps;
};

struct fs_net {
  struct fs_plat plat;
  uint32_t n_units, n_nodes, n_numa, n_links;
  uint32_t units_per_node;         /* 0: differs (platform file) */
  uint32_t *unit_node, *unit_numa; /* [n_units] */
  uint32_t *level[FS_NET_LEVELS];  /* [n_nodes] ids of blade, chassis, group */
  void **host;                     /* [n_nodes] */
  struct fs_nic *nic;              /* [n_nodes] */
  struct fs_res *memory;           /* [n_numa] */
  /* [n_units] the cache line that atomics from the same node contend for */
  struct fs_res *line;
  struct fs_res *links; /* [n_links]; .wire says which */
  struct fs_wire *wires;
  fs_per_byte_t put_per_byte, get_per_byte, copy_per_byte, memory_per_byte;
  struct fs_df df;
  struct fs_torus torus;
  struct fs_sg_file *file;
  struct fs_route_slot *cache; /* [FS_NET_CACHE_SLOTS], platform files only */
  char text[256];
};

static inline uint64_t fs_cost_ps(uint64_t bytes, fs_per_byte_t per_byte) {
  return (uint64_t)(((unsigned __int128)bytes * per_byte) / FS_PER_BYTE_ONE);
}

/* net_make.c: sizes, places and prices everything for opts; net->plat is set. On error the
 * caller closes. */
int fs_net_make(struct fs_net *net, const struct fs_net_opts *opts);

/* net_path.c: the way between two different nodes. path->links points into room or into the
 * cache and is good until another pair of nodes is asked for; the two directions of one pair do not
 * disturb each other. */
void fs_net_path(struct fs_net *net, uint32_t src_node, uint32_t dst_node, union fs_path_room *room,
                 struct fs_path *path);
#endif
