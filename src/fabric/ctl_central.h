/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl_central.h - the exchange by a central counter, for members that share a node and its
 * processors; inside the control plane (ctl.c) only.
 *
 * Why it exists: dissemination takes ceil(log2 p) rounds, and a member that has to wait for its
 * turn of a processor waits once a round. Where there are more units than processors that is most
 * of the time, so members count instead: each adds itself to one word at member 0, and the last one
 * notifies all others. So each member waits at most once.
 *
 * All members must use the counter or none. So the choice depends on nothing that an endpoint in
 * front of the fabric's changes: an exchange that is counted or runs beside an open split-phase
 * barrier uses it too, and an endpoint that counts sees only its wait. */
#ifndef EYOT_FABRIC_CTL_CENTRAL_H
#define EYOT_FABRIC_CTL_CENTRAL_H

#include "fabric/ctl_parts.h"

#define EYOTI_CTL_CENTRAL_LEAST 3u  /* members; two notify each other in one round */
#define EYOTI_CTL_CENTRAL_MOST 256u /* the last one notifies the others one by one */

/* True if the exchanges of this set use the counter. The same for all members, at any time.
 * Local. */
bool eyoti_ctl_central_applies(struct fab *f, const struct eyoti_ctl *c);
/* Enters the exchange c->seq. s->round is 1 afterwards if the caller was the last; then words and
 * shape are those of all. Does not block. Errors, before any member is notified: the fabric's. */
int eyoti_ctl_central_enter(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s);
/* Takes the words and the shape that the last one has left: its flag has been seen, with
 * acquire. */
void eyoti_ctl_central_take(struct eyoti_ctl_step *s, uint64_t flag);
#define EYOTI_CTL_CENTRAL_FLAG_OFF 0u /* in a block */
#endif
