/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.h - what a unit keeps for its counters: their thresholds and how much of each has been
 * consumed. For the files of notified access only.
 *
 * Why it exists: others only add to a counter's word. When it fires, and what has been used up, is
 * the owner's business and local, so a notification is one signal, and nothing is ever reset that a
 * notification of the next round could meet. */
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
  bool reported;   /* this unit is the one that warns if it is not destroyed */
  uint32_t claims; /* while a list is looked at: how often it was named so far */
  uint64_t threshold;
  uint64_t consumed;    /* a firing is there when the word is at least consumed + threshold */
  uint64_t served;      /* when a wait for any returned it last, in such waits; 0: never */
  const uint64_t *word; /* where it is mapped */
};

struct eyoti_counters {
  struct eyoti_counter *last; /* found last, or NULL */
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

/* Whether the word must reach *value for `firings` more firings. False: it never can, as it holds
 * no more than 64 bits in its life. */
static inline bool eyoti_counter_needs(const struct eyoti_counter *c, uint32_t firings,
                                       uint64_t *value) {
  return !__builtin_mul_overflow(c->threshold, (uint64_t)firings, value) &&
         !__builtin_add_overflow(*value, c->consumed, value);
}

/* Whether a firing is there now. Pairs with the release of the signals that add to the word. */
static inline bool eyoti_counter_fires(const struct eyoti_counter *c) {
  uint64_t value;
  return eyoti_counter_needs(c, 1, &value) && eyoti_load_own(c->word) >= value;
}
#endif
