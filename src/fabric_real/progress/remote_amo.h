/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_amo.h - remote AMOs: atomics and signals on words of other nodes, sent as messages to a
 * progress process of the owner's node, whose processor executes them (docs/adr/0023).
 *
 * Why it exists: processors' atomics and MPI's are not atomic against each other. If words of
 * segments are changed by processors of their owner's node only, the units of that node may use
 * their processors' atomics too, inline, in a job of several nodes. remote_amo.c has the
 * protocol. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_REMOTE_AMO_H
#define EYOT_FABRIC_REAL_PROGRESS_REMOTE_AMO_H

#include "fabric_real/endpoint/endpoint.h"

/* of an origin, in flight at once; a post beyond them waits for the oldest */
#define FMPI_REMOTE_AMOS_MAX 64u
/* posted by a progress process; messages beyond them wait inside MPI */
#define FMPI_REMOTE_AMO_RECEIVES 32u
#define FMPI_REMOTE_AMO_ANSWERS 512u   /* of a progress process that MPI has not taken yet */
#define FMPI_REMOTE_AMOS_PER_ROUND 32u /* before rings have their turn */

/* The operation: enum fab_amo_op, or one of these. */
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
               "a remote AMO has no hidden padding: it is sent as bytes");

struct fmpi_remote_amos {
  MPI_Comm comm;                  /* of comm.wide's processes, for remote AMOs and answers alone */
  uint64_t posted;                /* so far */
  struct fmpi_amo_server *server; /* of a progress process, else NULL */
  struct fmpi_out {
    struct fmpi_remote_amo amo; /* MPI reads it until `sent` is complete */
    uint64_t before;            /* MPI writes it until `answered` is */
    MPI_Request sent, answered;
    struct fmpi_op *op;
    bool used;
  } out[FMPI_REMOTE_AMOS_MAX];
};
/* of remote AMOs; answers have their slot's number */
#define FMPI_REMOTE_AMO_TAG ((int)FMPI_REMOTE_AMOS_MAX)

static inline bool fmpi_by_remote_amo(const struct fmpi *f, const struct fmpi_at *at) {
  return f->progress.remote_amos != NULL && at->ptr == NULL && at->slot != FAB_SEG_MAX;
}
int fmpi_remote_amos_check(void);           /* EYOT_ATOMICS against EYOT_PROGRESS. Errors: EINVAL */
int fmpi_remote_amos_open(struct fmpi *f);  /* collective over comm.wide */
int fmpi_remote_amos_close(struct fmpi *f); /* likewise; none is in flight any more */
/* Sends what, width, operand and compare of e. The answer completes op, or if that is NULL
 * fmpi_remote_amos_drain waits for it. Waits while FMPI_REMOTE_AMOS_MAX are in flight. */
int fmpi_remote_amo_post(struct fmpi *f, const struct fmpi_at *at, const struct fmpi_remote_amo *e,
                         struct fmpi_op *op);
int fmpi_remote_amo_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op what,
                           uint64_t value, struct fmpi_op *op);
/* Whether it has been answered; if so, accounts for it. */
int fmpi_remote_amo_test(struct fmpi *f, struct fmpi_op *op, bool *done);
int fmpi_remote_amo_wait(struct fmpi *f, struct fmpi_op *op); /* remotely complete on return */
/* All have been answered on return. */
int fmpi_remote_amos_drain(struct fmpi *f);
#endif
