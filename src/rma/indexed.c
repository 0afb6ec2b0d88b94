/* SPDX-License-Identifier: BSD-3-Clause */
/* indexed.c - transfers of blocks at explicit offsets: the indexed functions of eyot/rma.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "rma/blocks.h"
#include "rt/observe.h"

static struct eyoti_block indexed_at(const void *arg, uint64_t i) {
  const eyot_indexed_t *x = arg;
  return (struct eyoti_block){(int64_t)x->local_off[i], (int64_t)x->remote_off[i], x->len[i]};
}

struct indexed_range {
  uint64_t off, len;
};

static int range_compare(const void *a, const void *b) {
  const struct indexed_range *x = a, *y = b;
  return x->off < y->off ? -1 : x->off > y->off;
}

static int indexed_overlap(struct indexed_range a, struct indexed_range b) {
  return EYOTI_FAIL(EYOT_EINVAL,
                    "target blocks [%" PRIu64 ", +%" PRIu64 ") and [%" PRIu64 ", +%" PRIu64
                    ") overlap",
                    a.off, a.len, b.off, b.len);
}

/* For blocks in any order: sorts a copy. */
static int check_overlap_sorted(const eyot_indexed_t *x, const uint64_t *off) {
  uint64_t bytes, used = 0;
  struct indexed_range *r = __builtin_mul_overflow(x->n, sizeof *r, &bytes) ? NULL : malloc(bytes);
  if (r == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no memory to sort %" PRIu64 " blocks; blocks in ascending order need none",
                      x->n);
  for (uint64_t i = 0; i < x->n; i++) {
    if (x->len[i] > 0) r[used++] = (struct indexed_range){off[i], x->len[i]};
  }
  qsort(r, used, sizeof *r, range_compare);
  int rc = EYOT_OK;
  for (uint64_t i = 1; i < used && rc == EYOT_OK; i++) {
    if (r[i - 1].off + r[i - 1].len > r[i].off) rc = indexed_overlap(r[i - 1], r[i]);
  }
  free(r);
  return rc;
}

/* Checks the usual ascending order in one pass without memory. */
static int check_overlap(const eyot_indexed_t *x, const uint64_t *off) {
  struct indexed_range last = {0, 0};
  for (uint64_t i = 0; i < x->n; i++) {
    if (x->len[i] == 0) continue;
    if (off[i] < last.off) return check_overlap_sorted(x, off);
    if (off[i] < last.off + last.len)
      return indexed_overlap(last, (struct indexed_range){off[i], x->len[i]});
    last = (struct indexed_range){off[i], x->len[i]};
  }
  return EYOT_OK;
}

/* put: the remote side is written, else the local one. */
static int indexed_make_shape(struct eyot_rt *rt, const eyot_indexed_t *x, bool put,
                              struct eyoti_shape *out) {
  if (x == NULL) return EYOTI_FAIL(EYOT_EINVAL, "shape is NULL");
  if (x->n > 0 && (x->len == NULL || x->local_off == NULL || x->remote_off == NULL))
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "%" PRIu64 " blocks, but len %p, local_off %p, remote_off %p: none may be NULL", x->n,
        (const void *)x->len, (const void *)x->local_off, (const void *)x->remote_off);
  eyoti_observe_reads(rt, x->len, x->n * sizeof *x->len);
  eyoti_observe_reads(rt, x->local_off, x->n * sizeof *x->local_off);
  eyoti_observe_reads(rt, x->remote_off, x->n * sizeof *x->remote_off);
  struct eyoti_shape shape = {.at = indexed_at, .arg = x, .n = x->n, .lo = INT64_MAX, .hi = 0};
  for (uint64_t i = 0; i < x->n; i++) {
    if (x->len[i] == 0) continue;
    uint64_t local_end, remote_end;
    if (__builtin_add_overflow(x->local_off[i], x->len[i], &local_end) || local_end > INT64_MAX ||
        __builtin_add_overflow(x->remote_off[i], x->len[i], &remote_end) || remote_end > INT64_MAX)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "block %" PRIu64 " of %" PRIu64 " bytes at local %" PRIu64
                        ", remote %" PRIu64 " overflows the address space",
                        i, x->len[i], x->local_off[i], x->remote_off[i]);
    if ((int64_t)x->remote_off[i] < shape.lo) shape.lo = (int64_t)x->remote_off[i];
    if ((int64_t)remote_end > shape.hi) shape.hi = (int64_t)remote_end;
  }
  if (shape.hi == 0) shape.lo = 0;
  EYOTI_TRY(check_overlap(x, put ? x->remote_off : x->local_off));
  *out = shape;
  return EYOT_OK;
}

int eyoti_rma_put_indexed(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                          const eyot_indexed_t *shape, enum eyoti_until until) {
  struct eyoti_shape blocks;
  EYOTI_TRY(indexed_make_shape(rt, shape, true, &blocks));
  return eyoti_blocks_put(rt, dst, src, &blocks, until);
}

int eyot_put_indexed(eyot_gptr_t dst, const void *src, const eyot_indexed_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_put_indexed(rt, dst, src, shape, EYOTI_UNTIL_REMOTE);
}

int eyot_put_indexed_local(eyot_gptr_t dst, const void *src, const eyot_indexed_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_put_indexed(rt, dst, src, shape, EYOTI_UNTIL_LOCAL);
}

int eyoti_rma_get_indexed(struct eyot_rt *rt, void *dst, eyot_gptr_t src,
                          const eyot_indexed_t *shape, bool flushed) {
  struct eyoti_shape blocks;
  EYOTI_TRY(indexed_make_shape(rt, shape, false, &blocks));
  return eyoti_blocks_get(rt, dst, src, &blocks, flushed);
}

int eyot_get_indexed(void *dst, eyot_gptr_t src, const eyot_indexed_t *shape) {
  EYOTI_ENTER(rt);
  return eyoti_rma_get_indexed(rt, dst, src, shape, true);
}
