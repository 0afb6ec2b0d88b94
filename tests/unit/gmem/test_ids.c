/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ids.c - ids of segments, teams, registered and private memory near their ends: generations
 * pass 2^16 and 2^32 without an old name becoming valid again, and a table whose generations are
 * used up gives an error. */
#include "gmem/state.h"
#include "teams/state.h"
#include "unit/api_unit.h"

#define BEFORE_16 ((UINT64_C(1) << 16) - 3)
#define BEFORE_32 ((UINT64_C(1) << 32) - 3)
#define STEPS 6 /* past the mark */

/* The figures of src/base/limits.def. */
_Static_assert(EYOTI_SEG_REGISTERED - EYOTI_SEG_FIRST == 48636, "collective allocations alive");
_Static_assert(EYOTI_GMEM_REGISTERED_MAX == 512, "registrations alive");
_Static_assert(EYOTI_IDTAB_GEN_BITS == 40 && EYOTI_GEN_BITS == 32, "generations");
_Static_assert(EYOTI_PLACE_LOW_BITS + EYOTI_PLACE_HIGH_BITS == 28 &&
                   EYOTI_GMEM_ALIGN * (UINT64_C(1) << 28) == UINT64_C(16) << 30,
               "the part of a heap that serves eyot_alloc");

/* Sets the last generation of each free index. */
static void age(struct eyoti_idtab *t, uint64_t gen) {
  for (uint32_t i = t->first; i < t->limit; i++) {
    ok(eyoti_idtab_reserve(t, i));
    if (eyoti_idtab_at(t, i) == NULL) eyoti_idtab_age(t, i, gen);
  }
}
/* The next item gets this index again. */
static void again_at(struct eyoti_idtab *t, uint32_t index) {
  t->cursor = index;
}

/* eyoti_idtab_add chooses as the functions that it stands for do, in young and in old tables. */
static void add_is_next_and_put(void **state) {
  (void)state;
  static int item;
  struct eyoti_idtab a, b;
  uint64_t s = 3;
  eyoti_idtab_init(&a, 2, 3000);
  eyoti_idtab_init(&b, 2, 3000);
  for (int i = 0; i < 40000; i++) {
    uint32_t index, at = 2 + (uint32_t)(draw(&s) % 2998);
    uint64_t gen = 0;
    if (i == 30000)
      for (uint32_t k = 2; k < 2 + b.n; k++)
        if (eyoti_idtab_at(&b, k) == NULL) {
          eyoti_idtab_age(&a, k, EYOTI_IDTAB_GEN_YOUNG - 3);
          eyoti_idtab_age(&b, k, EYOTI_IDTAB_GEN_YOUNG - 3);
        }
    if (draw(&s) % 5 < 3 && eyoti_idtab_at(&a, at) != NULL) {
      eyoti_idtab_del(&a, at);
      eyoti_idtab_del(&b, at);
      continue;
    }
    ok(eyoti_idtab_add(&a, &item, &index, &gen));
    assert_int_equal(index, eyoti_idtab_next(&b));
    if (index == EYOTI_IDTAB_NONE) continue;
    ok(eyoti_idtab_reserve(&b, index));
    assert_int_equal(gen, eyoti_idtab_next_gen(&b, index));
    eyoti_idtab_put(&b, index, gen, &item);
    assert_true(a.cursor == b.cursor && a.span == b.span && a.live == b.live);
  }
  eyoti_idtab_fini(&a);
  eyoti_idtab_fini(&b);
}

/* More allocations than 2^16 at one place: by the public calls alone. */
static void body_private(uint32_t me, uint32_t n) {
  (void)n;
  eyot_gptr_t old, now;
  uint64_t word = 1;
  ok(eyot_alloc(64, &old));
  ok(eyot_put(eyot_gptr_add(old, 56), &word, 8));
  ok(eyot_free(old));
  uint32_t valid = 0;
  for (uint32_t i = 0; i < 70000; i++) {
    ok(eyot_alloc(64, &now));
    assert_int_equal(now.unit, me);
    if (i % 1000 == 0 || (i > 65500 && i < 65600)) valid += eyot_get(&word, old, 8) != EYOT_ESEG;
    ok(eyot_put(eyot_gptr_add(now, 56), &word, 8));
    ok(eyot_free(now));
  }
  assert_int_equal(valid, 0);
}
static void private_names_outlive_65536_allocations(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 1, .units_per_node = 2}, body_private);
}

static void body_private_near_the_end(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  static const uint64_t MARKS[] = {BEFORE_16, BEFORE_32};
  for (int m = 0; m < 2; m++) {
    eyot_gptr_t g[STEPS];
    uint64_t got;
    eyot_current->gmem->private_gen = MARKS[m];
    for (int i = 0; i < STEPS; i++) {
      ok(eyot_alloc(64 + 64 * (uint64_t)i, &g[i]));
      ok(eyot_put(g[i], &MARKS[m], 8));
      ok(eyot_get(&got, g[i], 8));
      assert_true(got == MARKS[m]);
      int64_t bytes;
      ok(eyot_gptr_diff(eyot_gptr_add(g[i], 40), g[i], &bytes));
      assert_int_equal(bytes, 40);
      ok(eyot_free(g[i]));
      for (int k = 0; k <= i; k++) refuses(EYOT_ESEG, eyot_get(&got, g[k], 8));
    }
  }
}
static void private_generations_pass_2_16_and_2_32(void **state) {
  (void)state;
  api_sweep(2, 1, body_private_near_the_end);
}

static void body_registered(uint32_t me, uint32_t n) {
  (void)n;
  static const uint64_t MARKS[] = {BEFORE_16, BEFORE_32};
  static uint64_t memory[2][8];
  struct eyoti_idtab *regs = &eyot_current->gmem->regs;
  for (int m = 0; m < 2; m++) {
    eyot_gptr_t g[STEPS];
    uint64_t got;
    age(regs, MARKS[m]);
    for (int i = 0; i < STEPS; i++) {
      again_at(regs, 7);
      memory[me][7] = (uint64_t)i;
      ok(eyot_register(memory[me], sizeof memory[me], &g[i]));
      ok(eyot_get(&got, eyot_gptr_add(g[i], 56), 8));
      assert_int_equal(got, i);
      refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(g[i], 57), 8));
      refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(g[i], -8), 8));
      for (int k = 0; k < i; k++) refuses(EYOT_ESEG, eyot_get(&got, g[k], 8));
      for (int k = 0; k < i; k++) refuses(EYOT_ESEG, eyot_unregister(g[k]));
      ok(eyot_unregister(g[i]));
      refuses(EYOT_ESEG, eyot_get(&got, g[i], 8));
    }
  }
  eyot_gptr_t last;
  age(regs, EYOTI_IDTAB_GEN_MAX - 1);
  ok(eyot_register(memory[me], sizeof memory[me], &last));
  age(regs, EYOTI_IDTAB_GEN_MAX);
  refuses(EYOT_EBUSY, eyot_register(memory[me], sizeof memory[me], &last));
  last.offset = eyoti_gen_high(EYOTI_IDTAB_GEN_MAX);
  ok(eyot_unregister(last));
}
static void registrations_pass_2_16_and_2_32(void **state) {
  (void)state;
  api_sweep(2, 1, body_registered);
}

static void use(eyot_gptr_t g, uint32_t me, uint32_t n) {
  uint64_t value = g.offset + me, got, old;
  eyot_gptr_t there = eyot_gptr_at(g, unit((me + 1) % n));
  ok(eyot_put(eyot_gptr_add(there, 8), &value, 8));
  ok(eyot_get(&got, eyot_gptr_add(there, 8), 8));
  assert_true(got == value);
  ok(eyot_fetch_add_u64(there, 1, &old));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(*(uint64_t *)api_own(g), 1);
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(there, -8), 8));
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(there, 64), 8));
}

static void body_collective(uint32_t me, uint32_t n) {
  static const uint64_t MARKS[] = {BEFORE_16, BEFORE_32};
  struct eyoti_idtab *segs = &eyot_current->gmem->segs;
  for (int m = 0; m < 2; m++) {
    eyot_gptr_t g[STEPS];
    uint64_t got;
    age(segs, MARKS[m]);
    for (int i = 0; i < STEPS; i++) {
      again_at(segs, 9);
      g[i] = api_alloc(64);
      assert_int_equal(g[i].seg, 9);
      use(g[i], me, n);
      for (int k = 0; k < i; k++) {
        refuses(EYOT_ESEG, eyot_get(&got, eyot_gptr_at(g[k], unit((me + 1) % n)), 8));
        refuses(EYOT_ESEG, eyot_team_free(g[k]));
      }
      api_free(g[i]);
      refuses(EYOT_ESEG, eyot_put(eyot_gptr_at(g[i], unit((me + 1) % n)), &got, 8));
    }
  }
  eyot_gptr_t last;
  age(segs, EYOTI_IDTAB_GEN_MAX);
  refuses(EYOT_EBUSY, eyot_team_alloc(EYOT_TEAM_ALL, 64, &last));
}
static void segments_pass_2_16_and_2_32(void **state) {
  (void)state;
  api_sweep(2, 1, body_collective);
}

/* Pointers to memory that was freed and to what lies there now have no distance, nor have blocks
 * whose generations end alike. */
static void body_diff(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  struct eyoti_gmem *m = eyot_current->gmem;
  eyot_gptr_t p, q, again, g[3];
  int64_t bytes;
  m->private_gen = 7;
  ok(eyot_alloc(64, &p));
  m->private_gen = 7 + (UINT64_C(1) << 16);
  ok(eyot_alloc(64, &q));
  assert_true(p.gen == q.gen && p.seg == q.seg);
  refuses(EYOT_EINVAL, eyot_gptr_diff(p, q, &bytes));
  ok(eyot_free(q));
  ok(eyot_alloc(64, &again));
  assert_true(again.gen != q.gen && eyoti_gptr_place(again) == eyoti_gptr_place(q));
  refuses(EYOT_EINVAL, eyot_gptr_diff(again, q, &bytes));
  ok(eyot_free(again));
  ok(eyot_free(p));
  static const uint64_t GENERATIONS[] = {4, 5, 5 + (UINT64_C(1) << 16)};
  for (int i = 0; i < 3; i++) {
    age(&m->segs, GENERATIONS[i] - 1);
    again_at(&m->segs, 9);
    g[i] = api_alloc(64);
    api_free(g[i]);
  }
  assert_true(g[0].gen != g[1].gen && g[1].gen == g[2].gen);
  refuses(EYOT_EINVAL, eyot_gptr_diff(g[1], g[0], &bytes));
  refuses(EYOT_EINVAL, eyot_gptr_diff(g[2], g[1], &bytes));
}
static void memory_of_another_generation_has_no_distance(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, body_diff);
}

/* The members' tables differ in which indices are free, in the cursor and in the generations. */
static void body_uneven(uint32_t me, uint32_t n) {
  struct eyoti_idtab *segs = &eyot_current->gmem->segs;
  for (uint32_t round = 0; round < 8; round++) {
    segs->cursor = me % 2 == 0 ? segs->limit - 1 : segs->first + (me * 37 + round * 11) % 200;
    ok(eyoti_idtab_reserve(segs, 40 + me));
    if (eyoti_idtab_at(segs, 40 + me) == NULL) eyoti_idtab_age(segs, 40 + me, 100 * round + me);
    eyot_gptr_t g = api_alloc(64), h = api_alloc(128);
    use(g, me, n);
    api_free(h);
    api_free(g);
  }
}
static void members_with_other_tables_agree(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 5; n++) api_sweep(n, 1, body_uneven);
}

static void body_teams(uint32_t me, uint32_t n) {
  static const uint64_t MARKS[] = {BEFORE_16, BEFORE_32};
  struct eyoti_idtab *ids = &eyot_current->teams->ids;
  eyot_group_t *group;
  eyot_team_t t, last;
  uint32_t size;
  (void)me;
  ok(eyot_team_group(EYOT_TEAM_ALL, &group));
  for (int m = 0; m < 2; m++) {
    eyot_team_t old[STEPS];
    age(ids, MARKS[m]);
    for (int i = 0; i < STEPS; i++) {
      again_at(ids, 5);
      ok(eyot_team_create(EYOT_TEAM_ALL, group, &t));
      ok(eyot_team_size(t, &size));
      assert_int_equal(size, n);
      ok(eyot_barrier(t));
      old[i] = t;
      for (int k = 0; k < i; k++) refuses(EYOT_ETEAM, eyot_barrier(old[k]));
      ok(eyot_team_destroy(&t));
      refuses(EYOT_ETEAM, eyot_barrier(old[i]));
    }
  }
  age(ids, EYOTI_IDTAB_GEN_MAX);
  refuses(EYOT_EBUSY, eyot_team_create(EYOT_TEAM_ALL, group, &last));
  refuses(EYOT_ETEAM, eyot_barrier((eyot_team_t){UINT64_MAX}));
  eyot_group_free(group);
}
static void teams_pass_2_16_and_2_32(void **state) {
  (void)state;
  api_sweep(2, 1, body_teams);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(add_is_next_and_put),
      cmocka_unit_test(private_names_outlive_65536_allocations),
      cmocka_unit_test(private_generations_pass_2_16_and_2_32),
      cmocka_unit_test(registrations_pass_2_16_and_2_32),
      cmocka_unit_test(segments_pass_2_16_and_2_32),
      cmocka_unit_test(memory_of_another_generation_has_no_distance),
      cmocka_unit_test(members_with_other_tables_agree),
      cmocka_unit_test(teams_pass_2_16_and_2_32),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
