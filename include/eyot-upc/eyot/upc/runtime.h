/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/runtime.h - start and end, the three heaps, copies, locks and barriers (UPC 6.6.1 and
 * 7.2). Sizes are in bytes. All functions are called after upc_init. */
#ifndef EYOT_UPC_RUNTIME_H
#define EYOT_UPC_RUNTIME_H

#include "castable.h"
#include "pointer.h"
#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* upc_init starts UPC on the calling thread: the first statement of main. Collective, blocking. It
 * allocates shared arrays (UPC_SHARED_ARRAY), with zeros, and the heaps: on each thread the global
 * heap and the local heap have UPC_SHARED_HEAP_SIZE bytes each (environment; suffixes K, M, G;
 * default 16M, on all threads the same). eyot may have been started before, by eyot_init or
 * shmem_init. It is the barrier of a program's startup (UPC 5.1.2, paragraph 3). */
void upc_init(void);
/* upc_finalize ends UPC. Collective, blocking. A program that returns 0 from main need not call it,
 * unless it has started eyot by another interface too. It is the barrier of a program's termination
 * (UPC 5.1.2, paragraph 3). */
void upc_finalize(void);
/* upc_global_exit ends all threads with code `status`. One thread calls; does not return. Output
 * that other threads have buffered is lost over MPI, where UPC flushes it. UPC 7.2.1. */
void upc_global_exit(int status) __attribute__((noreturn));
/* upc_ticks_now and upc_ticks_to_ns read a clock and convert a difference of its values; virtual
 * time on sim, wall-clock time on mpi. Local. UPC library 7.5.2 (upc_tick.h). */
typedef uint64_t upc_tick_t;
upc_tick_t upc_ticks_now(void);
uint64_t upc_ticks_to_ns(upc_tick_t ticks);

/* UPC_SHARED_ARRAY declares `shared [block] type name[...]` at file scope, with `part` elements on
 * each thread. upc_shared_array(name) is the pointer to element 0 (affinity to thread 0). All
 * threads run one program, so they agree on the places of such arrays. UPC 6.5.2.1. */
struct upci_static {
  uint64_t bytes; /* of each thread's part */
  upc_shared_t first;
};
#define UPC_SHARED_ARRAY(type, name, part)                                     \
  static struct upci_static name = {sizeof(type) * (part), {{0, 0, 0, 0}, 0}}; \
  static struct upci_static *const upci_static_##name                          \
      __attribute__((section("upci_statics"), used)) = &name
#define upc_shared_array(name) ((name).first)

/* The heaps. Memory is aligned to 64 bytes, and its contents are undefined; 0 bytes: UPC_NULL.
 * An exhausted heap: UPC_NULL, and the first time on each thread a warning on standard error.
 * upc_alloc: `bytes` bytes with affinity to the caller (local shared). One thread calls. UPC
 * 7.2.2.3.
 * upc_global_alloc: nblocks blocks of `bytes` bytes, distributed over all threads from thread 0 on,
 * without any other thread's help. One thread calls; it accesses thread 0. UPC 7.2.2.1.
 * upc_all_alloc: the same, collective: all threads call and get the same pointer. UPC 7.2.2.2.
 * Each allocation takes 32 bytes more, and ends at a multiple of 64. */
upc_shared_t upc_alloc(size_t bytes);
upc_shared_t upc_global_alloc(size_t nblocks, size_t bytes);
upc_shared_t upc_all_alloc(size_t nblocks, size_t bytes);
/* upc_free releases memory of all three, of any thread. One thread calls; UPC_NULL: nothing.
 * Freeing twice, and freeing what is no start of an allocation, ends the run. UPC 7.2.2.4.
 * upc_all_free is collective, with the same pointer on all threads; it frees after all have called.
 * UPC 7.2.2.5. */
void upc_free(upc_shared_t p);
void upc_all_free(upc_shared_t p);

/* Copies: relaxed accesses to shared memory (UPC B.3.2.1). Private memory may be reused, or read,
 * on return. upc_memcpy copies between any two threads; other threads' memory passes through the
 * caller. Source and destination must not overlap. Called by one thread. UPC 7.2.5. */
void upc_memput(upc_shared_t dst, const void *src, size_t bytes);
void upc_memget(void *dst, upc_shared_t src, size_t bytes);
void upc_memcpy(upc_shared_t dst, upc_shared_t src, size_t bytes);
void upc_memset(upc_shared_t dst, int c, size_t bytes);

/* upc_cast returns the address of p's object, for accesses that cost as those of plain pointers,
 * NULL if its thread's memory is not mapped here, or p is null. upc_castable tells whether the
 * memory is mapped; on sim only the caller's own is. Local. UPC library 7.7.2.1
 * (upc_castable.h). */
void *upc_cast(upc_shared_t p);
bool upc_castable(upc_shared_t p);

/* A lock: a value, where UPC has upc_lock_t *; all zero: null. UPC 7.2.4.
 * upc_global_lock_alloc: one thread makes a lock; upc_all_lock_alloc: all call and get the same.
 * upc_lock blocks; upc_lock_attempt returns 1 if it has got the lock, else 0. Both end the run if
 * the caller holds it. upc_unlock completes the caller's accesses first. upc_lock_free may be
 * called by any one thread, also while the lock is locked; a lock that the caller holds is released
 * first, one of another thread's making is gone after that thread's next lock allocation. A null
 * lock: nothing. upc_all_lock_free is collective, and frees after all have called. */
typedef struct upc_lock_value {
  eyot_lock_t lock;
  eyot_gptr_t block;
} upc_lock_t;
upc_lock_t upc_global_lock_alloc(void);
upc_lock_t upc_all_lock_alloc(void);
void upc_lock(upc_lock_t lock);
int upc_lock_attempt(upc_lock_t lock);
void upc_unlock(upc_lock_t lock);
void upc_lock_free(upc_lock_t lock);
void upc_all_lock_free(upc_lock_t lock);

/* upc_notify, upc_wait and upc_barrier are UPC's statements without an expression, the _value forms
 * those with one. Collective; notify does not block. They are strict accesses: the caller's earlier
 * accesses are complete. Expressions that differ among the threads' notifies end the run, as does a
 * wait whose expression is not its own notify's; a statement that has none agrees with all. (UPC
 * compares a wait with all threads' notifies, also where its own has none.) UPC 6.6.1. */
void upc_notify(void);
void upc_notify_value(int value);
void upc_wait(void);
void upc_wait_value(int value);
void upc_barrier(void);
void upc_barrier_value(int value);

#ifdef __cplusplus
}
#endif
#endif
