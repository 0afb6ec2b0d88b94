/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - where units are: on which node of the job, and where these nodes are in the machine
 * (--placement, --node-placement). For net_size.c and net_make.c.
 *
 * Why it exists: that unit u runs on node u / units-per-node is one placement of several, and a
 * program that relies on it shows so with another one. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLACE_H
#define EYOT_FABRIC_SIM_MACHINE_PLACE_H

#include "fabric_sim/machine/net_tables.h"
#include "fabric_sim/machine/place_file.h"

enum sim_placement { SIM_PLACE_PACKED = 0, SIM_PLACE_CYCLIC, SIM_PLACE_RANDOM, SIM_PLACE_FILE };
enum sim_node_placement { SIM_NODES_PACKED = 0, SIM_NODES_SPREAD, SIM_NODES_RANDOM };

struct sim_place {
  enum sim_placement units;
  enum sim_node_placement nodes;
  uint64_t units_seed, nodes_seed; /* of RANDOM */
  struct sim_place_file file;      /* FILE: nodes of the machine */
};

/* Reads the texts of the options (NULL: packed) and the file. Errors: EINVAL, ESYS (log the option
 * or the file's line, and what is expected), ENOMEM. The caller calls sim_place_fini anyway. */
int sim_place_read(const struct sim_net_opts *opts, struct sim_place *out);
void sim_place_fini(struct sim_place *p);

/* A preset: sets net->n_nodes, and *needed: how many nodes the machine must have at
 * least. Errors: ENOMEM. */
int sim_place_nodes(struct sim_net *net, const struct sim_place *p, uint64_t *needed);
/* Writes the job's nodes as nodes of a preset of `machine` nodes. Errors: ENOMEM. */
int sim_place_in_machine(const struct sim_net *net, const struct sim_place *p, uint32_t machine,
                         uint32_t *at);
/* Puts units on nodes and in NUMA domains. cap[node]: units that fit; cores[node]: its cores, NULL:
 * those of the platform; at: the nodes' numbers in the machine. Errors: EINVAL (more units on a
 * node of the file than fit), ENOMEM. */
int sim_place_units(struct sim_net *net, const struct sim_place *p, const uint32_t *cap,
                    const uint32_t *cores, const uint32_t *at);
#endif
