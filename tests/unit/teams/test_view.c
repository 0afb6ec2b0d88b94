/* SPDX-License-Identifier: BSD-3-Clause */
/* test_view.c - views: ranks and units are inverse to each other in every order of a team's
 * members, for the whole run and for a part of it, and mistakes are refused. */
#include <eyot/view.h>

#include "support/draw.h"
#include "unit/api_unit.h"

/* Each rank has the unit that `member` says (relative to the team), and the reverse. */
static void assert_order(const eyot_view_t *v, eyot_team_t team, const uint32_t *member,
                         uint32_t n) {
  uint32_t size, rank, me = UINT32_MAX;
  eyot_team_t of;
  ok(eyot_view_size(v, &size));
  ok(eyot_view_team(v, &of));
  assert_int_equal(size, n);
  assert_true(of.id == team.id);
  for (uint32_t i = 0; i < n; i++) {
    eyot_unit_t is, want;
    ok(eyot_team_l2g(team, (eyot_tunit_t){member[i]}, &want));
    ok(eyot_view_unit(v, i, &is));
    assert_int_equal(is.id, want.id);
    ok(eyot_view_rank(v, is, &rank));
    assert_int_equal(rank, i);
    if (is.id == eyot_me().id) me = i;
  }
  ok(eyot_view_me(v, &rank));
  assert_int_equal(rank, me);
}

static uint32_t divisor(uint32_t a, uint32_t b) {
  return b == 0 ? a : divisor(b, a % b);
}

static void all_strides(eyot_team_t team, uint32_t n) {
  for (int64_t stride = -(int64_t)n - 1; stride <= (int64_t)n + 1; stride++) {
    for (uint32_t first = 0; first < n; first++) {
      uint32_t member[16];
      uint64_t step = (uint64_t)((stride % (int64_t)n + (int64_t)n) % (int64_t)n);
      eyot_view_t *v;
      if (n > 1 && divisor(n, (uint32_t)step) != 1) {
        refuses(EYOT_EINVAL, eyot_view_strided(team, first, stride, &v));
        continue;
      }
      for (uint32_t i = 0; i < n; i++) member[i] = (uint32_t)((first + i * step) % n);
      ok(eyot_view_strided(team, first, stride, &v));
      assert_order(v, team, member, n);
      eyot_view_free(v);
    }
  }
}

static void shuffled(eyot_team_t team, uint32_t n, uint64_t seed) {
  uint32_t member[16];
  eyot_unit_t units[16];
  eyot_view_t *v, *same;
  for (uint32_t i = 0; i < n; i++) member[i] = i;
  for (uint32_t i = n; i-- > 1;) {
    uint32_t j = (uint32_t)(draw(&seed) % (i + 1)), kept = member[i];
    member[i] = member[j];
    member[j] = kept;
  }
  for (uint32_t i = 0; i < n; i++) ok(eyot_team_l2g(team, (eyot_tunit_t){member[i]}, &units[i]));
  ok(eyot_view_from(team, units, n, &v));
  ok(eyot_view_from(team, units, n, &same));
  eyot_view_free(v);
  assert_order(same, team, member, n);
  eyot_view_free(same);
}

static void mistakes(eyot_team_t team, uint32_t n) {
  eyot_unit_t units[16], got;
  eyot_view_t *v;
  uint32_t rank;
  for (uint32_t i = 0; i < n; i++) ok(eyot_team_l2g(team, (eyot_tunit_t){i}, &units[i]));
  refuses(EYOT_EINVAL, eyot_view_strided(team, n, 1, &v));
  refuses(EYOT_EINVAL, eyot_view_strided(team, 0, 1, NULL));
  refuses(EYOT_ETEAM, eyot_view_strided(EYOT_TEAM_NULL, 0, 1, &v));
  refuses(EYOT_EINVAL, eyot_view_from(team, units, n - 1, &v));
  refuses(EYOT_EINVAL, eyot_view_from(team, NULL, n, &v));
  units[n - 1] = unit(eyot_size());
  refuses(EYOT_EUNIT, eyot_view_from(team, units, n, &v));
  units[n - 1] = units[0];
  if (n > 1) refuses(EYOT_EINVAL, eyot_view_from(team, units, n, &v));
  ok(eyot_view_strided(team, 0, 1, &v));
  refuses(EYOT_ERANGE, eyot_view_unit(v, n, &got));
  refuses(EYOT_EUNIT, eyot_view_rank(v, unit(eyot_size()), &rank));
  refuses(EYOT_EINVAL, eyot_view_me(NULL, &rank));
  refuses(EYOT_EINVAL, eyot_view_unit(v, 0, NULL));
  eyot_view_free(v);
  eyot_view_free(NULL);
}

static void body_views(uint32_t me, uint32_t n) {
  eyot_team_t part;
  eyot_view_t *v;
  uint32_t size;
  ok(eyot_team_split(EYOT_TEAM_ALL, me % 3 == 0, &part));
  ok(eyot_team_size(part, &size));
  all_strides(EYOT_TEAM_ALL, n);
  all_strides(part, size);
  for (uint64_t seed = 1; seed <= 4; seed++) {
    shuffled(EYOT_TEAM_ALL, n, seed);
    shuffled(part, size, seed);
  }
  mistakes(EYOT_TEAM_ALL, n);
  mistakes(part, size);
  ok(eyot_view_strided(part, 0, 1, &v));
  ok(eyot_team_destroy(&part));
  refuses(EYOT_ETEAM, eyot_view_size(v, &size));
  eyot_view_free(v);
}

static void ranks_and_units_are_inverse(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 12; n++)
    api_run(&(struct fake_opts){.n = n, .seed = n, .mode = FAKE_EAGER}, body_views);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_and_units_are_inverse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
