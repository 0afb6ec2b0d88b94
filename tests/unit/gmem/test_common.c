/* SPDX-License-Identifier: BSD-3-Clause */
/* test_common.c - memory at one offset, agreed on in steps: teams whose agreements meet in another
 * order on each unit all get theirs. */
#include "gmem/common.h"
#include "gmem/gmem.h"
#include "teams/teams.h"
#include "unit/api_unit.h"

#define UNITS 3u
#define TEAMS 4u
#define BYTES 15360u

static uint64_t said[UNITS][TEAMS];

struct agreement {
  struct eyoti_team *team;
  struct eyoti_common common;
  uint64_t word;
  bool over;
};

/* The maximum of what the units have said of agreement k. */
static uint64_t highest(uint32_t k) {
  uint64_t most = 0;
  for (uint32_t u = 0; u < UNITS; u++)
    if (said[u][k] > most) most = said[u][k];
  return most;
}

/* Unit u begins with agreement u of those that are left. */
static uint32_t step(struct agreement *a, uint32_t me) {
  uint32_t left = 0;
  for (uint32_t k = 0; k < TEAMS; k++) said[me][k] = a[k].word;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < TEAMS; i++) {
    struct agreement *at = &a[(i + me) % TEAMS];
    if (at->over) continue;
    at->word = highest((i + me) % TEAMS);
    int rc = eyoti_common_next(eyot_current, at->team, &at->common, &at->word);
    if (rc != EYOT_ETIMEOUT) ok(rc);
    at->over = rc == EYOT_OK;
    left += !at->over;
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  return left;
}

static void meeting_body(uint32_t me, uint32_t n) {
  struct agreement a[TEAMS] = {0};
  eyot_team_t team[TEAMS];
  assert_int_equal(n, UNITS);
  for (uint32_t k = 0; k < TEAMS; k++) {
    ok(eyot_team_split(EYOT_TEAM_ALL, 0, &team[k]));
    ok(eyoti_team_get(eyot_current, team[k], &a[k].team));
    eyoti_common_begin(eyot_current, &a[k].common, BYTES, a[k].team->ctl.off, EYOT_OK, &a[k].word);
  }
  while (step(a, me) > 0) continue;
  for (uint32_t k = 0; k < TEAMS; k++) said[me][k] = a[k].common.off;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t k = 0; k < TEAMS; k++) {
    assert_int_equal(said[0][k], said[me][k]);
    for (uint32_t j = 0; j < k; j++)
      assert_true(said[0][k] >= said[0][j] + BYTES || said[0][j] >= said[0][k] + BYTES);
    eyoti_common_free(eyot_current, a[k].common.off);
  }
  for (uint32_t k = 0; k < TEAMS; k++) ok(eyot_team_destroy(&team[k]));
}

static void agreements_that_meet_all_succeed(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = UNITS, .seed = 1, .units_per_node = 2}, meeting_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(agreements_that_meet_all_succeed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
