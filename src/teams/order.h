/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h - whether the members of a team call its collective functions in one order. For the
 * functions of all layers that are collective over a team, and for waits that take long.
 *
 * Why it exists: functions that exchange messages by the same words find a difference in these.
 * Members in functions of different words would wait for each other for ever. The simulator sees
 * that nothing can change; over MPI a unit that waits long in a collective call tells the other
 * members which call that is, and looks what they have told it. order.c says when calls differ. */
#ifndef EYOT_TEAMS_ORDER_H
#define EYOT_TEAMS_ORDER_H

#include "teams/teams.h"

/* NULL: no memory (logged). */
struct eyoti_calls *eyoti_calls_make(void);

/* Bytes of the memory in which the other units tell of their calls, which must be zero. */
uint64_t eyoti_order_bytes(const struct fab *f);
/* Makes the unit's state; its memory is at the same offset of the segment on every unit. Local.
 * Errors: ENOMEM. */
int eyoti_order_start(struct eyot_rt *rt, fab_seg_t seg, uint64_t off, char *own);
void eyoti_order_stop(struct eyot_rt *rt);

/* The caller has found that members are in different calls, and makes no further one: those that
 * wait for it learn of it. */
void eyoti_order_part(struct eyot_rt *rt, const struct eyoti_team *t);

/* Whether the team's members are apart, also if the caller has not learnt of it in a call. The same
 * on all members of a team of up to 64 after the first meeting of eyot_finalize. */
bool eyoti_order_is_apart(const struct eyoti_team *t);

/* For a wait of the call that runs which takes long, after each time-out: tells the other members,
 * and looks. EMISMATCH (logged): calls of members differ, and what is waited for may never come. */
int eyoti_order_look(struct eyot_rt *rt);
/* For a call that is repeated until others have done something: whether it is time to look, as it
 * is now and then. */
bool eyoti_order_due(struct eyot_rt *rt);
/* Looks then. */
int eyoti_order_poll(struct eyot_rt *rt);
#endif
