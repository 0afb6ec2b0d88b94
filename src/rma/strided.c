/* SPDX-License-Identifier: BSD-3-Clause */
/* strided.c - transfers of blocks at a constant distance on each side: the strided functions of
 * eyot/rma.h. */
#include <inttypes.h>

#include "rma/blocks.h"

/* With both strides negative the blocks are taken from the last to the first, so that neighbors are
 * ascending and can be merged. */
static struct eyoti_block strided_at(const void *arg, uint64_t i) {
  const eyot_strided_t *s = arg;
  if (s->local_stride < 0 && s->remote_stride < 0) i = s->count - 1 - i;
  return (struct eyoti_block){(int64_t)i * s->local_stride, (int64_t)i * s->remote_stride,
                              s->block_bytes};
}

/* The bytes from lo to hi that `count` blocks at `stride` cover. False: more than 63 bits. */
static bool extent(const eyot_strided_t *s, int64_t stride, int64_t *lo, int64_t *hi) {
  int64_t last, end;
  if (s->count - 1 > INT64_MAX || s->block_bytes > INT64_MAX) return false;
  if (__builtin_mul_overflow((int64_t)(s->count - 1), stride, &last)) return false;
  int64_t first = last < 0 ? last : 0, top = last > 0 ? last : 0;
  if (first == INT64_MIN || __builtin_add_overflow(top, (int64_t)s->block_bytes, &end))
    return false;
  int64_t span;
  if (__builtin_sub_overflow(end, first, &span)) return false;
  *lo = first;
  *hi = end;
  return true;
}

/* target: the stride of the side that is written. */
static int strided_make_shape(const eyot_strided_t *s, int64_t target, struct eyoti_shape *out) {
  if (s == NULL) return EYOTI_FAIL(EYOT_EINVAL, "shape is NULL");
  if (s->count == 0 || s->block_bytes == 0) {
    *out = (struct eyoti_shape){.at = strided_at, .arg = s};
    return EYOT_OK;
  }
  int64_t lo, hi, local_lo, local_hi;
  if (!extent(s, s->remote_stride, &lo, &hi) || !extent(s, s->local_stride, &local_lo, &local_hi))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%" PRIu64 " blocks of %" PRIu64 " bytes with strides %" PRId64
                      " and %" PRId64 " overflow the address space",
                      s->count, s->block_bytes, s->local_stride, s->remote_stride);
  uint64_t distance = target < 0 ? (uint64_t)0 - (uint64_t)target : (uint64_t)target;
  if (s->count > 1 && distance < s->block_bytes)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "target blocks of %" PRIu64 " bytes overlap: their stride is %" PRId64,
                      s->block_bytes, target);
  *out = (struct eyoti_shape){.at = strided_at, .arg = s, .n = s->count, .lo = lo, .hi = hi};
  return EYOT_OK;
}

int eyoti_rma_put_strided(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                          const eyot_strided_t *s, enum eyoti_until until) {
  struct eyoti_shape shape;
  EYOTI_TRY(strided_make_shape(s, s != NULL ? s->remote_stride : 0, &shape));
  return eyoti_blocks_put(rt, dst, src, &shape, until);
}

int eyoti_rma_get_strided(struct eyot_rt *rt, void *dst, eyot_gptr_t src, const eyot_strided_t *s,
                          bool flushed) {
  struct eyoti_shape shape;
  EYOTI_TRY(strided_make_shape(s, s != NULL ? s->local_stride : 0, &shape));
  return eyoti_blocks_get(rt, dst, src, &shape, flushed);
}

int eyot_put_strided(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_put_strided(rt, dst, src, shape, EYOTI_UNTIL_REMOTE);
}

int eyot_get_strided(void *dst, eyot_gptr_t src, const eyot_strided_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_get_strided(rt, dst, src, shape, true);
}

int eyot_put_strided_local(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_put_strided(rt, dst, src, shape, EYOTI_UNTIL_LOCAL);
}

int eyot_put_strided_nbi(eyot_gptr_t dst, const void *src, const eyot_strided_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_put_strided(rt, dst, src, shape, EYOTI_UNTIL_POSTED);
}

int eyot_get_strided_nbi(void *dst, eyot_gptr_t src, const eyot_strided_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_get_strided(rt, dst, src, shape, false);
}
