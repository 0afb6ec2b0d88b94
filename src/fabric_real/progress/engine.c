/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - the units' side of the progress engine: rings, handing transfers over, waiting for
 * them. See engine.h. */
#include "fabric_real/progress/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "fabric_real/progress/private.h"

/* at a counter that a progress process with a processor is about to change: some 5 us */
#define SPINS_BEFORE_GIVING_WAY 200u
/* attached memory of this unit needs it inside MPI now and then */
#define ROUNDS_PER_POLL 16u

int fmpi_engine_open(struct fmpi *f) {
  if (f->servers == 0) return EYOT_OK;
  struct fmpi_engine *e = calloc(1, sizeof *e);
  if (e == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the progress engine (%zu bytes)", sizeof *e);
  uint64_t bytes = (uint64_t)f->fab.local.n * f->servers * sizeof(struct fmpi_ring);
  bool first = f->server == FMPI_UNIT && f->fab.me == f->fab.local.first;
  void *rings;
  f->engine = e;
  e->win = MPI_WIN_NULL;
  e->side = calloc(f->servers, sizeof *e->side);
  if (e->side == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the rings to %u progress processes", f->servers);
  EYOTI_TRY(fmpi_share_lines(f, bytes, &e->win, &rings));
  e->rings = rings;
  if (first)
    for (uint64_t i = 0; i < (uint64_t)f->fab.local.n * f->servers; i++)
      e->rings[i] = (struct fmpi_ring){0};
  FMPI_TRY(MPI_Barrier(f->node)); /* nobody's request may come before the zeroes */
  f->fab.delegates = true;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PROGRESS_BYTES, &e->least_bytes));
  return fmpi_private_open(f);
}

int fmpi_engine_close(struct fmpi *f) {
  if (f->engine == NULL) return EYOT_OK;
  FMPI_TRY(MPI_Win_free(&f->engine->win));
  free(f->engine->side);
  free(f->engine->pid);
  free(f->engine);
  f->engine = NULL;
  return EYOT_OK;
}

/* One more round of waiting for a progress process. */
static int let_server_work(struct fmpi *f, uint64_t round) {
  if (round < SPINS_BEFORE_GIVING_WAY) {
    fab_relax();
    return EYOT_OK;
  }
  if (round % ROUNDS_PER_POLL == 0) EYOTI_TRY(fmpi_poll(f));
  fmpi_give_way_woken(f, round - SPINS_BEFORE_GIVING_WAY);
  return EYOT_OK;
}

/* The progress process may sleep. It has seen to it that nobody needs a fence here (server_idle.c),
 * where the system can do that. */
static void ring_wake(const struct fmpi *f, uint32_t server) {
  if (!f->wakeups->quiet) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  fmpi_wakeup_post(f, f->fab.local.n + server);
}

static void mark_failed(struct fmpi *f, uint32_t server, const struct fmpi_failure *x) {
  struct fmpi_op *op = f->live;
  while (op != NULL && !(op->delegated && op->ring == server && op->ticket == x->number))
    op = op->next;
  /* an operation is live until its `done` has been seen, and failures are seen first */
  EYOTI_ASSERT(op != NULL && op->failed == 0);
  op->failed = EYOTI_FAIL(
      EYOT_ESYS,
      "a non-blocking %s unit %u could not %s the caller's buffer: %s. A progress process accesses "
      "it, so it must be mapped and "
      "%s until the operation is complete (EYOT_PROGRESS_PRIVATE=off: the unit does it itself)",
      x->is_get != 0 ? "get from" : "put to", op->unit, x->is_get != 0 ? "write to" : "read",
      strerror((int)x->error), x->is_get != 0 ? "writable" : "readable");
  if (!op->requested) f->lost++;
}

/* What has failed of what was taken or done, as last read with acquire. */
static void see_failures(struct fmpi *f, uint32_t server) {
  const struct fmpi_ring *r = fmpi_ring_of(f, f->fab.me - f->fab.local.first, server);
  struct fmpi_side *own = &f->engine->side[server];
  uint64_t n = __atomic_load_n(&r->failures, __ATOMIC_ACQUIRE); /* pairs with fmpi_private_failed */
  for (; __builtin_expect(own->failures != n, 0); own->failures++)
    mark_failed(f, server, &r->failure[own->failures % FMPI_FAILURES_MAX]);
}

/* Writes a request into the ring to a progress process; waits while it is full. *number: its. Reads
 * no line that the other writes unless the ring looks full. */
static int ring_post(struct fmpi *f, uint32_t server, const struct fmpi_request *q,
                     uint64_t *number) {
  struct fmpi_ring *r = fmpi_ring_of(f, f->fab.me - f->fab.local.first, server);
  struct fmpi_side *own = &f->engine->side[server];
  uint64_t n = own->posted;
  for (uint64_t round = 0; n - own->taken >= FMPI_RING_REQUESTS; round++) {
    own->taken = __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE);
    see_failures(f, server);
    if (n - own->taken >= FMPI_RING_REQUESTS) EYOTI_TRY(let_server_work(f, round));
  }
  r->slot[n % FMPI_RING_REQUESTS] = *q;
  own->posted = n + 1;
  __atomic_store_n(&r->posted, n + 1, __ATOMIC_RELEASE); /* pairs with take in server.c */
  ring_wake(f, server);
  *number = n;
  return EYOT_OK;
}

static inline bool is_in(const struct fmpi *f, uint32_t slot, const void *here, uint64_t len,
                         uint64_t *off) {
  const struct fmpi_seg *s = &f->seg[slot];
  uint64_t end = f->fab.local.n * s->stride;
  *off = (uint64_t)((uintptr_t)here - (uintptr_t)s->base);
  return s->live && *off < end && len <= end - *off;
}

/* Where a buffer lies in memory that the node's progress processes map: mostly where the one before
 * did. */
static bool find_here(const struct fmpi *f, const void *here, uint64_t len, uint32_t *slot,
                      uint64_t *off) {
  *slot = f->engine->here_slot;
  if (is_in(f, *slot, here, len, off)) return true;
  for (*slot = 0; *slot < FAB_SEG_MAX; ++*slot)
    if (is_in(f, *slot, here, len, off)) {
      f->engine->here_slot = *slot;
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
  return t->len >= f->engine->least_private;
}

int fmpi_engine_post(struct fmpi *f, const struct fmpi_transfer *t, fab_req_t *req, bool *taken) {
  struct fmpi_request q;
  fab_unit_t unit = t->at->unit;
  *taken = false;
  if (!ring_describe(f, t, &q)) return EYOT_OK;
  EYOTI_TRY(fmpi_target_add_delegated(f, unit, t->is_get));
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, unit, req != NULL, &op));
  op->is_get = t->is_get;
  op->delegated = true;
  op->ring = f->engine->turn;
  int rc = ring_post(f, op->ring, &q, &op->ticket);
  if (rc != 0) {
    fmpi_op_drop(f, op);
    return rc;
  }
  f->engine->turn = (f->engine->turn + 1) % f->servers;
  fmpi_op_issued(f, op);
  f->stats.handed_ops++;
  f->stats.handed_bytes += t->len;
  if (q.here_seg == FMPI_HERE_PRIVATE) {
    f->stats.private_ops++;
    f->stats.private_bytes += t->len;
  }
  if (req != NULL) *req = fmpi_op_id(op);
  *taken = true;
  return EYOT_OK;
}

static struct fmpi_ring *ring_of(const struct fmpi *f, const struct fmpi_op *op) {
  return fmpi_ring_of(f, f->fab.me - f->fab.local.first, op->ring);
}

bool fmpi_engine_test(struct fmpi *f, struct fmpi_op *op) {
  struct fmpi_ring *r = ring_of(f, op);
  if (op->local_done) return true;
  /* pairs with finish in server.c */
  if (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) <= op->ticket) {
    if (!f->one_node && __atomic_load_n(&r->urged, __ATOMIC_RELAXED) <= op->ticket)
      __atomic_store_n(&r->urged, op->ticket + 1, __ATOMIC_RELAXED);
    return false;
  }
  see_failures(f, op->ring);
  op->local_done = op->remote_done = true;
  fmpi_target_done(f, op->unit, op->is_get);
  return true;
}

int fmpi_engine_wait(struct fmpi *f, struct fmpi_op *op) {
  for (uint64_t round = 0; !fmpi_engine_test(f, op); round++) EYOTI_TRY(let_server_work(f, round));
  fmpi_awake(f);
  return EYOT_OK;
}

int fmpi_engine_command(struct fmpi *f, enum fmpi_do what, fab_seg_t seg, uint64_t len) {
  const struct fmpi_request q = {.what = what, .seg = seg, .len = len};
  uint64_t number;
  if (f->servers == 0 || f->fab.me != f->fab.local.first) return EYOT_OK;
  for (uint32_t j = 0; j < f->servers; j++) EYOTI_TRY(ring_post(f, j, &q, &number));
  return EYOT_OK;
}
