/* SPDX-License-Identifier: BSD-3-Clause */
/* test_settle.c - fab_settle after a flush that fails: it tries again, accepts that a unit has
 * left, and never returns while operations may still write. test_api_faults.c shows how the layers
 * above use it. */
#include "unit/api_unit.h"

static struct {
  const struct fab_ops *sound;
  uint32_t fails, calls;
  int code;
  fab_unit_t unit;
} plan;

static int flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  plan.calls++;
  plan.unit = unit;
  assert_int_equal(level, FAB_LOCAL); /* the target need not be waited for */
  return plan.calls <= plan.fails ? plan.code : plan.sound->flush(f, unit, level);
}

/* Settles with a get in flight that the first `fails` flushes do not complete. */
static void settle(struct fab *f, fab_seg_t seg, uint32_t fails, int code, bool lands) {
  uint64_t got = 7;
  struct fab_ops ops = *f->ops;
  ops.flush = flush;
  plan.sound = f->ops;
  plan.fails = fails;
  plan.code = code;
  plan.calls = 0;
  assert_int_equal(fab_get(f, &got, fab_at(1, seg, 0), sizeof got, NULL), EYOT_OK);
  f->ops = &ops;
  fab_settle(f, 1);
  f->ops = plan.sound;
  assert_int_equal(plan.unit, 1);
  if (lands) {
    assert_int_equal(got, 0);
    assert_false(fake_stack_in_use(f, false));
    assert_int_equal(plan.calls, fails + 1);
  }
  assert_int_equal(fab_flush(f, FAB_ALL, FAB_REMOTE), EYOT_OK);
}

static void main_again(struct fab *f, void *arg) {
  fab_seg_t seg;
  (void)arg;
  assert_int_equal(f->ops->seg_create(f, 64, &seg), EYOT_OK);
  for (uint32_t fails = 0; fails < 4 && f->me == 0; fails++)
    settle(f, seg, fails, EYOT_EFABRIC, true);
  if (f->me == 0) settle(f, seg, UINT32_MAX, EYOT_EPEERDOWN, false);
  assert_int_equal(f->ops->seg_destroy(f, seg), EYOT_OK);
}

static void failed_flush_is_tried_again(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++)
    assert_int_equal(
        fake_run(&(struct fake_opts){.n = 2, .seed = seed, .mode = FAKE_REORDER}, main_again, NULL),
        FAKE_DONE);
}

static void main_never(struct fab *f, void *arg) {
  fab_seg_t seg;
  (void)arg;
  assert_int_equal(f->ops->seg_create(f, 64, &seg), EYOT_OK);
  if (f->me == 0) settle(f, seg, UINT32_MAX, EYOT_EFABRIC, false);
}

static void flush_that_never_ends_aborts(void **state) {
  (void)state;
  struct fake_opts o = {.n = 2, .seed = 1, .mode = FAKE_REORDER, .quiet = true};
  assert_int_equal(fake_run(&o, main_never, NULL), FAKE_ABORTED);
  assert_int_equal(fake_abort_code(), 1);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(failed_flush_is_tried_again),
                                     cmocka_unit_test(flush_that_never_ends_aborts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
