/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_race.c - small programs with a race that must be reported, and the text of reports. */
#include "unit/check/chk_race_unit.h"

static void no_signal(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  load(r, 1, X, 8, 2);
}
static void put_not_flushed_signal(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void put_not_flushed_barrier(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  barrier(r, UNITS);
  bget(r, 2, 1, X, 8, 2);
  done(r, p);
}
/* The reader comes first in this run: the put is compared with it when it takes effect. */
static void put_arrives_late(struct chk_race *r) {
  op_t *p = chk_race_posted(r, at(0, 1), CHK_RACE_PUT, 1, 8);
  barrier(r, UNITS);
  load(r, 1, X, 8, 2);
  chk_race_applied(r, p, bytes(1, X, 8));
  done(r, p);
}
static void flushed_locally(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_completed(r, p, CHK_RACE_LOCAL);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_to_another(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, CHK_RACE_ALL);
  message(r, 0, 2, F);
  bget(r, 2, 1, X, 8, 2);
  done(r, p);
}
static void order_for_another(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 2);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_before_put(struct chk_race *r) {
  chk_race_ordered(r, 0, 1);
  op_t *p = put(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void signal_posted_before_order(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1), *s = chk_race_posted(r, at(0, 3), CHK_RACE_SIGNAL, 1, 0);
  chk_race_ordered(r, 0, 1);
  chk_race_signaled(r, s, chk_word(1, SEG, F), false);
  saw(r, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void two_puts(struct chk_race *r) {
  op_t *a = put(r, 0, 1, X, 8, 1), *b = put(r, 0, 1, X, 8, 2);
  done(r, a);
  done(r, b);
}
static void puts_of_two(struct chk_race *r) {
  bput(r, 0, 2, X, 8, 1);
  bput(r, 1, 2, X, 8, 2);
}
static void get_against_put(struct chk_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  message(r, 0, 2, F);
  bput(r, 2, 1, X, 8, 2);
  done(r, g);
}
/* An order does not cover gets. */
static void get_order_put(struct chk_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  op_t *p = put(r, 0, 1, X, 8, 2);
  done(r, p);
  done(r, g);
}
static void put_order_get(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  bget(r, 0, 1, X, 8, 2);
  done(r, p);
}
static void atomic_against_put(struct chk_race *r) {
  bamo(r, 0, 1, X, 1);
  bput(r, 2, 1, X, 8, 2);
}
static void put_against_signal(struct chk_race *r) {
  bput(r, 2, 1, F, 8, 1);
  signal_to(r, 0, 1, F);
}
static void polling_by_loads(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  signal_to(r, 0, 1, F);
  load(r, 1, F, 8, 2); /* no wait */
}
static void another_signals_bytes(struct chk_race *r) {
  op_t *a = put_signal(r, 0, 1, X, 8, F, 1), *b = put_signal(r, 0, 1, Y, 8, G, 2);
  saw(r, 1, G);
  load(r, 1, Y, 8, 3);
  load(r, 1, X, 8, 4);
  done(r, a);
  done(r, b);
}
static void own_signal_to_another(struct chk_race *r) {
  op_t *a = put_signal(r, 0, 1, X, 8, F, 1);
  message(r, 0, 2, F);
  bget(r, 2, 1, X, 8, 2);
  done(r, a);
}
static void signal_hides_signal(struct chk_race *r) {
  bput(r, 0, 2, X, 8, 1);
  signal_to(r, 0, 2, F);
  signal_to(r, 1, 2, F); /* sets, and knows nothing of unit 0 */
  saw(r, 2, F);
  load(r, 2, X, 8, 2);
}
static void overlap_of_a_byte(struct chk_race *r) {
  bput(r, 0, 2, X + 1, 3, 1);
  bput(r, 1, 2, X + 3, 4, 2);
}
static void long_puts_overlap(struct chk_race *r) {
  bput(r, 0, 2, 65536, 1 << 20, 1);
  bput(r, 1, 2, 65536 + (1 << 20) - 8, 1 << 20, 2);
}
static void write_after_shared_reads(struct chk_race *r) {
  for (uint32_t u = 0; u < 3; u++) bget(r, u, 3, X, 8, 1 + u);
  message(r, 0, 3, F);
  message(r, 2, 3, G); /* unit 1 is forgotten */
  store(r, 3, X, 8, 9);
}
static void ring_is_cut(struct chk_race *r) {
  bput(r, 0, 3, X, 8, 1);
  message(r, 0, 1, F);
  signal_to(r, 1, 2, F); /* not waited for */
  message(r, 2, 3, F);
  load(r, 3, X, 8, 2);
}
static void unlock_too_early(struct chk_race *r) {
  for (uint32_t u = 0; u < 2; u++) {
    bamo(r, u, 2, F, 1);
    op_t *p = put(r, u, 3, X, 8, 2);
    bamo(r, u, 2, F, 3);
    done(r, p);
  }
}
static void atomic_not_fetched(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  bamo(r, 0, 1, F, 2);
  done(r, amo(r, 2, 1, F, 8, false, true, 3));
  bget(r, 2, 1, X, 8, 4);
}
static void atomic_only_read(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  done(r, amo(r, 0, 1, F, 8, true, false, 2)); /* no unit learns from it */
  bamo(r, 2, 1, F, 3);
  bget(r, 2, 1, X, 8, 4);
}
static void store_not_fenced(struct chk_race *r) {
  store(r, 0, X, 8, 1);
  message(r, 0, 1, F);
  bget(r, 1, 0, X, 8, 2);
}
static void source_of_put(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_local(r, p, bytes(0, Y, 8));
  message(r, 0, 2, F);
  bput(r, 2, 0, Y, 8, 2);
  done(r, p);
}
static void result_of_get(struct chk_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  chk_race_local(r, g, bytes(0, Y, 8));
  load(r, 0, Y, 8, 2);
  done(r, g);
}
static void own_load_of_put_to_self(struct chk_race *r) {
  op_t *p = put(r, 0, 0, X, 8, 1);
  load(r, 0, X, 8, 2);
  done(r, p);
}

static void source_behind_order(struct chk_race *r) {
  op_t *p = put(r, 0, 0, X, 8, 1);
  chk_race_ordered(r, 0, 0);
  op_t *q = chk_race_posted(r, at(0, 2), CHK_RACE_PUT, 0, 8);
  /* the target keeps an order, but sources are not read there */
  chk_race_local(r, q, bytes(0, X, 8));
  chk_race_applied(r, q, bytes(0, Y, 8));
  done(r, p);
  done(r, q);
}
static void loads_at_one_site(struct chk_race *r) {
  load(r, 1, X, 8, 1);
  message(r, 1, 0, F);
  load(r, 1, X, 8, 1); /* not ordered by that */
  bput(r, 0, 1, X, 8, 2);
}
static void learned_after_posting(struct chk_race *r) {
  bput(r, 2, 1, X, 8, 1);
  bput(r, 0, 1, Y, 8, 2);
  op_t *s = chk_race_posted(r, at(0, 3), CHK_RACE_SIGNAL, 1, 0);
  message(r, 2, 0, F);
  chk_race_signaled(r, s, chk_word(1, SEG, G), false);
  saw(r, 1, G);
  load(r, 1, Y, 8, 4);
  load(r, 1, X, 8, 5);
}
static void order_all_before_put(struct chk_race *r) {
  bput(r, 0, 1, Y, 8, 1);
  chk_race_ordered(r, 0, CHK_RACE_ALL);
  op_t *p = put(r, 0, 1, X, 8, 2);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 3);
  done(r, p);
}

static void put_not_flushed_meeting(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  meet(r, 0, UNITS, 1);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void after_entering(struct chk_race *r) {
  enter_all(r, 0, UNITS, 1);
  bput(r, 0, 1, X, 8, 1);
  leave_all(r, 0, UNITS, 1);
  load(r, 1, X, 8, 2);
}
static void before_leaving(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  enter_all(r, 0, UNITS, 1);
  load(r, 1, X, 8, 2);
  leave_all(r, 0, UNITS, 1);
}
static void after_the_same_meeting(struct chk_race *r) {
  meet(r, 0, UNITS, 1);
  bput(r, 0, 1, X, 8, 1);
  bget(r, 2, 1, X, 8, 2);
}
static void met_others(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  meet(r, 0, 2, 1);
  meet(r, 2, 2, 1);
  bget(r, 2, 1, X, 8, 2);
}
/* The next exchange of the same parity is another one, though some units never left the first. */
static void abandoned_meeting(struct chk_race *r) {
  struct chk_race_exchange x = meeting(0, UNITS, 1);
  bput(r, 0, 1, X, 8, 1);
  chk_race_enters(r, 0, &x);
  x.seq = 3;
  chk_race_enters(r, 1, &x);
  chk_race_enters(r, 2, &x);
  chk_race_leaves(r, 2, &x);
  bget(r, 2, 1, X, 8, 2);
}
/* Without a result the unit does not know that the atomic has acted. */
static void order_then_no_result(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  op_t *a = amo(r, 0, 1, F, 8, false, true, 2);
  chk_race_completed(r, a, CHK_RACE_LOCAL);
  message(r, 0, 2, G);
  bget(r, 2, 1, X, 8, 3);
  done(r, p);
  done(r, a);
}
/* A unit that leaves an exchange that no detector saw it enter learns nothing of a later one. */
static void left_another_meeting(struct chk_race *r) {
  struct chk_race_exchange x = meeting(0, UNITS, 3);
  bput(r, 0, 1, X, 8, 1);
  chk_race_enters(r, 0, &x);
  x.seq = 1;
  chk_race_leaves(r, 2, &x);
  bget(r, 2, 1, X, 8, 2);
}
static void store_before_meeting(struct chk_race *r) {
  store(r, 1, X, 8, 1);
  meet(r, 0, UNITS, 1);
  bget(r, 0, 1, X, 8, 2);
}

static const struct program programs[] = {
    {"a put not flushed, then an exchange", 1, put_not_flushed_meeting},
    {"a put after entering an exchange", 1, after_entering},
    {"a load before leaving an exchange", 1, before_leaving},
    {"after the same exchange", 1, after_the_same_meeting},
    {"exchanges of different sets", 1, met_others},
    {"an exchange that was abandoned", 1, abandoned_meeting},
    {"another exchange than the one that was entered", 1, left_another_meeting},
    {"put, order, an atomic without result, a signal", 1, order_then_no_result},
    {"a store, then an exchange", 1, store_before_meeting},
    {"a put and no signal", 1, no_signal},
    {"a put not flushed, then a signal", 1, put_not_flushed_signal},
    {"a put not flushed, then a barrier", 1, put_not_flushed_barrier},
    {"a put that arrives after the load", 1, put_arrives_late},
    {"a local flush, then a signal", 1, flushed_locally},
    {"order, then a signal to another unit", 1, order_to_another},
    {"order for another unit", 1, order_for_another},
    {"order before the put", 1, order_before_put},
    {"a signal posted before the order", 1, signal_posted_before_order},
    {"two puts of a unit to a word", 1, two_puts},
    {"puts of two units to a word", 1, puts_of_two},
    {"a get under way against a put", 1, get_against_put},
    {"get, order, put", 1, get_order_put},
    {"put, order, get", 1, put_order_get},
    {"an atomic against a put", 1, atomic_against_put},
    {"a put to a signal's word", 1, put_against_signal},
    {"polling a signal by loads", 1, polling_by_loads},
    {"the bytes of another signal's put", 1, another_signals_bytes},
    {"bytes of a put with signal, told by another signal", 1, own_signal_to_another},
    {"a signal that hides another", 1, signal_hides_signal},
    {"puts that share a byte", 1, overlap_of_a_byte},
    {"puts of a megabyte that share a word", 1, long_puts_overlap},
    {"a store after reads of several", 1, write_after_shared_reads},
    {"a ring that is cut", 1, ring_is_cut},
    {"unlocking before the put is complete", 1, unlock_too_early},
    {"an atomic whose value nobody has", 1, atomic_not_fetched},
    {"an atomic that only reads", 1, atomic_only_read},
    {"a store not fenced", 1, store_not_fenced},
    {"the source of a put overwritten", 1, source_of_put},
    {"the result of a get read early", 1, result_of_get},
    {"a load of what a put to oneself writes", 1, own_load_of_put_to_self},
    {"the source of a put behind an order", 1, source_behind_order},
    {"two loads of which one is told of", 1, loads_at_one_site},
    {"what is learned after a signal's posting", 1, learned_after_posting},
    {"order for all before the put", 1, order_all_before_put},
};

static void racy_programs_are_reported(void **state) {
  (void)state;
  run_programs(programs, sizeof programs / sizeof programs[0]);
}

/* -- the text of reports ----------------------------------------------------------------------- */

static void count_found(void *ctx, const struct chk_race_report *report) {
  *(uint32_t *)ctx += report->count == 1 ? 1 : 100;
}

static void report_names_both_accesses_once(void **state) {
  (void)state;
  struct chk_race *r = chk_race_new(UNITS, true);
  uint32_t found = 0;
  chk_race_listen(r, count_found, &found);
  for (uint32_t i = 0; i < 5; i++) {
    op_t *p = put(r, 0, 1, X + 4, 8, 11);
    message(r, 0, 2, F);
    bget(r, 2, 1, X, 8, 22);
    done(r, p);
    barrier(r, UNITS);
  }
  const struct chk_race_report *p;
  assert_int_equal(chk_race_reports(r, &p), 1);
  assert_int_equal(found, 401);
  assert_int_equal(p->count, 5);
  assert_ptr_equal(p->first.at.site, (void *)11);
  assert_ptr_equal(p->second.at.site, (void *)22);
  assert_int_equal(p->first.at.when, 110);
  assert_int_equal(p->first.kind, CHK_RACE_PUT);
  assert_int_equal(p->second.kind, CHK_RACE_GET);
  assert_true(p->first.write && !p->second.write && !p->first.atomic);
  assert_int_equal(p->first.state, CHK_RACE_UNDER_WAY);
  assert_int_equal(p->bytes.unit, 1);
  assert_int_equal(p->bytes.seg, SEG);
  assert_int_equal(p->bytes.off, X + 4);
  assert_int_equal(p->bytes.len, 4);
  char text[512], cut[20];
  int n = chk_race_text(p, NULL, text, sizeof text);
  assert_int_equal(n, strlen(text));
  assert_non_null(strstr(
      text,
      "the put of 8 bytes by unit 0 (#2) and the get of 8 bytes by unit 2 (#2) are not ordered"));
  assert_non_null(strstr(text, "unit 1, segment 3, offset 4 (4 bytes)"));
  assert_non_null(strstr(text,
                         "events up to #2; the first, #2, was posted before that, but its unit had "
                         "not seen it complete"));
  assert_int_equal(chk_race_text(p, NULL, cut, sizeof cut), n);
  assert_int_equal(strlen(cut), sizeof cut - 1);
  assert_int_equal(chk_race_text(p, NULL, NULL, 0), n);
  chk_race_destroy(r);
}

/* What a unit learns after it has entered an exchange stays with it, also where its clock has nodes
 * that the exchange shares: with more units than a node has entries. */
static void learned_after_entering_is_not_told(void **state) {
  (void)state;
  enum { MANY = 192 };
  const struct chk_race_report *all;
  struct chk_race *r = chk_race_new(MANY, true);
  struct chk_race_exchange x = meeting(0, MANY, 1);
  message(r, 131, 0, F);
  message(r, 130, 0, F); /* from here on unit 0 may change the nodes of its clock in place */
  chk_race_enters(r, 0, &x);
  bput(r, 130, 150, X, 8, 1);
  message(r, 130, 0, G);
  for (uint32_t u = 1; u < MANY; u++)
    if (u != 130) chk_race_enters(r, u, &x);
  chk_race_leaves(r, 1, &x);
  bget(r, 1, 150, X, 8, 2);
  assert_int_equal(chk_race_reports(r, &all), 1);
  bget(r, 0, 150, X, 8, 3);
  assert_int_equal(chk_race_reports(r, &all), 1); /* unit 0 knows of it */
  chk_race_destroy(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(learned_after_entering_is_not_told),
      cmocka_unit_test(racy_programs_are_reported),
      cmocka_unit_test(report_names_both_accesses_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
