/* SPDX-License-Identifier: BSD-3-Clause */
/* strided.c - iput, iget, ibput and ibget: one strided transfer of eyot each.
 *
 * Strides count elements; blocks of one element are those of iput and iget. */
#include <inttypes.h>

#include "interfaces/openshmem/osh.h"

struct osh_blocks {
  ptrdiff_t dst, sst; /* strides of dest and source, in elements */
  uint64_t block, n;  /* elements of a block, blocks */
  uint64_t bytes;     /* of an element */
};

/* Checks the shape, and returns the bytes from the first element to the last on the remote side. */
static uint64_t span_of(const struct osh_blocks *b, ptrdiff_t remote) {
  if (b->dst < 1 || b->sst < 1)
    osh_fail(EYOT_EINVAL, "%s is %td, expected 1 or more", b->dst < 1 ? "dst" : "sst",
             b->dst < 1 ? b->dst : b->sst);
  if (b->block > 1 && ((uint64_t)b->dst < b->block || (uint64_t)b->sst < b->block))
    osh_fail(EYOT_EINVAL, "%s is %td, expected at least bsize, %" PRIu64,
             (uint64_t)b->dst < b->block ? "dst" : "sst",
             (uint64_t)b->dst < b->block ? b->dst : b->sst, b->block);
  uint64_t span;
  if (__builtin_mul_overflow(b->n - 1, (uint64_t)remote, &span) ||
      __builtin_add_overflow(span, b->block, &span) ||
      __builtin_mul_overflow(span, b->bytes, &span) || span > INT64_MAX)
    osh_fail(EYOT_EINVAL, "%" PRIu64 " blocks at a stride of %td are more than memory can have",
             b->n, remote);
  return span;
}

static void put(shmem_ctx_t ctx, void *dest, const void *source, struct osh_blocks b, int pe) {
  if (b.n == 0 || b.block == 0) return;
  eyot_gptr_t g = osh_gptr("dest", dest, span_of(&b, b.dst), osh_pe(ctx, pe));
  eyot_strided_t shape = {.block_bytes = b.block * b.bytes,
                          .count = b.n,
                          .local_stride = b.sst * (int64_t)b.bytes,
                          .remote_stride = b.dst * (int64_t)b.bytes};
  osh_must(osh_is_default(ctx) ? eyot_put_strided_local(g, source, &shape)
                               : eyot_set_put_strided_local(ctx->set, g, source, &shape));
}

static void get(shmem_ctx_t ctx, void *dest, const void *source, struct osh_blocks b, int pe) {
  if (b.n == 0 || b.block == 0) return;
  eyot_gptr_t g = osh_gptr("source", source, span_of(&b, b.sst), osh_pe(ctx, pe));
  eyot_strided_t shape = {.block_bytes = b.block * b.bytes,
                          .count = b.n,
                          .local_stride = b.dst * (int64_t)b.bytes,
                          .remote_stride = b.sst * (int64_t)b.bytes};
  osh_must(eyot_get_strided(dest, g, &shape));
}

#define BODY(kind, call, ctx, ...)                                 \
  {                                                                \
    OSH_ENTER(call);                                               \
    kind(ctx, dest, source, (struct osh_blocks){__VA_ARGS__}, pe); \
  }
#define EACH(T) T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe
#define BLOCKED(T) \
  T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe

#define DEFINE_STRIDED(T, B, IP, IG, IBP, IBG)                             \
  OSH_DEFINE(void, IP, (EACH(T)))                                          \
  BODY(put, "shmem_" #IP, SHMEM_CTX_DEFAULT, dst, sst, 1, nelems, B)       \
  OSH_DEFINE(void, IG, (EACH(T)))                                          \
  BODY(get, "shmem_" #IG, SHMEM_CTX_DEFAULT, dst, sst, 1, nelems, B)       \
  OSH_DEFINE(void, IBP, (BLOCKED(T)))                                      \
  BODY(put, "shmem_" #IBP, SHMEM_CTX_DEFAULT, dst, sst, bsize, nblocks, B) \
  OSH_DEFINE(void, IBG, (BLOCKED(T)))                                      \
  BODY(get, "shmem_" #IBG, SHMEM_CTX_DEFAULT, dst, sst, bsize, nblocks, B) \
  OSH_DEFINE(void, ctx_##IP, (shmem_ctx_t ctx, EACH(T)))                   \
  BODY(put, "shmem_ctx_" #IP, ctx, dst, sst, 1, nelems, B)                 \
  OSH_DEFINE(void, ctx_##IG, (shmem_ctx_t ctx, EACH(T)))                   \
  BODY(get, "shmem_ctx_" #IG, ctx, dst, sst, 1, nelems, B)                 \
  OSH_DEFINE(void, ctx_##IBP, (shmem_ctx_t ctx, BLOCKED(T)))               \
  BODY(put, "shmem_ctx_" #IBP, ctx, dst, sst, bsize, nblocks, B)           \
  OSH_DEFINE(void, ctx_##IBG, (shmem_ctx_t ctx, BLOCKED(T)))               \
  BODY(get, "shmem_ctx_" #IBG, ctx, dst, sst, bsize, nblocks, B)
#define DEFINE_TYPED(T, N, op) \
  DEFINE_STRIDED(T, sizeof(T), N##_iput, N##_iget, N##_ibput, N##_ibget)
#define DEFINE_SIZED(B, N, op) DEFINE_STRIDED(void, B, iput##N, iget##N, ibput##N, ibget##N)

SHMEMI_RMA_TYPES(DEFINE_TYPED, )
SHMEMI_SIZES(DEFINE_SIZED, )
