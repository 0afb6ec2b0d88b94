/* eyot/lock.h - locks over a team or by one unit: queue locks, topology-aware and reader-writer locks, the two-level lock of foMPI.
 *
 * A lock is a value: it may be copied, stored in global memory and sent to other units. What a unit knows about a lock (its attributes, whether it
 * holds it) is kept by the runtime, made at creation or, for locks of eyot_lock_alloc, at first use.
 *
 * What all kinds promise: mutual exclusion; whoever acquires sees everything that the holders before it did (release completes all operations of the
 * caller at their targets first); a waiter waits on a word of its own memory, except where a kind's comment says that it polls. A unit that holds a lock
 * may acquire others, but not the same again. docs/sync.md tells which kind to use when, and what each costs.
 *
 * Common errors: ESTATE (the caller holds it already; or, at release, does not hold it), ESEG (null, destroyed or foreign lock: of a team that the
 * caller is not in), EINVAL (no such mode), ENOTSUP (this kind lacks the mode), EBUSY (64 timed waits of this unit are still being cleared away).
 * One thread of a unit at a time. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_LOCK_H
#define EYOT_LOCK_H

#include "locality.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyot_lock {
  eyot_gptr_t at;
} eyot_lock_t;
#define EYOT_LOCK_NULL ((eyot_lock_t){{0, 0, 0, 0}})

typedef enum eyot_lock_kind {
  EYOT_LOCK_MCS = 0, /* first come, first served; 1 atomic alone (Mellor-Crummey, Scott 1991) */
  EYOT_LOCK_HIER,    /* passes within a node, then a group, before it moves on (RMA-MCS: Schmid, Besta, Hoefler 2016) */
  EYOT_LOCK_RW,      /* many readers or one writer (RMA-RW, same source) */
  EYOT_LOCK_EPOCH,   /* shared or exclusive on one unit, shared on all (foMPI: seed 002 section 2.3); polls with back-off */
  EYOT_LOCK_TAS,     /* test-and-set with exponential back-off: the baseline; polls, no order among waiters */
  EYOT_LOCK_KINDS
} eyot_lock_kind_t;

typedef enum eyot_lock_mode { EYOT_LOCK_EXCLUSIVE = 0, EYOT_LOCK_SHARED = 1 } eyot_lock_mode_t;

#define EYOT_LOCK_HOME_HASHED UINT32_MAX
#define EYOT_LOCK_PASSES_MAX 65535u

/* How a lock is made. Begin with EYOT_LOCK_ATTR_INIT; all members must pass the same. */
typedef struct eyot_lock_attr {
  eyot_lock_kind_t kind;
  /* The member (team-relative) at which the lock's central word lies; EYOT_LOCK_HOME_HASHED: a hash of the lock over the team. */
  uint32_t home;
  /* hier and rw: of each level NODE .. GROUP, how many holders (at outer levels: turns of domains of the next inner level) a domain may have in a row before the
   * lock must leave it for others that wait; 1..EYOT_LOCK_PASSES_MAX, 0: this level has no queue of its own. A level at which a unit's domain is that of the next
   * inner level, or the whole team, is left out by itself. rw counts to 510. */
  uint32_t passes[EYOT_DOMAIN_COUNT];
  /* rw: units per reader counter (0: one counter a node); readers that may enter at a writer's own counter, if it is never empty, from when it is the next to hold
   * until it stops readers; writers in a row, of those that wait without a timeout, before waiting readers are let in. 1..EYOT_LOCK_PASSES_MAX; rw counts to
   * 16384 units and readers, and to 511 writers. */
  uint32_t units_per_counter;
  uint32_t readers_max;
  uint32_t writers_max;
  /* tas and epoch: bounds of the exponential back-off between two tries, ns. */
  uint64_t backoff_min_ns, backoff_max_ns;
} eyot_lock_attr_t;

#define EYOT_LOCK_PASSES_DEFAULT {0, 0, 32, 0, 0, 16, 0}
#define EYOT_LOCK_ATTR_INIT                                                                                      \
  {                                                                                                              \
    EYOT_LOCK_MCS, EYOT_LOCK_HOME_HASHED, EYOT_LOCK_PASSES_DEFAULT, 0, 256, 64, 500, 50000                       \
  }

/* Makes a lock of the team. attr NULL: EYOT_LOCK_ATTR_INIT. Collective over the team, blocking. Errors: ETEAM, EINVAL (an attribute is out of bounds), EUNIT
 * (home is no member), EMISMATCH (members passed different attributes; on all), ENOMEM. */
EYOT_API int eyot_lock_create(eyot_team_t team, const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* Destroys it, and sets *lock to null. Collective over the team, blocking. Errors: EBUSY (somebody holds it; on all members, and the lock stays). */
EYOT_API int eyot_lock_destroy(eyot_lock_t *lock);

/* Makes a lock at the calling unit, for all units to use: not collective, does not block (UPC's upc_global_lock_alloc; seed 004). Kinds MCS and TAS; the
 * lock lies at the caller. Errors: EINVAL, ENOMEM, ENOTSUP (a kind that needs memory at every unit). */
EYOT_API int eyot_lock_alloc(const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* Releases it, and sets *lock to null. Only the unit that made it may call, and nobody may be using it. Errors: EUNIT (made by another unit), EBUSY (held). */
EYOT_API int eyot_lock_free(eyot_lock_t *lock);

/* Acquires: EYOT_LOCK_EXCLUSIVE with every kind but EPOCH; EYOT_LOCK_SHARED with RW, and with EPOCH, where it locks the whole team (lock_all). Blocking. */
EYOT_API int eyot_lock_acquire(eyot_lock_t lock, eyot_lock_mode_t mode);
/* *acquired tells whether it was to be had at once. Does not wait for other units. */
EYOT_API int eyot_lock_try(eyot_lock_t lock, eyot_lock_mode_t mode, bool *acquired);
/* Waits in the queue like everybody, but for at most timeout_ns (virtual on sim, wall clock on mpi). Errors: ETIMEOUT (not acquired; the lock works on). */
EYOT_API int eyot_lock_acquire_timeout(eyot_lock_t lock, eyot_lock_mode_t mode, uint64_t timeout_ns);
/* Completes all operations of the caller at their targets (as eyot_flush_all(EYOT_REMOTE); with EPOCH on one unit: those to that unit), then releases.
 * Waits for no other unit, except with MCS, HIER and RW for one that is in the middle of queueing behind the caller. */
EYOT_API int eyot_lock_release(eyot_lock_t lock);

/* EPOCH: the same on one member of the team (MPI_Win_lock). A unit may hold several members at once, SHARED or EXCLUSIVE; not beside the whole team. */
EYOT_API int eyot_lock_acquire_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit);
EYOT_API int eyot_lock_try_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit, bool *acquired);
EYOT_API int eyot_lock_acquire_at_timeout(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit, uint64_t timeout_ns);
EYOT_API int eyot_lock_release_at(eyot_lock_t lock, eyot_tunit_t unit);

/* Whether the caller holds the lock (EPOCH: anything of it). Local. */
EYOT_API int eyot_lock_held(eyot_lock_t lock, bool *held);
/* "mcs", "hier", "rw", "epoch", "tas"; "?" for anything else. */
EYOT_API const char *eyot_lock_kind_name(eyot_lock_kind_t kind);

#ifdef __cplusplus
}
#endif
#endif
