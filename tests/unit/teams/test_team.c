/* SPDX-License-Identifier: BSD-3-Clause */
/* test_team.c - teams: creation, splits, ids and their reuse, mismatch, many at once. */
#include "teams/teams.h"
#include "unit/api_unit.h"

static eyot_group_t *range(uint32_t first, uint32_t count, uint32_t stride) {
  eyot_group_t *g;
  ok(eyot_group_range(first, count, stride, &g));
  return g;
}

static eyot_team_t create(eyot_team_t parent, uint32_t first, uint32_t count, uint32_t stride) {
  eyot_group_t *g = range(first, count, stride);
  eyot_team_t t = {77};
  ok(eyot_team_create(parent, g, &t));
  eyot_group_free(g);
  return t;
}

/* Members, order, translation, and that the members reach each other. */
static void check_team(eyot_team_t t, uint32_t me, uint32_t first, uint32_t count,
                       uint32_t stride) {
  bool member = me >= first && (me - first) % stride == 0 && (me - first) / stride < count;
  eyot_tunit_t rel;
  eyot_unit_t abs;
  uint32_t size;
  if (!member) {
    assert_int_equal(t.id, EYOT_TEAM_NULL.id);
    return;
  }
  ok(eyot_team_size(t, &size));
  assert_int_equal(size, count);
  ok(eyot_team_me(t, &rel));
  assert_int_equal(rel.id, (me - first) / stride);
  for (uint32_t i = 0; i < count; i++) {
    ok(eyot_team_l2g(t, (eyot_tunit_t){i}, &abs));
    assert_int_equal(abs.id, first + i * stride);
    ok(eyot_team_g2l(t, abs, &rel));
    assert_int_equal(rel.id, i);
  }
  refuses(EYOT_EUNIT, eyot_team_l2g(t, (eyot_tunit_t){count}, &abs));
  refuses(EYOT_EUNIT, eyot_team_g2l(t, unit(first + count * stride), &rel));
  eyot_group_t *g, *want = range(first, count, stride);
  ok(eyot_team_group(t, &g));
  assert_true(eyot_group_equal(g, want));
  eyot_group_free(g);
  eyot_group_free(want);
  uint64_t mine = me + 1, sum = 0, expect = 0;
  for (uint32_t i = 0; i < count; i++) expect += first + i * stride + 1;
  ok(eyot_allreduce(t, EYOT_UINT64, EYOT_SUM, &mine, &sum, 1));
  assert_int_equal(sum, expect);
}

static void destroy(eyot_team_t *t) {
  if (t->id == 0) return;
  eyot_team_t before = *t;
  uint32_t size;
  ok(eyot_team_destroy(t));
  assert_int_equal(t->id, 0);
  refuses(EYOT_ETEAM, eyot_team_size(before, &size));
  refuses(EYOT_ETEAM, eyot_barrier(before));
  refuses(EYOT_ETEAM, eyot_team_destroy(&before));
}

static void body_create(uint32_t me, uint32_t n) {
  check_team(EYOT_TEAM_ALL, me, 0, n, 1);
  eyot_team_t half = create(EYOT_TEAM_ALL, 0, (n + 1) / 2, 2), parent;
  check_team(half, me, 0, (n + 1) / 2, 2);
  eyot_team_t last = create(EYOT_TEAM_ALL, n - 1, 1, 1);
  check_team(last, me, n - 1, 1, 1);
  eyot_team_t quarter = EYOT_TEAM_NULL;
  if (half.id != 0) {
    quarter = create(half, 0, (n + 3) / 4, 4);
    check_team(quarter, me, 0, (n + 3) / 4, 4);
    ok(eyot_team_parent(half, &parent));
    assert_int_equal(parent.id, EYOT_TEAM_ALL.id);
  }
  if (quarter.id != 0) {
    ok(eyot_team_parent(quarter, &parent));
    assert_int_equal(parent.id, half.id);
    assert_int_not_equal(quarter.id, half.id);
    assert_int_not_equal(quarter.id, last.id);
  }
  /* The parent may be destroyed first. */
  destroy(&half);
  if (quarter.id != 0) check_team(quarter, me, 0, (n + 3) / 4, 4);
  destroy(&quarter);
  destroy(&last);
}

static void created_teams_have_the_right_members(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 9; n += 2) api_sweep(n, 3, body_create);
}

/* Ids: the same on all members, different from all others of a unit, and never used again. */
static void body_reuse(uint32_t me, uint32_t n) {
  eyot_team_t old = EYOT_TEAM_NULL;
  for (uint32_t round = 0; round < 12; round++) {
    uint32_t first = round % n;
    eyot_team_t t = create(EYOT_TEAM_ALL, first, n - first, 1);
    if (t.id != 0) {
      uint64_t id = t.id, lowest, highest;
      ok(eyot_allreduce(t, EYOT_UINT64, EYOT_MIN, &id, &lowest, 1));
      ok(eyot_allreduce(t, EYOT_UINT64, EYOT_MAX, &id, &highest, 1));
      assert_int_equal(lowest, highest);
      assert_int_not_equal(t.id, old.id);
      /* the next index, also where members have used them differently often */
      assert_in_range(t.id & 0xffff, 2, 2 + round);
      uint32_t size;
      if (old.id != 0) refuses(EYOT_ETEAM, eyot_team_size(old, &size));
      old = t;
    }
    check_team(t, me, first, n - first, 1);
    destroy(&t);
  }
}

static void ids_of_teams_are_never_seen_again(void **state) {
  (void)state;
  api_sweep(5, 3, body_reuse);
}

/* Overlapping teams, used in an order that differs from unit to unit wherever that is allowed. */
static void body_overlap(uint32_t me, uint32_t n) {
  eyot_team_t left = create(EYOT_TEAM_ALL, 0, n - 1, 1), right = create(EYOT_TEAM_ALL, 1, n - 1, 1);
  if (left.id != 0 && right.id != 0) assert_int_not_equal(left.id, right.id);
  for (uint32_t round = 0; round < 6; round++) {
    check_team(left, me, 0, n - 1, 1);
    check_team(right, me, 1, n - 1, 1);
    if (left.id != 0) ok(eyot_barrier(left));
  }
  eyot_team_t inner = left.id != 0 ? create(left, 1, 1, 1) : EYOT_TEAM_NULL;
  eyot_team_t other = right.id != 0 ? create(right, 1, 2, 1) : EYOT_TEAM_NULL;
  if (inner.id != 0) {
    assert_int_not_equal(inner.id, other.id);
    assert_int_not_equal(inner.id, right.id);
  }
  if (other.id != 0) check_team(other, me, 1, 2, 1);
  destroy(&right);
  destroy(&inner);
  destroy(&left);
  destroy(&other);
}

static void overlapping_teams_work_in_any_order(void **state) {
  (void)state;
  api_sweep(4, 5, body_overlap);
  api_sweep(7, 3, body_overlap);
}

#define MANY 200u

/* Many live teams, some on some units only, so that free ids and offsets differ between units. */
static void body_many(uint32_t me, uint32_t n) {
  eyot_team_t t[MANY];
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t first = i % n, count = 1 + (i / n) % (n - first);
    t[i] = create(EYOT_TEAM_ALL, first, count, 1);
    for (uint32_t k = 0; k < i; k++) assert_true(t[i].id == 0 || t[i].id != t[k].id);
    if (i % 3 == 1) destroy(&t[i / 2]);
  }
  for (uint32_t i = MANY; i-- > 0;) {
    uint32_t first = i % n, count = 1 + (i / n) % (n - first);
    if (t[i].id != 0) check_team(t[i], me, first, count, 1);
    destroy(&t[i]);
  }
}

static void many_teams_live_at_once(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 4, .seed = 3, .mode = FAKE_REORDER}, body_many);
}

/* The expected result of split: the units of the color, found without the library. */
static void check_split(eyot_team_t t, uint32_t me, uint32_t n,
                        uint32_t (*color)(uint32_t, uint32_t)) {
  uint32_t mine = color(me, n), count = 0;
  if (mine == EYOT_COLOR_NONE) {
    assert_int_equal(t.id, 0);
    return;
  }
  for (uint32_t u = 0; u < n; u++) {
    if (color(u, n) != mine) continue;
    eyot_unit_t abs;
    ok(eyot_team_l2g(t, (eyot_tunit_t){count++}, &abs));
    assert_int_equal(abs.id, u);
  }
  uint32_t size;
  ok(eyot_team_size(t, &size));
  assert_int_equal(size, count);
  uint64_t one = 1, sum;
  ok(eyot_allreduce(t, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  assert_int_equal(sum, count);
}

static uint32_t by_parity(uint32_t u, uint32_t n) {
  (void)n;
  return u % 2;
}
static uint32_t by_block(uint32_t u, uint32_t n) {
  (void)n;
  return u / 3;
}
static uint32_t all_alone(uint32_t u, uint32_t n) {
  return n - u;
}
static uint32_t all_one(uint32_t u, uint32_t n) {
  (void)u;
  (void)n;
  return UINT32_MAX - 1;
}
static uint32_t some_none(uint32_t u, uint32_t n) {
  return u % 3 == 0 ? EYOT_COLOR_NONE : u * 7 % n;
}
static uint32_t none_at_all(uint32_t u, uint32_t n) {
  (void)u;
  (void)n;
  return EYOT_COLOR_NONE;
}
static uint32_t at_random(uint32_t u, uint32_t n) {
  uint64_t s = (uint64_t)u << 32 | n;
  return (uint32_t)(draw(&s) % 5);
}

static void body_split(uint32_t me, uint32_t n) {
  uint32_t (*const COLORS[])(uint32_t, uint32_t) = {by_parity, by_block,    all_alone, all_one,
                                                    some_none, none_at_all, at_random};
  for (size_t i = 0; i < sizeof COLORS / sizeof COLORS[0]; i++) {
    eyot_team_t t = {77};
    ok(eyot_team_split(EYOT_TEAM_ALL, COLORS[i](me, n), &t));
    check_split(t, me, n, COLORS[i]);
    if (i == 0 && n > 2) { /* of a team that is not all units */
      eyot_team_t half;
      ok(eyot_team_split(t, me / 4, &half));
      eyot_unit_t abs;
      eyot_tunit_t rel;
      ok(eyot_team_me(half, &rel));
      ok(eyot_team_l2g(half, rel, &abs));
      assert_int_equal(abs.id, me);
      ok(eyot_barrier(half));
      destroy(&half);
    }
    destroy(&t);
  }
}

static void split_teams_have_the_members_of_their_color(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 7; n++) api_sweep(n, 2, body_split);
  /* More colors than are fetched at once. */
  api_run(&(struct fake_opts){.n = 100, .seed = 5, .mode = FAKE_EAGER}, body_split);
}

/* One member's n-th allocation during a split fails: all members fail together, whichever step it
 * was in, and can split again. (What can do without that memory does.) */
static struct {
  uint64_t fail_at, allocations;
  uint32_t failed, ended;
} refused;

static void body_split_refused(uint32_t me, uint32_t n) {
  eyot_team_t t;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) fake_alloc_fail_after(refused.fail_at);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  int rc = eyot_team_split(EYOT_TEAM_ALL, at_random(me, n), &t);
  if (fake_alloc_count() > refused.allocations) refused.allocations = fake_alloc_count();
  refused.ended++;
  if (rc != EYOT_OK) {
    assert_int_equal(rc, EYOT_ENOMEM);
    refused.failed++;
  } else {
    destroy(&t);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  fake_alloc_fail_after(0);
  ok(eyot_team_split(EYOT_TEAM_ALL, at_random(me, n), &t));
  check_split(t, me, n, at_random);
  destroy(&t);
}

static void refuse_each_allocation(uint32_t per_node) {
  struct fake_opts o = {
      .n = 7, .seed = 3, .mode = FAKE_EAGER, .units_per_node = per_node, .quiet = true};
  refused.fail_at = refused.allocations = 0;
  refused.failed = 0;
  api_run(&o, body_split_refused);
  assert_int_equal(refused.failed, 0);
  uint64_t allocations = refused.allocations, splits = 0;
  assert_true(allocations > o.n);
  for (refused.fail_at = 1; refused.fail_at <= allocations; refused.fail_at++) {
    refused.failed = refused.ended = 0;
    api_run(&o, body_split_refused);
    assert_int_equal(refused.ended, o.n);
    assert_true(refused.failed == 0 || refused.failed == o.n);
    if (refused.failed > 0) splits++;
  }
  assert_true(splits > o.n);
}

static void a_member_without_memory_fails_the_split_of_all(void **state) {
  (void)state;
  refuse_each_allocation(7);
  refuse_each_allocation(1); /* also of the lists of exchanges by nodes */
}

/* -- exchanges by nodes ------------------------------------------------------------------------ */

static const struct eyoti_ctl *ctl_of(eyot_team_t t) {
  struct eyoti_team *team;
  ok(eyoti_team_get(eyot_current, t, &team));
  return &team->ctl;
}

/* Two units a node, whether the fabric knows it or not. A team of members whose block has been
 * another team's, with other first members. */
static void body_nodes(uint32_t me, uint32_t n) {
  assert_non_null(ctl_of(EYOT_TEAM_ALL)->nodes);
  eyot_team_t node = create(EYOT_TEAM_ALL, 2, 2, 1), two = create(EYOT_TEAM_ALL, 1, 2, 4);
  if (node.id != 0) assert_null(ctl_of(node)->nodes);
  if (two.id != 0) assert_null(ctl_of(two)->nodes);
  for (uint32_t first = 0; first < 3; first++) {
    eyot_team_t t = create(EYOT_TEAM_ALL, first, n - first, 1);
    if (t.id != 0) {
      const struct eyoti_ctl *c = ctl_of(t);
      assert_non_null(c->nodes);
      uint64_t quicker = c->by_nodes, all, any;
      for (int k = 0; k < 5; k++) ok(eyot_barrier_by(t, EYOT_BARRIER_NODES));
      ok(eyot_allreduce(t, EYOT_UINT64, EYOT_MIN, &quicker, &all, 1));
      ok(eyot_allreduce(t, EYOT_UINT64, EYOT_MAX, &quicker, &any, 1));
      assert_int_equal(all, any);
    }
    check_team(t, me, first, n - first, 1);
    destroy(&t);
  }
  destroy(&two);
  destroy(&node);
}

static void teams_on_several_nodes_exchange_by_nodes(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++)
    api_run(&(struct fake_opts){.n = 6 + (uint32_t)seed % 4,
                                .seed = seed,
                                .mode = (enum fake_mode)(FAKE_EAGER + (int)(seed % 3)),
                                .units_per_node = 2,
                                .by_nodes = seed % 2 != 0},
            body_nodes);
}

static void body_locality(uint32_t me, uint32_t n) {
  eyot_place_t mine, there;
  ok(eyot_locate(unit(me), &mine));
  for (int level = EYOT_DOMAIN_UNIT; level < EYOT_DOMAIN_COUNT; level++) {
    eyot_team_t t;
    ok(eyot_team_split_locality(EYOT_TEAM_ALL, (eyot_domain_t)level, &t));
    for (uint32_t u = 0; u < n; u++) {
      eyot_tunit_t rel;
      ok(eyot_locate(unit(u), &there));
      assert_int_equal(eyot_team_g2l(t, unit(u), &rel),
                       there.id[level] == mine.id[level] ? EYOT_OK : EYOT_EUNIT);
    }
    ok(eyot_barrier(t));
    destroy(&t);
  }
  for (uint32_t u = 0; u < n; u++) {
    eyot_domain_t d, back;
    ok(eyot_locate(unit(u), &there));
    ok(eyot_distance(unit(me), unit(u), &d));
    ok(eyot_distance(unit(u), unit(me), &back));
    assert_int_equal(d, back);
    assert_int_equal(there.id[d], mine.id[d]);
    if (d > EYOT_DOMAIN_UNIT) assert_int_not_equal(there.id[d - 1], mine.id[d - 1]);
    assert_int_equal(d == EYOT_DOMAIN_UNIT, u == me);
  }
  eyot_domain_t d;
  eyot_team_t t;
  refuses(EYOT_EUNIT, eyot_locate(unit(n), &there));
  refuses(EYOT_EINVAL, eyot_locate(unit(0), NULL));
  refuses(EYOT_EUNIT, eyot_distance(unit(0), unit(n), &d));
  refuses(EYOT_EINVAL, eyot_distance(unit(0), unit(0), NULL));
  refuses(EYOT_EINVAL, eyot_team_split_locality(EYOT_TEAM_ALL, EYOT_DOMAIN_COUNT, &t));
  assert_string_equal(eyot_domain_name(EYOT_DOMAIN_CHASSIS), "chassis");
  assert_string_equal(eyot_domain_name(EYOT_DOMAIN_COUNT), "?");
}

static void split_by_locality_follows_the_machine(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 20, .seed = 1, .units_per_node = 2}, body_locality);
  api_run(&(struct fake_opts){.n = 7, .seed = 2, .mode = FAKE_REORDER, .units_per_node = 4},
          body_locality);
}

/* Misuse is detected on every member, and the run continues afterwards. */
static void body_misuse(uint32_t me, uint32_t n) {
  eyot_team_t t = {77}, all = EYOT_TEAM_ALL;
  eyot_group_t *mine = range(0, me == 1 ? 1 : 2, 1), *foreign = range(n - 1, 2, 1),
               *empty = range(0, 0, 1), *other = range(0, n, 1);
  refuses(EYOT_EMISMATCH, eyot_team_create(EYOT_TEAM_ALL, mine, &t));
  refuses(EYOT_EMISMATCH, eyot_team_create(EYOT_TEAM_ALL, me == 0 ? NULL : other, &t));
  refuses(EYOT_EUNIT, eyot_team_create(EYOT_TEAM_ALL, foreign, &t));
  refuses(EYOT_EINVAL, eyot_team_create(EYOT_TEAM_ALL, empty, &t));
  refuses(EYOT_EINVAL, eyot_team_create(EYOT_TEAM_ALL, NULL, &t));
  assert_int_equal(t.id, 77);
  eyot_team_t sub = create(EYOT_TEAM_ALL, 0, 2, 1);
  if (sub.id != 0) refuses(EYOT_EUNIT, eyot_team_create(sub, other, &t));
  refuses(EYOT_ETEAM, eyot_team_create(EYOT_TEAM_NULL, other, &t));
  refuses(EYOT_ETEAM, eyot_team_create((eyot_team_t){0x70002}, other, &t));
  refuses(EYOT_ETEAM, eyot_team_split(EYOT_TEAM_NULL, 0, &t));
  refuses(EYOT_ETEAM, eyot_team_destroy(&all));
  t = EYOT_TEAM_NULL;
  refuses(EYOT_ETEAM, eyot_team_destroy(&t));
  refuses(EYOT_EINVAL, eyot_team_destroy(NULL));
  refuses(EYOT_EINVAL, eyot_team_size(EYOT_TEAM_ALL, NULL));
  refuses(EYOT_EINVAL, eyot_team_me(EYOT_TEAM_ALL, NULL));
  refuses(EYOT_EINVAL, eyot_team_group(EYOT_TEAM_ALL, NULL));
  refuses(EYOT_EINVAL, eyot_team_parent(EYOT_TEAM_ALL, NULL));
  refuses(EYOT_EINVAL, eyot_team_split(EYOT_TEAM_ALL, 0, NULL));
  /* A team with memory stays alive, on all members. */
  if (sub.id != 0) {
    eyot_gptr_t g;
    ok(eyot_team_alloc(sub, 8, &g));
    eyot_team_t copy = sub;
    refuses(EYOT_EBUSY, eyot_team_destroy(&copy));
    assert_int_equal(copy.id, sub.id);
    ok(eyot_barrier(sub));
    ok(eyot_team_free(g));
  }
  destroy(&sub);
  eyot_group_free(mine);
  eyot_group_free(foreign);
  eyot_group_free(empty);
  eyot_group_free(other);
}

static void misuse_of_teams_is_refused_on_all(void **state) {
  (void)state;
  api_sweep(3, 2, body_misuse);
}

static void count_team(struct eyoti_team *t, void *arg) {
  uint32_t *count = arg;
  *count += t->size;
}

/* Teams that are left at finalize are released and reported; the walk sees them. */
static void body_leak(uint32_t me, uint32_t n) {
  eyot_team_t t = create(EYOT_TEAM_ALL, 0, 1, 1);
  uint32_t count = 0;
  eyoti_teams_each(eyot_current, count_team, &count);
  assert_int_equal(count, me == 0 ? n + 1 : n);
  (void)t;
}

static void leaked_teams_are_released_and_reported(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 3, .seed = 1}, body_leak);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(created_teams_have_the_right_members),
      cmocka_unit_test(ids_of_teams_are_never_seen_again),
      cmocka_unit_test(overlapping_teams_work_in_any_order),
      cmocka_unit_test(many_teams_live_at_once),
      cmocka_unit_test(split_teams_have_the_members_of_their_color),
      cmocka_unit_test(a_member_without_memory_fails_the_split_of_all),
      cmocka_unit_test(teams_on_several_nodes_exchange_by_nodes),
      cmocka_unit_test(split_by_locality_follows_the_machine),
      cmocka_unit_test(misuse_of_teams_is_refused_on_all),
      cmocka_unit_test(leaked_teams_are_released_and_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
