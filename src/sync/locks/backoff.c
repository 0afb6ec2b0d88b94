/* SPDX-License-Identifier: BSD-3-Clause */
/* backoff.c - implements backoff.h: deadlines, and pauses between tries. */
#include "sync/locks/backoff.h"

#include "base/hash.h"
#include "sync/locks/locks.h"

#define PAUSES_UNREPORTED 8u /* at the least bounds of pauses some 0.1 ms */

uint64_t eyoti_deadline(struct eyot_rt *rt, uint64_t timeout_ns) {
  return fab_deadline(rt->fab, timeout_ns);
}

uint64_t eyoti_deadline_left(struct eyot_rt *rt, uint64_t deadline) {
  return fab_left(rt->fab, deadline);
}

void eyoti_backoff_init(struct eyoti_backoff *b, const struct eyot_rt *rt,
                        const eyot_lock_attr_t *attr) {
  static const eyot_lock_attr_t DEFAULT = EYOT_LOCK_ATTR_INIT;
  struct eyoti_locks *ls = rt->sync->locks;
  EYOTI_ASSERT(ls != NULL);
  if (attr == NULL) attr = &DEFAULT;
  EYOTI_ASSERT(attr->backoff_min_ns > 0 && attr->backoff_min_ns <= attr->backoff_max_ns);
  ls->random = eyoti_hash_mix(ls->random, rt->fab->me);
  *b = (struct eyoti_backoff){
      .next_ns = attr->backoff_min_ns, .max_ns = attr->backoff_max_ns, .random = ls->random};
}

/* Waits for a word of the caller's own that no unit writes: as in any wait, the fabric lets time
 * pass, other units run and MPI make progress. */
static int let_pass(struct eyot_rt *rt, uint64_t ns) {
  struct fab_addr at = eyoti_gmem_sync_at(rt, rt->fab->me, EYOTI_QUEUE_PAUSE_OFF);
  int rc = fab_wait_mem(rt->fab, at.seg, at.off, FAB_NE, 0, ns, NULL);
  EYOTI_ASSERT(rc != EYOT_OK);
  return rc == EYOT_ETIMEOUT ? EYOT_OK : rc;
}

/* Lets reports know of pauses that go on; most waits end before. */
static void report(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t left_ns) {
  if (++b->pauses < PAUSES_UNREPORTED || rt->fab->ops->tries == NULL || left_ns == 0) return;
  b->reported = rt->fab;
  b->reported->ops->tries(b->reported, left_ns);
}

void eyoti_backoff_end(struct eyoti_backoff *b) {
  if (b->reported != NULL) b->reported->ops->tries(b->reported, 0);
  b->reported = NULL;
}

/* A random time, more than half of `ns` and at most `ns`. */
static uint64_t about(struct eyoti_backoff *b, uint64_t ns) {
  b->random = eyoti_hash_mix(b->random, ns);
  return ns / 2 + 1 + b->random % (ns - ns / 2);
}

int eyoti_backoff_pause(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t deadline) {
  uint64_t left = eyoti_deadline_left(rt, deadline), pause = about(b, b->next_ns);
  b->next_ns = b->next_ns > b->max_ns / 2 ? b->max_ns : b->next_ns * 2;
  bool last = left <= pause;
  report(rt, b, left);
  EYOTI_TRY(let_pass(rt, last ? left : pause));
  return last ? EYOT_ETIMEOUT : EYOT_OK;
}

int eyoti_backoff_turns(struct eyot_rt *rt, struct eyoti_backoff *b, uint32_t turns) {
  uint64_t ns;
  if (__builtin_mul_overflow(b->next_ns, turns, &ns) || ns > b->max_ns) ns = b->max_ns;
  b->next_ns = b->next_ns > b->max_ns / 2 ? b->max_ns : b->next_ns * 2;
  report(rt, b, FAB_FOREVER);
  return let_pass(rt, about(b, ns));
}
