/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/atomic.h - typed atomics on global memory (seed 000 table 6.2, seed 002 section 2.4).
 *
 * Fabric atomics on 4- and 8-byte integers are atomic against each other on one word, by whatever path, and are full barriers. A word used by
 * atomics, signals or wait-until must after initialisation be written only by atomics or signals, always with one width. Float and double
 * work by a compare-and-swap loop, as do PROD, MIN and MAX on integers. The address must be aligned to the element size.
 * Blocking unless said otherwise: complete at the target on return. Common errors: those of rma.h, EALIGN, EINVAL (type/operator pair not defined). */
#ifndef EYOT_ATOMIC_H
#define EYOT_ATOMIC_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* *old = *dst; *dst = *dst OP *operand, atomically. operand and old point to one element of `type`; EYOT_REPLACE swaps, EYOT_NOOP reads (operand
 * may then be NULL). */
EYOT_API int eyot_fetch_op(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *operand,
                           void *old);
/* The same without the old value. The _nbi form completes by flush (integers with SUM, BAND, BOR, BXOR, REPLACE only; else ENOTSUP). */
EYOT_API int eyot_accumulate(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *operand);
EYOT_API int eyot_accumulate_nbi(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                 const void *operand);
/* *old = *dst; if *dst equals *expected bitwise, *dst = *desired. All types but EYOT_BYTE. */
EYOT_API int eyot_compare_swap(eyot_gptr_t dst, eyot_type_t type, const void *expected,
                               const void *desired, void *old);

/* Out-of-line halves of inline functions; call those instead. */
EYOTI_OTHER_HALF int eyoti_fetch_add_u64_call(eyot_gptr_t dst, uint64_t add, uint64_t *old);
EYOTI_OTHER_HALF int eyoti_swap_u64_call(eyot_gptr_t dst, uint64_t value, uint64_t *old);
EYOTI_OTHER_HALF int eyoti_cas_u64_call(eyot_gptr_t dst, uint64_t expected, uint64_t desired,
                                        uint64_t *old);
EYOTI_OTHER_HALF int eyoti_read_u64_call(eyot_gptr_t src, uint64_t *value);

/* A read-modify-write is a full barrier on x86; elsewhere sequential consistency of the access alone does not order plain copies around it. */
#if defined(__x86_64__) || defined(__i386__)
#define EYOTI_FENCE_AFTER_ATOMIC() ((void)0)
#else
#define EYOTI_FENCE_AFTER_ATOMIC() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* Convenience for 64-bit words. Inline where the word is mapped here and the processor's atomics are the fabric's. */
EYOTI_INLINE int eyot_fetch_add_u64(eyot_gptr_t dst, uint64_t add, uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_fetch_add_u64_call(dst, add, old);
  *old = __atomic_fetch_add((uint64_t *)(void *)p, add, __ATOMIC_SEQ_CST);
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE int eyot_swap_u64(eyot_gptr_t dst, uint64_t value, uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_swap_u64_call(dst, value, old);
  *old = __atomic_exchange_n((uint64_t *)(void *)p, value, __ATOMIC_SEQ_CST);
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE int eyot_cas_u64(eyot_gptr_t dst, uint64_t expected, uint64_t desired, uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_cas_u64_call(dst, expected, desired, old);
  __atomic_compare_exchange_n((uint64_t *)(void *)p, &expected, desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  *old = expected;
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE int eyot_read_u64(eyot_gptr_t src, uint64_t *value) {
  char *p;
  if (!eyoti_fast_find_word(src, sizeof(uint64_t), &p) || value == NULL)
    return eyoti_read_u64_call(src, value);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* a load alone orders no store before it */
  *value = __atomic_load_n((uint64_t *)(void *)p, __ATOMIC_SEQ_CST);
  return EYOT_OK;
}

/* Arrays of n elements, element-wise: dst[i] = dst[i] OP src[i]; get_accumulate also returns the old elements in old[0..n). Two ways (seed 002
 * section 2.4): word by word with fabric atomics (integers with SUM, BAND, BOR, BXOR, REPLACE, NOOP and n at most EYOT_BULK_ATOMIC; each element
 * atomic against all other atomics), or lock, fetch, combine, write back under a lock of the target unit (all else: atomic only against other
 * array accumulates on that unit that go the same way). Blocking, remotely complete. */
EYOT_API int eyot_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *src,
                                   uint64_t n);
EYOT_API int eyot_get_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                       const void *src, void *old, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
