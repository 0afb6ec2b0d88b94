/* SPDX-License-Identifier: BSD-3-Clause */
/* op_stages.h - what happens to an operation between its post and its completion: injection,
 * delivery, landing, reaping. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OP_STAGES_H
#define EYOT_FABRIC_SIM_ENGINE_OP_STAGES_H

#include "fabric_sim/engine/world.h"

/* post.c. Hands an operation that is filled in (kind, target, seg, off, len, local, flags
 * FS_F_REQ or 0) to the unit's NIC and lists it; advances the unit's clock by the overhead. May
 * block when too many are in flight. */
void fs_post(struct fs_unit *u, struct fs_op *op);
/* Appends it to the unit's list of unfinished operations. */
void fs_post_list(struct fs_unit *u, struct fs_op *op);
enum fs_msg fs_msg_of(const struct fs_op *op);
/* Injects every operation of the unit that is due now. */
void fs_post_due(struct fs_unit *u);

/* inject.c. Fixes the times of an operation: prices, order, jitter; schedules its delivery. */
void fs_inject(struct fs_unit *u, struct fs_op *op);

/* deliver.c. The events. */
void fs_deliver_snap(struct fs_world *w, struct fs_op *op);
void fs_deliver_part(struct fs_world *w, struct fs_op *op);
void fs_deliver(struct fs_world *w, struct fs_op *op);
void fs_deliver_land(struct fs_world *w, struct fs_op *op);
/* What these are made of, for deliveries without time (explore/untimed_op.c). The target memory, or
 * NULL after noting the error in the operation. */
void *fs_deliver_target(struct fs_world *w, struct fs_op *op, uint32_t seg, uint64_t off,
                        uint64_t len);
/* The part in which word i of the payload (counted in aligned words of the target) is, and copying
 * the words of one part. */
uint64_t fs_deliver_part_of(const struct fs_op *op, uint64_t i);
void fs_deliver_copy(const struct fs_op *op, unsigned char *to, const unsigned char *from,
                     uint32_t part);
/* The signal acts on its word. */
void fs_deliver_signal(struct fs_unit *t, uint64_t *word, const struct fs_op *op);
/* The atomic acts, and notes the value before. */
void fs_deliver_amo(struct fs_world *w, struct fs_op *op);
void fs_deliver_note(struct fs_unit *t, const void *word, uint32_t origin);
/* Memory for a payload that does not travel inside the operation; panics if there is none. And its
 * end. */
unsigned char *fs_deliver_room(uint64_t len);
void fs_deliver_drop(struct fs_op *op);

/* reap.c. Takes finished operations off the unit's list: the head of it, or all. */
void fs_reap_head(struct fs_unit *u);
void fs_reap_all(struct fs_unit *u);
/* One that is over. It is given back unless the program holds a request for it. */
void fs_reap_one(struct fs_unit *u, struct fs_op *op);
/* The program has seen the completion of a requested operation: its id is void from now on. */
void fs_reap_retire(struct fs_unit *u, struct fs_op *op);
#endif
