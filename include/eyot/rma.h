/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/rma.h - one-sided data movement: put, get, their non-blocking, implicit, strided and indexed forms, flush, order, sync
 * (seed 000 section 6.2, seed 003, seed 002 section 2.4).
 *
 * Guarantees (docs/memory-model.md has examples):
 *  - a blocking put returns after remote completion, a blocking get after the bytes are here;
 *  - remote completion is release ordering: whoever observes a later operation of this unit also sees the bytes. It is no
 *    store-to-load fence: only atomics, eyot_flush(..., EYOT_REMOTE) and eyot_sync are full barriers;
 *  - two operations to one unit are unordered unless an order or a completion stands between them;
 *  - naturally aligned 4- and 8-byte puts are never torn; the bytes of a longer put may appear in any order.
 * Common errors: ESTATE, ESEG (null, freed, foreign pointer), EUNIT (unit outside the segment's team), ERANGE (outside the segment),
 * EINVAL (NULL buffer with len > 0), EPEERDOWN. len of 0 does nothing after the checks.
 * Any unit may call at any time between init and finalize; one thread of a unit at a time. */
#ifndef EYOT_RMA_H
#define EYOT_RMA_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Out-of-line halves of inline functions; call those instead. */
EYOTI_OTHER_HALF int eyoti_put_call(eyot_gptr_t dst, const void *src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_get_call(void *dst, eyot_gptr_t src, uint64_t len);
EYOTI_OTHER_HALF int eyoti_flush_call(eyot_unit_t unit, eyot_level_t level);
EYOTI_OTHER_HALF int eyoti_flush_all_call(eyot_level_t level);

/* On hardware with weaker store order than x86 a mapped put needs a release fence behind it and a get an acquire fence. */
#if defined(__x86_64__) || defined(__i386__)
#define EYOTI_FENCE_AFTER_PUT() ((void)0)
#define EYOTI_FENCE_AFTER_GET() ((void)0)
#else
#define EYOTI_FENCE_AFTER_PUT() __atomic_thread_fence(__ATOMIC_RELEASE)
#define EYOTI_FENCE_AFTER_GET() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

/* Copies len bytes from src to dst. Blocking; remotely complete on return. */
EYOTI_INLINE int eyot_put(eyot_gptr_t dst, const void *src, uint64_t len) {
  char *p;
  if (eyoti_fast_find(dst, len, &p) && src != NULL) {
    memcpy(p, src, len);
    EYOTI_FENCE_AFTER_PUT();
    return EYOT_OK;
  }
  return eyoti_put_call(dst, src, len);
}

/* Copies len bytes from src to dst. Blocking; the bytes are in dst on return. */
EYOTI_INLINE int eyot_get(void *dst, eyot_gptr_t src, uint64_t len) {
  char *p;
  if (eyoti_fast_find(src, len, &p) && dst != NULL) {
    memcpy(dst, p, len);
    EYOTI_FENCE_AFTER_GET();
    return EYOT_OK;
  }
  return eyoti_get_call(dst, src, len);
}

/* Non-blocking with a handle: every handle must be completed by wait or a successful test at the REMOTE level exactly once (LOCAL leaves it valid).
 * Buffers must stay untouched until local completion. At most EYOT_MAX_OUTSTANDING operations are in flight; further ones block. */
EYOT_API int eyot_put_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_handle_t *handle);
EYOT_API int eyot_get_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_handle_t *handle);
/* Implicit: completed by the next flush that covers the target. */
EYOT_API int eyot_put_nbi(eyot_gptr_t dst, const void *src, uint64_t len);
EYOT_API int eyot_get_nbi(void *dst, eyot_gptr_t src, uint64_t len);

/* Completes handles. wait blocks; test does not (except where the fabric declares that a remote test may block, see docs/fabrics.md) and
 * writes *done. A handle completed at the REMOTE level becomes EYOT_HANDLE_DONE. The *all forms take n handles and succeed when all are complete.
 * Errors: EINVAL (not a handle of this unit, or completed before), and that of the operation. After an error of wait no operation refers to the
 * caller's buffers any more, whatever it was; the same holds for flush and for all blocking calls. */
EYOT_API int eyot_wait(eyot_handle_t *handle, eyot_level_t level);
EYOT_API int eyot_test(eyot_handle_t *handle, eyot_level_t level, bool *done);
EYOT_API int eyot_waitall(eyot_handle_t *handles, size_t n, eyot_level_t level);
EYOT_API int eyot_testall(eyot_handle_t *handles, size_t n, eyot_level_t level, bool *done);

/* Whether a flush has nothing to do, after the fence of EYOT_REMOTE: all that the caller has in flight are copies by the processor, done already. */
EYOTI_INLINE bool eyoti_fast_flushed(uint32_t unit, eyot_level_t level) {
  const struct eyot_fast *f = (const struct eyot_fast *)eyot_current;
  if (unit >= f->units || !*f->quiet) return false;
  if (level == EYOT_REMOTE)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (level != EYOT_LOCAL)
    return false;
  return true;
}

/* Completes all operations of the caller (with or without handle) to one unit, or to all. EYOT_REMOTE is a full barrier. Blocking. */
EYOTI_INLINE int eyot_flush(eyot_unit_t unit, eyot_level_t level) {
  return eyoti_fast_flushed(unit.id, level) ? EYOT_OK : eyoti_flush_call(unit, level);
}
EYOTI_INLINE int eyot_flush_all(eyot_level_t level) {
  return eyoti_fast_flushed(0, level) ? EYOT_OK : eyoti_flush_all_call(level);
}

/* Earlier puts, signals and atomics of the caller to the unit (or to each unit) become visible before later ones to that unit. Completes nothing;
 * gets are not covered. On mpi it costs a flush. */
EYOT_API int eyot_order(eyot_unit_t unit);
EYOT_API int eyot_order_all(void);

/* Full memory barrier of the calling unit for direct loads and stores (as MPI_Win_sync; seed 002 section 2.3). Local. */
EYOT_API int eyot_sync(void);

/* count blocks of block_bytes; block i lies at i*stride bytes on either side. Strides may be negative or 0 on the source side; target blocks that
 * overlap are EINVAL. Adjacent blocks are merged to maximal ones; when the remote side is contiguous and local blocks are small, they pass
 * through a fixed pack buffer (EYOT_PACK_BYTES) as one transfer (seed 002 section 2.4). Blocking forms; _nbi complete by flush. */
typedef struct eyot_strided {
  uint64_t block_bytes;
  uint64_t count;
  int64_t local_stride;
  int64_t remote_stride;
} eyot_strided_t;
EYOT_API int eyot_put_strided(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape);
EYOT_API int eyot_get_strided(void *dst, eyot_gptr_t src, const eyot_strided_t *shape);
EYOT_API int eyot_put_strided_nbi(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape);
EYOT_API int eyot_get_strided_nbi(void *dst, eyot_gptr_t src, const eyot_strided_t *shape);

/* n blocks with explicit byte offsets: block i moves len[i] bytes between local+local_off[i] and remote+remote_off[i]. Same merging and packing. Blocking. */
typedef struct eyot_indexed {
  uint64_t n;
  const uint64_t *len;
  const uint64_t *local_off;
  const uint64_t *remote_off;
} eyot_indexed_t;
EYOT_API int eyot_put_indexed(eyot_gptr_t dst, const void *src, const eyot_indexed_t *shape);
EYOT_API int eyot_get_indexed(void *dst, eyot_gptr_t src, const eyot_indexed_t *shape);

#ifdef __cplusplus
}
#endif
#endif
