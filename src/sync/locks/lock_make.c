/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_make.c - creates and destroys locks (eyot/lock.h): create and destroy by all members of a
 * team, alloc and free by one unit.
 *
 * A lock of a team is one collective allocation, and each member makes its record with it. A lock
 * of a single unit is an allocation in that unit's part that begins with a descriptor, from which
 * any other unit makes its record when it first uses the lock. */
#include <inttypes.h>

#include "base/hash.h"
#include "sync/locks/kinds.h"
#include "sync/locks/locks.h"
#include "teams/agree.h"
#include "teams/compare.h"

#define MAGIC 0x65796f746c6f636bu /* "eyotlock" */
#define KIND "lock of a team"
#define KIND_ALONE "lock of one unit"

/* The description of a single unit's lock, which other units read with one get. The name
 * distinguishes the lock from an earlier one at the same address. */
struct descriptor {
  uint64_t magic;
  eyot_lock_t name;
  eyot_lock_attr_t attr;
};
_Static_assert(sizeof(struct descriptor) <= EYOTI_LOCK_SINGLE_OFF,
               "the descriptor ends before the lock's bytes begin");

/* Calls of public functions set the name that diagnostics show; these restore the caller's
 * afterwards. */
static int lock_quietly_alloc(struct eyot_rt *rt, struct eyoti_team *t, uint64_t bytes,
                              eyot_gptr_t *at) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = t != NULL ? eyot_team_alloc(t->handle, bytes, at) : eyot_alloc(bytes, at);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

static int lock_quietly_free(struct eyot_rt *rt, bool of_team, eyot_gptr_t at) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = of_team ? eyot_team_free(at) : eyot_free(at);
  eyoti_rt_unnest(rt, nest);
  return rc;
}

/* -- attributes -------------------------------------------------------------------------------- */

static uint64_t hash_attr(const eyot_lock_attr_t *a) {
  uint64_t h = eyoti_hash_mix(eyoti_hash_mix(0, (uint64_t)a->kind), a->home);
  for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++) h = eyoti_hash_mix(h, a->passes[d]);
  h = eyoti_hash_mix(eyoti_hash_mix(h, a->units_per_counter),
                     (uint64_t)a->readers_max << 32 | a->writers_max);
  return eyoti_hash_mix(eyoti_hash_mix(h, a->backoff_min_ns), a->backoff_max_ns);
}

/* -- locks of a team --------------------------------------------------------------------------- */

/* Apart, because the text would lie on the stack of every unit that waits in lock_compare. */
static __attribute__((cold, noinline)) int lock_differ(struct eyot_rt *rt,
                                                       const struct eyoti_team *t,
                                                       const char *what) {
  return EYOTI_LOCK_FAIL(rt, EYOT_EMISMATCH,
                         "the members of %s passed different %s, expected the same",
                         EYOTI_TEAM_WORDS(t), what);
}

/* Compares the function, then a hash over the team. An error of any member goes before the hash,
 * and all members return it. Collective. */
static int lock_compare(struct eyot_rt *rt, struct eyoti_team *t, enum eyoti_compare_in in,
                        uint64_t hash, const char *what, int error) {
  struct eyoti_compared c;
  EYOTI_TRY(eyoti_compare(rt->fab, &t->ctl, in, hash, error, &c));
  return c.error != EYOT_OK || c.same ? c.error : lock_differ(rt, t, what);
}

/* Does all steps that may fail on one member alone, before the members agree. Not inlined, because
 * of the texts of its messages. */
static __attribute__((noinline)) int lock_prepare(struct eyot_rt *rt, struct eyoti_team *t,
                                                  const eyot_lock_attr_t *attr,
                                                  const eyot_lock_t *lock,
                                                  struct eyoti_lock **out) {
  if (lock == NULL) return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL, "lock is NULL");
  EYOTI_TRY(eyoti_lock_check_attr(rt, attr));
  if (attr->home != EYOT_LOCK_HOME_HASHED && attr->home >= t->size)
    return EYOTI_LOCK_FAIL(rt, EYOT_EUNIT,
                           "home %u is no member of %s, which has %u, nor EYOT_LOCK_HOME_HASHED",
                           attr->home, EYOTI_TEAM_WORDS(t), t->size);
  struct eyoti_locks *ls;
  EYOTI_TRY(eyoti_locks_get(rt, &ls));
  EYOTI_TRY(eyoti_lock_table_reserve(ls));
  struct eyoti_lock *l = eyoti_lock_new(t, attr);
  if (l == NULL) return EYOT_ENOMEM;
  *out = l;
  return EYOT_OK;
}

static uint64_t single_id(eyot_gptr_t at) {
  return eyoti_hash_mix(at.offset, (uint64_t)at.seg << 16 | at.gen);
}

/* Completes the record of a lock whose memory exists. */
static int open_lock(struct eyot_rt *rt, struct eyoti_lock *l, eyot_gptr_t at) {
  uint64_t place = (uint64_t)at.seg << 16 | at.gen;
  l->name.at = at;
  l->home = l->attr.home != EYOT_LOCK_HOME_HASHED
                ? l->attr.home
                : (uint32_t)(eyoti_hash_mix(0, place) % l->team->size);
  EYOTI_TRY(eyoti_lock_at(rt, l, l->home, 0, &l->word));
  l->mapped = eyoti_gmem_mapped(rt, l->word);
  if (l->quick_way != EYOTI_LOCK_QUICK_NONE && !l->by_one_unit) l->quick = l->mapped;
  if (l->ops->open != NULL) EYOTI_TRY(l->ops->open(rt, l));
  l->opened = true;
  return EYOT_OK;
}

int eyot_lock_create(eyot_team_t team, const eyot_lock_attr_t *attr, eyot_lock_t *lock) {
  EYOTI_ENTER(rt);
  static const eyot_lock_attr_t DEFAULT = EYOT_LOCK_ATTR_INIT;
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  if (attr == NULL) attr = &DEFAULT;
  struct eyoti_lock *l = NULL;
  int rc = lock_prepare(rt, t, attr, lock, &l);
  if ((rc = lock_compare(rt, t, EYOTI_IN_LOCK_CREATE, hash_attr(attr), "attributes of a lock",
                         rc)) != EYOT_OK)
    goto delete_view;
  eyot_gptr_t at;
  if ((rc = lock_quietly_alloc(rt, t, l->ops->bytes(l), &at)) != EYOT_OK) goto delete_view;
  /* No member uses the lock before all have made their part of it. */
  if ((rc = eyoti_agree_done(rt->fab, &t->ctl, open_lock(rt, l, at))) != EYOT_OK) goto free_memory;
  eyoti_lock_table_enter(rt->sync->locks, l);
  *lock = l->name;
  eyoti_observe_made(rt, KIND, at.seg, 0);
  return EYOT_OK;

free_memory:
  (void)lock_quietly_free(rt, true, at);
delete_view:
  eyoti_lock_delete(l);
  return rc;
}

int eyot_lock_destroy(eyot_lock_t *lock) {
  EYOTI_ENTER(rt);
  if (lock == NULL) return EYOTI_FAIL(EYOT_EINVAL, "lock is NULL");
  struct eyoti_lock *l;
  EYOTI_TRY(eyoti_lock_find(rt, *lock, &l));
  if (l->by_one_unit)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the lock is from eyot_lock_alloc; unit %u frees it with eyot_lock_free",
                      l->name.at.unit);
  struct eyoti_team *t = l->team;
  eyot_gptr_t at = l->name.at;
  EYOTI_TRY(eyoti_team_enter(rt, t));
  /* No operation of a kind on the lock's memory may arrive after it is freed. */
  int rc = fab_flush(rt->fab, FAB_ALL, FAB_REMOTE);
  if (l->held || l->held_at > 0)
    rc = EYOTI_FAIL(EYOT_EBUSY, "unit %u holds the lock; release it before the team destroys it",
                    rt->fab->me);
  EYOTI_TRY(lock_compare(rt, t, EYOTI_IN_LOCK_DESTROY, eyoti_hash_mix(at.seg, eyoti_gptr_gen(at)),
                         "locks", rc));
  eyoti_lock_table_drop(rt->sync->locks, l);
  *lock = EYOT_LOCK_NULL;
  eyoti_observe_released(rt, KIND, at.seg);
  return lock_quietly_free(rt, true, at);
}

/* -- locks of a single unit -------------------------------------------------------------------- */

/* Makes a record of the lock at `at` and enters it in the table. */
static int enter_single(struct eyot_rt *rt, const eyot_lock_attr_t *attr, eyot_gptr_t at,
                        struct eyoti_lock **out) {
  struct eyoti_locks *ls;
  struct eyoti_team *all;
  EYOTI_TRY(eyoti_locks_get(rt, &ls));
  EYOTI_TRY(eyoti_lock_table_reserve(ls));
  EYOTI_TRY(eyoti_team_get(rt, EYOT_TEAM_ALL, &all));
  struct eyoti_lock *l = eyoti_lock_new(all, attr);
  if (l == NULL) return EYOT_ENOMEM;
  l->by_one_unit = true;
  l->attr.home = at.unit;
  int rc = open_lock(rt, l, at);
  if (rc != EYOT_OK) {
    eyoti_lock_delete(l);
    return rc;
  }
  eyoti_lock_table_enter(ls, l);
  *out = l;
  return EYOT_OK;
}

/* Writes or erases a descriptor; other units see it before any later operation of the caller. */
static int write_descriptor(struct eyot_rt *rt, const struct descriptor *d, eyot_gptr_t to) {
  struct fab_addr at;
  EYOTI_TRY(eyoti_gmem_resolve(rt, to, sizeof *d, &at));
  return fab_put_wait(rt->fab, at, d, sizeof *d);
}

static bool is_by_one_unit(const struct eyoti_lock_ops *ops) {
  return ops->by_one_unit;
}

int eyot_lock_alloc(const eyot_lock_attr_t *attr, eyot_lock_t *lock) {
  EYOTI_ENTER(rt);
  static const eyot_lock_attr_t DEFAULT = EYOT_LOCK_ATTR_INIT;
  if (lock == NULL) return EYOTI_FAIL(EYOT_EINVAL, "lock is NULL");
  if (attr == NULL) attr = &DEFAULT;
  EYOTI_TRY(eyoti_lock_check_attr(rt, attr));
  char names[EYOTI_LOCK_NAMES_BYTES];
  const struct eyoti_lock_ops *ops = eyoti_lock_kind(attr->kind);
  if (!ops->by_one_unit)
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "a lock of kind %s has a part at every unit; one unit alone makes kinds %s, "
                      "the team makes it with eyot_lock_create",
                      ops->name, eyoti_lock_kind_names(is_by_one_unit, names));
  if (attr->home != EYOT_LOCK_HOME_HASHED && attr->home != rt->fab->me)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "home is %u, but the lock lies at the caller, unit %u; pass that or EYOT_LOCK_HOME_HASHED",
        attr->home, rt->fab->me);
  eyot_gptr_t at;
  struct eyoti_lock *l;
  EYOTI_TRY(lock_quietly_alloc(rt, NULL, EYOTI_LOCK_SINGLE_OFF + sizeof(uint64_t), &at));
  const struct descriptor d = {.magic = MAGIC, .name = {at}, .attr = *attr};
  int rc = write_descriptor(rt, &d, at);
  if (rc == EYOT_OK) rc = enter_single(rt, attr, at, &l);
  if (rc != EYOT_OK) goto free_memory;
  EYOTI_ASSERT(l->ops->by_one_unit && l->ops->bytes(l) <= sizeof(uint64_t));
  rt->sync->locks->allocated++;
  *lock = l->name;
  eyoti_observe_made(rt, KIND_ALONE, single_id(at), 0);
  return EYOT_OK;

free_memory:
  (void)lock_quietly_free(rt, false, at);
  return rc;
}

int eyoti_lock_meet(struct eyot_rt *rt, eyot_lock_t name, struct eyoti_lock **out) {
  struct fab_addr at;
  struct descriptor d;
  EYOTI_TRY(eyoti_gmem_resolve(rt, name.at, sizeof d, &at));
  EYOTI_TRY(fab_get_wait(rt->fab, &d, at, sizeof d));
  if (d.magic != MAGIC || !eyot_gptr_equal(d.name.at, name.at) ||
      eyoti_lock_kind(d.attr.kind) == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_ESEG,
                           "there is no lock at this address of unit %u: it was freed, or the "
                           "pointer is not from eyot_lock_alloc",
                           name.at.unit);
  EYOTI_TRY(enter_single(rt, &d.attr, name.at, out));
  eyoti_gmem_far(rt, name.at, &(*out)->far);
  return EYOT_OK;
}

int eyot_lock_free(eyot_lock_t *lock) {
  EYOTI_ENTER(rt);
  if (lock == NULL) return EYOTI_FAIL(EYOT_EINVAL, "lock is NULL");
  if (eyoti_gptr_is_private(lock->at) && lock->at.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the lock was made by unit %u, and only that unit may free it: %s",
                      lock->at.unit, eyoti_gmem_about(rt, lock->at, (char[EYOTI_GONE]){0}));
  struct eyoti_lock *l;
  EYOTI_TRY(eyoti_lock_find(rt, *lock, &l));
  if (!l->by_one_unit)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the lock is a team's; all members destroy it with eyot_lock_destroy");
  uint64_t word;
  EYOTI_TRY(
      fab_amo_wait(rt->fab, l->word, &(struct fab_amo){.op = FAB_AMO_READ, .width = 8}, &word));
  if (l->ops->busy != NULL ? l->ops->busy(word) : word != 0)
    return EYOTI_FAIL(EYOT_EBUSY, "%s holds the lock or waits for it",
                      l->held ? "this unit" : "another unit");
  const struct descriptor none = {0};
  EYOTI_TRY(write_descriptor(rt, &none, l->name.at));
  eyot_gptr_t at = l->name.at;
  eyoti_lock_table_drop(rt->sync->locks, l);
  rt->sync->locks->allocated--;
  eyoti_observe_released(rt, KIND_ALONE, single_id(at));
  *lock = EYOT_LOCK_NULL;
  return lock_quietly_free(rt, false, at);
}
