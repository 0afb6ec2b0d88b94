/* SPDX-License-Identifier: BSD-3-Clause */
/* opening.h - an operation's opening as an exchange of the control plane, where that goes by nodes
 * or by a central counter, and so is quicker than an opening by the channel's own words. For
 * run.c. */
#ifndef EYOT_COLL_OPENING_H
#define EYOT_COLL_OPENING_H

#include "coll/run.h"

/* The whole opening; blocks, so it is for a team's blocking channel only. r->differs: the hashes,
 * or the numbers, of some members differ. Errors: EMISMATCH (r->never: some members are in another
 * collective function; or another member has told of a failure), the fabric's. */
int eyoti_opening_exchange(struct eyoti_coll_op *r);

/* run.c. Waits for `cond` or for the news of a failure (EMISMATCH), and now and then looks for
 * members that wait in earlier operations; and whether schedules are explored, where no wait has an
 * end. */
int eyoti_run_wait(struct eyoti_coll_op *r, const struct fab_cond *cond);
bool eyoti_run_explores(const struct eyoti_coll_op *r);
#endif
