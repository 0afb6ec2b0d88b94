/* SPDX-License-Identifier: BSD-3-Clause */
/* test_past.c - the comparison of teams that are left at the end of a run (coll/past.h), where some
 * members do not have the state of some of them: it ends in time, and compares all other teams. */
#include "coll/call.h"
#include "unit/api_unit.h"

#define BROKEN 5u
#define MOST_NS UINT64_C(10500000000)

static struct eyoti_team *state_of(eyot_team_t id) {
  struct eyoti_team *t;
  ok(eyoti_team_get(eyot_current, id, &t));
  return t;
}

/* As on a member that has destroyed the team, or could not make it. */
static void forget(eyot_team_t id) {
  struct eyoti_team *t = state_of(id);
  struct eyoti_coll_team *c = t->coll;
  assert_non_null(c);
  eyoti_channel_fini(&c->blocking);
  for (uint32_t i = 0; i < EYOTI_PLANS_KEPT; i++) eyoti_plan_free(c->kept[i]);
  free(c->past);
  eyoti_slack_free(c);
  t->coll = NULL;
}

/* A team of all units, with a call. */
static eyot_team_t make(void) {
  eyot_team_t team;
  uint64_t in = 1, out;
  ok(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  ok(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &in, &out, 1));
  return team;
}

/* Each unit lacks another team of the first ones; of the last one the calls differ. */
static void teams_that_units_lack(struct fab *f, void *arg) {
  const uint32_t *differ = arg;
  eyot_team_t broken[BROKEN];
  ok(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id, n = eyot_size();
  for (uint32_t i = 0; i < BROKEN; i++) broken[i] = make();
  eyot_team_t last = make();
  if (*differ != 0 && me > 0) state_of(last)->coll->history = me == 1 ? 4 : 5;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < BROKEN; i++)
    if (i % n == me) forget(broken[i]);
  uint64_t began = f->ops->now_ns(f);
  refuses(*differ != 0 ? EYOT_EMISMATCH : EYOT_OK, eyot_finalize());
  assert_true(f->ops->now_ns(f) - began < MOST_NS);
}

static void the_wait_for_all_teams_ends_and_others_are_compared(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 6; n++) {
    for (uint32_t i = 0; i < 8; i++) {
      uint32_t differ = i % 2;
      const struct fake_opts o = {.n = n,
                                  .seed = i + 1,
                                  .mode = i < 4 ? FAKE_EAGER : FAKE_REORDER,
                                  .units_per_node = 2,
                                  .mapped = i / 2 % 2 != 0};
      int end = fake_run(&o, teams_that_units_lack, &differ);
      if (end != FAKE_DONE) print_error("n %u, %u: %s\n", n, i, fake_message());
      assert_int_equal(end, FAKE_DONE);
    }
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_wait_for_all_teams_ends_and_others_are_compared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
