/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gmem_faults.c - the n-th allocation and the n-th fabric call fail while teams and memory are
 * made: for every n no unit crashes, and a call for which one unit has no memory is refused on all
 * members alike and works when tried again. */
#include "unit/api_unit.h"

#define UNITS 4u
#define STEPS 10u

struct record {
  int rc[STEPS][UNITS];
  uint32_t refused; /* steps that failed on some unit */
  int stopped;      /* units that did not reach the end */
  int unstarted;    /* units whose eyot_init failed */
  int code;         /* injected into the fabric; 0: none */
  int met;
};

/* The units' progress; each step is tried until it works, at most twice. */
struct unit_state {
  eyot_team_t half, pair, single;
  eyot_gptr_t shared, odd, table, own, registered;
  uint64_t word;
};

static int step(struct unit_state *s, uint32_t i, uint32_t me) {
  const uint64_t most = (uint64_t)2 << 20;
  switch (i) {
    case 0:
      return eyot_team_split(EYOT_TEAM_ALL, me / 2, &s->half);
    case 1:
      return eyot_team_alloc(EYOT_TEAM_ALL, 100, &s->shared);
    case 2:
      return eyot_team_split(EYOT_TEAM_ALL, me == 3 ? EYOT_COLOR_NONE : me % 2, &s->pair);
    case 3:
      return eyot_team_alloc(s->half, me / 2 == 0 ? most / 2 : most / 16, &s->odd);
    case 4:
      return me / 2 == 0 ? EYOT_OK : eyot_alloc(most / 2, &s->own);
    case 5:
      return eyot_team_alloc(EYOT_TEAM_ALL, most / 4, &s->table);
    case 6:
      return eyot_register(&s->word, 8, &s->registered);
    case 7:
      return eyot_team_split_locality(EYOT_TEAM_ALL, EYOT_DOMAIN_UNIT, &s->single);
    case 8:
      return eyot_put(eyot_gptr_at(s->table, (eyot_unit_t){(me + 1) % UNITS}), "x", 1);
    default:
      return eyot_barrier(EYOT_TEAM_ALL);
  }
}

static bool is_collective(uint32_t i) {
  return i != 4 && i != 6 && i != 8;
}

static int release(struct unit_state *s, uint32_t me) {
  int rc = eyot_team_free(s->shared);
  if (rc == EYOT_OK) rc = eyot_team_free(s->odd);
  if (rc == EYOT_OK) rc = eyot_team_free(s->table);
  if (rc == EYOT_OK && me / 2 != 0) rc = eyot_free(s->own);
  if (rc == EYOT_OK) rc = eyot_unregister(s->registered);
  if (rc == EYOT_OK) rc = eyot_team_destroy(&s->half);
  if (rc == EYOT_OK && s->pair.id != 0) rc = eyot_team_destroy(&s->pair);
  if (rc == EYOT_OK) rc = eyot_team_destroy(&s->single);
  return rc;
}

static void note(struct record *r, int rc) {
  if (rc == r->code && rc != EYOT_OK) r->met++;
}

static void faults_main(struct fab *f, void *arg) {
  struct record *r = arg;
  uint32_t me = f->me;
  struct unit_state s = {.word = 0};
  r->stopped++;
  int rc = eyot_init(NULL, NULL);
  note(r, rc);
  if (rc != EYOT_OK) {
    r->unstarted++;
    return;
  }
  for (uint32_t i = 0; i < STEPS; i++) {
    rc = r->rc[i][me] = step(&s, i, me);
    note(r, rc);
    if (rc == EYOT_ENOMEM && r->code == 0) rc = step(&s, i, me);
    /* a member that failed in the fabric cannot continue with the others */
    if (rc != EYOT_OK) goto out;
  }
  r->stopped--;
  note(r, release(&s, me));
out:
  note(r, eyot_finalize());
}

static int run(struct fake_opts o, struct record *r) {
  o.n = UNITS;
  o.units_per_node = 2;
  o.quiet = true;
  for (uint32_t i = 0; i < STEPS; i++)
    for (uint32_t u = 0; u < UNITS; u++) r->rc[i][u] = EYOT_OK;
  return fake_run(&o, faults_main, r);
}

static void failing_allocation_is_refused_on_all(void **state) {
  (void)state;
  for (int mapped = 0; mapped < 2; mapped++) {
    struct record r = {0};
    assert_int_equal(run((struct fake_opts){.seed = 1, .mapped = mapped != 0}, &r), FAKE_DONE);
    uint64_t allocs = fake_allocs();
    uint32_t refused = 0;
    assert_int_equal(r.stopped, 0);
    for (uint64_t nth = 1; nth <= allocs; nth++) {
      r = (struct record){0};
      int end = run(
          (struct fake_opts){
              .seed = nth, .mode = FAKE_REORDER, .mapped = mapped != 0, .fail_alloc = nth},
          &r);
      if (r.unstarted > 0) continue;
      assert_int_equal(end, FAKE_DONE);
      assert_int_equal(r.stopped, 0);
      for (uint32_t i = 0; i < STEPS; i++) {
        for (uint32_t u = 0; u < UNITS; u++) {
          if (r.rc[i][u] != EYOT_OK) refused++;
          /* Step 3 is over two teams. */
          if (is_collective(i)) assert_int_equal(r.rc[i][u], r.rc[i][i == 3 ? u / 2 * 2 : 0]);
        }
      }
    }
    assert_true(refused > 40);
  }
}

static void each_failing_call_is_returned(void **state) {
  (void)state;
  for (int mapped = 0; mapped < 2; mapped++) {
    struct record r = {0};
    assert_int_equal(run((struct fake_opts){.seed = 1, .mapped = mapped != 0}, &r), FAKE_DONE);
    uint64_t calls = fake_calls(), missed = 0;
    for (uint64_t nth = 1; nth <= calls; nth++) {
      r = (struct record){.code = EYOT_EFABRIC};
      (void)run(
          (struct fake_opts){
              .seed = 1, .mapped = mapped != 0, .fail_op = nth, .fail_code = EYOT_EFABRIC},
          &r);
      if (r.met == 0) missed++;
    }
    assert_int_equal(missed, 0);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(failing_allocation_is_refused_on_all),
                                     cmocka_unit_test(each_failing_call_is_returned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
