/* SPDX-License-Identifier: BSD-3-Clause */
/* epoch.c - lock kind epoch: shared or exclusive on one member, or shared on all. It is in the
 * table of kinds.h; only lock.c and lock_make.c call it.
 *
 * It promises no fairness, as in the source: readers that overlap all the time keep a writer out
 * for ever. Use kind rw where that matters. Source: Gerstenberger, Besta, Hoefler: Enabling
 * highly-scalable remote memory access programming with MPI-3 one sided, SC 2013, section 2.3. */

/* The words, and why they suffice.
 *
 * Local word, at each member: the highest bit is set while a unit holds the member exclusively; the
 * other bits count the units that hold it shared or wait for the writer to release it. Global word,
 * at home: the lower half counts units that hold (or try) shared on all, the upper half those that
 * hold (or try) some member exclusively. Exclusive holders and shared-on-all exclude each other in
 * the global word; the member's local word decides the other cases.
 *
 * Uncontended costs: shared, on one or on all, 1 fetching atomic; the first exclusive 2 (global,
 * local), further ones 1; release 1 atomic without a wait, and 1 more with the last exclusive one.
 *
 * Why a unit may count itself first and check then: each unit adds itself with a fetching atomic
 * and enters only if the value before allows it. Of a unit that wants exclusive and one that wants
 * shared on all, the second to arrive at the global word sees the first. A decrement follows its
 * own increment, which was complete, so a count is never lower than the number of its holders, only
 * higher: by units that are about to take their try back, and by releases that have not arrived
 * yet. Both cost others a retry and nothing else, and both arrive without another unit's help, so
 * no unit waits for them for ever. The caller's own late release could make its next try fail
 * although no other unit holds the lock; so the first failure completes the caller's operations on
 * the two words and checks again before it counts as one.
 *
 * Starvation: each attempt that fails has met a unit that holds the lock or tries; pauses are
 * random and grow, and a unit that has failed once reads the words before it tries again, so that
 * some unit makes progress. */
#include <stdlib.h>
#include <string.h>

#include "sync/locks/kinds.h"
#include "sync/locks/locks.h"

#define LOCAL_OFF 0u
#define GLOBAL_OFF 8u
#define EPOCH_BYTES 16u

#define WRITER ((uint64_t)1 << 63)
#define READER ((uint64_t)1)
#define ALL_UNIT ((uint64_t)1)
#define ALL_MASK (((uint64_t)1 << 32) - 1)
#define EXCLUSIVE_UNIT ((uint64_t)1 << 32)

#define HOLDS_FIRST 8u

_Static_assert(EYOTI_QUEUE_UNITS_MAX <= ALL_MASK / 128,
               "half a word counts a hold and 127 late subtractions of each unit");

/* A member that is held. */
struct hold {
  uint32_t target;
  eyot_lock_mode_t mode;
};

/* The kind's part of the lock record: the members that the caller holds one by one, in ascending
 * order. */
struct epoch {
  struct hold *hold;
  uint32_t n, capacity;
  /* the number that are held exclusively; while it is not 0, the caller is counted once in the
   * upper half of the global word */
  uint32_t exclusive;
};

static uint64_t epoch_bytes(const struct eyoti_lock *l) {
  (void)l;
  return EPOCH_BYTES;
}

static int epoch_open(struct eyot_rt *rt, struct eyoti_lock *l) {
  l->own = calloc(1, sizeof(struct epoch));
  return l->own != NULL
             ? EYOT_OK
             : EYOTI_LOCK_FAIL(rt, EYOT_ENOMEM, "no memory for this unit's state of an epoch lock");
}

static void epoch_close(struct eyoti_lock *l) {
  struct epoch *e = l->own;
  free(e->hold);
  free(e);
  l->own = NULL;
}

/* -- members that are held --------------------------------------------------------------------- */

/* The index of `target` in the list, or the one at which it would be inserted. */
static uint32_t epoch_index_of(const struct epoch *e, uint32_t target) {
  uint32_t low = 0, high = e->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (e->hold[middle].target < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct hold *held_at(const struct epoch *e, uint32_t target) {
  uint32_t i = epoch_index_of(e, target);
  return i < e->n && e->hold[i].target == target ? &e->hold[i] : NULL;
}

/* Reserves space for one more, so that a member can be entered after it was acquired. */
static int epoch_reserve(struct eyot_rt *rt, struct epoch *e) {
  if (e->n < e->capacity) return EYOT_OK;
  uint32_t capacity = e->capacity == 0 ? HOLDS_FIRST : e->capacity * 2;
  struct hold *wider = realloc(e->hold, capacity * sizeof *wider);
  if (wider == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ENOMEM, "no memory to note that %u members of a lock are held",
                           e->n + 1);
  e->hold = wider;
  e->capacity = capacity;
  return EYOT_OK;
}

static void epoch_enter(struct epoch *e, const struct eyoti_lock_want *want) {
  uint32_t i = epoch_index_of(e, want->target);
  EYOTI_ASSERT(e->n < e->capacity);
  memmove(&e->hold[i + 1], &e->hold[i], (e->n - i) * sizeof e->hold[0]);
  e->hold[i] = (struct hold){want->target, want->mode};
  e->n++;
  if (want->mode == EYOT_LOCK_EXCLUSIVE) e->exclusive++;
}

static void epoch_leave(struct epoch *e, struct hold *h) {
  if (h->mode == EYOT_LOCK_EXCLUSIVE) e->exclusive--;
  memmove(h, h + 1, (size_t)(&e->hold[e->n] - (h + 1)) * sizeof *h);
  e->n--;
}

/* -- the words --------------------------------------------------------------------------------- */

static struct fab_addr global_word(const struct eyoti_lock *l) {
  return fab_at(l->word.unit, l->word.seg, l->word.off + GLOBAL_OFF);
}

static int fetch_add(struct eyot_rt *rt, struct fab_addr word, uint64_t value, uint64_t *before) {
  return fab_amo_wait(rt->fab, word,
                      &(struct fab_amo){.op = FAB_AMO_ADD, .width = 8, .operand = value}, before);
}

/* Subtracts a value that the caller has added. The caller does not wait for it: see the top of this
 * file. */
static int subtract(struct eyot_rt *rt, struct fab_addr word, uint64_t value) {
  return fab_amo(rt->fab, word,
                 &(struct fab_amo){.op = FAB_AMO_ADD, .width = 8, .operand = 0 - value}, NULL,
                 NULL);
}

/* -- one try: *got, or it leaves no trace ------------------------------------------------------ */

static int epoch_try_all(struct eyot_rt *rt, const struct eyoti_lock *l, bool *got) {
  uint64_t before;
  EYOTI_TRY(fetch_add(rt, global_word(l), ALL_UNIT, &before));
  *got = before < EXCLUSIVE_UNIT;
  return *got ? EYOT_OK : subtract(rt, global_word(l), ALL_UNIT);
}

/* The local word must have been empty: a reader that is only registered counts like one that is in.
 * The compare-and-swap pairs with the subtractions of release: a unit that finds 0 sees what the
 * former holders have completed. */
static int try_exclusive(struct eyot_rt *rt, const struct eyoti_lock *l, struct fab_addr local,
                         bool *got) {
  const struct epoch *e = l->own;
  const struct fab_amo take = {.op = FAB_AMO_CAS, .width = 8, .operand = WRITER, .compare = 0};
  uint64_t before;
  if (e->exclusive == 0) {
    EYOTI_TRY(fetch_add(rt, global_word(l), EXCLUSIVE_UNIT, &before));
    if ((before & ALL_MASK) != 0) {
      *got = false;
      return subtract(rt, global_word(l), EXCLUSIVE_UNIT);
    }
  }
  EYOTI_TRY(fab_amo_wait(rt->fab, local, &take, &before));
  *got = before == 0;
  return *got || e->exclusive > 0 ? EYOT_OK : subtract(rt, global_word(l), EXCLUSIVE_UNIT);
}

static int epoch_try_once(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t target,
                          struct fab_addr local, bool *got) {
  return target == EYOTI_LOCK_WHOLE ? epoch_try_all(rt, l, got) : try_exclusive(rt, l, local, got);
}

/* Completes the caller's operations on the words, its own late releases among them. */
static int epoch_settle(struct eyot_rt *rt, const struct eyoti_lock *l, struct fab_addr local) {
  EYOTI_TRY(fab_flush(rt->fab, l->word.unit, FAB_REMOTE));
  return local.unit == l->word.unit ? EYOT_OK : fab_flush(rt->fab, local.unit, FAB_REMOTE);
}

/* After a failure: *free_now if a try could succeed now. A try that fails keeps others out while it
 * lasts; many units of both kinds that only tried would keep each other out for ever. Of those that
 * have seen the words free and try, the first to arrive gets in. */
static int seems_free(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t target,
                      struct fab_addr local, bool *free_now) {
  const struct epoch *e = l->own;
  const struct fab_amo look = {.op = FAB_AMO_READ, .width = 8};
  uint64_t global = 0, word = 0;
  fab_req_t req = 0;
  if (target == EYOTI_LOCK_WHOLE) {
    EYOTI_TRY(fab_amo_wait(rt->fab, global_word(l), &look, &global));
    *free_now = global < EXCLUSIVE_UNIT;
    return EYOT_OK;
  }
  if (e->exclusive == 0) EYOTI_TRY(fab_amo(rt->fab, global_word(l), &look, &global, &req));
  int rc = fab_amo_wait(rt->fab, local, &look, &word);
  /* also after an error: the operation writes to this function's memory */
  int other = fab_req_end(rt->fab, l->word.unit, req);
  EYOTI_TRY(rc != EYOT_OK ? rc : other);
  *free_now = word == 0 && (global & ALL_MASK) == 0;
  return EYOT_OK;
}

static int try_again(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t target,
                     struct fab_addr local, bool *got) {
  EYOTI_TRY(seems_free(rt, l, target, local, got));
  return *got ? epoch_try_once(rt, l, target, local, got) : EYOT_OK;
}

/* Tries without a bound, or until the deadline. */
static int epoch_try_until(struct eyot_rt *rt, const struct eyoti_lock *l,
                           const struct eyoti_lock_want *want, struct fab_addr local) {
  bool got;
  EYOTI_TRY(epoch_try_once(rt, l, want->target, local, &got));
  if (got) return EYOT_OK;
  EYOTI_TRY(epoch_settle(rt, l, local));
  EYOTI_TRY(try_again(rt, l, want->target, local, &got));
  if (got) return EYOT_OK;
  if (want->once) return EYOT_ETIMEOUT;
  EYOTI_BACKOFF(pause);
  eyoti_backoff_init(&pause, rt, &l->attr);
  while (!got) {
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, want->deadline));
    EYOTI_TRY(try_again(rt, l, want->target, local, &got));
  }
  return EYOT_OK;
}

/* Reads until the writer has released the member. The caller is counted already, which suffices: no
 * other writer can enter, for a writer's compare-and-swap needs an empty word; and the present one
 * is not held up, for it leaves by subtracting its bit, whatever the count. */
static int wait_for_writer(struct eyot_rt *rt, const struct eyoti_lock *l,
                           const struct eyoti_lock_want *want, struct fab_addr local) {
  const struct fab_amo look = {.op = FAB_AMO_READ, .width = 8};
  EYOTI_BACKOFF(pause);
  uint64_t word;
  EYOTI_TRY(epoch_settle(rt, l, local));
  EYOTI_TRY(fab_amo_wait(rt->fab, local, &look, &word));
  if ((word & WRITER) == 0) return EYOT_OK;
  if (want->once) return EYOT_ETIMEOUT;
  eyoti_backoff_init(&pause, rt, &l->attr);
  while ((word & WRITER) != 0) {
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, want->deadline));
    EYOTI_TRY(fab_amo_wait(rt->fab, local, &look, &word));
  }
  return EYOT_OK;
}

static int acquire_shared(struct eyot_rt *rt, const struct eyoti_lock *l,
                          const struct eyoti_lock_want *want, struct fab_addr local) {
  uint64_t before;
  EYOTI_TRY(fetch_add(rt, local, READER, &before));
  if ((before & WRITER) == 0) return EYOT_OK;
  int rc = wait_for_writer(rt, l, want, local);
  if (rc != EYOT_ETIMEOUT) return rc;
  EYOTI_TRY(subtract(rt, local, READER));
  return EYOT_ETIMEOUT;
}

static int epoch_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                         const struct eyoti_lock_want *want) {
  struct epoch *e = l->own;
  if (want->target == EYOTI_LOCK_WHOLE) return epoch_try_until(rt, l, want, global_word(l));
  struct fab_addr local;
  const struct hold *h = held_at(e, want->target);
  if (h != NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                           "this unit holds member %u of the lock already, %s; release it first",
                           want->target, h->mode == EYOT_LOCK_EXCLUSIVE ? "exclusively" : "shared");
  EYOTI_TRY(epoch_reserve(rt, e));
  EYOTI_TRY(eyoti_lock_at(rt, l, want->target, LOCAL_OFF, &local));
  if (want->mode == EYOT_LOCK_SHARED)
    EYOTI_TRY(acquire_shared(rt, l, want, local));
  else
    EYOTI_TRY(epoch_try_until(rt, l, want, local));
  epoch_enter(e, want);
  return EYOT_OK;
}

/* The two subtractions of the last exclusive hold need no order: a unit that gets in early through
 * one of the words finds the other as it would with a release that has not begun. */
static int epoch_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  struct epoch *e = l->own;
  if (target == EYOTI_LOCK_WHOLE) return subtract(rt, global_word(l), ALL_UNIT);
  struct hold *h = held_at(e, target);
  if (h == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESTATE,
                           "unit %u does not hold member %u of the lock; it holds %u others",
                           rt->fab->me, target, e->n);
  bool exclusive = h->mode == EYOT_LOCK_EXCLUSIVE;
  struct fab_addr local;
  EYOTI_TRY(eyoti_lock_at(rt, l, target, LOCAL_OFF, &local));
  EYOTI_TRY(subtract(rt, local, exclusive ? WRITER : READER));
  if (exclusive && e->exclusive == 1) EYOTI_TRY(subtract(rt, global_word(l), EXCLUSIVE_UNIT));
  epoch_leave(e, h);
  return EYOT_OK;
}

const struct eyoti_lock_ops eyoti_lock_epoch = {.name = "epoch",
                                                .modes = 1u << EYOT_LOCK_SHARED,
                                                .targets = true,
                                                .check_attr = eyoti_lock_check_backoff,
                                                .bytes = epoch_bytes,
                                                .open = epoch_open,
                                                .close = epoch_close,
                                                .acquire = epoch_acquire,
                                                .release = epoch_release};
