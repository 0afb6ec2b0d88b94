/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h - long messages of the timed engine on a shared network (--network shared): the pieces of
 * a flow, and what waits for their end. For inject.c, deliver.c, the waits and the lists in flight.
 *
 * Why it exists: when a long message arrives depends on those that share its way, which may be
 * posted later, so its times are not known when the NIC accepts it. Each piece is reserved when it
 * may be sent; with the last one the times are known. Until then the operation is "open"
 * (SIM_F_INJECTED is not set): waits for it block, and an operation that must come after it is held
 * back until that event, never until a provisional time.
 *
 * A flow is the messages of one direction of a record (target.h): the puts of a set to a target, or
 * the responses to its gets. They go one after another. */
#ifndef EYOT_FABRIC_SIM_ENGINE_FLOW_H
#define EYOT_FABRIC_SIM_ENGINE_FLOW_H

#include "fabric_sim/engine/world.h"

/* Of one direction. */
struct sim_flow {
  /* the operation whose pieces are being sent, or SIM_OP_NONE, and the last one; linked by `cut` */
  uint32_t head, tail;
  uint64_t done;      /* its bytes that are reserved */
  uint64_t arrive_ps; /* when the last of them arrives */
  uint64_t next_ps;   /* when the next piece may be sent */
};

/* Of a record that has, or had, long or held operations. */
struct sim_flows {
  struct sim_flow way[2]; /* puts; responses to gets */
  uint32_t open;          /* operations whose times are not known, those held back included */
  uint32_t late;   /* those of them that are not known to arrive: all but gets on their way */
  uint32_t fenced; /* those of the late that an order came after */
  uint32_t next;   /* free ones are linked */
};

void sim_flow_fini(struct sim_flow_pool *p);
/* Injection on a shared network: the operation is long, or comes after one that is late, so its
 * times will be known later. False: they can be fixed now. */
bool sim_flow_takes(struct sim_unit *u, struct sim_op *op);
/* The event SIM_EV_PIECE of the operation at the head of its flow. */
void sim_flow_piece(struct sim_world *w, struct sim_op *op);
/* The target's memory has been read for an open get: its response is sent. */
void sim_flow_respond(struct sim_world *w, struct sim_op *op);
/* An order has come after the open operation, which is marked with it. */
void sim_flow_order(struct sim_unit *u, struct sim_op *op);
/* Blocks until the times of the operation are known, or of all that the set and unit cover and that
 * are not complete at the level. */
void sim_flow_await(struct sim_unit *u, const struct sim_op *op);
void sim_flow_await_all(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
/* The record, which has flows, becomes void. */
void sim_flow_end(struct sim_world *w, struct sim_target *t);

static inline bool sim_flow_is_open(const struct sim_op *op) {
  return (op->flags & SIM_F_INJECTED) == 0;
}
#endif
