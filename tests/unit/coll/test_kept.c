/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kept.c - the plans that a team keeps (coll/kept.c): as many repeated calls as it has places
 * for keep theirs beside long calls, whose members ask each other for blocks (coll/take.c). */
#include "coll/call.h"
#include "unit/api_unit.h"

#define LONG 16384u

static void calls(void) {
  uint64_t in[EYOTI_PLANS_PLAIN] = {0}, out[EYOTI_PLANS_PLAIN];
  for (uint64_t count = 1; count <= EYOTI_PLANS_PLAIN; count++)
    ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, out, count));
}

static void long_calls_body(uint32_t me, uint32_t n) {
  (void)me;
  struct eyoti_team *t;
  eyot_gptr_t g = api_alloc((n + 1) * LONG);
  char *blocks = api_own(g);
  calls();
  calls();
  ok(eyoti_team_get(eyot_current, EYOT_TEAM_ALL, &t));
  struct eyoti_plan *kept[EYOTI_PLANS_PLAIN];
  memcpy(kept, t->coll->kept, sizeof kept);
  for (int i = 0; i < 3; i++) {
    uint64_t uses = t->coll->uses;
    ok(eyot_allgather(EYOT_TEAM_ALL, blocks, blocks + LONG, LONG));
    assert_int_equal(t->coll->uses, uses + 1); /* a plan of the offers, and none of the blocks */
    calls();
    assert_memory_equal(kept, t->coll->kept, sizeof kept);
  }
  api_free(g);
}

static void offers_take_no_places(void **state) {
  (void)state;
  setenv("EYOT_COLL", "allgather:0-:take", 1);
  for (int mapped = 0; mapped < 2; mapped++)
    api_run(&(struct fake_opts){.n = 2, .seed = 1, .units_per_node = 2, .mapped = mapped != 0},
            long_calls_body);
  unsetenv("EYOT_COLL");
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(offers_take_no_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
