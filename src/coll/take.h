/* SPDX-License-Identifier: BSD-3-Clause */
/* take.h - long blocks within a node that the members who need them copy from where they are, for
 * call.c. See take.c. */
#ifndef EYOT_COLL_TAKE_H
#define EYOT_COLL_TAKE_H

#include "coll/call.h"

/* Whether the call, which has no stages, is to ask for blocks that can be taken. The same on all
 * members with the same arguments. */
bool eyoti_take_is_for(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c);
/* Makes one operation of a blocking call, or one that is all of it. refused: as of
 * eyoti_coll_run. */
typedef int (*eyoti_take_operation)(struct eyot_rt *rt, struct eyoti_team *t,
                                    struct eyoti_coll_call *c, int refused);
/* Makes such a call by operations. Collective, blocking. Errors: as eyoti_coll_run. */
int eyoti_take_run(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                   eyoti_take_operation operation);
#endif
