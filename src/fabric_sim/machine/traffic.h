/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - other jobs' traffic on the links and NICs of the machine (--traffic). For net_*.c and
 * carry.c.
 *
 * Why it exists: a production machine is shared, and published figures have its traffic in them.
 * Time is cut into slots at each place, and each slot has one message of other jobs at a drawn
 * time, so that these take the given share of the place. Where the message of a slot lies is a
 * function of seed, place and slot; it is reserved when a message of the program comes by. So it
 * costs no events, and a place that nobody uses costs nothing. Other jobs do not slow down for the
 * program's sake. */
#ifndef EYOT_FABRIC_SIM_MACHINE_TRAFFIC_H
#define EYOT_FABRIC_SIM_MACHINE_TRAFFIC_H

#include "fabric_sim/machine/net_tables.h"

#define SIM_TRAFFIC_MOST 90u /* percent of a place */
#define SIM_TRAFFIC_BYTES 8192u

/* The shares of --traffic, in percent. */
struct sim_traffic_shares {
  uint32_t link[SIM_PLAT_CLASSES]; /* by class; [0]: of a platform file */
  uint32_t nic;                    /* of each direction */
  uint32_t bytes;                  /* of a message */
};

/* Reads CLASS=PERCENT,...[,bytes=N]. Errors: EINVAL (logs the key and what is expected). */
int sim_traffic_parse(const char *text, const struct sim_plat *plat,
                      struct sim_traffic_shares *out);

/* Of one kind of places. */
struct sim_traffic_load {
  uint64_t slot_ps; /* 0: none */
  uint64_t span_ps; /* of its message */
};

struct sim_traffic {
  uint64_t seed;
  struct sim_traffic_load nic;
  struct sim_traffic_load *wire; /* as net->wires */
  struct sim_traffic_shares shares;
  /* the first slot of each place whose message is not reserved: links, NICs out, NICs in */
  uint64_t *next;
};

/* The machine's tables are there. Errors: EINVAL, ENOMEM. */
int sim_traffic_open(struct sim_net *net, const char *text);
void sim_traffic_close(struct sim_net *net);
/* A run with this seed begins. */
void sim_traffic_begin(struct sim_net *net, uint64_t seed);
/* Returns what other jobs leave of a rate. */
uint64_t sim_traffic_left(uint64_t bytes_per_s, uint32_t percent);

/* Reserves the messages of other jobs that have come to the place by at_ps. */
void sim_traffic_reach(struct sim_traffic *x, struct sim_res *r, uint64_t place,
                       const struct sim_traffic_load *load, uint64_t at_ps, uint64_t now_ps);
#endif
