/* SPDX-License-Identifier: BSD-3-Clause */
/* upc.h - what the files of the UPC interface share: errors, the state of a thread, and its control
 * words in shared memory. As the OpenSHMEM interface, it is a static library above the public
 * headers alone, so that each simulated thread has its own copy (docs/adr/0050, 0089). */
#ifndef INTERFACES_UPC_UPC_H
#define INTERFACES_UPC_UPC_H

#include <eyot/eyot.h>
#include <eyot/upc.h>

/* A full list completes them: a flush for so many puts. */
#define UPCI_PENDING 8u

struct upci {
  bool ended, joined;
  uint32_t mapped_first, mapped; /* the threads whose memory is mapped here */
  eyot_gptr_t control;           /* collective: a struct upci_control at each thread */
  eyot_gptr_t heap;    /* collective: each thread's part of the global heap, and its local heap */
  uint64_t heap_bytes; /* of each of the two */
  eyot_lock_t table_lock; /* guards the table of the global heap, at thread 0 */
  /* Relaxed puts that may be under way. */
  struct upci_range {
    eyot_gptr_t at;
    uint64_t bytes;
  } pending[UPCI_PENDING];
  uint32_t n_pending;
  uint32_t place_bits; /* of translated programs: the bits of a pointer below its phase */
};
extern struct upci upci;

/* The first allocations of a thread's part. Before each allocation is its head (blocks.c): so the
 * first byte is no object's, and 0 can be the null pointer, and an allocation can have all bytes of
 * a heap. */
#define UPCI_HEAD 32u
#define UPCI_GLOBAL_FIRST 64u
#define UPCI_LOCAL_FIRST (UPCI_GLOBAL_FIRST + upci.heap_bytes + 64u)

#define UPCI_ENTER(call)                                                                          \
  if (__builtin_expect(upci_run.threads == 0, 0)) upci_refuse(call, __builtin_return_address(0)); \
  EYOT_CALLER(call)

_Noreturn void upci_refuse(const char *call, const void *site);
_Noreturn void upci_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void upci_failed(void);
static inline void upci_must(int rc) {
  if (__builtin_expect(rc != EYOT_OK, 0)) upci_failed();
}

/* Completes the caller's relaxed accesses at the remote level. */
void upci_complete(void);
/* What eyot_barrier_wait and eyot_barrier_test are given for an expression, NULL: none. */
const uint64_t *upci_wait_value(const uint64_t *value);
/* A barrier of all threads that completes the caller's accesses. */
void upci_barrier_all(void);
void upci_heap_begin(void);
void upci_heap_end(void);
/* Collective: memory of the global heap. */
upc_shared_t upci_all_take(size_t nblocks, size_t bytes);
/* Memory of the caller's local heap; the lock that guards a thread's, and the place of its list of
 * locks that others have freed. */
eyot_gptr_t upci_local_take(uint64_t bytes);
void upci_local_give(eyot_gptr_t block);
eyot_lock_t upci_local_guard(uint32_t thread);
eyot_gptr_t upci_freed_at(uint32_t thread);
/* Frees the caller's locks. Collective. */
void upci_locks_end(void);
/* A new lock of the caller; its release by any thread; the lock of a block. */
upc_lock_t upci_lock_take(void);
void upci_lock_give(eyot_gptr_t block);
upc_lock_t upci_lock_at(eyot_gptr_t block);
/* Ends the run if transfers are not synchronized. */
void upci_nb_end(void);
/* A domain of atomics; the type of a pointer to shared in a word, of translated programs. */
#define UPCI_PTS_WORD 100
upc_atomicdomain_t *upci_domain_new(upc_type_t type, upc_op_t ops);
#endif
