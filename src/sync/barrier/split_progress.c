/* SPDX-License-Identifier: BSD-3-Clause */
/* split_progress.c - split progress: an endpoint (fabric/forward.h) by which calls of eyot continue
 * the rounds of open split-phase barriers. split.c opens and closes it.
 *
 * Why it exists: a unit may notify and then wait for an event that another unit causes only after
 * its own wait (UPC allows it: notify, wait for a flag). Only the unit itself can continue its
 * rounds, as no protocol relies on the target's CPU doing so unasked; so every call to the fabric
 * does. Calls that do not wait send the rounds that are due; calls that wait for a word wait for
 * the words of the barriers too. Without an open barrier the endpoint is not in use and costs
 * nothing. */

/* Order of endpoints. It stands directly before the fabric, after others (counting), while the
 * rounds go to the first endpoint: so counting sees a wait of the program once, and each round
 * once, as if the barrier's own wait had continued it. Calls that come back from there find `busy`.
 *
 * Whether a round is due is read from the word itself, a load each call; only then the fabric is
 * called. Words of one's own memory may be read at any time; what is read is a hint, and the
 * fabric's look acquires. */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/forward.h"
#include "sync/barrier/barriers.h"

#define OPEN_LEAST 4u
#define CONDS_LEAST 16u

struct open {
  struct eyoti_team *team;
  /* the word that the present round waits for; NULL: the barrier has no round left, or has
   * failed */
  const uint64_t *word;
  struct fab_cond cond; /* the same */
  int failed;           /* the error of a round inside another call, 0 if none */
  bool held;            /* the barrier's own wait runs, which continues the rounds itself */
};

struct eyoti_split_progress {
  struct eyoti_forward forward; /* first */
  struct eyot_rt *rt;
  struct open *open;
  struct fab_cond *conds; /* for a wait: the caller's and the barriers' */
  uint32_t n, cap, conds_cap;
  bool unsent; /* signals of a round may still be held back (push) */
  bool busy;   /* a round is being continued */
};

static struct eyoti_split_progress *split_progress_of(struct fab *f) {
  return (struct eyoti_split_progress *)(void *)f;
}

_Static_assert(offsetof(struct eyoti_split_progress, forward.fab) == 0,
               "the endpoint is the first member of the split progress");

static void renew(struct open *o) {
  struct eyoti_ctl c = eyoti_barriers_ctl(o->team);
  o->word =
      o->failed == 0 ? eyoti_ctl_awaits(&c, &eyoti_barriers_of(o->team)->step, &o->cond) : NULL;
}

static inline bool is_due(const struct open *o) {
  return __atomic_load_n(o->word, __ATOMIC_RELAXED) >= o->cond.value; /* a hint */
}

/* The note and the set of the program's call stay at the first endpoint and here; the rounds run
 * under the barrier's name, and belong to the default set. */
static void split_advance_due(struct eyoti_split_progress *p, struct open *o) {
  struct fab *head = p->rt->fab;
  struct fab_note at_head = head->note, here = p->forward.fab.note;
  const fab_set_t set_at_head = head->set, set_here = p->forward.fab.set;
  const bool used = p->forward.inner != NULL;
  struct eyoti_ctl c = eyoti_barriers_ctl(o->team);
  head->note.what = "eyot_barrier_notify";
  head->set = FAB_SET_ALL;
  p->busy = true;
  int rc = eyoti_ctl_pass(head, &c, &eyoti_barriers_of(o->team)->step);
  p->busy = false;
  p->unsent = true;
  head->note = at_head;
  head->set = set_at_head;
  p->forward.fab.note = here;
  p->forward.fab.set = set_here;
  if (used) eyoti_forward_inner(&p->forward.fab);
  if (rc != EYOT_ETIMEOUT) o->failed = rc;
  renew(o);
}

static void split_advance_all(struct eyoti_split_progress *p) {
  if (p->busy) return;
  for (uint32_t i = 0; i < p->n; i++) {
    struct open *o = &p->open[i];
    /* At most as many times as the barrier has rounds. */
    while (o->word != NULL && !o->held && is_due(o)) split_advance_due(p, o);
  }
}

/* The next endpoint, after all rounds that are due have been continued. */
static struct fab *split_inner(struct fab *f) {
  split_advance_all(split_progress_of(f));
  return eyoti_forward_inner(f);
}

/* A fabric may hold a signal back until the unit waits, flushes or makes progress (mpi does, for
 * signals that follow bytes whose arrival it must see). A unit that polls by atomics does none of
 * these. */
static int push(struct fab *f) {
  struct eyoti_split_progress *p = split_progress_of(f);
  if (!p->unsent || p->busy) return EYOT_OK;
  struct fab *in = eyoti_forward_inner(f);
  EYOTI_TRY(in->ops->progress(in));
  p->unsent = false;
  return EYOT_OK;
}

/* -- calls that do not wait for words ---------------------------------------------------------- */

static int split_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                     fab_req_t *req) {
  struct fab *in = split_inner(f);
  return in->ops->put(in, dst, src, len, req);
}

static int split_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fab *in = split_inner(f);
  return in->ops->get(in, dst, src, len, req);
}

static int split_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old,
                     fab_req_t *req) {
  struct fab *in = split_inner(f);
  EYOTI_TRY(push(f));
  return in->ops->amo(in, dst, a, old, req);
}

static int split_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                            const struct fab_sig *sig, fab_req_t *req) {
  struct fab *in = split_inner(f);
  return in->ops->put_signal(in, dst, src, len, sig, req);
}

static int split_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct fab *in = split_inner(f);
  EYOTI_TRY(push(f));
  return in->ops->req_test(in, req, level, done);
}

static int split_order(struct fab *f, fab_unit_t unit) {
  struct fab *in = split_inner(f);
  return in->ops->order(in, unit);
}

static uint64_t split_now_ns(struct fab *f) {
  struct fab *in = split_inner(f);
  return in->ops->now_ns(in);
}

/* Calls that may take long: rounds that have become due meanwhile are continued after them. Remote
 * completion does not depend on rounds of any unit. */

static int split_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct fab *in = split_inner(f);
  EYOTI_TRY(push(f));
  int rc = in->ops->req_wait(in, req, level);
  split_advance_all(split_progress_of(f));
  return rc;
}

static int split_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fab *in = split_inner(f);
  int rc = in->ops->flush(in, unit, level);
  split_advance_all(split_progress_of(f));
  return rc;
}

static int split_progress(struct fab *f) {
  struct fab *in = split_inner(f);
  int rc = in->ops->progress(in);
  split_advance_all(split_progress_of(f));
  return rc;
}

static int split_compute(struct fab *f, uint64_t ns) {
  struct fab *in = split_inner(f);
  int rc = in->ops->compute(in, ns);
  split_advance_all(split_progress_of(f));
  return rc;
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* The conditions of the open barriers; at most p->n. */
static uint32_t split_gather(const struct eyoti_split_progress *p, struct fab_cond *conds) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n && !p->busy; i++) {
    if (p->open[i].word == NULL || p->open[i].held) continue;
    if (conds != NULL) conds[n] = p->open[i].cond;
    n++;
  }
  return n;
}

/* Reserves space for n conditions of the caller and those of all barriers. */
static int reserve_conds(struct eyoti_split_progress *p, uint64_t n) {
  uint64_t want = n + p->cap;
  if (want <= p->conds_cap) return EYOT_OK;
  struct fab_cond *conds = want <= UINT32_MAX ? realloc(p->conds, want * sizeof *conds) : NULL;
  if (conds == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to wait for %" PRIu64 " words", want);
  p->conds = conds;
  p->conds_cap = (uint32_t)want;
  return EYOT_OK;
}

static int split_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                          uint64_t *seen) {
  struct eyoti_split_progress *p = split_progress_of(f);
  struct fab *in = eyoti_forward_inner(f);
  uint64_t left = timeout_ns,
           end_ns = timeout_ns > 0 && split_gather(p, NULL) > 0 ? fab_deadline(in, timeout_ns) : 0;
  uint32_t more;
  split_inner(f);
  if (end_ns != 0) left = fab_left(in, end_ns);
  while (left > 0 && (more = split_gather(p, p->conds + 1)) > 0) {
    uint32_t which;
    p->conds[0] = *cond;
    EYOTI_TRY(fab_wait_any(in, p->conds, 1 + more, left, &which));
    split_inner(f);
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

/* The lowest of *held conditions that are the caller's, which come before the barriers'. */
static uint32_t callers(const uint32_t *index, uint32_t held, uint32_t n) {
  while (held > 0 && index[held - 1] >= n) held--;
  return held;
}

static int split_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                          uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct eyoti_split_progress *p = split_progress_of(f);
  struct fab *in = eyoti_forward_inner(f);
  uint64_t left = timeout_ns,
           end_ns = timeout_ns > 0 && split_gather(p, NULL) > 0 ? fab_deadline(in, timeout_ns) : 0;
  split_inner(f);
  if (end_ns != 0) left = fab_left(in, end_ns);
  while (n > 0 && left > 0 && split_gather(p, NULL) > 0) {
    uint32_t some = held != NULL ? *held : 1;
    EYOTI_TRY(reserve_conds(p, n));
    for (uint32_t i = 0; i < n; i++) p->conds[i] = conds[i]; /* the caller's are the lowest */
    uint32_t more = split_gather(p, p->conds + n);
    EYOTI_TRY(in->ops->wait_any(in, p->conds, n + more, left, index, &some));
    split_inner(f);
    if ((some = callers(index, some, n)) > 0) {
      if (held != NULL) *held = some;
      return EYOT_OK;
    }
    left = fab_left(in, end_ns);
  }
  return in->ops->wait_any(in, conds, n, left, index, held);
}

/* -- open barriers ----------------------------------------------------------------------------- */

/* Makes the endpoint, at the first notify. */
static int split_make(struct eyot_rt *rt) {
  struct eyoti_split_progress *p = calloc(1, sizeof *p);
  if (p == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the split progress of barriers (%zu bytes)",
                      sizeof *p);
  struct fab_ops *ops = &p->forward.ops;
  eyoti_forward_init(&p->forward, rt->fab);
  ops->put = split_put;
  ops->get = split_get;
  ops->amo = split_amo;
  ops->put_signal = split_put_signal;
  ops->req_test = split_req_test;
  ops->req_wait = split_req_wait;
  ops->flush = split_flush;
  ops->order = split_order;
  ops->wait_mem = split_wait_mem;
  ops->wait_any = split_wait_any;
  ops->progress = split_progress;
  ops->now_ns = split_now_ns;
  ops->compute = split_compute;
  p->rt = rt;
  rt->sync->split_progress = p;
  return EYOT_OK;
}

int eyoti_split_progress_reserve(struct eyot_rt *rt) {
  if (rt->sync->split_progress == NULL) EYOTI_TRY(split_make(rt));
  struct eyoti_split_progress *p = rt->sync->split_progress;
  if (p->n == p->cap) {
    /* at most one a team, of which there are less than 2^16 */
    uint32_t cap = p->cap == 0 ? OPEN_LEAST : 2 * p->cap;
    struct open *open = realloc(p->open, cap * sizeof *open);
    if (open == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM,
                        "no memory for %u split-phase barriers that are open at a time", cap);
    p->open = open;
    p->cap = cap;
  }
  return reserve_conds(p, CONDS_LEAST);
}

/* At EYOT_THREAD_MULTIPLE, where the endpoint is not in use: other threads may wait in it. */
static void split_rounds(struct eyot_rt *rt) {
  split_advance_all(rt->sync->split_progress);
}

void eyoti_split_progress_open(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_split_progress *p = rt->sync->split_progress;
  EYOTI_ASSERT(p->n < p->cap && eyoti_barriers_of(t)->open);
  struct open *o = &p->open[p->n];
  *o = (struct open){.team = t};
  renew(o);
  p->unsent = true;
  if (p->n++ > 0) return;
  if (rt->threads != NULL) {
    rt->rounds = split_rounds;
    return;
  }
  eyoti_forward_add(&p->forward, eyoti_forward_last(&rt->fab));
  eyoti_rt_fast_renew(rt);
}

static struct open *split_find(const struct eyoti_split_progress *p, const struct eyoti_team *t) {
  uint32_t i = 0;
  while (i < p->n && p->open[i].team != t) i++;
  EYOTI_ASSERT(i < p->n);
  return &p->open[i];
}

void eyoti_split_progress_close(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_split_progress *p = rt->sync->split_progress;
  *split_find(p, t) = p->open[p->n - 1];
  if (--p->n > 0) return;
  rt->rounds = NULL;
  if (rt->threads != NULL) return;
  eyoti_forward_remove(&p->forward, &rt->fab);
  eyoti_rt_fast_renew(rt);
}

int eyoti_split_progress_advance(struct eyot_rt *rt, struct eyoti_team *t, uint64_t timeout_ns) {
  struct eyoti_split_progress *p = rt->sync->split_progress;
  struct open *o = split_find(p, t);
  int failed = o->failed;
  if (failed != 0) {
    o->failed = 0;
    renew(o);
    eyoti_log(EYOTI_LOG_ERROR, rt->fab->note.what, failed,
              "an earlier call could not continue the rounds of the barrier of %s; repeat "
              "this call to retry",
              EYOTI_TEAM_WORDS(t));
    return failed;
  }
  struct eyoti_ctl c = eyoti_barriers_ctl(t);
  o->held = true;
  int rc = eyoti_ctl_advance(rt->fab, &c, &eyoti_barriers_of(t)->step, timeout_ns);
  o = split_find(p, t); /* other threads may have opened and closed some */
  o->held = false;
  renew(o);
  return rc;
}

void eyoti_split_progress_stop(struct eyot_rt *rt) {
  struct eyoti_split_progress *p = rt->sync->split_progress;
  if (p == NULL) return;
  if (p->n > 0 && rt->threads == NULL) {
    eyoti_forward_remove(&p->forward, &rt->fab);
    eyoti_rt_fast_renew(rt);
  }
  free(p->open);
  free(p->conds);
  free(p);
  rt->sync->split_progress = NULL;
}
