/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dynamic_faults.c - the n-th allocation and the n-th fabric call fail while dynamic segments
 * are used: for every n no unit crashes, a call that had no memory works when tried again, and no
 * unit ever reads memory that is not attached. */
#include "unit/api_unit.h"

#define UNITS 3u
#define STEPS 9u

static uint64_t memory[UNITS][32];

struct record {
  eyot_dynamic_kind_t kind;
  int rc[STEPS][UNITS];
  uint32_t refused, stopped, unstarted;
  int code; /* injected into the fabric; 0: none */
  int met;
};

static int put_to(eyot_dynamic_t d, uint32_t u, uint32_t word, uint64_t value) {
  eyot_gptr_t g;
  int rc = eyot_dynamic_gptr(d, unit(u), (uint64_t)(uintptr_t)&memory[u][word], &g);
  return rc != EYOT_OK ? rc : eyot_put(g, &value, 8);
}

/* Puts to all units and checks that the bytes are there, in whichever region holds the word. */
static int put_to_all(eyot_dynamic_t d, uint32_t me, uint32_t word) {
  for (uint32_t u = 0; u < UNITS; u++) {
    int rc = put_to(d, u, word + me, 1000 * word + me);
    if (rc != EYOT_OK) return rc;
    assert_int_equal(memory[u][word + me], 1000 * word + me);
  }
  return EYOT_OK;
}

static int step(struct record *r, eyot_dynamic_t *d, uint32_t i, uint32_t me) {
  /* evicts all the time, and notifies one origin */
  const eyot_dynamic_attr_t attr = {r->kind, 4, 1};
  uint64_t *own = memory[me];
  switch (i) {
    case 0:
      return eyot_dynamic_create(EYOT_TEAM_ALL, &attr, d);
    case 1:
      return eyot_dynamic_attach(*d, own, 64, NULL);
    case 3:
      return put_to_all(*d, me, 0);
    case 4: /* while others may still be putting to the first region */
      return eyot_dynamic_attach(*d, own + 16, 64, NULL);
    case 6:
      return eyot_dynamic_detach(*d, own);
    case 7:
      return put_to_all(*d, me, 16);
    default:
      return eyot_barrier(EYOT_TEAM_ALL);
  }
}

static void note(struct record *r, int rc) {
  if (rc == r->code && rc != EYOT_OK) r->met++;
}

static void faults_main(struct fab *f, void *arg) {
  struct record *r = arg;
  uint32_t me = f->me;
  eyot_dynamic_t d = EYOT_DYNAMIC_NULL;
  r->stopped++;
  int rc = eyot_init(NULL, NULL);
  note(r, rc);
  if (rc != EYOT_OK) {
    r->unstarted++;
    return;
  }
  memset(memory[me], 0, sizeof memory[me]);
  for (uint32_t i = 0; i < STEPS; i++) {
    rc = r->rc[i][me] = step(r, &d, i, me);
    note(r, rc);
    if (rc == EYOT_ENOMEM && r->code == 0) rc = step(r, &d, i, me);
    /* a member that failed in the fabric cannot continue with the others */
    if (rc != EYOT_OK) goto out;
  }
  r->stopped--;
  note(r, eyot_dynamic_destroy(&d)); /* with one region attached */
out:
  note(r, eyot_finalize());
}

static int run(struct fake_opts o, struct record *r) {
  o.n = UNITS;
  o.units_per_node = 2;
  o.quiet = true;
  return fake_run(&o, faults_main, r);
}

static void allocations(eyot_dynamic_kind_t kind, bool mapped) {
  struct record r = {.kind = kind};
  assert_int_equal(run((struct fake_opts){.seed = 1, .mapped = mapped}, &r), FAKE_DONE);
  assert_int_equal(r.stopped, 0);
  uint64_t allocs = fake_allocs();
  uint32_t refused = 0, refused_alone = 0;
  for (uint64_t nth = 1; nth <= allocs; nth++) {
    r = (struct record){.kind = kind};
    int end = run(
        (struct fake_opts){.seed = nth, .mode = FAKE_REORDER, .mapped = mapped, .fail_alloc = nth},
        &r);
    if (r.unstarted > 0) continue;
    assert_int_equal(end, FAKE_DONE);
    assert_int_equal(r.stopped, 0);
    for (uint32_t i = 0; i < STEPS; i++) {
      for (uint32_t u = 0; u < UNITS; u++) {
        assert_true(r.rc[i][u] == EYOT_OK || r.rc[i][u] == EYOT_ENOMEM);
        if (r.rc[i][u] != EYOT_OK) refused++;
        if (i == 0) assert_int_equal(r.rc[0][u], r.rc[0][0]); /* creation fails on all or on none */
        if (i != 0 && r.rc[i][u] != EYOT_OK) refused_alone++;
      }
    }
  }
  assert_true(refused > refused_alone);
  assert_true(refused_alone >= 3 * UNITS); /* of each unit's cache: slots, buckets, descriptors */
}

/* Some unit gets the error, if not the unit's own finalize, and the run ends. */
static void fabric(eyot_dynamic_kind_t kind, bool mapped) {
  struct record r = {.kind = kind};
  assert_int_equal(run((struct fake_opts){.seed = 1, .mapped = mapped}, &r), FAKE_DONE);
  uint64_t calls = fake_calls(), missed = 0;
  for (uint64_t nth = 1; nth <= calls; nth++) {
    r = (struct record){.kind = kind, .code = EYOT_EFABRIC};
    int end = run(
        (struct fake_opts){.seed = 1, .mapped = mapped, .fail_op = nth, .fail_code = EYOT_EFABRIC},
        &r);
    /* the others wait for the one that left */
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK);
    if (r.met == 0) missed++;
  }
  /* Those of the detaches in destroy and finalize are only logged. */
  assert_true(missed <= 2 * UNITS);
}

static void each_failing_allocation_can_be_tried_again(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) allocations((eyot_dynamic_kind_t)(i / 2), i % 2 != 0);
}
static void each_failing_call_is_returned(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) fabric((eyot_dynamic_kind_t)(i / 2), i % 2 != 0);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_failing_allocation_can_be_tried_again),
                                     cmocka_unit_test(each_failing_call_is_returned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
