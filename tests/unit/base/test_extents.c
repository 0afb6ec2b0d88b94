/* SPDX-License-Identifier: BSD-3-Clause */
/* test_extents.c - compares extents with a bitmap; tests id tables. */
#include "base/extents.h"
#include "base/idtab.h"
#include "unit/api_unit.h"

#define SPACE 256u
#define BEGIN 16u

static bool model_free(const struct eyoti_extents *e, const bool *used, uint64_t off,
                       uint64_t len) {
  if (off < BEGIN || off > SPACE || len > SPACE - off) return false;
  if (off < e->cut && off + len > e->cut) return false;
  for (uint64_t i = off; i < off + len; i++)
    if (used[i]) return false;
  return true;
}

static bool model_aligned(const struct eyoti_extents *e, uint64_t off, uint64_t align) {
  bool after = e->cut != 0 && off >= e->cut;
  return ((after ? e->cut_origin : e->origin) + off) % align == 0;
}

static void compare_with_model(const struct eyoti_extents *e, const bool *used, uint64_t len,
                               uint64_t align, uint64_t hint) {
  uint64_t want = UINT64_MAX, got = UINT64_MAX;
  for (uint64_t off = hint; off <= SPACE && want == UINT64_MAX; off++)
    if (model_aligned(e, off, align) && model_free(e, used, off, len)) want = off;
  assert_int_equal(eyoti_extents_lowest(e, len, align, hint, &got), want != UINT64_MAX);
  assert_int_equal(got, want);
  want = got = UINT64_MAX;
  for (uint64_t off = 0; off <= SPACE; off++)
    if (model_aligned(e, off, align) && model_free(e, used, off, len)) want = off;
  assert_int_equal(eyoti_extents_highest(e, len, align, &got), want != UINT64_MAX);
  assert_int_equal(got, want);
  for (uint64_t off = 0; off <= SPACE + 2; off++)
    assert_int_equal(eyoti_extents_is_free(e, off, len), model_free(e, used, off, len));
  uint64_t largest = 0, run = 0, start = BEGIN;
  for (uint64_t i = BEGIN; i < SPACE; i++) {
    if (i == e->cut) run = 0;
    run = used[i] ? 0 : run + 1;
    if (run > largest) {
      largest = run;
      start = i + 1 - run;
    }
  }
  assert_int_equal(eyoti_extents_largest_free(e, &got), largest);
  assert_int_equal(got, start);
}

static void extents_agree_with_a_bitmap(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    struct eyoti_extents e;
    bool used[SPACE] = {false};
    uint64_t starts[SPACE], lens[SPACE], r = seed;
    uint32_t n = 0;
    eyoti_extents_init(&e, BEGIN, SPACE);
    e.origin = seed % 3 * 5; /* addresses are aligned */
    e.cut = seed % 4 == 0 ? 0 : BEGIN + draw(&r) % (SPACE - BEGIN + 1);
    e.cut_origin = seed % 5 * 3;
    for (int step = 0; step < 120; step++) {
      uint64_t len = 1 + draw(&r) % 24, align = (uint64_t)1 << draw(&r) % 5, off;
      compare_with_model(&e, used, len, align, draw(&r) % SPACE);
      bool from_top = draw(&r) % 2 != 0;
      if (draw(&r) % 3 != 0 && (from_top ? eyoti_extents_highest(&e, len, align, &off)
                                         : eyoti_extents_lowest(&e, len, align, 0, &off))) {
        assert_int_equal(eyoti_extents_take(&e, off, len), EYOT_OK);
        memset(used + off, 1, len);
        starts[n] = off;
        lens[n++] = len;
      } else if (n > 0) {
        uint64_t i = draw(&r) % n, was = 0;
        if (lens[i] > 1) assert_false(eyoti_extents_release(&e, starts[i] + 1, &was));
        assert_true(eyoti_extents_release(&e, starts[i], &was));
        assert_int_equal(was, lens[i]);
        assert_false(eyoti_extents_release(&e, starts[i], NULL));
        memset(used + starts[i], 0, lens[i]);
        starts[i] = starts[--n];
        lens[i] = lens[n];
      }
      assert_true(eyoti_extents_is_valid(&e));
    }
    while (n > 0) assert_true(eyoti_extents_release(&e, starts[--n], NULL));
    assert_null(e.first.used); /* no memory is kept while no extent is in use */
    eyoti_extents_fini(&e);
  }
}

/* More than a part holds: what is taken is compared with a bitmap of MANY units, in which runs of
 * both kinds of search, of releases and of all of them in a row follow each other. */
#define MANY 6000u

static uint64_t search_many(const bool *used, uint64_t cut, uint64_t len, bool from_top) {
  uint64_t found = UINT64_MAX, run = 0;
  for (uint64_t i = 0; i < MANY; i++) {
    if (i == cut) run = 0;
    run = used[i] ? 0 : run + 1;
    if (run < len) continue;
    found = i + 1 - len;
    if (!from_top) break;
  }
  return found;
}

static void many_extents_agree_with_a_bitmap(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    struct eyoti_extents e;
    static bool used[MANY];
    static uint64_t starts[MANY], lens[MANY];
    uint64_t r = seed;
    uint32_t n = 0, most = 0, parts = 0;
    memset(used, 0, sizeof used);
    eyoti_extents_init(&e, 0, MANY);
    e.cut = seed % 3 * 301;
    for (int step = 0; step < 6000; step++) {
      bool fills = step / 1500 % 2 == 0, from_top = draw(&r) % 2 != 0;
      uint64_t len = 1 + draw(&r) % 5, got = UINT64_MAX, was;
      if (draw(&r) % 4 == 0 ? !fills : fills) {
        uint64_t want = search_many(used, e.cut, len, from_top);
        bool some = from_top ? eyoti_extents_highest(&e, len, 1, &got)
                             : eyoti_extents_lowest(&e, len, 1, 0, &got);
        assert_int_equal(some, want != UINT64_MAX);
        assert_int_equal(got, want);
        if (!some) continue;
        assert_true(eyoti_extents_is_free(&e, got, len));
        ok(eyoti_extents_take(&e, got, len));
        assert_false(eyoti_extents_is_free(&e, got, 1));
        memset(used + got, 1, len);
        starts[n] = got;
        lens[n++] = len;
      } else if (n > 0) {
        uint64_t i = seed % 2 == 0 ? n - 1 : draw(&r) % n;
        assert_true(eyoti_extents_release(&e, starts[i], &was));
        assert_int_equal(was, lens[i]);
        memset(used + starts[i], 0, was);
        starts[i] = starts[--n];
        lens[i] = lens[n];
      }
      assert_int_equal(e.n, n);
      if (n > most) most = n;
      if (e.n_parts > parts) parts = e.n_parts;
      if (step % 8 == 0) assert_true(eyoti_extents_is_valid(&e));
    }
    assert_true(most > 600);
    assert_true(parts > 8 && e.n_parts < parts);
    while (n > 0) assert_true(eyoti_extents_release(&e, starts[--n], NULL));
    assert_true(eyoti_extents_is_valid(&e));
    assert_null(e.parts);
    eyoti_extents_fini(&e);
  }
}

static void extents_without_memory_stay_as_they_were(void **state) {
  (void)state;
  struct eyoti_extents e;
  eyoti_extents_init(&e, 0, 1u << 20);
  for (uint64_t i = 0; i < 2000; i++) { /* until its table of parts grows, too */
    uint32_t before = e.n;
    fake_alloc_fail_after(1);
    int rc = eyoti_extents_take(&e, i * 2, 1);
    fake_alloc_fail_after(0);
    if (rc != EYOT_OK) {
      assert_int_equal(rc, EYOT_ENOMEM);
      assert_int_equal(e.n, before);
      ok(eyoti_extents_reserve(&e));
      fake_alloc_fail_after(1);
      ok(eyoti_extents_take(&e, i * 2, 1)); /* the reservation makes this succeed */
      fake_alloc_fail_after(0);
    }
  }
  eyoti_extents_fini(&e);
}

static void ids_come_back_with_a_new_generation(void **state) {
  (void)state;
  struct eyoti_idtab t;
  int a, b;
  eyoti_idtab_init(&t, 3, 8);
  assert_int_equal(eyoti_idtab_lowest(&t, 0), 3);
  assert_int_equal(eyoti_idtab_top(&t), 3);
  ok(eyoti_idtab_reserve(&t, 4));
  assert_int_equal(eyoti_idtab_top(&t), 3);
  eyoti_idtab_put(&t, 4, eyoti_idtab_next_gen(&t, 4), &a);
  assert_int_equal(eyoti_idtab_top(&t), 5);
  assert_int_equal(eyoti_idtab_lowest(&t, 4), 5);
  assert_int_equal(eyoti_idtab_lowest(&t, 0), 3);
  assert_ptr_equal(eyoti_idtab_get(&t, 4, 1, 40), &a);
  assert_null(eyoti_idtab_get(&t, 4, 2, 40));
  assert_null(eyoti_idtab_get(&t, 2, 1, 40));
  assert_null(eyoti_idtab_get(&t, 9, 1, 40));
  eyoti_idtab_del(&t, 4);
  assert_null(eyoti_idtab_get(&t, 4, 1, 40));
  assert_int_equal(eyoti_idtab_next_gen(&t, 4), 2);
  eyoti_idtab_put(&t, 4, 7, &b);
  assert_null(eyoti_idtab_get(&t, 4, 1, 40));
  assert_ptr_equal(eyoti_idtab_get(&t, 4, 7, 40), &b);
  assert_ptr_equal(eyoti_idtab_get(&t, 4, 7 + (1u << 16), 16), &b);
  assert_null(eyoti_idtab_get(&t, 4, 7 + (1u << 16), 32));
  assert_ptr_equal(eyoti_idtab_at(&t, 4), &b);
  assert_null(eyoti_idtab_at(&t, 3));
  eyoti_idtab_fini(&t);
}

/* The index that is free for longest comes first: a name recurs after as many frees as the table
 * has indices, times its generations. The span grows with the live items. */
static void oldest_free_index_comes_first(void **state) {
  (void)state;
  struct eyoti_idtab t;
  int item;
  eyoti_idtab_init(&t, 4, 0xbe00);
  for (uint32_t turn = 0; turn < 3; turn++)
    for (uint32_t i = 4; i < 4 + EYOTI_IDTAB_SPAN_FIRST; i++) {
      assert_int_equal(eyoti_idtab_next(&t), i);
      ok(eyoti_idtab_reserve(&t, i));
      assert_int_equal(eyoti_idtab_next_gen(&t, i), turn + 1);
      eyoti_idtab_put(&t, i, turn + 1, &item);
      eyoti_idtab_del(&t, i);
    }
  /* all live: each index up to the limit, and then none */
  bool seen[0xbe00] = {false};
  for (uint32_t n = 4; n < 0xbe00; n++) {
    uint32_t i = eyoti_idtab_next(&t);
    assert_in_range(i, 4, 0xbe00 - 1);
    assert_false(seen[i]);
    seen[i] = true;
    ok(eyoti_idtab_reserve(&t, i));
    eyoti_idtab_put(&t, i, eyoti_idtab_next_gen(&t, i), &item);
  }
  assert_int_equal(eyoti_idtab_next(&t), EYOTI_IDTAB_NONE);
  eyoti_idtab_del(&t, 700);
  assert_int_equal(eyoti_idtab_next(&t), 700);
  eyoti_idtab_fini(&t);
}

static void used_up_index_retires(void **state) {
  (void)state;
  struct eyoti_idtab t;
  int item;
  eyoti_idtab_init(&t, 0, 2);
  ok(eyoti_idtab_reserve(&t, 1));
  eyoti_idtab_put(&t, 0, EYOTI_IDTAB_GEN_MAX, &item);
  eyoti_idtab_del(&t, 0);
  assert_int_equal(eyoti_idtab_lowest(&t, 0), 1);
  eyoti_idtab_put(&t, 1, 1, &item);
  assert_int_equal(eyoti_idtab_lowest(&t, 0), EYOTI_IDTAB_NONE);
  eyoti_idtab_fini(&t);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(extents_agree_with_a_bitmap),
                                     cmocka_unit_test(many_extents_agree_with_a_bitmap),
                                     cmocka_unit_test(extents_without_memory_stay_as_they_were),
                                     cmocka_unit_test(ids_come_back_with_a_new_generation),
                                     cmocka_unit_test(oldest_free_index_comes_first),
                                     cmocka_unit_test(used_up_index_retires)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
