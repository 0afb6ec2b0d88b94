/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_put.c - put, get, handles, flush, order, sync. */
#include "rt/rt.h"
#include "unit/api_unit.h"

#define PART 512u

static void every_pair(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(n * PART);
  for (uint32_t d = 0; d < n; d++) {
    uint32_t peer = (me + d) % n;
    eyot_gptr_t row = eyot_gptr_at(eyot_gptr_add(base, (int64_t)me * PART), unit(peer));
    uint8_t out[PART], in[PART] = {0};
    for (uint32_t i = 0; i < PART; i++) out[i] = (uint8_t)(me * 3 + peer * 5 + i);
    ok(eyot_put(row, out, 100));
    ok(eyot_get(in, row, 100));
    assert_memory_equal(in, out, 100);

    eyot_handle_t h[4];
    for (int i = 0; i < 4; i++)
      ok(eyot_put_nb(eyot_gptr_add(row, 100 + 33 * i), out + 100 + 33 * i, 33, &h[i]));
    ok(eyot_wait(&h[2], EYOT_LOCAL));
    ok(eyot_wait_all(h, 4, EYOT_LOCAL));
    memset(out + 100, 0xee, 132); /* the source may be reused */
    ok(eyot_wait_all(h, 4, EYOT_REMOTE));
    for (int i = 0; i < 4; i++) assert_int_equal(h[i].id, 0);
    ok(eyot_get_nb(in, eyot_gptr_add(row, 100), 132, &h[0]));
    bool done = false;
    while (!done) ok(eyot_test(&h[0], EYOT_LOCAL, &done));
    for (uint32_t i = 0; i < 132; i++)
      assert_int_equal(in[i], (uint8_t)(me * 3 + peer * 5 + i + 100));
    for (done = false; !done;) ok(eyot_test_all(h, 4, EYOT_REMOTE, &done));
    assert_int_equal(h[0].id, 0);

    ok(eyot_put_local(eyot_gptr_add(row, 232), out + 232, 24));
    memset(out + 232, 0xee, 24);
    for (int i = 0; i < 8; i++)
      ok(eyot_put_nbi(eyot_gptr_add(row, 256 + 8 * i), out + 256 + 8 * i, 8));
    ok(eyot_flush(unit(peer), d % 2 == 0 ? EYOT_REMOTE : EYOT_LOCAL));
    ok(eyot_flush_all(EYOT_REMOTE));
    ok(eyot_get_nbi(in, eyot_gptr_add(row, 256), 64));
    ok(eyot_flush_all(EYOT_LOCAL));
    assert_memory_equal(in, out + 256, 64);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t origin = 0; origin < n; origin++) {
    const uint8_t *p = api_own(eyot_gptr_add(base, (int64_t)origin * PART));
    for (uint32_t i = 0; i < 256; i++) assert_int_equal(p[i], (uint8_t)(origin * 3 + me * 5 + i));
  }
  api_free(base);
}

/* Data, order, flag: a unit that sees the flag sees the data, though no operation is completed in
 * between. */
static void ordered_flag(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_gptr_t next = eyot_gptr_at(base, unit((me + 1) % n));
  for (uint64_t round = 1; round <= 5; round++) {
    uint64_t data = round * 100 + me;
    ok(eyot_put_nbi(next, &data, 8));
    if (round % 2 == 0)
      ok(eyot_order(unit((me + 1) % n)));
    else
      ok(eyot_order_all());
    ok(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(next, 8), EYOT_SIGNAL_SET,
                           round));
    ok(eyot_wait_until(eyot_gptr_at(eyot_gptr_add(base, 8), unit(me)), EYOT_CMP_GE, round, NULL));
    uint64_t got;
    memcpy(&got, api_own(base), 8);
    assert_int_equal(got, round * 100 + (me + n - 1) % n);
    ok(eyot_flush_all(EYOT_REMOTE));
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  api_free(base);
}

/* put; sync; get on two units: they never both miss (without sync they may). */
static void sync_is_a_full_barrier(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(128);
  for (uint64_t round = 1; round <= 20; round++) {
    eyot_gptr_t mine = eyot_gptr_at(eyot_gptr_add(base, 8 * (int64_t)me), unit(1 - me));
    eyot_gptr_t other = eyot_gptr_at(eyot_gptr_add(base, 8 * (1 - (int64_t)me)), unit(me));
    uint64_t seen = 0, other_seen = 0;
    if (me < 2) {
      ok(eyot_put(mine, &round, 8));
      ok(eyot_sync());
      ok(eyot_get(&seen, other, 8));
      ok(eyot_put(eyot_gptr_at(eyot_gptr_add(base, 64), unit(1 - me)), &seen, 8));
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (me < 2) {
      memcpy(&other_seen, api_own(eyot_gptr_add(base, 64)), 8);
      assert_true(seen == round || other_seen == round);
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  (void)n;
  api_free(base);
}

static void misuse_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  uint64_t v = 1;
  bool done = true;
  eyot_handle_t h = EYOT_HANDLE_DONE, copy;
  ok(eyot_wait(&h, EYOT_REMOTE));
  ok(eyot_test(&h, EYOT_LOCAL, &done));
  assert_true(done);
  ok(eyot_put(base, NULL, 0));
  ok(eyot_get(NULL, base, 0));
  ok(eyot_put_nb(base, NULL, 0, &h));
  assert_int_equal(h.id, 0);
  ok(eyot_get_nbi(NULL, base, 0));
  ok(eyot_wait_all(NULL, 0, EYOT_REMOTE));

  refuses(EYOT_EINVAL, eyot_put(base, NULL, 1));
  refuses(EYOT_EINVAL, eyot_get(NULL, base, 1));
  refuses(EYOT_EINVAL, eyot_put_nb(base, &v, 8, NULL));
  refuses(EYOT_EINVAL, eyot_get_nb(&v, base, 8, NULL));
  refuses(EYOT_EINVAL, eyot_put_nb(base, NULL, 8, &h));
  refuses(EYOT_EINVAL, eyot_get_nb(NULL, base, 8, &h));
  refuses(EYOT_ESEG, eyot_put(EYOT_GPTR_NULL, &v, 8));
  refuses(EYOT_ESEG, eyot_get_nbi(&v, EYOT_GPTR_NULL, 8));
  refuses(EYOT_EUNIT, eyot_put(eyot_gptr_at(base, unit(n)), &v, 8));
  refuses(EYOT_ERANGE, eyot_put(eyot_gptr_add(base, 57), &v, 8));
  refuses(EYOT_ERANGE, eyot_put(eyot_gptr_add(base, -1), &v, 8));
  /* volatile, so that the compiler does not see that no such copy exists */
  volatile uint64_t huge = UINT64_MAX - 4;
  refuses(EYOT_ERANGE, eyot_get(&v, eyot_gptr_add(base, 8), huge));
  refuses(EYOT_EUNIT, eyot_flush(unit(n), EYOT_REMOTE));
  refuses(EYOT_EUNIT, eyot_order(unit(n)));
  refuses(EYOT_EINVAL, eyot_flush_all((eyot_level_t)7));
  refuses(EYOT_EINVAL, eyot_wait(NULL, EYOT_REMOTE));
  refuses(EYOT_EINVAL, eyot_wait(&h, (eyot_level_t)2));
  refuses(EYOT_EINVAL, eyot_test(&h, EYOT_REMOTE, NULL));
  refuses(EYOT_EINVAL, eyot_test_all(&h, 1, EYOT_REMOTE, NULL));
  refuses(EYOT_EINVAL, eyot_wait_all(NULL, 1, EYOT_REMOTE));

  ok(eyot_put_nb(eyot_gptr_at(base, unit((me + 1) % n)), &v, 8, &h));
  copy = h;
  ok(eyot_wait(&h, EYOT_REMOTE));
  if (copy.id != 0) refuses(EYOT_EINVAL, eyot_wait(&copy, EYOT_REMOTE)); /* completed before */
  copy.id = UINT64_MAX;
  refuses(EYOT_EINVAL, eyot_wait(&copy, EYOT_REMOTE));
  refuses(EYOT_EINVAL, eyot_test(&copy, EYOT_REMOTE, &done));
  /* One bad handle does not keep the others from being completed. */
  eyot_handle_t two[2] = {{UINT64_MAX}, {0}};
  ok(eyot_put_nb(eyot_gptr_at(base, unit((me + 1) % n)), &v, 8, &two[1]));
  refuses(EYOT_EINVAL, eyot_wait_all(two, 2, EYOT_REMOTE));
  assert_int_equal(two[1].id, 0);
  api_free(base);
}

static void every_pair_of_units_moves_bytes(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++) api_sweep(n, 3, every_pair);
}
static void flag_after_order_shows_its_data(void **state) {
  (void)state;
  api_sweep(3, 8, ordered_flag);
}
static void sync_completes_everything_before_it(void **state) {
  (void)state;
  api_sweep(2, 10, sync_is_a_full_barrier);
  api_sweep(4, 3, sync_is_a_full_barrier);
}
static void misuse_of_puts_gets_and_handles_is_refused(void **state) {
  (void)state;
  api_sweep(1, 1, misuse_body);
  api_sweep(4, 1, misuse_body);
}

static void calls_before_init_are_refused(void **state) {
  (void)state;
  uint64_t v = 0;
  eyot_handle_t h = EYOT_HANDLE_DONE;
  bool done;
  refuses(EYOT_ESTATE, eyot_put(EYOT_GPTR_NULL, &v, 8));
  refuses(EYOT_ESTATE, eyot_get(&v, EYOT_GPTR_NULL, 8));
  refuses(EYOT_ESTATE, eyot_put_nb(EYOT_GPTR_NULL, &v, 8, &h));
  refuses(EYOT_ESTATE, eyot_wait(&h, EYOT_REMOTE));
  refuses(EYOT_ESTATE, eyot_test(&h, EYOT_REMOTE, &done));
  refuses(EYOT_ESTATE, eyot_flush_all(EYOT_REMOTE));
  refuses(EYOT_ESTATE, eyot_order_all());
  refuses(EYOT_ESTATE, eyot_sync());
  refuses(EYOT_ESTATE, eyot_fetch_add_u64(EYOT_GPTR_NULL, 1, &v));
  refuses(EYOT_ESTATE, eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_ESTATE, eyot_progress());
  refuses(EYOT_ESTATE, eyot_compute(1));
  refuses(EYOT_ESTATE, eyot_phase("x"));
  assert_int_equal(eyot_now_ns(), 0);
  /* the runtime that has counted them, which lives until a process ends: units of the fake have
   * their own */
  assert_ptr_not_equal(eyot_current, eyoti_rt_idle());
  assert_int_equal(eyot_current->errors, 13);
  free(eyot_current);
  eyot_current = eyoti_rt_idle();
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_before_init_are_refused),
      cmocka_unit_test(every_pair_of_units_moves_bytes),
      cmocka_unit_test(flag_after_order_shows_its_data),
      cmocka_unit_test(sync_completes_everything_before_it),
      cmocka_unit_test(misuse_of_puts_gets_and_handles_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
