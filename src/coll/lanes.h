/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.h - the channels of a team's calls that are not blocking, and how they are made without a
 * wait: by exchanges in steps, before which such calls stand in a queue. For lane.c. */
#ifndef EYOT_COLL_LANES_H
#define EYOT_COLL_LANES_H

#include "coll/lane.h"
#include "coll/request.h"
#include "gmem/common.h"

struct eyoti_lane {
  struct eyoti_line line; /* first */
  struct eyoti_channel ch;
  uint32_t calls; /* that were started in it */
};

struct eyoti_lanes {
  struct eyoti_ctl_held held; /* first: another exchange of the team waits for ours */
  struct eyot_rt *rt;
  struct eyoti_team *t;
  struct eyoti_lane lane[EYOTI_LANES];
  uint32_t started; /* calls that have a lane, of all members alike */
  uint32_t outstanding;
  bool open;             /* the lanes have their first boards */
  bool watched, watches; /* the lanes, and `making` */
  /* Until they are open: the exchange, and the calls that wait for it. */
  struct eyoti_line making;
  struct eyoti_work exchange; /* the only work there */
  struct eyoti_work *first, *last;
  bool begun;
  struct eyoti_ctl_step step;
  struct eyoti_common boards; /* of all lanes, and of blocking calls if they have none yet */
  struct eyoti_coll_team *coll;
};

#define EYOTI_LANES_WATCHES (EYOTI_LANES + 1u)

/* The state of the team's lanes, which need not be open. Collective; blocks only to tell other
 * members of an error. Errors: ENOMEM. */
int eyoti_lanes_get(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_lanes **out);
/* Of lanes that are not open: the call gets its lane when they are, or their error; q NULL: none.
 * Continues what makes them. Watches are reserved. */
void eyoti_lanes_queue(struct eyoti_lanes *ls, struct eyoti_request *q);
/* Until no call waits for lanes. Blocks. */
void eyoti_lanes_settle(struct eyoti_lanes *ls);
/* Opens them for a call that blocks. Errors: ENOMEM, EMISMATCH, the fabric's. */
int eyoti_lanes_open(struct eyoti_lanes *ls);
/* Between two calls to the fabric: without calls under way nothing is watched. */
void eyoti_lanes_unwatch(struct eyoti_lanes *ls);
void eyoti_lanes_watch(struct eyoti_lanes *ls);
/* Retires what the lanes have sent, and, after all members have done so, frees their memory. */
int eyoti_lanes_retire(struct eyoti_lanes *ls);
void eyoti_lanes_drop(struct eyoti_lanes *ls);
void eyoti_lanes_free(struct eyoti_lanes *ls);

/* lane.c: gives a call that has waited for them its lane. Does not block. */
void eyoti_lane_admit(struct eyoti_lanes *ls, struct eyoti_request *q);
extern const struct eyoti_line_ops eyoti_lane_ops;
#endif
