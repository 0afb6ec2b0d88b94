/* SPDX-License-Identifier: BSD-3-Clause */
/* test_counter.c - counters: thresholds, lists, misuse, and no notification is lost when all units
 * notify all, under every order. */
#include "unit/sync/notify_unit.h"

#define HUGE_AMOUNT UINT64_MAX

/* -- one counter ------------------------------------------------------------------------------- */

static void life_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_counter_t c = counter_new(3), of_team = counter_create(2 + me),
                 mine = eyot_counter_at(of_team, unit(me));
  bool fired = true;
  assert_int_equal(c.at.unit, me);
  assert_int_equal(value(c), 0);
  add(c, 2);
  ok(eyot_counter_test(c, &fired));
  assert_false(fired);
  refuses(EYOT_ETIMEOUT, eyot_counter_wait_timeout(c, 5000));
  assert_int_equal(value(c), 2); /* nothing consumed */
  add(c, 5);
  for (int i = 0; i < 2; i++) ok(eyot_counter_wait(c)); /* 7 are two firings and 1 */
  assert_int_equal(value(c), 1);
  ok(eyot_counter_set_threshold(c, 1));
  ok(eyot_counter_test(c, &fired));
  assert_true(fired);
  assert_int_equal(value(c), 0);
  ok(eyot_counter_set_threshold(c, 4));
  add(c, 4);
  ok(eyot_counter_wait_timeout(c, 1000000));
  for (uint32_t i = 0; i < 2 + me; i++) {
    ok(eyot_counter_test(mine, &fired));
    assert_false(fired);
    add(mine, 1);
  }
  ok(eyot_counter_wait(mine));
  counter_destroy(of_team);
  ok(eyot_counter_destroy(&c));
}

/* Amounts of 0 and of nearly 2^64. */
static void amounts_body(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  const uint64_t half = UINT64_C(1) << 63;
  bool fired = true;
  eyot_counter_t c = counter_new(1);
  for (int i = 0; i < 3; i++) add(c, 0);
  ok(eyot_counter_test(c, &fired));
  assert_false(fired);
  add(c, HUGE_AMOUNT);
  for (int i = 0; i < 3; i++) ok(eyot_counter_wait(c));
  assert_int_equal(value(c), HUGE_AMOUNT - 3);
  ok(eyot_counter_set_threshold(c, half));
  ok(eyot_counter_wait(c));
  assert_int_equal(value(c), half - 4);
  /* The rest does not suffice, and 64 bits could never hold a sufficient one. */
  ok(eyot_counter_test(c, &fired));
  assert_false(fired);
  refuses(EYOT_ETIMEOUT, eyot_counter_wait_timeout(c, 5000));
  ok(eyot_counter_set_threshold(c, half - 4));
  ok(eyot_counter_wait(c));
  assert_int_equal(value(c), 0);
  ok(eyot_counter_destroy(&c));
  c = counter_new(HUGE_AMOUNT);
  ok(eyot_counter_test_all((eyot_counter_t[]){c, c}, 2, &fired)); /* two firings overflow */
  assert_false(fired);
  add(c, HUGE_AMOUNT);
  ok(eyot_counter_wait(c));
  ok(eyot_counter_destroy(&c));
}

/* More counters than the table's first buckets, of all kinds, destroyed in another order. */
static void many_body(uint32_t me, uint32_t n) {
  enum { MANY = 100 };
  eyot_counter_t c[MANY];
  (void)n;
  for (uint32_t i = 0; i < MANY; i++)
    c[i] = i % 10 == 0 ? eyot_counter_at(counter_create(1), unit(me)) : counter_new(1 + i % 3);
  for (uint32_t i = 0; i < MANY; i++) add(c[i], i);
  for (uint32_t i = 0; i < MANY; i++) assert_int_equal(value(c[i]), i);
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t k = i * 37 % MANY;
    ok(eyot_counter_destroy(&c[k]));
  }
}

static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_counter_t c = counter_create(1), mine = eyot_counter_at(c, unit(me)),
                 next = eyot_counter_at(c, unit((me + 1) % n)), gone, none = {EYOT_GPTR_NULL};
  eyot_counter_t no_counter = {eyot_gptr_at(base, unit(me))};
  eyot_gptr_t to = eyot_gptr_at(base, next.at.unit == me ? unit(me) : unit(next.at.unit));
  uint64_t b[2] = {0, 0};
  size_t index, indices[2], count;
  bool fired;
  eyot_handle_t h;
  refuses(EYOT_EINVAL, eyot_counter_alloc(0, &gone));
  refuses(EYOT_EINVAL, eyot_counter_alloc(1, NULL));
  refuses(EYOT_ETEAM, eyot_counter_create(EYOT_TEAM_NULL, 1, &gone));
  /* One member's mistake is an error on all. */
  refuses(EYOT_EINVAL, eyot_counter_create(EYOT_TEAM_ALL, me == 0 ? 0 : 1, &gone));
  refuses(EYOT_EINVAL, eyot_counter_create(EYOT_TEAM_ALL, 1, me == n - 1 ? NULL : &gone));
  refuses(EYOT_EINVAL, eyot_counter_destroy(NULL));
  refuses(EYOT_ESEG, eyot_counter_destroy(&none));
  refuses(EYOT_ESEG, eyot_counter_wait(none));
  refuses(EYOT_EINVAL, eyot_counter_set_threshold(mine, 0));
  refuses(EYOT_EINVAL, eyot_counter_value(mine, NULL));
  refuses(EYOT_EINVAL, eyot_counter_test(mine, NULL));
  refuses(EYOT_EINVAL, eyot_counter_wait_any(&mine, 0, &index));
  refuses(EYOT_EINVAL, eyot_counter_wait_any(&mine, 1, NULL));
  refuses(EYOT_EINVAL, eyot_counter_wait_any(NULL, 1, &index));
  refuses(EYOT_EINVAL, eyot_counter_test_any(&mine, 1, &index, NULL));
  refuses(EYOT_EINVAL, eyot_counter_wait_some(&mine, 0, indices, &count));
  refuses(EYOT_EINVAL, eyot_counter_wait_some(&mine, 1, NULL, &count));
  refuses(EYOT_EINVAL, eyot_counter_test_some(&mine, 1, indices, NULL));
  refuses(EYOT_EINVAL, eyot_counter_wait_all(NULL, 1));
  refuses(EYOT_EINVAL, eyot_counter_test_all(&mine, 1, NULL));
  ok(eyot_counter_wait_all(NULL, 0));
  ok(eyot_counter_test_all(NULL, 0, &fired));
  assert_true(fired);
  refuses(EYOT_ESEG, eyot_counter_wait(no_counter)); /* global memory, but no counter */
  refuses(EYOT_ESEG, eyot_counter_wait_any((eyot_counter_t[]){mine, none}, 2, &index));
  refuses(EYOT_ESEG, eyot_put_notify(to, b, 8, none, 1));
  refuses(EYOT_EINVAL, eyot_put_notify(to, NULL, 8, next, 1));
  refuses(EYOT_EINVAL, eyot_put_notify_nb(to, b, 8, next, 1, NULL));
  refuses(EYOT_EINVAL, eyot_get_notify_nb(b, to, 8, next, 1, NULL));
  refuses(EYOT_EINVAL, eyot_get_notify_nb(NULL, to, 8, next, 1, &h));
  refuses(EYOT_ESEG, eyot_get_notify(b, EYOT_GPTR_NULL, 8, next, 1));
  refuses(EYOT_ERANGE, eyot_get_notify(b, eyot_gptr_add(to, 60), 8, next, 1));
  refuses(EYOT_ERANGE, eyot_put_notify(eyot_gptr_add(to, 60), b, 8, next, 1));
  if (n > 1) {
    refuses(EYOT_EUNIT, eyot_counter_wait(next));
    refuses(EYOT_EUNIT, eyot_counter_value(next, b));
    refuses(EYOT_EUNIT, eyot_counter_set_threshold(next, 1));
    refuses(EYOT_EUNIT, eyot_put_notify(to, b, 8, mine, 1));
    refuses(EYOT_EUNIT, eyot_get_notify(b, to, 8, mine, 1));
    refuses(EYOT_EUNIT, eyot_get_notify_nb(b, to, 8, mine, 1, &h));
    eyot_counter_t own = counter_new(1), of_other = eyot_counter_at(own, unit((me + 1) % n));
    refuses(EYOT_EUNIT, eyot_counter_destroy(&of_other));
    ok(eyot_counter_destroy(&own));
  }
  assert_int_equal(value(mine), 0); /* no refused call has notified a counter */
  gone = mine;
  counter_destroy(c);
  refuses(EYOT_ESEG, eyot_counter_wait(gone));
  refuses(EYOT_ESEG, eyot_counter_destroy(&gone));
  refuses(EYOT_ESEG, eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, gone, 1));
  api_free(base);
}

/* -- lists ------------------------------------------------------------------------------------- */

static void any_body(uint32_t me, uint32_t n) {
  enum { K = 4 };
  (void)me;
  (void)n;
  eyot_counter_t c[K], twice[2];
  size_t index = 99;
  bool fired = true;
  for (uint32_t i = 0; i < K; i++) c[i] = counter_new(2);
  ok(eyot_counter_test_any(c, K, &index, &fired));
  assert_false(fired);
  assert_int_equal(index, 99);
  /* Fair: each in its turn while all have firings. */
  for (uint32_t i = 0; i < K; i++) add(c[i], 6);
  for (uint32_t i = 0; i < 3 * K; i++) {
    if (i % 2 == 0)
      ok(eyot_counter_wait_any(c, K, &index));
    else
      ok(eyot_counter_test_any(c, K, &index, &fired));
    assert_int_equal(index, i % K);
  }
  ok(eyot_counter_test_any(c, K, &index, &fired));
  assert_false(fired);
  /* After 1 come 2, 3, 0; a list of another length has its own turn. */
  add(c[1], 2);
  ok(eyot_counter_wait_any(c, K, &index));
  assert_int_equal(index, 1);
  for (uint32_t i = 0; i < K; i++) add(c[i], 2);
  ok(eyot_counter_wait_any(c, K - 1, &index));
  assert_int_equal(index, 0);
  ok(eyot_counter_wait_any(c, K, &index));
  assert_int_equal(index, 2);
  ok(eyot_counter_wait_any(c, K, &index));
  assert_int_equal(index, 3);
  ok(eyot_counter_wait_any(c, K, &index));
  assert_int_equal(index, 1);
  twice[0] = twice[1] = c[2];
  add(c[2], 2);
  ok(eyot_counter_wait_any(twice, 2, &index));
  ok(eyot_counter_test_any(twice, 2, &index, &fired));
  assert_false(fired);
  for (uint32_t i = 0; i < K; i++) ok(eyot_counter_destroy(&c[i]));
}

/* Lists of one length that take turns, and a counter in several lists: no counter that has fired
 * waits while another one is served twice. */
static void fair_body(uint32_t me, uint32_t n) {
  enum { K = 6, CALLS = 60 };
  static const size_t LISTS[][3] = {{0, 1, 2}, {3, 4, 5}, {0, 4, 2}, {1, 1, 0}};
  eyot_counter_t c[K], list[3];
  uint32_t served[K] = {0}, calls = 0;
  uint64_t rng = me + 5;
  (void)n;
  for (uint32_t i = 0; i < K; i++) c[i] = counter_new(1);
  for (uint32_t i = 0; i < K; i++) add(c[i], CALLS * 2);
  while (calls < CALLS) {
    const size_t *names = LISTS[calls < 2 * K ? calls % 2 : draw(&rng) % 4];
    size_t index;
    for (uint32_t i = 0; i < 3; i++) list[i] = c[names[i]];
    ok(eyot_counter_wait_any(list, 3, &index));
    /* longest ago */
    for (uint32_t i = 0; i < 3; i++) assert_true(served[names[i]] >= served[names[index]]);
    /* the first of the same */
    assert_true(index == 0 || names[index - 1] != names[index]);
    served[names[index]] = ++calls;
    if (calls == 2 * K)
      for (uint32_t i = 0; i < K; i++) assert_true(served[i] > K);
  }
  for (uint32_t i = 0; i < K; i++) ok(eyot_counter_destroy(&c[i]));
}

/* Notifications of gets that no call has completed are over when the counter's memory may be given
 * to others. */
static void late_body(uint32_t me, uint32_t n) {
  enum { ROUNDS = 20 };
  uint64_t word;
  eyot_gptr_t base = api_alloc(64), again;
  eyot_unit_t next = unit((me + 1) % n);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    eyot_counter_t c = counter_create(1);
    ok(eyot_get_notify(&word, eyot_gptr_at(base, next), sizeof word, eyot_counter_at(c, next), 7));
    ok(eyot_counter_destroy(&c));
    ok(eyot_team_alloc(EYOT_TEAM_ALL, 64, &again));
    ok(eyot_compute(2000));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    for (uint32_t i = 0; i < 8; i++)
      assert_int_equal(((const volatile uint64_t *)api_own(again))[i], 0);
    api_free(again);
  }
  api_free(base);
}

static void some_body(uint32_t me, uint32_t n) {
  enum { K = 40 }; /* more than conditions on the stack */
  (void)me;
  (void)n;
  eyot_counter_t c[K], list[5];
  size_t indices[K], count = 99;
  bool fired = true;
  for (uint32_t i = 0; i < K; i++) c[i] = counter_new(1 + i % 2);
  ok(eyot_counter_test_some(c, K, indices, &count));
  assert_int_equal(count, 0);
  for (uint32_t i = 0; i < K; i += 3) add(c[i], 1 + i % 2);
  eyot_counts_t cost;
  ok(eyot_count_begin());
  ok(eyot_counter_wait_some(c, K, indices, &count));
  ok(eyot_count_read(&cost));
  ok(eyot_count_end());
  assert_int_equal(cost.waits, 1); /* however many have fired */
  assert_int_equal(count, (K + 2) / 3);
  for (uint32_t i = 0; i < count; i++) assert_int_equal(indices[i], 3 * i);
  ok(eyot_counter_test_some(c, K, indices, &count));
  assert_int_equal(count, 0);
  /* A counter that is named three times, with two firings, next to another. */
  for (uint32_t i = 0; i < 5; i++) list[i] = c[i == 3 ? 2 : 0];
  add(c[0], 2);
  add(c[2], 1);
  ok(eyot_counter_test_all((eyot_counter_t[]){c[0], c[0], c[0]}, 3, &fired));
  assert_false(fired);
  assert_int_equal(value(c[0]), 2);
  ok(eyot_counter_wait_some(list, 5, indices, &count));
  assert_int_equal(count, 3);
  assert_int_equal(indices[0], 0);
  assert_int_equal(indices[1], 1);
  assert_int_equal(indices[2], 3);
  add(c[0], 3);
  add(c[1], 2);
  ok(eyot_counter_wait_all((eyot_counter_t[]){c[0], c[1], c[0]}, 3));
  assert_int_equal(value(c[0]), 1);
  ok(eyot_counter_test_all((eyot_counter_t[]){c[0], c[1]}, 2, &fired));
  assert_false(fired);
  assert_int_equal(value(c[0]), 1);
  add(c[1], 2);
  ok(eyot_counter_test_all((eyot_counter_t[]){c[0], c[1]}, 2, &fired));
  assert_true(fired);
  for (uint32_t i = 0; i < K; i++) {
    assert_int_equal(value(c[i]), 0);
    ok(eyot_counter_destroy(&c[i]));
  }
}

/* -- all units notify all, with every way to consume; no notification is lost or invented ------ */

#define LIST 3u

static void consume_some_way(uint64_t *rng, const eyot_counter_t *mine, uint64_t *left) {
  size_t index, indices[LIST], count;
  uint32_t k = 0, have = 0;
  for (uint32_t i = 0; i < LIST; i++)
    if (left[i] > 0) {
      k = i;
      have++;
    }
  switch (draw(rng) % 6) {
    case 0:
      ok(eyot_counter_wait(mine[k]));
      left[k]--;
      return;
    case 1:
      ok(eyot_counter_wait_any(mine, LIST, &index));
      left[index]--;
      return;
    case 2:
      ok(eyot_counter_wait_some(mine, LIST, indices, &count));
      assert_true(count >= 1 && count <= LIST);
      for (size_t i = 0; i < count; i++) left[indices[i]]--;
      return;
    case 3:
      ok(eyot_counter_test_some(mine, LIST, indices, &count));
      for (size_t i = 0; i < count; i++) left[indices[i]]--;
      return;
    case 4:
      if (have < LIST) return;
      ok(eyot_counter_wait_all(mine, LIST));
      for (uint32_t i = 0; i < LIST; i++) left[i]--;
      return;
    default: {
      int rc = eyot_counter_wait_timeout(mine[k], 300);
      assert_true(rc == EYOT_OK || rc == EYOT_ETIMEOUT);
      if (rc == EYOT_OK) left[k]--;
    }
  }
}

static void storm_body(uint32_t me, uint32_t n) {
  enum { EACH = 12 };
  eyot_counter_t c[LIST], mine[LIST];
  uint64_t left[LIST], rng = me + 1;
  for (uint32_t i = 0; i < LIST; i++) {
    c[i] = counter_create(i + 1);
    mine[i] = eyot_counter_at(c[i], unit(me));
    left[i] = EACH * n / (i + 1); /* EACH from each unit; a threshold of i + 1 */
  }
  uint64_t sent = 0, all = (uint64_t)EACH * n * LIST;
  while (sent < all || left[0] + left[1] + left[2] > 0) {
    if (sent < all && draw(&rng) % 3 != 0) {
      uint32_t to = (uint32_t)((sent / LIST + me) % n);
      ok(eyot_put_notify_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_counter_at(c[sent % LIST], unit(to)),
                             1));
      if (++sent == all) ok(eyot_flush_all(EYOT_REMOTE));
    } else if (sent < all) {
      bool fired;
      uint32_t k = (uint32_t)(draw(&rng) % LIST);
      ok(eyot_counter_test(mine[k], &fired));
      left[k] -= fired;
    } else {
      consume_some_way(&rng, mine, left);
    }
  }
  for (uint32_t i = 0; i < LIST; i++) {
    assert_int_equal(value(mine[i]), 0);
    counter_destroy(c[i]);
  }
}

int main(void) {
  api_environment();
  static api_body life = life_body, amounts = amounts_body, many = many_body,
                  refused = refused_body, any_of = any_body, fair = fair_body, late = late_body,
                  some = some_body, storm = storm_body;
  const struct CMUnitTest tests[] = {
      NOTIFY_SWEEP(life),    NOTIFY_SWEEP(amounts), NOTIFY_SWEEP(many),
      NOTIFY_SWEEP(refused), NOTIFY_SWEEP(fair),    NOTIFY_SWEEP(late),
      NOTIFY_SWEEP(any_of),  NOTIFY_SWEEP(some),    NOTIFY_SWEEP(storm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
