/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gmem_grow.c - a heap that grows, on a fabric where no memory can be accessed that was not
 * granted: used memory was requested, returned memory is requested again, and a refusal of the
 * fabric is an error on all members alike. */
#include "support/heap_walk.h"
#include "unit/api_unit.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define NOTHING_ELSE 4u /* steps of 64 KiB for memory besides the block */

static void walk_body(uint32_t me, uint32_t n) {
  assert_int_equal(heap_walk(me, n, n == 2 ? 10000 : 1500), 0);
}

static void random_walk_stays_within_the_granted_memory(void **state) {
  (void)state;
  setenv("EYOT_HEAP_SIZE", "256K", 1);
  setenv("EYOT_HEAP_MAX", "2M", 1);
  setenv("EYOT_HEAP_KEEP", "64K", 1);
  for (uint32_t n = 1; n <= 3; n++)
    for (int mapped = 0; mapped < (n == 2 ? 1 : 2); mapped++)
      api_run(&(struct fake_opts){.n = n,
                                  .seed = n,
                                  .units_per_node = 2,
                                  .mapped = mapped != 0,
                                  .secure_bytes = UINT64_MAX,
                                  .max_steps = UINT64_MAX},
              walk_body);
}

/* The default is sixteen times the initial size, as far as the fabric reaches; an explicit value is
 * obeyed. */
static uint64_t most_expected;
static void most_body(uint32_t me, uint32_t n) {
  eyot_heap_info_t info;
  (void)me, (void)n;
  ok(eyot_heap_info(&info));
  assert_true(info.most <= most_expected && info.most > most_expected - 64 * KIB);
  assert_true(info.size <= MIB && info.size > MIB - 64 * KIB);
  assert_true(info.largest_free == info.most);
}

static void default_limit_is_sixteen_heaps_or_the_fabrics(void **state) {
  (void)state;
  struct fake_opts o = {.n = 2, .seed = 1, .secure_bytes = UINT64_MAX};
  setenv("EYOT_HEAP_SIZE", "1M", 1);
  setenv("EYOT_HEAP_MAX", "0", 1);
  most_expected = 16 * MIB;
  api_run(&o, most_body);
  o.seg_available = 8 * MIB;
  most_expected = 7 * MIB; /* one part in eight is left to others */
  api_run(&o, most_body);
  setenv("EYOT_HEAP_MAX", "32M", 1);
  most_expected = 32 * MIB;
  api_run(&o, most_body);
}

static void less_main(struct fab *f, void *arg) {
  (void)f, (void)arg;
  refuses(EYOT_EINVAL, eyot_init(NULL, NULL));
}

static void limit_below_the_heap_is_refused(void **state) {
  (void)state;
  setenv("EYOT_HEAP_SIZE", "2M", 1);
  setenv("EYOT_HEAP_MAX", "1M", 1);
  assert_int_equal(fake_run(&(struct fake_opts){.n = 2, .seed = 1, .quiet = true}, less_main, NULL),
                   FAKE_DONE);
}

/* Pages of one unit end before the heap does. */
#define GRANTED (3u * MIB)
static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t g, own, more;
  eyot_heap_info_t before, after;
  ok(eyot_heap_info(&before));
  if (me == n - 1) {
    refuses(EYOT_ENOMEM, eyot_alloc(4 * MIB, &own));
    ok(eyot_alloc(2 * MIB, &own));
    memset(api_own(own), 1, 2 * MIB);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, 2 * MIB, &g));
  refuses(EYOT_ENOMEM, eyot_team_alloc_raw(EYOT_TEAM_ALL, 2 * MIB, 64, &g));
  ok(eyot_team_alloc_raw(EYOT_TEAM_ALL, 512 * KIB, 64, &g));
  memset(api_own(g), 1, 512 * KIB);
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, GRANTED, &more));
  ok(eyot_team_free(g));
  if (me == n - 1) ok(eyot_free(own));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  /* returned, and granted again */
  ok(eyot_team_alloc(EYOT_TEAM_ALL, GRANTED - NOTHING_ELSE * 64 * KIB, &g));
  memset(api_own(g), 1, GRANTED - NOTHING_ELSE * 64 * KIB);
  ok(eyot_team_free(g));
  ok(eyot_heap_info(&after));
  assert_int_equal(after.largest_free, before.largest_free);
  assert_int_equal(after.collective_used, 0);
}

static void growth_that_the_fabric_refuses_is_an_error_on_all(void **state) {
  (void)state;
  setenv("EYOT_HEAP_SIZE", "1M", 1);
  setenv("EYOT_HEAP_MAX", "8M", 1);
  setenv("EYOT_HEAP_KEEP", "0", 1);
  for (uint32_t n = 1; n <= 3; n++)
    api_run(&(struct fake_opts){.n = n, .seed = n, .secure_bytes = GRANTED}, refused_body);
}

/* Each unit's part is aligned, wherever its heap begins, and all can be reached. */
static void aligned_body(uint32_t me, uint32_t n) {
  static const uint64_t ALIGNS[] = {8192, 65536, MIB};
  const uint64_t mine = 100 + me;
  for (int i = 0; i < 6; i++) {
    eyot_gptr_t g;
    uint64_t align = ALIGNS[i % 3], got;
    if (i < 3)
      ok(eyot_team_alloc_aligned(EYOT_TEAM_ALL, 1000, align, &g));
    else
      ok(eyot_team_alloc_raw(EYOT_TEAM_ALL, 1000, align, &g));
    const uint64_t *part = api_own(g);
    assert_int_equal((uintptr_t)part % align, 0);
    if (i < 3) assert_int_equal(part[0] | part[124], 0);
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_put(eyot_gptr_at(eyot_gptr_add(g, 992), unit((me + 1) % n)), &mine, sizeof mine));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    assert_int_equal(part[124], 100 + (me + n - 1) % n);
    ok(eyot_get(&got, eyot_gptr_at(eyot_gptr_add(g, 992), unit((me + 2) % n)), sizeof got));
    assert_int_equal(got, 100 + (me + 1) % n);
    ok(eyot_team_free(g));
  }
}

static void parts_are_aligned_to_more_than_a_page(void **state) {
  (void)state;
  setenv("EYOT_HEAP_SIZE", "4M", 1);
  setenv("EYOT_HEAP_MAX", "8M", 1);
  for (uint32_t n = 1; n <= 5; n += 2) api_sweep(n, 2, aligned_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_walk_stays_within_the_granted_memory),
      cmocka_unit_test(default_limit_is_sixteen_heaps_or_the_fabrics),
      cmocka_unit_test(limit_below_the_heap_is_refused),
      cmocka_unit_test(parts_are_aligned_to_more_than_a_page),
      cmocka_unit_test(growth_that_the_fabric_refuses_is_an_error_on_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
