/* SPDX-License-Identifier: BSD-3-Clause */
/* test_team_members.c - eyot_team_create_group on the fake fabric, which delivers in every order
 * that the contract allows; tests/programs/team_members.c is the same for the real ones. */
#include "unit/api_unit.h"

/* Overlapping groups {0, 1}, {1, 2}, ... and {0, 2, 4, ...}, made by their members only. */
static void make_and_use(const eyot_group_t *group, uint64_t tag, eyot_team_t *team) {
  uint32_t size, index;
  uint64_t mine = 1, sum = 0;
  eyot_tunit_t rel;
  ok(eyot_team_create_group(EYOT_TEAM_ALL, group, tag, team));
  ok(eyot_team_size(*team, &size));
  ok(eyot_team_me(*team, &rel));
  ok(eyot_group_index(group, eyot_me(), &index));
  assert_int_equal(size, eyot_group_size(group));
  assert_int_equal(rel.id, index);
  ok(eyot_allreduce(*team, EYOT_UINT64, EYOT_SUM, &mine, &sum, 1));
  assert_int_equal(sum, size);
}

static void body_overlapping(uint32_t me, uint32_t n) {
  eyot_group_t *group;
  eyot_team_t team, even = EYOT_TEAM_NULL;
  ok(eyot_group_range(0, (n + 1) / 2, 2, &group));
  if (me % 2 == 0) make_and_use(group, 5, &even);
  eyot_group_free(group);
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t first = me > 0 ? me - 1 : 0; first <= me && first + 1 < n; first++) {
      ok(eyot_group_range(first, 2, 1, &group));
      make_and_use(group, round, &team);
      assert_true(even.id != team.id);
      ok(eyot_team_destroy(&team));
      eyot_group_free(group);
    }
  }
  if (even.id != 0) ok(eyot_team_destroy(&even));
}

static void members_alone_make_teams(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 7; n += 2) api_sweep(n, 3, body_overlapping);
}

static void body_wrong(uint32_t me, uint32_t n) {
  eyot_group_t *other, *empty;
  eyot_team_t team;
  eyot_unit_t next = unit((me + 1) % n);
  ok(eyot_group_from(&next, 1, &other));
  ok(eyot_group_new(&empty));
  refuses(EYOT_EUNIT, eyot_team_create_group(EYOT_TEAM_ALL, other, 0, &team));
  refuses(EYOT_EINVAL, eyot_team_create_group(EYOT_TEAM_ALL, empty, 0, &team));
  refuses(EYOT_EINVAL, eyot_team_create_group(EYOT_TEAM_ALL, NULL, 0, &team));
  refuses(EYOT_EINVAL, eyot_team_create_group(EYOT_TEAM_ALL, other, 0, NULL));
  refuses(EYOT_ETEAM, eyot_team_create_group(EYOT_TEAM_NULL, other, 0, &team));
  eyot_group_free(other);
  eyot_group_free(empty);
}

static void mistakes_are_refused_at_once(void **state) {
  (void)state;
  api_sweep(3, 1, body_wrong);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(members_alone_make_teams),
                                     cmocka_unit_test(mistakes_are_refused_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
