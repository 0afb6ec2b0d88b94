/* SPDX-License-Identifier: BSD-3-Clause */
/* rma_sized.c - put and get by the size of elements and in bytes, between heap memory; lengths from
 * nothing to pages; the order that fence and quiet give. */
#include "tests/openshmem/check.h"

enum { ELEMENTS = 16, LARGEST = 16, PART = ELEMENTS * LARGEST };
enum { FORMS = 2, SHAPES = 6, LENGTH = SHAPES * FORMS * PART };

static shmem_ctx_t ctx;
static unsigned char *there, *source, *mirror;
static uint64_t signals[2 * FORMS];

static unsigned char byte_of(int pe, size_t i) {
  return (unsigned char)((size_t)pe * 31 + i * 7 + 1);
}

static void fill(void) {
  for (size_t i = 0; i < PART; i++) source[i] = byte_of(me, i);
  memset(there, 0xEE, LENGTH);
  memset(mirror, 0xEE, LENGTH);
  memset(signals, 0, sizeof signals);
}

static unsigned char *part(unsigned char *all, int shape, int form) {
  return all + (size_t)(shape * FORMS + form) * PART;
}

/* mirror[part] = what n blocks of `block` elements of B bytes from PE `pe` make, by strides. */
static void expect(int shape, size_t B, int pe, size_t dst, size_t sst, size_t block, size_t n) {
  for (int form = 0; form < FORMS; form++)
    for (size_t i = 0; i < n; i++)
      for (size_t b = 0; b < block * B; b++)
        part(mirror, shape, form)[i * dst * B + b] = byte_of(pe, i * sst * B + b);
}

static void compare(const char *what, size_t B) {
  for (int i = 0; i < LENGTH; i++)
    if (there[i] != mirror[i]) {
      complain(__FILE__, __LINE__,
               "%s of elements of %zu bytes: form %d, byte %d is %#x, expected %#x", what, B,
               i / PART, i % PART, there[i], mirror[i]);
      return;
    }
}

#define ANNOUNCED(put, B, n)                                                                    \
  shmem_##put##_signal(part(there, 4, 0), source, n, &signals[0], 1, SHMEM_SIGNAL_ADD, pe);     \
  shmem_ctx_##put##_signal(ctx, part(there, 4, 1), source, n, &signals[1], 2, SHMEM_SIGNAL_SET, \
                           pe);                                                                 \
  shmem_##put##_signal_nbi(part(there, 5, 0), source, n, &signals[2], 3, SHMEM_SIGNAL_SET, pe); \
  shmem_ctx_##put##_signal_nbi(ctx, part(there, 5, 1), source, n, &signals[3], 4,               \
                               SHMEM_SIGNAL_ADD, pe);                                           \
  for (uint64_t i = 0; i < 4; i++)                                                              \
    INT(shmem_signal_wait_until(&signals[i], SHMEM_CMP_NE, 0), i + 1);

#define DEFINE_SIZED(B, N, op)                                          \
  static void puts_##N(void) {                                          \
    int pe = next_pe(1), left = next_pe(-1);                            \
    fill();                                                             \
    shmem_barrier_all();                                                \
    shmem_put##N(part(there, 0, 0), source, 9, pe);                     \
    shmem_ctx_put##N(ctx, part(there, 0, 1), source, 9, pe);            \
    shmem_put##N##_nbi(part(there, 1, 0), source, 16, pe);              \
    shmem_ctx_put##N##_nbi(ctx, part(there, 1, 1), source, 16, pe);     \
    shmem_iput##N(part(there, 2, 0), source, 3, 2, 5, pe);              \
    shmem_ctx_iput##N(ctx, part(there, 2, 1), source, 3, 2, 5, pe);     \
    shmem_ibput##N(part(there, 3, 0), source, 5, 4, 2, 3, pe);          \
    shmem_ctx_ibput##N(ctx, part(there, 3, 1), source, 5, 4, 2, 3, pe); \
    ANNOUNCED(put##N, B, 7)                                             \
    shmem_ctx_quiet(ctx);                                               \
    shmem_barrier_all();                                                \
    expect(0, B, left, 1, 1, 1, 9);                                     \
    expect(1, B, left, 1, 1, 1, 16);                                    \
    expect(2, B, left, 3, 2, 1, 5);                                     \
    expect(3, B, left, 5, 4, 2, 3);                                     \
    expect(4, B, left, 1, 1, 1, 7);                                     \
    expect(5, B, left, 1, 1, 1, 7);                                     \
    compare("puts", B);                                                 \
    shmem_barrier_all();                                                \
  }                                                                     \
  static void gets_##N(void) {                                          \
    int pe = next_pe(1);                                                \
    fill();                                                             \
    shmem_barrier_all();                                                \
    shmem_get##N(part(there, 0, 0), source, 9, pe);                     \
    shmem_ctx_get##N(ctx, part(there, 0, 1), source, 9, pe);            \
    shmem_get##N##_nbi(part(there, 1, 0), source, 16, pe);              \
    shmem_ctx_get##N##_nbi(ctx, part(there, 1, 1), source, 16, pe);     \
    shmem_iget##N(part(there, 2, 0), source, 3, 2, 5, pe);              \
    shmem_ctx_iget##N(ctx, part(there, 2, 1), source, 3, 2, 5, pe);     \
    shmem_ibget##N(part(there, 3, 0), source, 5, 4, 2, 3, pe);          \
    shmem_ctx_ibget##N(ctx, part(there, 3, 1), source, 5, 4, 2, 3, pe); \
    shmem_quiet();                                                      \
    shmem_ctx_quiet(ctx);                                               \
    expect(0, B, pe, 1, 1, 1, 9);                                       \
    expect(1, B, pe, 1, 1, 1, 16);                                      \
    expect(2, B, pe, 3, 2, 1, 5);                                       \
    expect(3, B, pe, 5, 4, 2, 3);                                       \
    compare("gets", B);                                                 \
    shmem_barrier_all();                                                \
  }
SHMEMI_SIZES(DEFINE_SIZED, )

static void mem(void) {
  int pe = next_pe(1), left = next_pe(-1);
  fill();
  shmem_barrier_all();
  shmem_putmem(part(there, 0, 0) + 3, source, 101, pe);
  shmem_ctx_putmem(ctx, part(there, 0, 1) + 3, source, 101, pe);
  shmem_putmem_nbi(part(there, 1, 0) + 5, source, 77, pe);
  shmem_ctx_putmem_nbi(ctx, part(there, 1, 1) + 5, source, 77, pe);
  ANNOUNCED(putmem, 1, 33)
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  for (int form = 0; form < FORMS; form++) {
    for (size_t i = 0; i < 101; i++) part(mirror, 0, form)[3 + i] = byte_of(left, i);
    for (size_t i = 0; i < 77; i++) part(mirror, 1, form)[5 + i] = byte_of(left, i);
  }
  expect(4, 1, left, 1, 1, 1, 33);
  expect(5, 1, left, 1, 1, 1, 33);
  compare("putmem", 1);
  shmem_barrier_all();
  fill();
  shmem_barrier_all();
  shmem_getmem(part(there, 0, 0), source, 9, pe);
  shmem_ctx_getmem(ctx, part(there, 0, 1), source, 9, pe);
  shmem_getmem_nbi(part(there, 1, 0), source, 16, pe);
  shmem_ctx_getmem_nbi(ctx, part(there, 1, 1), source, 16, pe);
  shmem_quiet();
  shmem_ctx_quiet(ctx);
  expect(0, 1, pe, 1, 1, 1, 9);
  expect(1, 1, pe, 1, 1, 1, 16);
  compare("getmem", 1);
  shmem_barrier_all();
}

/* Nothing, a byte, and lengths beside those at which an implementation changes its way. */
static void lengths(void) {
  static const size_t all[] = {0, 1, 7, 8, 63, 64, 65, 1023, 4095, 4096, 4097, 8193, 70001};
  enum { MOST = 70001, EDGE = 8 };
  unsigned char *to = shmem_malloc(MOST + 2 * EDGE), *of = shmem_malloc(MOST), *back = malloc(MOST);
  int pe = next_pe(1), left = next_pe(-1);
  for (size_t i = 0; i < MOST; i++) of[i] = byte_of(me, i);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    size_t n = all[k], wrong = 0;
    memset(to, 0xEE, MOST + 2 * EDGE);
    memset(back, 0, MOST);
    shmem_barrier_all();
    if (k % 2 == 0)
      shmem_putmem(to + EDGE, of, n, pe);
    else
      shmem_putmem_nbi(to + EDGE, of, n, pe);
    shmem_barrier_all();
    for (size_t i = 0; i < n; i++) wrong += to[EDGE + i] != byte_of(left, i);
    for (size_t i = 0; i < EDGE; i++) wrong += to[i] != 0xEE || to[EDGE + n + i] != 0xEE;
    if (wrong > 0) complain(__FILE__, __LINE__, "put of %zu bytes: %zu are wrong", n, wrong);
    if (k % 2 != 0)
      shmem_getmem(back, of, n, pe);
    else
      shmem_getmem_nbi(back, of, n, pe);
    shmem_quiet();
    wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += back[i] != byte_of(pe, i);
    if (wrong > 0) complain(__FILE__, __LINE__, "get of %zu bytes: %zu are wrong", n, wrong);
    shmem_barrier_all();
  }
  free(back);
  shmem_free(of);
  shmem_free(to);
}

/* fence: whoever sees the later put sees the earlier one. pe_quiet: complete at the PEs named. */
static void order(void) {
  static long data[64], flag, seen[2];
  static long source_of[64];
  int pe = next_pe(1), last[1] = {pe};
  for (int i = 0; i < 64; i++) source_of[i] = 1000L * me + i;
  shmem_barrier_all();
  shmem_long_put_nbi(data, source_of, 64, pe);
  shmem_fence();
  shmem_long_p(&flag, 1, pe);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  for (int i = 0; i < 64; i++) INT(data[i], 1000L * next_pe(-1) + i);
  shmem_barrier_all();
  shmem_ctx_long_put_nbi(ctx, data, source_of, 1, pe);
  shmem_ctx_fence(ctx);
  shmem_ctx_long_p(ctx, &flag, 2, pe);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 2);
  INT(data[0], 1000L * next_pe(-1));
  shmem_barrier_all();
  shmem_long_p(&seen[0], 5 + me, pe);
  shmem_pe_quiet(last, 1);
  INT(shmem_long_g(&seen[0], pe), 5 + me);
  shmem_ctx_long_p(ctx, &seen[1], 6 + me, pe);
  shmem_ctx_pe_quiet(ctx, last, 1);
  INT(shmem_long_g(&seen[1], pe), 6 + me);
  shmem_pe_quiet(NULL, 0);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_barrier_all();
}

#define RUN_SIZED(B, N, op) \
  puts_##N();               \
  gets_##N();

int main(void) {
  begin();
  INT(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
  there = shmem_malloc(LENGTH);
  source = shmem_malloc(PART);
  mirror = malloc(LENGTH);
  SHMEMI_SIZES(RUN_SIZED, )
  mem();
  lengths();
  order();
  free(mirror);
  shmem_free(source);
  shmem_free(there);
  shmem_ctx_destroy(ctx);
  return finish();
}
