/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_shapes.c - compares strided and indexed transfers of random shapes with a model of
 * bytes; refusals. */
#include "unit/api_unit.h"

#define PART 16384u
#define LOCAL 16384u

static uint8_t byte_at(uint64_t salt, uint64_t i) {
  return (uint8_t)((i * 131 + salt * 17) ^ (i >> 8));
}

/* A random stride whose blocks do not overlap; often contiguous, sometimes negative. */
static int64_t draw_stride(uint64_t *rng, uint64_t block, uint64_t count, uint64_t room) {
  uint64_t most = count > 1 ? (room - block) / (count - 1) : block;
  uint64_t distance =
      draw(rng) % 3 == 0 || most <= block ? block : block + draw(rng) % (most - block + 1);
  return draw(rng) % 3 == 0 ? -(int64_t)distance : (int64_t)distance;
}

static uint64_t first_offset(int64_t stride, uint64_t count) {
  return stride < 0 ? (uint64_t)-stride * (count - 1) : 0;
}

static void strided_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(PART);
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  uint8_t *local = malloc(LOCAL), *model = malloc(PART), *seen = malloc(PART);
  assert_true(local != NULL && model != NULL && seen != NULL);
  uint64_t rng = me * 77 + n + eyot_now_ns();
  memset(model, 0, PART);
  for (uint64_t round = 0; round < 12; round++) {
    uint64_t block = draw(&rng) % 5 == 0 ? 1 + draw(&rng) % 3000 : 1 + draw(&rng) % 40;
    uint64_t most = PART / block, count = 1 + draw(&rng) % (most < 400 ? most : 400);
    eyot_strided_t s = {block, count, draw_stride(&rng, block, count, LOCAL),
                        draw_stride(&rng, block, count, PART)};
    uint64_t lo = first_offset(s.local_stride, count), ro = first_offset(s.remote_stride, count);
    for (uint64_t i = 0; i < LOCAL; i++) local[i] = byte_at(round, i);
    if (round % 4 == 0) s.local_stride = 0; /* one block, repeated */
    if (s.local_stride == 0) lo = 0;
    for (uint64_t i = 0; i < count; i++)
      memcpy(model + (int64_t)ro + (int64_t)i * s.remote_stride,
             local + (int64_t)lo + (int64_t)i * s.local_stride, block);
    eyot_gptr_t start = eyot_gptr_add(there, (int64_t)ro);
    if (round % 3 == 0) {
      ok(eyot_put_strided(start, local + lo, &s));
    } else if (round % 3 == 1) {
      ok(eyot_put_strided_local(start, local + lo, &s));
      memset(local, 0xcc, LOCAL);
      ok(eyot_flush(unit((me + 1) % n), EYOT_REMOTE));
    } else {
      ok(eyot_put_strided_nbi(start, local + lo, &s));
      ok(eyot_flush(unit((me + 1) % n), EYOT_REMOTE));
    }
    ok(eyot_get(seen, there, PART));
    assert_memory_equal(seen, model, PART);
    if (s.local_stride == 0) continue;
    memset(local, 0xaa, LOCAL);
    memset(seen, 0xaa, LOCAL);
    for (uint64_t i = 0; i < count; i++)
      memcpy(seen + (int64_t)lo + (int64_t)i * s.local_stride,
             model + (int64_t)ro + (int64_t)i * s.remote_stride, block);
    if (round % 2 == 0) {
      ok(eyot_get_strided(local + lo, start, &s));
    } else {
      ok(eyot_get_strided_nbi(local + lo, start, &s));
      ok(eyot_flush_all(EYOT_LOCAL));
    }
    assert_memory_equal(local, seen, LOCAL);
  }
  free(local);
  free(model);
  free(seen);
  api_free(base);
}

#define BLOCKS 60u

static void indexed_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(PART);
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  uint8_t *local = malloc(LOCAL), *model = malloc(PART), *seen = malloc(PART);
  assert_true(local != NULL && model != NULL && seen != NULL);
  memset(model, 0, PART);
  uint64_t rng = me + n * 31 + eyot_now_ns();
  for (uint64_t round = 0; round < 10; round++) {
    uint64_t len[BLOCKS], remote[BLOCKS], loc[BLOCKS], at = 0, lat = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
      len[i] = draw(&rng) % 8 == 0 ? 0 : draw(&rng) % 200;
      at += draw(&rng) % 3 == 0 ? draw(&rng) % 40 : 0;
      lat += draw(&rng) % 2 == 0 ? draw(&rng) % 40 : 0;
      remote[i] = at;
      loc[i] = lat;
      at += len[i];
      lat += len[i];
    }
    assert_true(at <= PART && lat <= LOCAL);
    if (round % 3 == 1) { /* in any order */
      for (uint32_t i = BLOCKS - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(draw(&rng) % (i + 1));
        uint64_t t[3] = {len[i], remote[i], loc[i]};
        len[i] = len[j], remote[i] = remote[j], loc[i] = loc[j];
        len[j] = t[0], remote[j] = t[1], loc[j] = t[2];
      }
    }
    eyot_indexed_t x = {BLOCKS, len, loc, remote};
    for (uint64_t i = 0; i < LOCAL; i++) local[i] = byte_at(round + 50, i);
    for (uint32_t i = 0; i < BLOCKS; i++) memcpy(model + remote[i], local + loc[i], len[i]);
    if (round % 2 == 0) {
      ok(eyot_put_indexed(there, local, &x));
    } else {
      ok(eyot_put_indexed_local(there, local, &x));
      memset(local, 0xcc, LOCAL);
      ok(eyot_flush_all(EYOT_REMOTE));
    }
    ok(eyot_get(seen, there, PART));
    assert_memory_equal(seen, model, PART);
    memset(local, 0x55, LOCAL);
    memset(seen, 0x55, LOCAL);
    for (uint32_t i = 0; i < BLOCKS; i++) memcpy(seen + loc[i], model + remote[i], len[i]);
    ok(eyot_get_indexed(local, there, &x));
    assert_memory_equal(local, seen, LOCAL);
  }
  free(local);
  free(model);
  free(seen);
  api_free(base);
}

/* 256 blocks of 8 bytes, blocking. */
static void gather_contiguous(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(PART);
  char b[4096] = {0};
  if (me == 0)
    ok(eyot_put_strided(eyot_gptr_at(base, unit(n - 1)), b, &(eyot_strided_t){8, 256, 16, 8}));
  if (me == 0)
    ok(eyot_get_strided(b, eyot_gptr_at(base, unit(n - 1)), &(eyot_strided_t){8, 256, 16, 8}));
  api_free(base);
}

/* Contiguous at the target: two buffers' worth of calls instead of 256, unless packing is off. */
static void packing_saves_calls(void **state) {
  (void)state;
  struct fake_opts o = {.n = 2, .units_per_node = 1};
  api_run(&o, gather_contiguous);
  uint64_t packed = fake_calls();
  setenv("EYOT_PACK_BYTES", "64", 1);
  api_run(&o, gather_contiguous);
  uint64_t by_eight = fake_calls();
  unsetenv("EYOT_PACK_BYTES");
  assert_true(by_eight > packed + 2 * 256 / 8 - 16);
  assert_true(packed < 200);
}

static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(256);
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  char b[256] = {0};
  eyot_strided_t s = {8, 4, 8, 4};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s)); /* target blocks overlap */
  s = (eyot_strided_t){8, 4, 4, 8};
  ok(eyot_put_strided(there, b, &s)); /* source blocks may */
  refuses(EYOT_EINVAL, eyot_get_strided(b, there, &s));
  s = (eyot_strided_t){8, 2, 8, 0};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){8, 4, 8, -8};
  refuses(EYOT_ERANGE, eyot_put_strided(there, b, &s)); /* begins before the segment */
  s = (eyot_strided_t){8, 40, 0, 8};
  refuses(EYOT_ERANGE, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){8, UINT64_MAX, 8, 8};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){8, 3, 8, INT64_MIN};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){8, 2, 8, INT64_MIN};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){UINT64_MAX, 1, 0, 0};
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, &s));
  s = (eyot_strided_t){8, 2, INT64_MAX, 8};
  refuses(EYOT_EINVAL, eyot_get_strided(b, there, &s));
  refuses(EYOT_EINVAL, eyot_put_strided(there, b, NULL));
  refuses(EYOT_EINVAL, eyot_get_strided_nbi(b, there, NULL));
  s = (eyot_strided_t){8, 2, 8, 8};
  refuses(EYOT_EINVAL, eyot_put_strided(there, NULL, &s));
  refuses(EYOT_ESEG, eyot_put_strided(EYOT_GPTR_NULL, b, &s));
  s = (eyot_strided_t){8, 0, 8, 8};
  ok(eyot_put_strided(there, NULL, &s));
  s = (eyot_strided_t){0, 8, 8, 8};
  ok(eyot_get_strided_nbi(NULL, there, &s));

  uint64_t len[3] = {8, 8, 8}, apart[3] = {0, 8, 16}, over[3] = {0, 20, 14},
           far[3] = {0, 8, UINT64_MAX - 4}, big[3] = {0, 8, 250};
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, apart, over}));
  ok(eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, over, apart}));
  refuses(EYOT_EINVAL, eyot_get_indexed(b, there, &(eyot_indexed_t){3, len, over, apart}));
  uint64_t same[3] = {0, 4, 8};
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, apart, same}));
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, apart, far}));
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, far, apart}));
  refuses(EYOT_ERANGE, eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, apart, big}));
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, &(eyot_indexed_t){3, NULL, apart, apart}));
  refuses(EYOT_EINVAL, eyot_put_indexed(there, b, NULL));
  refuses(EYOT_EINVAL, eyot_get_indexed(NULL, there, &(eyot_indexed_t){3, len, apart, apart}));
  ok(eyot_put_indexed(there, NULL, &(eyot_indexed_t){0, NULL, NULL, NULL}));
  api_free(base);
}

static void random_strided_transfers_match_a_model(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) api_sweep(n, 4, strided_body);
}
static void random_indexed_transfers_match_a_model(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) api_sweep(n, 4, indexed_body);
}
static void overlapping_and_impossible_shapes_are_refused(void **state) {
  (void)state;
  api_sweep(1, 1, refused_body);
  api_sweep(3, 1, refused_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_strided_transfers_match_a_model),
      cmocka_unit_test(random_indexed_transfers_match_a_model),
      cmocka_unit_test(overlapping_and_impossible_shapes_are_refused),
      cmocka_unit_test(packing_saves_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
