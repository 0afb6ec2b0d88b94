/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - a collective call as a whole: the state of a team's collectives, rounds, and the memory
 * of plans. For the files of src/coll that define public functions. */
#ifndef EYOT_COLL_CALL_H
#define EYOT_COLL_CALL_H

#include "base/idtab.h"
#include "coll/choose.h"
#include "coll/layout.h"
#include "coll/run.h"

#define EYOTI_PLANS_KEPT 8u /* plans that a team keeps for calls that are repeated */
/* Plans with more steps are not kept. */
#define EYOTI_PLAN_KEPT_STEPS 512u

/* The state of a team's collectives on one unit. */
struct eyoti_coll_team {
  struct eyoti_channel blocking;
  /* The hash of the one-way calls since the last call that compares with all members: it goes into
   * the hash of the next such call, so that this finds differences that no receiver could. */
  uint32_t history;
  struct eyoti_layout layout;
  struct eyoti_lanes *lanes; /* NULL: no call that is not blocking has been started */
  uint64_t uses;
  struct eyoti_plan *kept[EYOTI_PLANS_KEPT];
};

/* One call, as the functions describe it. */
struct eyoti_coll_call {
  struct eyoti_coll_args args;
  eyoti_plan_gen gen;   /* where the function has no choice */
  uint64_t round_bytes; /* bytes of each block that a round moves at most */
  const void *in;
  void *out;
  /* for the checker: bytes of in and out that the call touches, and what members compare */
  uint64_t reads, writes, seen_bytes;
};

/* The form of a call, and the handle of those that are not blocking. */
struct eyoti_coll_how {
  enum eyoti_coll_form form;
  eyot_coll_t *handle;
};
#define EYOTI_HOW(form_, handle_) ((struct eyoti_coll_how){EYOTI_COLL_##form_, handle_})

struct eyoti_lanes; /* lane.h */

/* The state of the unit's collectives. */
struct eyoti_coll {
  bool check;                /* EYOT_CHECK: each call begins with an agreement */
  struct eyoti_rules *rules; /* EYOT_COLL; NULL: it is empty */
  struct eyoti_idtab ops;    /* lane.c: what handles stand for */
};

/* Makes the state of a team's collectives at the first call. Collective, blocking. Errors: ENOMEM,
 * on all members. */
int eyoti_coll_open(struct eyot_rt *rt, struct eyoti_team *t);
/* The plan of a round of len bytes from byte `from` of each block on, by the algorithm that is
 * chosen (select.h). Kept for later calls, or given back by eyoti_coll_plan_done. Errors:
 * ENOMEM. */
int eyoti_coll_plan(struct eyoti_team *t, const struct eyoti_coll_call *c, uint64_t from,
                    uint64_t len, struct eyoti_plan **out);
void eyoti_coll_plan_done(struct eyoti_team *t, struct eyoti_plan *p);

/* A call in any form, of a function whose blocks have one length: what eyoti_coll_run does, or the
 * start of it, or a plan; and reports to the checker what it reads and writes. `refused`: as there.
 * Errors: also EINVAL (no handle). */
int eyoti_coll_do(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c, int refused,
                  struct eyoti_coll_how how);

/* Parts of calls, for lane.c too. */
/* Reports the call and what it touches to the checker, if there is one. */
void eyoti_coll_observe(struct eyot_rt *rt, const struct eyoti_team *t,
                        const struct eyoti_coll_call *c, int refused);
/* The call of a team of one. */
void eyoti_coll_alone(const struct eyoti_coll_call *c);
/* An operation that only compares the hashes of all members. Blocking. */
int eyoti_coll_confirm(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash);
/* An operation that the caller takes no part in, as the others will know. Returns `refused`. */
int eyoti_coll_refuse(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash,
                      int refused);
/* Makes the board that a plan needs, if there is none. Collective, blocking. */
int eyoti_coll_board(struct eyoti_channel *ch, const struct eyoti_plan *p);
static inline bool eyoti_coll_has_board(const struct eyoti_channel *ch,
                                        const struct eyoti_plan *p) {
  return eyoti_channel_has(ch, eyoti_channel_class(ch, p));
}
/* The call's hash; what it leaves for later ones. */
uint32_t eyoti_coll_next_hash(struct eyoti_coll_team *ct, const struct eyoti_coll_args *a,
                              bool refused);
/* Begins the round from byte `at` of the blocks on. *temp: the memory that
 * eyoti_coll_round_end frees. Errors: the round is over, as the others will know. */
int eyoti_coll_round(struct eyoti_coll_op *r, struct eyoti_channel *ch,
                     const struct eyoti_coll_call *c, const struct eyoti_plan *p, uint32_t hash,
                     uint64_t at, void **temp);
/* Ends a round that is over with rc, and frees temp. */
void eyoti_coll_round_end(const struct eyoti_coll_op *r, const struct eyoti_coll_call *c,
                          uint64_t at, void *temp, int rc);

/* A blocking call. `refused`: 0, or the (logged) error of the caller's arguments, which is returned
 * after the other members know. Collective. Errors: EMISMATCH, ENOMEM, the fabric's. */
int eyoti_coll_run(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                   int refused);
#endif
