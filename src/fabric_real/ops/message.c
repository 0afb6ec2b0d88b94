/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - see message.h: the sender's half, and the start and the end. */

/* A message says where its bytes and its word belong. Up to FMPI_MESSAGE_INLINE bytes travel in it;
 * longer ones travel apart, by a message of their own that the receiver takes where they belong.
 * All have one communicator: what a unit takes from anybody has one tag, and bytes apart have one
 * each, which returns after as many as MPI has tags (2^28 in MPICH, 2^31 in Open MPI): receivers
 * may take them in any order. A receiver carries out the messages of a sender in their order.
 *
 * Completion is local: the target waits for the word, which is all that tells that a message is
 * there. A sender that waited for more would wait for a unit that may be inside MPI, in a call of
 * the program's own, where it takes no messages. Other waits for such a unit there are none: units
 * serve in all waits and polls, and collective calls of MPI come after agreements that serve
 * (wait/idle.h). A segment's messages may come before the receiver has left the meeting that ends
 * its making; they, and what follows, are kept. */
#include "fabric_real/ops/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/message_brief.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/wait/idle.h"

#define BUFFERS_PER_BLOCK 16u

int fmpi_message_no_memory(void) {
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for messages between nodes");
}

/* -- sending ----------------------------------------------------------------------------------- */

int fmpi_message_test_one(MPI_Request *req) {
  int flag;
  if (*req != MPI_REQUEST_NULL) FMPI_TRY(MPI_Test(req, &flag, MPI_STATUS_IGNORE));
  return EYOT_OK;
}

static void buffer_give(struct fmpi_messages *m, struct fmpi_message_buffer *b) {
  b->next = m->free;
  m->free = b;
}

/* Asks MPI for all messages of late at once: nearly all have left when MPI_Isend returns, and to
 * ask for each takes as long as to send it; over TCP it is a system call. */
static int ask_of_late(struct fmpi_messages *m) {
  int index[FMPI_MESSAGE_LATE], n;
  MPI_Status status[FMPI_MESSAGE_LATE]; /* not ignored: MPICH's header would make gcc warn */
  FMPI_TRY(MPI_Testsome((int)m->late, m->late_req, &n, index, status));
  for (uint32_t i = 0; i < m->late; i++) {
    struct fmpi_message_buffer *b = m->late_buffer[i];
    if (m->late_req[i] == MPI_REQUEST_NULL) {
      buffer_give(m, b);
      continue;
    }
    b->req = m->late_req[i];
    b->next = m->sending;
    m->sending = b;
    m->unsent++;
  }
  m->late = 0;
  return EYOT_OK;
}

/* Gives back the buffers whose messages MPI has sent. */
static int reap(struct fmpi_messages *m) {
  struct fmpi_message_buffer **list = &m->sending;
  while (*list != NULL) {
    struct fmpi_message_buffer *b = *list;
    EYOTI_TRY(fmpi_message_test_one(&b->req));
    if (b->req != MPI_REQUEST_NULL) {
      list = &b->next;
      continue;
    }
    *list = b->next;
    buffer_give(m, b);
    m->unsent--;
  }
  return EYOT_OK;
}

static int buffer_take(struct fmpi_messages *m, struct fmpi_message_buffer **out) {
  if (m->free == NULL) {
    struct fmpi_message_buffer **block = realloc(m->block, (m->blocks + 1) * sizeof *block);
    if (block != NULL) m->block = block;
    struct fmpi_message_buffer *b = block != NULL ? malloc(BUFFERS_PER_BLOCK * sizeof *b) : NULL;
    if (b == NULL) return fmpi_message_no_memory();
    m->block[m->blocks++] = b;
    for (uint32_t i = 0; i < BUFFERS_PER_BLOCK; i++) buffer_give(m, &b[i]);
  }
  *out = m->free;
  m->free = m->free->next;
  return EYOT_OK;
}

/* The header, and bytes that travel in it. */
static int post(struct fmpi_messages *m, fab_unit_t unit, const struct fmpi_message_header *h,
                const void *bytes) {
  struct fmpi_message_buffer *b = NULL; /* gcc does not see that it is set */
  struct fmpi_brief brief;
  EYOTI_TRY(buffer_take(m, &b));
  size_t len = h->what == FMPI_BYTES_INSIDE ? (size_t)h->len : 0;
  bool is_brief = fmpi_brief_of(h, &brief);
  size_t header = is_brief ? sizeof brief : sizeof *h;
  char *from = (char *)b + offsetof(struct fmpi_message_buffer, bytes) - header;
  memcpy(from, is_brief ? (const void *)&brief : (const void *)h, header);
  if (len > 0) memcpy(b->bytes, bytes, len);
  FMPI_TRY(MPI_Isend(from, (int)(header + len), MPI_BYTE, (int)unit, FMPI_MESSAGE_TAG, m->comm,
                     &m->late_req[m->late]));
  m->late_buffer[m->late++] = b;
  if (m->late == FMPI_MESSAGE_LATE) EYOTI_TRY(ask_of_late(m));
  return m->sending != NULL ? reap(m) : EYOT_OK;
}

static int post_apart(struct fmpi *f, fab_unit_t unit, struct fmpi_message_header h,
                      const void *src, struct fmpi_op *op) {
  struct fmpi_messages *m = f->messages;
  h.tag = (uint32_t)(FMPI_MESSAGE_TAG_APART + m->apart++ % m->tags_apart);
  EYOTI_TRY(post(m, unit, &h, NULL));
  FMPI_TRY(MPI_Isend(src, (int)h.len, MPI_BYTE, (int)unit, (int)h.tag, m->comm, &op->apart));
  bool asked = op->requested && h.what == FMPI_BYTES_EXPECTED;
  fmpi_op_issued_in(asked ? &m->asked : &m->live, op);
  return EYOT_OK;
}

static int test_full(struct fmpi *f, void *arg, bool *done) {
  (void)arg;
  EYOTI_TRY(reap(f->messages));
  *done = f->messages->unsent < f->targets.limit;
  return EYOT_OK;
}

static int send(struct fmpi *f, const struct fmpi_message_header *h, fab_unit_t unit,
                const void *src, fab_req_t *req) {
  struct fmpi_op *op;
  bool apart = h->what != FMPI_BYTES_INSIDE;
  if (__builtin_expect(f->messages->unsent >= f->targets.limit, 0))
    EYOTI_TRY(fmpi_wait_test(f, test_full, NULL));
  if (!apart) { /* complete: a buffer has the bytes */
    if (req != NULL) *req = 0;
    return post(f->messages, unit, h, src);
  }
  EYOTI_TRY(fmpi_op_new(f, unit, req != NULL, &op));
  op->message = true;
  int rc = post_apart(f, unit, *h, src, op);
  if (rc != EYOT_OK) {
    fmpi_op_drop(f, op);
    return rc;
  }
  if (req != NULL) *req = fmpi_op_id(op);
  return EYOT_OK;
}

int fmpi_message(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                 const struct fab_sig *sig, const struct fab_addr *least, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at data = {0}, word;
  if (sig->op != FAB_SIG_SET) return EYOTI_FAIL(EYOT_EINVAL, "a message sets its word");
  if (len > INT32_MAX || sig->at.seg == FAB_SEG_ATTACHED)
    return fmpi_put_signal(fab, dst, src, len, sig, req);
  EYOTI_TRY(fmpi_signal_check(dst, len, sig));
  EYOTI_TRY(fmpi_resolve(f, sig->at, 8, &word));
  if (len != 0) EYOTI_TRY(fmpi_resolve(f, dst, len, &data));
  if (len != 0 && dst.seg != sig->at.seg)
    return EYOTI_FAIL(EYOT_ESEG, "a message has its bytes and its word in one segment");
  fmpi_count(&f->stats, fab, sig->at.unit, len + 8);
  if (word.ptr == NULL) {
    const struct fmpi_message_header h = {
        .what = len <= FMPI_MESSAGE_INLINE ? FMPI_BYTES_INSIDE : FMPI_BYTES_APART,
        .seg = sig->at.seg,
        .bounded = least != NULL,
        .least_seg = least != NULL ? least->seg : 0,
        .least_off = least != NULL ? least->off : 0,
        .word_off = sig->at.off,
        .value = sig->value,
        .off = dst.off,
        .len = len};
    return send(f, &h, sig->at.unit, src, req);
  }
  if (len != 0) fmpi_copy_in(data.ptr, src, len);
  fmpi_signal_mapped(f, &word, FAB_SIG_SET, sig->value);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}

int fmpi_send(struct fab *fab, const struct fab_sig *sig, const void *src, uint64_t len,
              fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at word;
  if (len > INT32_MAX) return EYOTI_FAIL(EYOT_ERANGE, "a message of %" PRIu64 " bytes", len);
  EYOTI_TRY(fmpi_signal_check(sig->at, 0, sig));
  EYOTI_TRY(fmpi_resolve(f, sig->at, 8, &word));
  fmpi_count(&f->stats, fab, sig->at.unit, len + 8);
  const struct fmpi_message_header h = {.what = FMPI_BYTES_EXPECTED,
                                        .seg = sig->at.seg,
                                        .word_off = sig->at.off,
                                        .value = sig->value,
                                        .len = len};
  return send(f, &h, sig->at.unit, src, req);
}

/* -- completion -------------------------------------------------------------------------------- */

static int test_op(struct fmpi *f, void *arg, bool *done) {
  struct fmpi_op *op = arg;
  (void)f;
  EYOTI_TRY(fmpi_message_test_one(&op->apart));
  op->local_done = op->remote_done = *done = op->apart == MPI_REQUEST_NULL;
  if (*done) fmpi_op_unlink(op);
  return EYOT_OK;
}

int fmpi_message_test(struct fmpi *f, struct fmpi_op *op, bool *done) {
  return test_op(f, op, done);
}

int fmpi_message_wait(struct fmpi *f, struct fmpi_op *op) {
  return op->local_done ? EYOT_OK : fmpi_wait_test(f, test_op, op);
}

int fmpi_messages_complete(struct fmpi *f, fab_unit_t unit) {
  if (f->messages == NULL) return EYOT_OK;
  for (struct fmpi_op *op = f->messages->live, *next; op != NULL; op = next) {
    next = op->next;
    if ((unit != FAB_ALL && op->unit != unit) || !fab_set_covers(f->fab.set, op->set)) continue;
    EYOTI_TRY(fmpi_message_wait(f, op));
    if (!op->requested) fmpi_op_drop(f, op);
  }
  return EYOT_OK;
}

/* -- the start and the end --------------------------------------------------------------------- */

/* MPI promises 32,767 tags; both implementations have more than a unit can have requests. */
static int count_tags(struct fmpi_messages *m) {
  const int *most;
  int known;
  FMPI_TRY(MPI_Comm_get_attr(m->comm, MPI_TAG_UB, &most, &known));
  m->tags_apart = (uint64_t)(known != 0 ? *most : 32767);
  return EYOT_OK;
}

int fmpi_messages_open(struct fmpi *f) {
  if (f->job.one_node || f->job.servers != 0) return EYOT_OK;
  struct fmpi_messages *m = calloc(1, sizeof *m);
  if (m == NULL) return fmpi_message_no_memory();
  EYOTI_TRY(fmpi_dup(f, f->comm.all, &m->comm));
  EYOTI_TRY(count_tags(m));
  EYOTI_TRY(fmpi_messages_listen(m));
  f->messages = m;
  fmpi_serve_others_add(f, fmpi_messages_serve);
  return EYOT_OK;
}

/* All units have left their last wait; MPI may not know yet that our last message has been sent. */
static int send_remaining(struct fmpi *f) {
  struct fmpi_messages *m = f->messages;
  EYOTI_TRY(ask_of_late(m));
  for (uint64_t round = 0; !fmpi_messages_quiet(m) || m->sending != NULL; round++) {
    EYOTI_TRY(fmpi_messages_serve(f));
    EYOTI_TRY(reap(m));
    fmpi_give_way(f, round);
  }
  return EYOT_OK;
}

int fmpi_messages_close(struct fmpi *f) {
  struct fmpi_messages *m = f->messages;
  if (m == NULL) return EYOT_OK;
  EYOTI_ASSERT(m->live == NULL);
  EYOTI_TRY(send_remaining(f));
  fmpi_serve_others_remove(f, fmpi_messages_serve);
  EYOTI_TRY(fmpi_messages_listen_no_more(m));
  FMPI_TRY(MPI_Comm_free(&m->comm));
  fmpi_messages_forget(m);
  for (uint32_t i = 0; i < m->blocks; i++) free(m->block[i]);
  free(m->block);
  free(m);
  f->messages = NULL;
  return EYOT_OK;
}
