/* SPDX-License-Identifier: BSD-3-Clause */
/* lane.h - calls that are not blocking: those that go on inside others, and plans that are started
 * again and again. For call.c and neighbor.c. lane.c says how they share channels. */
#ifndef EYOT_COLL_LANE_H
#define EYOT_COLL_LANE_H

#include "coll/call.h"
#include "coll/line.h"

#define EYOTI_LANES 4u        /* of a team: so many of its calls go on at a time */
#define EYOTI_OUTSTANDING 64u /* calls of a team that were started and not yet completed */

/* Starts the call; *handle stands for it then. `refused`: 0, or the (logged) error of the caller's
 * arguments, which is returned after the other members know. Collective; blocks only then, and in
 * one of 65,536 calls of a lane. Errors: also EBUSY (too many are outstanding), EINVAL (handle is
 * NULL). */
int eyoti_lane_start(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     int refused, eyot_coll_t *handle);
/* Makes a handle of a call that eyoti_lane_restart starts. Local. Errors: `refused`, EINVAL,
 * ENOMEM, EBUSY (no handle is left). */
int eyoti_lane_plan(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                    int refused, eyot_coll_t *handle);

/* A call that goes on in another line than those of lanes (coll/neighbor.h), as its handle needs
 * it. */
struct eyoti_other {
  struct eyoti_work work; /* first */
  struct eyoti_line *line;
  int (*start)(struct eyoti_other *o);      /* of a plan: adds it to its line, or refuses */
  void (*completed)(struct eyoti_other *o); /* the program knows that it is over */
  void (*drop)(struct eyoti_other *o);      /* its handle ends: frees it */
};
/* Makes a handle of it, which is a plan if c->args.form is persistent, else has been started; of
 * `c` it needs the function, `out` and `writes`. Local. Errors: ENOMEM, EBUSY (no handle is
 * left). */
int eyoti_lane_other(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     struct eyoti_other *other, eyot_coll_t *handle);

/* Before a team's state is dropped: ends what its lanes have sent, if they are open: EBUSY on all
 * members then if one of them has a call that it has not completed, or a plan. Lanes that are not
 * open, which some members may have alone, it frees unless such calls need them. Collective,
 * blocking. */
int eyoti_lane_close(struct eyot_rt *rt, struct eyoti_team *t);
/* At finalize: completes what is outstanding, and warns of it. */
void eyoti_lane_stop(struct eyot_rt *rt);
#endif
