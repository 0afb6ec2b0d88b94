/* SPDX-License-Identifier: BSD-3-Clause */
/* test_coll.c - compares every collective at 1 to 9 units with its serial result, under many
 * schedules; mismatches; scratch. */
#include "coll/call.h"
#include "unit/api_unit.h"

static uint64_t input(uint32_t member, uint64_t i) {
  return (uint64_t)(member + 1) * 1000003u + i * 17;
}

static uint64_t *words(uint64_t n) {
  uint64_t *p = malloc((n + 1) * sizeof *p);
  assert_non_null(p);
  for (uint64_t i = 0; i <= n; i++) p[i] = 0xdeadbeef;
  return p;
}

static void broadcasts(eyot_team_t team, uint32_t me, uint32_t n, uint64_t count) {
  for (uint32_t root = 0; root < n; root++) {
    uint64_t *b = words(count);
    for (uint64_t i = 0; i < count && me == root; i++) b[i] = input(root, i);
    ok(eyot_broadcast(team, (eyot_tunit_t){root}, b, count * 8));
    for (uint64_t i = 0; i < count; i++) assert_int_equal(b[i], input(root, i));
    assert_int_equal(b[count], 0xdeadbeef);
    free(b);
  }
}

static void reductions(eyot_team_t team, uint32_t me, uint32_t n, uint64_t count) {
  uint64_t *send = words(count), *recv = words(count);
  for (uint32_t root = 0; root < n; root++) {
    for (uint64_t i = 0; i < count; i++) send[i] = input(me, i);
    ok(eyot_reduce(team, (eyot_tunit_t){root}, EYOT_UINT64, EYOT_SUM, send,
                   me == root ? recv : NULL, count));
    for (uint64_t i = 0; i < count && me == root; i++)
      assert_int_equal(recv[i], (uint64_t)n * (n + 1) / 2 * 1000003u + n * i * 17);
    /* in place */
    ok(eyot_reduce(team, (eyot_tunit_t){root}, EYOT_UINT64, EYOT_MAX, send, send, count));
    if (me == root)
      for (uint64_t i = 0; i < count; i++) assert_int_equal(send[i], input(n - 1, i));
  }
  for (uint64_t i = 0; i < count; i++) send[i] = input(me, i);
  ok(eyot_allreduce(team, EYOT_UINT64, EYOT_MIN, send, recv, count));
  for (uint64_t i = 0; i < count; i++) assert_int_equal(recv[i], input(0, i));
  ok(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, send, send, count));
  for (uint64_t i = 0; i < count; i++)
    assert_int_equal(send[i], (uint64_t)n * (n + 1) / 2 * 1000003u + n * i * 17);
  free(send);
  free(recv);
}

static void exchanges(eyot_team_t team, uint32_t me, uint32_t n, uint64_t count) {
  uint64_t *send = words(count * n), *recv = words(count * n);
  for (uint32_t root = 0; root < n; root++) {
    for (uint64_t i = 0; i < count; i++) send[i] = input(me, i);
    ok(eyot_gather(team, (eyot_tunit_t){root}, send, me == root ? recv : NULL, count * 8));
    for (uint64_t i = 0; i < count * n && me == root; i++)
      assert_int_equal(recv[i], input((uint32_t)(i / count), i % count));
  }
  memset(recv, 0, count * n * 8);
  ok(eyot_allgather(team, send, recv, count * 8));
  for (uint64_t i = 0; i < count * n; i++)
    assert_int_equal(recv[i], input((uint32_t)(i / count), i % count));
  for (uint64_t i = 0; i < count * n; i++) send[i] = input(me, i);
  memset(recv, 0, count * n * 8);
  ok(eyot_alltoall(team, send, recv, count * 8));
  for (uint64_t i = 0; i < count * n; i++)
    assert_int_equal(recv[i], input((uint32_t)(i / count), me * count + i % count));
  assert_int_equal(recv[count * n], 0xdeadbeef);
  free(send);
  free(recv);
}

static void small_body(uint32_t me, uint32_t n) {
  static const uint64_t COUNTS[] = {0, 1, 5, 1, 130};
  for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
    broadcasts(EYOT_TEAM_ALL, me, n, COUNTS[i]);
    reductions(EYOT_TEAM_ALL, me, n, COUNTS[i]);
    exchanges(EYOT_TEAM_ALL, me, n, COUNTS[i]);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
}

/* Several rounds of each. */
static void big_body(uint32_t me, uint32_t n) {
  uint64_t most = 256u * 1024u / 8;
  broadcasts(EYOT_TEAM_ALL, me, n, most + 100);
  reductions(EYOT_TEAM_ALL, me, n, most / 2 + 7);
  exchanges(EYOT_TEAM_ALL, me, n, most / n + 3);
}

/* No barrier between collectives: fast members run ahead as far as they may. */
static void stream_body(uint32_t me, uint32_t n) {
  for (uint64_t round = 0; round < 25; round++) {
    uint64_t v = round * 100 + me, got, all[9], out[9];
    ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1));
    assert_int_equal(got, round * 100 * n + n * (n - 1) / 2);
    uint32_t root = (uint32_t)(round % n);
    got = me == root ? round : 0;
    ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &got, 8));
    assert_int_equal(got, round);
    ok(eyot_allgather(EYOT_TEAM_ALL, &v, all, 8));
    for (uint32_t i = 0; i < n; i++) assert_int_equal(all[i], round * 100 + i);
    for (uint32_t i = 0; i < n; i++) out[i] = me * 10 + i;
    ok(eyot_alltoall(EYOT_TEAM_ALL, out, all, 8));
    for (uint32_t i = 0; i < n; i++) assert_int_equal(all[i], i * 10 + me);
    ok(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){root}, EYOT_UINT64, EYOT_MAX, &v, &got, 1));
    if (me == root) assert_int_equal(got, round * 100 + n - 1);
    ok(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &v, all, 8));
    for (uint32_t i = 0; i < n && me == root; i++) assert_int_equal(all[i], round * 100 + i);
  }
}

/* Floating-point sums are the same bits on all members and for every schedule. */
static void same_bits_body(uint32_t me, uint32_t n) {
  double d[3] = {1.0 / (3.0 + me), 1e15 / (me + 1.0), -1e15}, sum[3], least[3], most[3];
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, d, sum, 3));
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MIN, sum, least, 3));
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MAX, sum, most, 3));
  assert_memory_equal(least, most, sizeof least);
  static double first[10][3]; /* the result of the first schedule of n */
  static bool known[10];
  if (!known[n]) memcpy(first[n], sum, sizeof sum);
  known[n] = true;
  assert_memory_equal(first[n], sum, sizeof sum);
}

/* After calls that no symmetric one has followed yet: some members may have been told already, all
 * are now; and the team works as before. */
static void told_at_next(void) {
  uint64_t v = 1, w;
  refuses(EYOT_EMISMATCH, eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &w, 1));
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &w, 1));
}

static void ok_or_mismatch(int rc) {
  assert_true(rc == EYOT_OK || rc == EYOT_EMISMATCH);
}

static void mismatch_body(uint32_t me, uint32_t n) {
  uint64_t v[9] = {0}, w[9];
  bool odd = me == n - 1;
  for (uint64_t i = 0; i < 9; i++) v[i] = me;
  /* every member that receives is told at once */
  int rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, v, odd ? 16 : 8);
  assert_int_equal(rc, odd ? EYOT_EMISMATCH : rc);
  ok_or_mismatch(rc);
  told_at_next();
  ok_or_mismatch(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){odd}, v, 8));
  told_at_next();
  /* rounds: of one member one, of the others several */
  char *big = calloc(1, 1u << 17);
  assert_non_null(big);
  rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){n - 1}, big, odd ? 8 : 1u << 17);
  ok_or_mismatch(rc);
  assert_int_equal(rc, odd ? rc : EYOT_EMISMATCH);
  told_at_next();
  free(big);
  for (uint64_t i = 0; i < 9; i++) v[i] = me;
  refuses(EYOT_EMISMATCH,
          eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, odd ? EYOT_SUM : EYOT_MAX, v, w, 1));
  refuses(EYOT_EMISMATCH,
          eyot_allreduce(EYOT_TEAM_ALL, odd ? EYOT_INT64 : EYOT_UINT64, EYOT_SUM, v, w, 1));
  refuses(EYOT_EMISMATCH,
          odd ? eyot_allgather(EYOT_TEAM_ALL, v, w, 8) : eyot_alltoall(EYOT_TEAM_ALL, v, w, 8));
  ok_or_mismatch(odd ? eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, v, w, 8)
                     : eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, v, 8));
  told_at_next();
  /* A member whose own arguments are wrong gets that error; those that need it are told and no unit
   * hangs. */
  rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){n - 1}, odd ? NULL : v, 8);
  assert_int_equal(rc, odd ? EYOT_EINVAL : EYOT_EMISMATCH);
  told_at_next();
  rc = eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){0}, EYOT_UINT64, EYOT_SUM, odd ? NULL : v, w, 1);
  assert_int_equal(rc, odd ? EYOT_EINVAL : me == 0 ? EYOT_EMISMATCH : rc);
  told_at_next();
  rc = eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){odd ? n : 0}, v, w, 8);
  assert_int_equal(rc, odd ? EYOT_EUNIT : me == 0 ? EYOT_EMISMATCH : rc);
  told_at_next();
  refuses(odd ? EYOT_EINVAL : EYOT_EMISMATCH,
          eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, odd ? EYOT_NOOP : EYOT_SUM, v, w, 1));
  for (uint64_t i = 0; i < 9; i++) v[i] = me;
  refuses(EYOT_EUNIT, eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){n}, v, 8));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_REPLACE, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_BYTE, EYOT_SUM, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_BXOR, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allgather(EYOT_TEAM_ALL, v, w, UINT64_MAX / 2));
  refuses(EYOT_EINVAL, eyot_alltoall(EYOT_TEAM_ALL, v, NULL, 8));
  refuses(EYOT_ETEAM, eyot_allgather(EYOT_TEAM_NULL, v, w, 8));
  refuses(EYOT_ETEAM, eyot_barrier(EYOT_TEAM_NULL));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, NULL, 0));
  for (uint64_t i = 0; i < 9; i++) assert_int_equal(v[i], me); /* no data was transferred */
  exchanges(EYOT_TEAM_ALL, me, n, 3);
}

/* Scratch is allocated when needed, grows, is not a leak of the team, and is freed with it. */
static void teams_body(uint32_t me, uint32_t n) {
  for (int again = 0; again < 3; again++) {
    eyot_team_t team;
    eyot_tunit_t tme;
    uint32_t size;
    ok(eyot_team_split(EYOT_TEAM_ALL, me % 2, &team));
    ok(eyot_team_me(team, &tme));
    ok(eyot_team_size(team, &size));
    broadcasts(team, tme.id, size, 2);
    reductions(EYOT_TEAM_ALL, me, n, 1); /* two teams at a time */
    reductions(team, tme.id, size, 40);
    exchanges(team, tme.id, size, 300);
    ok(eyot_team_destroy(&team));
  }
  eyot_heap_info_t before, after;
  eyot_team_t team;
  ok(eyot_heap_info(&before));
  ok(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  broadcasts(team, me, n, 500);
  ok(eyot_team_destroy(&team));
  ok(eyot_heap_info(&after));
  assert_int_equal(after.collective_used, before.collective_used);
}

/* More than the heap holds: all members get the error, and smaller collectives work. */
static void out_of_memory_body(uint32_t me, uint32_t n) {
  eyot_gptr_t hog;
  eyot_heap_info_t info;
  ok(eyot_heap_info(&info));
  uint64_t bytes = info.largest_free;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  while (eyot_team_alloc(EYOT_TEAM_ALL, bytes, &hog) != EYOT_OK) {
    bytes /= 2;
    assert_true(bytes > 64);
  }
  ok(eyot_heap_info(&info));
  if (info.largest_free < 128u * 1024u) {
    char *b = calloc(1, 1u << 20);
    assert_non_null(b);
    refuses(EYOT_ENOMEM, eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, b, 1u << 20));
    free(b);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_team_free(hog));
  broadcasts(EYOT_TEAM_ALL, me, n, 3);
}

static void barrier_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(8);
  for (uint64_t round = 1; round <= 10; round++) {
    uint64_t old, seen;
    ok(eyot_fetch_add_u64(eyot_gptr_at(base, unit(0)), 1, &old));
    assert_true(old < round * n);
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_read_u64(eyot_gptr_at(base, unit(0)), &seen));
    assert_true(seen >= round * n && seen < (round + 1) * n);
  }
  (void)me;
  api_free(base);
}

static void small_collectives_match_serial_results(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 9; n++) api_sweep(n, 2, small_body);
}
static void big_collectives_match_serial_results(void **state) {
  (void)state;
  setenv("EYOT_HEAP_MAX", "4M", 1);
  for (uint32_t n = 1; n <= 5; n += 2)
    api_run(&(struct fake_opts){.n = n, .seed = n, .mode = FAKE_REORDER, .units_per_node = 2},
            big_body);
  setenv("EYOT_HEAP_MAX", "2M", 1);
}
static void collectives_in_a_row_do_not_mix(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 9; n++) api_sweep(n, 4, stream_body);
}
static void floating_point_sums_are_the_same_bits(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 9; n++) api_sweep(n, 3, same_bits_body);
}
static void mismatched_arguments_are_refused_on_all(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 5; n++) api_sweep(n, 2, mismatch_body);
}
static void scratch_grows_and_goes_with_its_team(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 5; n++) api_sweep(n, 2, teams_body);
}
static void collective_without_memory_is_refused_on_all(void **state) {
  (void)state;
  api_sweep(3, 1, out_of_memory_body);
}
static void barrier_lets_no_unit_ahead(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 9; n++) api_sweep(n, 4, barrier_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(barrier_lets_no_unit_ahead),
      cmocka_unit_test(small_collectives_match_serial_results),
      cmocka_unit_test(big_collectives_match_serial_results),
      cmocka_unit_test(collectives_in_a_row_do_not_mix),
      cmocka_unit_test(floating_point_sums_are_the_same_bits),
      cmocka_unit_test(mismatched_arguments_are_refused_on_all),
      cmocka_unit_test(scratch_grows_and_goes_with_its_team),
      cmocka_unit_test(collective_without_memory_is_refused_on_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
