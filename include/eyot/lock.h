/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/lock.h - locks over a team or by one unit: queue locks, topology-aware and reader-writer locks, the two-level lock of foMPI.
 *
 * A lock is a value: it may be copied, stored in global memory and sent to other units. What a unit knows about a lock (its attributes,
 * whether it holds it) is kept by the runtime, made at creation or, for locks of eyot_lock_alloc, at first use.
 *
 * What all kinds promise: mutual exclusion; whoever acquires sees everything that the holders before it did (release completes the caller's
 * operations at their targets first); a waiter waits on a word of its own memory, except where a kind's comment says that it polls. A unit
 * that holds a lock may acquire others, but not the same again. docs/sync.md tells which kind to use when, and what each costs.
 *
 * When the next one has it. Release hands the lock over, or gives it back, by a message; where nothing depends on the answer it is posted
 * and not waited for (MCS, HIER and RW writers to one who waits; RW readers, EPOCH, TAS, TICKET). Until it has arrived the lock is held for all
 * but the unit that released it: a try of another may still fail. On sim, and on mpi when all units of the job share a node, the message
 * arrives by itself. In a job of several nodes it may stay in MPI until the releasing unit is next inside MPI, and it takes effect when the
 * unit to which it goes (who waits, or the lock's home) is. So a unit that releases and then computes for long without any call of eyot may
 * keep others waiting: call eyot_progress() now and then (docs/progress.md), or eyot_flush_all(EYOT_REMOTE) once, behind the release.
 *
 * Common errors: ESTATE (the caller holds it already; or, at release, does not hold it), ESEG (null, destroyed or foreign lock: of a team
 * that the caller is not in), EINVAL (no such mode), ENOTSUP (this kind lacks the mode), EBUSY (acquire of MCS, HIER and RW as a writer:
 * the caller's 64 queue nodes are all in use, by locks that it holds and by timed waits that it has given up, whose nodes come back when
 * the lock is next passed on: release locks, or call again after others have released theirs). One thread of a unit at a time. */
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
  EYOT_LOCK_HIER, /* passes within a node, then a group, before it moves on (RMA-MCS: Schmid, Besta, Hoefler 2016) */
  EYOT_LOCK_RW,    /* many readers or one writer (RMA-RW, same source) */
  EYOT_LOCK_EPOCH, /* shared or exclusive on one unit, shared on all (foMPI: seed 002 section 2.3); polls with back-off */
  EYOT_LOCK_TAS, /* test-and-set with exponential back-off: the baseline; polls, no order among waiters */
  EYOT_LOCK_TICKET, /* first come, first served; 1 atomic alone; polls: for units of one node (Mellor-Crummey, Scott 1991) */
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
  /* hier and rw: passes[d] for each level d of eyot_domain_t (locality.h: unit, numa, node, blade, chassis, group, machine). NODE, BLADE,
   * CHASSIS and GROUP: how many holders (where an inner level has a queue: turns of its domains) a domain may have in a row before the lock
   * must leave it for others that wait, 1..EYOT_LOCK_PASSES_MAX, or 0: this level has no queue of its own. The other entries must be 0: the
   * whole team has its queue always, and below the node there is none. A level at which a unit's domain is that of the next inner level,
   * or the whole team, is left out by itself. rw counts to 510. */
  uint32_t passes[EYOT_DOMAIN_COUNT];
  /* rw, units per reader counter: readers of so many consecutive members share one; 0: those of a node. More than 16384 count as that. */
  uint32_t units_per_counter;
  /* rw, 1..EYOT_LOCK_PASSES_MAX, who goes first. readers_max: a writer that is next lets readers in until its own counter is empty, or so
   * many have come in there since (counted to 16384); then it stops all readers. writers_max: after so many writers in a row, of those that
   * wait without a timeout, readers that wait are let in (counted to 511). */
  uint32_t readers_max;
  uint32_t writers_max;
  /* tas and epoch, and tries of ticket until a timeout: bounds of the exponential back-off between two tries, ns. ticket: a waiter that has looked
   * for a while pauses for backoff_min_ns (or a half of that, drawn) for each that comes before it, twice as long each time that nobody has
   * got on, at most for backoff_max_ns. */
  uint64_t backoff_min_ns, backoff_max_ns;
} eyot_lock_attr_t;

/* 32 in a row within a node, 16 turns of nodes within a group. */
#define EYOT_LOCK_PASSES_DEFAULT \
  { 0, 0, 32, 0, 0, 16, 0 }
#define EYOT_LOCK_ATTR_INIT \
  { EYOT_LOCK_MCS, EYOT_LOCK_HOME_HASHED, EYOT_LOCK_PASSES_DEFAULT, 0, 256, 64, 500, 50000 }

/* Makes a lock of the team. attr NULL: EYOT_LOCK_ATTR_INIT. Collective over the team, blocking. Errors: ETEAM, EINVAL (an attribute that
 * the kind uses is out of bounds), EUNIT (home is no member), EMISMATCH (members passed different attributes; on all), ENOMEM. */
EYOT_API int eyot_lock_create(eyot_team_t team, const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* Destroys it, and sets *lock to null. Collective over the team, blocking. Errors: EBUSY (a member holds it; on all members, and the lock
 * stays: that member releases it, and all call again), EMISMATCH (members name different locks). */
EYOT_API int eyot_lock_destroy(eyot_lock_t *lock);

/* Makes a lock at the calling unit, for all units to use: not collective, does not block (UPC's upc_global_lock_alloc; seed 004). Kinds MCS,
 * TAS and TICKET; the lock lies at the caller, so home must be the caller or EYOT_LOCK_HOME_HASHED. Errors: EINVAL, ENOMEM, ENOTSUP (a kind that
 * needs memory at every unit). */
EYOT_API int eyot_lock_alloc(const eyot_lock_attr_t *attr, eyot_lock_t *lock);
/* Frees its memory, and sets *lock to null. Only the unit that made it may call, not while it is held or waited for, and nobody may ask for
 * it later. What is detected: that it is held, or with MCS and TICKET waited for, at this moment (EBUSY: call again when it is free), and its later
 * use where memory is checked (ESEG). Not detected: a unit that is about to ask for it, or between two tries (TAS; TICKET with a timeout); it would change
 * memory that is something else by then. Errors: EUNIT (made by another unit), EBUSY. */
EYOT_API int eyot_lock_free(eyot_lock_t *lock);

/* Acquires: EYOT_LOCK_EXCLUSIVE with every kind but EPOCH; EYOT_LOCK_SHARED with RW, and with EPOCH, where it locks the whole team
 * (lock_all). Blocking. After an error of the fabric (not the common ones above) the lock may be lost for all: it may count the caller among
 * those that wait; with TICKET later calls of this unit say so (ESTATE). */
EYOT_API int eyot_lock_acquire(eyot_lock_t lock, eyot_lock_mode_t mode);
/* *acquired tells whether it was to be had at once. Does not wait for other units. */
EYOT_API int eyot_lock_try(eyot_lock_t lock, eyot_lock_mode_t mode, bool *acquired);
/* Waits like eyot_lock_acquire - MCS, HIER and RW in their queues, TAS, EPOCH and TICKET by trying again, so
 * that with TICKET those who wait without a timeout go first -, but gives up after timeout_ns (virtual
 * on sim, wall clock on mpi). 0: it is had if it is free; UINT64_MAX: never gives up. To give up takes some messages more, with RW shared
 * as many, one after the other, as readers sleep at the caller's counter. Errors: ETIMEOUT (not acquired; nothing is left in the way of
 * others). */
EYOT_API int eyot_lock_acquire_timeout(eyot_lock_t lock, eyot_lock_mode_t mode,
                                       uint64_t timeout_ns);
/* Completes all operations of the caller at their targets (as eyot_flush_all(EYOT_REMOTE)), then releases; when the next one has it: see
 * above. Waits for no other unit, except with MCS, HIER and RW for one that is in the middle of queueing behind the caller. After an error
 * of that completion the lock is held as before, and release may be called again; after one while it is handed over it cannot be used any
 * more (ESTATE). */
EYOT_API int eyot_lock_release(eyot_lock_t lock);

/* EPOCH: the same on one member of the team (MPI_Win_lock). A unit may hold several members at once, SHARED or EXCLUSIVE; not beside the
 * whole team. release_at completes the caller's operations to that member only. Errors: also EUNIT (no member of the team). */
EYOT_API int eyot_lock_acquire_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit);
EYOT_API int eyot_lock_try_at(eyot_lock_t lock, eyot_lock_mode_t mode, eyot_tunit_t unit,
                              bool *acquired);
EYOT_API int eyot_lock_acquire_at_timeout(eyot_lock_t lock, eyot_lock_mode_t mode,
                                          eyot_tunit_t unit, uint64_t timeout_ns);
EYOT_API int eyot_lock_release_at(eyot_lock_t lock, eyot_tunit_t unit);

/* Whether the caller holds the lock (EPOCH: anything of it). Local. */
EYOT_API int eyot_lock_held(eyot_lock_t lock, bool *held);
/* "mcs", "hier", "rw", "epoch", "tas", "ticket"; "?" for anything else. */
EYOT_API const char *eyot_lock_kind_name(eyot_lock_kind_t kind);

#ifdef __cplusplus
}
#endif
#endif
