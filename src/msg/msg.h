/* SPDX-License-Identifier: BSD-3-Clause */
/* msg.h - the end of two-sided messages, for init/. Their state is made by the first call that uses
 * it. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_MSG_LAYER_H
#define EYOT_MSG_LAYER_H

#include <eyot/msg.h>

#include "rt/rt.h"

/* At the beginning of eyot_finalize: names handles that were not completed. What is on its way goes
 * on in the waits of eyot_finalize. Local. */
void eyoti_msg_ending(struct eyot_rt *rt);
/* After all units have made their last call: names the messages to this unit that were not
 * received, and those of this unit that it could not hand over; frees the state. Local, but for
 * gets of envelopes. Errors: the first of what went on without a call that has returned it. */
int eyoti_msg_stop(struct eyot_rt *rt);
#endif
