/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - the state that a unit keeps for all its locks, and the addresses of a lock's bytes
 * (locks.h, lock.h). */
#include "sync/locks/locks.h"

#include <stdlib.h>

static int locks_make(struct eyot_rt *rt, struct eyoti_locks **out) {
  if (rt->fab->n > EYOTI_QUEUE_UNITS_MAX)
    return EYOTI_LOCK_FAIL(rt, EYOT_ERANGE, "the run has %u units; locks work with at most %u",
                           rt->fab->n, EYOTI_QUEUE_UNITS_MAX);
  struct eyoti_locks *ls = eyoti_slack_new(sizeof *ls);
  if (ls == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ENOMEM, "no memory for the locks of a unit (%zu bytes)",
                           sizeof *ls);
  ls->nodes.own = eyoti_gmem_mapped(rt, eyoti_gmem_sync_at(rt, rt->fab->me, 0));
  ls->nodes.free = UINT64_MAX;
  *out = ls;
  return EYOT_OK;
}

int eyoti_locks_get(struct eyot_rt *rt, struct eyoti_locks **out) {
  if (__builtin_expect(rt->sync->locks == NULL, 0)) EYOTI_TRY(locks_make(rt, &rt->sync->locks));
  *out = rt->sync->locks;
  return EYOT_OK;
}

int eyoti_lock_at(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t member, uint64_t off,
                  struct fab_addr *out) {
  EYOTI_ASSERT(l->by_one_unit ? member == l->home : member < l->team->size);
  eyot_gptr_t at =
      eyot_gptr_add(l->name.at, (int64_t)(l->by_one_unit ? EYOTI_LOCK_SINGLE_OFF + off : off));
  if (!l->by_one_unit) at = eyot_gptr_at(at, (eyot_unit_t){eyoti_team_unit(l->team, member)});
  return eyoti_gmem_resolve(rt, at, sizeof(uint64_t), out);
}
