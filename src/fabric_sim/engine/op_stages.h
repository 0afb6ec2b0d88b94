/* SPDX-License-Identifier: BSD-3-Clause */
/* op_stages.h - the stages of an operation between its post and its completion: injection,
 * delivery, landing, reaping. For the files of engine/; fault/ and explore/ use the parts of
 * delivery and reaping.
 *
 * Why it exists: the timed engine schedules each stage as an event, and the untimed engine executes
 * the same memory effects when a strategy picks them. Each group of functions names its file. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OP_STAGES_H
#define EYOT_FABRIC_SIM_ENGINE_OP_STAGES_H

#include "fabric_sim/engine/world.h"

static inline enum sim_msg sim_msg_of_kind(enum sim_op_kind kind) {
  return kind == SIM_OP_GET ? SIM_MSG_GET : kind == SIM_OP_AMO ? SIM_MSG_AMO : SIM_MSG_PUT;
}
static inline enum sim_msg sim_msg_of(const struct sim_op *op) {
  return sim_msg_of_kind((enum sim_op_kind)op->kind);
}

/* Returns the bytes that the operation puts on the wire, or asks for. */
static inline uint64_t sim_bytes_of(const struct sim_op *op) {
  return op->kind == SIM_OP_AMO ? op->width : op->kind == SIM_OP_SIGNAL ? op->len + 8 : op->len;
}

/* inject.c. Fixes the times of an operation (cost, order, jitter) and schedules its delivery. */
void sim_inject(struct sim_unit *u, struct sim_op *op);
/* The parts of it, for flow.c: with times that the network gives at once; with those that it gave;
 * of a get whose response's times are not known. */
void sim_inject_whole(struct sim_unit *u, struct sim_op *op);
void sim_inject_timed(struct sim_unit *u, struct sim_op *op, struct sim_timing *times);
void sim_inject_request(struct sim_unit *u, struct sim_op *op, struct sim_timing *times);
/* Copies the source of a small put into the operation. */
void sim_inject_keep(struct sim_op *op);
/* Injects every operation of the unit that is due now. */
void sim_inject_due(struct sim_unit *u);
/* Schedules sim_inject_due for the first operation that is not due yet. */
void sim_inject_arm(struct sim_unit *u);

/* deliver.c. The events, as the main loop calls them. */
void sim_deliver_snap(struct sim_world *w, struct sim_op *op);
void sim_deliver_part(struct sim_world *w, struct sim_op *op);
void sim_deliver(struct sim_world *w, struct sim_op *op);
void sim_deliver_land(struct sim_world *w, struct sim_op *op);
/* The parts of a delivery, also for the untimed engine (explore/untimed_op.c). sim_deliver_target
 * returns the target memory, or NULL after it has stored the error in the operation. */
void *sim_deliver_target(struct sim_world *w, struct sim_op *op, uint32_t seg, uint64_t off,
                         uint64_t len);
/* sim_deliver_part_of returns the part that contains word i of the payload (counted in aligned
 * words of the target); sim_deliver_copy copies the words of one part. */
uint64_t sim_deliver_part_of(const struct sim_op *op, uint64_t i);
void sim_deliver_copy(const struct sim_op *op, unsigned char *to, const unsigned char *from,
                      uint32_t part);
/* Applies the signal to its word. */
void sim_deliver_signal(struct sim_unit *t, uint64_t *word, const struct sim_op *op);
/* Executes the atomic, and stores the value before in the operation. */
void sim_deliver_amo(struct sim_world *w, struct sim_op *op);
/* Records that unit `origin` has written these bytes of a word of the unit; of a put, after
 * its last part. */
void sim_deliver_note(struct sim_unit *t, const void *p, uint64_t len, uint32_t origin);
void sim_deliver_wrote(struct sim_unit *t, const void *p, uint64_t len, uint32_t origin);
/* Allocates memory for a payload that is not stored inside the operation, and frees it; panics if
 * there is none. */
unsigned char *sim_deliver_alloc(uint64_t len);
void sim_deliver_drop(struct sim_op *op);

/* reap.c. Removes finished operations from the unit's list: those at its head, or all. */
void sim_reap_head(struct sim_unit *u);
void sim_reap_all(struct sim_unit *u);
/* Removes what is over after a flush: costs no more than that, however many are in flight. */
void sim_reap_over(struct sim_unit *u);
/* Removes one that is over, and returns it to the pool unless the program holds a request for
 * it. */
void sim_reap_one(struct sim_unit *u, struct sim_op *op);
/* The program has seen the completion of a requested operation: its request is void from now on. */
void sim_reap_retire(struct sim_unit *u, struct sim_op *op);
/* The program gives its request back; the operation goes on as one without. */
void sim_reap_release(struct sim_unit *u, struct sim_op *op);
/* Returns the first error of an operation without request that a flush of `set` and `unit` covers,
 * FAB_LOCAL: of one with a result; each error is returned once. */
int sim_reap_errors(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
/* Frees what it has kept for the unit. */
void sim_reap_fini(struct sim_unit *u);
#endif
