/* SPDX-License-Identifier: BSD-3-Clause */
/* handover.c - see handover.h. */
#include "fabric_real/ops/handover.h"

#include "fabric_real/ops/complete.h"

static inline bool is_in(const struct fmpi *f, uint32_t slot, const void *here, uint64_t len,
                         uint64_t *off) {
  const struct fmpi_seg *s = &f->seg[slot];
  uint64_t end = f->fab.local.n * s->stride;
  *off = (uint64_t)((uintptr_t)here - (uintptr_t)s->base);
  return s->live && *off < end && len <= end - *off;
}

/* The segment in which a buffer lies, which the node's progress processes map: usually the same as
 * last time. */
static bool find_here(const struct fmpi *f, const void *here, uint64_t len, uint32_t *slot,
                      uint64_t *off) {
  *slot = f->progress.engine->here_slot;
  if (is_in(f, *slot, here, len, off)) return true;
  for (*slot = 0; *slot < FAB_SEG_MAX; ++*slot)
    if (is_in(f, *slot, here, len, off)) {
      f->progress.engine->here_slot = *slot;
      return true;
    }
  return false;
}

/* False: it cannot be handed over. */
static bool ring_describe(const struct fmpi *f, const struct fmpi_transfer *t,
                          struct fmpi_request *q) {
  *q = (struct fmpi_request){.what = t->is_get ? FMPI_DO_GET : FMPI_DO_PUT,
                             .unit = t->at->unit,
                             .seg = t->at->slot,
                             .off = (uint64_t)t->at->disp,
                             .len = t->len};
  if (t->sig != NULL) {
    if (t->sig->at.seg == FAB_SEG_ATTACHED) return false;
    q->what = FMPI_DO_PUT_SIGNAL;
    q->sig_seg = t->sig->at.seg % FAB_SEG_MAX;
    q->sig_off = t->sig->at.off;
    q->sig_op = t->sig->op;
    q->sig_value = t->sig->value;
  }
  if (t->at->slot == FAB_SEG_MAX) return false;
  if (find_here(f, t->here, t->len, &q->here_seg, &q->here_off)) return true;
  q->here_seg = FMPI_HERE_PRIVATE;
  q->here_off = (uintptr_t)t->here;
  return t->len >= f->progress.engine->least_private;
}

int fmpi_engine_post(struct fmpi *f, const struct fmpi_transfer *t, fab_req_t *req, bool *taken) {
  struct fmpi_request *q;
  fab_unit_t unit = t->at->unit;
  uint32_t server = f->progress.engine->turn;
  *taken = false;
  EYOTI_TRY(fmpi_ring_slot(f, server, &q));
  if (!ring_describe(f, t, q)) return EYOT_OK;
  /* after the slot: both may wait, and neither uses the ring */
  EYOTI_TRY(fmpi_target_add_delegated(f, unit, t->is_get));
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, unit, req != NULL, &op));
  op->is_get = t->is_get;
  op->delegated = true;
  op->ring = server;
  bool is_private = q->here_seg == FMPI_HERE_PRIVATE;
  op->ticket = fmpi_ring_post(f, server);
  f->progress.engine->turn = server + 1 == f->job.servers ? 0 : server + 1;
  fmpi_op_issued(f, op);
  f->stats.handed_ops++;
  f->stats.handed_bytes += t->len;
  if (is_private) {
    f->stats.private_ops++;
    f->stats.private_bytes += t->len;
  }
  if (req != NULL) *req = fmpi_op_id(op);
  *taken = true;
  return EYOT_OK;
}
