/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_amo.h - errands: atomics and signals on words of other nodes, sent as messages to a
 * progress process of the owner's node, which executes them with its processor (docs/adr/0023).
 *
 * Why it exists: processors' atomics and MPI's are not atomic against each other. If words of
 * segments are changed by processors of their owner's node only, the units of that node may use
 * their processors' atomics too, inline, in a job of several nodes.
 *
 * An origin numbers its errands; number n uses slot n modulo FMPI_REMOTE_AMOS_MAX, with a receive
 * that is posted for the answer before the errand leaves. Every errand is answered: the answer is
 * its remote completion. Errands of one origin to one unit go to the same progress process and are
 * executed in the order in which they were posted. A progress process never waits for a unit:
 * answers are sent without waiting, from a bounded pool; while it is used up no errand is taken.
 * When it waits for answers itself (signals behind transfers that were handed over) it goes on
 * executing errands. It does not do so inside collective functions (windows), so nobody enters one
 * with errands, or handed-over signals, on the way. */
#ifndef EYOT_FABRIC_REAL_OPS_REMOTE_AMO_H
#define EYOT_FABRIC_REAL_OPS_REMOTE_AMO_H

#include "fabric_real/endpoint/endpoint.h"

/* of an origin, under way at once; who posts more waits for the oldest */
#define FMPI_REMOTE_AMOS_MAX 64u
/* posted by a progress process; messages beyond them wait inside MPI */
#define FMPI_REMOTE_AMO_RECEIVES 32u
#define FMPI_REMOTE_AMO_ANSWERS 512u   /* of a progress process that MPI has not taken yet */
#define FMPI_REMOTE_AMOS_PER_ROUND 32u /* before rings have their turn */

/* What an errand does: enum fab_amo_op, or one of these. */
enum { FMPI_REMOTE_AMO_SET = 16, FMPI_REMOTE_AMO_ADD };

/* The message. Its answer is the word's value before, with the slot as tag. */
struct fmpi_remote_amo {
  uint64_t off; /* in the unit's part */
  uint64_t operand, compare;
  uint32_t seg; /* id */
  uint32_t unit;
  uint32_t what, width;
  uint32_t slot, pad;
};
_Static_assert(sizeof(struct fmpi_remote_amo) == 48,
               "an errand has no hidden padding: it is sent as bytes");

/* -- all processes (remote_amo.c) -------------------------------------------------------------- */
int fmpi_remote_amos_check(void);           /* EYOT_ATOMICS against EYOT_PROGRESS. Errors: EINVAL */
int fmpi_remote_amos_open(struct fmpi *f);  /* collective over f->wide */
int fmpi_remote_amos_close(struct fmpi *f); /* likewise; no errand is on the way any more */
/* Sends what, width, operand and compare of e. op: told of the answer; NULL: fmpi_remote_amos_drain
 * is. Waits while FMPI_REMOTE_AMOS_MAX are on the way. */
int fmpi_remote_amo_post(struct fmpi *f, const struct fmpi_at *at, const struct fmpi_remote_amo *e,
                         struct fmpi_op *op);
int fmpi_remote_amo_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op what,
                           uint64_t value, struct fmpi_op *op);
/* whether it has been answered; if so, accounts for it */
int fmpi_remote_amo_test(struct fmpi *f, struct fmpi_op *op, bool *done);
int fmpi_remote_amo_wait(struct fmpi *f, struct fmpi_op *op); /* remotely complete on return */
/* all have been answered on return */
int fmpi_remote_amos_drain(struct fmpi *f);

/* -- progress processes (progress/amo_server.c) ------------------------------------------------ */
struct fmpi_amo_server;
int fmpi_amo_server_open(MPI_Comm comm, struct fmpi_amo_server **out);
int fmpi_amo_server_close(struct fmpi_amo_server *d);
/* executes some, if there are; lets MPI work. *found: how many more */
int fmpi_remote_amos_serve(struct fmpi *f, uint32_t *found);

struct fmpi_remote_amos {
  MPI_Comm comm;                  /* of f->wide's processes, for errands and answers alone */
  uint64_t posted;                /* errands so far */
  struct fmpi_amo_server *server; /* of a progress process, else NULL */
  struct fmpi_out {
    struct fmpi_remote_amo amo; /* MPI reads it until `sent` is complete */
    uint64_t before;            /* MPI writes it until `answered` is */
    MPI_Request sent, answered;
    struct fmpi_op *op;
    bool used;
  } out[FMPI_REMOTE_AMOS_MAX];
};
/* of errands; answers have their slot's number */
#define FMPI_REMOTE_AMO_TAG ((int)FMPI_REMOTE_AMOS_MAX)
#endif
