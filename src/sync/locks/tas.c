/* SPDX-License-Identifier: BSD-3-Clause */
/* tas.c - lock kind tas: test-and-set with exponential back-off, the baseline of benchmarks. It is
 * in the table of kinds.h.
 *
 * The word at home is 0 or the holder's unit + 1. Uncontended: 1 fetching atomic to acquire, 1
 * signal to release. Source: Anderson: The Performance of Spin Lock Alternatives for Shared-Memory
 * Multiprocessors, IEEE TPDS 1(1), 1990. */
#include "sync/locks/kinds.h"

static uint64_t tas_bytes(const struct eyoti_lock *l) {
  (void)l;
  return sizeof(uint64_t);
}

/* *before: 0 if the lock is the caller's now, else the holder. */
static int tas_try_once(struct eyot_rt *rt, const struct eyoti_lock *l, uint64_t *before) {
  const struct fab_amo take = {
      .op = FAB_AMO_CAS, .width = 8, .operand = (uint64_t)rt->fab->me + 1, .compare = 0};
  EYOTI_TRY(fab_amo_wait(rt->fab, l->word, &take, before));
  if (*before != take.operand) return EYOT_OK;
  /* The caller's own release has not arrived yet. */
  EYOTI_TRY(fab_flush(rt->fab, l->word.unit, FAB_REMOTE));
  return fab_amo_wait(rt->fab, l->word, &take, before);
}

/* Tries without a bound, or until the deadline: after each release one of the units that try gets
 * the lock. */
static int tas_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                       const struct eyoti_lock_want *want) {
  uint64_t before;
  EYOTI_TRY(tas_try_once(rt, l, &before));
  if (before == 0) return EYOT_OK;
  if (want->once) return EYOT_ETIMEOUT;
  EYOTI_BACKOFF(pause);
  eyoti_backoff_init(&pause, rt, &l->attr);
  while (before != 0) {
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, want->deadline));
    EYOTI_TRY(tas_try_once(rt, l, &before));
  }
  return EYOT_OK;
}

/* Between this signal and the next one of any unit to the word lies an atomic that has seen it, so
 * they cannot pass each other. A lock of the team is not freed before all members have completed
 * what they sent (destroy); one of a single unit may be, so the signal must have arrived. */
static int tas_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  (void)target;
  const struct fab_sig clear = {.at = l->word, .op = FAB_SIG_SET, .value = 0};
  if (l->by_one_unit) return fab_put_signal_wait(rt->fab, clear.at, NULL, 0, &clear);
  return fab_put_signal(rt->fab, clear.at, NULL, 0, &clear, NULL);
}

const struct eyoti_lock_ops eyoti_lock_tas = {.name = "tas",
                                              .modes = 1u << EYOT_LOCK_EXCLUSIVE,
                                              .by_one_unit = true,
                                              .check_attr = eyoti_lock_check_backoff,
                                              .bytes = tas_bytes,
                                              .acquire = tas_acquire,
                                              .release = tas_release};
