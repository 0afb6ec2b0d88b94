/* fr_engine.c - the units' side of the progress engine: rings, handing transfers over, waiting for them. See fr_engine.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fr_engine.h"

#include <stdlib.h>

#include "../base/conf.h"

#define LOOKS_BEFORE_GIVING_WAY 200u /* at a counter that a progress process with a processor of its own is about to change */
#define ROUNDS_PER_POLL 16u          /* attached memory of this unit needs it inside MPI now and then */

int fr_engine_open(struct fr *f) {
  if (f->servers == 0) return EYOT_OK;
  struct fr_engine *e = calloc(1, sizeof *e);
  if (e == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the progress engine (%zu bytes)", sizeof *e);
  uint64_t bytes = (uint64_t)f->fab.local.n * f->servers * sizeof(struct fr_ring);
  bool first = f->server == FR_UNIT && f->fab.me == f->fab.local.first;
  MPI_Aint size;
  int unit_bytes;
  void *own;
  char *begin;
  f->engine = e;
  e->win = MPI_WIN_NULL;
  FR_TRY(MPI_Win_allocate_shared(first ? (MPI_Aint)(bytes + FR_LINE) : 0, 1, MPI_INFO_NULL, f->node, &own, &e->win));
  FR_TRY(MPI_Win_shared_query(e->win, 0, &size, &unit_bytes, &begin));
  EYOTI_ASSERT((uint64_t)size >= bytes + FR_LINE);
  /* Open MPI begins windows wherever its own state ends, at the same place of a page for all. */
  e->rings = (struct fr_ring *)(void *)(begin + (FR_LINE - (uintptr_t)begin % FR_LINE) % FR_LINE);
  if (first)
    for (uint64_t i = 0; i < (uint64_t)f->fab.local.n * f->servers; i++) e->rings[i] = (struct fr_ring){0};
  FR_TRY(MPI_Barrier(f->node)); /* nobody's request may come before the zeroes */
  f->fab.delegates = true;
  return eyoti_conf_u64(EYOTI_CONF_PROGRESS_BYTES, &e->least_bytes);
}

int fr_engine_close(struct fr *f) {
  if (f->engine == NULL) return EYOT_OK;
  FR_TRY(MPI_Win_free(&f->engine->win));
  free(f->engine);
  f->engine = NULL;
  return EYOT_OK;
}

/* One more round of waiting for a progress process. */
static int let_server_work(struct fr *f, uint64_t round) {
  if (!f->crowded && round < LOOKS_BEFORE_GIVING_WAY) return EYOT_OK;
  if (round % ROUNDS_PER_POLL == 0) EYOTI_TRY(fr_poll(f));
  fr_give_way(f, round);
  return EYOT_OK;
}

/* Writes a request into a ring; waits while it is full. *number: its. */
static int post(struct fr *f, struct fr_ring *r, const struct fr_request *q, uint64_t *number) {
  uint64_t n = __atomic_load_n(&r->posted, __ATOMIC_RELAXED); /* only we write it */
  for (uint64_t round = 0; n - __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE) >= FR_RING_REQUESTS; round++)
    EYOTI_TRY(let_server_work(f, round));
  r->slot[n % FR_RING_REQUESTS] = *q;
  __atomic_store_n(&r->posted, n + 1, __ATOMIC_RELEASE); /* pairs with take in fr_server.c */
  *number = n;
  return EYOT_OK;
}

/* Where a buffer lies in memory that the node's progress processes map. */
static bool find_here(const struct fr *f, const void *here, uint64_t len, uint32_t *slot, uint64_t *off) {
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++) {
    const struct fr_seg *s = &f->seg[i];
    uint64_t from = (uint64_t)((uintptr_t)here - (uintptr_t)s->base), end = f->fab.local.n * s->stride;
    if (!s->live || from >= end || len > end - from) continue;
    *slot = i;
    *off = from;
    return true;
  }
  return false;
}

/* False: it cannot be handed over. */
static bool describe(const struct fr *f, const struct fr_transfer *t, struct fr_request *q) {
  *q = (struct fr_request){
      .what = t->is_get ? FR_DO_GET : FR_DO_PUT, .unit = t->at->unit, .seg = t->at->slot, .off = (uint64_t)t->at->disp, .len = t->len};
  if (t->sig != NULL) {
    if (t->sig->at.seg == FAB_SEG_ATTACHED) return false;
    q->what = FR_DO_PUT_SIGNAL;
    q->sig_seg = t->sig->at.seg % FAB_SEG_MAX;
    q->sig_off = t->sig->at.off;
    q->sig_op = t->sig->op;
    q->sig_value = t->sig->value;
  }
  return t->at->slot != FAB_SEG_MAX && find_here(f, t->here, t->len, &q->here_seg, &q->here_off);
}

int fr_engine_post(struct fr *f, const struct fr_transfer *t, fab_req_t *req, bool *taken) {
  struct fr_request q;
  fab_unit_t unit = t->at->unit;
  *taken = false;
  if (!describe(f, t, &q)) return EYOT_OK;
  EYOTI_TRY(fr_target_add_delegated(f, unit, t->is_get));
  struct fr_op *op;
  EYOTI_TRY(fr_op_new(f, unit, req != NULL, &op));
  op->is_get = t->is_get;
  op->delegated = true;
  op->ring = f->engine->turn;
  int rc = post(f, fr_ring_of(f, f->fab.me - f->fab.local.first, op->ring), &q, &op->ticket);
  if (rc != 0) {
    fr_op_drop(f, op);
    return rc;
  }
  f->engine->turn = (f->engine->turn + 1) % f->servers;
  fr_op_issued(f, op);
  f->stats.handed_ops++;
  f->stats.handed_bytes += t->len;
  if (req != NULL) *req = fr_op_id(op);
  *taken = true;
  return EYOT_OK;
}

static struct fr_ring *ring_of(const struct fr *f, const struct fr_op *op) {
  return fr_ring_of(f, f->fab.me - f->fab.local.first, op->ring);
}

bool fr_engine_test(struct fr *f, struct fr_op *op) {
  struct fr_ring *r = ring_of(f, op);
  if (op->local_done) return true;
  if (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) <= op->ticket) { /* pairs with finish in fr_server.c */
    if (__atomic_load_n(&r->urged, __ATOMIC_RELAXED) <= op->ticket) __atomic_store_n(&r->urged, op->ticket + 1, __ATOMIC_RELAXED);
    return false;
  }
  op->local_done = op->remote_done = true;
  fr_target_done(f, op->unit, op->is_get);
  return true;
}

int fr_engine_wait(struct fr *f, struct fr_op *op) {
  for (uint64_t round = 0; !fr_engine_test(f, op); round++) EYOTI_TRY(let_server_work(f, round));
  return EYOT_OK;
}

int fr_engine_command(struct fr *f, enum fr_do what, fab_seg_t seg, uint64_t len) {
  const struct fr_request q = {.what = what, .seg = seg, .len = len};
  uint64_t number;
  if (f->servers == 0 || f->fab.me != f->fab.local.first) return EYOT_OK;
  for (uint32_t j = 0; j < f->servers; j++) EYOTI_TRY(post(f, fr_ring_of(f, 0, j), &q, &number));
  return EYOT_OK;
}
