/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sheap_faults.c - each call of the fabric fails while a unit reallocates what another one has
 * allocated: after an error the allocation is as it was, and nothing new is left. */
#include "gmem/slab.h"
#include "unit/api_unit.h"

struct record {
  void *p;      /* of unit 0 */
  int rc;       /* of the reallocation */
  bool reached; /* the reallocation has returned */
};

static void reallocates(struct fab *f, void *arg) {
  struct record *r = arg;
  char *more = NULL;
  if (eyot_init(NULL, NULL) != EYOT_OK) return;
  if (f->me == 0 && eyot_sheap_alloc(100, &r->p) != EYOT_OK) return;
  if (f->me == 0) memset(r->p, 7, 100);
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return;
  if (f->me == 1) {
    uint64_t left = eyoti_slab_left(eyot_current);
    r->rc = eyot_sheap_realloc(r->p, 300, (void **)&more);
    r->reached = true;
    if (r->rc == EYOT_OK) {
      assert_int_equal(more[99], 7);
      assert_int_equal(eyot_sheap_free(more), EYOT_OK);
    } else {
      assert_ptr_equal(more, NULL);
      assert_int_equal(((const char *)r->p)[99], 7);
      assert_int_equal(eyoti_slab_left(eyot_current), left);
      assert_int_equal(eyot_sheap_free(r->p), EYOT_OK); /* only once has a call failed */
    }
  }
  (void)eyot_finalize();
}

static void failed_reallocation_leaves_all_as_it_was(void **state) {
  (void)state;
  struct record r = {0};
  struct fake_opts o = {.n = 2, .units_per_node = 2, .quiet = true, .seed = 1, .mapped = true};
  uint32_t failed = 0, done = 0;
  assert_int_equal(fake_run(&o, reallocates, &r), FAKE_DONE);
  assert_int_equal(r.rc, EYOT_OK);
  const uint64_t calls = fake_calls();
  for (uint64_t nth = 1; nth <= calls; nth++) {
    r = (struct record){0};
    o.fail_op = nth;
    o.fail_code = EYOT_EFABRIC;
    (void)fake_run(&o, reallocates, &r);
    if (r.reached && r.rc == EYOT_EFABRIC) failed++;
    if (r.reached && r.rc == EYOT_OK) done++;
  }
  assert_true(failed > 0 && done > 0);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(failed_reallocation_leaves_all_as_it_was)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
