/* backoff.c - exponential back-off between tries at a remote word. SPDX-License-Identifier: BSD-3-Clause */
#include "../base/hash.h"
#include "locks.h"

void eyoti_backoff_init(struct eyoti_backoff *b, const struct eyot_rt *rt, const eyot_lock_attr_t *attr) {
  static const eyot_lock_attr_t DEFAULT = EYOT_LOCK_ATTR_INIT;
  struct eyoti_locks *ls = rt->sync->locks;
  EYOTI_ASSERT(ls != NULL);
  if (attr == NULL) attr = &DEFAULT;
  EYOTI_ASSERT(attr->backoff_min_ns > 0 && attr->backoff_min_ns <= attr->backoff_max_ns);
  ls->random = eyoti_hash_mix(ls->random, rt->fab->me);
  *b = (struct eyoti_backoff){.next_ns = attr->backoff_min_ns, .max_ns = attr->backoff_max_ns, .random = ls->random};
}

/* A pause is a wait for a word of the caller's own that nobody writes: the fabric lets time pass, other units run, and MPI work, as in any
 * wait. */
int eyoti_backoff_pause(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t deadline) {
  struct fab_addr at = eyoti_gmem_sync_at(rt, rt->fab->me, EYOTI_QUEUE_PAUSE_OFF);
  b->random = eyoti_hash_mix(b->random, b->next_ns);
  uint64_t half = b->next_ns / 2, left = eyoti_deadline_left(rt, deadline);
  uint64_t pause = half + 1 + b->random % (b->next_ns - half);
  b->next_ns = b->next_ns > b->max_ns / 2 ? b->max_ns : b->next_ns * 2;
  bool last = left <= pause;
  int rc = fab_wait_mem(rt->fab, at.seg, at.off, FAB_NE, 0, last ? left : pause, NULL);
  EYOTI_ASSERT(rc != EYOT_OK);
  if (rc != EYOT_ETIMEOUT) return rc;
  return last ? EYOT_ETIMEOUT : EYOT_OK;
}
