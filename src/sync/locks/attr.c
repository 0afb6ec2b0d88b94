/* SPDX-License-Identifier: BSD-3-Clause */
/* attr.c - checks of lock attributes that several kinds use (lock.h); a kind's check_attr calls
 * them. Attributes that a kind does not use may have any value. */
#include <inttypes.h>

#include "sync/locks/locks.h"

#define BACKOFF_MAX_NS UINT64_C(10000000000)

int eyoti_lock_check_passes(struct eyot_rt *rt, const eyot_lock_attr_t *a) {
  for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++) {
    if (a->passes[d] > EYOT_LOCK_PASSES_MAX)
      return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL, "passes[%u] is %u, expected 0..%u", d, a->passes[d],
                             EYOT_LOCK_PASSES_MAX);
    if (a->passes[d] > 0 && (d < EYOT_DOMAIN_NODE || d > EYOT_DOMAIN_GROUP))
      return EYOTI_LOCK_FAIL(
          rt, EYOT_EINVAL,
          "passes[%u] is %u, expected 0: only levels %u (node) to %u (group) have queues", d,
          a->passes[d], (unsigned)EYOT_DOMAIN_NODE, (unsigned)EYOT_DOMAIN_GROUP);
  }
  return EYOT_OK;
}

int eyoti_lock_check_bound(struct eyot_rt *rt, const char *name, uint32_t value) {
  if (value >= 1 && value <= EYOT_LOCK_PASSES_MAX) return EYOT_OK;
  return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL, "%s is %u, expected 1..%u", name, value,
                         EYOT_LOCK_PASSES_MAX);
}

int eyoti_lock_check_backoff(struct eyot_rt *rt, const eyot_lock_attr_t *a) {
  if (a->backoff_min_ns > 0 && a->backoff_min_ns <= a->backoff_max_ns &&
      a->backoff_max_ns <= BACKOFF_MAX_NS)
    return EYOT_OK;
  return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL,
                         "back-off from %" PRIu64 " to %" PRIu64
                         " ns, expected 1 <= min <= max <= %" PRIu64,
                         a->backoff_min_ns, a->backoff_max_ns, BACKOFF_MAX_NS);
}
