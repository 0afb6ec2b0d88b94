/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - implements watch.h: an endpoint (fabric/forward.h) by which calls of eyot continue what
 * waits for words of this unit.
 *
 * Why it exists: a unit may enter a split-phase barrier or a non-blocking collective, and then wait
 * for an event that another unit causes only after its own wait (UPC allows it: notify, wait for a
 * flag). Only the unit itself can continue, as no protocol relies on the target's CPU doing so
 * unasked; so every call to the fabric does. Calls that do not wait continue what is due; calls
 * that wait for a word wait for the watched words too. Without a watch the endpoint is not in use
 * and costs nothing. */

/* Order of endpoints. It stands directly before the fabric, after others (counting), while what is
 * continued goes to the first endpoint: so counting sees a wait of the program once, and each step
 * once, as if the owner's own wait had continued it. Calls that come back from there find `busy`.
 *
 * Whether something is due is read from the words themselves, a load each call; only then the
 * fabric is called. Words of one's own memory may be read at any time; what is read is a hint, and
 * the fabric's look acquires. */
#include "sync/watch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fabric/forward.h"
#include "rt/observe.h"

#define OPEN_LEAST 4u
#define CONDS_LEAST 16u

struct eyoti_watches {
  struct eyoti_forward forward; /* first */
  struct eyot_rt *rt;
  struct eyoti_watch **open;
  struct fab_cond *conds; /* for a wait: the caller's and the watches' */
  uint32_t n, cap, conds_cap;
  uint32_t held; /* places of watches that are added after a wait (eyoti_watch_hold) */
  bool unsent;   /* signals of a step may still be held back (push) */
  bool busy;     /* a watch is being continued */
};

static struct eyoti_watches *watches_of(struct fab *f) {
  return (struct eyoti_watches *)(void *)f;
}

_Static_assert(offsetof(struct eyoti_watches, forward.fab) == 0,
               "the endpoint is the first member of the watches");

static inline void renew_stale(struct eyoti_watches *p, struct eyoti_watch *w) {
  if (!w->stale) return;
  w->stale = false;
  w->renew(p->rt, w);
}

static inline bool is_due(const struct eyoti_watch *w) {
  for (uint32_t k = 0; k < w->n; k++) /* hints */
    if (__atomic_load_n(w->word[k], __ATOMIC_RELAXED) >= w->cond[k].value) return true;
  for (uint32_t k = 0; k < w->n_more; k++)
    if (__atomic_load_n(w->more_word[k], __ATOMIC_RELAXED) >= w->more[k].value) return true;
  return false;
}

/* The note and the set of the program's call stay at the first endpoint and here; what is continued
 * runs under its own name, and belongs to the default set. */
static void advance_due(struct eyoti_watches *p, struct eyoti_watch *w,
                        void (*step)(struct eyot_rt *rt, struct eyoti_watch *w)) {
  struct fab *head = p->rt->fab;
  struct fab_note at_head = head->note, here = p->forward.fab.note;
  const fab_set_t set_at_head = head->set, set_here = p->forward.fab.set;
  const bool used = p->forward.inner != NULL;
  head->note.what = w->what;
  head->set = FAB_SET_ALL;
  p->busy = true;
  bool inside = eyoti_observe_aside(p->rt);
  step(p->rt, w);
  eyoti_observe_back(p->rt, inside);
  p->busy = false;
  p->unsent = true;
  head->note = at_head;
  head->set = set_at_head;
  p->forward.fab.note = here;
  p->forward.fab.set = set_here;
  if (used) eyoti_forward_inner(&p->forward.fab);
}

static void advance_all(struct eyoti_watches *p) {
  if (p->busy) return;
  for (uint32_t i = 0; i < p->n; i++) {
    struct eyoti_watch *w = p->open[i];
    if (w->held) continue;
    renew_stale(p, w);
    while (is_due(w)) advance_due(p, w, w->go_on);
    if (w->unfinished) advance_due(p, w, w->go_on);
  }
}

/* Before a wait. True: something was to settle. */
static bool settle_all(struct eyoti_watches *p) {
  bool some = false;
  for (uint32_t i = 0; i < p->n && !p->busy; i++) {
    struct eyoti_watch *w = p->open[i];
    if (w->held || !w->unfinished) continue;
    some = true;
    advance_due(p, w, w->settle);
  }
  return some;
}

/* The next endpoint, after all that is due has been continued. */
static struct fab *watch_inner(struct fab *f) {
  advance_all(watches_of(f));
  return eyoti_forward_inner(f);
}

static int make_progress(struct eyoti_watches *p, struct fab *in) {
  EYOTI_TRY(in->ops->progress(in));
  p->unsent = false;
  return EYOT_OK;
}

/* Where there are messages, a unit receives them only in calls that make progress; so that every
 * call does, those that would not make it here. */
static int take(struct fab *f) {
  struct eyoti_watches *p = watches_of(f);
  struct fab *in = eyoti_forward_inner(f);
  return p->busy || in->ops->message == NULL ? EYOT_OK : make_progress(p, in);
}

/* A fabric may hold a signal back until the unit waits, flushes or makes progress (mpi does, for
 * signals that follow bytes whose arrival it must see). A unit that polls by atomics does none of
 * these. */
static int push(struct fab *f) {
  struct eyoti_watches *p = watches_of(f);
  struct fab *in = eyoti_forward_inner(f);
  if (p->unsent && !p->busy) return make_progress(p, in);
  return take(f);
}

/* -- calls that do not wait for words ---------------------------------------------------------- */

static int watch_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                     fab_req_t *req) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(take(f));
  return in->ops->put(in, dst, src, len, req);
}

static int watch_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(take(f));
  return in->ops->get(in, dst, src, len, req);
}

static int watch_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old,
                     fab_req_t *req) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(push(f));
  return in->ops->amo(in, dst, a, old, req);
}

static int watch_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                            const struct fab_sig *sig, fab_req_t *req) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(take(f));
  return in->ops->put_signal(in, dst, src, len, sig, req);
}

static int watch_message(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                         const struct fab_sig *sig, const struct fab_addr *least, fab_req_t *req) {
  struct fab *in = watch_inner(f);
  return in->ops->message(in, dst, src, len, sig, least, req);
}

static int watch_send(struct fab *f, const struct fab_sig *sig, const void *src, uint64_t len,
                      fab_req_t *req) {
  struct fab *in = watch_inner(f);
  return in->ops->send(in, sig, src, len, req);
}

static int watch_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(push(f));
  return in->ops->req_test(in, req, level, done);
}

static int watch_order(struct fab *f, fab_unit_t unit) {
  struct fab *in = watch_inner(f);
  return in->ops->order(in, unit);
}

static uint64_t watch_now_ns(struct fab *f) {
  struct fab *in = watch_inner(f);
  (void)take(f); /* a later call finds the same error */
  return in->ops->now_ns(in);
}

/* Calls that may take long: what has become due meanwhile is continued after them. Remote
 * completion does not depend on any unit's continuing. */

static int watch_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(push(f));
  int rc = in->ops->req_wait(in, req, level);
  advance_all(watches_of(f));
  return rc;
}

static int watch_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fab *in = watch_inner(f);
  EYOTI_TRY(take(f)); /* a flush sends what was held back itself */
  int rc = in->ops->flush(in, unit, level);
  advance_all(watches_of(f));
  return rc;
}

static int watch_progress(struct fab *f) {
  struct fab *in = watch_inner(f);
  int rc = in->ops->progress(in);
  advance_all(watches_of(f));
  return rc;
}

static int watch_compute(struct fab *f, uint64_t ns) {
  struct fab *in = watch_inner(f);
  int rc = in->ops->compute(in, ns);
  advance_all(watches_of(f));
  return rc;
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* The conditions of the watches. */
static uint32_t gather(const struct eyoti_watches *p, struct fab_cond *conds) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n && !p->busy; i++) {
    const struct eyoti_watch *w = p->open[i];
    if (w->held) continue;
    for (uint32_t k = 0; k < w->n; k++, n++)
      if (conds != NULL) conds[n] = w->cond[k];
    for (uint32_t k = 0; k < w->n_more; k++, n++)
      if (conds != NULL) conds[n] = w->more[k];
  }
  return n;
}

/* Whether a wait has more to do than the caller asks for. */
static bool takes_part(struct eyoti_watches *p) {
  for (uint32_t i = 0; i < p->n && !p->busy; i++)
    if (!p->open[i]->held) renew_stale(p, p->open[i]);
  bool some = gather(p, NULL) > 0;
  for (uint32_t i = 0; i < p->n && !some && !p->busy; i++)
    some = !p->open[i]->held && p->open[i]->unfinished;
  return some;
}

/* Reserves space for n conditions of the caller and those of all watches. */
static int reserve_conds(struct eyoti_watches *p, uint64_t n) {
  uint64_t want = n + (uint64_t)EYOTI_WATCH_CONDS * p->cap;
  for (uint32_t i = 0; i < p->n; i++) want += p->open[i]->n_more;
  if (want <= p->conds_cap) return EYOT_OK;
  struct fab_cond *conds = want <= UINT32_MAX ? realloc(p->conds, want * sizeof *conds) : NULL;
  if (conds == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to wait for %" PRIu64 " words", want);
  p->conds = conds;
  p->conds_cap = (uint32_t)want;
  return EYOT_OK;
}

static int watch_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                          uint64_t *seen) {
  struct eyoti_watches *p = watches_of(f);
  struct fab *in = eyoti_forward_inner(f);
  uint64_t left = timeout_ns,
           end_ns = timeout_ns > 0 && takes_part(p) ? fab_deadline(in, timeout_ns) : 0;
  uint32_t more;
  watch_inner(f);
  if (end_ns != 0) left = fab_left(in, end_ns);
  while (left > 0 && (settle_all(p) || gather(p, NULL) > 0)) {
    uint32_t which;
    EYOTI_TRY(reserve_conds(p, 1));
    more = gather(p, p->conds + 1);
    p->conds[0] = *cond;
    EYOTI_TRY(fab_wait_any(in, p->conds, 1 + more, left, &which));
    watch_inner(f);
    /* reads the word again; a unit that waits for a value that passes may miss it, as with any
     * wait */
    if (which == 0) {
      int rc = in->ops->wait_mem(in, cond, 0, seen);
      if (rc != EYOT_ETIMEOUT) return rc;
    }
    left = fab_left(in, end_ns);
  }
  return in->ops->wait_mem(in, cond, left, seen);
}

/* The lowest of *held conditions that are the caller's, which come before the watches'. */
static uint32_t callers(const uint32_t *index, uint32_t held, uint32_t n) {
  while (held > 0 && index[held - 1] >= n) held--;
  return held;
}

static int watch_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                          uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct eyoti_watches *p = watches_of(f);
  struct fab *in = eyoti_forward_inner(f);
  uint64_t left = timeout_ns,
           end_ns = timeout_ns > 0 && takes_part(p) ? fab_deadline(in, timeout_ns) : 0;
  watch_inner(f);
  if (end_ns != 0) left = fab_left(in, end_ns);
  while (n > 0 && left > 0 && (settle_all(p) || gather(p, NULL) > 0)) {
    uint32_t some = held != NULL ? *held : 1;
    EYOTI_TRY(reserve_conds(p, n));
    for (uint32_t i = 0; i < n; i++) p->conds[i] = conds[i]; /* the caller's are the lowest */
    uint32_t more = gather(p, p->conds + n);
    EYOTI_TRY(in->ops->wait_any(in, p->conds, n + more, left, index, &some));
    watch_inner(f);
    if ((some = callers(index, some, n)) > 0) {
      if (held != NULL) *held = some;
      return EYOT_OK;
    }
    left = fab_left(in, end_ns);
  }
  return in->ops->wait_any(in, conds, n, left, index, held);
}

/* -- the list ---------------------------------------------------------------------------------- */

/* Makes the endpoint, for the first watch. */
static int watch_make(struct eyot_rt *rt) {
  struct eyoti_watches *p = calloc(1, sizeof *p);
  if (p == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no memory for the progress of barriers and collectives (%zu bytes)",
                      sizeof *p);
  struct fab_ops *ops = &p->forward.ops;
  eyoti_forward_init(&p->forward, rt->fab);
  ops->put = watch_put;
  ops->get = watch_get;
  ops->amo = watch_amo;
  ops->put_signal = watch_put_signal;
  if (ops->message != NULL) ops->message = watch_message;
  if (ops->send != NULL) ops->send = watch_send;
  ops->req_test = watch_req_test;
  ops->req_wait = watch_req_wait;
  ops->flush = watch_flush;
  ops->order = watch_order;
  ops->wait_mem = watch_wait_mem;
  ops->wait_any = watch_wait_any;
  ops->progress = watch_progress;
  ops->now_ns = watch_now_ns;
  ops->compute = watch_compute;
  p->rt = rt;
  rt->sync->watches = p;
  return EYOT_OK;
}

int eyoti_watch_reserve(struct eyot_rt *rt, uint32_t more) {
  if (rt->sync->watches == NULL) EYOTI_TRY(watch_make(rt));
  struct eyoti_watches *p = rt->sync->watches;
  uint32_t cap = p->cap == 0 ? OPEN_LEAST : p->cap;
  uint32_t taken = p->n + p->held; /* a few a team, of which there are less than 2^16 */
  while (cap - taken < more) cap *= 2;
  if (cap > p->cap) {
    struct eyoti_watch **open = realloc(p->open, cap * sizeof *open);
    if (open == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM,
                        "no memory for %u barriers and collectives that are open at a time", cap);
    p->open = open;
    p->cap = cap;
  }
  return reserve_conds(p, CONDS_LEAST);
}

void eyoti_watch_hold(struct eyot_rt *rt, uint32_t more) {
  rt->sync->watches->held += more;
}
void eyoti_watch_release(struct eyot_rt *rt, uint32_t less) {
  rt->sync->watches->held -= less;
}

/* At EYOT_THREAD_MULTIPLE, where the endpoint is not in use: other threads may wait in it. */
static void watch_rounds(struct eyot_rt *rt) {
  advance_all(rt->sync->watches);
}

void eyoti_watch_add(struct eyot_rt *rt, struct eyoti_watch *w) {
  struct eyoti_watches *p = rt->sync->watches;
  EYOTI_ASSERT(p->n < p->cap);
  p->open[p->n] = w;
  p->unsent = true;
  if (p->n++ > 0) return;
  if (rt->threads != NULL) {
    rt->rounds = watch_rounds;
    return;
  }
  eyoti_forward_add(&p->forward, eyoti_forward_last(&rt->fab));
  eyoti_rt_fast_renew(rt);
}

void eyoti_watch_remove(struct eyot_rt *rt, struct eyoti_watch *w) {
  struct eyoti_watches *p = rt->sync->watches;
  uint32_t i = 0;
  while (i < p->n && p->open[i] != w) i++;
  EYOTI_ASSERT(i < p->n);
  p->open[i] = p->open[p->n - 1];
  if (--p->n > 0) return;
  rt->rounds = NULL;
  if (rt->threads != NULL) return;
  eyoti_forward_remove(&p->forward, &rt->fab);
  eyoti_rt_fast_renew(rt);
}

const struct fab *eyoti_watch_alone(const struct eyot_rt *rt, const struct eyoti_watch *w) {
  const struct eyoti_watches *p = rt->sync->watches;
  if (p->n != 1 || p->open[0] != w || rt->fab != &p->forward.fab) return NULL;
  return rt->fab->local.n == rt->fab->n ? p->forward.inner : NULL;
}

void eyoti_watch_stop(struct eyot_rt *rt) {
  struct eyoti_watches *p = rt->sync->watches;
  if (p == NULL) return;
  if (p->n > 0 && rt->threads == NULL) {
    eyoti_forward_remove(&p->forward, &rt->fab);
    eyoti_rt_fast_renew(rt);
  }
  free(p->open);
  free(p->conds);
  free(p);
  rt->sync->watches = NULL;
}
