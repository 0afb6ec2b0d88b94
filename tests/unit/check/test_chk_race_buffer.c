/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_race_buffer.c - private buffers of operations under way, against a list that is searched
 * from end to end; and the bytes on which races are meant, against an array of bytes. */
#include <stdlib.h>

#include "support/draw.h"
#include "unit/check/chk_race_unit.h"

#define N_UNITS 2u
#define MOST 300u
#define ADDRESSES 600u
#define STEPS 20000u

struct model {
  op_t *op;
  uint32_t unit;
  uint64_t lo, hi;
  bool writes;
};

static bool expected(const struct model *m, uint32_t n, uint32_t unit, uint64_t lo, uint64_t hi,
                     bool writes) {
  for (uint32_t i = 0; i < n; i++)
    if (m[i].unit == unit && m[i].lo < hi && m[i].hi > lo && (writes || m[i].writes)) return true;
  return false;
}

/* Posts, completes and looks up in any order. */
static void buffers_are_found_by_any_overlap(void **state) {
  (void)state;
  static struct model m[MOST];
  uint64_t rng = 1;
  uint32_t n = 0, found = 0;
  struct chk_race *r = chk_race_new(N_UNITS, true);
  for (uint32_t step = 0; step < STEPS; step++) {
    uint32_t unit = (uint32_t)(draw(&rng) % N_UNITS);
    uint64_t lo = draw(&rng) % ADDRESSES, hi = lo + 1 + draw(&rng) % 8;
    bool writes = draw(&rng) % 2 == 0;
    if (n < MOST && draw(&rng) % 2 == 0) {
      op_t *op = chk_race_posted(r, at(unit, step), writes ? CHK_RACE_GET : CHK_RACE_PUT, 1 - unit,
                                 hi - lo);
      chk_race_private(r, op, lo, hi - lo);
      m[n++] = (struct model){op, unit, lo, hi, writes};
    } else if (n > 0 && draw(&rng) % 2 == 0) {
      uint32_t i = (uint32_t)(draw(&rng) % n);
      chk_race_completed(r, m[i].op, CHK_RACE_LOCAL);
      assert_null(m[i].op->buffers);
      done(r, m[i].op);
      m[i] = m[--n];
    }
    bool is = expected(m, n, unit, lo, hi, writes);
    assert_int_equal(chk_race_lent(r, unit, lo, hi - lo, writes), is);
    found += is;
  }
  assert_in_range(found, STEPS / 10, STEPS - STEPS / 10); /* both answers are frequent */
  chk_race_destroy(r);
}

static void reports_name_the_operation_and_the_access(void **state) {
  (void)state;
  const struct chk_race_report *p;
  struct chk_race *r = chk_race_new(N_UNITS, true);
  op_t *op = chk_race_posted(r, at(0, 7), CHK_RACE_GET, 1, 16);
  chk_race_private(r, op, 1000, 16);
  chk_race_private_access(r, at(1, 8), 1000, 8, true); /* another unit's memory */
  chk_race_private_access(r, at(0, 8), 1016, 8, true); /* after it */
  assert_int_equal(chk_race_reports(r, &p), 0);
  chk_race_private_access(r, at(0, 9), 1012, 8, false);
  assert_int_equal(chk_race_reports(r, &p), 1);
  assert_int_equal(p->first.kind, CHK_RACE_GET);
  assert_true(p->first.source && p->first.write);
  assert_int_equal(p->second.kind, CHK_RACE_LOAD);
  assert_int_equal(p->bytes.seg, CHK_RACE_SEG_PRIVATE);
  assert_int_equal(p->bytes.off, 12);
  assert_int_equal(p->bytes.len, 4);
  done(r, op);
  chk_race_private_access(r, at(0, 10), 1012, 8, true);
  assert_int_equal(chk_race_reports(r, &p), 1);
  chk_race_destroy(r);
}

static void marks_cover_exactly_their_bytes(void **state) {
  (void)state;
  enum { BYTES = 200 };
  bool marked[N_UNITS][BYTES] = {0};
  uint64_t rng = 2;
  struct chk_race *r = chk_race_new(N_UNITS, true);
  for (uint32_t step = 0; step < STEPS / 10; step++) {
    uint32_t unit = (uint32_t)(draw(&rng) % N_UNITS);
    uint64_t lo = draw(&rng) % BYTES, len = 1 + draw(&rng) % 12;
    if (lo + len > BYTES) len = BYTES - lo;
    uint64_t what = draw(&rng) % 3;
    if (what == 0) chk_race_racy(r, bytes(unit, lo, len));
    if (what == 1) chk_racy_forget(r, bytes(unit, lo, len));
    for (uint64_t i = lo; what < 2 && i < lo + len; i++) marked[unit][i] = what == 0;
    bool all = true;
    for (uint64_t i = lo; i < lo + len; i++) all = all && marked[unit][i];
    assert_int_equal(chk_racy_has(r, bytes(unit, lo, len)), all);
  }
  chk_race_destroy(r);
}

static void marks_of_a_run_end_with_it(void **state) {
  (void)state;
  struct chk_race *r = chk_race_new(N_UNITS, true);
  chk_race_racy(r, bytes(0, 0, 8));
  chk_race_restart(r);
  chk_race_racy(r, bytes(0, 16, 8));
  assert_true(chk_racy_has(r, bytes(0, 0, 8)) && chk_racy_has(r, bytes(0, 16, 8)));
  chk_race_restart(r);
  assert_true(chk_racy_has(r, bytes(0, 0, 8)));
  assert_false(chk_racy_has(r, bytes(0, 16, 8)));
  chk_race_destroy(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_found_by_any_overlap),
      cmocka_unit_test(reports_name_the_operation_and_the_access),
      cmocka_unit_test(marks_cover_exactly_their_bytes),
      cmocka_unit_test(marks_of_a_run_end_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
