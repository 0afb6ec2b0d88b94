/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - see engine.h: the rings, posting requests, waiting for them. */
#include "fabric_real/progress/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "fabric_real/endpoint/node_memory.h"
#include "fabric_real/progress/private.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/wakeup.h"

/* on a counter that a running progress process is about to change: some 5 us */
#define SPINS_BEFORE_GIVING_WAY 200u
/* attached memory of this unit needs it inside MPI now and then */
#define ROUNDS_PER_POLL 16u

/* Rings begin with the number that tests have set. Each side sets its own words; until both have,
 * the other sees a ring with nothing to do, or a full one. */
static void number_rings(const struct fmpi *f) {
  uint64_t from = f->job.numbers_from;
  bool unit = f->job.server == FMPI_UNIT;
  for (uint32_t k = 0; k < f->fab.local.n; k++)
    for (uint32_t j = 0; j < f->job.servers; j++) {
      struct fmpi_ring *r = fmpi_ring_of(f, k, j);
      if (unit && f->fab.me == f->fab.local.first + k) {
        f->progress.engine->side[j].posted = f->progress.engine->side[j].taken = from;
        __atomic_store_n(&r->urged, from, __ATOMIC_RELAXED);
        __atomic_store_n(&r->posted, from, __ATOMIC_RELEASE);
      } else if (!unit && f->job.server == j) {
        __atomic_store_n(&r->done, from, __ATOMIC_RELAXED);
        __atomic_store_n(&r->taken, from, __ATOMIC_RELEASE);
      }
    }
}

int fmpi_engine_open(struct fmpi *f) {
  if (f->job.servers == 0) return EYOT_OK;
  struct fmpi_engine *e = calloc(1, sizeof *e);
  if (e == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the progress engine (%zu bytes)", sizeof *e);
  uint64_t bytes = (uint64_t)f->fab.local.n * f->job.servers * sizeof(struct fmpi_ring);
  f->progress.engine = e;
  e->side = calloc(f->job.servers, sizeof *e->side);
  if (e->side == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the rings to %u progress processes",
                      f->job.servers);
  EYOTI_TRY(fmpi_share_lines(f, "rings", bytes, &e->shared));
  e->rings = (struct fmpi_ring *)(void *)e->shared.at;
  if (f->job.numbers_from != 0) number_rings(f);
  f->fab.delegates = true;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PROGRESS_BYTES, &e->least_bytes));
  return fmpi_private_open(f);
}

int fmpi_engine_close(struct fmpi *f) {
  if (f->progress.engine == NULL) return EYOT_OK;
  fmpi_private_close(f);
  fmpi_shared_leave(&f->progress.engine->shared);
  free(f->progress.engine->side);
  free(f->progress.engine->pid);
  free(f->progress.engine);
  f->progress.engine = NULL;
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

/* The progress process may sleep. Where the system can, it has made a fence here unnecessary
 * (server_idle.c). */
static void ring_wake(const struct fmpi *f, uint32_t server) {
  if (!f->job.quiet_fence) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  fmpi_wakeup_post(f, f->fab.local.n + server);
}

static void mark_failed(struct fmpi *f, uint32_t server, const struct fmpi_failure *x) {
  struct fmpi_op *op = f->ops.live;
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
  if (!op->requested) f->ops.lost++;
}

/* Reads the failures of requests that were taken or done, as last read with acquire. */
static void see_failures(struct fmpi *f, uint32_t server) {
  const struct fmpi_ring *r = fmpi_ring_of(f, f->fab.me - f->fab.local.first, server);
  struct fmpi_side *own = &f->progress.engine->side[server];
  uint64_t n = __atomic_load_n(&r->failures, __ATOMIC_ACQUIRE); /* pairs with fmpi_private_failed */
  for (; __builtin_expect(own->failures != n, 0); own->failures++)
    mark_failed(f, server, &r->failure[own->failures % FMPI_FAILURES_MAX]);
}

/* Reads no line that the progress process writes unless the ring looks full. */
int fmpi_ring_slot(struct fmpi *f, uint32_t server, struct fmpi_request **slot) {
  struct fmpi_ring *r = fmpi_ring_of(f, f->fab.me - f->fab.local.first, server);
  struct fmpi_side *own = &f->progress.engine->side[server];
  uint64_t n = own->posted;
  for (uint64_t round = 0; n - own->taken >= FMPI_RING_REQUESTS; round++) {
    own->taken = __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE);
    see_failures(f, server);
    if (n - own->taken >= FMPI_RING_REQUESTS) EYOTI_TRY(let_server_work(f, round));
  }
  *slot = &r->slot[n % FMPI_RING_REQUESTS];
  return EYOT_OK;
}

uint64_t fmpi_ring_post(struct fmpi *f, uint32_t server) {
  struct fmpi_ring *r = fmpi_ring_of(f, f->fab.me - f->fab.local.first, server);
  uint64_t n = f->progress.engine->side[server].posted++;
  __atomic_store_n(&r->posted, n + 1, __ATOMIC_RELEASE); /* pairs with server_take in server.c */
  ring_wake(f, server);
  return n;
}

static struct fmpi_ring *ring_of(const struct fmpi *f, const struct fmpi_op *op) {
  return fmpi_ring_of(f, f->fab.me - f->fab.local.first, op->ring);
}

bool fmpi_engine_test(struct fmpi *f, struct fmpi_op *op) {
  struct fmpi_ring *r = ring_of(f, op);
  if (op->local_done) return true;
  /* pairs with server_finish in server.c */
  if (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) <= op->ticket) {
    if (!f->job.one_node && __atomic_load_n(&r->urged, __ATOMIC_RELAXED) <= op->ticket)
      __atomic_store_n(&r->urged, op->ticket + 1, __ATOMIC_RELAXED);
    return false;
  }
  see_failures(f, op->ring);
  op->local_done = op->remote_done = true;
  fmpi_target_done(&f->targets, op->unit, op->is_get);
  return true;
}

int fmpi_engine_wait(struct fmpi *f, struct fmpi_op *op) {
  for (uint64_t round = 0; !fmpi_engine_test(f, op); round++) EYOTI_TRY(let_server_work(f, round));
  fmpi_awake(f);
  return EYOT_OK;
}

int fmpi_engine_command(struct fmpi *f, enum fmpi_do what, fab_seg_t seg, uint64_t len) {
  struct fmpi_request *q;
  if (f->job.servers == 0 || f->fab.me != f->fab.local.first) return EYOT_OK;
  for (uint32_t j = 0; j < f->job.servers; j++) {
    EYOTI_TRY(fmpi_ring_slot(f, j, &q));
    *q = (struct fmpi_request){.what = what, .seg = seg, .len = len};
    (void)fmpi_ring_post(f, j);
  }
  return EYOT_OK;
}
