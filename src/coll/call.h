/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - a collective call as a whole: the state of a team's collectives, rounds, and the memory
 * of plans. For the files of src/coll that define public functions. */
#ifndef EYOT_COLL_CALL_H
#define EYOT_COLL_CALL_H

#include "base/idtab.h"
#include "coll/choose.h"
#include "coll/layout.h"
#include "coll/run.h"

#define EYOTI_PLANS_PLAIN 8u /* plans that a team keeps for calls that are repeated, */
/* those of blocks of several lengths: calls that differ each time drop no others; */
#define EYOTI_PLANS_BLOCKS 4u
/* and those of exchanges of offers (take.c), which come beside the program's calls. */
#define EYOTI_PLANS_KEPT (EYOTI_PLANS_PLAIN + EYOTI_PLANS_BLOCKS + 4u)
/* Plans with more steps are not kept. */
#define EYOTI_PLAN_KEPT_STEPS 512u

/* The last choice for a whole call (select.c), and what it was asked for. function 0: none. */
struct eyoti_coll_asked {
  enum eyoti_coll_function function;
  enum eyoti_coll_form form; /* where lengths are not known */
  enum eyoti_algorithm algorithm;
  uint32_t radix;
  bool any_order;
  uint64_t bytes, direct_from;
};

/* take.c's own: the last call that it was asked about, and calls in vain. */
struct eyoti_coll_take {
  uint64_t bytes;
  uint32_t function;
  bool chosen;
  bool asked, linear; /* whether offers go by a message to each member, once that was asked */
  uint8_t misses;
};

struct eyoti_past; /* past.h */

/* The state of a team's collectives on one unit. */
struct eyoti_coll_team {
  struct eyoti_channel blocking;
  /* The hash of the one-way calls since the last call that compares with all members: it goes into
   * the hash of the next such call, so that this finds differences that no receiver could. */
  uint32_t history;
  uint32_t one_way;        /* so many, */
  struct eyoti_past *past; /* and the last of them (past.h); NULL: none is known */
  struct eyoti_layout layout;
  struct eyoti_coll_asked asked;
  struct eyoti_coll_asked operations; /* of the last call whose lengths not all members know */
  /* Of `kept`, or NULL: those of the last blocking calls that had no other. */
  struct eyoti_plan *last, *before;
  uint64_t uses;
  struct eyoti_coll_take take;
  struct eyoti_plan *kept[EYOTI_PLANS_KEPT];
};

struct eyoti_coll_call;
struct eyoti_request; /* request.h */

/* What is special in a call of several operations one after the other, of which a later one depends
 * on the result of those before; and in one whose buffers are not simple. */
struct eyoti_coll_stages {
  uint32_t count; /* operations */
  /* Turns the call into operation `stage`, 0 to count - 1: sets gen, round_bytes, in, out, and args
   * but for function and form. Local, blocks for nothing. Errors (logged): those for which the
   * member refuses its part of the operation. NULL: the call is its only operation. */
  int (*turn)(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage);
  /* Tells the checker what the call reads and writes, at its start and when it is over, instead of
   * the call's reads and writes; also gives the caller what is not in `out`. NULL: those. */
  void (*touch)(struct eyot_rt *rt, const struct eyoti_team *t, const struct eyoti_coll_call *c,
                bool over);
};

/* Words and bytes of a board. */
struct eyoti_coll_space {
  uint32_t words;
  uint64_t bytes;
};

/* One call, as the functions describe it; in and out are the caller's buffers. Calls of several
 * operations are turned into these in place. */
struct eyoti_coll_call {
  struct eyoti_coll_args args;
  eyoti_plan_gen gen;   /* the generator, where it is not chosen with the plan */
  bool has_gen;         /* nothing is chosen: it is gen, whatever the function */
  bool offers;          /* it is an exchange of offers (take.c), which has plans of its own */
  uint64_t round_bytes; /* bytes of each block that a round moves at most */
  /* Set by eyoti_select_call: its plan sends to private memory, and it compares hashes first, so
   * that no member expects what another does not send. */
  bool direct;
  const void *in;
  void *out;
  /* for the checker: bytes of in and out that the call touches, and what members compare */
  uint64_t reads, writes, seen_bytes;
  const struct eyoti_coll_stages *stages; /* NULL: one operation, of in and out */
  uint32_t stage;                         /* the present operation */
  bool ends;                              /* set by its turn: no other follows */
  uint32_t hash;                          /* of the last operation */
  struct eyoti_coll_space later;          /* that later operations need at most */
  void *own;                              /* memory of the call, which `finish` frees; or NULL */
  void (*finish)(void *own);
  /* Of an exchange in place: copies what it sends, each time that it begins; or NULL. */
  void (*set_aside)(const struct eyoti_coll_call *c);
  /* The public function that made it, of one that goes on in other calls; NULL: the one that runs.
   * For messages. */
  const char *what;
};

/* The form of a call, the handle of those that are not blocking, and the mode of those of
 * global.h. */
struct eyoti_coll_how {
  enum eyoti_coll_form form;
  eyot_coll_t *handle;
  uint32_t sync;
};
#define EYOTI_HOW(form_, handle_) ((struct eyoti_coll_how){EYOTI_COLL_##form_, handle_, 0})

/* The state of the unit's collectives. */
struct eyoti_coll {
  bool check;                /* EYOT_CHECK: each call begins with an agreement */
  uint8_t threads;           /* that `workers` will have, once they are needed; then 0 */
  struct eyoti_costs *costs; /* costs.h; NULL: neither rules nor a machine file are given */
  struct eyoti_idtab ops;    /* lane.c: what handles stand for */
  /* request.c: memory of the request that ended last, where units are processes; or NULL */
  struct eyoti_request *spare;
  struct eyoti_graph *graphs;    /* neighbor.h: those of the unit, by last use, the latest first */
  struct eyoti_workers *workers; /* combine.h; NULL: none, or not needed yet */
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
/* The plan is that of the present call. */
static inline void eyoti_coll_comes(struct eyoti_coll_team *ct, struct eyoti_plan *p) {
  if (p != ct->last) ct->before = ct->last;
  ct->last = p;
}
/* The kept plan of a blocking call that has been made before and had no other operation, or NULL:
 * nothing is chosen then. Given back in the same way. */
struct eyoti_plan *eyoti_coll_again(struct eyoti_coll_team *ct, struct eyoti_coll_call *c);
/* Notes that the call which has ended was such a one; gen: its generator before the choice. */
void eyoti_coll_made_again(struct eyoti_coll_team *ct, struct eyoti_plan *p, eyoti_plan_gen gen);

/* eyoti_combiner_find for the arguments of a call, which may be the last one's again. */
int eyoti_coll_combiner(struct eyot_rt *rt, const struct eyoti_team *t, struct eyoti_coll_args *a);
/* A call in any form: what eyoti_coll_run does, or the start of it, or a plan; and reports to the
 * checker what it reads and writes. `refused`: as there. What the call owns is freed when it ends,
 * or with its handle. Errors: also EINVAL (no handle). */
int eyoti_coll_do(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c, int refused,
                  struct eyoti_coll_how how);

/* Parts of calls, for lane.c too. */
/* Enters the call, and reports what it touches to the checker, if there is one. Errors: those of
 * eyoti_team_enter. */
int eyoti_coll_enter(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     int refused);
/* The same of what a call that is over has written. */
void eyoti_coll_written(struct eyot_rt *rt, const struct eyoti_team *t,
                        const struct eyoti_coll_call *c, const void *out);
/* Turns the call into one of its operations, of which it may have one only. Errors: as of
 * eyoti_coll_stages. */
int eyoti_coll_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage);
static inline bool eyoti_coll_is_last(const struct eyoti_coll_call *c) {
  return c->stages == NULL || c->ends || c->stage + 1 == c->stages->count;
}
static inline void eyoti_coll_finish(const struct eyoti_coll_call *c) {
  if (c->finish != NULL) c->finish(c->own);
}
/* The call of a team of one, all operations. Errors: as of eyoti_coll_turn. */
int eyoti_coll_alone(struct eyoti_coll_call *c, const struct eyoti_team *t);
/* Makes the board that a plan needs, if there is none. Collective, blocking. */
int eyoti_coll_board(struct eyoti_channel *ch, const struct eyoti_plan *p);
static inline bool eyoti_coll_has_board(const struct eyoti_channel *ch,
                                        const struct eyoti_plan *p) {
  return eyoti_channel_has(ch, eyoti_channel_class(ch, p));
}
/* The hash of the call's present operation; what it leaves for later calls. p: its plan, or NULL;
 * then `a` are its args. */
uint32_t eyoti_coll_next_hash(struct eyoti_coll_team *ct, const struct eyoti_coll_call *c,
                              const struct eyoti_plan *p, const struct eyoti_coll_args *a,
                              bool refused);
/* An operation ended so. What a pair has found is in no hash: the next call that compares with all
 * members tells them. */
void eyoti_coll_failed(const struct eyoti_team *t, const struct eyoti_coll_args *a, int rc);
/* Rounds of the call after that of len bytes from byte `at` on. */
uint32_t eyoti_coll_rounds_after(const struct eyoti_coll_call *c, uint64_t at, uint64_t len);
/* Begins the round from byte `at` of the blocks on. *temp: the memory that eyoti_coll_round_end
 * frees. Errors: ENOMEM, the fabric's; the round has begun, and is to be stopped. */
int eyoti_coll_round(struct eyoti_coll_op *r, struct eyoti_channel *ch,
                     const struct eyoti_coll_call *c, const struct eyoti_plan *p, uint32_t hash,
                     uint64_t at, void **temp);
/* Ends a round that is over with rc, and frees temp. */
void eyoti_coll_round_end(const struct eyoti_coll_op *r, const struct eyoti_coll_call *c,
                          uint64_t at, void *temp, int rc);

/* A blocking call. `refused`: 0, or the (logged) error of the caller's arguments, which is returned
 * after the other members know. Collective. Errors: EMISMATCH, ENOMEM, the fabric's. */
int eyoti_coll_run(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                   int refused);
#endif
