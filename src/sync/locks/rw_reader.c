/* SPDX-License-Identifier: BSD-3-Clause */
/* rw_reader.c - the readers of kind rw: entering, leaving, waiting for the end of a closed phase,
 * giving up (rw.h). rw.c calls them.
 *
 * Uncontended: 1 fetching atomic to enter, 1 signal to leave, both at the counter of the run, most
 * often in the own node. */

/* How readers wait, and why they all wake.
 *
 * Waiting for the end of a closed phase. Readers of a run that wait push themselves on LIST (a
 * swap, which returns the entry that was on top before). A reader that finds it empty is the
 * *watcher*: it reads ARRIVE from time to time, with back-off; the others sleep on their own word
 * GO. The watcher, when the phase is over, takes the whole list (a swap with 0) and wakes its top;
 * each reader that is woken wakes the one that was there before it, and checks whether its phase is
 * over: if not, it pushes itself again.
 *
 * Why no reader sleeps for ever: a list that is not empty has a bottom, which found it empty, so it
 * watches, and it takes the list before it goes on. It must not watch a later phase than that of a
 * reader above it: a writer may have closed the next phase, and waits for that reader, while the
 * bottom waits for the writer. So a reader that has pushed itself on others looks at the phase once
 * more before it sleeps: if its own is not over, those below it have arrived in no later one; if it
 * is over, the reader takes the list and goes on.
 *
 * Why wakes cannot be mistaken: each push is paid for by exactly one wake, by the reader that took
 * the list if the push is on top, else by the reader that pushed after it; except that a reader
 * that takes a list with itself on top needs none. No reader goes on before its push is paid for,
 * so GO, a count, cannot be ahead.
 *
 * A reader that gives up takes the list like the watcher, which wakes others too early; they push
 * themselves again. A watcher whose list was taken by another goes on watching, and a second one
 * may come; each waits only for the phase.
 *
 * Giving up. The reader is counted in ARRIVE; it takes itself out by compare-and-swap as long as
 * its phase lasts: in that phase no writer has counted it. If the phase is over, it is in, and the
 * call succeeds. The compare-and-swap is repeated only when another unit has changed the word:
 * lock-free. */
#include "sync/locks/rw.h"

void eyoti_rw_pause_init(struct eyoti_backoff *b, const struct eyot_rt *rt) {
  eyoti_backoff_init(b, rt, NULL);
  b->next_ns = EYOTI_RW_PAUSE_MIN_NS;
  b->max_ns = EYOTI_RW_PAUSE_MAX_NS;
}

int eyoti_rw_run(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t index, uint32_t guess,
                 uint32_t *first, uint32_t *end) {
  uint32_t from = 0, to = l->team->size, units = l->attr.units_per_counter;
  if (units == 0)
    EYOTI_TRY(eyoti_hier_domain(rt, l->team, EYOT_DOMAIN_NODE, index, guess, &from, &to));
  if (units == 0 || units > EYOTI_RW_RUN_MAX) units = EYOTI_RW_RUN_MAX;
  *first = index - (index - from) % units;
  *end = to - *first > units ? *first + units : to;
  return EYOT_OK;
}

int eyoti_rw_counter(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t first, uint32_t end,
                     struct eyoti_rw_counter *out) {
  EYOTI_TRY(eyoti_lock_at(rt, l, eyoti_hier_place(l, first, end, EYOT_DOMAIN_UNIT),
                          EYOTI_RW_ARRIVE_OFF, &out->arrive));
  out->depart = out->list = out->arrive;
  out->depart.off += EYOTI_RW_DEPART_OFF - EYOTI_RW_ARRIVE_OFF;
  out->list.off += EYOTI_RW_LIST_OFF - EYOTI_RW_ARRIVE_OFF;
  return EYOT_OK;
}

/* -- the list of sleepers ---------------------------------------------------------------------- */

static int swap(struct eyot_rt *rt, struct fab_addr at, uint64_t value, uint64_t *before) {
  return fab_amo_wait(rt->fab, at,
                      &(struct fab_amo){.op = FAB_AMO_SWAP, .width = 8, .operand = value}, before);
}

/* Wakes a sleeper by its entry in the list; 0: there is none. */
static int reader_wake(struct eyot_rt *rt, const struct eyoti_lock *l, uint64_t sleeper) {
  if (sleeper == 0) return EYOT_OK;
  struct fab_sig sig = {.op = FAB_SIG_ADD, .value = 1};
  EYOTI_TRY(eyoti_lock_at(rt, l, (uint32_t)(sleeper - 1), EYOTI_RW_GO_OFF, &sig.at));
  return fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, NULL);
}

static int await_wake(struct eyot_rt *rt, struct eyoti_rw *w, uint64_t deadline) {
  EYOTI_TRY(fab_wait_mem(rt->fab, w->go.seg, w->go.off, FAB_NE, w->woken,
                         eyoti_deadline_left(rt, deadline), NULL));
  w->woken++; /* one push, one wake */
  return EYOT_OK;
}

/* Takes the list, wakes it, and waits until the caller's push is paid for. */
static int take_list(struct eyot_rt *rt, const struct eyoti_lock *l, uint64_t below) {
  struct eyoti_rw *w = l->own;
  uint64_t me = (uint64_t)l->team->me + 1, top;
  EYOTI_TRY(swap(rt, w->own.list, 0, &top));
  if (top != me) {
    EYOTI_TRY(reader_wake(rt, l, top));
    EYOTI_TRY(await_wake(rt, w, EYOTI_DEADLINE_NEVER));
  }
  return reader_wake(rt, l, below);
}

/* Reads ARRIVE until the phase is over. ETIMEOUT: it is not. */
static int reader_watch(struct eyot_rt *rt, const struct eyoti_rw *w, uint64_t phase,
                        uint64_t deadline) {
  EYOTI_BACKOFF(pause);
  eyoti_rw_pause_init(&pause, rt);
  for (;;) {
    uint64_t arrive;
    EYOTI_TRY(eyoti_rw_read(rt, w->own.arrive, &arrive));
    if (eyoti_rw_phase(arrive) != phase) return EYOT_OK;
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, deadline));
  }
}

/* *over: the caller's phase is. */
static int look_phase(struct eyot_rt *rt, const struct eyoti_rw *w, uint64_t phase, bool *over) {
  uint64_t arrive;
  EYOTI_TRY(eyoti_rw_read(rt, w->own.arrive, &arrive));
  *over = eyoti_rw_phase(arrive) != phase;
  return EYOT_OK;
}

/* Pushes the caller once, and waits until the push is paid for. *over: the phase was seen to be
 * over. ETIMEOUT: it was not, and the caller is not in the list any more. */
static int push_once(struct eyot_rt *rt, const struct eyoti_lock *l, uint64_t phase,
                     uint64_t deadline, bool *over) {
  struct eyoti_rw *w = l->own;
  uint64_t below;
  EYOTI_TRY(swap(rt, w->own.list, (uint64_t)l->team->me + 1, &below));
  if (below == 0) {
    int rc = reader_watch(rt, w, phase, deadline), taken = take_list(rt, l, below);
    *over = rc == EYOT_OK;
    return taken != EYOT_OK ? taken : rc;
  }
  EYOTI_TRY(look_phase(rt, w, phase, over));
  if (*over) return take_list(rt, l, below);
  int rc = await_wake(rt, w, deadline);
  if (rc == EYOT_ETIMEOUT) {
    int taken = take_list(rt, l, below);
    return taken != EYOT_OK ? taken : rc;
  }
  if (rc != EYOT_OK) return rc;
  EYOTI_TRY(reader_wake(rt, l, below));
  return look_phase(rt, w, phase, over);
}

/* -- entering and leaving ---------------------------------------------------------------------- */

/* Undoes the arrival in a closed phase. 0: that phase is over, so the caller is in. */
static int withdraw(struct eyot_rt *rt, const struct eyoti_rw *w, uint64_t phase) {
  uint64_t arrive, before;
  EYOTI_TRY(eyoti_rw_read(rt, w->own.arrive, &arrive));
  while (eyoti_rw_phase(arrive) == phase) {
    struct fab_amo out = {
        .op = FAB_AMO_CAS, .width = 8, .operand = arrive - EYOTI_RW_ONE_READER, .compare = arrive};
    EYOTI_TRY(fab_amo_wait(rt->fab, w->own.arrive, &out, &before));
    if (before == arrive) return EYOT_ETIMEOUT;
    arrive = before;
  }
  return EYOT_OK;
}

int eyoti_rw_enter(struct eyot_rt *rt, const struct eyoti_lock *l,
                   const struct eyoti_lock_want *want) {
  const struct eyoti_rw *w = l->own;
  uint64_t arrive;
  if (want->once) { /* most often this saves arriving and withdrawing */
    EYOTI_TRY(eyoti_rw_read(rt, w->own.arrive, &arrive));
    if (eyoti_rw_closed(arrive)) return EYOT_ETIMEOUT;
  }
  /* Pairs with the writer's atomic that closes: one comes first, and the later one sees it. */
  EYOTI_TRY(fab_amo_wait(
      rt->fab, w->own.arrive,
      &(struct fab_amo){.op = FAB_AMO_ADD, .width = 8, .operand = EYOTI_RW_ONE_READER}, &arrive));
  if (!eyoti_rw_closed(arrive)) return EYOT_OK;
  uint64_t phase = eyoti_rw_phase(arrive);
  if (want->once) return withdraw(rt, w, phase);
  for (bool over = false; !over;) {
    int rc = push_once(rt, l, phase, want->deadline, &over);
    if (rc == EYOT_ETIMEOUT) return withdraw(rt, w, phase);
    if (rc != EYOT_OK) return rc;
  }
  return EYOT_OK;
}

/* The reader's operations are complete; the departure may be seen late, and then a writer waits a
 * little longer. */
int eyoti_rw_leave(struct eyot_rt *rt, const struct eyoti_lock *l) {
  const struct eyoti_rw *w = l->own;
  struct fab_sig sig = {.at = w->own.depart, .op = FAB_SIG_ADD, .value = 1};
  return fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, NULL);
}
