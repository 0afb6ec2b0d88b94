/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/rma.h - one-sided data movement: put and get in blocking, non-blocking, implicit, strided
 * and indexed forms; completion, flush, order and memory barrier. Sources: H. Zhou, "Communication
 * Methods for Hierarchical Global Address Space Models in HPC", 2016, section 6.2; H. Zhou, J.
 * Gracia, "Application Productivity and Performance Evaluation of Transparent Locality-aware
 * One-sided Communication Primitives", 2017; R. Gerstenberger, M. Besta, T. Hoefler, "Enabling
 * Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided", 2013, section 2.4.
 *
 * Common errors: ESTATE, ESEG (null, freed, foreign pointer), EUNIT (unit outside the segment's
 * team), ERANGE (outside the segment), EINVAL (NULL buffer with len > 0), EPEERDOWN. len of 0 does
 * nothing after the checks. One unit calls, at any time between init and finalize. Thread rule:
 * that of eyot/init.h; inline paths do not check it. */
#ifndef EYOT_RMA_H
#define EYOT_RMA_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Guarantees (docs/memory-model.md has examples):
 *  - a blocking put returns after remote completion (eyot_put_local: after local completion), a
 *    blocking get after the bytes are here;
 *  - remote completion is release ordering: a unit that observes a later operation of this unit
 *    also sees the bytes. It is no store-to-load fence: only atomics, eyot_flush(..., EYOT_REMOTE)
 *    and eyot_sync are full barriers;
 *  - two operations to one unit are unordered unless an order or a completion stands between them;
 *  - naturally aligned 4- and 8-byte puts are never torn; the bytes of a longer put may appear in
 *    any order. */

/* These are the out-of-line halves of inline functions; programs call those instead. */
EYOTI_OTHER_HALF int eyoti_put_call(eyot_gptr_t dst, const void *src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_get_call(void *dst, eyot_gptr_t src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_put_local_call(eyot_gptr_t dst, const void *src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_put_nbi_call(eyot_gptr_t dst, const void *src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_get_nbi_call(void *dst, eyot_gptr_t src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_flush_call(eyot_unit_t unit, eyot_level_t level);
EYOTI_OTHER_HALF int eyoti_flush_all_call(eyot_level_t level);
EYOTI_OTHER_HALF void eyoti_copy_long(void *to, const void *from, uint64_t len);

/* On hardware with weaker store order than x86 a mapped put needs a release fence after it and a
 * get an acquire fence. On x86 only the compiler must be kept from moving the program's own
 * accesses over them, or from using values that were read before: that is no instruction. */
#if defined(__x86_64__)
#define EYOTI_FENCE_AFTER_PUT() __atomic_signal_fence(__ATOMIC_RELEASE)
#define EYOTI_FENCE_AFTER_GET() __atomic_signal_fence(__ATOMIC_ACQUIRE)
#else
#define EYOTI_FENCE_AFTER_PUT() __atomic_thread_fence(__ATOMIC_RELEASE)
#define EYOTI_FENCE_AFTER_GET() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

/* Copies of at least so many bytes are a call, which chooses how from the size of the caches. */
#define EYOTI_FAST_LONG (UINT64_C(1) << 20)
EYOTI_INLINE void eyoti_fast_copy(void *to, const void *from, uint64_t len) {
  if (len < EYOTI_FAST_LONG)
    memcpy(to, from, len);
  else
    eyoti_copy_long(to, from, len);
}

/* eyot_put_mapped and eyot_get_mapped do as eyot_put and eyot_get if that is a copy by the
 * processor (memory that is mapped here, and no tool that must see operations), and return true.
 * Else they do nothing, not even check, and return false: the caller calls the other function. For
 * interfaces that mark their calls (caller.h): these cannot fail, so that the mark may come after
 * them. Local; a few instructions. */
EYOTI_INLINE_RET bool eyot_put_mapped(eyot_gptr_t dst, const void *src, uint64_t len) {
  char *p;
  if (!eyoti_fast_find(dst, len, &p) || src == NULL) return false;
  eyoti_fast_copy(p, src, len);
  EYOTI_FENCE_AFTER_PUT();
  return true;
}
EYOTI_INLINE_RET bool eyot_get_mapped(void *dst, eyot_gptr_t src, uint64_t len) {
  char *p;
  if (!eyoti_fast_find(src, len, &p) || dst == NULL) return false;
  eyoti_fast_copy(dst, p, len);
  EYOTI_FENCE_AFTER_GET();
  return true;
}

/* eyot_put copies len bytes from src to dst. Blocking; remotely complete on return. */
EYOTI_INLINE_RET int eyot_put(eyot_gptr_t dst, const void *src, uint64_t len) {
  return eyot_put_mapped(dst, src, len) ? EYOT_OK : eyoti_put_call(dst, src, len);
}

/* eyot_get copies len bytes from src to dst. Blocking; the bytes are in dst on return. */
EYOTI_INLINE_RET int eyot_get(void *dst, eyot_gptr_t src, uint64_t len) {
  return eyot_get_mapped(dst, src, len) ? EYOT_OK : eyoti_get_call(dst, src, len);
}

/* eyot_put_local copies len bytes from src to dst and returns at local completion: src may be
 * reused, and the bytes arrive at some time, as those of eyot_put_nbi: an order orders them, a
 * flush to the remote level completes them and returns their errors. Blocking, but it waits for
 * this operation alone. Its counterpart is eyot_get, which waits for its own bytes alone too; at
 * the origin a get has no more to complete. Source: OpenSHMEM 1.5, section 9.6.1.1 (shmem_put). */
EYOTI_INLINE_RET int eyot_put_local(eyot_gptr_t dst, const void *src, uint64_t len) {
  return eyot_put_mapped(dst, src, len) ? EYOT_OK : eyoti_put_local_call(dst, src, len);
}

/* Tells whether a non-blocking transfer of mapped memory is a copy. */
EYOTI_INLINE bool eyoti_fast_copies(void) {
  return ((const struct eyoti_fast *)eyot_current)->copies;
}

/* eyot_put_nb and eyot_get_nb start a transfer of len bytes and return a handle. Non-blocking;
 * every handle must be completed by wait or a successful test at the REMOTE level exactly once
 * (LOCAL leaves it valid). Buffers must stay untouched until local completion. At most
 * EYOT_MAX_OUTSTANDING operations are in flight; further ones block. Errors: also EINVAL (handle is
 * NULL). */
EYOT_RET int eyot_put_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_handle_t *handle);
EYOT_RET int eyot_get_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_handle_t *handle);
/* eyot_put_nbi and eyot_get_nbi start a transfer without a handle: the next flush that covers the
 * target completes it. Non-blocking and bounded as above; buffers must stay untouched until local
 * completion. */
EYOTI_INLINE_RET int eyot_put_nbi(eyot_gptr_t dst, const void *src, uint64_t len) {
  char *p;
  if (eyoti_fast_find(dst, len, &p) && src != NULL && eyoti_fast_copies()) {
    eyoti_fast_copy(p, src, len);
    EYOTI_FENCE_AFTER_PUT();
    return EYOT_OK;
  }
  return eyoti_put_nbi_call(dst, src, len);
}
EYOTI_INLINE_RET int eyot_get_nbi(void *dst, eyot_gptr_t src, uint64_t len) {
  char *p;
  if (eyoti_fast_find(src, len, &p) && dst != NULL && eyoti_fast_copies()) {
    eyoti_fast_copy(dst, p, len);
    EYOTI_FENCE_AFTER_GET();
    return EYOT_OK;
  }
  return eyoti_get_nbi_call(dst, src, len);
}

/* eyot_wait and eyot_test complete a handle to `level`. wait blocks; test does not (except where
 * the fabric declares that a remote test may block, see docs/fabrics.md) and writes *done. A handle
 * completed at the REMOTE level becomes EYOT_HANDLE_DONE. eyot_wait_all and eyot_test_all take n
 * handles and succeed when all are complete. Errors: EINVAL (not a handle of this unit, or
 * completed before; no such level; NULL), and that of the operation. After any error of wait no
 * operation refers to the caller's buffers any more; the same holds for flush and for all blocking
 * calls. */
EYOT_RET int eyot_wait(eyot_handle_t *handle, eyot_level_t level);
EYOT_RET int eyot_test(eyot_handle_t *handle, eyot_level_t level, bool *done);
EYOT_RET int eyot_wait_all(eyot_handle_t *handles, size_t n, eyot_level_t level);
EYOT_RET int eyot_test_all(eyot_handle_t *handles, size_t n, eyot_level_t level, bool *done);

/* Tells whether a flush has nothing to do after the fence of EYOT_REMOTE: all that the caller has
 * in flight are copies by the processor, done already. */
EYOTI_INLINE bool eyoti_fast_flushed(uint32_t unit, eyot_level_t level) {
  const struct eyoti_fast *f = (const struct eyoti_fast *)eyot_current;
  if (unit >= f->units || !*f->quiet) return false;
  if (level == EYOT_REMOTE)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (level != EYOT_LOCAL)
    return false;
  return true;
}

/* eyot_flush completes all operations of the caller (with or without handle) to one unit,
 * eyot_flush_all to all units, at `level`. EYOT_REMOTE is a full barrier. Blocking. Errors: EUNIT
 * (no such unit), EINVAL (no such level), that of an operation that has failed. */
EYOTI_INLINE_RET int eyot_flush(eyot_unit_t unit, eyot_level_t level) {
  return eyoti_fast_flushed(unit.id, level) ? EYOT_OK : eyoti_flush_call(unit, level);
}
EYOTI_INLINE_RET int eyot_flush_all(eyot_level_t level) {
  return eyoti_fast_flushed(0, level) ? EYOT_OK : eyoti_flush_all_call(level);
}

/* eyot_order and eyot_order_all make earlier puts, signals and atomics of the caller to the unit
 * (or to each unit) visible before later ones to that unit. They complete nothing and do not cover
 * gets. On mpi they cost a flush. Errors: EUNIT (no such unit). */
EYOT_RET int eyot_order(eyot_unit_t unit);
EYOT_RET int eyot_order_all(void);

/* eyot_sync is a full memory barrier of the calling unit for direct loads and stores (as
 * MPI_Win_sync; Gerstenberger et al. 2013, section 2.3). It synchronizes with no other unit: that
 * is eyot_barrier. Local. */
EYOT_RET int eyot_sync(void);

/* A strided transfer: `count` blocks of `block_bytes` bytes; block i lies at i*stride bytes from
 * the pointer on either side. Strides may be negative, and may be 0 on the source side; target
 * blocks that overlap are EINVAL. Adjacent blocks are merged to maximal ones; when the remote side
 * is contiguous and local blocks are small, they pass through a fixed pack buffer (EYOT_PACK_BYTES)
 * as one transfer (Gerstenberger et al. 2013, section 2.4). The plain forms block and complete as
 * eyot_put and eyot_get, the _local form as eyot_put_local; the _nbi forms are completed by
 * flush. */
typedef struct eyot_strided {
  uint64_t block_bytes;
  uint64_t count;
  int64_t local_stride;
  int64_t remote_stride;
} eyot_strided_t;
EYOT_RET int eyot_put_strided(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape);
EYOT_RET int eyot_get_strided(void *dst, eyot_gptr_t src, const eyot_strided_t *shape);
EYOT_RET int eyot_put_strided_local(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape);
EYOT_RET int eyot_put_strided_nbi(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape);
EYOT_RET int eyot_get_strided_nbi(void *dst, eyot_gptr_t src, const eyot_strided_t *shape);

/* An indexed transfer: n blocks with explicit byte offsets; block i moves len[i] bytes between
 * local+local_off[i] and remote+remote_off[i]. Blocks are merged and packed as above. Blocking;
 * completion as eyot_put, eyot_put_local and eyot_get. */
typedef struct eyot_indexed {
  uint64_t n;
  const uint64_t *len;
  const uint64_t *local_off;
  const uint64_t *remote_off;
} eyot_indexed_t;
EYOT_RET int eyot_put_indexed(eyot_gptr_t dst, const void *src, const eyot_indexed_t *shape);
EYOT_RET int eyot_put_indexed_local(eyot_gptr_t dst, const void *src, const eyot_indexed_t *shape);
EYOT_RET int eyot_get_indexed(void *dst, eyot_gptr_t src, const eyot_indexed_t *shape);

#ifdef __cplusplus
}
#endif
#endif
