/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/atomic.h - typed atomics on global memory (H. Zhou, "Communication Methods for Hierarchical
 * Global Address Space Models in HPC", 2016, table 6.2; R. Gerstenberger, M. Besta, T. Hoefler,
 * "Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided", 2013, section
 * 2.4).
 *
 * Fabric atomics on 4- and 8-byte integers are atomic against each other on one word, by any path,
 * and are full barriers. A word that is used by atomics, signals or wait-until must, after
 * initialization, be written only by atomics or signals, always with one width. Addresses are
 * aligned to the element size. Called by one unit; blocking, complete at the target on return
 * unless said otherwise. Common errors: those of rma.h, EALIGN, EINVAL (undefined type/operator
 * pair; NULL). Thread rule: that of eyot/init.h. */
#ifndef EYOT_ATOMIC_H
#define EYOT_ATOMIC_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types are INT32, UINT32, INT64, UINT64, FLOAT and DOUBLE, operators SUM to NOOP. Float and double
 * work by a compare-and-swap loop, as do PROD, MIN and MAX on integers. MIN and MAX are those of
 * eyot/op.h. */

/* eyot_fetch_op does atomically: *old = *dst; *dst = *dst OP *operand. operand and old point to one
 * element of `type`; EYOT_REPLACE swaps, EYOT_NOOP reads (operand may then be NULL). */
EYOT_RET int eyot_fetch_op(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *operand,
                           void *old);
/* eyot_compare_swap does atomically: *old = *dst; *dst = *desired if *dst equals *expected bitwise.
 * Each of the three points to one element of `type`. */
EYOT_RET int eyot_compare_swap(eyot_gptr_t dst, eyot_type_t type, const void *expected,
                               const void *desired, void *old);

/* These are the out-of-line halves of inline functions; programs call those instead. */
EYOTI_OTHER_HALF int eyoti_accumulate_call(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                           const void *operand);
EYOTI_OTHER_HALF int eyoti_accumulate_nbi_call(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                               const void *operand);
EYOTI_OTHER_HALF int eyoti_fetch_add_u64_call(eyot_gptr_t dst, uint64_t add, uint64_t *old);
EYOTI_OTHER_HALF int eyoti_swap_u64_call(eyot_gptr_t dst, uint64_t value, uint64_t *old);
EYOTI_OTHER_HALF int eyoti_cas_u64_call(eyot_gptr_t dst, uint64_t expected, uint64_t desired,
                                        uint64_t *old);
EYOTI_OTHER_HALF int eyoti_read_u64_call(eyot_gptr_t src, uint64_t *value);

/* A read-modify-write is a full barrier on x86; elsewhere sequential consistency of the access
 * alone does not order plain copies around it. */
#if defined(__x86_64__) || defined(__i386__)
#define EYOTI_FENCE_AFTER_ATOMIC() ((void)0)
#else
#define EYOTI_FENCE_AFTER_ATOMIC() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* eyot_fetch_op_mapped and eyot_compare_swap_mapped do as eyot_fetch_op and eyot_compare_swap by an
 * instruction of the processor, and return true. They do nothing, not even check, and return false
 * if the word is not mapped here, if the fabric's atomics are not the processor's, if a tool must
 * see operations, or if type and op are no constants of the compiler, an integer type and NOOP,
 * REPLACE, SUM, BAND, BOR or BXOR: the caller calls the other function. old may be NULL. For
 * interfaces that mark their calls, as eyot_put_mapped (rma.h). Local; a few instructions. */
EYOTI_INLINE_RET bool eyot_fetch_op_mapped(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                           const void *operand, void *old) {
  bool half = type == EYOT_INT32 || type == EYOT_UINT32;
  bool whole = type == EYOT_INT64 || type == EYOT_UINT64;
  char *p;
  if (!__builtin_constant_p(type) || !__builtin_constant_p(op) || !(half || whole) ||
      !(op == EYOT_NOOP || op == EYOT_REPLACE || op == EYOT_SUM || op == EYOT_BAND ||
        op == EYOT_BOR || op == EYOT_BXOR) ||
      (operand == NULL && op != EYOT_NOOP) || !eyoti_fast_find_word(dst, half ? 4 : 8, &p))
    return false;
  if (op == EYOT_NOOP) __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as eyot_read_u64 */
#define EYOTI_FETCH(T)                                                                       \
  do {                                                                                       \
    T value = 0, was, *word = (T *)(void *)p;                                                \
    if (op != EYOT_NOOP) memcpy(&value, operand, sizeof value); /* may have any alignment */ \
    if (op == EYOT_NOOP)                                                                     \
      was = __atomic_load_n(word, __ATOMIC_SEQ_CST);                                         \
    else if (op == EYOT_REPLACE)                                                             \
      was = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                              \
    else if (op == EYOT_SUM)                                                                 \
      was = __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);                               \
    else if (op == EYOT_BAND)                                                                \
      was = __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST);                               \
    else if (op == EYOT_BOR)                                                                 \
      was = __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);                                \
    else                                                                                     \
      was = __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST);                               \
    if (old != NULL) memcpy(old, &was, sizeof was);                                          \
  } while (0)
  if (half)
    EYOTI_FETCH(uint32_t);
  else
    EYOTI_FETCH(uint64_t);
#undef EYOTI_FETCH
  if (op != EYOT_NOOP) EYOTI_FENCE_AFTER_ATOMIC();
  return true;
}
EYOTI_INLINE_RET bool eyot_compare_swap_mapped(eyot_gptr_t dst, eyot_type_t type,
                                               const void *expected, const void *desired,
                                               void *old) {
  bool half = type == EYOT_INT32 || type == EYOT_UINT32;
  bool whole = type == EYOT_INT64 || type == EYOT_UINT64;
  char *p;
  if (!__builtin_constant_p(type) || !(half || whole) || expected == NULL || desired == NULL ||
      !eyoti_fast_find_word(dst, half ? 4 : 8, &p))
    return false;
#define EYOTI_SWAP(T)                                                                       \
  do {                                                                                      \
    T was, value;                                                                           \
    memcpy(&was, expected, sizeof was);                                                     \
    memcpy(&value, desired, sizeof value);                                                  \
    (void)__atomic_compare_exchange_n((T *)(void *)p, &was, value, false, __ATOMIC_SEQ_CST, \
                                      __ATOMIC_SEQ_CST);                                    \
    if (old != NULL) memcpy(old, &was, sizeof was);                                         \
  } while (0)
  if (half)
    EYOTI_SWAP(uint32_t);
  else
    EYOTI_SWAP(uint64_t);
#undef EYOTI_SWAP
  EYOTI_FENCE_AFTER_ATOMIC();
  return true;
}

/* eyot_accumulate and eyot_accumulate_nbi do as eyot_fetch_op without returning the old value.
 * eyot_accumulate_nbi does not block and is completed by flush; it takes REPLACE, and integers with
 * SUM, BAND, BOR and BXOR (else ENOTSUP). Inline where eyot_fetch_op_mapped works. */
EYOTI_INLINE_RET int eyot_accumulate(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                     const void *operand) {
  return op != EYOT_NOOP && eyot_fetch_op_mapped(dst, type, op, operand, NULL)
             ? EYOT_OK
             : eyoti_accumulate_call(dst, type, op, operand);
}
EYOTI_INLINE_RET int eyot_accumulate_nbi(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                         const void *operand) {
  return op != EYOT_NOOP && eyot_fetch_op_mapped(dst, type, op, operand, NULL)
             ? EYOT_OK
             : eyoti_accumulate_nbi_call(dst, type, op, operand);
}

/* These are eyot_fetch_op and eyot_compare_swap on one 64-bit word: fetch-and-add, swap,
 * compare-and-swap, and read. Inline where the word is mapped here and the fabric's atomics are the
 * processor's. */
EYOTI_INLINE_RET int eyot_fetch_add_u64(eyot_gptr_t dst, uint64_t add, uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_fetch_add_u64_call(dst, add, old);
  *old = __atomic_fetch_add((uint64_t *)(void *)p, add, __ATOMIC_SEQ_CST);
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE_RET int eyot_swap_u64(eyot_gptr_t dst, uint64_t value, uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_swap_u64_call(dst, value, old);
  *old = __atomic_exchange_n((uint64_t *)(void *)p, value, __ATOMIC_SEQ_CST);
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE_RET int eyot_cas_u64(eyot_gptr_t dst, uint64_t expected, uint64_t desired,
                                  uint64_t *old) {
  char *p;
  if (!eyoti_fast_find_word(dst, sizeof(uint64_t), &p) || old == NULL)
    return eyoti_cas_u64_call(dst, expected, desired, old);
  __atomic_compare_exchange_n((uint64_t *)(void *)p, &expected, desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  *old = expected;
  EYOTI_FENCE_AFTER_ATOMIC();
  return EYOT_OK;
}
EYOTI_INLINE_RET int eyot_read_u64(eyot_gptr_t src, uint64_t *value) {
  char *p;
  if (!eyoti_fast_find_word(src, sizeof(uint64_t), &p) || value == NULL)
    return eyoti_read_u64_call(src, value);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* a load alone orders no store before it */
  *value = __atomic_load_n((uint64_t *)(void *)p, __ATOMIC_SEQ_CST);
  return EYOT_OK;
}

/* eyot_accumulate_array and eyot_get_accumulate_array apply OP to arrays of n elements: dst[i] =
 * dst[i] OP src[i]; eyot_get_accumulate_array also returns the old elements in old[0..n). Blocking,
 * remotely complete. Two ways: word by word with fabric atomics (integers with SUM, BAND, BOR,
 * BXOR, REPLACE, NOOP and n at most EYOT_BULK_ATOMIC; each element is atomic against all other
 * atomics), or fetch, combine and write back under a lock of the target unit (all else: atomic only
 * against other array accumulates on that unit that go the same way). Source: Gerstenberger et al.
 * 2013, section 2.4. */
EYOT_RET int eyot_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *src,
                                   uint64_t n);
EYOT_RET int eyot_get_accumulate_array(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                       const void *src, void *old, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
