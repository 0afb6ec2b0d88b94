/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_amo.c - sending errands and waiting for their answers; and whether there are any. See
 * remote_amo.h. */
#include "fabric_real/ops/remote_amo.h"

#include <stdlib.h>

#include "base/conf.h"

static int settings(uint64_t *atomics, uint64_t *progress) {
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ATOMICS, atomics));
  return eyoti_conf_u64(EYOTI_CONF_PROGRESS, progress);
}

int fr_errands_check(void) {
  uint64_t atomics, progress;
  EYOTI_TRY(settings(&atomics, &progress));
  if (atomics != EYOTI_CONF_ATOMICS_OWNER ||
      (progress != 0 && progress != EYOTI_CONF_PROGRESS_THREAD))
    return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "EYOT_ATOMICS=owner needs progress processes, which execute the atomics of "
                    "other nodes: set EYOT_PROGRESS=1 too (eyotrun "
                    "--progress 1), or leave EYOT_ATOMICS at auto");
}

int fr_errands_open(struct fr *f) {
  uint64_t atomics, progress;
  EYOTI_TRY(settings(&atomics, &progress));
  if (f->one_node || f->servers == 0 || atomics == EYOTI_CONF_ATOMICS_MPI) return EYOT_OK;
  struct fr_errands *x = calloc(1, sizeof *x);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for errands (%zu bytes)", sizeof *x);
  for (uint32_t i = 0; i < FR_ERRANDS_MAX; i++)
    x->out[i].sent = x->out[i].answered = MPI_REQUEST_NULL;
  f->errands = x;
  FR_TRY(MPI_Comm_dup(f->wide, &x->comm));
  FR_TRY(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
  f->cpu_words = f->fab.cpu_atomics = f->fab.quiet = true;
  return f->server == FR_UNIT ? EYOT_OK : fr_desk_open(x->comm, &x->desk);
}

int fr_errands_close(struct fr *f) {
  struct fr_errands *x = f->errands;
  if (x == NULL) return EYOT_OK;
  for (uint32_t i = 0; i < FR_ERRANDS_MAX; i++) EYOTI_ASSERT(!x->out[i].used);
  if (x->desk != NULL) EYOTI_TRY(fr_desk_close(x->desk));
  FR_TRY(MPI_Comm_free(&x->comm));
  free(x);
  f->errands = NULL;
  return EYOT_OK;
}

/* The answer is here. */
static int account(struct fr *f, struct fr_out *o) {
  struct fr_op *op = o->op;
  /* it has arrived, so there is nothing to wait for but MPI's own accounts */
  EYOTI_TRY(fr_wait_mpi(f, &o->sent, 1));
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* copies by the CPU behind it */
  o->used = false;
  o->op = NULL;
  if (op == NULL) return EYOT_OK;
  if (op->old != NULL) *op->old = o->before;
  op->local_done = op->remote_done = true;
  fr_target_done(f, op->unit, false);
  return EYOT_OK;
}

/* A progress process executes errands of others meanwhile. */
static int await(struct fr *f, struct fr_out *o) {
  if (f->server == FR_UNIT) {
    EYOTI_TRY(fr_wait_mpi(f, &o->answered, 1));
    return account(f, o);
  }
  for (uint64_t round = 0;; round++) {
    uint32_t found = 0;
    bool done;
    EYOTI_TRY(fr_test_mpi(&o->answered, 1, &done));
    if (done) return account(f, o);
    EYOTI_TRY(fr_errands_serve(f, &found));
    if (found != 0) round = 0;
    fr_give_way(f, round);
  }
}

/* The slot of the next errand, free: if need be, the oldest is waited for. */
static int slot_of_next(struct fr *f, struct fr_out **out) {
  struct fr_errands *x = f->errands;
  struct fr_out *o = &x->out[x->posted % FR_ERRANDS_MAX];
  if (o->used) {
    struct fr_op *op = o->op;
    EYOTI_TRY(await(f, o));
    if (op != NULL && !op->requested) fr_op_drop(f, op); /* nobody will ask for it */
  }
  *out = o;
  return EYOT_OK;
}

int fr_errand_post(struct fr *f, const struct fr_at *at, const struct fr_errand *e,
                   struct fr_op *op) {
  struct fr_errands *x = f->errands;
  struct fr_out *o;
  int rank = fr_rank_of(f, at->unit);
  EYOTI_ASSERT(at->slot != FAB_SEG_MAX && at->ptr == NULL);
  EYOTI_TRY(slot_of_next(f, &o));
  o->errand = *e;
  o->errand.seg = f->seg[at->slot].id;
  o->errand.unit = at->unit;
  o->errand.off = (uint64_t)at->disp;
  o->errand.slot = (uint32_t)(x->posted % FR_ERRANDS_MAX);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* copies by the CPU before it */
  FR_TRY(MPI_Irecv(&o->before, sizeof o->before, MPI_BYTE, rank, (int)o->errand.slot, x->comm,
                   &o->answered));
  FR_TRY(MPI_Isend(&o->errand, sizeof o->errand, MPI_BYTE, rank, FR_ERRAND_TAG, x->comm, &o->sent));
  o->op = op;
  o->used = true;
  f->stats.errands++;
  if (op != NULL) {
    op->sent = true;
    op->ticket = x->posted;
  }
  x->posted++;
  return EYOT_OK;
}

int fr_errand_signal(struct fr *f, const struct fr_at *at, enum fab_sig_op what, uint64_t value,
                     struct fr_op *op) {
  const struct fr_errand e = {
      .what = what == FAB_SIG_SET ? FR_ERRAND_SET : FR_ERRAND_ADD, .width = 8, .operand = value};
  return fr_errand_post(f, at, &e, op);
}

int fr_errand_test(struct fr *f, struct fr_op *op, bool *done) {
  struct fr_out *o = &f->errands->out[op->ticket % FR_ERRANDS_MAX];
  *done = true;
  if (op->remote_done) return EYOT_OK;
  EYOTI_ASSERT(o->used && o->op == op);
  EYOTI_TRY(fr_test_mpi(&o->answered, 1, done));
  return *done ? account(f, o) : EYOT_OK;
}

int fr_errand_wait(struct fr *f, struct fr_op *op) {
  struct fr_out *o = &f->errands->out[op->ticket % FR_ERRANDS_MAX];
  if (op->remote_done) return EYOT_OK;
  EYOTI_ASSERT(o->used && o->op == op);
  return await(f, o);
}

int fr_errands_drain(struct fr *f) {
  for (uint32_t i = 0; i < FR_ERRANDS_MAX; i++)
    if (f->errands->out[i].used) EYOTI_TRY(await(f, &f->errands->out[i]));
  return EYOT_OK;
}
