/* SPDX-License-Identifier: BSD-3-Clause */
/* test_limits.c - the ends of tables, heaps and pointers (docs/limits.md): full tables, the largest
 * sizes, pointers that are moved too far, names that recur. test_ids.c has ids near their ends. */
#include "gmem/dynamic.h"
#include "gmem/state.h"
#include "teams/state.h"
#include "unit/api_unit.h"

#define GIB (UINT64_C(1) << 30)
#define FAR_BYTES (INT64_C(1) << 47)

/* -- tables that are full ---------------------------------------------------------------------- */

/* Only one member's table is full; the error is on all. */
static void body_segments(uint32_t me, uint32_t n) {
  struct eyoti_idtab *t = &eyot_current->gmem->segs;
  static int item;
  eyot_gptr_t g, first = api_alloc(64);
  uint32_t entered = 0;
  for (uint32_t i = t->first; me == n - 1 && i < t->limit; i++) {
    ok(eyoti_idtab_reserve(t, i));
    if (eyoti_idtab_at(t, i) != NULL) continue;
    eyoti_idtab_put(t, i, eyoti_idtab_next_gen(t, i), &item);
    entered++;
  }
  assert_int_equal(entered, me == n - 1 ? 48635 : 0);
  refuses(EYOT_EBUSY, eyot_team_alloc(EYOT_TEAM_ALL, 64, &g));
  api_free(first); /* the one place that is left */
  g = api_alloc(64);
  refuses(EYOT_EBUSY, eyot_team_alloc(EYOT_TEAM_ALL, 64, &first));
  api_free(g);
  for (uint32_t i = t->first; entered > 0 && i < t->limit; i++)
    if (eyoti_idtab_at(t, i) == &item) eyoti_idtab_del(t, i);
  api_free(api_alloc(64));
}
static void full_table_of_allocations_is_busy_on_all(void **state) {
  (void)state;
  api_sweep(3, 1, body_segments);
}

static void body_registrations(uint32_t me, uint32_t n) {
  (void)n;
  static uint64_t memory[2][2];
  eyot_gptr_t g[512], more;
  for (uint32_t i = 0; i < 512; i++) ok(eyot_register(memory[me], 16, &g[i]));
  refuses(EYOT_EBUSY, eyot_register(memory[me], 16, &more));
  ok(eyot_unregister(g[300]));
  ok(eyot_register(memory[me], 16, &g[300]));
  refuses(EYOT_EBUSY, eyot_register(memory[me], 16, &more));
  for (uint32_t i = 0; i < 512; i++) ok(eyot_unregister(g[i]));
}
static void full_table_of_registrations_is_busy(void **state) {
  (void)state;
  api_sweep(2, 1, body_registrations);
}

static uint32_t teams_expected;
static uint64_t space_expected;
static void body_teams(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  uint32_t made = 0;
  int rc;
  eyot_group_t *group;
  eyot_team_t *t = malloc((teams_expected + 1) * sizeof *t);
  assert_non_null(t);
  ok(eyot_team_group(EYOT_TEAM_ALL, &group));
  while ((rc = eyot_team_create(EYOT_TEAM_ALL, group, &t[made])) == EYOT_OK) {
    made++;
    assert_true(made <= teams_expected);
  }
  assert_int_equal(rc, EYOT_ENOMEM);
  assert_int_equal(made, teams_expected);
  ok(eyot_team_destroy(&t[made / 2]));
  ok(eyot_team_create(EYOT_TEAM_ALL, group, &t[made / 2]));
  ok(eyot_barrier(t[made / 2]));
  while (made > 0) ok(eyot_team_destroy(&t[--made]));
  eyot_group_free(group);
  free(t);
}
/* One team of so many takes its share of the memory: 8 MiB, on several nodes 32. */
static void body_share(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  const struct eyoti_extents *space = &eyot_current->teams->ctl_space;
  uint64_t before = eyoti_extents_largest_free(space, NULL);
  eyot_group_t *group;
  eyot_team_t t;
  ok(eyot_team_group(EYOT_TEAM_ALL, &group));
  ok(eyot_team_create(EYOT_TEAM_ALL, group, &t));
  assert_int_equal(before, space_expected);
  assert_int_equal(before / (before - eyoti_extents_largest_free(space, NULL)), teams_expected);
  ok(eyot_team_destroy(&t));
  eyot_group_free(group);
}
static void control_memory_of_teams_has_an_end(void **state) {
  (void)state;
  static const struct {
    uint32_t n, per_node, teams;
  } SIZES[] = {{1, 1, 43690}, {2, 2, 16384}, {64, 64, 3855}, {64, 4, 8192}};
  for (uint32_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
    const struct fake_opts o = {.n = SIZES[i].n,
                                .seed = 1,
                                .units_per_node = SIZES[i].per_node,
                                .by_nodes = true,
                                .max_steps = UINT64_MAX};
    teams_expected = SIZES[i].teams;
    space_expected = UINT64_C(1) << (SIZES[i].per_node < SIZES[i].n ? 25 : 23);
    api_run(&o, SIZES[i].n < 64 ? body_teams : body_share);
  }
}

/* -- sizes ------------------------------------------------------------------------------------- */

static void body_registered_bytes(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  static uint64_t word;
  eyot_gptr_t g;
  ok(eyot_register(&word, ((uint64_t)1 << 47) - 1, &g));
  ok(eyot_unregister(g));
  refuses(EYOT_EINVAL, eyot_register(&word, (uint64_t)1 << 47, &g));
  refuses(EYOT_EINVAL, eyot_register(&word, UINT64_MAX, &g));
}
static void registrations_have_less_than_2_47_bytes(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 1, .seed = 1}, body_registered_bytes);
}

static void heap_main(struct fab *f, void *arg) {
  (void)f;
  assert_int_equal(eyot_init(NULL, NULL), *(const int *)arg);
  if (*(const int *)arg == EYOT_OK) ok(eyot_finalize());
}
static void body_private_room(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  eyot_gptr_t most, more;
  uint64_t word = 5, got = 0;
  refuses(EYOT_ENOMEM, eyot_alloc(16 * GIB, &more));
  ok(eyot_alloc(16 * GIB - 64, &most));
  ok(eyot_put(eyot_gptr_add(most, 16 * (int64_t)GIB - 72), &word, 8));
  ok(eyot_get(&got, eyot_gptr_add(most, 16 * (int64_t)GIB - 72), 8));
  assert_int_equal(got, 5);
  refuses(EYOT_ERANGE, eyot_put(eyot_gptr_add(most, 16 * (int64_t)GIB - 64), &word, 8));
  refuses(EYOT_ENOMEM, eyot_alloc(64, &more));
  ok(eyot_free(most));
  ok(eyot_alloc(64, &more));
  ok(eyot_free(more));
}
static void heaps_have_their_largest_sizes(void **state) {
  (void)state;
  const struct fake_opts o = {.n = 1, .seed = 1, .secure_bytes = UINT64_MAX};
  int want = EYOT_OK;
  setenv("EYOT_HEAP_MAX", "17592186044416", 1);
  assert_int_equal(fake_run(&o, heap_main, &want), FAKE_DONE);
  want = EYOT_EINVAL;
  setenv("EYOT_HEAP_MAX", "17592186044417", 1);
  assert_int_equal(fake_run(&o, heap_main, &want), FAKE_DONE);
  setenv("EYOT_HEAP_MAX", "34359738368", 1); /* 32 GiB, the upper half for eyot_alloc */
  api_run(&o, body_private_room);
  setenv("EYOT_HEAP_MAX", "2M", 1);
}

/* -- pointers ---------------------------------------------------------------------------------- */

/* At the end of the range, and one byte further: of another generation. */
static void moves(eyot_gptr_t g) {
  uint64_t word;
  refuses(EYOT_ERANGE, eyot_get(&word, eyot_gptr_add(g, FAR_BYTES - 1), 8));
  refuses(EYOT_ESEG, eyot_get(&word, eyot_gptr_add(g, FAR_BYTES), 8));
  refuses(EYOT_ERANGE, eyot_get(&word, eyot_gptr_add(g, -FAR_BYTES), 8));
  refuses(EYOT_ESEG, eyot_get(&word, eyot_gptr_add(g, -FAR_BYTES - 1), 8));
  ok(eyot_get(&word, eyot_gptr_add(eyot_gptr_add(g, FAR_BYTES), -FAR_BYTES), 8));
  ok(eyot_get(&word, eyot_gptr_add(eyot_gptr_add(g, INT64_MIN), INT64_MIN), 8));
}
static void body_pointers(uint32_t me, uint32_t n) {
  static uint64_t memory[2][2];
  eyot_gptr_t shared = api_alloc(64), registered, private;
  uint64_t word;
  ok(eyot_register(memory[me], 16, &registered));
  moves(eyot_gptr_at(shared, unit((me + 1) % n)));
  moves(shared);
  moves(registered);
  ok(eyot_alloc(64, &private));
  refuses(EYOT_ESEG, eyot_get(&word, eyot_gptr_add(private, 16 * (int64_t)GIB), 8));
  refuses(EYOT_ESEG, eyot_get(&word, eyot_gptr_add(private, -1), 1));
  ok(eyot_get(&word, eyot_gptr_add(eyot_gptr_add(private, FAR_BYTES), -FAR_BYTES), 8));
  ok(eyot_free(private));
  ok(eyot_unregister(registered));
  api_free(shared);
}
static void pointers_moved_too_far_are_refused(void **state) {
  (void)state;
  api_sweep(2, 1, body_pointers);
}

/* What the page says of names that recur: 2^32 generations later, and only then. */
static void body_recur(uint32_t me, uint32_t n) {
  (void)n;
  static uint64_t memory[2][2];
  struct eyoti_gmem *m = eyot_current->gmem;
  eyot_gptr_t old, now;
  uint64_t word;
  m->private_gen = 5;
  ok(eyot_alloc(64, &old));
  ok(eyot_free(old));
  for (uint64_t k = 0; k < 32; k++) {
    m->private_gen = 5 + (UINT64_C(1) << k);
    ok(eyot_alloc(64, &now));
    refuses(EYOT_ESEG, eyot_get(&word, old, 8));
    ok(eyot_free(now));
  }
  m->private_gen = 5 + (UINT64_C(1) << 32);
  ok(eyot_alloc(64, &now));
  assert_true(eyot_gptr_equal(old, now));
  ok(eyot_free(now));

  m->regs.cursor = 7;
  ok(eyot_register(memory[me], 16, &old));
  ok(eyot_unregister(old));
  uint64_t first = m->regs.entries[7 - m->regs.first].gen;
  for (uint64_t k = 1; k <= 32; k++) {
    eyoti_idtab_age(&m->regs, 7, first - 1 + (UINT64_C(1) << k));
    m->regs.cursor = 7;
    ok(eyot_register(memory[me], 16, &now));
    assert_int_equal(eyot_gptr_equal(old, now), k == 32);
    refuses(k == 32 ? EYOT_OK : EYOT_ESEG, eyot_get(&word, old, 8));
    ok(eyot_unregister(now));
  }
}
static void names_recur_after_2_32_and_not_before(void **state) {
  (void)state;
  api_sweep(2, 1, body_recur);
}

/* -- dynamic segments -------------------------------------------------------------------------- */

static eyot_dynamic_kind_t kind;
/* The words of a segment that nobody uses yet, as after so many attaches and detaches. */
static void dynamic_age(eyot_dynamic_t d, uint64_t version, uint32_t epoch) {
  struct eyoti_dynamic *x = eyoti_gmem_collective_find(eyot_current->gmem, d.at)->dynamic;
  struct eyoti_dyn_head *head = (struct eyoti_dyn_head *)(void *)x->base;
  head->id = version << EYOTI_DYN_COUNT_BITS;
  head->reg = (uint64_t)epoch << 32;
}
static void body_dynamic(uint32_t me, uint32_t n) {
  static uint64_t memory[4][16];
  static const struct {
    uint64_t version;
    uint32_t epoch;
  } STARTS[] = {{UINT32_MAX - 4, UINT32_MAX - 3}, {(UINT64_C(1) << 48) - 30, UINT32_MAX}};
  for (uint32_t s = 0; s < 2; s++) {
    eyot_dynamic_t d;
    eyot_gptr_t own, there;
    ok(eyot_dynamic_create(EYOT_TEAM_ALL, &(eyot_dynamic_attr_t){kind, 4, 4}, &d));
    dynamic_age(d, STARTS[s].version, STARTS[s].epoch);
    ok(eyot_barrier(EYOT_TEAM_ALL));
    for (uint64_t round = 0; round < 12; round++) {
      uint64_t *mine = &memory[me][round % 3 * 4], got = 0;
      mine[1] = me * 100 + round;
      ok(eyot_dynamic_attach(d, mine, 32, &own));
      ok(eyot_barrier(EYOT_TEAM_ALL));
      for (uint32_t k = 1; k < n; k++) {
        uint32_t u = (me + k) % n;
        uint64_t *theirs = &memory[u][round % 3 * 4], *gone = &memory[u][(round + 2) % 3 * 4];
        ok(eyot_dynamic_gptr(d, unit(u), (uint64_t)(uintptr_t)&theirs[1], &there));
        ok(eyot_get(&got, there, 8));
        assert_int_equal(got, u * 100 + round);
        ok(eyot_dynamic_gptr(d, unit(u), (uint64_t)(uintptr_t)&gone[1], &there));
        refuses(EYOT_ERANGE,
                eyot_get(&got, there, 8)); /* detached a round ago, or never attached */
      }
      ok(eyot_barrier(EYOT_TEAM_ALL));
      ok(eyot_dynamic_detach(d, mine));
    }
    ok(eyot_dynamic_destroy(&d));
  }
}
static void dynamic_segments_work_near_their_ends(void **state) {
  (void)state;
  for (int k = EYOT_DYNAMIC_VALIDATE; k <= EYOT_DYNAMIC_NOTIFY; k++) {
    kind = (eyot_dynamic_kind_t)k;
    api_sweep(3, 3, body_dynamic);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_table_of_allocations_is_busy_on_all),
      cmocka_unit_test(full_table_of_registrations_is_busy),
      cmocka_unit_test(control_memory_of_teams_has_an_end),
      cmocka_unit_test(registrations_have_less_than_2_47_bytes),
      cmocka_unit_test(heaps_have_their_largest_sizes),
      cmocka_unit_test(pointers_moved_too_far_are_refused),
      cmocka_unit_test(names_recur_after_2_32_and_not_before),
      cmocka_unit_test(dynamic_segments_work_near_their_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
