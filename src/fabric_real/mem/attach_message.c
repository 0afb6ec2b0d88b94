/* SPDX-License-Identifier: BSD-3-Clause */
/* attach_message.c - attached memory by messages: its owner carries out what others ask for.
 *
 * Why it exists: no Open MPI has dynamic windows that hold
 * (docs/adr/0024-attached-memory-by-messages.md). A unit that accesses another's attached memory
 * sends a letter and waits for the answer, and answers letters to itself meanwhile; so an operation
 * is complete when the posting call returns, and its range is checked where it is known. Letters
 * are answered wherever the fabric lets MPI work: in every wait, by eyot_progress, by a progress
 * thread. A unit that waits in a call of MPI that everybody must join would answer none; all of
 * ours come after an agreement (fr_max, fr_meet) that answers. */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_real/endpoint/endpoint.h"

#define TAG_LETTER 0
#define TAG_ANSWER 1
/* of a put or get: what an owner copies before it looks at anything else */
#define PIECE_BYTES (UINT64_C(64) << 10)
#define STEPS_A_LOOK 8u

enum what { PUT, GET, AMO };

struct letter {
  uint64_t what; /* enum what */
  uint64_t addr, len;
  struct fab_amo amo;
  unsigned char bytes[PIECE_BYTES]; /* of a put; only these travel */
};

struct answer {
  int64_t rc;
  uint64_t old;
  unsigned char bytes[PIECE_BYTES]; /* of a get */
};

enum state { IDLE, READING, ANSWERING };

struct fr_mail {
  MPI_Comm comm;
  /* unit or progress thread is at `state`, what follows it, or the list of attached ranges */
  bool busy;
  enum state state;
  int from;
  MPI_Request req; /* of READING and ANSWERING */
  struct letter in;
  struct answer out;
  struct letter sent; /* of the unit, which waits for one answer at a time */
  struct answer received;
};

int fr_mail_open(struct fr *f) {
  struct fr_mail *m = malloc(sizeof *m); /* not calloc: most of it is never touched */
  if (m == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for messages to attached memory (%zu bytes)",
                      sizeof *m);
  m->busy = false;
  m->state = IDLE;
  m->req = MPI_REQUEST_NULL;
  FR_TRY(MPI_Comm_dup(f->all, &m->comm));
  FR_TRY(MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN));
  f->mail = m;
  return EYOT_OK;
}

void fr_mail_lock(struct fr *f) {
  /* for a copy of one piece */
  while (f->mail != NULL && __atomic_exchange_n(&f->mail->busy, true, __ATOMIC_ACQUIRE))
    sched_yield();
}

void fr_mail_unlock(struct fr *f) {
  /* pairs with the exchanges of lock and serve */
  if (f->mail != NULL) __atomic_store_n(&f->mail->busy, false, __ATOMIC_RELEASE);
}

/* Carries out what `in` asks for; returns how long the answer is. */
static size_t answer(const struct fr *f, struct fr_mail *m) {
  const struct letter *q = &m->in;
  struct answer *a = &m->out;
  char *at = (char *)(uintptr_t)q->addr;
  a->old = 0;
  a->rc = fr_is_attached(f, q->addr, q->len) ? EYOT_OK : EYOT_ERANGE;
  if (a->rc != EYOT_OK) return offsetof(struct answer, bytes);
  if (q->what == PUT) fr_copy_in(at, q->bytes, q->len);
  if (q->what == GET) fr_copy_out(a->bytes, at, q->len);
  if (q->what == AMO) a->old = fab_cpu_amo(at, &q->amo);
  return offsetof(struct answer, bytes) + (q->what == GET ? q->len : 0);
}

/* Goes on to the next state if it can; *moved: it has. */
static int step(const struct fr *f, struct fr_mail *m, bool *moved) {
  int flag = 0;
  *moved = false;
  if (m->state == IDLE) {
    MPI_Message message;
    MPI_Status status;
    FR_TRY(MPI_Improbe(MPI_ANY_SOURCE, TAG_LETTER, m->comm, &flag, &message, &status));
    if (flag == 0) return EYOT_OK;
    m->from = status.MPI_SOURCE;
    FR_TRY(MPI_Imrecv(&m->in, (int)sizeof m->in, MPI_BYTE, &message, &m->req));
    m->state = READING;
  }
  FR_TRY(MPI_Test(&m->req, &flag, MPI_STATUS_IGNORE));
  if (flag == 0) return EYOT_OK;
  *moved = true;
  if (m->state == ANSWERING) {
    m->state = IDLE;
    return EYOT_OK;
  }
  size_t len = answer(f, m);
  FR_TRY(MPI_Isend(&m->out, (int)len, MPI_BYTE, m->from, TAG_ANSWER, m->comm, &m->req));
  m->state = ANSWERING;
  return EYOT_OK;
}

int fr_mail_serve(struct fr *f) {
  struct fr_mail *m = f->mail;
  bool moved = true;
  int rc = EYOT_OK;
  /* the other thread does it */
  if (__atomic_exchange_n(&m->busy, true, __ATOMIC_ACQUIRE)) return EYOT_OK;
  for (uint32_t i = 0; i < STEPS_A_LOOK && moved && rc == EYOT_OK; i++) rc = step(f, m, &moved);
  __atomic_store_n(&m->busy, false, __ATOMIC_RELEASE);
  return rc;
}

/* Sends what `sent` says and waits for the answer. */
static int call(struct fr *f, fab_unit_t unit) {
  struct fr_mail *m = f->mail;
  const struct letter *q = &m->sent;
  size_t len = offsetof(struct letter, bytes) + (q->what == PUT ? q->len : 0);
  MPI_Request reqs[2];
  FR_TRY(MPI_Irecv(&m->received, (int)sizeof m->received, MPI_BYTE, (int)unit, TAG_ANSWER, m->comm,
                   &reqs[0]));
  FR_TRY(MPI_Isend(q, (int)len, MPI_BYTE, (int)unit, TAG_LETTER, m->comm, &reqs[1]));
  EYOTI_TRY(fr_wait_mpi(f, reqs, 2));
  if (m->received.rc == EYOT_OK) return EYOT_OK;
  return EYOTI_FAIL((int)m->received.rc,
                    "%" PRIu64 " bytes at %" PRIx64 " are not attached by unit %u", q->len, q->addr,
                    unit);
}

int fr_mail_move(struct fr *f, const struct fr_at *at, char *here, uint64_t len, bool is_get) {
  struct fr_mail *m = f->mail;
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

int fr_mail_amo(struct fr *f, const struct fr_at *at, const struct fab_amo *amo, uint64_t *old) {
  struct fr_mail *m = f->mail;
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

int fr_mail_signal(struct fr *f, const struct fr_at *at, enum fab_sig_op op, uint64_t value) {
  const struct fab_amo amo = {.op = op == FAB_SIG_SET ? FAB_AMO_SWAP : FAB_AMO_ADD,
                              .width = sizeof value,
                              .operand = value};
  return fr_mail_amo(f, at, &amo, NULL);
}

int fr_mail_close(struct fr *f) {
  struct fr_mail *m = f->mail;
  /* Everybody has had his answers; MPI may not know yet that the last of ours has left. */
  for (uint64_t round = 0; m->state != IDLE; round++) {
    EYOTI_TRY(fr_mail_serve(f));
    fr_give_way(f, round);
  }
  FR_TRY(MPI_Comm_free(&m->comm));
  free(m);
  f->mail = NULL;
  return EYOT_OK;
}
