/* SPDX-License-Identifier: BSD-3-Clause */
/* attach_message.c - see attach_message.h.
 *
 * Why it exists: no version of Open MPI has dynamic windows that work
 * (docs/adr/0024-attached-memory-by-messages.md). A unit that accesses another's attached memory
 * sends a request and waits for the answer, and answers requests to itself meanwhile; so an
 * operation is complete when the posting call returns, and its range is checked at the owner.
 * Requests are answered wherever the fabric lets MPI work: in every wait, by eyot_progress, by a
 * progress thread. A unit that waits in a collective call of MPI would answer none; all such calls
 * of ours come after an agreement (fmpi_max, fmpi_meet) that answers. */
#include "fabric_real/mem/attach_message.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_real/mem/attach.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/wait/idle.h"

#define TAG_REQUEST 0
#define TAG_ANSWER 1
/* of a put or get: an owner copies at most this before it does anything else */
#define PIECE_BYTES (UINT64_C(64) << 10)
#define STEPS_PER_POLL 8u

enum attach_what { PUT, GET, AMO };

struct attach_request {
  uint64_t what; /* enum attach_what */
  uint64_t addr, len;
  struct fab_amo amo;
  unsigned char bytes[PIECE_BYTES]; /* of a put; only these travel */
};

struct attach_answer {
  int64_t rc;
  uint64_t old;
  unsigned char bytes[PIECE_BYTES]; /* of a get */
};

enum attach_state { IDLE, READING, ANSWERING };

struct fmpi_attach_message {
  MPI_Comm comm;
  /* A lock of `state`, the fields after it and the list of attached ranges: the unit or the
   * progress thread has it. */
  bool busy;
  enum attach_state state;
  int from;
  MPI_Request req; /* of READING and ANSWERING */
  struct attach_request in;
  struct attach_answer out;
  struct attach_request sent; /* of the unit, which waits for one answer at a time */
  struct attach_answer received;
};

int fmpi_attach_message_open(struct fmpi *f) {
  struct fmpi_attach_message *m = malloc(sizeof *m); /* not calloc: most of it is never touched */
  if (m == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for messages to attached memory (%zu bytes)",
                      sizeof *m);
  m->busy = false;
  m->state = IDLE;
  m->req = MPI_REQUEST_NULL;
  EYOTI_TRY(fmpi_dup(f, f->comm.all, &m->comm));
  f->attach.message = m;
  fmpi_serve_others_add(f, fmpi_attach_message_serve);
  return EYOT_OK;
}

void fmpi_attach_message_lock(struct fmpi *f) {
  /* for a copy of one piece */
  while (f->attach.message != NULL &&
         __atomic_exchange_n(&f->attach.message->busy, true, __ATOMIC_ACQUIRE))
    sched_yield();
}

void fmpi_attach_message_unlock(struct fmpi *f) {
  /* pairs with the exchanges of lock and serve */
  if (f->attach.message != NULL)
    __atomic_store_n(&f->attach.message->busy, false, __ATOMIC_RELEASE);
}

/* Executes the request `in`; returns the length of the answer. */
static size_t answer(const struct fmpi *f, struct fmpi_attach_message *m) {
  const struct attach_request *q = &m->in;
  struct attach_answer *a = &m->out;
  char *at = (char *)(uintptr_t)q->addr;
  a->old = 0;
  a->rc = fmpi_is_attached(f, q->addr, q->len) ? EYOT_OK : EYOT_ERANGE;
  if (a->rc != EYOT_OK) return offsetof(struct attach_answer, bytes);
  if (q->what == PUT) fmpi_copy_in(at, q->bytes, q->len);
  if (q->what == GET) fmpi_copy_out(a->bytes, at, q->len);
  if (q->what == AMO) a->old = fab_cpu_amo(at, &q->amo);
  return offsetof(struct attach_answer, bytes) + (q->what == GET ? q->len : 0);
}

/* Advances to the next state if possible; *moved: it has. */
static int message_step(const struct fmpi *f, struct fmpi_attach_message *m, bool *moved) {
  int flag = 0;
  *moved = false;
  if (m->state == IDLE) {
    MPI_Message message;
    MPI_Status status;
    FMPI_TRY(MPI_Improbe(MPI_ANY_SOURCE, TAG_REQUEST, m->comm, &flag, &message, &status));
    if (flag == 0) return EYOT_OK;
    m->from = status.MPI_SOURCE;
    FMPI_TRY(MPI_Imrecv(&m->in, (int)sizeof m->in, MPI_BYTE, &message, &m->req));
    m->state = READING;
  }
  FMPI_TRY(MPI_Test(&m->req, &flag, MPI_STATUS_IGNORE));
  if (flag == 0) return EYOT_OK;
  *moved = true;
  if (m->state == ANSWERING) {
    m->state = IDLE;
    return EYOT_OK;
  }
  size_t len = answer(f, m);
  FMPI_TRY(MPI_Isend(&m->out, (int)len, MPI_BYTE, m->from, TAG_ANSWER, m->comm, &m->req));
  m->state = ANSWERING;
  return EYOT_OK;
}

int fmpi_attach_message_serve(struct fmpi *f) {
  struct fmpi_attach_message *m = f->attach.message;
  bool moved = true;
  int rc = EYOT_OK;
  /* the other thread does it */
  if (__atomic_exchange_n(&m->busy, true, __ATOMIC_ACQUIRE)) return EYOT_OK;
  for (uint32_t i = 0; i < STEPS_PER_POLL && moved && rc == EYOT_OK; i++)
    rc = message_step(f, m, &moved);
  __atomic_store_n(&m->busy, false, __ATOMIC_RELEASE);
  return rc;
}

/* Sends the request `sent` and waits for the answer. */
static int call(struct fmpi *f, fab_unit_t unit) {
  struct fmpi_attach_message *m = f->attach.message;
  const struct attach_request *q = &m->sent;
  size_t len = offsetof(struct attach_request, bytes) + (q->what == PUT ? q->len : 0);
  MPI_Request reqs[2];
  FMPI_TRY(MPI_Irecv(&m->received, (int)sizeof m->received, MPI_BYTE, (int)unit, TAG_ANSWER,
                     m->comm, &reqs[0]));
  FMPI_TRY(MPI_Isend(q, (int)len, MPI_BYTE, (int)unit, TAG_REQUEST, m->comm, &reqs[1]));
  EYOTI_TRY(fmpi_wait_mpi(f, reqs, 2));
  if (m->received.rc == EYOT_OK) return EYOT_OK;
  return EYOTI_FAIL((int)m->received.rc,
                    "%" PRIu64 " bytes at %" PRIx64 " are not attached by unit %u", q->len, q->addr,
                    unit);
}

int fmpi_attach_message_move(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                             bool is_get) {
  struct fmpi_attach_message *m = f->attach.message;
  for (uint64_t done = 0; done < len; done += PIECE_BYTES) {
    uint64_t n = len - done < PIECE_BYTES ? len - done : PIECE_BYTES;
    m->sent.what = is_get ? GET : PUT;
    m->sent.addr = (uint64_t)at->disp + done;
    m->sent.len = n;
    if (!is_get) memcpy(m->sent.bytes, here + done, n);
    EYOTI_TRY(call(f, at->unit));
    if (is_get) memcpy(here + done, m->received.bytes, n);
  }
  return EYOT_OK;
}

int fmpi_attach_message_amo(struct fmpi *f, const struct fmpi_at *at, const struct fab_amo *amo,
                            uint64_t *old) {
  struct fmpi_attach_message *m = f->attach.message;
  uint64_t before;
  if (at->ptr != NULL) {
    before = fab_cpu_amo(at->ptr, amo);
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    m->sent.what = AMO;
    m->sent.addr = (uint64_t)at->disp;
    m->sent.len = amo->width;
    m->sent.amo = *amo;
    EYOTI_TRY(call(f, at->unit));
    before = m->received.old;
  }
  if (old != NULL) *old = before;
  return EYOT_OK;
}

int fmpi_attach_message_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op op,
                               uint64_t value) {
  const struct fab_amo amo = {.op = op == FAB_SIG_SET ? FAB_AMO_SWAP : FAB_AMO_ADD,
                              .width = sizeof value,
                              .operand = value};
  return fmpi_attach_message_amo(f, at, &amo, NULL);
}

int fmpi_attach_message_close(struct fmpi *f) {
  struct fmpi_attach_message *m = f->attach.message;
  /* All units have their answers; MPI may not know yet that the last of ours has been sent. */
  for (uint64_t round = 0; m->state != IDLE; round++) {
    EYOTI_TRY(fmpi_attach_message_serve(f));
    fmpi_give_way(f, round);
  }
  FMPI_TRY(MPI_Comm_free(&m->comm));
  free(m);
  f->attach.message = NULL;
  fmpi_serve_others_remove(f, fmpi_attach_message_serve);
  return EYOT_OK;
}
