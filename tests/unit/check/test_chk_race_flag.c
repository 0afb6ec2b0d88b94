/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_race_flag.c - puts that end waits, in the race detector: who learns what from which half
 * of a word, in an order of events that no schedule need show. */
#include "unit/check/chk_race_unit.h"

enum { FLAG = 128, UPPER = FLAG + 4, SITE = 10 };

/* Unit u puts the word, and it has arrived. */
static op_t *flag(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len) {
  op_t *op = put(r, u, t, off, len, 30 + u);
  chk_race_arrived(r, op, bytes(t, off, len));
  return op;
}
static void waited(struct chk_race *r, uint32_t u, uint64_t off, uint64_t len) {
  chk_race_waited(r, at(u, 60 + u), bytes(u, off, len));
}
static uint32_t races(struct chk_race *r) {
  const struct chk_race_report *reports;
  uint32_t n = chk_race_reports(r, &reports);
  chk_race_destroy(r);
  return n;
}

/* Unit 2 has put x and then the upper half; unit 0 the lower half. Unit 1 waits for one of the two
 * and reads x. */
static uint32_t other_half(uint64_t heard, uint64_t len) {
  struct chk_race *r = chk_race_new(3, true);
  bput(r, 2, 1, X, 8, SITE);
  done(r, flag(r, 2, 1, UPPER, 4));
  done(r, flag(r, 0, 1, FLAG, 4));
  waited(r, 1, heard, len);
  load(r, 1, X, 8, SITE + 1);
  return races(r);
}

static void a_half_tells_of_its_own_put(void **state) {
  (void)state;
  assert_int_equal(other_half(FLAG, 4), 1);
  assert_int_equal(other_half(UPPER, 4), 0);
  assert_int_equal(other_half(FLAG, 8), 0);
}

/* The same with puts of 2 bytes to the two quarters of one half. */
static uint32_t other_quarter(uint64_t heard, uint64_t len) {
  struct chk_race *r = chk_race_new(3, true);
  bput(r, 2, 1, X, 8, SITE);
  done(r, flag(r, 2, 1, UPPER + 2, 2));
  done(r, flag(r, 0, 1, UPPER, 2));
  waited(r, 1, heard, len);
  load(r, 1, X, 8, SITE + 1);
  return races(r);
}

static void a_quarter_tells_of_its_own_put(void **state) {
  (void)state;
  assert_int_equal(other_quarter(UPPER, 2), 1);
  assert_int_equal(other_quarter(UPPER + 2, 2), 0);
  assert_int_equal(other_quarter(FLAG, 4), 1);
  assert_int_equal(other_quarter(UPPER, 4), 0);
  assert_int_equal(other_quarter(FLAG, 8), 0);
}

/* Two puts of one unit to the flag, of which the second is not ordered after x. */
static void the_last_put_that_has_arrived_is_seen(void **state) {
  (void)state;
  for (uint32_t both = 0; both < 2; both++) {
    struct chk_race *r = chk_race_new(3, true);
    op_t *early = put(r, 0, 1, FLAG, 8, SITE);
    op_t *data = put(r, 0, 1, X, 8, SITE + 1);
    chk_race_ordered(r, 0, 1);
    op_t *late = put(r, 0, 1, FLAG, 8, SITE + 2);
    chk_race_arrived(r, early, bytes(1, FLAG, 8));
    if (both != 0) chk_race_arrived(r, late, bytes(1, FLAG, 8));
    waited(r, 1, FLAG, 8);
    load(r, 1, X, 8, SITE + 3);
    done(r, early);
    done(r, data);
    done(r, late);
    assert_int_equal(races(r), both == 0 ? 1 : 0);
  }
}

/* A get, a load and an atomic that fetches learn nothing from a put. */
static void only_a_waiter_learns(void **state) {
  (void)state;
  struct chk_race *r = chk_race_new(3, true);
  bput(r, 0, 1, X, 8, SITE);
  done(r, flag(r, 0, 1, FLAG, 8));
  bget(r, 1, 1, FLAG, 8, SITE + 1);
  load(r, 1, X, 8, SITE + 2);
  assert_int_equal(races(r), 2);
  r = chk_race_new(3, true);
  bput(r, 0, 1, X, 8, SITE);
  done(r, flag(r, 0, 1, FLAG, 8));
  bamo(r, 1, 1, FLAG, SITE + 1);
  load(r, 1, X, 8, SITE + 2);
  assert_int_equal(races(r), 2);
  r = chk_race_new(3, true);
  done(r, flag(r, 0, 1, FLAG, 8));
  saw(r, 1, FLAG);
  assert_int_equal(races(r), 1);
}

/* A longer put, or one aligned to half its length, races with the wait. */
static void other_puts_do_not_synchronize(void **state) {
  (void)state;
  static const struct {
    uint64_t off, len;
  } PUTS[] = {{FLAG, 16}, {FLAG - 4, 8}, {FLAG + 4, 1}, {FLAG + 5, 2}, {FLAG - 8, 24}};
  for (size_t i = 0; i < sizeof PUTS / sizeof PUTS[0]; i++) {
    struct chk_race *r = chk_race_new(2, true);
    bput(r, 0, 1, PUTS[i].off, PUTS[i].len, SITE);
    waited(r, 1, FLAG, 8);
    assert_int_equal(races(r), 1);
  }
}

/* The put is complete for its unit, in a store buffer, and arrives later. */
static void a_put_in_a_store_buffer_tells_when_it_arrives(void **state) {
  (void)state;
  struct chk_race *r = chk_race_new(2, true);
  bput(r, 0, 1, X, 8, SITE);
  op_t *op = put(r, 0, 1, FLAG, 8, SITE + 1);
  chk_race_completed(r, op, CHK_RACE_BUFFERED);
  chk_race_arrived(r, op, bytes(1, FLAG, 8));
  done(r, op);
  waited(r, 1, FLAG, 8);
  load(r, 1, X, 8, SITE + 2);
  load(r, 1, FLAG, 8, SITE + 3);
  assert_int_equal(races(r), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_half_tells_of_its_own_put),
      cmocka_unit_test(a_quarter_tells_of_its_own_put),
      cmocka_unit_test(the_last_put_that_has_arrived_is_seen),
      cmocka_unit_test(only_a_waiter_learns),
      cmocka_unit_test(other_puts_do_not_synchronize),
      cmocka_unit_test(a_put_in_a_store_buffer_tells_when_it_arrives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
