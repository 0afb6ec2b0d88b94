/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - see server.h: a progress process serves the windows of its node by being inside MPI,
 * and executes the requests of units.
 *
 * Transfers on the node are copied at once; the others are handed to MPI and flushed together: when
 * a round has found no further request, when a unit waits, or when the backlog is full (H. Zhou,
 * dissertation 2016, figure 7.7). A progress process without work polls as long as no other process
 * wants its processor (server_idle.c). */
#include "fabric_real/progress/server.h"

#include <string.h>
#include <sys/prctl.h>

#include "base/conf.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/remote.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/mem/seg.h"
#include "fabric_real/progress/amo_server.h"
#include "fabric_real/progress/engine.h"
#include "fabric_real/progress/private.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/progress/server_idle.h"
#include "fabric_real/progress/stage.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/probe.h"
#include "fabric_real/wait/wakeup.h"

#define REQUESTS_A_ROUND 16u /* of one ring before the next has its turn */
#define BACKLOG_MAX 64u      /* (window, rank) pairs that wait for a flush */

struct server {
  struct fmpi *f;
  uint32_t pairs; /* not flushed */
  struct {
    MPI_Win win;
    int rank;
  } backlog[BACKLOG_MAX];
  struct fmpi_stage *stage; /* of private buffers; NULL: no other nodes */
  uint32_t signals; /* whose bytes are not flushed; their (window, rank) are in the backlog */
  struct {
    struct fmpi_at at;
    enum fab_sig_op op;
    uint64_t value; /* MPI reads it until it is flushed */
  } signal[BACKLOG_MAX];
  bool urged; /* a unit waits */
  bool over;
};

/* Everything that was taken from the ring of the unit at `place` is complete. Pairs with
 * fmpi_engine_test. */
static void server_finish(const struct fmpi *f, uint32_t place) {
  struct fmpi_ring *r = fmpi_ring_of(f, place, f->job.server);
  uint64_t taken = __atomic_load_n(&r->taken, __ATOMIC_RELAXED);
  /* leaves the line where it is */
  if (__atomic_load_n(&r->done, __ATOMIC_RELAXED) == taken) return;
  __atomic_store_n(&r->done, taken, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* before the read of the wakeup word */
  fmpi_wakeup_post(f, place);
}

static int flush_pairs(struct server *s) {
  for (uint32_t i = 0; i < s->pairs; i++) {
    EYOTI_TRY(fmpi_let_run(s->f, s->backlog[i].rank));
    FMPI_TRY(MPI_Win_flush(s->backlog[i].rank, s->backlog[i].win));
  }
  return EYOT_OK;
}

static int signals_by_mpi(struct server *s) {
  for (uint32_t i = 0; i < s->signals; i++)
    EYOTI_TRY(fmpi_signal_by_mpi(s->f, &s->signal[i].at, s->signal[i].op, &s->signal[i].value));
  return flush_pairs(s);
}

static int send_signals(struct server *s) {
  for (uint32_t i = 0; i < s->signals; i++)
    EYOTI_TRY(
        fmpi_remote_amo_signal(s->f, &s->signal[i].at, s->signal[i].op, s->signal[i].value, NULL));
  return fmpi_remote_amos_drain(s->f);
}

/* Flushes bytes, then the signals that follow them. */
static int flush_backlog(struct server *s) {
  struct fmpi *f = s->f;
  if (s->stage != NULL) EYOTI_TRY(fmpi_stage_settle(f, s->stage));
  EYOTI_TRY(flush_pairs(s));
  if (s->signals != 0)
    EYOTI_TRY(f->progress.remote_amos != NULL ? send_signals(s) : signals_by_mpi(s));
  s->pairs = s->signals = 0;
  s->urged = false;
  for (uint32_t k = 0; k < f->fab.local.n; k++) server_finish(f, k);
  return EYOT_OK;
}

static int remember(struct server *s, const struct fmpi_at *at) {
  MPI_Aint disp;
  int rank;
  fmpi_target_rank(s->f, at, &rank, &disp);
  for (uint32_t i = 0; i < s->pairs; i++)
    if (s->backlog[i].rank == rank && s->backlog[i].win == at->win) return EYOT_OK;
  if (s->pairs == BACKLOG_MAX) EYOTI_TRY(flush_backlog(s));
  s->backlog[s->pairs].win = at->win;
  s->backlog[s->pairs++].rank = rank;
  return EYOT_OK;
}

static int server_copy(struct fmpi *f, const struct fmpi_request *q, char *there, char *here) {
  for (uint64_t at = 0; at < q->len; at += FMPI_COPY_BYTES) {
    uint64_t len = q->len - at < FMPI_COPY_BYTES ? q->len - at : FMPI_COPY_BYTES;
    if (q->what == FMPI_DO_GET)
      fmpi_copy_out(here + at, there + at, len);
    else
      fmpi_copy_in(there + at, here + at, len);
    if (!f->job.one_node && len == FMPI_COPY_BYTES) EYOTI_TRY(fmpi_poll(f));
  }
  return EYOT_OK;
}

static int send_pieces(struct server *s, const struct fmpi_request *q, const struct fmpi_at *at,
                       char *here) {
  struct fmpi *f = s->f;
  EYOTI_TRY(remember(s, at));
  for (uint64_t done = 0; done < q->len; done += f->job.chunk_bytes) {
    uint64_t left = q->len - done;
    EYOTI_TRY(fmpi_move_piece(f, at, here, done,
                              left < f->job.chunk_bytes ? left : f->job.chunk_bytes,
                              q->what == FMPI_DO_GET, NULL));
  }
  return EYOT_OK;
}

/* In the same way as all atomics and signals (fmpi_by_cpu). */
static int server_signal(struct server *s, const struct fmpi_request *q) {
  struct fmpi *f = s->f;
  struct fmpi_at at;
  EYOTI_TRY(
      fmpi_resolve(f, fab_at(q->unit, f->seg[q->sig_seg].id, q->sig_off), sizeof(uint64_t), &at));
  if (fmpi_by_cpu(f, &at)) {
    fmpi_signal_mapped(f, &at, (enum fab_sig_op)q->sig_op, q->sig_value);
    return EYOT_OK;
  }
  if (s->signals == BACKLOG_MAX) EYOTI_TRY(flush_backlog(s));
  EYOTI_TRY(remember(s, &at));
  s->signal[s->signals].at = at;
  s->signal[s->signals].op = (enum fab_sig_op)q->sig_op;
  s->signal[s->signals++].value = q->sig_value;
  return EYOT_OK;
}

static int transfer_private(struct server *s, const struct fmpi_asked *a, const struct fmpi_at *at,
                            bool *failed) {
  struct fmpi *f = s->f;
  int error = 0;
  if (at->ptr == NULL) {
    /* gets too: until the backlog is flushed none of its ring counts as done */
    EYOTI_TRY(remember(s, at));
    EYOTI_TRY(fmpi_stage_move(f, s->stage, a, at, &error));
  } else {
    EYOTI_TRY(fmpi_private_copy(f, a, at->ptr, &error));
  }
  *failed = error != 0;
  if (error == 0) return EYOT_OK;
  /* gets before it may have failed too, and are noted first */
  if (s->stage != NULL) EYOTI_TRY(fmpi_stage_settle(f, s->stage));
  fmpi_private_failed(f, a->place, a->number, a->q.what == FMPI_DO_GET, error);
  return EYOT_OK;
}

static int transfer_global(struct server *s, const struct fmpi_request *q,
                           const struct fmpi_at *at) {
  const struct fmpi_seg *own = &s->f->seg[q->here_seg];
  EYOTI_ASSERT(own->live);
  char *here = own->base + q->here_off;
  return at->ptr != NULL ? server_copy(s->f, q, at->ptr, here) : send_pieces(s, q, at, here);
}

static int transfer(struct server *s, const struct fmpi_asked *a) {
  struct fmpi *f = s->f;
  const struct fmpi_request *q = &a->q;
  struct fmpi_at at;
  bool failed = false;
  EYOTI_ASSERT(f->seg[q->seg].live);
  EYOTI_TRY(fmpi_resolve(f, fab_at(q->unit, f->seg[q->seg].id, q->off), q->len, &at));
  EYOTI_TRY(q->here_seg == FMPI_HERE_PRIVATE ? transfer_private(s, a, &at, &failed)
                                             : transfer_global(s, q, &at));
  /* a signal says that the bytes are there */
  return q->what == FMPI_DO_PUT_SIGNAL && !failed ? server_signal(s, q) : EYOT_OK;
}

/* What a crash report calls the request. */
static const char *const REQUESTS[] = {[FMPI_DO_PUT] = "a put",
                                       [FMPI_DO_GET] = "a get",
                                       [FMPI_DO_PUT_SIGNAL] = "a put with signal",
                                       [FMPI_DO_CREATE] = "making a segment",
                                       [FMPI_DO_DESTROY] = "releasing a segment",
                                       [FMPI_DO_END] = "the end of the run"};

static int carry_out(struct server *s, const struct fmpi_asked *a) {
  struct fmpi *f = s->f;
  const struct fmpi_request *q = &a->q;
  if (q->what < sizeof REQUESTS / sizeof *REQUESTS) f->fab.note.what = REQUESTS[q->what];
  switch ((enum fmpi_do)q->what) {
    case FMPI_DO_PUT:
    case FMPI_DO_GET:
    case FMPI_DO_PUT_SIGNAL:
      return transfer(s, a);
    case FMPI_DO_CREATE:
      return fmpi_seg_serve(f, q->seg, q->len);
    case FMPI_DO_DESTROY:
      return fmpi_seg_release(f, &f->seg[q->seg % FAB_SEG_MAX]);
    case FMPI_DO_END:
      s->over = true;
      return EYOT_OK;
  }
  return EYOTI_FAIL(EYOT_ESYS, "a progress process has received an unknown request: %u", q->what);
}

/* Executes some requests of one unit's ring. */
static int server_take(struct server *s, uint32_t place, uint32_t *found) {
  struct fmpi_ring *r = fmpi_ring_of(s->f, place, s->f->job.server);
  /* pairs with fmpi_ring_post */
  uint64_t posted = __atomic_load_n(&r->posted, __ATOMIC_ACQUIRE);
  uint64_t next = __atomic_load_n(&r->taken, __ATOMIC_RELAXED); /* only we write it */
  for (uint32_t i = 0; i < REQUESTS_A_ROUND && next < posted; i++, next++) {
    const struct fmpi_asked a = {
        .q = r->slot[next % FMPI_RING_REQUESTS], .place = place, .number = next};
    (*found)++;
    EYOTI_TRY(carry_out(s, &a));
    /* the slot has been read; pairs with fmpi_ring_slot */
    __atomic_store_n(&r->taken, next + 1, __ATOMIC_RELEASE);
  }
  if (s->pairs == 0) server_finish(s->f, place);
  if (__atomic_load_n(&r->urged, __ATOMIC_RELAXED) > __atomic_load_n(&r->done, __ATOMIC_RELAXED))
    s->urged = true;
  return EYOT_OK;
}

int fmpi_serve(struct fmpi *f) {
  struct server s = {.f = f};
  /* tests of sleeping on any machine; not an option of a run */
  const char *told = eyoti_conf_foreign_env("EYOTI_MPI_SERVER_IDLE");
  struct fmpi_server_idle state = {.always = told != NULL && strcmp(told, "sleep") == 0};
  (void)prctl(PR_SET_NAME, "eyot-progress");
  if (!f->job.one_node) EYOTI_TRY(fmpi_stage_open(&s.stage));
  for (uint64_t idle = 0; !s.over;) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < f->fab.local.n && !s.over; k++) EYOTI_TRY(server_take(&s, k, &found));
    if (s.pairs != 0 && (found == 0 || s.urged)) EYOTI_TRY(flush_backlog(&s));
    if (f->progress.remote_amos != NULL)
      EYOTI_TRY(fmpi_remote_amos_serve(f, &found));
    else if (!f->job.one_node)
      EYOTI_TRY(fmpi_poll(f));
    /* MPI may have written words that units wait for */
    if (!f->job.one_node && f->job.oversubscribed) fmpi_wakeup_others(f);
    idle = found != 0 ? 0 : idle + 1;
    if (found != 0)
      fmpi_server_idle_over(f, &state);
    else
      fmpi_server_idle(f, &state, idle);
  }
  fmpi_stage_close(s.stage);
  return EYOT_OK;
}
