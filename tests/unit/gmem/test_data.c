/* SPDX-License-Identifier: BSD-3-Clause */
/* test_data.c - eyot_data_gptr above a fabric whose program data is known: two ranges of objects
 * with a table of the linker between them (fake/seg.c). */
#include "base/image.h"
#include "gmem/state.h"
#include "unit/api_unit.h"

static struct fab_data data_of(void) {
  struct fab_data d;
  struct fab *f = eyot_current->fab;
  assert_int_equal(f->ops->seg_data(f, &d), EYOT_OK);
  return d;
}

static char *object(uint32_t range, uint64_t byte) {
  struct fab_data d = data_of();
  return d.own + d.image->data[range].from + byte;
}

static void pointers(uint32_t me, uint32_t n) {
  eyot_gptr_t g, h;
  void *p;
  assert_true(eyot_data_contains(object(0, 0), 8));
  assert_int_equal(eyot_data_gptr(object(0, 8), 8, unit(me), &g), EYOT_OK);
  assert_int_equal(eyot_gptr_addr(g, &p), EYOT_OK);
  assert_ptr_equal(p, object(0, 8));
  assert_int_equal(eyot_data_gptr(object(1, 24), 8, unit(n - 1), &h), EYOT_OK);
  int64_t bytes;
  assert_int_equal(eyot_gptr_diff(eyot_gptr_at(h, unit(me)), g, &bytes), EYOT_OK);
  assert_int_equal(bytes, object(1, 24) - object(0, 8));
  int rc = eyot_gptr_direct(g, &p);
  assert_true(rc == EYOT_OK);
}

/* Each unit writes a word of the next one; a unit that has never called eyot_data_gptr is a target
 * like others. */
static void operations(uint32_t me, uint32_t n) {
  eyot_gptr_t word, flag;
  uint64_t mark = me + 100, old, seen;
  uint32_t next = (me + 1) % n;
  assert_int_equal(eyot_data_gptr(object(1, 64), 8, unit(next), &word), EYOT_OK);
  assert_int_equal(eyot_data_gptr(object(1, 128), 8, unit(next), &flag), EYOT_OK);
  assert_int_equal(eyot_put_signal(word, &mark, 8, flag, EYOT_SIGNAL_SET, 1), EYOT_OK);
  assert_int_equal(eyot_wait_until(eyot_gptr_at(flag, unit(me)), EYOT_CMP_EQ, 1, &seen), EYOT_OK);
  memcpy(&old, object(1, 64), 8);
  assert_int_equal(old, (me + n - 1) % n + 100);
  assert_int_equal(eyot_fetch_add_u64(eyot_gptr_add(flag, 64), 1, &old), EYOT_OK);
  assert_int_equal(eyot_barrier(EYOT_TEAM_ALL), EYOT_OK);
  memcpy(&old, object(1, 192), 8);
  assert_int_equal(old, 1);
  /* again, from the table of parts used last */
  assert_int_equal(eyot_get(&old, word, 8), EYOT_OK);
  assert_int_equal(old, me + 100);
  assert_int_equal(eyot_barrier(EYOT_TEAM_ALL), EYOT_OK);
}

/* A pointer that another unit has made, at a unit that has made none. */
static void sent(uint32_t me, uint32_t n) {
  eyot_gptr_t g = EYOT_GPTR_NULL;
  uint64_t v = 0, mark = 5;
  if (me == 0) assert_int_equal(eyot_data_gptr(object(0, 16), 8, unit(n - 1), &g), EYOT_OK);
  assert_int_equal(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &g, sizeof g), EYOT_OK);
  if (me == n - 1) assert_int_equal(eyot_put(g, &mark, 8), EYOT_OK);
  assert_int_equal(eyot_barrier(EYOT_TEAM_ALL), EYOT_OK);
  assert_int_equal(eyot_get(&v, g, 8), EYOT_OK);
  assert_int_equal(v, 5);
  assert_int_equal(eyot_barrier(EYOT_TEAM_ALL), EYOT_OK);
}

static void mistakes(uint32_t me, uint32_t n) {
  eyot_gptr_t g;
  uint64_t v = 0;
  struct fab_data d = data_of();
  const struct eyoti_image_range *r = d.image->data;
  uint64_t first = r[0].to - r[0].from, second = r[1].to - r[1].from;
  assert_int_equal(eyot_data_gptr(object(0, 0), first, unit(me), &g), EYOT_OK);
  assert_int_equal(eyot_data_gptr(object(0, 0), first + 1, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(object(0, first - 4), 8, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(object(0, first), 8, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(object(1, 0) - 1, 1, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(object(1, second), 1, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(d.own, 8, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(&v, 8, unit(me), &g), EYOT_ERANGE);
  assert_int_equal(eyot_data_gptr(object(1, 0), 8, unit(n), &g), EYOT_EUNIT);
  assert_int_equal(eyot_data_gptr(NULL, 8, unit(me), &g), EYOT_EINVAL);
  assert_false(eyot_data_contains(&v, 8));
  assert_int_equal(eyot_data_gptr(object(1, second - 8), 8, unit(me), &g), EYOT_OK);
  assert_int_equal(eyot_put(eyot_gptr_add(g, 8), &v, 8), EYOT_ERANGE);
  assert_int_equal(eyot_put(eyot_gptr_add(g, -(int64_t)d.len), &v, 8), EYOT_ERANGE);
  assert_int_equal(eyot_team_free(g), EYOT_ESEG);
  assert_int_equal(eyot_free(g), EYOT_ESEG);
  assert_int_equal(eyot_unregister(g), EYOT_ESEG);
  assert_int_equal(eyot_name(g, "x"), EYOT_ESEG);
  (void)eyot_errors_clear();
}

static void objects_are_their_own_pointers(void **state) {
  (void)state;
  api_sweep(3, 2, pointers);
}
static void all_operations_work(void **state) {
  (void)state;
  api_sweep(1, 1, operations);
  api_sweep(4, 10, operations);
}
static void pointers_may_be_sent(void **state) {
  (void)state;
  api_sweep(4, 3, sent);
}
static void other_memory_is_refused(void **state) {
  (void)state;
  api_sweep(2, 1, mistakes);
}

static int no_data(struct fab *f, struct fab_data *data) {
  (void)f, (void)data;
  return EYOT_ENOTSUP;
}
static void without(uint32_t me, uint32_t n) {
  struct fab *f = eyot_current->fab;
  struct fab_ops ops = *f->ops;
  const struct fab_ops *all = f->ops;
  eyot_gptr_t g;
  char *p = object(0, 0);
  (void)n;
  f->ops = &ops;
  ops.seg_data = NULL;
  assert_int_equal(eyot_data_gptr(p, 8, unit(me), &g), EYOT_ENOTSUP);
  ops.seg_data = no_data;
  assert_int_equal(eyot_data_gptr(p, 8, unit(me), &g), EYOT_ENOTSUP);
  assert_false(eyot_data_contains(p, 8));
  f->ops = all;
  (void)eyot_errors_clear();
}
static void fabrics_without_data_say_so(void **state) {
  (void)state;
  assert_false(eyot_data_contains(state, 8)); /* before eyot_init */
  api_sweep(2, 1, without);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_are_their_own_pointers), cmocka_unit_test(all_operations_work),
      cmocka_unit_test(pointers_may_be_sent),           cmocka_unit_test(other_memory_is_refused),
      cmocka_unit_test(fabrics_without_data_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
