/* fs_wire.h - what happens to an operation between its post and its completion: injection, delivery, landing, reaping.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FS_WIRE_H
#define EYOT_FS_WIRE_H

#include "fs_world.h"

/* fs_post.c. Hands an operation that is filled in (kind, target, seg, off, len, local, flags FS_F_REQ or 0) to the unit's NIC and lists it; advances the unit's
 * clock by the overhead. May block when too many are in flight. */
void fs_post(struct fs_unit *u, struct fs_op *op);
enum fs_msg fs_msg_of(const struct fs_op *op);
/* Injects every operation of the unit that is due now. */
void fs_post_due(struct fs_unit *u);

/* fs_inject.c. Fixes the times of an operation: prices, order, jitter; schedules its delivery. */
void fs_inject(struct fs_unit *u, struct fs_op *op);

/* fs_deliver.c. The events. */
void fs_deliver_snap(struct fs_world *w, struct fs_op *op);
void fs_deliver_part(struct fs_world *w, struct fs_op *op);
void fs_deliver(struct fs_world *w, struct fs_op *op);
void fs_deliver_land(struct fs_world *w, struct fs_op *op);

/* fs_reap.c. Takes finished operations off the unit's list: the head of it, or all. */
void fs_reap_head(struct fs_unit *u);
void fs_reap_all(struct fs_unit *u);
/* The program has seen the completion of a requested operation: its id is void from now on. */
void fs_reap_retire(struct fs_unit *u, struct fs_op *op);
#endif
