/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_amo.h - errands: atomics and signals on words of other nodes, sent as messages to a
 * progress process of the owner's node, which executes them with its processor (docs/adr/0023).
 *
 * Why it exists: processors' atomics and MPI's are not atomic against each other. If words of
 * segments are changed by processors of their owner's node only, the units of that node may use
 * their processors' atomics too, inline, in a job of several nodes.
 *
 * An origin numbers its errands; number n uses slot n modulo FR_ERRANDS_MAX, with a receive that is
 * posted for the answer before the errand leaves. Every errand is answered: the answer is its
 * remote completion. Errands of one origin to one unit go to the same progress process and are
 * executed in the order in which they were posted. A progress process never waits for a unit:
 * answers are sent without waiting, from a bounded pool; while it is used up no errand is taken.
 * When it waits for answers itself (signals behind transfers that were handed over) it goes on
 * executing errands. It does not do so inside collective functions (windows), so nobody enters one
 * with errands, or handed-over signals, on the way. */
#ifndef EYOT_FABRIC_REAL_OPS_REMOTE_AMO_H
#define EYOT_FABRIC_REAL_OPS_REMOTE_AMO_H

#include "fabric_real/endpoint/endpoint.h"

/* of an origin, under way at once; who posts more waits for the oldest */
#define FR_ERRANDS_MAX 64u
/* posted by a progress process; messages beyond them wait inside MPI */
#define FR_ERRAND_RECEIVES 32u
#define FR_ERRAND_ANSWERS 512u /* of a progress process that MPI has not taken yet */
#define FR_ERRANDS_A_ROUND 32u /* before rings have their turn */

/* What an errand does: enum fab_amo_op, or one of these. */
enum { FR_ERRAND_SET = 16, FR_ERRAND_ADD };

/* The message. Its answer is the word's value before, with the slot as tag. */
struct fr_errand {
  uint64_t off; /* in the unit's part */
  uint64_t operand, compare;
  uint32_t seg; /* id */
  uint32_t unit;
  uint32_t what, width;
  uint32_t slot, pad;
};
_Static_assert(sizeof(struct fr_errand) == 48,
               "an errand has no hidden padding: it is sent as bytes");

/* -- all processes (remote_amo.c) -------------------------------------------------------------- */
int fr_errands_check(void);         /* EYOT_ATOMICS against EYOT_PROGRESS. Errors: EINVAL */
int fr_errands_open(struct fr *f);  /* collective over f->wide */
int fr_errands_close(struct fr *f); /* likewise; no errand is on the way any more */
/* Sends what, width, operand and compare of e. op: told of the answer; NULL: fr_errands_drain is.
 * Waits while FR_ERRANDS_MAX are on the way. */
int fr_errand_post(struct fr *f, const struct fr_at *at, const struct fr_errand *e,
                   struct fr_op *op);
int fr_errand_signal(struct fr *f, const struct fr_at *at, enum fab_sig_op what, uint64_t value,
                     struct fr_op *op);
/* whether it has been answered; if so, accounts for it */
int fr_errand_test(struct fr *f, struct fr_op *op, bool *done);
int fr_errand_wait(struct fr *f, struct fr_op *op); /* remotely complete on return */
/* all have been answered on return */
int fr_errands_drain(struct fr *f);

/* -- progress processes (progress/amo_server.c) ------------------------------------------------ */
struct fr_desk;
int fr_desk_open(MPI_Comm comm, struct fr_desk **out);
int fr_desk_close(struct fr_desk *d);
/* executes some, if there are; lets MPI work. *found: how many more */
int fr_errands_serve(struct fr *f, uint32_t *found);

struct fr_errands {
  MPI_Comm comm;        /* of f->wide's processes, for errands and answers alone */
  uint64_t posted;      /* errands so far */
  struct fr_desk *desk; /* of a progress process, else NULL */
  struct fr_out {
    struct fr_errand errand; /* MPI reads it until `sent` is complete */
    uint64_t before;         /* MPI writes it until `answered` is */
    MPI_Request sent, answered;
    struct fr_op *op;
    bool used;
  } out[FR_ERRANDS_MAX];
};
#define FR_ERRAND_TAG ((int)FR_ERRANDS_MAX) /* of errands; answers have their slot's number */
#endif
