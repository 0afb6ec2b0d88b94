/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/check.h - annotations for eyotcheck: where a run begins and ends, invariants, states that
 * matter, outcomes, histories of operations, and direct loads and stores.
 *
 * eyotcheck explores the schedules of a program thousands of times in one process. The same program
 * runs unchanged under eyotrun and over MPI, where these calls do next to nothing; each comment
 * says under "Elsewhere" what they do there, and of the errors only ESTATE (not initialized) and
 * EINVAL (NULL) are returned there. See docs/checking.md. Each function is called by one unit and
 * does not wait for other units unless its comment says so. Functions that return int return ESTATE
 * before eyot_init and after eyot_finalize. Thread rule: that of eyot/init.h. */
#ifndef EYOT_CHECK_PUBLIC_H
#define EYOT_CHECK_PUBLIC_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_check_active returns 1 if the program runs under eyotcheck, else 0. Cannot fail; callable at
 * any time. */
EYOT_RET int eyot_check_active(void);

/* eyot_check_begin marks where every run begins: it completes what is in flight, and takes the
 * memory of all units (globals, heap, stacks, segments) back to the state in which the last unit
 * arrived. Collective over all units, blocking. A program that never calls it is explored from the
 * end of eyot_init. Elsewhere: returns at once and orders nothing. Errors: ESTATE (called twice,
 * not initialized). */
EYOT_RET int eyot_check_begin(void);
/* eyot_check_end says that the caller has nothing more to check: a run has passed when all units
 * have called it or ended. Under eyotcheck it does not return, and what follows is never run, so
 * results are verified before it. Elsewhere: returns at once. Errors: ESTATE (no eyot_check_begin
 * before). */
EYOT_RET int eyot_check_end(void);

/* eyot_check_point marks a point of the program that is worth reaching: strategies with feedback
 * count the combinations of all units' last points as states. `name` is a string literal.
 * Elsewhere: nothing. Errors: ESTATE, EINVAL (NULL). */
EYOT_RET int eyot_check_point(const char *name);

/* eyot_check_invariant registers an invariant: `fn(arg)` is called after each delivery, and the run
 * fails when it returns 0. `name` appears in the report. fn runs outside all units: it may read the
 * memory of this process (of all units, by pointers that it was given), and must not call eyot and
 * must not write. At most 64 invariants; one lasts to the end of the run in which it was made, or
 * forever if made before eyot_check_begin. Elsewhere: fn is never called. Errors: ESTATE, EINVAL
 * (NULL), EBUSY (too many). */
EYOT_RET int eyot_check_invariant(int (*fn)(void *arg), void *arg, const char *name);

/* eyot_check_fail fails the run with this text (printf). Elsewhere: prints the text and aborts the
 * run, on every fabric. Does not return. */
EYOT_API void eyot_check_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* eyot_check_outcome reports an outcome of the run (printf); text beyond 119 bytes is cut.
 * eyotcheck counts the runs that reported each distinct text and prints the table when it ends;
 * with --strategy exhaustive the table has every outcome that the program can have. It names 3,072
 * and counts later ones together. A run may report several. Elsewhere: nothing. */
EYOT_API void eyot_check_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Histories. A program reports each operation on a shared object before it calls it, and its result
 * when it has returned. At the end of each run that has not failed, eyotcheck judges whether the
 * object behaved as if each operation had happened at one moment between its call and its return
 * (linearizability: M. Herlihy, J. Wing, "Linearizability: A Correctness Condition for Concurrent
 * Objects", TOPLAS 1990), and fails the run if it cannot have. A run that is too hard to judge
 * (1,000,000 configurations of the search) does not fail and is counted in the closing line.
 *
 * eyot_check_object makes the object `name` (up to 31 bytes), which begins each run as a new one;
 * equal names with equal models are one object, on whichever units. It is called in the run or
 * before it. Models, their operations (arguments) -> results, and the meaning of param:
 *   lock      acquire(), try_acquire() -> ok, acquire_timed() -> ok, release(). param: 0.
 *             A try may fail only while the lock is held, a timed one at any time.
 *   rwlock    the same, and acquire_shared(), try_acquire_shared() -> ok,
 *             acquire_shared_timed() -> ok, release_shared(). param: 0.
 *   register  read() -> value, write(value), add(value), fetch_add(value) -> old,
 *             swap(value) -> old, cas(expected, value) -> ok, fetch_cas(expected, value) -> old.
 *             param: its first value.
 *   queue     enqueue(value) -> ok (not: full), dequeue() -> ok and value (not: empty).
 *             param: its capacity, 0: unbounded.
 *   stack     push(value) -> ok, pop() -> ok and value. param: as of a queue.
 *   map       insert(key, value) -> ok (not: present), put(key, value), get(key) -> ok and value,
 *             remove(key) -> ok, take(key) -> ok and value, cas(key, expected, value) -> ok.
 *             param: 0.
 *   set       add(element) -> ok (not: present), remove(element) -> ok, contains(element) -> ok.
 *             param: 0.
 * Elsewhere: *object is 0. Errors: ESTATE, EINVAL (NULL; no such model; a longer name), EMISMATCH
 * (made with another param), ENOMEM. */
EYOT_RET int eyot_check_object(const char *model, const char *name, uint64_t param,
                               uint32_t *object);
/* eyot_check_call reports that the unit is about to call `op`. `args` has as many elements as op
 * has arguments, up to 3, and may be NULL if there are none. *id is for eyot_check_return; an
 * operation that never returns (its unit crashed, the run was cut) may have happened or not.
 * Elsewhere: *id is 0. Errors: ESTATE, EINVAL (NULL; no such object, no such operation of it),
 * ERANGE (more than 2^31 - 2 in one run), ENOMEM. */
EYOT_RET int eyot_check_call(uint32_t object, const char *op, const uint64_t *args, uint64_t *id);
/* eyot_check_return reports that the operation has returned. `ok` and `result` are ignored where
 * the operation does not give them. Elsewhere: nothing. Errors: ESTATE, EINVAL (not called by this
 * unit in this run; returned before), ENOMEM. */
EYOT_RET int eyot_check_return(uint64_t id, int ok, uint64_t result);

/* The CPU's loads and stores of words that other units access at the same time, through pointers
 * into segments (eyot_gptr_addr, eyot_gptr_direct). Under eyotcheck each is a step of its own that
 * the race detector sees, and under `--order tso` stores wait in a store buffer. Elsewhere: the
 * plain C11 atomic with the order of x86: loads acquire, stores release, the others sequentially
 * consistent. p is 8-byte aligned. They cannot fail and do not block; callable at any time. */
EYOT_API uint64_t eyot_cpu_load(const uint64_t *p);
EYOT_API void eyot_cpu_store(uint64_t *p, uint64_t value);
/* These three return the value before. */
EYOT_API uint64_t eyot_cpu_add(uint64_t *p, uint64_t value);
EYOT_API uint64_t eyot_cpu_swap(uint64_t *p, uint64_t value);
EYOT_API uint64_t eyot_cpu_cas(uint64_t *p, uint64_t expected, uint64_t desired);
/* eyot_cpu_fence is a full barrier of the CPU (mfence): it empties the store buffer. */
EYOT_API void eyot_cpu_fence(void);
/* eyot_check_reads and eyot_check_writes tell the race detector that this unit reads (or writes)
 * [p, p+bytes) by plain loads (or stores) now. Elsewhere: nothing. Cannot fail; callable at any
 * time. */
EYOT_API void eyot_check_reads(const void *p, size_t bytes);
EYOT_API void eyot_check_writes(const void *p, size_t bytes);
/* eyot_check_racy tells the race detector that races on [p, p+bytes) are meant: it reports none
 * there, until the memory is freed. p points into a segment (each unit marks its own part), or to a
 * local buffer. Marks that are made before eyot_check_begin hold in all runs, others in the run in
 * which they are made. Elsewhere: nothing. Cannot fail; callable at any time. */
EYOT_API void eyot_check_racy(const void *p, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
