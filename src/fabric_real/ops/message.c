/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - see message.h: the sender's half, and the start and the end. */

/* A message says where its bytes and its word belong. Up to FMPI_MESSAGE_INLINE bytes travel in it;
 * longer ones travel apart, by a message of their own that the receiver takes where they belong,
 * and the receiver then sends LANDED. All have one communicator: what a unit takes from anybody has
 * one tag, and bytes apart have the tag of their operation.
 *
 * Completion. A receiver counts the messages of each sender, which it carries out in their order,
 * and each message that goes back tells how many it has counted. A sender that must know sooner
 * sends ASK, and is told by ACK. So members that exchange messages pay nothing for completion.
 *
 * Nobody waits for a unit that cannot serve: units serve in all waits and polls, and collective
 * calls of MPI come after agreements that serve (wait/idle.h). A segment's messages may come before
 * the receiver has left the meeting that ends its making; they, and what follows, are kept. */
#include "fabric_real/ops/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/message_parts.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/wait/idle.h"

#define BUFFERS_PER_BLOCK 16u
#define PEERS_PER_PAGE 256u

/* -- peers ------------------------------------------------------------------------------------- */

int fmpi_message_no_memory(void) {
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for messages between nodes");
}

/* Two threads may meet the first peer of a page. */
static struct fmpi_peer *page_of(struct fmpi_messages *m, uint32_t page) {
  struct fmpi_peer *p = __atomic_load_n(&m->page[page], __ATOMIC_ACQUIRE), *none = NULL;
  if (p != NULL) return p;
  p = calloc(PEERS_PER_PAGE, sizeof *p);
  if (p == NULL) return NULL;
  for (uint32_t i = 0; i < PEERS_PER_PAGE; i++) p[i].unit = page * PEERS_PER_PAGE + i;
  if (__atomic_compare_exchange_n(&m->page[page], &none, p, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return p;
  free(p);
  return none;
}

int fmpi_peer_of(struct fmpi_messages *m, fab_unit_t unit, struct fmpi_peer **out) {
  struct fmpi_peer *page = page_of(m, unit / PEERS_PER_PAGE);
  if (page == NULL) return fmpi_message_no_memory();
  *out = &page[unit % PEERS_PER_PAGE];
  return EYOT_OK;
}

/* -- sending ----------------------------------------------------------------------------------- */

int fmpi_message_test_one(MPI_Request *req) {
  int flag;
  if (*req != MPI_REQUEST_NULL) FMPI_TRY(MPI_Test(req, &flag, MPI_STATUS_IGNORE));
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
    b->next = m->free;
    m->free = b;
    m->unsent--;
  }
  return EYOT_OK;
}

static int buffer_take(struct fmpi_messages *m, struct fmpi_message_buffer **out) {
  if (m->sending != NULL) EYOTI_TRY(reap(m));
  if (m->free == NULL) {
    struct fmpi_message_buffer **block = realloc(m->block, (m->blocks + 1) * sizeof *block);
    if (block != NULL) m->block = block;
    struct fmpi_message_buffer *b = block != NULL ? malloc(BUFFERS_PER_BLOCK * sizeof *b) : NULL;
    if (b == NULL) return fmpi_message_no_memory();
    m->block[m->blocks++] = b;
    for (uint32_t i = 0; i < BUFFERS_PER_BLOCK; i++) {
      b[i].next = m->free;
      m->free = &b[i];
    }
  }
  *out = m->free;
  m->free = m->free->next;
  return EYOT_OK;
}

/* The header, and bytes that travel in it. */
static int post(struct fmpi_messages *m, struct fmpi_peer *p, struct fmpi_message_header h,
                const void *bytes) {
  struct fmpi_message_buffer *b;
  EYOTI_TRY(buffer_take(m, &b));
  size_t len = h.what == FMPI_BYTES_INSIDE ? (size_t)h.len : 0;
  h.taken = __atomic_load_n(&p->taken, __ATOMIC_ACQUIRE); /* pairs with the release of carry_out */
  b->h = h;
  if (len > 0) memcpy(b->bytes, bytes, len);
  b->req = MPI_REQUEST_NULL;
  b->next = m->sending;
  m->sending = b;
  m->unsent++;
  FMPI_TRY(MPI_Isend(&b->h, (int)(sizeof b->h + len), MPI_BYTE, (int)p->unit, FMPI_MESSAGE_TAG,
                     m->comm, &b->req));
  return EYOT_OK;
}

static int post_apart(struct fmpi *f, struct fmpi_peer *p, struct fmpi_message_header h,
                      const void *src, struct fmpi_op *op) {
  struct fmpi_messages *m = f->messages;
  h.index = op->index;
  EYOTI_TRY(post(m, p, h, NULL));
  FMPI_TRY(MPI_Isend(src, (int)h.len, MPI_BYTE, (int)p->unit,
                     FMPI_MESSAGE_TAG_APART + (int)op->index, m->comm, &op->apart));
  fmpi_op_issued_in(&m->live, op);
  return EYOT_OK;
}

static int ask(struct fmpi_messages *m, struct fmpi_peer *p) {
  if (p->asked == p->sent) return EYOT_OK;
  p->asked = p->sent;
  return post(m, p, (struct fmpi_message_header){.what = FMPI_ASK}, NULL);
}

static bool is_full(const struct fmpi *f, const struct fmpi_peer *p) {
  uint32_t most = f->targets.limit;
  return f->messages->unsent >= most || !fmpi_peer_has_taken(p, p->sent - (most - 1));
}
static int test_full(struct fmpi *f, void *arg, bool *done) {
  struct fmpi_peer *p = arg;
  EYOTI_TRY(reap(f->messages));
  *done = !is_full(f, p);
  return *done || f->messages->unsent >= f->targets.limit ? EYOT_OK : ask(f->messages, p);
}

static void sent(struct fmpi_messages *m, struct fmpi_peer *p) {
  p->sent++;
  if (p->dirty) return;
  p->dirty = true;
  p->dirty_next = m->dirty;
  m->dirty = p;
}

static int send(struct fmpi *f, const struct fmpi_message_header *h, fab_unit_t unit,
                const void *src, fab_req_t *req) {
  struct fmpi_peer *p;
  struct fmpi_op *op = NULL;
  bool apart = h->what != FMPI_BYTES_INSIDE;
  EYOTI_TRY(fmpi_peer_of(f->messages, unit, &p));
  if (__builtin_expect(is_full(f, p), 0)) EYOTI_TRY(fmpi_wait_test(f, test_full, p));
  if (req != NULL || apart) EYOTI_TRY(fmpi_op_new(f, unit, req != NULL, &op));
  if (op != NULL) { /* before the answer may come, to a progress thread */
    op->message = true;
    op->ticket = p->sent + 1;
    op->landed = op->local_done = !apart;
  }
  int rc = apart ? post_apart(f, p, *h, src, op) : post(f->messages, p, *h, src);
  if (rc != EYOT_OK) {
    if (op != NULL) fmpi_op_drop(f, op);
    return rc;
  }
  sent(f->messages, p);
  if (req != NULL) *req = fmpi_op_id(op);
  return EYOT_OK;
}

int fmpi_message(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len,
                 const struct fab_sig *sig, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at data = {0}, word;
  if (sig->op != FAB_SIG_SET) return EYOTI_FAIL(EYOT_EINVAL, "a message sets its word");
  if (f->messages == NULL || len > f->job.chunk_bytes || sig->at.seg == FAB_SEG_ATTACHED)
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

static bool has_landed(const struct fmpi_op *op) {
  /* pairs with the release of carry_out, which a progress thread may call */
  return __atomic_load_n(&op->landed, __ATOMIC_ACQUIRE);
}

int fmpi_message_test(struct fmpi *f, struct fmpi_op *op, enum fab_level level, bool *done) {
  struct fmpi_peer *p;
  EYOTI_TRY(fmpi_message_test_one(&op->apart));
  op->local_done = op->apart == MPI_REQUEST_NULL;
  *done = op->local_done;
  if (level != FAB_REMOTE || !op->local_done || op->remote_done) return EYOT_OK;
  EYOTI_TRY(fmpi_peer_of(f->messages, op->unit, &p));
  op->remote_done = has_landed(op) && fmpi_peer_has_taken(p, (uint32_t)op->ticket);
  *done = op->remote_done;
  if (op->remote_done) fmpi_op_unlink(op);
  return op->remote_done ? EYOT_OK : ask(f->messages, p);
}

struct completion {
  struct fmpi_op *op;
  enum fab_level level;
};
static int test_awaited(struct fmpi *f, void *arg, bool *done) {
  const struct completion *a = arg;
  return fmpi_message_test(f, a->op, a->level, done);
}

int fmpi_message_wait(struct fmpi *f, struct fmpi_op *op, enum fab_level level) {
  struct completion a = {op, level};
  if (level == FAB_REMOTE ? op->remote_done : op->local_done) return EYOT_OK;
  return fmpi_wait_test(f, test_awaited, &a);
}

static int test_peer(struct fmpi *f, void *arg, bool *done) {
  struct fmpi_peer *p = arg;
  *done = fmpi_peer_has_taken(p, p->sent);
  return *done ? EYOT_OK : ask(f->messages, p);
}

/* All messages are carried out that have gone to the unit, or to FAB_ALL. */
static int complete_peers(struct fmpi *f, fab_unit_t unit) {
  struct fmpi_messages *m = f->messages;
  for (struct fmpi_peer *p = m->dirty; p != NULL; p = p->dirty_next)
    if ((unit == FAB_ALL || p->unit == unit) && !fmpi_peer_has_taken(p, p->sent))
      EYOTI_TRY(ask(m, p));
  for (struct fmpi_peer **list = &m->dirty; *list != NULL;) {
    struct fmpi_peer *p = *list;
    if (unit == FAB_ALL || p->unit == unit) {
      EYOTI_TRY(fmpi_wait_test(f, test_peer, p));
      *list = p->dirty_next;
      p->dirty = false;
    } else {
      list = &p->dirty_next;
    }
  }
  return EYOT_OK;
}

int fmpi_messages_complete(struct fmpi *f, fab_unit_t unit, enum fab_level level) {
  if (f->messages == NULL) return EYOT_OK;
  for (struct fmpi_op *op = f->messages->live, *next; op != NULL; op = next) {
    next = op->next;
    if ((unit != FAB_ALL && op->unit != unit) || !fab_set_covers(f->fab.set, op->set)) continue;
    EYOTI_TRY(fmpi_message_wait(f, op, level));
    if (op->remote_done && !op->requested) fmpi_op_drop(f, op);
  }
  return level == FAB_REMOTE ? complete_peers(f, unit) : EYOT_OK;
}

/* -- the start and the end --------------------------------------------------------------------- */

int fmpi_messages_open(struct fmpi *f) {
  if (f->job.one_node || f->job.servers != 0) return EYOT_OK;
  struct fmpi_messages *m = calloc(1, sizeof *m);
  if (m != NULL) m->page = calloc(f->fab.n / PEERS_PER_PAGE + 1, sizeof(struct fmpi_peer *));
  if (m == NULL || m->page == NULL) {
    free(m);
    return fmpi_message_no_memory();
  }
  EYOTI_TRY(fmpi_dup(f, f->comm.all, &m->comm));
  EYOTI_TRY(fmpi_messages_listen(m));
  f->messages = m;
  fmpi_serve_others_add(f, fmpi_messages_serve);
  return EYOT_OK;
}

/* All units have been told all; MPI may not know yet that the last of ours has been sent. */
static int send_remaining(struct fmpi *f) {
  struct fmpi_messages *m = f->messages;
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
  FMPI_TRY(MPI_Cancel(&m->req));
  FMPI_TRY(MPI_Wait(&m->req, MPI_STATUS_IGNORE));
  FMPI_TRY(MPI_Comm_free(&m->comm));
  for (uint32_t i = 0; i <= f->fab.n / PEERS_PER_PAGE; i++) free(m->page[i]);
  free(m->page);
  fmpi_messages_forget(m);
  for (uint32_t i = 0; i < m->blocks; i++) free(m->block[i]);
  free(m->block);
  free(m);
  f->messages = NULL;
  return EYOT_OK;
}
