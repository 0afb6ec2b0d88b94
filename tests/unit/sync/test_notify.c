/* SPDX-License-Identifier: BSD-3-Clause */
/* test_notify.c - notified puts and gets, and their handles, under every order, with calls and
 * allocations that fail. */
#include "rma/rma.h"
#include "unit/sync/notify_unit.h"

/* -- notified puts: a unit that sees the count sees the bytes ---------------------------------- */

static void puts_body(uint32_t me, uint32_t n) {
  enum { ROUNDS = 9, PARTS = 3, BYTES = 100 };
  eyot_gptr_t base = api_alloc(PARTS * BYTES);
  eyot_counter_t data = counter_create(PARTS), credit = counter_create(1);
  uint32_t next = (me + 1) % n, last = (me + n - 1) % n;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint8_t out[PARTS][BYTES];
    eyot_handle_t h[PARTS] = {{0}, {0}, {0}};
    for (uint32_t p = 0; p < PARTS; p++) {
      eyot_gptr_t to = eyot_gptr_add(eyot_gptr_at(base, unit(next)), (int64_t)p * BYTES);
      memset(out[p], (int)(round * 29 + p * 7 + me), BYTES);
      if ((round + p) % 3 == 0)
        ok(eyot_put_notify(to, out[p], BYTES, eyot_counter_at(data, unit(next)), 1));
      else if ((round + p) % 3 == 1)
        ok(eyot_put_notify_nb(to, out[p], BYTES, eyot_counter_at(data, unit(next)), 1, &h[p]));
      else
        ok(eyot_put_notify_nbi(to, out[p], BYTES, eyot_counter_at(data, unit(next)), 1));
    }
    ok(eyot_counter_wait(eyot_counter_at(data, unit(me))));
    const uint8_t *in = api_own(base);
    for (uint32_t i = 0; i < PARTS * BYTES; i++)
      assert_int_equal(in[i], (uint8_t)(round * 29 + i / BYTES * 7 + last));
    add(eyot_counter_at(credit, unit(last)), 1);
    ok(eyot_wait_all(h, PARTS, EYOT_REMOTE));
    ok(eyot_flush(unit(next), EYOT_LOCAL));
    ok(eyot_counter_wait(eyot_counter_at(credit, unit(me))));
  }
  assert_int_equal(value(eyot_counter_at(data, unit(me))), 0);
  counter_destroy(data);
  counter_destroy(credit);
  api_free(base);
}

/* -- notified gets: the owner overwrites a block as soon as it is notified --------------------- */

/* Two parts of a block are read, and then its owner is notified twice, in a way that differs from
 * round to round. */
static void read_block(uint32_t round, eyot_gptr_t from, uint8_t *in, uint64_t bytes,
                       eyot_counter_t done) {
  uint8_t first[4], other[8] = {0};
  eyot_handle_t h[4] = {{0}, {0}, {0}, {0}};
  bool all = false;
  switch (round % 6) {
    case 0:
      ok(eyot_get_notify(in, from, bytes, done, 1));
      ok(eyot_get_notify(in, from, 0, done, 1));
      return;
    case 1:
      ok(eyot_get_notify_nb(in, from, bytes / 2, done, 1, &h[0]));
      ok(eyot_get_notify_nb(in + bytes / 2, eyot_gptr_add(from, (int64_t)(bytes / 2)),
                            bytes - bytes / 2, done, 1, &h[1]));
      ok(eyot_wait(&h[1], EYOT_LOCAL));
      ok(eyot_wait(&h[0], EYOT_REMOTE));
      ok(eyot_wait(&h[1], EYOT_REMOTE));
      break;
    case 2: /* together with ordinary handles */
      ok(eyot_get_nb(first, from, sizeof first, &h[0]));
      ok(eyot_get_notify_nb(in, from, bytes, done, 2, &h[1]));
      ok(eyot_put_nb(eyot_gptr_add(from, (int64_t)bytes), other, sizeof other, &h[2]));
      ok(eyot_wait_all(h, 4, EYOT_LOCAL));
      ok(eyot_wait_all(h, 4, EYOT_REMOTE));
      break;
    case 3:
      ok(eyot_get_notify_nb(in, from, bytes, done, 1, &h[0]));
      ok(eyot_put_nb(eyot_gptr_add(from, (int64_t)bytes), other, sizeof other, &h[1]));
      ok(eyot_get_notify_nb(first, from, sizeof first, done, 1, &h[2]));
      while (!all) ok(eyot_test_all(h, 4, EYOT_REMOTE, &all));
      break;
    case 4: /* the handles are not used before the notification has been seen to arrive */
      ok(eyot_get_notify_nb(in, from, bytes, done, 1, &h[0]));
      ok(eyot_get_notify_nb(first, from, sizeof first, done, 1, &h[1]));
      while (eyot_current->rma->follows != NULL && !all) {
        ok(eyot_progress());
        ok(eyot_test_all(h, 2, EYOT_LOCAL, &all));
      }
      ok(eyot_wait_all(h, 2, EYOT_REMOTE));
      break;
    default:
      ok(eyot_get_notify_nb(in, from, bytes, done, 2, &h[0]));
      ok(eyot_flush(eyot_gptr_unit(from), EYOT_REMOTE));
      ok(eyot_wait(&h[0], EYOT_REMOTE));
      break;
  }
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(h[i].id, 0);
}

static void gets_body(uint32_t me, uint32_t n) {
  enum { ROUNDS = 18, BYTES = 90 };
  eyot_gptr_t base = api_alloc(BYTES + 8);
  eyot_counter_t full = counter_create(1), done = counter_create(2);
  uint32_t next = (me + 1) % n, last = (me + n - 1) % n;
  uint8_t in[BYTES];
  for (uint32_t round = 0; round < ROUNDS; round++) {
    memset(api_own(base), (int)(round * 31 + me), BYTES);
    ok(eyot_sync());
    add(eyot_counter_at(full, unit(last)), 1);
    ok(eyot_counter_wait(eyot_counter_at(full, unit(me))));
    memset(in, 0xee, sizeof in);
    read_block(round, eyot_gptr_at(base, unit(next)), in, BYTES, eyot_counter_at(done, unit(next)));
    for (uint32_t i = 0; i < BYTES; i++) assert_int_equal(in[i], (uint8_t)(round * 31 + next));
    ok(eyot_counter_wait(eyot_counter_at(done, unit(me)))); /* from here on it may be overwritten */
  }
  assert_int_equal(value(eyot_counter_at(done, unit(me))), 0);
  counter_destroy(full);
  counter_destroy(done);
  api_free(base);
}

static uint32_t aged; /* units that had a handle */
/* A slot is used around 2^31 and 2^32 times: each handle is another one, and only the present one
 * is known; 2^31 uses later one recurs. */
static void ages_body(uint32_t me, uint32_t n) {
  static const uint32_t STARTS[] = {INT32_MAX - 3u, UINT32_MAX - 3u};
  eyot_gptr_t base = eyot_gptr_at(api_alloc(8), unit((me + 1) % n));
  eyot_counter_t done = counter_create(1);
  eyot_handle_t h, old[8], first = {0};
  uint64_t word;
  ok(eyot_get_notify_nb(&word, base, 8, eyot_counter_at(done, unit((me + 1) % n)), 1, &h));
  if (h.id != 0 && eyot_current->rma->follows != NULL) {
    ok(eyot_wait(&h, EYOT_REMOTE));
    for (uint32_t s = 0; s < 2; s++) {
      eyoti_follow_age(eyot_current, STARTS[s]);
      for (uint32_t i = 0; i < 8; i++) {
        ok(eyot_get_notify_nb(&word, base, 8, eyot_counter_at(done, unit((me + 1) % n)), 1, &h));
        old[i] = h;
        for (uint32_t k = 0; k < i; k++) {
          eyot_handle_t again = old[k];
          assert_true(old[k].id != old[i].id);
          refuses(EYOT_EINVAL, eyot_wait(&again, EYOT_REMOTE));
        }
        ok(eyot_wait(&h, EYOT_REMOTE));
      }
      if (s == 0) first = old[5];
    }
    assert_true(first.id == old[5].id); /* 2^31 uses apart */
    aged++;
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  counter_destroy(done);
  ok(eyot_team_free(eyot_gptr_at(base, unit(me))));
}

/* Progress and flush send the notification by themselves: the handle is not used until the owner
 * has answered. */
static void leaves_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_counter_t seen = counter_create(1), answer = counter_create(1);
  uint32_t next = (me + 1) % n, last = (me + n - 1) % n;
  enum { POLLS_MAX = 10000 };
  uint32_t told = 0, answered = 0; /* the unit that reads here may be a round ahead */
  for (uint32_t way = 0; way < 2; way++) {
    uint8_t in[64];
    eyot_handle_t h;
    ok(eyot_get_notify_nb(in, eyot_gptr_at(base, unit(next)), sizeof in,
                          eyot_counter_at(seen, unit(next)), 1, &h));
    if (way == 1) ok(eyot_flush_all(EYOT_REMOTE));
    for (uint32_t looks = 0; told <= way || answered <= way; looks++) {
      assert_true(looks < POLLS_MAX);
      bool fired;
      if (way == 0) ok(eyot_progress());
      ok(eyot_counter_test(eyot_counter_at(seen, unit(me)), &fired));
      if (fired) add(eyot_counter_at(answer, unit(last)), 1);
      told += fired;
      ok(eyot_counter_test(eyot_counter_at(answer, unit(me)), &fired));
      answered += fired;
    }
    ok(eyot_wait(&h, EYOT_REMOTE));
  }
  counter_destroy(seen);
  counter_destroy(answer);
  api_free(base);
}

/* A handle is completed once; slots are used again, and old handles are recognized. More handles
 * than the table's first slots. */
static void handles_body(uint32_t me, uint32_t n) {
  enum { MANY = 40 };
  eyot_gptr_t base = api_alloc(64), from = eyot_gptr_at(base, unit((me + 1) % n));
  eyot_counter_t c = counter_create(1), there = eyot_counter_at(c, unit((me + 1) % n));
  eyot_handle_t h[MANY], old, bad = {UINT64_C(1) << 63 | 1234567};
  uint8_t in[MANY];
  bool done;
  refuses(EYOT_EINVAL, eyot_wait(&bad, EYOT_REMOTE));
  refuses(EYOT_EINVAL, eyot_test(&bad, EYOT_LOCAL, &done));
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < MANY; i++) ok(eyot_get_notify_nb(&in[i], from, 1, there, 1, &h[i]));
    old = h[5];
    for (uint32_t i = 0; i < MANY; i += 3)
      ok(eyot_wait(&h[i], i % 2 == 0 ? EYOT_REMOTE : EYOT_LOCAL));
    ok(eyot_wait_all(h, MANY, EYOT_REMOTE));
    if (old.id >> 63 != 0) refuses(EYOT_EINVAL, eyot_wait(&old, EYOT_REMOTE));
    for (uint32_t i = 0; i < MANY; i++) ok(eyot_counter_wait(eyot_counter_at(c, unit(me))));
  }
  assert_int_equal(value(eyot_counter_at(c, unit(me))), 0);
  counter_destroy(c);
  api_free(base);
}

/* -- faults ------------------------------------------------------------------------------------ */

#define STEP(call)            \
  do {                        \
    int rc_ = (call);         \
    if (rc_ != 0) return rc_; \
  } while (0)

static int use_all(uint32_t me, uint32_t n) {
  eyot_gptr_t base;
  eyot_counter_t c, own;
  uint32_t next = (me + 1) % n;
  uint8_t b[64] = {0};
  eyot_handle_t h[3];
  uint64_t v;
  size_t index, indices[2], count;
  bool done = false;
  STEP(eyot_team_alloc(EYOT_TEAM_ALL, 64, &base));
  STEP(eyot_counter_create(EYOT_TEAM_ALL, 1, &c));
  STEP(eyot_counter_alloc(1, &own));
  eyot_gptr_t to = eyot_gptr_at(base, unit(next));
  eyot_counter_t there = eyot_counter_at(c, unit(next)), mine = eyot_counter_at(c, unit(me)),
                 both[2];
  both[0] = mine;
  both[1] = own;
  STEP(eyot_put_notify(to, b, 64, there, 2));
  STEP(eyot_put_notify_nb(to, b, 64, there, 1, &h[0]));
  STEP(eyot_put_notify_nbi(to, b, 64, there, 1));
  STEP(eyot_get_notify(b, to, 32, there, 1));
  STEP(eyot_get_notify_nb(b, to, 32, there, 1, &h[1]));
  STEP(eyot_get_notify_nb(b + 32, eyot_gptr_add(to, 32), 32, there, 1, &h[2]));
  STEP(eyot_progress());
  STEP(eyot_test(&h[1], EYOT_LOCAL, &done));
  STEP(eyot_wait_all(h, 3, EYOT_REMOTE));
  STEP(eyot_get_notify_nb(b, to, 32, there, 1, &h[1]));
  STEP(eyot_flush_all(EYOT_REMOTE));
  for (done = false; !done;) STEP(eyot_test(&h[1], EYOT_REMOTE, &done));
  STEP(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, own, 9));
  STEP(eyot_counter_wait(mine));
  STEP(eyot_counter_wait_timeout(mine, 1000000));
  STEP(eyot_counter_wait_any(both, 2, &index));
  STEP(eyot_counter_wait_some(both, 2, indices, &count));
  STEP(eyot_counter_wait_all(both, 2));
  STEP(eyot_counter_test(mine, &done));
  STEP(eyot_counter_test_any(both, 2, &index, &done));
  STEP(eyot_counter_test_some(both, 2, indices, &count));
  STEP(eyot_counter_test_all(both, 2, &done));
  STEP(eyot_counter_value(own, &v));
  STEP(eyot_barrier(EYOT_TEAM_ALL));
  STEP(eyot_counter_destroy(&own));
  STEP(eyot_counter_destroy(&c));
  return eyot_team_free(base);
}

struct faults {
  int injected, met;
};

static void note(struct faults *x, int rc) {
  x->met += rc == x->injected;
}

static void faults_main(struct fab *f, void *arg) {
  struct faults *x = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  note(x, rc);
  if (rc != 0) return;
  note(x, use_all(eyot_me().id, eyot_size()));
  note(x, eyot_finalize());
}

/* Operations take effect when they are posted: after a failed wait, a late one could write to the
 * caller's memory at any time. Errors of a get that progress and flush see are left to the wait for
 * its handle. */
static void each_failing_call_is_returned(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) {
    struct faults x = {.injected = EYOT_ESYS};
    struct fake_opts o = {
        .n = n, .seed = 3, .units_per_node = 1, .fail_code = EYOT_ESYS, .quiet = true};
    assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
    assert_int_equal(x.met, 0);
    uint64_t calls = fake_calls();
    for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
      x.met = 0;
      int end = fake_run(&o, faults_main, &x);
      assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
      if (x.met == 0 && end != FAKE_ABORTED)
        print_error("%u units: call %llu of %llu failed and nobody was told\n", n,
                    (unsigned long long)o.fail_op, (unsigned long long)calls);
      assert_true(x.met > 0 || end == FAKE_ABORTED);
    }
  }
}

static void each_failing_allocation_is_survived(void **state) {
  (void)state;
  struct faults x = {.injected = EYOT_ENOMEM};
  struct fake_opts o = {.n = 2, .seed = 3, .units_per_node = 1, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  uint64_t allocs = fake_allocs();
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  }
}

/* Left over at the end: a warning, and no memory is lost (for the sanitizers to see). */
static void left_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_counter_t c = counter_create(1);
  static uint8_t in[FAKE_UNITS_MAX];
  eyot_handle_t h;
  (void)counter_new(1);
  ok(eyot_get_notify_nb(&in[me], eyot_gptr_at(base, unit((me + 1) % n)), 1,
                        eyot_counter_at(c, unit((me + 1) % n)), 1, &h));
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

/* The memory is detached while it is read, which only its owner's side can know: the wait for the
 * handle returns the error, once, and no other call returns the error of that get. */
static uint32_t reads_lost;
static void lost_body(uint32_t me, uint32_t n) {
  static uint8_t memory[FAKE_UNITS_MAX][64];
  eyot_dynamic_t d;
  eyot_gptr_t g;
  eyot_counter_t c = counter_create(1), there = eyot_counter_at(c, unit((me + 1) % n));
  uint8_t in[64];
  ok(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &d));
  for (uint32_t round = 0; round < 6; round++) {
    ok(eyot_dynamic_attach(d, memory[me], 64, NULL));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_dynamic_gptr(d, unit(there.at.unit), (uint64_t)(uintptr_t)memory[there.at.unit], &g));
    eyot_handle_t h = EYOT_HANDLE_DONE;
    int rc = eyot_get_notify_nb(in, g, 64, there, 1, &h);
    bool posted = rc == EYOT_OK && h.id != 0, done = false;
    ok(eyot_dynamic_detach(d, memory[me]));
    for (uint32_t i = 0; i < 20; i++) ok(eyot_progress());
    if (round % 3 == 0) rc = rc != EYOT_OK ? rc : eyot_wait(&h, EYOT_REMOTE);
    while (round % 3 == 1 && rc == EYOT_OK && !done) rc = eyot_test(&h, EYOT_LOCAL, &done);
    while (round % 3 == 2 && rc == EYOT_OK && !done) rc = eyot_test_all(&h, 1, EYOT_REMOTE, &done);
    assert_true(rc == EYOT_OK || rc == EYOT_ERANGE);
    if (rc == EYOT_ERANGE && posted) {
      reads_lost++;
      refuses(EYOT_EINVAL, eyot_wait(&h, EYOT_REMOTE));
    } else {
      ok(eyot_wait(&h, EYOT_REMOTE));
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  ok(eyot_dynamic_destroy(&d));
  counter_destroy(c);
}

static void lost_get_is_reported_once_to_its_waiter(void **state) {
  (void)state;
  reads_lost = 0;
  for (uint32_t n = 2; n <= 4; n++) api_sweep(n, 12, lost_body);
  assert_true(reads_lost > 50);
}

/* A unit that ends with a handle open does not leave the other side waiting. */
static void end_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_counter_t c = counter_create(1);
  static uint8_t in[FAKE_UNITS_MAX];
  eyot_handle_t h;
  ok(eyot_get_notify_nb(&in[me], eyot_gptr_at(base, unit(0)), 1, eyot_counter_at(c, unit(0)), 1,
                        &h));
  if (me == 0) {
    ok(eyot_wait(&h, EYOT_REMOTE));
    for (uint32_t i = 0; i < n; i++) ok(eyot_counter_wait(eyot_counter_at(c, unit(0))));
  }
}

static void handles_recur_after_2_31_uses(void **state) {
  (void)state;
  aged = 0;
  api_sweep(2, 2, ages_body);
  assert_true(aged > 0);
}

int main(void) {
  api_environment();
  static api_body end = end_body, put = puts_body, get = gets_body, leaves = leaves_body,
                  handles = handles_body, left = left_body;
  const struct CMUnitTest tests[] = {
      NOTIFY_SWEEP(put),
      NOTIFY_SWEEP(get),
      NOTIFY_SWEEP(leaves),
      NOTIFY_SWEEP(handles),
      NOTIFY_SWEEP(left),
      NOTIFY_SWEEP(end),
      cmocka_unit_test(handles_recur_after_2_31_uses),
      cmocka_unit_test(lost_get_is_reported_once_to_its_waiter),
      cmocka_unit_test(each_failing_call_is_returned),
      cmocka_unit_test(each_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
