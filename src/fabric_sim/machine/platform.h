/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.h - descriptions of machines: shape, links and costs. Turns the text of --platform into
 * a struct, for net.c and net_make.c, which build the machine; the presets are in presets.def.
 *
 * Why it exists: every figure of a preset has one place and one source, apart from the code that
 * uses it. Units: latencies in picoseconds; the cost of a byte in 1/1024 picosecond
 * (sim_per_byte_t), so that 5.25 GB/s is 195,048 and exact to six digits. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/model.h"

typedef uint64_t sim_per_byte_t;
#define SIM_PER_BYTE_ONE 1024u
#define SIM_PS_PER_S 1000000000000ull
#define SIM_NS(ns) ((uint64_t)((ns)*1000))
#define SIM_GBPS(gb_per_s) ((uint64_t)((gb_per_s)*1e9))

enum sim_plat_kind { SIM_PLAT_DRAGONFLY = 0, SIM_PLAT_TORUS, SIM_PLAT_TREE, SIM_PLAT_XML };

/* Of a Dragonfly: net_route.c; the words of the key are in this order. */
enum sim_routing { SIM_ROUTING_MINIMAL = 0, SIM_ROUTING_VALIANT, SIM_ROUTING_ADAPTIVE };

/* Operations in the order of enum sim_msg (net.h). */
#define SIM_KINDS 3u
#define SIM_REACHES 2u

/* Paths that touch no NIC. */
enum sim_intra { SIM_INTRA_SELF = 0, SIM_INTRA_NUMA, SIM_INTRA_NODE, SIM_INTRA_COUNT };

/* The costs of an operation, links apart.
 *   put:     overhead | tx | router | hops | rx -> target;  target | router | hops | ack -> done
 *   get:     overhead | tx | router | hops | rx | read -> target; target | respond | router | hops
 *            | rx_get -> done
 *   atomic:  overhead | tx | router | hops | rx | (its turn) amo -> target; target | router | hops
 *            | ack -> done
 * Bytes are added once, at the slowest of NICs and links. Within a node: overhead (with the copy) |
 * latency -> target, done. */
struct sim_prices {
  uint64_t overhead_ps[SIM_KINDS]; /* o: CPU time to post, to another node */
  uint64_t overhead_word_ps;       /* o of each further word of an atomic on an array */
  uint64_t own_ps;   /* o of an atomic within a node of a job of several, beyond that of one */
  uint64_t flush_ps; /* CPU time of a flush, beyond local_ps */
  /* latency of the NICs: post to head on the wire; head off the wire to visible */
  uint64_t tx_ps, rx_ps;
  uint64_t gap_ps; /* g: least distance between two messages at one NIC */
  /* the router that every message crosses, even between nodes of one blade */
  uint64_t router_ps;
  /* from the last router back at the origin to the completed request */
  uint64_t ack_ps;
  /* get: request at the target to memory read; read to head of the response on the wire */
  uint64_t read_ps, respond_ps;
  uint64_t rx_get_ps;          /* get: response off the wire to completed */
  uint64_t amo_ps, amo_gap_ps; /* atomic at the target's NIC: latency; least distance between two */
  uint64_t add_ps; /* an adding signal at the target's NIC, in turn with atomics; 0: as a put */
  /* instead of rx_ps, of the program's signals without bytes, and of the runtime's own messages */
  uint64_t signal_rx_ps, message_ps;
  uint64_t after_ps;          /* a signal with bytes: later than a put of them; 0: seen together */
  uint64_t intra_overhead_ps; /* o within a node, without the copy */
  uint64_t intra_ps[SIM_INTRA_COUNT]; /* store to visible, or a load's miss */
  uint64_t late_ps, late_node_ps;     /* --order rdma: the most by which an operation is late */
  uint64_t local_ps;                  /* a step that affects the unit's core only: empty call */
  uint64_t poll_ps;                   /* a check of a word that the unit waits for */
  uint64_t complete_ps; /* seeing that an operation that the unit waits for is complete */
  uint64_t call_ps;     /* a collective call, the fabric's operations apart; 0: nothing */
  /* within a node, of gets and atomics: o; the time beyond it */
  uint64_t intra_get_overhead_ps, intra_amo_overhead_ps;
  uint64_t load_ps[SIM_INTRA_COUNT];
  /* o of a put with signal beyond that of a put: within a node, to another one */
  uint64_t signal_ps, far_signal_ps;
  uint64_t node_message_ps;        /* the same of the runtime's own messages, within a node */
  uint64_t first_ps;               /* o of a unit's first operation to another node, beyond that */
  uint64_t serve_ps, serve_amo_ps; /* CPU time of the target for an operation from another node */
  uint64_t
      line_ps[SIM_KINDS]; /* o of a get or atomic of a cache line that another unit used last */
  /* o of an operation of up to a line, which the unit used too long ago: beyond each reach */
  uint64_t far_ps[SIM_REACHES][SIM_KINDS];
  uint64_t page_ps; /* o of the first operation of a unit on a page of its node */
  /* 1/G of the NICs: payload of puts; of responses */
  uint64_t nic_put_bytes_per_s, nic_get_bytes_per_s;
  /* one core copying: the bytes of a copy up to cache[0], from there up to cache[1], beyond; by a
   * put, by a get */
  uint64_t cache_bytes_per_s[2], copy_bytes_per_s;
  uint64_t get_cache_bytes_per_s[2], get_copy_bytes_per_s;
  /* one NUMA domain, all its cores together, reads and writes added */
  uint64_t memory_bytes_per_s;
};

struct sim_link_price {
  uint64_t bytes_per_s, lat_ps;
};

#define SIM_GIVEN_WORDS 2u
#define SIM_PLAT_MACHINE_END ".machine" /* of the path of a machine file */
#define SIM_PLAT_DIMS 3u
#define SIM_PLAT_CLASSES 3u /* Dragonfly: green, black, blue; torus: x, y, z; fat tree: levels */

/* Where the values of some keys are from. */
struct sim_source {
  const char *keys; /* separated by spaces; NULL: after the last one */
  const char *text;
};

struct sim_plat {
  enum sim_plat_kind kind;
  const char *name;  /* a preset's, or the text of --platform for a file of either kind */
  uint32_t path_len; /* characters of `name` that are the file's path */
  uint64_t given[SIM_GIVEN_WORDS];  /* a bit for each row of platform_keys.def that the user sets */
  bool measured;                    /* the figures are those of a machine file */
  const struct sim_source *sources; /* NULL: none is known */
  const char *model;                /* "Cray XC40, Aries" */
  uint32_t cores, numa, nodes;      /* cores per node, NUMA domains per node, nodes per router */
  /* Dragonfly: routers = chassis * blades per group; groups 0: as many as the units need; blue:
   * channels between two groups, 0: as many as the ports allow */
  uint32_t groups, chassis, blades, blue, ports;
  uint32_t size[SIM_PLAT_DIMS]; /* torus: routers along x, y, z; 0: as many as the units need */
  /* fat tree: levels of switches, and of each level the children of a switch, the parents of a
   * child and the cables between the two; 0 beyond `levels`; children[0] is `nodes` */
  uint32_t levels, children[SIM_PLAT_CLASSES], parents[SIM_PLAT_CLASSES], cables[SIM_PLAT_CLASSES];
  uint32_t progress; /* 1: operations from other nodes need their target in a call of eyot */
  bool fixed;        /* the user has given a size: a larger job does not enlarge the machine */
  uint32_t routing;  /* enum sim_routing */
  uint32_t packet;   /* bytes */
  uint32_t cache[2]; /* sizes of a copy at which its rate changes; 0: none */
  /* bytes of cache lines after which a unit has lost a line to the next cache, memory; 0: never */
  uint32_t reach[SIM_REACHES];
  struct sim_link_price link[SIM_PLAT_CLASSES];
  struct sim_prices price;
};

/* Reads NAME or NAME:KEY=VALUE,..., where NAME is that of a preset (presets.def) or a path: of a
 * machine file (ends in .machine; platform_file.h) or a SimGrid platform (ends in .xml or contains
 * a '/'), and the keys are those of platform_keys.def. Errors: EINVAL (says key or line, value and
 * what is expected), ESYS (a machine file cannot be read). out->name points into `text`. */
int sim_plat_parse(const char *text, struct sim_plat *out);
/* Whether NAME is the path of a SimGrid platform, which only SimGrid can read (simgrid.h). */
bool sim_plat_is_simgrid(const char *text);

/* Returns the number of channels between each two of `groups` groups: blue, or what the ports
 * allow; at least 1 when the ports suffice, else 0. */
uint32_t sim_plat_blue(const struct sim_plat *p, uint32_t groups);
/* The nodes of a machine whose size the user has given; 0: it grows with the job. */
uint64_t sim_plat_fixed_nodes(const struct sim_plat *p);

/* What messages cost on the machine. */
void sim_plat_model(const struct sim_plat *p, struct fab_model *out);

/* Returns the cost of a byte at this rate; 0 for rate 0 (no limit). */
sim_per_byte_t sim_plat_per_byte(uint64_t bytes_per_s);
#endif
