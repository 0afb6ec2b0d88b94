/* SPDX-License-Identifier: BSD-3-Clause */
/* test_barrier.c - barriers of both kinds and split-phase barriers, over teams of every shape: no
 * member leaves before all have entered, every member notices expressions that differ, the tree
 * crosses each boundary of a domain once, and misuse is refused. */
#include "fabric/ctl.h"
#include "rt/rt.h"
#include "sync/barrier/barriers.h"
#include "unit/api_unit.h"

#define ROUNDS 6u
#define UNITS_MAX 256u

/* Seen by all units, which are coroutines of one thread. */
static uint32_t entered[4][3 * ROUNDS];
static uint64_t chance;

static void sometimes_dally(void) {
  for (uint64_t i = draw(&chance) % 8; i > 4; i--) ok(eyot_progress());
}

/* The shape of several teams that divide the units; all of them work at the same time. */
enum shape { ALL, HALVES, THIRDS, NODES, SHAPES };

static uint32_t make_team(enum shape shape, uint32_t me, uint32_t n, eyot_team_t *team,
                          uint32_t *size) {
  uint32_t color = 0;
  eyot_place_t place;
  ok(eyot_locate(unit(me), &place));
  if (shape == ALL) *team = EYOT_TEAM_ALL;
  if (shape == HALVES) color = me < n / 2;
  if (shape == THIRDS) color = me % 3;
  if (shape == NODES) color = place.id[EYOT_DOMAIN_NODE] % 2; /* every second node */
  if (shape != ALL) ok(eyot_team_split(EYOT_TEAM_ALL, color, team));
  ok(eyot_team_size(*team, size));
  return color;
}

static void leave_team(eyot_team_t *team) {
  if (team->id != EYOT_TEAM_ALL.id) ok(eyot_team_destroy(team));
}

static enum shape shape_now;

static void whole_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  uint32_t size, color = make_team(shape_now, me, n, &team, &size);
  for (uint32_t round = 0; round < 3 * ROUNDS; round++) {
    sometimes_dally();
    entered[color][round]++;
    /* Each kind after itself and after the other. */
    if (round < ROUNDS)
      ok(eyot_barrier_by(team, EYOT_BARRIER_TREE));
    else if (round % 3 == 0)
      ok(eyot_barrier(team));
    else
      ok(eyot_barrier_by(team, round % 3 == 1   ? EYOT_BARRIER_TREE
                               : round % 2 == 0 ? EYOT_BARRIER_NODES
                                                : EYOT_BARRIER_DISSEMINATION));
    assert_int_equal(entered[color][round], size);
  }
  leave_team(&team);
}

/* Between notify and wait: other collectives of the team, and tests. */
static void split_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  uint32_t size, color = make_team(shape_now, me, n, &team, &size);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    bool done = false;
    const uint64_t value = round == 0   ? 0
                           : round == 1 ? UINT64_MAX
                                        : round,
                   *given = round % 3 == 2 && me % 2 == 0 ? NULL : &value;
    sometimes_dally();
    entered[color][round]++;
    ok(eyot_barrier_notify(team, given));
    if (round % 2 == 0) {
      uint64_t one = 1, sum = 0;
      ok(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
      assert_int_equal(sum, size);
      ok(eyot_barrier_by(team, EYOT_BARRIER_TREE));
      ok(eyot_barrier(team));
    }
    for (uint64_t tests = (me + round) % 4; tests > 0 && !done; tests--)
      ok(eyot_barrier_test(team, given, &done));
    if (!done && me % 5 == 3) {
      while (!done) ok(eyot_barrier_test(team, given, &done));
    } else if (!done) {
      ok(eyot_barrier_wait(team, given));
    }
    assert_int_equal(entered[color][round], size);
  }
  leave_team(&team);
}

static void sweep(api_body body, uint32_t seeds) {
  seeds = api_sample(seeds);
  static const enum fake_mode MODES[] = {FAKE_EAGER, FAKE_DELAY, FAKE_REORDER, FAKE_REORDER,
                                         FAKE_REORDER};
  for (uint32_t n = 1; n <= 40; n++) {
    for (uint32_t seed = 1; seed <= seeds; seed++) {
      memset(entered, 0, sizeof entered);
      chance = seed * 1000 + n;
      shape_now = (enum shape)((seed + n) % SHAPES);
      struct fake_opts o = {.n = n,
                            .seed = seed * 131 + n,
                            .mode = MODES[seed % 5],
                            .units_per_node = 1 + (seed * 7 + n) % 9,
                            .mapped = seed % 2 != 0};
      api_run(&o, body);
    }
  }
}

/* -- the tree's form --------------------------------------------------------------------------- */

static struct {
  uint32_t parent, children, child_of; /* child_of: the unit that lists it, + 1 */
  bool member, root;
  eyot_place_t place;
} node[UNITS_MAX];

static void form_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  struct eyoti_team *t;
  uint32_t size;
  (void)make_team(shape_now, me, n, &team, &size);
  ok(eyoti_team_get(eyot_current, team, &t));
  ok(eyot_barrier_by(team, EYOT_BARRIER_TREE));
  const struct eyoti_barriers *b = eyoti_barriers_of(t);
  node[me].member = true;
  node[me].parent = b->parent;
  node[me].root = b->is_root;
  node[me].children = b->children;
  ok(eyot_locate(unit(me), &node[me].place));
  for (uint32_t i = 0; i < b->children; i++) {
    uint32_t c = eyoti_barriers_children(t)[i];
    assert_true(c < n && node[c].child_of == 0);
    node[c].child_of = me + 1;
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  /* Words of a tree outside the team are those of its own members. */
  assert_true(b->is_root == (t->me == 0));
  if (!b->is_root) assert_int_equal(node[me].child_of, b->parent + 1);
  assert_int_equal(node[me].child_of == 0, b->is_root);
  uint32_t depth = 0;
  for (uint32_t u = me; !node[u].root; u = node[u].parent) assert_true(depth++ < 24);
  leave_team(&team);
}

/* Messages up that leave a domain: one for each domain with members except the root's, in each
 * team. */
static void check_crossings(uint32_t n) {
  for (uint32_t level = EYOT_DOMAIN_NUMA; level < EYOT_DOMAIN_COUNT; level++) {
    for (uint32_t first = 0; first < n; first++) {
      uint32_t id = node[first].place.id[level];
      if (first > 0 && node[first - 1].place.id[level] == id) continue;
      uint32_t leaving[UNITS_MAX] = {0}, teams = 0, roots = 0; /* by the root of the team */
      for (uint32_t u = first; u < n && node[u].place.id[level] == id; u++) {
        uint32_t root = u;
        while (!node[root].root) root = node[root].parent;
        bool out = node[u].root || node[node[u].parent].place.id[level] != id;
        if (out && leaving[root]++ == 0) teams++;
        roots += out;
      }
      assert_int_equal(teams, roots); /* each team leaves the domain, or ends in it, exactly once */
    }
  }
}

static void tree_crosses_each_domain_boundary_once(void **state) {
  (void)state;
  static const uint32_t SIZES[] = {1, 2, 3, 7, 16, 17, 33, 40, 97, 130, 255, 256},
                        PER_NODE[] = {1, 2, 3, 5, 16, 64, 256};
  for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
    for (size_t p = 0; p < sizeof PER_NODE / sizeof PER_NODE[0]; p++) {
      for (shape_now = ALL; shape_now < SHAPES; shape_now++) {
        memset(node, 0, sizeof node);
        api_run(
            &(struct fake_opts){
                .n = SIZES[s], .seed = s, .mode = FAKE_EAGER, .units_per_node = PER_NODE[p]},
            form_body);
        check_crossings(SIZES[s]);
      }
    }
  }
}

/* -- expressions ------------------------------------------------------------------------------- */

static uint32_t odd_one;
static uint64_t common;

/* One member gives another value than the others. All notice it, by wait or by the test that
 * completes; the next barrier is clean. */
static void differ_body(uint32_t me, uint32_t n) {
  for (uint32_t again = 0; again < 3; again++) {
    uint64_t value = me == odd_one ? common + 1 + again : common;
    bool silent = again == 1 && me % 3 == 1 && me != odd_one && (odd_one != 0 || me != 1);
    const uint64_t *given = silent ? NULL : &value;
    bool someone_else = n > 1 && !(again == 1 && n == 2 && odd_one == 0 && silent);
    ok(eyot_barrier_notify(EYOT_TEAM_ALL, given));
    int rc = EYOT_OK;
    bool done = false;
    if (me % 2 == 0) {
      while (rc == EYOT_OK && !done) rc = eyot_barrier_test(EYOT_TEAM_ALL, given, &done);
    } else {
      rc = eyot_barrier_wait(EYOT_TEAM_ALL, given);
    }
    assert_int_equal(rc, someone_else ? EYOT_EMISMATCH : EYOT_OK);
    refuses(EYOT_ESTATE, eyot_barrier_wait(EYOT_TEAM_ALL, given)); /* it is complete nevertheless */
    ok(eyot_barrier_notify(EYOT_TEAM_ALL, &common));
    ok(eyot_barrier_wait(EYOT_TEAM_ALL, &common));
  }
}

/* The value for wait is not the value for notify: only that unit gets the error. */
static void own_body(uint32_t me, uint32_t n) {
  (void)n;
  uint64_t three = 3, four = 4;
  bool done = false;
  int rc = EYOT_OK;
  ok(eyot_barrier_notify(EYOT_TEAM_ALL, &three));
  rc = eyot_barrier_wait(EYOT_TEAM_ALL, me == 0 ? &four : &three);
  assert_int_equal(rc, me == 0 ? EYOT_EMISMATCH : EYOT_OK);
  ok(eyot_barrier_notify(EYOT_TEAM_ALL, &three));
  rc = EYOT_OK;
  while (rc == EYOT_OK && !done)
    rc = eyot_barrier_test(EYOT_TEAM_ALL, me == 0 ? NULL : &three, &done);
  assert_int_equal(rc, me == 0 ? EYOT_EMISMATCH : EYOT_OK);
  ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  rc = eyot_barrier_wait(EYOT_TEAM_ALL, me == 0 ? &four : NULL);
  assert_int_equal(rc, me == 0 ? EYOT_EMISMATCH : EYOT_OK);
}

static void differing_values_are_noticed_by_all(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 17; n++) {
    for (uint32_t seed = 1; seed <= 6; seed++) {
      odd_one = seed % n;
      common = seed == 1 ? UINT64_MAX : seed == 2 ? 0 : seed * 1000;
      api_run(&(struct fake_opts){.n = n, .seed = seed, .mode = FAKE_REORDER, .units_per_node = 3},
              differ_body);
    }
    api_run(&(struct fake_opts){.n = n, .seed = n, .mode = FAKE_REORDER, .units_per_node = 2},
            own_body);
  }
}

/* -- misuse ------------------------------------------------------------------------------------ */

static void misuse_body(uint32_t me, uint32_t n) {
  bool done = true;
  uint64_t v = 1;
  (void)me, (void)n;
  refuses(EYOT_EINVAL, eyot_barrier_by(EYOT_TEAM_ALL, (eyot_barrier_kind_t)3));
  refuses(EYOT_ETEAM, eyot_barrier_by(EYOT_TEAM_NULL, EYOT_BARRIER_TREE));
  refuses(EYOT_ETEAM, eyot_barrier_notify(EYOT_TEAM_NULL, NULL));
  refuses(EYOT_ETEAM, eyot_barrier_wait(EYOT_TEAM_NULL, NULL));
  refuses(EYOT_ETEAM, eyot_barrier_test(EYOT_TEAM_NULL, NULL, &done));
  refuses(EYOT_ESTATE, eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  refuses(EYOT_ESTATE, eyot_barrier_test(EYOT_TEAM_ALL, NULL, &done));
  assert_true(done);
  ok(eyot_barrier_notify(EYOT_TEAM_ALL, &v));
  refuses(EYOT_ESTATE, eyot_barrier_notify(EYOT_TEAM_ALL, &v));
  refuses(EYOT_EINVAL, eyot_barrier_test(EYOT_TEAM_ALL, &v, NULL));
  ok(eyot_barrier_wait(EYOT_TEAM_ALL, &v));
  refuses(EYOT_ESTATE, eyot_barrier_wait(EYOT_TEAM_ALL, &v));
}

/* No member can destroy a team between notify and wait; afterwards they can. */
static void destroy_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  eyot_group_t *g;
  ok(eyot_group_range(0, n, 1, &g));
  ok(eyot_team_create(EYOT_TEAM_ALL, g, &team));
  eyot_group_free(g);
  eyot_team_t kept = team;
  ok(eyot_barrier_by(team, EYOT_BARRIER_TREE));
  ok(eyot_barrier_notify(team, NULL));
  /* Of two members one can be complete: there is a single round, which notify has sent. */
  if (n == 2 && me == 1) ok(eyot_barrier_wait(team, NULL));
  refuses(EYOT_EBUSY, eyot_team_destroy(&team));
  assert_int_equal(team.id, kept.id);
  if (n != 2 || me == 0) ok(eyot_barrier_wait(team, NULL));
  ok(eyot_barrier_by(team, EYOT_BARRIER_TREE)); /* its rounds continue as before */
  ok(eyot_team_destroy(&team));
  refuses(EYOT_ETEAM, eyot_barrier_wait(kept, NULL));
}

/* A control block that has been used is clean for the next team. */
static void reuse_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  for (uint32_t i = 0; i < 6; i++) {
    eyot_team_t team;
    uint64_t v = i;
    ok(eyot_team_split(EYOT_TEAM_ALL, i % 2 == 0 ? 0 : me % 2, &team));
    for (uint32_t k = 0; k <= i; k++) {
      ok(eyot_barrier_by(team, EYOT_BARRIER_TREE));
      ok(eyot_barrier_notify(team, &v));
      ok(eyot_barrier_wait(team, &v));
    }
    ok(eyot_team_destroy(&team));
  }
}

/* A barrier while others are in another collective: all get the error, and can continue. */
static void other_body(uint32_t me, uint32_t n) {
  uint64_t one = 1, sum;
  for (uint32_t i = 0; i < 4; i++) {
    bool strays = i % 2 == 0 ? me == odd_one : me != odd_one;
    int rc;
    if (strays)
      rc = eyot_barrier(EYOT_TEAM_ALL);
    else if (i < 2)
      rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1);
    else {
      eyot_gptr_t g;
      rc = eyot_team_alloc(EYOT_TEAM_ALL, 64, &g);
      if (rc == EYOT_OK) ok(eyot_team_free(g));
    }
    assert_int_equal(rc, n == 1 ? EYOT_OK : EYOT_EMISMATCH);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
}

static void misuse_of_barriers_is_refused(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) api_sweep(n, 2, misuse_body);
  for (uint32_t n = 1; n <= 5; n++) api_sweep(n, 3, destroy_body);
  for (uint32_t n = 1; n <= 9; n += 2) api_sweep(n, 3, reuse_body);
  for (uint32_t n = 1; n <= 17; n++) {
    odd_one = n / 3;
    api_sweep(n, 2, other_body);
  }
}

static void no_unit_leaves_before_all_have_entered(void **state) {
  (void)state;
  sweep(whole_body, 20);
}
static void split_phases_allow_other_collectives_between(void **state) {
  (void)state;
  sweep(split_body, 20);
}

/* -- failing fabric ---------------------------------------------------------------------------- */

static void fail_main(struct fab *f, void *arg) {
  uint32_t *met = arg;
  uint64_t v = 5;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  if (rc != EYOT_OK) return;
  for (uint32_t i = 0; i < 2 && rc == EYOT_OK; i++) {
    rc = eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE);
    if (rc == EYOT_OK) rc = eyot_barrier_notify(EYOT_TEAM_ALL, &v);
    if (rc == EYOT_OK) rc = eyot_barrier_wait(EYOT_TEAM_ALL, &v);
    if (rc == EYOT_EFABRIC) (*met)++;
  }
  (void)eyot_finalize();
}

static void each_failing_call_is_returned(void **state) {
  (void)state;
  uint32_t met = 0;
  assert_int_equal(fake_run(&(struct fake_opts){.n = 5, .units_per_node = 2}, fail_main, &met),
                   FAKE_DONE);
  uint64_t calls = fake_calls();
  assert_int_equal(met, 0);
  for (uint64_t nth = 1; nth <= calls; nth++)
    (void)fake_run(&(struct fake_opts){.n = 5,
                                       .seed = nth,
                                       .mode = FAKE_REORDER,
                                       .units_per_node = 2,
                                       .fail_op = nth,
                                       .quiet = true},
                   fail_main, &met);
  assert_true(met >= 40); /* each signal and wait of two rounds */
}

/* The figures in the documentation of memory. */
static void barriers_take_the_documented_memory(void **state) {
  (void)state;
  assert_int_equal(EYOTI_SYNC_HOT_BYTES, 104 + 16);
  assert_int_equal(eyoti_sync_cold_bytes(2), 144 + 8 + 8);
  assert_int_equal(eyoti_sync_cold_bytes(65536), 16 * 144 + 96 * 4 + 8);
  for (uint32_t rounds = 7; rounds < 31; rounds++)
    assert_int_equal(eyoti_sync_cold_bytes(2u << rounds) - eyoti_sync_cold_bytes(1u << rounds),
                     144);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_unit_leaves_before_all_have_entered),
      cmocka_unit_test(split_phases_allow_other_collectives_between),
      cmocka_unit_test(tree_crosses_each_domain_boundary_once),
      cmocka_unit_test(differing_values_are_noticed_by_all),
      cmocka_unit_test(misuse_of_barriers_is_refused),
      cmocka_unit_test(each_failing_call_is_returned),
      cmocka_unit_test(barriers_take_the_documented_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
