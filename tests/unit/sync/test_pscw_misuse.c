/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pscw_misuse.c - active target between groups: misuse, full lists, teams, exact costs, and
 * failures of the fabric and of memory. */
#include "unit/sync/pscw_unit.h"

#define ALL_BITS(n) (((uint64_t)1 << (n)) - 1)

static int post_rc(eyot_pscw_t p, uint64_t bits) {
  eyot_group_t *g = group_of(bits);
  int rc = eyot_pscw_post(p, g);
  eyot_group_free(g);
  return rc;
}

static int start_rc(eyot_pscw_t p, uint64_t bits) {
  eyot_group_t *g = group_of(bits);
  int rc = eyot_pscw_start(p, g);
  eyot_group_free(g);
  return rc;
}

/* -- misuse ------------------------------------------------------------------------------------ */

static void creation_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = EYOT_PSCW_NULL;
  refuses(EYOT_EINVAL, eyot_pscw_create(EYOT_TEAM_ALL, NULL, NULL));
  refuses(EYOT_EINVAL, eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){0, false}, &p));
  refuses(EYOT_EINVAL, eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){65536, false}, &p));
  refuses(EYOT_ETEAM, eyot_pscw_create((eyot_team_t){77}, NULL, &p));
  if (n > 1) {
    refuses(EYOT_EMISMATCH,
            eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){me == 0 ? 3 : 4, false}, &p));
    refuses(EYOT_EMISMATCH, eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){3, me == 0}, &p));
    /* One member has an error of its own: no member gets an object. */
    refuses(EYOT_EINVAL,
            eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){me == 0 ? 0 : 4, false}, &p));
  }
  /* 3 MB; the heap has 2 */
  refuses(EYOT_ENOMEM, eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){65535, true}, &p));
  assert_true(eyot_gptr_is_null(p.at));
  ok(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &p));
  pscw_destroy_clean(p);
  p = pscw_make(EYOT_TEAM_ALL, 65535, false);
  post_bits(p, 1);
  if (me == 0) start_bits(p, ALL_BITS(n));
  if (me == 0) ok(eyot_pscw_complete(p));
  ok(eyot_pscw_wait(p));
  pscw_destroy_clean(p);
}

static void misuse_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, n, n % 2 == 0), null = EYOT_PSCW_NULL, gone, odd = p;
  uint64_t mine = (uint64_t)1 << me;
  bool done = true;
  eyot_group_t *own = group_of(mine);
  odd.at.offset = 8;
  refuses(EYOT_ESEG, eyot_pscw_post(null, own));
  refuses(EYOT_ESEG, eyot_pscw_start(null, own));
  refuses(EYOT_ESEG, eyot_pscw_post(odd, own));
  refuses(EYOT_ESEG, eyot_pscw_complete(null));
  refuses(EYOT_ESEG, eyot_pscw_wait(null));
  refuses(EYOT_ESEG, eyot_pscw_test(null, &done));
  refuses(EYOT_ESEG, eyot_pscw_destroy(&null));
  refuses(EYOT_EINVAL, eyot_pscw_destroy(NULL));
  refuses(EYOT_EINVAL, eyot_pscw_post(p, NULL));
  refuses(EYOT_EINVAL, eyot_pscw_start(p, NULL));
  refuses(EYOT_EINVAL, eyot_pscw_test(p, NULL));
  refuses(EYOT_ESTATE, eyot_pscw_wait(p));
  refuses(EYOT_ESTATE, eyot_pscw_test(p, &done));
  refuses(EYOT_ESTATE, eyot_pscw_complete(p));
  refuses(EYOT_EUNIT, post_rc(p, mine | (uint64_t)1 << n));
  refuses(EYOT_EUNIT, start_rc(p, mine | (uint64_t)1 << n));
  post_bits(p, mine);
  refuses(EYOT_EBUSY, eyot_pscw_destroy(&p)); /* exposed at all of them */
  start_bits(p, mine);
  refuses(EYOT_ESTATE, start_rc(p, mine));
  ok(eyot_pscw_complete(p));
  ok(eyot_pscw_wait(p));
  refuses(EYOT_ESTATE, eyot_pscw_complete(p));
  refuses(EYOT_ESTATE, eyot_pscw_wait(p));
  assert_true(done);
  /* One member's open epoch is enough; of either kind. */
  if (me == 0) start_bits(p, 0);
  refuses(EYOT_EBUSY, eyot_pscw_destroy(&p));
  if (me == 0) ok(eyot_pscw_complete(p));
  if (me == n - 1) post_bits(p, 0);
  refuses(EYOT_EBUSY, eyot_pscw_destroy(&p));
  if (me == n - 1) ok(eyot_pscw_test(p, &done)); /* an empty epoch is over at once */
  assert_true(done);
  eyot_pscw_t two = pscw_make(EYOT_TEAM_ALL, 1, false);
  gone = two;
  if (n > 1) {
    eyot_pscw_t one = me == 0 ? p : two;
    refuses(EYOT_EMISMATCH, eyot_pscw_destroy(&one));
  }
  pscw_destroy_clean(two);
  refuses(EYOT_ESEG, eyot_pscw_post(gone, own));
  pscw_destroy_clean(p);
  eyot_group_free(own);
}

static void misuse_of_active_target_is_refused(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) {
    api_sweep(n, 3, creation_body);
    api_sweep(n, 6, misuse_body);
  }
}

/* -- full lists -------------------------------------------------------------------------------- */

/* Without `changing`: a unit that has met `neighbors` others can meet no further one; and nothing
 * is posted to any of a group with one too many. */
static void full_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, 2, false);
  struct eyoti_pscw *v = pscw_state(p);
  (void)n;
  if (me < 2) { /* 0 and 1 become neighbors of 3; 0 also of 2 */
    post_bits(p, me == 0 ? 12 : 8);
  }
  if (me == 3) start_bits(p, 3);
  if (me == 3) ok(eyot_pscw_complete(p));
  if (me == 2) start_bits(p, 1);
  if (me == 2) ok(eyot_pscw_complete(p));
  if (me < 2) ok(eyot_pscw_wait(p));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  uint32_t taken = pscw_taken(v);
  assert_int_equal(taken, me == 3 ? 2 : me == 2 ? 1 : 0);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) refuses(EYOT_EBUSY, post_rc(p, 2)); /* a third of its own */
  if (me == 0) refuses(EYOT_EBUSY, post_rc(p, 14));
  if (me == 4) {
    refuses(EYOT_EBUSY, post_rc(p, 12)); /* 3 has two */
    refuses(EYOT_EBUSY, post_rc(p, 8));
    refuses(EYOT_EBUSY, post_rc(p, 7)); /* more than two */
    assert_int_equal(v->n_free, v->n_slots);
  }
  if (me == 3) refuses(EYOT_EBUSY, start_rc(p, 16)); /* and unit 3 knows that 4 will never come */
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(pscw_taken(v), taken);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  /* the slot that could not be leased together with 3 is available alone */
  if (me == 4) post_bits(p, 6);
  if (me == 1 || me == 2) {
    start_bits(p, 16);
    ok(eyot_pscw_complete(p));
  }
  if (me == 4) ok(eyot_pscw_wait(p));
  pscw_destroy_clean(p);
}

/* With `changing` a full list is waited for, but not for ever. */
static void full_changing_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, 1, true);
  struct eyoti_pscw *v = pscw_state(p);
  (void)n;
  if (me == 1 || me == 2) post_bits(p, 1); /* 0 has two slots */
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 3) refuses(EYOT_EBUSY, post_rc(p, 3));
  if (me == 0) refuses(EYOT_EBUSY, start_rc(p, 8)); /* posts of others hold both */
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(pscw_taken(v), me == 0 ? 2 : 0);
  for (uint32_t i = 0; i < v->n_slots && me != 0; i++)
    assert_int_equal(pscw_word(v, eyoti_pscw_posts_off(v, i)), 0);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 3) post_bits(p, 3); /* waits for a slot */
  if (me == 0) {
    start_bits(p, 4);
    ok(eyot_pscw_complete(p));
    start_bits(p, 8);
    ok(eyot_pscw_complete(p));
    start_bits(p, 2);
    ok(eyot_pscw_complete(p));
  }
  if (me == 1) {
    start_bits(p, 8);
    ok(eyot_pscw_complete(p));
  }
  if (me != 0) ok(eyot_pscw_wait(p));
  pscw_destroy_clean(p);
}

/* Members of a team, by their global ids. */
static void team_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  eyot_group_t *odd;
  ok(eyot_group_range(1, n / 2, 2, &odd));
  ok(eyot_team_create(EYOT_TEAM_ALL, odd, &team));
  if (me % 2 == 1) {
    eyot_pscw_t p = EYOT_PSCW_NULL;
    ok(eyot_pscw_create(team, NULL, &p));
    refuses(EYOT_EUNIT, post_rc(p, 3));
    for (int i = 0; i < 3; i++) {
      ok(eyot_pscw_post(p, odd));
      ok(eyot_pscw_start(p, odd));
      ok(eyot_pscw_complete(p));
      ok(eyot_pscw_wait(p));
    }
    ok(eyot_pscw_destroy(&p));
    ok(eyot_team_destroy(&team));
  }
  eyot_group_free(odd);
}

static void full_list_of_neighbors_is_refused_or_waited_for(void **state) {
  (void)state;
  api_sweep(5, 20, full_body);
  api_sweep(4, 20, full_changing_body);
  for (uint32_t n = 2; n <= 6; n++) api_sweep(n, 5, team_body);
}

/* -- costs ------------------------------------------------------------------------------------- */

static bool cost_changing;

/* In epochs where all messages have arrived: one message a neighbor and direction, and no more. */
static void costs_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = pscw_make(EYOT_TEAM_ALL, n, cost_changing);
  uint64_t others = ALL_BITS(n) & ~((uint64_t)1 << me);
  uint32_t k = n - 1;
  op_count_begin();
  op_count_meet();
  for (int round = 0; round < 4; round++) {
    bool first = round == 0 || cost_changing;
    post_bits(p, others);
    op_counts[me].flushes = 0;
    if (first) { /* at least; another unit may have leased the slot that was guessed */
      assert_true(op_counts[me].amos >= k && op_counts[me].amos <= 3 * k);
      op_counts[me].amos = 0;
    }
    op_count_is((struct op_counts){.signals = k});
    op_count_meet();
    start_bits(p, others);
    if (first) op_counts[me].waits = 0;
    op_count_is((struct op_counts){.waits = first ? 0 : k});
    ok(eyot_pscw_complete(p));
    op_count_is((struct op_counts){.signals = k, .flushes = k});
    op_count_meet();
    ok(eyot_pscw_wait(p));
    op_count_is((struct op_counts){.amos = cost_changing ? k : 0, .waits = k});
    op_count_meet();
  }
  /* A second epoch after the first costs the same, and an order: each post that sets a count after
   * one that is not waited for, and with `changing` once, after the first post of a lease. */
  for (int ahead = 0; ahead < 3; ahead++) {
    post_bits(p, others);
    if (cost_changing && ahead == 0) op_counts[me].amos = 0;
    op_count_is((struct op_counts){.signals = k,
                                   .orders = ahead == 1 || (ahead > 1 && !cost_changing) ? k : 0});
  }
  for (int ahead = 0; ahead < 3; ahead++) {
    start_bits(p, others);
    ok(eyot_pscw_complete(p));
  }
  for (int ahead = 0; ahead < 3; ahead++) ok(eyot_pscw_wait(p));
  op_count_end();
  pscw_destroy_clean(p);
}

static void epochs_cost_one_message_a_neighbor(void **state) {
  (void)state;
  for (int changing = 0; changing < 2; changing++) {
    cost_changing = changing != 0;
    for (uint32_t n = 2; n <= 5; n++) api_sweep(n, 8, costs_body);
  }
}

/* -- failures ---------------------------------------------------------------------------------- */

#define STEP(call)            \
  do {                        \
    int rc_ = (call);         \
    if (rc_ != 0) return rc_; \
  } while (0)

/* Makes no allocation of its own after an allocation that fails. */
static int epochs_of(eyot_pscw_t p, const eyot_group_t *g) {
  for (int i = 0; i < 2; i++) {
    bool done = false;
    STEP(eyot_pscw_post(p, g));
    STEP(eyot_pscw_post(p, g));
    for (int j = 0; j < 2; j++) {
      STEP(eyot_pscw_start(p, g));
      STEP(eyot_pscw_complete(p));
    }
    STEP(eyot_pscw_test(p, &done));
    if (!done) STEP(eyot_pscw_wait(p));
    STEP(eyot_pscw_wait(p));
  }
  return EYOT_OK;
}

static int faulty_use(uint32_t n, bool changing) {
  eyot_pscw_t p;
  eyot_gptr_t memory;
  eyot_group_t *g;
  STEP(eyot_group_range(0, n, 1, &g));
  int rc = eyot_pscw_create(EYOT_TEAM_ALL, &(eyot_pscw_attr_t){n, changing}, &p);
  if (rc == EYOT_OK) rc = epochs_of(p, g);
  if (rc == EYOT_OK) rc = eyot_pscw_destroy(&p);
  eyot_group_free(g);
  STEP(rc);
  STEP(eyot_team_alloc(EYOT_TEAM_ALL, 8, &memory));
  STEP(eyot_fence(memory));
  return eyot_team_free(memory);
}

static int fault_code, fault_met;

static void faults_main(struct fab *f, void *arg) {
  const bool *changing = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  if (rc == fault_code) fault_met++;
  if (rc != 0) return;
  if (faulty_use(eyot_size(), *changing) == fault_code) fault_met++;
  if (eyot_finalize() == fault_code) fault_met++;
}

static void fail_one(struct fake_opts *o, bool changing) {
  fault_met = 0;
  int end = fake_run(o, faults_main, &changing);
  assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  if (fault_met == 0 && end != FAKE_ABORTED)
    print_error("op %llu alloc %llu failed and nobody was told\n", (unsigned long long)o->fail_op,
                (unsigned long long)o->fail_alloc);
  assert_true(fault_met > 0 || end == FAKE_ABORTED);
}

static void each_failure_is_returned(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) {
    for (int c = 0; c < 2; c++) {
      bool changing = c != 0;
      struct fake_opts o = {.n = n,
                            .seed = 3,
                            .units_per_node = 1,
                            .fail_code = EYOT_ESYS,
                            .max_steps = 300000,
                            .quiet = true};
      fault_code = EYOT_ESYS;
      assert_int_equal(fake_run(&o, faults_main, &changing), FAKE_DONE);
      uint64_t calls = fake_calls(), allocs = fake_allocs();
      for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) fail_one(&o, changing);
      o.fail_op = 0;
      fault_code = EYOT_ENOMEM;
      for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) fail_one(&o, changing);
    }
  }
}

/* A post that fails for lack of memory or of a slot can be tried again, and so can a creation. */
static void again_body(uint32_t me, uint32_t n) {
  eyot_pscw_t p = EYOT_PSCW_NULL;
  eyot_group_t *g = NULL;
  (void)me;
  ok(eyot_barrier(EYOT_TEAM_ALL)); /* all have passed their own start */
  while (g == NULL) (void)eyot_group_range(0, n, 1, &g);
  int rc = eyot_pscw_create(EYOT_TEAM_ALL, NULL, &p);
  if (rc == EYOT_ENOMEM) rc = eyot_pscw_create(EYOT_TEAM_ALL, NULL, &p);
  ok(rc);
  rc = eyot_pscw_post(p, g);
  if (rc == EYOT_ENOMEM) rc = eyot_pscw_post(p, g);
  ok(rc);
  ok(eyot_pscw_start(p, g));
  ok(eyot_pscw_complete(p));
  ok(eyot_pscw_wait(p));
  pscw_destroy_clean(p);
  eyot_group_free(g);
}

static void nothing_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

static void failed_post_can_be_tried_again(void **state) {
  (void)state;
  struct fake_opts o = {.n = 3, .seed = 2};
  api_run(&o, nothing_body);
  uint64_t before = fake_allocs();
  api_run(&o, again_body);
  uint64_t after = fake_allocs();
  assert_true(after > before + 20);
  for (o.fail_alloc = before + 1; o.fail_alloc <= after; o.fail_alloc++) api_run(&o, again_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(misuse_of_active_target_is_refused),
      cmocka_unit_test(full_list_of_neighbors_is_refused_or_waited_for),
      cmocka_unit_test(epochs_cost_one_message_a_neighbor),
      cmocka_unit_test(each_failure_is_returned),
      cmocka_unit_test(failed_post_can_be_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
