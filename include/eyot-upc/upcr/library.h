/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr/library.h - UPC's library functions for translated programs: those of eyot/upc/runtime.h and
 * eyot/upc/coll.h, with pointers in a word (pointer.h). What they do is described there. A lock is
 * a pointer to shared; each call reads it from its thread's memory. */
#ifndef EYOT_UPCR_LIBRARY_H
#define EYOT_UPCR_LIBRARY_H

#include <eyot/upc/castable.h>

#include "access.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's functions, under other names: translated programs call them by UPC's. */
#define UPCRI_NAMED(symbol) __asm__(#symbol)
upc_shared_t upcri_lib_alloc(size_t bytes) UPCRI_NAMED(upc_alloc);
upc_shared_t upcri_lib_global_alloc(size_t nblocks, size_t bytes) UPCRI_NAMED(upc_global_alloc);
upc_shared_t upcri_lib_all_alloc(size_t nblocks, size_t bytes) UPCRI_NAMED(upc_all_alloc);
void upcri_lib_free(upc_shared_t p) UPCRI_NAMED(upc_free);
void upcri_lib_all_free(upc_shared_t p) UPCRI_NAMED(upc_all_free);
void upcri_lib_memput(upc_shared_t dst, const void *src, size_t n) UPCRI_NAMED(upc_memput);
void upcri_lib_memget(void *dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memget);
void upcri_lib_memcpy(upc_shared_t dst, upc_shared_t src, size_t n) UPCRI_NAMED(upc_memcpy);
void upcri_lib_memset(upc_shared_t dst, int c, size_t n) UPCRI_NAMED(upc_memset);
void *upcri_lib_cast(upc_shared_t p) UPCRI_NAMED(upc_cast);
/* These have no other form in the library. */
upc_shared_t upcri_lock_new(int all);
void upcri_lock(upc_shared_t lock);
int upcri_lock_attempt(upc_shared_t lock);
void upcri_unlock(upc_shared_t lock);
void upcri_lock_free(upc_shared_t lock, int all);
void *upcri_local(upc_shared_t p);

/* Memory (UPC 7.2.2). upc_local_alloc is that of UPC 1.1. */
EYOTI_INLINE upcr_shared_ptr_t upcr_alloc(size_t bytes) {
  return upcri_pack(upcri_lib_alloc(bytes));
}
EYOTI_INLINE upcr_shared_ptr_t upcr_global_alloc(size_t nblocks, size_t bytes) {
  return upcri_pack(upcri_lib_global_alloc(nblocks, bytes));
}
EYOTI_INLINE upcr_shared_ptr_t upcr_all_alloc(size_t nblocks, size_t bytes) {
  return upcri_pack(upcri_lib_all_alloc(nblocks, bytes));
}
EYOTI_INLINE void upcr_free(upcr_shared_ptr_t p) {
  upcri_lib_free(upcri_unpack(p));
}
EYOTI_INLINE void upcr_all_free(upcr_shared_ptr_t p) {
  upcri_lib_all_free(upcri_unpack(p));
}
#define upc_alloc(bytes) upcr_alloc(bytes)
#define upc_local_alloc(nblocks, bytes) upcr_alloc((size_t)(nblocks) * (bytes))
#define upc_global_alloc(nblocks, bytes) upcr_global_alloc(nblocks, bytes)
#define upc_all_alloc(nblocks, bytes) upcr_all_alloc(nblocks, bytes)
#define upc_free(p) upcr_free(p)
#define upc_all_free(p) upcr_all_free(p)

/* Copies (UPC 7.2.5). */
EYOTI_INLINE void upcr_memput(upcr_shared_ptr_t dst, const void *src, size_t n) {
  upcri_lib_memput(upcri_unpack(dst), src, n);
}
EYOTI_INLINE void upcr_memget(void *dst, upcr_shared_ptr_t src, size_t n) {
  upcri_lib_memget(dst, upcri_unpack(src), n);
}
EYOTI_INLINE void upcr_memcpy(upcr_shared_ptr_t dst, upcr_shared_ptr_t src, size_t n) {
  upcri_lib_memcpy(upcri_unpack(dst), upcri_unpack(src), n);
}
EYOTI_INLINE void upcr_memset(upcr_shared_ptr_t dst, int c, size_t n) {
  upcri_lib_memset(upcri_unpack(dst), c, n);
}
#define upc_memput(dst, src, n) upcr_memput(dst, src, n)
#define upc_memget(dst, src, n) upcr_memget(dst, src, n)
#define upc_memcpy(dst, src, n) upcr_memcpy(dst, src, n)
#define upc_memset(dst, c, n) upcr_memset(dst, c, n)

/* Locks (UPC 7.2.4). */
EYOTI_INLINE upcr_shared_ptr_t upcr_global_lock_alloc(void) {
  return upcri_pack(upcri_lock_new(0));
}
EYOTI_INLINE upcr_shared_ptr_t upcr_all_lock_alloc(void) {
  return upcri_pack(upcri_lock_new(1));
}
EYOTI_INLINE void upcr_lock(upcr_shared_ptr_t lock) {
  upcri_lock(upcri_unpack(lock));
}
EYOTI_INLINE int upcr_lock_attempt(upcr_shared_ptr_t lock) {
  return upcri_lock_attempt(upcri_unpack(lock));
}
EYOTI_INLINE void upcr_unlock(upcr_shared_ptr_t lock) {
  upcri_unlock(upcri_unpack(lock));
}
EYOTI_INLINE void upcr_lock_free(upcr_shared_ptr_t lock) {
  upcri_lock_free(upcri_unpack(lock), 0);
}
EYOTI_INLINE void upcr_all_lock_free(upcr_shared_ptr_t lock) {
  upcri_lock_free(upcri_unpack(lock), 1);
}
#define upc_global_lock_alloc() upcr_global_lock_alloc()
#define upc_all_lock_alloc() upcr_all_lock_alloc()
#define upc_lock(lock) upcr_lock(lock)
#define upc_lock_attempt(lock) upcr_lock_attempt(lock)
#define upc_unlock(lock) upcr_unlock(lock)
#define upc_lock_free(lock) upcr_lock_free(lock)
#define upc_all_lock_free(lock) upcr_all_lock_free(lock)

/* Pointers (UPC 7.2.3, library 7.7.2.1). upcr_shared_to_local returns the address of memory of the
 * caller, or of a thread whose memory is mapped here; else it ends the run. */
EYOTI_INLINE void *upcr_shared_to_local(upcr_shared_ptr_t p) {
  return upcri_local(upcri_unpack(p));
}
#define upcr_pshared_to_local(p) upcr_shared_to_local(p)
EYOTI_INLINE void *upcr_cast(upcr_shared_ptr_t p) {
  return upcri_lib_cast(upcri_unpack(p));
}
EYOTI_INLINE size_t upcr_affinitysize(size_t total, size_t block, size_t thread) {
  return upci_affinitysize(total, block, thread);
}
#define upc_cast(p) upcr_cast(p)
#define upc_castable(p) (upcr_cast(p) != NULL)
#define upc_threadof(p) upcr_threadof_shared(p)
#define upc_phaseof(p) upcr_phaseof_shared(p)
#define upc_addrfield(p) upcr_addrfield_shared(p)
#define upc_resetphase(p) upcr_shared_resetphase(p)
#define upc_affinitysize(total, block, thread) upcr_affinitysize(total, block, thread)

/* The clock (UPC library 7.5.2). */
typedef uint64_t upc_tick_t;
upc_tick_t upc_ticks_now(void);
uint64_t upc_ticks_to_ns(upc_tick_t ticks);

/* Collectives (UPC library 7.4), with the values of upc_types.h. */
typedef int upc_flag_t;
typedef unsigned long upc_op_t;
#define UPCRI_BLOCKS(X) X(broadcast) X(scatter) X(gather) X(gather_all) X(exchange)
#define UPCRI_BLOCK(name)                                                                        \
  void upcri_lib_##name(upc_shared_t dst, upc_shared_t src, size_t nbytes, unsigned mode)        \
      UPCRI_NAMED(upc_all_##name);                                                               \
  EYOTI_INLINE void upcr_all_##name(upcr_shared_ptr_t dst, upcr_shared_ptr_t src, size_t nbytes, \
                                    upc_flag_t mode) {                                           \
    upcri_lib_##name(upcri_unpack(dst), upcri_unpack(src), nbytes, (unsigned)mode);              \
  }
UPCRI_BLOCKS(UPCRI_BLOCK)
#undef UPCRI_BLOCK
void upcri_lib_permute(upc_shared_t dst, upc_shared_t src, upc_shared_t perm, size_t nbytes,
                       unsigned mode) UPCRI_NAMED(upc_all_permute);
EYOTI_INLINE void upcr_all_permute(upcr_shared_ptr_t dst, upcr_shared_ptr_t src,
                                   upcr_shared_ptr_t perm, size_t nbytes, upc_flag_t mode) {
  upcri_lib_permute(upcri_unpack(dst), upcri_unpack(src), upcri_unpack(perm), nbytes,
                    (unsigned)mode);
}
#define UPCRI_REDUCTION(T, name)                                                                  \
  void upcri_lib_reduce##T(upc_shared_t dst, upc_shared_t src, unsigned long op, size_t nelems,   \
                           size_t blk_size, name (*func)(name, name), unsigned mode)              \
      UPCRI_NAMED(upc_all_reduce##T);                                                             \
  void upcri_lib_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, unsigned long op,           \
                                  size_t nelems, size_t blk_size, name (*func)(name, name),       \
                                  unsigned mode) UPCRI_NAMED(upc_all_prefix_reduce##T);           \
  EYOTI_INLINE void upcr_all_reduce##T(upcr_shared_ptr_t dst, upcr_shared_ptr_t src, upc_op_t op, \
                                       size_t nelems, size_t blk_size, name (*func)(name, name),  \
                                       upc_flag_t mode) {                                         \
    upcri_lib_reduce##T(upcri_unpack(dst), upcri_unpack(src), op, nelems, blk_size, func,         \
                        (unsigned)mode);                                                          \
  }                                                                                               \
  EYOTI_INLINE void upcr_all_prefix_reduce##T(upcr_shared_ptr_t dst, upcr_shared_ptr_t src,       \
                                              upc_op_t op, size_t nelems, size_t blk_size,        \
                                              name (*func)(name, name), upc_flag_t mode) {        \
    upcri_lib_prefix_reduce##T(upcri_unpack(dst), upcri_unpack(src), op, nelems, blk_size, func,  \
                               (unsigned)mode);                                                   \
  }
UPCRI_REDUCTION(C, signed char)
UPCRI_REDUCTION(UC, unsigned char)
UPCRI_REDUCTION(S, short)
UPCRI_REDUCTION(US, unsigned short)
UPCRI_REDUCTION(I, int)
UPCRI_REDUCTION(UI, unsigned)
UPCRI_REDUCTION(L, long)
UPCRI_REDUCTION(UL, unsigned long)
UPCRI_REDUCTION(F, float)
UPCRI_REDUCTION(D, double)
UPCRI_REDUCTION(LD, long double)
#undef UPCRI_REDUCTION
#define upc_all_reduceC upcr_all_reduceC
#define upc_all_prefix_reduceC upcr_all_prefix_reduceC
#define upc_all_reduceUC upcr_all_reduceUC
#define upc_all_prefix_reduceUC upcr_all_prefix_reduceUC
#define upc_all_reduceS upcr_all_reduceS
#define upc_all_prefix_reduceS upcr_all_prefix_reduceS
#define upc_all_reduceUS upcr_all_reduceUS
#define upc_all_prefix_reduceUS upcr_all_prefix_reduceUS
#define upc_all_reduceI upcr_all_reduceI
#define upc_all_prefix_reduceI upcr_all_prefix_reduceI
#define upc_all_reduceUI upcr_all_reduceUI
#define upc_all_prefix_reduceUI upcr_all_prefix_reduceUI
#define upc_all_reduceL upcr_all_reduceL
#define upc_all_prefix_reduceL upcr_all_prefix_reduceL
#define upc_all_reduceUL upcr_all_reduceUL
#define upc_all_prefix_reduceUL upcr_all_prefix_reduceUL
#define upc_all_reduceF upcr_all_reduceF
#define upc_all_prefix_reduceF upcr_all_prefix_reduceF
#define upc_all_reduceD upcr_all_reduceD
#define upc_all_prefix_reduceD upcr_all_prefix_reduceD
#define upc_all_reduceLD upcr_all_reduceLD
#define upc_all_prefix_reduceLD upcr_all_prefix_reduceLD
#define upc_all_broadcast(dst, src, n, mode) upcr_all_broadcast(dst, src, n, mode)
#define upc_all_scatter(dst, src, n, mode) upcr_all_scatter(dst, src, n, mode)
#define upc_all_gather(dst, src, n, mode) upcr_all_gather(dst, src, n, mode)
#define upc_all_gather_all(dst, src, n, mode) upcr_all_gather_all(dst, src, n, mode)
#define upc_all_exchange(dst, src, n, mode) upcr_all_exchange(dst, src, n, mode)
#define upc_all_permute(dst, src, perm, n, mode) upcr_all_permute(dst, src, perm, n, mode)

#ifdef __cplusplus
}
#endif
#endif
