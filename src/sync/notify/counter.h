/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.h - the state that a unit keeps for its counters: their thresholds and the amount of each
 * that is consumed. For the files of src/sync/notify only; one thread of the unit uses it.
 *
 * Why it exists: other units only add to a counter's word. When it fires, and how much is consumed,
 * is decided by the owner, locally; so a notification is one signal, and no word is ever reset that
 * a notification of the next round could meet. */
#ifndef EYOT_SYNC_NOTIFY_COUNTER_H
#define EYOT_SYNC_NOTIFY_COUNTER_H

#include <eyot/notify.h>

#include "rma/rma.h"
#include "rt/observe.h"
#include "sync/sync.h"

#define EYOTI_COUNTER_BUCKETS 16u /* at first */

struct eyoti_counter {
  eyot_gptr_t at; /* of the caller's own word */
  struct eyoti_counter *chain;
  uint64_t off; /* of the word, in fabric segment seg */
  fab_seg_t seg;
  bool collective;
  bool reported;   /* this unit warns if the counter is not destroyed */
  uint32_t claims; /* while a list is read: the number of times that it was named so far */
  uint64_t threshold;
  uint64_t consumed;    /* it fires when the word is at least consumed + threshold */
  uint64_t served;      /* the number of the wait for any that returned it last; 0: never */
  const uint64_t *word; /* its local address */
};

struct eyoti_counters {
  struct eyoti_counter *last; /* the one found last, or NULL */
  struct eyoti_counter **bucket;
  uint32_t n_buckets, n_counters; /* buckets: a power of two */
  struct eyoti_counter *first_bucket[EYOTI_COUNTER_BUCKETS];
  uint64_t served; /* waits for any that have returned a counter */
};

/* Logs an error under the name of the public function that was called. */
#define EYOTI_COUNTER_FAIL(rt, code, ...) \
  (eyoti_log(EYOTI_LOG_ERROR, (rt)->fab->note.what, (code), __VA_ARGS__), (code))

/* The caller's own counter. Errors: ESEG (null, destroyed, never made), EUNIT (another unit's). */
int eyoti_counter_find(struct eyot_rt *rt, eyot_counter_t counter, struct eyoti_counter **out);

/* Sets *value to the word's value at which `firings` more firings are reached. False: the word can
 * never reach it, as it has 64 bits. */
static inline bool eyoti_counter_needs(const struct eyoti_counter *c, uint32_t firings,
                                       uint64_t *value) {
  return !__builtin_mul_overflow(c->threshold, (uint64_t)firings, value) &&
         !__builtin_add_overflow(*value, c->consumed, value);
}

/* True if the counter fires now. Pairs with the release of the signals that add to the word. */
static inline bool eyoti_counter_fires(const struct eyoti_counter *c) {
  uint64_t value;
  return eyoti_counter_needs(c, 1, &value) && eyoti_load_own(c->word) >= value;
}
#endif
