/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - a call that is not blocking: its handle, its plans, and its operations one after the
 * other in a channel. For lane.c, which gives it the channel and continues it. */
#ifndef EYOT_COLL_REQUEST_H
#define EYOT_COLL_REQUEST_H

#include "coll/call.h"
#include "coll/line.h"
#include "gmem/common.h"

struct eyoti_other; /* lane.h */

/* A call. */
struct eyoti_request {
  struct eyoti_work work;    /* first */
  struct eyoti_line *line;   /* of one that was started; NULL: it needs none */
  struct eyoti_other *other; /* what goes on outside of lanes; else NULL */
  struct eyot_rt *rt;
  struct eyoti_team *t;
  struct eyoti_coll_call asked; /* what the program has asked for, and owns the call's memory */
  struct eyoti_coll_call call;  /* its present operation */
  /* Of the first operation; last: of its last round, if that is shorter and differs in no more. */
  struct eyoti_plan *plan, *last;
  struct eyoti_plan *piece; /* of the present round, if it has one of its own */
  eyot_coll_t handle;
  const void *site; /* where asked.what was called */
  uint32_t number;  /* of the start among the team's calls (teams.h) */
  bool started;     /* and not completed */
  bool persistent;
  bool counted;             /* its hash is known, which those of later calls depend on */
  bool fresh;               /* it has begun no operation */
  bool compares;            /* its next operation only compares hashes */
  uint32_t makes;           /* the class of the board on which its next operation agrees; 0: none */
  struct eyoti_plan *agree; /* of these operations, if a board may be needed */
  struct eyoti_common board;
  uint64_t word; /* what they combine */
  bool begun;    /* op is an operation that has begun */
  int refused;   /* the error for which the member refuses its part of it, or of the next one */
  uint64_t at;   /* bytes of each block that have been moved */
  void *temp;    /* of the round */
  struct eyoti_coll_op op;
};

/* Whether a comparison of hashes goes before the rounds of its operation. */
static inline bool eyoti_request_is_long(const struct eyoti_request *q) {
  return q->call.args.bytes > q->call.round_bytes || q->call.direct;
}

/* Errors: EBUSY (no handle is left), ENOMEM. */
int eyoti_request_new(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                      struct eyoti_request **out);
/* Frees it, its handle, and what the call owns. */
void eyoti_request_free(struct eyoti_request *q);
/* The request of a handle. Errors: EINVAL. */
int eyoti_request_get(struct eyot_rt *rt, eyot_coll_t handle, struct eyoti_request **out);
/* Makes the plans of all rounds of the first operation, but for those of pieces of blocks of
 * several lengths. Local. Errors: ENOMEM. */
int eyoti_request_plans(struct eyoti_request *q);
/* Takes what the call needs to make larger boards in its lane, if it may need some. Local. Errors:
 * ENOMEM. */
int eyoti_request_reserve(struct eyoti_channel *ch, struct eyoti_request *q);
/* Continues the call; wait: until it is over. Errors: ETIMEOUT (not logged): it is not over; those
 * of the collective. */
int eyoti_request_go(struct eyoti_channel *ch, struct eyoti_request *q, bool wait);
#endif
