/* SPDX-License-Identifier: BSD-3-Clause */
/* test_opening.c - openings by exchanges (coll/opening.h) in which each call to the fabric fails
 * once: every member ends its call, and the barriers of the team work afterwards. */
#include "fabric/ctl.h"
#include "rt/rt.h"
#include "teams/state.h"
#include "unit/api_unit.h"

#define ROW 6u /* broadcasts before the first opening */

enum until { BEFORE, OPENED, ALL };
struct seen {
  enum until until;
  uint32_t rows;     /* members whose calls before the opening have succeeded */
  uint32_t failed;   /* whose call with the opening has failed, */
  uint32_t met;      /* of these with the fabric's code */
  uint32_t barriers; /* whose barrier has succeeded */
};

static void opening_main(struct fab *f, void *arg) {
  struct seen *x = arg;
  uint64_t v = 1;
  if (eyot_init(NULL, NULL) != EYOT_OK) return;
  assert_true(eyoti_ctl_is_short(f, &eyot_current->teams->all.ctl));
  for (uint32_t i = 0; i < ROW; i++)
    if (eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &v, 8) != EYOT_OK) return;
  x->rows++;
  if (x->until == BEFORE) return;
  int rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &v, 8);
  x->failed += rc != EYOT_OK;
  x->met += rc == EYOT_ESYS;
  if (x->until == OPENED) return;
  x->barriers += eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK;
  (void)eyot_finalize();
}

/* The calls of a run that ends at once then. */
static uint64_t calls_of(struct fake_opts *o, enum until until) {
  struct seen x = {.until = until};
  assert_int_equal(fake_run(o, opening_main, &x), FAKE_DONE);
  assert_true(x.rows == o->n && x.failed == 0 && x.barriers == (until == ALL ? o->n : 0));
  return fake_calls();
}

/* Returns the number of runs in which a call of the opening's broadcast has failed. per_node: n, of
 * units that share processors, whose exchange is a counter; else it goes by nodes. */
static uint32_t fail_each_call(enum fake_mode mode, uint32_t n, uint32_t per_node) {
  struct fake_opts o = {.n = n,
                        .seed = 5,
                        .mode = mode,
                        .units_per_node = per_node,
                        .by_nodes = per_node < n,
                        .mapped = per_node == n,
                        .oversubscribed = per_node == n,
                        .fail_code = EYOT_ESYS,
                        .quiet = true};
  uint64_t first = calls_of(&o, BEFORE), last = calls_of(&o, OPENED);
  (void)calls_of(&o, ALL);
  uint32_t runs = 0;
  o.max_steps = 4 * fake_steps() + 20000;
  for (o.fail_op = first; o.fail_op <= last; o.fail_op++) {
    struct seen x = {.until = ALL};
    int end = fake_run(&o, opening_main, &x);
    if (x.rows < n || x.met == 0) continue; /* it was a call of something else that has failed */
    if (end != FAKE_DONE || x.barriers != n)
      print_error("mode %d n %u: call %llu: end %d, %u failed, %u barriers: %s\n", (int)mode, n,
                  (unsigned long long)o.fail_op, end, x.failed, x.barriers, fake_message());
    assert_int_equal(end, FAKE_DONE);
    assert_int_equal(x.barriers, n);
    runs++;
  }
  return runs;
}

static void barriers_work_after_an_opening_has_failed(void **state) {
  (void)state;
  for (int mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
    assert_true(fail_each_call((enum fake_mode)mode, 5, 1) >= 15);
    assert_true(fail_each_call((enum fake_mode)mode, 7, 2) >= 15);
    assert_true(fail_each_call((enum fake_mode)mode, 4, 4) >= 4);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(barriers_work_after_an_opening_has_failed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
