/* SPDX-License-Identifier: BSD-3-Clause */
/* follow.c - a get and the signal that follows it, under one handle (rma.h: eyoti_follow).
 *
 * Why it exists: no fabric sends a signal by itself when a get is complete, so the unit does it as
 * soon as one of its calls sees the completion. A handle names a slot of a small table and the
 * slot's generation, so that a handle that was waited for before is recognized. */
#include <inttypes.h>
#include <stdlib.h>

#include "rma/rma.h"

#define SLOTS_FIRST 8u
#define SLOTS_MAX 65536u /* with more slots in use, posting waits for the get */
#define NO_SLOT UINT32_MAX

enum follow_state {
  FOLLOW_FREE = 0,
  FOLLOW_GETTING, /* req: of the get */
  FOLLOW_SENT,    /* req: of the signal */
  FOLLOW_FAILED   /* err */
};

struct follow {
  fab_req_t req;
  struct fab_sig sig;
  uint32_t gen;
  uint32_t next_free;
  enum follow_state state;
  int err;
};

struct eyoti_follows {
  struct follow *slot;
  uint32_t n, free;
  uint32_t live;    /* slots in use */
  uint32_t getting; /* number of slots in FOLLOW_GETTING */
};

static bool follow_grow(struct eyoti_follows *fs) {
  uint32_t n = fs->n == 0 ? SLOTS_FIRST : fs->n * 2;
  struct follow *slot = n <= SLOTS_MAX ? realloc(fs->slot, n * sizeof *slot) : NULL;
  if (slot == NULL) return false;
  for (uint32_t i = fs->n; i < n; i++)
    slot[i] =
        (struct follow){.state = FOLLOW_FREE, .gen = 0, .next_free = i + 1 < n ? i + 1 : NO_SLOT};
  fs->free = fs->n;
  fs->slot = slot;
  fs->n = n;
  return true;
}

/* NULL: the table is full, or out of memory. */
static struct follow *follow_take(struct eyot_rt *rt) {
  struct eyoti_follows *fs = rt->rma->follows;
  if (fs == NULL) {
    if ((fs = calloc(1, sizeof *fs)) == NULL) return NULL;
    fs->free = NO_SLOT;
    rt->rma->follows = fs;
    rt->flush_calls = true;
    eyoti_rt_fast_renew(rt);
  }
  if (fs->free == NO_SLOT && !follow_grow(fs)) return NULL;
  struct follow *x = &fs->slot[fs->free];
  fs->free = x->next_free;
  fs->live++;
  return x;
}

static void follow_drop(struct eyoti_follows *fs, struct follow *x) {
  EYOTI_ASSERT(fs->live > 0 && x->state != FOLLOW_FREE && x->state != FOLLOW_GETTING);
  x->state = FOLLOW_FREE;
  x->next_free = fs->free;
  fs->free = (uint32_t)(x - fs->slot);
  fs->live--;
}

static eyot_handle_t handle_of(const struct eyoti_follows *fs, const struct follow *x) {
  return (eyot_handle_t){EYOTI_FOLLOW_BIT | (uint64_t)(x->gen & INT32_MAX) << 32 |
                         (uint64_t)(x - fs->slot)};
}

static struct follow *follow_find(const struct eyoti_follows *fs, eyot_handle_t h) {
  if ((h.id & EYOTI_FOLLOW_BIT) == 0 || fs == NULL || (uint32_t)h.id >= fs->n) return NULL;
  struct follow *x = &fs->slot[(uint32_t)h.id];
  return x->state != FOLLOW_FREE && handle_of(fs, x).id == h.id ? x : NULL;
}

static int find_or_fail(struct eyot_rt *rt, eyot_handle_t h, struct follow **out) {
  *out = follow_find(rt->rma->follows, h);
  if (*out != NULL) return EYOT_OK;
  eyoti_log(EYOTI_LOG_ERROR, rt->fab->note.what, EYOT_EINVAL,
            "handle %#" PRIx64 " is not one of this unit, or was completed before", h.id);
  return EYOT_EINVAL;
}

/* The get is complete or has failed: retires it and sends the signal. Blocks until then. */
static void follow_send(struct eyot_rt *rt, struct follow *x) {
  EYOTI_ASSERT(x->state == FOLLOW_GETTING);
  rt->rma->follows->getting--;
  x->err = fab_req_end(rt->fab, x->sig.at.unit, x->req);
  if (x->err == EYOT_OK) x->err = fab_put_signal(rt->fab, x->sig.at, NULL, 0, &x->sig, &x->req);
  x->state = x->err == EYOT_OK ? FOLLOW_SENT : FOLLOW_FAILED;
}

int eyoti_follow(struct eyot_rt *rt, fab_req_t first, const struct fab_sig *then,
                 eyot_handle_t *handle) {
  struct follow *x = first != 0 ? follow_take(rt) : NULL;
  if (x == NULL) {
    fab_req_t req;
    EYOTI_TRY(fab_req_end(rt->fab, then->at.unit, first));
    EYOTI_TRY(fab_put_signal(rt->fab, then->at, NULL, 0, then, &req));
    eyoti_handle_give(rt, req, handle);
    return EYOT_OK;
  }
  x->req = first;
  x->sig = *then;
  x->gen++;
  x->state = FOLLOW_GETTING;
  rt->rma->follows->getting++;
  eyoti_handle_give(rt, handle_of(rt->rma->follows, x).id, handle);
  return EYOT_OK;
}

static int follow_give_up(struct eyot_rt *rt, struct follow *x) {
  int err = x->err;
  follow_drop(rt->rma->follows, x);
  return err;
}

int eyoti_follow_wait(struct eyot_rt *rt, eyot_handle_t handle, enum fab_level level) {
  struct follow *x;
  EYOTI_TRY(find_or_fail(rt, handle, &x));
  if (x->state == FOLLOW_GETTING) follow_send(rt, x);
  if (x->state == FOLLOW_FAILED) return follow_give_up(rt, x);
  if (level == FAB_LOCAL) return EYOT_OK;
  fab_req_t req = x->req;
  follow_drop(rt->rma->follows, x);
  return fab_req_wait(rt->fab, req, FAB_REMOTE);
}

/* If the get is complete, sends the signal. Tests at the local level, which is never slower: for a
 * get it is all. An error is kept for the wait or test of the handle; the request must go then, for
 * a fabric may return the error at each test. */
static void test_get(struct eyot_rt *rt, struct follow *x) {
  bool here = false;
  int rc = fab_req_test(rt->fab, x->req, FAB_LOCAL, &here);
  if (rc == EYOT_OK && here) follow_send(rt, x);
  if (rc == EYOT_OK) return;
  rt->rma->follows->getting--;
  (void)fab_req_end(rt->fab, x->sig.at.unit, x->req);
  x->err = rc;
  x->state = FOLLOW_FAILED;
}

int eyoti_follow_test(struct eyot_rt *rt, eyot_handle_t handle, enum fab_level level, bool *done) {
  struct follow *x;
  bool complete = true;
  EYOTI_TRY(find_or_fail(rt, handle, &x));
  if (x->state == FOLLOW_GETTING) test_get(rt, x);
  if (x->state == FOLLOW_FAILED) return follow_give_up(rt, x);
  int rc = EYOT_OK;
  if (x->state == FOLLOW_GETTING)
    complete = false;
  else if (level == FAB_REMOTE && x->req != 0)
    rc = fab_req_test(rt->fab, x->req, FAB_REMOTE, &complete);
  if (rc != EYOT_OK || (complete && level == FAB_REMOTE)) follow_drop(rt->rma->follows, x);
  if (rc == EYOT_OK) *done = complete;
  return rc;
}

void eyoti_follow_start(struct eyot_rt *rt, eyot_handle_t handle) {
  struct follow *x = follow_find(rt->rma->follows, handle);
  if (x != NULL && x->state == FOLLOW_GETTING) follow_send(rt, x);
}

void eyoti_follow_progress(struct eyot_rt *rt) {
  struct eyoti_follows *fs = rt->rma->follows;
  for (uint32_t i = 0; fs->getting > 0 && i < fs->n; i++)
    if (fs->slot[i].state == FOLLOW_GETTING) test_get(rt, &fs->slot[i]);
}

void eyoti_follow_push(struct eyot_rt *rt, fab_unit_t unit) {
  struct eyoti_follows *fs = rt->rma->follows;
  for (uint32_t i = 0; fs->getting > 0 && i < fs->n; i++) {
    struct follow *x = &fs->slot[i];
    if (x->state == FOLLOW_GETTING && (unit == FAB_ALL || unit == x->sig.at.unit))
      follow_send(rt, x);
  }
}

void eyoti_follow_age(struct eyot_rt *rt, uint32_t gen) {
  for (uint32_t i = 0; i < rt->rma->follows->n; i++) rt->rma->follows->slot[i].gen = gen;
}

void eyoti_follow_stop(struct eyot_rt *rt) {
  struct eyoti_follows *fs = rt->rma->follows;
  if (fs == NULL) return;
  if (fs->live > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u handles of eyot_get_notify_nb were not waited for; their notifications have left "
              "only now",
              fs->live);
  free(fs->slot);
  free(fs);
  rt->rma->follows = NULL;
}
