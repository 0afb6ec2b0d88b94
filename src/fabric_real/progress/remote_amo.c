/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_amo.c - see remote_amo.h: sending remote AMOs and waiting for their answers.
 *
 * An origin numbers its remote AMOs; number n uses slot n modulo FMPI_REMOTE_AMOS_MAX, with a
 * receive that is posted for the answer before the request leaves. Every one is answered: the
 * answer is its remote completion. Those of one origin to one unit go to the same progress process
 * and are executed in the order in which they were posted. A progress process never waits for a
 * unit: answers are sent without waiting, from a bounded pool; while it is used up no request is
 * taken. When it waits for answers itself (signals after transfers that were handed over) it goes
 * on executing requests. It does not do so inside collective functions (windows), so no unit enters
 * one with remote AMOs, or handed-over signals, in flight. */
#include "fabric_real/progress/remote_amo.h"

#include <stdlib.h>

#include "base/conf.h"
#include "fabric_real/progress/amo_server.h"
#include "fabric_real/wait/idle.h"

static int settings(uint64_t *atomics, uint64_t *progress) {
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ATOMICS, atomics));
  return eyoti_conf_u64(EYOTI_CONF_PROGRESS, progress);
}

int fmpi_remote_amos_check(void) {
  uint64_t atomics, progress;
  EYOTI_TRY(settings(&atomics, &progress));
  if (atomics != EYOTI_ATOMICS_OWNER || (progress != 0 && progress != EYOTI_PROGRESS_THREAD))
    return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "EYOT_ATOMICS=owner needs progress processes, which execute the atomics of "
                    "other nodes: set EYOT_PROGRESS=1 too (eyotrun "
                    "--progress 1), or leave EYOT_ATOMICS at auto");
}

int fmpi_remote_amos_open(struct fmpi *f) {
  uint64_t atomics, progress;
  EYOTI_TRY(settings(&atomics, &progress));
  if (f->job.one_node || f->job.servers == 0 || atomics == EYOTI_ATOMICS_MPI) return EYOT_OK;
  struct fmpi_remote_amos *x = calloc(1, sizeof *x);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for remote AMOs (%zu bytes)", sizeof *x);
  for (uint32_t i = 0; i < FMPI_REMOTE_AMOS_MAX; i++)
    x->out[i].sent = x->out[i].answered = MPI_REQUEST_NULL;
  x->posted = f->job.numbers_from;
  f->progress.remote_amos = x;
  EYOTI_TRY(fmpi_dup(f, f->comm.wide, &x->comm));
  f->job.cpu_words = f->fab.cpu_atomics = f->fab.quiet = true;
  return f->job.server == FMPI_UNIT ? EYOT_OK : fmpi_amo_server_open(x->comm, &x->server);
}

int fmpi_remote_amos_close(struct fmpi *f) {
  struct fmpi_remote_amos *x = f->progress.remote_amos;
  if (x == NULL) return EYOT_OK;
  for (uint32_t i = 0; i < FMPI_REMOTE_AMOS_MAX; i++) EYOTI_ASSERT(!x->out[i].used);
  if (x->server != NULL) EYOTI_TRY(fmpi_amo_server_close(x->server));
  FMPI_TRY(MPI_Comm_free(&x->comm));
  free(x);
  f->progress.remote_amos = NULL;
  return EYOT_OK;
}

/* The answer has arrived. */
static int account(struct fmpi *f, struct fmpi_out *o) {
  struct fmpi_op *op = o->op;
  /* the message has arrived, so this waits for MPI's own bookkeeping only */
  EYOTI_TRY(fmpi_wait_mpi(f, &o->sent, 1));
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* copies by the CPU after it */
  o->used = false;
  o->op = NULL;
  if (op == NULL) return EYOT_OK;
  if (op->old != NULL) fab_amo_store(op->old, op->narrow, o->before);
  op->local_done = op->remote_done = true;
  fmpi_target_done(&f->targets, op->unit, false);
  return EYOT_OK;
}

/* A progress process executes remote AMOs of others meanwhile. */
static int remote_amo_await(struct fmpi *f, struct fmpi_out *o) {
  if (f->job.server == FMPI_UNIT) {
    EYOTI_TRY(fmpi_wait_mpi(f, &o->answered, 1));
    return account(f, o);
  }
  for (uint64_t round = 0;; round++) {
    uint32_t found = 0;
    bool done;
    EYOTI_TRY(fmpi_test_mpi(&o->answered, 1, &done));
    if (done) return account(f, o);
    EYOTI_TRY(fmpi_remote_amos_serve(f, &found));
    if (found != 0) round = 0;
    fmpi_give_way(f, round);
  }
}

/* The slot of the next one, free: if necessary, waits for the oldest. */
static int slot_of_next(struct fmpi *f, struct fmpi_out **out) {
  struct fmpi_remote_amos *x = f->progress.remote_amos;
  struct fmpi_out *o = &x->out[x->posted % FMPI_REMOTE_AMOS_MAX];
  if (o->used) {
    struct fmpi_op *op = o->op;
    EYOTI_TRY(remote_amo_await(f, o));
    if (op != NULL && !op->requested)
      fmpi_op_drop(f, op); /* the caller has no request to ask for it by */
  }
  *out = o;
  return EYOT_OK;
}

int fmpi_remote_amo_post(struct fmpi *f, const struct fmpi_at *at, const struct fmpi_remote_amo *e,
                         struct fmpi_op *op) {
  struct fmpi_remote_amos *x = f->progress.remote_amos;
  struct fmpi_out *o;
  int rank = fmpi_rank_of(f, at->unit);
  EYOTI_ASSERT(at->slot != FAB_SEG_MAX && at->ptr == NULL);
  EYOTI_TRY(slot_of_next(f, &o));
  o->amo = *e;
  o->amo.seg = f->seg[at->slot].id;
  o->amo.unit = at->unit;
  o->amo.off = (uint64_t)at->disp;
  o->amo.slot = (uint32_t)(x->posted % FMPI_REMOTE_AMOS_MAX);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* copies by the CPU before it */
  FMPI_TRY(MPI_Irecv(&o->before, sizeof o->before, MPI_BYTE, rank, (int)o->amo.slot, x->comm,
                     &o->answered));
  FMPI_TRY(
      MPI_Isend(&o->amo, sizeof o->amo, MPI_BYTE, rank, FMPI_REMOTE_AMO_TAG, x->comm, &o->sent));
  o->op = op;
  o->used = true;
  f->stats.remote_amos++;
  if (op != NULL) {
    op->sent = true;
    op->ticket = x->posted;
  }
  x->posted++;
  return EYOT_OK;
}

int fmpi_remote_amo_signal(struct fmpi *f, const struct fmpi_at *at, enum fab_sig_op what,
                           uint64_t value, struct fmpi_op *op) {
  const struct fmpi_remote_amo e = {
      .what = what == FAB_SIG_SET ? FMPI_REMOTE_AMO_SET : FMPI_REMOTE_AMO_ADD,
      .width = 8,
      .operand = value};
  return fmpi_remote_amo_post(f, at, &e, op);
}

int fmpi_remote_amo_test(struct fmpi *f, struct fmpi_op *op, bool *done) {
  struct fmpi_out *o = &f->progress.remote_amos->out[op->ticket % FMPI_REMOTE_AMOS_MAX];
  *done = true;
  if (op->remote_done) return EYOT_OK;
  EYOTI_ASSERT(o->used && o->op == op);
  EYOTI_TRY(fmpi_test_mpi(&o->answered, 1, done));
  return *done ? account(f, o) : EYOT_OK;
}

int fmpi_remote_amo_wait(struct fmpi *f, struct fmpi_op *op) {
  struct fmpi_out *o = &f->progress.remote_amos->out[op->ticket % FMPI_REMOTE_AMOS_MAX];
  if (op->remote_done) return EYOT_OK;
  EYOTI_ASSERT(o->used && o->op == op);
  return remote_amo_await(f, o);
}

int fmpi_remote_amos_drain(struct fmpi *f) {
  for (uint32_t i = 0; i < FMPI_REMOTE_AMOS_MAX; i++)
    if (f->progress.remote_amos->out[i].used)
      EYOTI_TRY(remote_amo_await(f, &f->progress.remote_amos->out[i]));
  return EYOT_OK;
}
