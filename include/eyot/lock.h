/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/lock.h - locks over a team or made by one unit: queue locks, topology-aware locks,
 * reader-writer locks, and the two-level lock of foMPI.
 *
 * A lock is a value: it may be copied, stored in global memory and sent to other units. The runtime
 * keeps what a unit knows about a lock (its attributes, whether the unit holds it); it makes this
 * at creation or, for locks of eyot_lock_alloc, at first use. docs/sync.md tells which kind to use
 * when, and the cost of each. Every kind promises mutual exclusion; a unit that acquires sees
 * everything that earlier holders did (release first completes the caller's operations at their
 * targets); and a waiter waits on a word of its own memory, except where a kind's comment says that
 * it polls. A unit that holds a lock may acquire others, but not the same one again. Thread rule:
 * that of eyot/init.h. */
#ifndef EYOT_LOCK_H
#define EYOT_LOCK_H

#include "locality.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When the next holder has the lock. Release hands the lock over, or gives it back, by a message;
 * where nothing depends on the answer the message is posted and not waited for (MCS, HIER and RW
 * writers to a unit that waits; RW readers, EPOCH, TAS, TICKET). Until it has arrived the lock is
 * held for every unit but the one that released it: another unit's try may still fail. On sim, and
 * on mpi when all units of the job share a node, the message arrives by itself. In a job of several
 * nodes it may stay in MPI until the releasing unit is next inside MPI, and it takes effect when
 * the unit to which it goes (the waiter, or the lock's home) is inside MPI. A unit that releases
 * and then computes for long without any call of eyot may therefore keep others waiting: it should
 * call eyot_progress() now and then (docs/progress.md), or eyot_flush_all(EYOT_REMOTE) once after
 * the release.
 *
 * Common errors: ESTATE (not initialized; the caller holds the lock already or, at release, does
 * not hold it), ESEG (null, destroyed or foreign lock: of a team that the caller is not in), EINVAL
 * (no such mode; NULL), ENOTSUP (this kind lacks the mode), EBUSY (acquire of MCS, HIER and RW as a
 * writer: the caller's 64 queue nodes are all in use, by locks that it holds and by timed waits
 * that it has given up, whose nodes come back when the lock is next passed on: release locks, or
 * call again after others have released theirs). */
typedef struct eyot_lock {
  eyot_gptr_t at;
} eyot_lock_t;
#define EYOT_LOCK_NULL ((eyot_lock_t){{0, 0, 0, 0}})

/* Sources. MCS and TICKET: J. Mellor-Crummey, M. Scott, "Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors", 1991. HIER (RMA-MCS) and RW (RMA-RW): P. Schmid, M. Besta, T.
 * Hoefler, "High-Performance Distributed RMA Locks", 2016. EPOCH (foMPI): R. Gerstenberger, M.
 * Besta, T. Hoefler, "Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One
 * Sided", 2013, section 2.3. */
typedef enum eyot_lock_kind {
  EYOT_LOCK_MCS = 0, /* first come, first served; 1 atomic without contention */
  EYOT_LOCK_HIER,    /* passes within a node, then a group, before it moves on */
  EYOT_LOCK_RW,      /* many readers or one writer */
  EYOT_LOCK_EPOCH,   /* shared or exclusive on one unit, shared on all; polls with back-off */
  EYOT_LOCK_TAS,     /* test-and-set with exponential back-off: the baseline; polls, no order */
  EYOT_LOCK_TICKET, /* first come, first served; 1 atomic without contention; polls: for one node */
  EYOT_LOCK_KIND_COUNT
} eyot_lock_kind_t;

typedef enum eyot_lock_mode { EYOT_LOCK_EXCLUSIVE = 0, EYOT_LOCK_SHARED = 1 } eyot_lock_mode_t;

#define EYOT_LOCK_HOME_HASHED UINT32_MAX
#define EYOT_LOCK_PASSES_MAX 65535u

/* The attributes of a lock. Begin with EYOT_LOCK_ATTR_INIT; all members must pass the same. */
typedef struct eyot_lock_attr {
  eyot_lock_kind_t kind;
  /* The member (team-relative) at which the lock's central word lies; EYOT_LOCK_HOME_HASHED: a hash
   * of the lock over the team. */
  uint32_t home;
  /* HIER and RW: passes[d] for each level d of eyot_domain_t (locality.h: unit, numa, node, blade,
   * chassis, group, machine). NODE, BLADE, CHASSIS and GROUP: how many holders (where an inner
   * level has a queue: turns of its domains) a domain may have in a row before the lock must leave
   * it for other waiters, 1..EYOT_LOCK_PASSES_MAX, or 0: this level has no queue of its own. The
   * other entries must be 0: the whole team always has its queue, and below the node there is none.
   * A level at which a unit's domain is that of the next inner level, or the whole team, is left
   * out. RW counts to 510. */
  uint32_t passes[EYOT_DOMAIN_COUNT];
  /* RW, units per reader counter: readers of so many consecutive members share one; 0: those of a
   * node. More than 16384 count as 16384. */
  uint32_t units_per_counter;
  /* RW, 1..EYOT_LOCK_PASSES_MAX, order of readers and writers. readers_max: a writer that is next
   * lets readers in until its own counter is empty, or so many have come in there since (counted to
   * 16384); then it stops all readers. writers_max: after so many writers in a row, of those that
   * wait without a timeout, waiting readers are let in (counted to 511). */
  uint32_t readers_max;
  uint32_t writers_max;
  /* TAS and EPOCH, and tries of TICKET until a timeout: bounds in ns of the exponential back-off
   * between two tries, 1 <= min <= max <= 10^10. TICKET: a waiter that has looked for a while
   * pauses for backoff_min_ns (or down to half of that, at random) for each unit before it, twice
   * as long each time that the queue has not moved, at most for backoff_max_ns. */
  uint64_t backoff_min_ns, backoff_max_ns;
} eyot_lock_attr_t;

/* 32 in a row within a node, 16 turns of nodes within a group. */
#define EYOT_LOCK_PASSES_DEFAULT \
  { 0, 0, 32, 0, 0, 16, 0 }
#define EYOT_LOCK_ATTR_INIT \
  { EYOT_LOCK_MCS, EYOT_LOCK_HOME_HASHED, EYOT_LOCK_PASSES_DEFAULT, 0, 256, 64, 500, 50000 }

/* eyot_lock_create makes a lock of the team. attr NULL: EYOT_LOCK_ATTR_INIT. Collective over the
 * team, blocking. Errors: ETEAM, EINVAL (an attribute that the kind uses is out of bounds), EUNIT
 * (home is no member), EMISMATCH (members passed different attributes; on all members), ENOMEM. */
EYOT_RET int eyot_lock_create(eyot_team_t team, const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* eyot_lock_destroy destroys a lock of eyot_lock_create and sets *lock to null. Collective over the
 * team, blocking. Errors: EBUSY (a member holds it; on all members, and the lock stays: that member
 * releases it, and all call again), EMISMATCH (members name different locks), EINVAL (a lock of
 * eyot_lock_alloc). */
EYOT_RET int eyot_lock_destroy(eyot_lock_t *lock);

/* eyot_lock_alloc makes a lock at the calling unit for all units to use. Called by one unit,
 * non-blocking. attr NULL: EYOT_LOCK_ATTR_INIT. Kinds MCS, TAS and TICKET; the lock lies at the
 * caller, so home must be the caller or EYOT_LOCK_HOME_HASHED. Errors: EINVAL, ENOMEM, ENOTSUP (a
 * kind that needs memory at every unit). Source: upc_global_lock_alloc of UPC (D. Lewis, "An
 * OpenSHMEM Runtime for UPC", 2020, chapter IV). */
EYOT_RET int eyot_lock_alloc(const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* eyot_lock_free frees a lock of eyot_lock_alloc and sets *lock to null. Called by the unit that
 * made it, while the lock is neither held nor waited for; no unit may acquire it later. Detected:
 * that it is held, or with MCS and TICKET waited for, at this moment (EBUSY: call again when it is
 * free), and its later use where memory is checked (ESEG). Not detected: a unit that is about to
 * acquire it, or between two tries (TAS; TICKET with a timeout); it would change memory that is
 * something else by then. Errors: EUNIT (made by another unit), EBUSY, EINVAL (a lock of
 * eyot_lock_create). */
EYOT_RET int eyot_lock_free(eyot_lock_t *lock);

/* eyot_lock_acquire acquires the lock: EYOT_LOCK_EXCLUSIVE with every kind but EPOCH;
 * EYOT_LOCK_SHARED with RW, and with EPOCH, where it locks the whole team (MPI_Win_lock_all).
 * Called by one unit, blocking. After an error of the fabric (not the common ones above) the lock
 * may be lost for all units: it may count the caller among its waiters; with TICKET later calls of
 * this unit return ESTATE. */
EYOT_RET int eyot_lock_acquire(eyot_lock_t lock, eyot_lock_mode_t mode);
/* eyot_lock_try acquires the lock if it is free now, and sets *acquired to whether it did. Does not
 * wait for other units. */
EYOT_RET int eyot_lock_try(eyot_lock_t lock, eyot_lock_mode_t mode, bool *acquired);
/* eyot_lock_acquire_timeout waits like eyot_lock_acquire, but gives up after timeout_ns (virtual
 * time on sim, wall-clock time on mpi). MCS, HIER and RW wait in their queues; TAS, EPOCH and
 * TICKET try again and again, so that with TICKET units that wait without a timeout go first.
 * timeout_ns 0: acquires only a free lock; UINT64_MAX: never gives up. Giving up takes some
 * messages more, with RW shared as many, one after the other, as readers sleep at the caller's
 * counter. Errors: ETIMEOUT (not acquired; nothing is left that could delay others). */
EYOT_RET int eyot_lock_acquire_timeout(eyot_lock_t lock, eyot_lock_mode_t mode,
                                       uint64_t timeout_ns);
/* eyot_lock_release completes all operations of the caller at their targets (as
 * eyot_flush_all(EYOT_REMOTE)), then releases the lock; see above when the next holder has it.
 * Waits for no other unit, except with MCS, HIER and RW for one that is enqueueing itself right
 * after the caller. After an error of that completion the lock is held as before, and release may
 * be called again; after one during the hand-over the lock cannot be used any more (ESTATE). */
EYOT_RET int eyot_lock_release(eyot_lock_t lock);

/* These functions do the same on one member of the team (MPI_Win_lock), for kind EPOCH. `unit` is
 * team-relative. A unit may hold several members at once, SHARED or EXCLUSIVE, but not together
 * with the whole team. release_at completes the caller's operations to that member only. Errors:
 * also EUNIT (no member of the team), ENOTSUP (another kind). */
EYOT_RET int eyot_lock_acquire_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit);
EYOT_RET int eyot_lock_try_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit,
                              bool *acquired);
EYOT_RET int eyot_lock_acquire_at_timeout(eyot_lock_t lock, eyot_lock_mode_t mode,
                                          eyot_tunit_t unit, uint64_t timeout_ns);
EYOT_RET int eyot_lock_release_at(eyot_lock_t lock, eyot_tunit_t unit);

/* eyot_lock_held sets *held to whether the caller holds the lock (EPOCH: the whole team or any
 * member). Non-blocking. */
EYOT_RET int eyot_lock_held(eyot_lock_t lock, bool *held);
/* eyot_lock_kind_name returns "mcs", "hier", "rw", "epoch", "tas" or "ticket"; "?" for any other
 * value. May be called at any time by any thread. */
EYOT_API const char *eyot_lock_kind_name(eyot_lock_kind_t kind);

#ifdef __cplusplus
}
#endif
#endif
