/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h - bytes and a word in one message to a unit of another node, which carries it out in
 * its own calls (fab_ops.message). launch/open.c enters it into the table of operations; files of
 * ops/ complete messages, and what waits serves those of others.
 *
 * Why it exists: over MPI windows a put with a signal is a put, a flush, which is a round trip, and
 * an atomic, and all of them need the target's processor anyway (signal.h). A target that waits for
 * the word can do the whole, as in active messages. Source: T. von Eicken, D. Culler, S. Goldstein,
 * K. Schauser, Active Messages, ISCA 1992. */
#ifndef EYOT_FABRIC_REAL_OPS_MESSAGE_H
#define EYOT_FABRIC_REAL_OPS_MESSAGE_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_message(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                 const struct fab_sig *sig, const struct fab_addr *least,
                 fab_req_t *req); /* fab_ops */
int fmpi_message_least(struct fab *fab, struct fab_addr word, uint64_t value);
int fmpi_send(struct fab *fab, const struct fab_sig *sig, const void *src, uint64_t len,
              fab_req_t *req); /* fab_ops, where there are messages, as expect */
int fmpi_expect(struct fab *fab, fab_unit_t from, const struct fab_sig *sig, void *dst,
                uint64_t len, const struct fab_sig *landed);

/* Collective. Jobs of one node have none, and where there are progress processes these carry out
 * signals without the target. */
int fmpi_messages_open(struct fmpi *f);
/* All units have completed their messages. */
int fmpi_messages_close(struct fmpi *f);

/* *s = *fresh: messages to it wait until it is live. Local. */
void fmpi_messages_begin_seg(struct fmpi *f, struct fmpi_seg *s, const struct fmpi_seg *fresh);
/* The segment's memory ends: nothing is on its way to it on return, and what comes is dropped. */
int fmpi_messages_end_seg(struct fmpi *f, struct fmpi_seg *s);

/* A poll of a unit that spins, without a progress thread: takes one message, if one has come. */
int fmpi_messages_serve_next(struct fmpi *f);
/* The first such poll of a wait: takes all that have come, if the waits before found theirs at
 * once, as those of a stream do. */
int fmpi_messages_serve_first(struct fmpi *f);

/* Completes a message, locally: its bytes may be changed. That its target has it only the target
 * knows, which waits for it; flush and order do not tell. */
int fmpi_message_wait(struct fmpi *f, struct fmpi_op *op);
int fmpi_message_test(struct fmpi *f, struct fmpi_op *op, bool *done);
/* The same for those of fab.set to `unit` or FAB_ALL. */
int fmpi_messages_complete(struct fmpi *f, fab_unit_t unit);
#endif
