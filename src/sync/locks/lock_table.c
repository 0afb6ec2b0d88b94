/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_table.c - a unit's lock table: its records of locks, by name (locks.h). For
 * lock.c, which finds records, and lock_make.c, which makes, enters and drops them.
 *
 * Records of a team's locks are made and dropped with the lock. Records of single units' locks are
 * made at first use and dropped when others need their place: at most SINGLE_MAX are kept besides
 * those of held locks. */
#include <stdlib.h>

#include "base/hash.h"
#include "sync/locks/kinds.h"
#include "sync/locks/locks.h"

#define SINGLE_MAX 1024u
#define BUCKETS_FIRST 4u

/* -- the table --------------------------------------------------------------------------------- */

static struct eyoti_lock **lock_table_bucket_of(const struct eyoti_locks *ls, eyot_lock_t name) {
  uint64_t place = (uint64_t)name.at.unit << 32 | (uint64_t)name.at.seg << 16 | name.at.gen;
  return &ls->bucket[eyoti_hash_mix(name.at.offset, place) & (ls->n_buckets - 1)];
}

static void lock_table_unlist(struct eyoti_locks *ls, struct eyoti_lock *l) {
  *(l->newer != NULL ? &l->newer->older : &ls->newest) = l->older;
  *(l->older != NULL ? &l->older->newer : &ls->oldest) = l->newer;
  l->newer = l->older = NULL;
}

static void list_newest(struct eyoti_locks *ls, struct eyoti_lock *l) {
  l->older = ls->newest;
  *(ls->newest != NULL ? &ls->newest->newer : &ls->oldest) = l;
  ls->newest = l;
}

struct eyoti_lock *eyoti_lock_table_find(struct eyoti_locks *ls, eyot_lock_t name) {
  if (ls->n_buckets == 0) return NULL;
  struct eyoti_lock *l = *lock_table_bucket_of(ls, name);
  while (l != NULL && !eyot_gptr_equal(l->name.at, name.at)) l = l->chain;
  if (l != NULL && l->by_one_unit && l != ls->newest) {
    lock_table_unlist(ls, l);
    list_newest(ls, l);
  }
  return l;
}

/* Doubles the buckets when there are as many records as buckets. */
int eyoti_lock_table_reserve(struct eyoti_locks *ls) {
  if (ls->n_locks < ls->n_buckets) return EYOT_OK;
  uint32_t n = ls->n_buckets == 0 ? BUCKETS_FIRST : ls->n_buckets * 2;
  struct eyoti_lock **wider = calloc(n, sizeof(struct eyoti_lock *));
  if (wider == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u locks", n);
  struct eyoti_locks old = *ls;
  ls->bucket = wider;
  ls->n_buckets = n;
  for (uint32_t i = 0; i < old.n_buckets; i++) {
    for (struct eyoti_lock *l = old.bucket[i], *next; l != NULL; l = next) {
      next = l->chain;
      struct eyoti_lock **to = lock_table_bucket_of(ls, l->name);
      l->chain = *to;
      *to = l;
    }
  }
  free(old.bucket);
  return EYOT_OK;
}

/* Drops the least recently used record of a single unit's lock that is not held. */
static void evict(struct eyoti_locks *ls) {
  struct eyoti_lock *l = ls->oldest;
  while (l != NULL && (l->held || l->awaited)) l = l->newer;
  if (l != NULL) eyoti_lock_table_drop(ls, l);
}

void eyoti_lock_table_enter(struct eyoti_locks *ls, struct eyoti_lock *l) {
  if (l->by_one_unit && ls->n_single >= SINGLE_MAX) evict(ls);
  EYOTI_ASSERT(ls->n_locks < ls->n_buckets);
  struct eyoti_lock **to = lock_table_bucket_of(ls, l->name);
  l->chain = *to;
  *to = l;
  ls->n_locks++;
  if (!l->by_one_unit) return;
  list_newest(ls, l);
  ls->n_single++;
}

void eyoti_lock_table_drop(struct eyoti_locks *ls, struct eyoti_lock *l) {
  struct eyoti_lock **at = lock_table_bucket_of(ls, l->name);
  while (*at != l) at = &(*at)->chain;
  *at = l->chain;
  ls->n_locks--;
  if (l->by_one_unit) {
    lock_table_unlist(ls, l);
    ls->n_single--;
  }
  if (ls->last == l) ls->last = NULL;
  eyoti_lock_delete(l);
}

/* -- one record -------------------------------------------------------------------------------- */

struct eyoti_lock *eyoti_lock_new(struct eyoti_team *t, const eyot_lock_attr_t *attr) {
  struct eyoti_lock *l = eyoti_slack_new(sizeof *l);
  if (l == NULL) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for this unit's state of a lock (%zu bytes)",
                     sizeof *l);
    return NULL;
  }
  l->ops = eyoti_lock_kind(attr->kind);
  EYOTI_ASSERT(l->ops != NULL);
  l->quick_way = l->ops->quick;
  l->attr = *attr;
  l->team = t;
  return l;
}

void eyoti_lock_delete(struct eyoti_lock *l) {
  if (l == NULL) return;
  if (l->opened && l->ops->close != NULL) l->ops->close(l);
  if (eyot_current->about.far == &l->far) eyot_current->about.far = NULL;
  eyoti_slack_free(l);
}

void eyoti_locks_stop(struct eyot_rt *rt) {
  struct eyoti_locks *ls = rt->sync->locks;
  if (ls == NULL) return;
  uint32_t collective = 0;
  for (uint32_t i = 0; i < ls->n_buckets; i++) {
    for (struct eyoti_lock *l = ls->bucket[i]; l != NULL; l = ls->bucket[i]) {
      if (l->held || l->held_at > 0)
        eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
                  "this unit still holds a lock (kind %s): %s", l->ops->name,
                  eyoti_gmem_words(rt, l->name.at, (char[EYOTI_WORDS]){0}));
      if (!l->by_one_unit && l->team->me == 0) collective++;
      eyoti_lock_table_drop(ls, l);
    }
  }
  if (collective > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u locks of teams whose first member is this unit were not destroyed", collective);
  if (ls->allocated > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0, "%u locks from eyot_lock_alloc were not freed",
              ls->allocated);
  free(ls->bucket);
  eyoti_slack_free(ls);
  rt->sync->locks = NULL;
}
