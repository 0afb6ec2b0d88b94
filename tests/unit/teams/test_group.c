/* SPDX-License-Identifier: BSD-3-Clause */
/* test_group.c - compares groups with a bitmap; canonical runs, errors. Groups need no runtime. */
#include "teams/group.h"
#include "unit/api_unit.h"

#define IDS 160u

struct model {
  bool in[IDS];
};

/* Sets as programs make them: ranges, strides, single units, and random ones. */
static eyot_group_t *random_group(uint64_t *r, struct model *m) {
  eyot_group_t *g;
  *m = (struct model){{false}};
  ok(eyot_group_new(&g));
  uint64_t pieces = draw(r) % 5;
  for (uint64_t p = 0; p < pieces; p++) {
    uint32_t first = (uint32_t)(draw(r) % IDS), stride = 1 + (uint32_t)(draw(r) % 9);
    uint32_t count = 1 + (uint32_t)(draw(r) % ((IDS - 1 - first) / stride + 1));
    eyot_group_t *piece, *sum;
    ok(eyot_group_range(first, count, stride, &piece));
    ok(eyot_group_union(g, piece, &sum));
    eyot_group_free(g);
    eyot_group_free(piece);
    g = sum;
    for (uint32_t i = 0; i < count; i++) m->in[first + i * stride] = true;
  }
  for (uint64_t changes = draw(r) % 6; changes > 0; changes--) {
    uint32_t id = (uint32_t)(draw(r) % IDS);
    bool add = draw(r) % 2 != 0;
    ok(add ? eyot_group_add(g, unit(id)) : eyot_group_remove(g, unit(id)));
    m->in[id] = add;
  }
  return g;
}

static void check(const eyot_group_t *g, const struct model *m) {
  eyot_unit_t members[IDS], ids[IDS];
  uint32_t n = 0;
  for (uint32_t id = 0; id < IDS; id++) {
    assert_int_equal(eyot_group_has(g, unit(id)), m->in[id]);
    if (m->in[id]) ids[n++] = unit(id);
  }
  assert_int_equal(eyot_group_size(g), n);
  ok(eyot_group_members(g, members, IDS));
  for (uint32_t i = 0; i < n; i++) {
    eyot_unit_t at;
    uint32_t index;
    assert_int_equal(members[i].id, ids[i].id);
    ok(eyot_group_at(g, i, &at));
    assert_int_equal(at.id, ids[i].id);
    ok(eyot_group_index(g, ids[i], &index));
    assert_int_equal(index, i);
  }
  assert_true(eyoti_ranges_is_valid(eyoti_group_ranges(g)));
  /* Canonical: the same set made in another way has the same runs. */
  eyot_group_t *same;
  for (uint32_t i = 0; i < n / 2; i++) {
    eyot_unit_t t = ids[i];
    ids[i] = ids[n - 1 - i];
    ids[n - 1 - i] = t;
  }
  ok(eyot_group_from(ids, n, &same));
  assert_true(eyot_group_equal(g, same));
  assert_int_equal(eyoti_ranges_hash(eyoti_group_ranges(g)),
                   eyoti_ranges_hash(eyoti_group_ranges(same)));
  eyot_group_free(same);
}

static void check_split(const eyot_group_t *g, uint32_t n) {
  eyot_group_t *parts[7], *all, *sum;
  ok(eyot_group_split(g, n, parts));
  ok(eyot_group_new(&all));
  uint32_t last = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t size = eyot_group_size(parts[i]);
    assert_int_equal(size, eyot_group_size(g) / n + (i < eyot_group_size(g) % n ? 1 : 0));
    if (size > 0) {
      eyot_unit_t first;
      ok(eyot_group_at(parts[i], 0, &first));
      assert_true(i == 0 || last < first.id);
      ok(eyot_group_at(parts[i], size - 1, &first));
      last = first.id;
    }
    ok(eyot_group_union(all, parts[i], &sum));
    eyot_group_free(all);
    eyot_group_free(parts[i]);
    all = sum;
  }
  assert_true(eyot_group_equal(all, g));
  eyot_group_free(all);
}

static void groups_agree_with_a_bitmap(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    uint64_t r = seed;
    struct model ma, mb, mu, mi, md;
    eyot_group_t *a = random_group(&r, &ma), *b = random_group(&r, &mb), *u, *i, *d, *copy;
    bool subset = true;
    for (uint32_t id = 0; id < IDS; id++) {
      mu.in[id] = ma.in[id] || mb.in[id];
      mi.in[id] = ma.in[id] && mb.in[id];
      md.in[id] = ma.in[id] && !mb.in[id];
      if (md.in[id]) subset = false;
    }
    ok(eyot_group_union(a, b, &u));
    ok(eyot_group_intersect(a, b, &i));
    ok(eyot_group_difference(a, b, &d));
    ok(eyot_group_copy(a, &copy));
    check(a, &ma);
    check(u, &mu);
    check(i, &mi);
    check(d, &md);
    check(copy, &ma);
    assert_int_equal(eyoti_ranges_subset(eyoti_group_ranges(a), eyoti_group_ranges(b)), subset);
    assert_true(eyoti_ranges_subset(eyoti_group_ranges(i), eyoti_group_ranges(b)));
    check_split(u, 1 + (uint32_t)(seed % 7));
    eyot_group_free(a);
    eyot_group_free(b);
    eyot_group_free(u);
    eyot_group_free(i);
    eyot_group_free(d);
    eyot_group_free(copy);
  }
}

/* Large regular sets are a few runs, and operations on them do not visit each member. */
static void large_regular_groups_stay_few_runs(void **state) {
  (void)state;
  eyot_group_t *all, *even, *node, *d, *u;
  ok(eyot_group_range(0, UINT32_MAX, 1, &all));
  assert_int_equal(eyot_group_size(all), UINT32_MAX);
  ok(eyot_group_range(1000, 24, 1, &node));
  ok(eyot_group_difference(all, node, &d));
  assert_int_equal(eyoti_group_ranges(d)->nruns, 2);
  assert_int_equal(eyot_group_size(d), UINT32_MAX - 24);
  ok(eyot_group_union(d, node, &u));
  assert_true(eyot_group_equal(u, all));
  assert_int_equal(eyoti_group_ranges(u)->nruns, 1);
  eyot_group_free(d);
  eyot_group_free(u);
  ok(eyot_group_range(0, 5000, 2, &even));
  eyot_group_t *small;
  ok(eyot_group_range(0, 10000, 1, &small));
  ok(eyot_group_difference(small, even, &d));
  assert_int_equal(eyoti_group_ranges(d)->nruns, 1);
  assert_int_equal(eyoti_group_ranges(d)->run[0].stride, 2);
  ok(eyot_group_union(d, even, &u));
  assert_true(eyot_group_equal(u, small));
  eyot_group_free(d);
  eyot_group_free(u);
  /* A lone unit before a run does not spoil it. */
  const eyot_unit_t ids[] = {{0}, {100}, {101}, {102}, {103}};
  ok(eyot_group_from(ids, 5, &d));
  assert_int_equal(eyoti_group_ranges(d)->nruns, 2);
  eyot_group_free(d);
  eyot_group_free(all);
  eyot_group_free(even);
  eyot_group_free(node);
  eyot_group_free(small);
}

static void misuse_of_groups_is_refused(void **state) {
  (void)state;
  eyot_group_t *g, *none = NULL;
  eyot_unit_t u, members[2];
  uint32_t i;
  refuses(EYOT_EINVAL, eyot_group_new(NULL));
  refuses(EYOT_EINVAL, eyot_group_range(0, 4, 0, &none));
  refuses(EYOT_EINVAL, eyot_group_range(UINT32_MAX, 1, 1, &none));
  refuses(EYOT_EINVAL, eyot_group_range(10, UINT32_MAX, 1, &none));
  refuses(EYOT_EINVAL, eyot_group_range(0, 3, UINT32_MAX / 2 + 1, &none));
  refuses(EYOT_EINVAL, eyot_group_from(NULL, 1, &none));
  refuses(EYOT_EINVAL, eyot_group_from(&(eyot_unit_t){UINT32_MAX}, 1, &none));
  assert_null(none);
  ok(eyot_group_from((const eyot_unit_t[]){{7}, {3}, {7}, {5}}, 4, &g));
  assert_int_equal(eyot_group_size(g), 3);
  refuses(EYOT_ERANGE, eyot_group_members(g, members, 2));
  refuses(EYOT_ERANGE, eyot_group_at(g, 3, &u));
  refuses(EYOT_EUNIT, eyot_group_index(g, unit(4), &i));
  refuses(EYOT_EUNIT, eyot_group_index(g, unit(9), &i));
  refuses(EYOT_EUNIT, eyot_group_index(g, unit(1), &i));
  refuses(EYOT_EINVAL, eyot_group_add(g, unit(UINT32_MAX)));
  refuses(EYOT_EINVAL, eyot_group_add(NULL, unit(1)));
  refuses(EYOT_EINVAL, eyot_group_remove(NULL, unit(1)));
  refuses(EYOT_EINVAL, eyot_group_union(g, NULL, &none));
  refuses(EYOT_EINVAL, eyot_group_split(g, 0, &none));
  refuses(EYOT_EINVAL, eyot_group_copy(NULL, &none));
  assert_int_equal(eyot_group_size(NULL), 0);
  assert_false(eyot_group_has(NULL, unit(0)));
  assert_false(eyot_group_equal(g, NULL));
  ok(eyot_group_remove(g, unit(4)));
  assert_int_equal(eyot_group_size(g), 3);
  ok(eyot_group_add(g, unit(3)));
  assert_int_equal(eyot_group_size(g), 3);
  eyot_group_free(g);
  eyot_group_free(NULL);
}

/* Whichever allocation fails, the arguments are unchanged and no memory is lost (asan watches). */
static void group_without_memory_is_unchanged(void **state) {
  (void)state;
  eyot_group_t *a, *b;
  ok(eyot_group_range(0, 20, 3, &a));
  ok(eyot_group_from((const eyot_unit_t[]){{1}, {2}, {9}, {30}, {34}, {50}, {52}, {77}, {99}}, 9,
                     &b));
  uint32_t size = eyot_group_size(a), refused = 0;
  for (uint64_t nth = 1; nth <= 12; nth++) {
    for (int what = 0; what < 7; what++) {
      eyot_group_t *out = NULL, *parts[3] = {NULL};
      fake_alloc_fail_after(nth);
      int rc = what == 0   ? eyot_group_union(a, b, &out)
               : what == 1 ? eyot_group_copy(b, &out)
               : what == 2 ? eyot_group_from((const eyot_unit_t[]){{4}, {2}, {9}}, 3, &out)
               : what == 3 ? eyot_group_split(b, 3, parts)
               : what == 4 ? eyot_group_add(a, unit(1))
               : what == 5 ? eyot_group_new(&out)
                           : eyot_group_range(3, 4, 5, &out);
      fake_alloc_fail_after(0);
      if (rc != EYOT_OK) {
        refused++;
        assert_int_equal(rc, EYOT_ENOMEM);
        assert_null(out);
        assert_null(parts[0]);
      }
      eyot_group_free(out);
      for (int i = 0; i < 3; i++) eyot_group_free(parts[i]);
      ok(eyot_group_remove(a, unit(1)));
      assert_int_equal(eyot_group_size(a), size);
    }
  }
  assert_true(refused > 10);
  eyot_group_free(a);
  eyot_group_free(b);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups_agree_with_a_bitmap),
                                     cmocka_unit_test(large_regular_groups_stay_few_runs),
                                     cmocka_unit_test(misuse_of_groups_is_refused),
                                     cmocka_unit_test(group_without_memory_is_unchanged)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)eyot_errors_clear(); /* mistakes on purpose, before eyot_init */
  return failed;
}
