/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - the execution of one plan by one member. For call.c and the non-blocking forms. */
#ifndef EYOT_COLL_RUN_H
#define EYOT_COLL_RUN_H

#include "coll/channel.h"

#define EYOTI_TEMP_SMALL 64u /* bytes of TEMP that an operation has itself */

struct eyoti_coll_op {
  struct eyoti_channel *ch;
  const struct eyoti_plan *p; /* NULL: only an opening */
  const struct eyoti_coll_args *args;
  const char *what; /* the program's call that has made it, if it does not block; else NULL */
  const void *site; /* and from where */
  uint32_t number, hash;
  uint32_t last; /* the number of the call's last round: what fails takes the later ones along */
  uint32_t class;
  uint32_t level; /* of the opening; ch->levels: it is over, or there is none */
  bool opens;     /* it has one, which is not over */
  bool all_open;  /* all members are in it, whatever they call */
  bool later;     /* a round of a call of several: members that failed before are not in it */
  bool exchanges; /* it is the control plane's exchange */
  bool never;     /* the operation has begun nowhere: some members are in no collective */
  bool opened;    /* it is over, on all members */
  bool differs;   /* it has shown that the calls of some members differ */
  bool left;      /* the caller has left it: some members are not in it */
  bool sent;      /* the message of the level has been sent */
  bool announced; /* the caller has waited long, and the next member knows its call */
  bool foreign;   /* a look has shown that another member is in another call */
  uint32_t tries; /* of a wait that takes long */
  bool pushes;    /* a message may still be held back by the fabric */
  bool lends;     /* a put from the caller's buffers may not be locally complete */
  uint32_t pc;
  uint32_t next; /* of a plan with code: where the step after the present one begins; 0: none yet */
  uint32_t each; /* members that the present step has served */
  struct eyoti_epoch epoch;
  char *base[EYOTI_BASES];
  uint64_t temp[EYOTI_TEMP_SMALL / 8];
  union {
    struct eyoti_ctl_step step; /* of the exchange, which comes before the plan's steps */
    struct eyoti_step now;      /* the present step of a plan with code */
  };
};

#define EYOTI_HASH_OTHER 0u /* of an opening: the calls of some members differ */
/* A wait so long looks for members in other calls, and again after twice that time. */
#define EYOTI_PATIENCE_NS UINT64_C(10000000)

/* Begins the next operation of a channel, whose board exists. `open`: with a barrier that compares
 * the hashes, in any case; else where safe reuse needs one. in and out are the buffers of the
 * round, temp has the plan's temp_bytes. Does not block but to retire puts. Errors: the fabric's;
 * the operation has begun all the same. */
int eyoti_run_begin(struct eyoti_coll_op *r, struct eyoti_channel *ch, const struct eyoti_plan *p,
                    const struct eyoti_coll_args *args, uint32_t hash, bool open);
void eyoti_run_buffers(struct eyoti_coll_op *r, const void *in, void *out, void *temp);
/* Continues. wait: until its end. Else ETIMEOUT (not logged) where a message is not there yet.
 * Errors: EMISMATCH, the fabric's; the operation is then over, and the others will know. */
int eyoti_run_go(struct eyoti_coll_op *r, bool wait);
/* For an operation that is tested for long: tells other members which call it is, and looks what
 * they have told. If calls differ, the next go returns EMISMATCH. Errors: the fabric's. */
int eyoti_run_look(struct eyoti_coll_op *r);
/* An operation that only compares the hashes of all members. Blocking. */
int eyoti_coll_confirm(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash);
/* An operation that the caller takes no part in, as the others will know. Returns `refused`. */
int eyoti_coll_refuse(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash,
                      int refused);
/* What the operation waits for, after go has returned ETIMEOUT: words of own memory, one of which
 * ends the wait. Returns their number, 1 or 2. Local. */
uint32_t eyoti_run_awaits(const struct eyoti_coll_op *r, struct fab_cond cond[2],
                          const uint64_t *word[2]);
/* Ends it with the error rc, which it returns; the others will know. May block for them: an opening
 * that all are in. */
int eyoti_run_stop(struct eyoti_coll_op *r, int rc);
/* The same without a wait: ETIMEOUT (not logged) while that opening is not over. rc is another. */
int eyoti_run_try_stop(struct eyoti_coll_op *r, int rc);
/* The memory of a reference of the plan. */
static inline char *eyoti_run_at(const struct eyoti_coll_op *r, uint8_t base, uint64_t off) {
  return r->base[base] + (base == EYOTI_BOARD ? eyoti_epoch_data(&r->epoch, off) : off);
}
/* run_local.c: a step that neither sends nor waits. Errors: EMISMATCH (logged): another member
 * sends or expects other lengths. */
int eyoti_run_local(const struct eyoti_coll_op *r, const struct eyoti_step *s);
/* Number r->pc has become the present step. run_local.c: of a plan with code. */
void eyoti_run_decode(struct eyoti_coll_op *r);
static inline void eyoti_run_load(struct eyoti_coll_op *r) {
  if (r->p->code != NULL) eyoti_run_decode(r);
}
#endif
