/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - the table of operations that MPI has not finished, or that the caller has not retired.
 *
 * An entry exists for every operation with a request, and for those without one of which MPI still
 * reads or writes a field (atomics, signals). Blocks are never moved, because MPI holds addresses
 * into them. A request is index and generation, so a retired one is recognized. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_OP_H
#define EYOT_FABRIC_REAL_ENDPOINT_OP_H

#include "fabric_real/endpoint/at.h"

#define FMPI_OP_BLOCK 256u       /* operations are allocated in blocks of this many */
#define FMPI_OP_BLOCKS_MAX 4096u /* so at most 1,048,576 requests wait to be retired */

struct fmpi;

union fmpi_word {
  uint64_t u64;
  uint32_t u32;
};

struct fmpi_op {
  uint32_t index; /* in the table */
  uint32_t generation;
  /* in the list that starts at *live, fmpi_ops.live or that of messages, while MPI may touch it */
  struct fmpi_op **live, *prev, *next;
  /* in fmpi_signals while its signal waits for its bytes; in fmpi_ops.free while unused */
  struct fmpi_op *queue_next;
  fab_unit_t unit;
  fab_set_t set; /* to which it was posted */
  bool used;
  bool requested; /* the caller holds an id and retires it */
  bool is_get;
  bool queued;
  bool delegated; /* a progress process does it: request number `ticket` of ring `ring` */
  /* it, or the signal that was queued, is remote AMO number `ticket` (progress/remote_amo.h) */
  bool sent;
  bool message; /* ops/message.h */
  bool local_done, remote_done;
  /* delegated, and its progress process could not do it: the error, reported at its completion */
  int failed;
  uint32_t ring;
  uint64_t ticket;
  MPI_Request one;   /* of a put or get in one piece */
  MPI_Request apart; /* of a message's bytes apart from it */
  MPI_Request *many; /* of its chunks, or NULL */
  uint32_t chunks;
  /* Atomics and signals: MPI reads and writes these until the operation is locally complete. */
  uint32_t width;
  union fmpi_word operand, compare, result;
  uint64_t *old; /* 4 bytes if narrow: struct fab_amo */
  bool narrow;
  /* A signal, while it is queued. */
  enum fab_sig_op sig_op;
  struct fmpi_at sig_at;
};

struct fmpi_ops {
  struct fmpi_op *free, *live;
  uint32_t lost; /* have failed, without request, and no flush has reported it yet */
  uint32_t nblocks;
  struct fmpi_op *blocks[FMPI_OP_BLOCKS_MAX];
};

int fmpi_op_new(struct fmpi *f, fab_unit_t unit, bool requested, struct fmpi_op **out);
/* MPI has it, or it is queued: from now on a flush completes it. */
void fmpi_op_issued(struct fmpi *f, struct fmpi_op *op);
void fmpi_op_issued_in(struct fmpi_op **live, struct fmpi_op *op);
/* It will not be issued, or no flush has to complete it any more. */
void fmpi_op_unlink(struct fmpi_op *op);
/* Not issued, or finished: returns it to the table. */
void fmpi_op_drop(struct fmpi *f, struct fmpi_op *op);
fab_req_t fmpi_op_id(const struct fmpi_op *op);
struct fmpi_op *fmpi_op_find(const struct fmpi *f, fab_req_t req); /* NULL: unknown or retired */
void fmpi_ops_free(struct fmpi *f);
#endif
