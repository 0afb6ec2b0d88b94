/* SPDX-License-Identifier: BSD-3-Clause */
/* message_parts.h - what the two halves of messages share: message.c, which sends and completes
 * them, and message_take.c, which receives them. */
#ifndef EYOT_FABRIC_REAL_OPS_MESSAGE_PARTS_H
#define EYOT_FABRIC_REAL_OPS_MESSAGE_PARTS_H

#include "fabric_real/ops/message.h"

#define FMPI_MESSAGE_INLINE 8192u /* bytes that travel in the message itself */
#define FMPI_MESSAGE_TAG 0
#define FMPI_MESSAGE_RECEIVES 16u /* under way at a time */
#define FMPI_MESSAGE_LATE 16u     /* that MPI is asked of together */
#define FMPI_MESSAGE_TAG_APART 1  /* and a running number, modulo fmpi_messages.tags_apart */

/* EXPECTED: bytes apart, for where the receiver expects them. */
enum fmpi_message_what { FMPI_BYTES_INSIDE, FMPI_BYTES_APART, FMPI_BYTES_EXPECTED };

struct fmpi_message_header {
  uint32_t what; /* enum fmpi_message_what */
  fab_seg_t seg;
  uint32_t tag; /* of bytes apart */
  bool bounded; /* by this word: fab_ops.message */
  fab_seg_t least_seg;
  uint64_t least_off;
  uint64_t word_off, value;
  uint64_t off, len;
};

/* What is being sent, or received. */
struct fmpi_message_buffer {
  struct fmpi_message_buffer *next;
  MPI_Request req;
  struct fmpi_message_header h;
  unsigned char bytes[FMPI_MESSAGE_INLINE];
};
_Static_assert(offsetof(struct fmpi_message_buffer, bytes) ==
                   offsetof(struct fmpi_message_buffer, h) + sizeof(struct fmpi_message_header),
               "the bytes follow the header");

/* A message that is here, or expected, and not over. */
struct fmpi_arrival {
  struct fmpi_arrival *next;
  int from;
  bool dropped;
  void *dst;     /* of an expected one; NULL: it is dropped */
  void *scratch; /* takes what is dropped */
  MPI_Request req;
  struct fmpi_message_header h, landed;
  bool lands_elsewhere;  /* the word of `landed` is set, not that of `h` */
  unsigned char bytes[]; /* of one that is early */
};

struct fmpi_arrivals {
  struct fmpi_arrival *first, *last;
};

struct fmpi_messages {
  MPI_Comm comm;
  struct fmpi_message_buffer *free, *sending, **block;
  uint32_t blocks, unsent; /* unsent: in the list `sending` */
  /* Sent of late: MPI has not been asked yet. */
  uint32_t late;
  MPI_Request late_req[FMPI_MESSAGE_LATE];
  struct fmpi_message_buffer *late_buffer[FMPI_MESSAGE_LATE];
  uint64_t apart; /* messages with bytes apart, sent so far */
  uint64_t tags_apart;
  /* with bytes apart that MPI may still read; asked: sends with a request */
  struct fmpi_op *live, *asked;
  /* A lock of what follows: the unit or its progress thread has it. */
  bool busy;
  /* Message number n (0, 1, ...) comes to in[n % FMPI_MESSAGE_RECEIVES]; `first` is the next one,
   * and receives are under way for those before `listens`. */
  uint32_t first, listens;
  uint32_t ready; /* waits in a row whose first poll has found a message */
  /* early: their segment is not there yet; pending: bytes are under way; expected, and
   * come before they were expected */
  struct fmpi_arrivals early, pending, expected, unexpected;
  bool refuses; /* what nobody expects at this word is dropped: */
  fab_seg_t refused_seg;
  uint64_t refused_off;
  struct fmpi_message_buffer in[FMPI_MESSAGE_RECEIVES];
};

int fmpi_message_no_memory(void);
int fmpi_message_test_one(MPI_Request *req);

/* message_take.c. listen: for the next messages. */
int fmpi_messages_listen(struct fmpi_messages *m);
int fmpi_messages_listen_no_more(struct fmpi_messages *m);
int fmpi_messages_serve(struct fmpi *f);
/* Nothing is under way to this unit. */
bool fmpi_messages_quiet(const struct fmpi_messages *m);
void fmpi_messages_forget(struct fmpi_messages *m);
#endif
