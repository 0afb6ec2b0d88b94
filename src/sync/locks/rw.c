/* SPDX-License-Identifier: BSD-3-Clause */
/* rw.c - lock kind rw: many readers or one writer. It is in the table of kinds.h. rw.h has the
 * words and why they suffice, rw_reader.c the readers; this file has the writers.
 *
 * Neither readers nor writers starve. Counters are handled in windows, so that a writer's memory
 * does not grow with their number. Counts are kept in 9 bits: passes beyond 510 act as 510,
 * writers_max beyond 511 as 511. Source: Schmid, Besta, Hoefler: High-Performance Distributed RMA
 * Locks, HPDC 2016, section 3.3 (RMA-RW). */

/* The writers' protocol, and why it is right.
 *
 * Writers stand in the hierarchical queue (hier.c). At its head, with open counters, a writer
 *   1. lets readers pass: as long as its own run's counter is busy, until readers_max have arrived
 *      there, reading with back-off;
 *   2. closes all counters, by atomics that are in flight together;
 *   3. waits until as many readers have departed from each as had arrived, reading with back-off.
 * It leaves the counters closed for the next writer, as the tag that the queue carries, if one is
 * certain to follow and fewer than writers_max have held it in a row. Else it opens them, waits
 * until that is complete - or the next writer's closing could come before it -, and then leaves the
 * queue. A successor that may give up is not certain: if it did, the queue would be left with
 * closed counters and no unit to open them.
 *
 * Why a count is right: closing returns the arrivals before it. The read of DEPART may take effect
 * before or after that; departures only grow, and in a closed phase never beyond those arrivals, so
 * a read that finds them equal proves that all have departed.
 *
 * No starvation. A reader waits for at most one closed phase: at most writers_max holds of writers,
 * and the closing and opening; its arrival counts for the next open phase, and the writer after
 * that waits for it. A writer waits for at most W(0) writers (hier.c), and each time the counters
 * are opened for readers: readers_max of them at one counter, those that arrive between two reads
 * (pauses are below 4 us), and the holds that are in progress.
 *
 * Costs with c counters. Reader: rw_reader.c. Uncontended writer: those of hier, 2 reads in its own
 * run, 2c atomics to close and read, c to open; of consecutive writers: those of hier only. */
#include "sync/locks/rw.h"

#include <stdlib.h>

#include "sync/locks/kinds.h"

#define TAG_BITS 9u
#define ROW_MAX ((1u << TAG_BITS) - 1)
#define WINDOW 64u

/* -- all counters ------------------------------------------------------------------------------ */

/* A walk over the counters. */
struct walk {
  uint32_t next; /* first member of the next run */
  uint32_t guess;
};

/* Counters of one window. */
struct window {
  uint32_t n;
  struct fab_addr arrive[WINDOW], depart[WINDOW];
};

/* Fills the next window: at most WINDOW counters of runs before member `end`. */
static int next_window(struct eyot_rt *rt, const struct eyoti_lock *l, struct walk *walk,
                       uint32_t end, struct window *out) {
  for (out->n = 0; out->n < WINDOW && walk->next < end; out->n++) {
    struct eyoti_rw_counter counter;
    uint32_t first, behind;
    EYOTI_TRY(eyoti_rw_run(rt, l, walk->next, walk->guess, &first, &behind));
    EYOTI_TRY(eyoti_rw_counter(rt, l, first, behind, &counter));
    out->arrive[out->n] = counter.arrive;
    out->depart[out->n] = counter.depart;
    walk->guess = behind - first;
    walk->next = behind;
  }
  return EYOT_OK;
}

/* Atomics that are in flight together. */
struct flight {
  uint32_t n;
  fab_req_t req[WINDOW];
};

/* Posts the same atomic on n words. old[i], unless old is NULL, receives the value before of word
 * i, at any time until the flight has ended, also after an error. */
static int rw_post(struct eyot_rt *rt, const struct fab_addr *word, uint32_t n,
                   const struct fab_amo *amo, uint64_t *old, struct flight *f) {
  for (f->n = 0; f->n < n; f->n++)
    EYOTI_TRY(fab_amo(rt->fab, word[f->n], amo, old != NULL ? &old[f->n] : NULL, &f->req[f->n]));
  return EYOT_OK;
}

/* Waits for all operations of the flight, also after an error: they write to the caller's memory.
 * rc: the result so far. Returns the first error. */
static int end_flight(struct eyot_rt *rt, const struct flight *f, int rc) {
  for (uint32_t i = 0; i < f->n; i++) {
    int one = fab_req_end(rt->fab, FAB_ALL, f->req[i]);
    if (rc == EYOT_OK) rc = one;
  }
  return rc;
}

/* Opens the counters of members before `end`. Complete when it returns. */
static int open_counters(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t end) {
  static const struct fab_amo OPEN = {
      .op = FAB_AMO_ADD, .width = 8, .operand = EYOTI_RW_NEXT_PHASE};
  struct walk walk = {0, 0};
  while (walk.next < end) {
    struct window window;
    struct flight opened;
    EYOTI_TRY(next_window(rt, l, &walk, end, &window));
    EYOTI_TRY(end_flight(rt, &opened, rw_post(rt, window.arrive, window.n, &OPEN, NULL, &opened)));
  }
  return EYOT_OK;
}

/* A window of counters that are being closed: the first `busy` have, or may have, readers that have
 * not departed. */
struct closing {
  uint32_t busy;
  struct fab_addr depart[WINDOW];
  uint16_t arrived[WINDOW];
};

static const struct fab_amo READ = {.op = FAB_AMO_READ, .width = 8};

/* Drops the counters that are empty. */
static void keep_busy(struct closing *c, const uint64_t *departed) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < c->busy; i++) {
    if ((uint16_t)departed[i] == c->arrived[i]) continue;
    c->depart[kept] = c->depart[i];
    c->arrived[kept++] = c->arrived[i];
  }
  c->busy = kept;
}

/* Closes the counters of a window, and reads departures for the first time, all at once. */
static int close_window(struct eyot_rt *rt, const struct window *w, struct closing *c) {
  static const struct fab_amo CLOSE = {
      .op = FAB_AMO_ADD, .width = 8, .operand = EYOTI_RW_NEXT_PHASE};
  uint64_t arrive[WINDOW], departed[WINDOW];
  struct flight closed, looked = {.n = 0};
  int rc = rw_post(rt, w->arrive, w->n, &CLOSE, arrive, &closed);
  if (rc == EYOT_OK) rc = rw_post(rt, w->depart, w->n, &READ, departed, &looked);
  rc = end_flight(rt, &looked, rc);
  EYOTI_TRY(end_flight(rt, &closed, rc));
  c->busy = w->n;
  for (uint32_t i = 0; i < w->n; i++) {
    EYOTI_ASSERT(!eyoti_rw_closed(arrive[i]));
    c->depart[i] = w->depart[i];
    c->arrived[i] = eyoti_rw_arrived(arrive[i]);
  }
  keep_busy(c, departed);
  return EYOT_OK;
}

static int await_empty(struct eyot_rt *rt, struct closing *c, const struct eyoti_lock_want *want) {
  EYOTI_BACKOFF(pause);
  eyoti_rw_pause_init(&pause, rt);
  while (c->busy > 0) {
    uint64_t departed[WINDOW];
    struct flight looked;
    if (want->once) return EYOT_ETIMEOUT;
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, want->deadline));
    EYOTI_TRY(end_flight(rt, &looked, rw_post(rt, c->depart, c->busy, &READ, departed, &looked)));
    keep_busy(c, departed);
  }
  return EYOT_OK;
}

/* Closes all counters and waits until no reader is inside. ETIMEOUT: they are open again. */
static int close_counters(struct eyot_rt *rt, const struct eyoti_lock *l,
                          const struct eyoti_lock_want *want) {
  struct walk walk = {0, 0};
  while (walk.next < l->team->size) {
    struct window window;
    struct closing closing;
    EYOTI_TRY(next_window(rt, l, &walk, l->team->size, &window));
    EYOTI_TRY(close_window(rt, &window, &closing));
    int rc = await_empty(rt, &closing, want);
    if (rc == EYOT_ETIMEOUT) EYOTI_TRY(open_counters(rt, l, walk.next));
    if (rc != EYOT_OK) return rc;
  }
  return EYOT_OK;
}

/* -- the writer -------------------------------------------------------------------------------- */

/* Lets readers pass until the own run's counter is empty or enough have arrived. A try does not
 * wait: ETIMEOUT if a reader is inside. The caller's own departure may be in flight, and the first
 * reader that is seen inside could be the caller; so the departure is completed, and the next
 * values read count. */
static int let_readers(struct eyot_rt *rt, const struct eyoti_lock *l,
                       const struct eyoti_lock_want *want) {
  const struct eyoti_rw *w = l->own;
  uint32_t most = l->attr.readers_max < EYOTI_RW_RUN_MAX ? l->attr.readers_max : EYOTI_RW_RUN_MAX;
  uint16_t begin = 0;
  EYOTI_BACKOFF(pause);
  eyoti_rw_pause_init(&pause, rt);
  for (uint32_t round = 0;; round++) {
    uint64_t arrive, departed;
    /* In this order: arrivals never fall behind departures, so if they are equal, no reader is
     * inside now. */
    EYOTI_TRY(eyoti_rw_read(rt, w->own.depart, &departed));
    EYOTI_TRY(eyoti_rw_read(rt, w->own.arrive, &arrive));
    uint16_t arrived = eyoti_rw_arrived(arrive);
    if (round == 0) begin = arrived;
    if ((uint16_t)departed == arrived || (uint16_t)(arrived - begin) >= most) return EYOT_OK;
    if (round == 0) {
      EYOTI_TRY(fab_flush(rt->fab, w->own.depart.unit, FAB_REMOTE));
      continue;
    }
    if (want->once) return EYOT_ETIMEOUT;
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, want->deadline));
  }
}

/* Leaves the queue with open counters. */
static int leave_open(struct eyot_rt *rt, struct eyoti_rw *w) {
  struct eyoti_hier_way way;
  EYOTI_TRY(eyoti_hier_look(rt, &w->writers, &way));
  return eyoti_hier_release(rt, &w->writers, &way, 0);
}

/* After an error of the fabric while the counters are being closed or opened the caller keeps the
 * queue: the state of the counters is unknown. */
static int write_enter(struct eyot_rt *rt, const struct eyoti_lock *l,
                       const struct eyoti_lock_want *want) {
  struct eyoti_rw *w = l->own;
  EYOTI_TRY(eyoti_hier_acquire(rt, &w->writers, want));
  if (w->writers.tag > 0) return EYOT_OK; /* closed by the previous writer */
  int rc = let_readers(rt, l, want);
  bool leave = rc != EYOT_OK;
  if (rc == EYOT_OK) {
    rc = close_counters(rt, l, want);
    leave = rc == EYOT_ETIMEOUT;
  }
  w->writers.tag = rc == EYOT_OK;
  if (!leave) return rc;
  int left = leave_open(rt, w);
  return rc == EYOT_ETIMEOUT && left != EYOT_OK ? left : rc;
}

static int write_leave(struct eyot_rt *rt, const struct eyoti_lock *l) {
  struct eyoti_rw *w = l->own;
  uint32_t row = w->writers.tag,
           most = l->attr.writers_max < ROW_MAX ? l->attr.writers_max : ROW_MAX;
  EYOTI_ASSERT(row >= 1 && row <= most);
  struct eyoti_hier_way way;
  EYOTI_TRY(eyoti_hier_look(rt, &w->writers, &way));
  if (row < most && way.sure) return eyoti_hier_release(rt, &w->writers, &way, row + 1);
  EYOTI_TRY(open_counters(rt, l, l->team->size));
  return eyoti_hier_release(rt, &w->writers, &way, 0);
}

/* -- the lock ---------------------------------------------------------------------------------- */

static uint64_t rw_bytes(const struct eyoti_lock *l) {
  (void)l;
  return EYOTI_RW_BYTES;
}

static int init(struct eyot_rt *rt, const struct eyoti_lock *l, struct eyoti_rw *w) {
  uint32_t first, end;
  EYOTI_TRY(eyoti_hier_open(rt, l, TAG_BITS, &w->writers));
  EYOTI_TRY(eyoti_rw_run(rt, l, l->team->me, 0, &first, &end));
  EYOTI_TRY(eyoti_rw_counter(rt, l, first, end, &w->own));
  w->woken = 0;
  return eyoti_lock_at(rt, l, l->team->me, EYOTI_RW_GO_OFF, &w->go);
}

static int rw_check_attr(struct eyot_rt *rt, const eyot_lock_attr_t *a) {
  EYOTI_TRY(eyoti_lock_check_passes(rt, a));
  EYOTI_TRY(eyoti_lock_check_bound(rt, "readers_max", a->readers_max));
  return eyoti_lock_check_bound(rt, "writers_max", a->writers_max);
}

static int rw_open(struct eyot_rt *rt, struct eyoti_lock *l) {
  struct eyoti_rw *w = malloc(sizeof *w);
  if (w == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for this unit's state of a rw lock (%zu bytes)",
                      sizeof *w);
  int rc = init(rt, l, w);
  if (rc != EYOT_OK)
    free(w);
  else
    l->own = w;
  return rc;
}

static void rw_close(struct eyoti_lock *l) {
  free(l->own);
  l->own = NULL;
}

static int rw_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                      const struct eyoti_lock_want *want) {
  return want->mode == EYOT_LOCK_SHARED ? eyoti_rw_enter(rt, l, want) : write_enter(rt, l, want);
}

static int rw_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  (void)target;
  return l->mode == EYOT_LOCK_SHARED ? eyoti_rw_leave(rt, l) : write_leave(rt, l);
}

const struct eyoti_lock_ops eyoti_lock_rw = {
    .name = "rw",
    .modes = 1u << EYOT_LOCK_EXCLUSIVE | 1u << EYOT_LOCK_SHARED,
    .check_attr = rw_check_attr,
    .bytes = rw_bytes,
    .open = rw_open,
    .close = rw_close,
    .acquire = rw_acquire,
    .release = rw_release};
