/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/check.h - what a program says to eyotcheck: where a run begins and ends, what must always hold, which states matter, and its own loads and stores.
 *
 * Why it exists: eyotcheck explores the schedules of a program thousands of times in one process. Every function here is for all fabrics: started by eyotrun or over MPI
 * the same program runs unchanged, and these calls do next to nothing (each says what). See docs/checking.md.
 * Thread rule: one thread of a unit at a time. */
#ifndef EYOT_CHECK_PUBLIC_H
#define EYOT_CHECK_PUBLIC_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the program runs under eyotcheck. */
EYOT_API int eyot_check_active(void);

/* Collective over all units. Every run begins here: memory of all units (globals, heap, stacks, segments) is taken back to what it was when the last unit came. What is in flight
 * is completed first. A program that never calls it is explored from the end of eyot_init on. Not under eyotcheck: returns at once, and orders nothing. Errors: ESTATE (called twice, not
 * initialised). */
EYOT_API int eyot_check_begin(void);
/* The caller has nothing more to check: a run has passed when all units have called it, or ended. Under eyotcheck it does not return from runs but the last. Elsewhere: returns at
 * once. Errors: ESTATE (no eyot_check_begin before). */
EYOT_API int eyot_check_end(void);

/* The unit has come to a point that the author finds worth reaching: strategies with feedback count the combinations of all units' last points as states. `name`:
 * a literal string. Elsewhere: nothing. Errors: ESTATE, EINVAL (NULL). */
EYOT_API int eyot_check_point(const char *name);

/* What must hold after every step of anybody: `fn(arg)` is called after each delivery, and its run has failed when it returns 0. It runs outside all units: it may read the memory of
 * this process (of all units, by pointers that were handed to it) and must not call eyot nor write. At most 64 of them; an invariant lasts to the end of the run in which it was
 * made, or for ever if made before eyot_check_begin. Elsewhere: never called. Errors: ESTATE, EINVAL (NULL), EBUSY (too many). */
EYOT_API int eyot_check_invariant(int (*fn)(void *arg), void *arg, const char *name);

/* The caller has found that something is wrong: its run has failed with this text (printf). Elsewhere: prints the text and aborts the run, on every fabric. Does not return. */
EYOT_API void eyot_check_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* What this run came out as (printf), up to 119 bytes. eyotcheck counts how many runs came out as each distinct text, and prints the table when it ends: with
 * --strategy exhaustive it has every outcome that the program can have. A run may say several. Elsewhere: nothing. */
EYOT_API void eyot_check_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Histories. A program tells which operations on a shared object it calls, before it calls each, and what came back, when it has returned; eyotcheck judges at the end of each run that has not
 * failed whether the object behaved as if each operation had happened at one moment between its call and its return (linearizability: Herlihy, Wing, TOPLAS 1990), and fails the run if
 * it cannot have. A run of which that is too hard to tell (1,000,000 configurations of the search) does not fail, and is counted in the closing line. Elsewhere: nothing, 0.
 *
 * The object `name` (up to 31 bytes), which begins each run as a new one: equal names with equal models are one object, on whatever units. Called in the run, or before it. Models, their operations
 * (arguments) -> results, and what param is:
 *   lock      acquire(), try_acquire() -> ok, acquire_timed() -> ok, release(). param: 0. A try may fail only while the lock is held, a timed one at any time.
 *   rwlock    the same, and acquire_shared(), try_acquire_shared() -> ok, acquire_shared_timed() -> ok, release_shared(). param: 0.
 *   register  read() -> value, write(value), add(value), fetch_add(value) -> old, swap(value) -> old, cas(expected, value) -> ok, fetch_cas(expected, value) -> old.
 *             param: its first value.
 *   queue     enqueue(value) -> ok (not: full), dequeue() -> ok and value (not: empty). param: its capacity, 0: unbounded.
 *   stack     push(value) -> ok, pop() -> ok and value. param: as of a queue.
 *   map       insert(key, value) -> ok (not: present), put(key, value), get(key) -> ok and value, remove(key) -> ok, take(key) -> ok and value,
 *             cas(key, expected, value) -> ok. param: 0.
 *   set       add(element) -> ok (not: present), remove(element) -> ok, contains(element) -> ok. param: 0.
 * Errors: ESTATE, EINVAL (NULL; no such model), EMISMATCH (made with another param), ENOMEM. */
EYOT_API int eyot_check_object(const char *model, const char *name, uint64_t param,
                               uint32_t *object);
/* The unit is about to call `op`. args: as many as it has, up to 3; may be NULL if none. *id: for eyot_check_return; an operation that never returns (its unit crashed, the run was
 * cut) may have happened or not. Errors: ESTATE, EINVAL (NULL; no such object, no such operation of it), ERANGE (more than 2^31 - 2 in one run), ENOMEM. */
EYOT_API int eyot_check_call(uint32_t object, const char *op, const uint64_t *args, uint64_t *id);
/* It has returned. What of ok and result the operation does not give is ignored. Errors: ESTATE, EINVAL (not called by this unit in this run; returned before), ENOMEM. */
EYOT_API int eyot_check_return(uint64_t id, int ok, uint64_t result);

/* Loads and stores of aligned words by the CPU, through pointers into segments (eyot_ptr_local and the like), that others access at the same time. Under eyotcheck each is a step of its own, seen
 * by the race detector, and under `--order tso` stores wait in a store buffer. Elsewhere: the plain C11 atomic with the order of x86: loads acquire, stores release, the others sequentially
 * consistent. p: 8-byte aligned. They cannot fail. */
EYOT_API uint64_t eyot_cpu_load(const uint64_t *p);
EYOT_API void eyot_cpu_store(uint64_t *p, uint64_t value);
/* The value before. */
EYOT_API uint64_t eyot_cpu_add(uint64_t *p, uint64_t value);
EYOT_API uint64_t eyot_cpu_swap(uint64_t *p, uint64_t value);
EYOT_API uint64_t eyot_cpu_cas(uint64_t *p, uint64_t expected, uint64_t desired);
/* A full barrier of the CPU (mfence): empties the store buffer. */
EYOT_API void eyot_cpu_fence(void);
/* For the race detector only: this unit reads (or writes) [p, p+bytes) by plain loads (or stores) now. Elsewhere: nothing. */
EYOT_API void eyot_check_reads(const void *p, size_t bytes);
EYOT_API void eyot_check_writes(const void *p, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
