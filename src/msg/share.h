/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - a long message within a node that both sides copy, block by block: the synergistic
 * protocol (A. Friedley, 2013, section 3.2.4). For the files of src/msg.
 *
 * The sender waits for its message, and both buffers are in the heap, so either side can copy any
 * block. The receiver opens the ledger, a line of the sender's heap; from then on each side takes
 * the number of the next block by a fetch-and-add of `next` and copies that block, until there is
 * none left. The receiver knows how many blocks the sender has taken, and waits for these. */
#ifndef EYOT_MSG_SHARE_H
#define EYOT_MSG_SHARE_H

#include "msg/state.h"

/* A ledger. A unit that receives uses `landed` of one of its own. */
struct eyoti_msg_ledger {
  uint64_t done;   /* set by the receiver when it has all bytes, as for every long message */
  uint64_t open;   /* set by the receiver to the same value, after: */
  uint64_t dst;    /* where its buffer is, in its heap */
  uint64_t landed; /* and its word, to which the sender adds 1 with each block */
  uint64_t block;  /* the bytes of a block, as the receiver has it */
  uint64_t next;   /* the next block to copy */
  uint64_t unused[2];
};
_Static_assert(sizeof(struct eyoti_msg_ledger) == 64, "a line of the heap");

/* The sender: whether a long message from `buf` can be shared; sets op->ledger and op->done.
 * Without memory it is not shared. */
bool eyoti_msg_share_begin(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* The word that says that the receiver copies, and the value; for a sender that waits. */
const uint64_t *eyoti_msg_share_word(struct eyot_rt *rt, const struct eyoti_msg_op *op,
                                     uint64_t *off);
/* Copies blocks if the receiver does. Errors: the fabric's. */
int eyoti_msg_share_send(struct eyot_rt *rt, struct eyoti_msg_op *op);
/* Gives the ledger back. */
void eyoti_msg_share_end(struct eyoti_msgs *m, struct eyoti_msg_op *op);

/* The receiver: whether the whole message goes to a buffer in its heap. */
bool eyoti_msg_share_takes(struct eyot_rt *rt, const struct eyoti_msg_op *op, uint64_t bytes);
/* Copies blocks until all are there; waits for the sender's. Errors: the fabric's, ENOMEM. */
int eyoti_msg_share_recv(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
#endif
