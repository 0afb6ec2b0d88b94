/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - acquire, try and release of locks (eyot/lock.h): finds the caller's record of the lock,
 * checks the call, and calls the kind's operations (lock.h). Also the quick path: a free mcs or
 * ticket lock whose word is mapped is acquired and released without a call of the kind.
 *
 * A release completes all earlier operations of the holder before another unit can have the
 * lock. */
#include "sync/locks/kinds.h"
#include "sync/locks/queue_node.h"
#include "sync/locks/ticket.h"

static const char *mode_name(eyot_lock_mode_t mode) {
  return mode == EYOT_LOCK_EXCLUSIVE ? "EYOT_LOCK_EXCLUSIVE" : "EYOT_LOCK_SHARED";
}

static int find_slow(struct eyot_rt *rt, eyot_lock_t lock, struct eyoti_lock **out) {
  struct eyoti_locks *ls;
  EYOTI_TRY(eyoti_locks_get(rt, &ls));
  if (eyot_gptr_is_null(lock.at))
    return EYOTI_LOCK_FAIL(rt, EYOT_ESEG,
                           "the lock is null: it was not made yet, or has been destroyed");
  struct eyoti_lock *l = eyoti_lock_table_find(ls, lock);
  if (l == NULL && eyoti_gptr_is_private(lock.at)) EYOTI_TRY(eyoti_lock_meet(rt, lock, &l));
  if (l == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESEG, "no lock of this unit is at segment %u generation %u: %s",
                           lock.at.seg, eyoti_gptr_gen(lock.at),
                           eyoti_gmem_gone(rt, lock.at,
                                           "it was destroyed, or is of a team that this unit is "
                                           "not in",
                                           (char[EYOTI_GONE]){0}));
  ls->last = l;
  *out = l;
  return EYOT_OK;
}

int eyoti_lock_find(struct eyot_rt *rt, eyot_lock_t lock, struct eyoti_lock **out) {
  const struct eyoti_locks *ls = rt->sync->locks;
  if (__builtin_expect(
          ls == NULL || ls->last == NULL || !eyot_gptr_equal(ls->last->name.at, lock.at), 0))
    return find_slow(rt, lock, out);
  *out = ls->last;
  return EYOT_OK;
}

/* -- acquiring --------------------------------------------------------------------------------- */

/* A lock of a single unit may have been freed since this unit first used it: gmem reports that
 * where it can. */
static int check_alive(struct eyot_rt *rt, struct eyoti_lock *l) {
  struct fab_addr unused;
  int rc = eyoti_lock_at(rt, l, l->home, 0, &unused);
  if (rc != EYOT_OK) eyoti_lock_table_drop(rt->sync->locks, l);
  return rc;
}

/* Lets reports of waiting name the lock. */
static void lock_note(struct eyot_rt *rt, const struct eyoti_lock *l) {
  rt->about = l->by_one_unit
                  ? (struct eyoti_about){EYOTI_MADE_PRIVATE, l->name.at.unit,
                                         eyoti_gptr_place(l->name.at), &l->far}
                  : (struct eyoti_about){EYOTI_MADE_COLLECTIVE, rt->fab->me, l->name.at.seg, NULL};
}

/* "the lock (64 bytes, eyot_lock_create at a.c:12 (main))" */
static const char *lock_words(struct eyot_rt *rt, const struct eyoti_lock *l,
                              char text[EYOTI_WORDS]) {
  return eyoti_gmem_words(rt, l->name.at, text);
}

static int lock_check_whole(struct eyot_rt *rt, const struct eyoti_lock *l, eyot_lock_mode_t mode) {
  const char *kind = l->ops->name;
  if ((uint32_t)mode > EYOT_LOCK_SHARED)
    return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL,
                           "lock mode %d is neither EYOT_LOCK_EXCLUSIVE nor EYOT_LOCK_SHARED",
                           (int)mode);
  if ((l->ops->modes >> mode & 1) == 0)
    return EYOTI_LOCK_FAIL(
        rt, EYOT_ENOTSUP, "a lock of kind %s has no mode %s%s", kind, mode_name(mode),
        l->ops->targets
            ? " for the whole team; use eyot_lock_acquire_at and the like for one member"
            : "");
  char words[EYOTI_WORDS];
  if (l->held)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                           "this unit holds the lock (kind %s, %s) already; release it first: %s",
                           kind, mode_name(l->mode), lock_words(rt, l, words));
  if (l->held_at > 0)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                           "this unit holds %u members of the lock one by one; release them before "
                           "asking for the whole",
                           l->held_at);
  return EYOT_OK;
}

static bool has_targets(const struct eyoti_lock_ops *ops) {
  return ops->targets;
}

static __attribute__((noinline)) int refuse_member(struct eyot_rt *rt, const struct eyoti_lock *l) {
  char names[EYOTI_LOCK_NAMES_BYTES];
  return EYOTI_LOCK_FAIL(
      rt, EYOT_ENOTSUP,
      "a lock of kind %s is one for the whole team; only kind %s locks single members",
      l->ops->name, eyoti_lock_kind_names(has_targets, names));
}

static int check_member(struct eyot_rt *rt, const struct eyoti_lock *l, eyot_lock_mode_t mode,
                        uint32_t target) {
  if ((uint32_t)mode > EYOT_LOCK_SHARED)
    return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL,
                           "lock mode %d is neither EYOT_LOCK_EXCLUSIVE nor EYOT_LOCK_SHARED",
                           (int)mode);
  if (!l->ops->targets) return refuse_member(rt, l);
  if (target >= l->team->size)
    return EYOTI_LOCK_FAIL(rt, EYOT_EUNIT, "member %u of the lock's team, which has %u", target,
                           l->team->size);
  if (l->held)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                           "this unit holds the lock for the whole team already; release it first");
  return EYOT_OK;
}

static int broken(struct eyot_rt *rt) {
  return EYOTI_LOCK_FAIL(
      rt, EYOT_ESTATE,
      "an earlier call for this lock has failed half-way; the lock cannot be used any more");
}

static __attribute__((noinline)) int awaited(struct eyot_rt *rt, const struct eyoti_lock *l) {
  return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                         "another thread of this unit is acquiring the lock (kind %s): %s; a unit "
                         "acquires a lock once, so order its threads by another means",
                         l->ops->name, lock_words(rt, l, (char[EYOTI_WORDS]){0}));
}

static inline int lock_acquire(struct eyot_rt *rt, eyot_lock_t lock,
                               const struct eyoti_lock_want *want) {
  struct eyoti_lock *l;
  EYOTI_TRY(eyoti_lock_find(rt, lock, &l));
  if (want->target != EYOTI_LOCK_WHOLE)
    EYOTI_TRY(check_member(rt, l, want->mode, want->target));
  else if ((uint32_t)want->mode > EYOT_LOCK_SHARED || (l->ops->modes >> want->mode & 1) == 0 ||
           l->held || l->held_at > 0)
    return lock_check_whole(rt, l, want->mode);
  if (l->by_one_unit) EYOTI_TRY(check_alive(rt, l));
  if (l->broken) return broken(rt);
  if (l->awaited) return awaited(rt, l);
  lock_note(rt, l);
  l->awaited = true;
  int rc = l->ops->acquire(rt, l, want);
  l->awaited = false;
  if (rc != EYOT_OK) return rc;
  if (want->target != EYOTI_LOCK_WHOLE) {
    l->held_at++;
    return EYOT_OK;
  }
  l->held = true;
  l->mode = want->mode;
  return EYOT_OK;
}

/* `target` must not be EYOTI_LOCK_WHOLE where it comes from the caller of the public function. */
static int acquire_at(struct eyot_rt *rt, eyot_lock_t lock, const struct eyoti_lock_want *want) {
  if (want->target == EYOTI_LOCK_WHOLE)
    return EYOTI_LOCK_FAIL(rt, EYOT_EUNIT, "%u is no member of a team", want->target);
  return lock_acquire(rt, lock, want);
}

static int lock_report(int rc, bool *acquired) {
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *acquired = rc == EYOT_OK;
  return EYOT_OK;
}

/* -- the quick path of free mcs locks and of ticket locks -------------------------------------- */
/* Where the word is mapped and the fabric allows the CPU's atomics, acquiring and releasing are one
 * atomic each, and checks. All other cases take the general path, which reports errors; mcs.c and
 * queue.c show why the steps are right. One node is reserved for the quick path and used again
 * under the same name as long as no unit has queued after it: if the tail still shows the name at
 * release, no other unit has seen it. */

/* The lock, if the quick path applies: the unit runs, and the lock is the one used last, of a kind
 * with a quick path, mapped, and the fabric allows the CPU's atomics. */
static inline struct eyoti_lock *quick_find(const struct eyot_rt *rt, eyot_lock_t lock) {
  if (rt->state != EYOTI_RUNNING || !eyoti_rt_owns(rt)) return NULL;
  const struct eyoti_locks *ls = rt->sync->locks;
  if (ls == NULL || ls->last == NULL || !eyot_gptr_equal(ls->last->name.at, lock.at)) return NULL;
  return ls->last->quick != NULL && rt->fab->cpu_atomics ? ls->last : NULL;
}

/* Reserves a node if none is; false: it is in use for another lock, or there is none. */
static inline bool quick_node(const struct eyot_rt *rt, struct eyoti_locks *ls) {
  if (__builtin_expect(ls->quick_node != 0, 1)) return !ls->quick_busy;
  if (ls->nodes.free == 0) return false;
  ls->quick_node = node_take(&ls->nodes, rt->fab->me, false);
  return true;
}

/* The tail has shown `before`: links after it and waits. The node is then an ordinary one. */
static __attribute__((noinline)) int quick_wait(struct eyot_rt *rt, struct eyoti_lock *l,
                                                eyoti_qref_t before, const void *site) {
  uint64_t grant;
  rt->sync->locks->quick_node = 0;
  rt->fab->note.what = "eyot_lock_acquire";
  rt->site = site;
  lock_note(rt, l);
  EYOTI_TRY(eyoti_queue_link(rt, before, l->node));
  EYOTI_TRY(eyoti_queue_wait(rt, l->node, EYOTI_DEADLINE_NEVER, &grant));
  l->held = true;
  return EYOT_OK;
}

static inline int quick_acquire(struct eyot_rt *rt, struct eyoti_lock *l, const void *site) {
  struct eyoti_locks *ls = rt->sync->locks;
  l->node = ls->quick_node;
  l->mode = EYOT_LOCK_EXCLUSIVE;
  /* pairs with the compare-and-swap of a release */
  uint64_t before = __atomic_exchange_n(l->quick, l->node, __ATOMIC_SEQ_CST);
  if (__builtin_expect(before != 0, 0)) return quick_wait(rt, l, before, site);
  ls->quick_busy = l->held = true;
  return EYOT_OK;
}

/* Releases the lock if it was acquired on the quick path and no unit has queued after the holder;
 * else false. */
static inline bool quick_release(struct eyoti_locks *ls, struct eyoti_lock *l) {
  if (l->node != ls->quick_node || cpu_cas(l->quick, l->node, 0) != l->node) return false;
  ls->quick_busy = l->held = false;
  return true;
}

/* Passes the lock to the successor, if one has linked, cannot give up and is mapped; else false. */
static bool quick_pass(struct eyot_rt *rt, struct eyoti_locks *ls, struct eyoti_lock *l) {
  if (!eyoti_queue_pass_mapped(rt, l->node, 0)) return false;
  if (l->node == ls->quick_node) { /* an ordinary node, and free */
    ls->quick_node = 0;
    ls->quick_busy = false;
  }
  l->held = false;
  return true;
}

/* The general path hands over and frees the node, so the quick path gives it up. */
static void quick_leave(struct eyoti_locks *ls, const struct eyoti_lock *l) {
  if (l->quick == NULL || l->quick_way != EYOTI_LOCK_QUICK_QUEUE || l->node != ls->quick_node)
    return;
  ls->quick_node = 0;
  ls->quick_busy = false;
}

/* The ticket is drawn, and other units are served first. */
static __attribute__((noinline)) int ticket_wait(struct eyot_rt *rt, struct eyoti_lock *l,
                                                 uint64_t word, const void *site) {
  rt->fab->note.what = "eyot_lock_acquire";
  rt->site = site;
  lock_note(rt, l);
  EYOTI_TRY(eyoti_ticket_wait(rt, l, word));
  l->held = true;
  return EYOT_OK;
}

static inline int quick_ticket_acquire(struct eyot_rt *rt, struct eyoti_lock *l, const void *site) {
  l->mode = EYOT_LOCK_EXCLUSIVE;
  uint64_t before = ticket_take_mapped(l, l->quick);
  if (__builtin_expect(ticket_busy(before), 0)) return ticket_wait(rt, l, before, site);
  l->held = true;
  return EYOT_OK;
}

static inline bool quick_ticket_release(struct eyot_rt *rt, struct eyoti_lock *l) {
  l->held = false;
  ticket_wake(rt, ticket_pass_mapped(l, l->quick));
  return true;
}

int eyot_lock_acquire(eyot_lock_t lock, eyot_lock_mode_t mode) {
  struct eyoti_lock *l = quick_find(eyot_current, lock);
  if (l != NULL && mode == EYOT_LOCK_EXCLUSIVE && !l->held) {
    const void *site = __builtin_return_address(0);
    if (l->quick_way == EYOTI_LOCK_QUICK_TICKET) return quick_ticket_acquire(eyot_current, l, site);
    if (quick_node(eyot_current, eyot_current->sync->locks))
      return quick_acquire(eyot_current, l, site);
  }
  EYOTI_ENTER(rt);
  return lock_acquire(
      rt, lock, &(struct eyoti_lock_want){mode, EYOTI_LOCK_WHOLE, false, EYOTI_DEADLINE_NEVER});
}

int eyot_lock_try(eyot_lock_t lock, eyot_lock_mode_t mode, bool *acquired) {
  EYOTI_ENTER(rt);
  if (acquired == NULL) return EYOTI_FAIL(EYOT_EINVAL, "acquired is NULL");
  return lock_report(
      lock_acquire(rt, lock,
                   &(struct eyoti_lock_want){mode, EYOTI_LOCK_WHOLE, true, EYOTI_DEADLINE_NEVER}),
      acquired);
}

int eyot_lock_acquire_timeout(eyot_lock_t lock, eyot_lock_mode_t mode, uint64_t timeout_ns) {
  EYOTI_ENTER(rt);
  return lock_acquire(
      rt, lock,
      &(struct eyoti_lock_want){mode, EYOTI_LOCK_WHOLE, false, eyoti_deadline(rt, timeout_ns)});
}

int eyot_lock_acquire_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit) {
  EYOTI_ENTER(rt);
  return acquire_at(rt, lock,
                    &(struct eyoti_lock_want){mode, unit.id, false, EYOTI_DEADLINE_NEVER});
}

int eyot_lock_try_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit, bool *acquired) {
  EYOTI_ENTER(rt);
  if (acquired == NULL) return EYOTI_FAIL(EYOT_EINVAL, "acquired is NULL");
  return lock_report(
      acquire_at(rt, lock, &(struct eyoti_lock_want){mode, unit.id, true, EYOTI_DEADLINE_NEVER}),
      acquired);
}

int eyot_lock_acquire_at_timeout(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit,
                                 uint64_t timeout_ns) {
  EYOTI_ENTER(rt);
  return acquire_at(
      rt, lock, &(struct eyoti_lock_want){mode, unit.id, false, eyoti_deadline(rt, timeout_ns)});
}

/* -- releasing --------------------------------------------------------------------------------- */

/* All that the holder did is complete before another unit can have the lock: remote completion is
 * release ordering, and the kinds hand over after it. */
static inline int lock_release(struct eyot_rt *rt, struct eyoti_lock *l, fab_unit_t complete,
                               uint32_t target) {
  if (l->broken) return broken(rt);
  if (!eyoti_rma_quiet(rt)) EYOTI_TRY(eyoti_rma_flush(rt, complete));
  int rc = l->ops->release(rt, l, target);
  if (rc != EYOT_OK && rc != EYOT_ESTATE) eyoti_lock_break(l);
  return rc;
}

int eyot_lock_release(eyot_lock_t lock) {
  struct eyoti_lock *l = quick_find(eyot_current, lock);
  if (l != NULL && l->held && eyoti_rma_quiet(eyot_current)) {
    struct eyoti_locks *ls = eyot_current->sync->locks;
    if (l->quick_way == EYOTI_LOCK_QUICK_TICKET
            ? quick_ticket_release(eyot_current, l)
            : quick_pass(eyot_current, ls, l) || quick_release(ls, l))
      return EYOT_OK;
  }
  EYOTI_ENTER(rt);
  EYOTI_TRY(eyoti_lock_find(rt, lock, &l));
  if (!l->held)
    return EYOTI_LOCK_FAIL(
        rt, EYOT_ESTATE, "unit %u does not hold the lock (kind %s)%s: %s", rt->fab->me,
        l->ops->name,
        l->held_at > 0 ? " as a whole, but members of it; use eyot_lock_release_at" : "",
        lock_words(rt, l, (char[EYOTI_WORDS]){0}));
  quick_leave(rt->sync->locks, l);
  EYOTI_TRY(lock_release(rt, l, FAB_ALL, EYOTI_LOCK_WHOLE));
  l->held = false;
  return EYOT_OK;
}

int eyot_lock_release_at(eyot_lock_t lock, eyot_tunit_t unit) {
  EYOTI_ENTER(rt);
  struct eyoti_lock *l;
  EYOTI_TRY(eyoti_lock_find(rt, lock, &l));
  if (!l->ops->targets)
    return EYOTI_LOCK_FAIL(rt, EYOT_ENOTSUP,
                           "a lock of kind %s is one for the whole team; use eyot_lock_release",
                           l->ops->name);
  if (unit.id >= l->team->size)
    return EYOTI_LOCK_FAIL(rt, EYOT_EUNIT, "member %u of the lock's team, which has %u", unit.id,
                           l->team->size);
  if (l->held_at == 0)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE, "unit %u does not hold member %u of the lock%s",
                           rt->fab->me, unit.id,
                           l->held ? ", but the whole; use eyot_lock_release" : "");
  EYOTI_TRY(lock_release(rt, l, eyoti_team_unit(l->team, unit.id), unit.id));
  l->held_at--;
  return EYOT_OK;
}

int eyot_lock_held(eyot_lock_t lock, bool *held) {
  EYOTI_ENTER(rt);
  if (held == NULL) return EYOTI_FAIL(EYOT_EINVAL, "held is NULL");
  struct eyoti_lock *l;
  EYOTI_TRY(eyoti_lock_find(rt, lock, &l));
  *held = l->held || l->held_at > 0;
  return EYOT_OK;
}
