/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_race_none.c - small programs without a race, similar to those in test_chk_race.c: no
 * race may be reported. */
#include "unit/check/chk_race_unit.h"

static void blocking_put_signal(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
}
static void put_flush_barrier(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  barrier(r, UNITS);
  for (uint32_t u = 0; u < UNITS; u++) bget(r, u, 1, X, 8, 2);
  barrier(r, UNITS);
  bput(r, 3, 1, X, 8, 3);
}
static void order_then_signal(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_all_then_atomic(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, CHK_RACE_ALL);
  op_t *a = amo(r, 0, 1, F, 8, false, true, 2);
  bamo(r, 2, 1, F, 3);
  bget(r, 2, 1, X, 8, 4);
  done(r, p);
  done(r, a);
}
/* The result of an atomic after the order is here: what the order puts before it has arrived. */
static void order_then_result(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  op_t *a = amo(r, 0, 1, F, 8, true, true, 2);
  chk_race_completed(r, a, CHK_RACE_LOCAL);
  message(r, 0, 2, G);
  bget(r, 2, 1, X, 8, 3);
  done(r, p);
  done(r, a);
}
/* All meet, after an exchange of the same parity that some units never entered. */
static void met_after_abandoned(struct chk_race *r) {
  struct chk_race_exchange x = meeting(0, UNITS, 1);
  chk_race_enters(r, 0, &x);
  bput(r, 1, 2, X, 8, 1);
  meet(r, 0, UNITS, 3);
  bget(r, 3, 2, X, 8, 2);
}
static void order_then_put(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  op_t *q = put(r, 0, 1, X, 8, 2);
  done(r, p);
  done(r, q);
}
/* The knowledge of an order is passed on from unit to unit. */
static void order_passed_on(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_ordered(r, 0, 1);
  message(r, 0, 1, F);
  message(r, 1, 2, F);
  message(r, 2, 3, F);
  bget(r, 3, 1, X, 8, 2);
  done(r, p);
}
static void own_bytes_of_signal(struct chk_race *r) {
  op_t *p = put_signal(r, 0, 1, X, 8, F, 1);
  saw(r, 1, F);
  load(r, 1, X, 8, 2);
  load(r, 1, F, 8, 3);
  done(r, p);
}
/* Back at the put's origin, which has not seen it complete but has learned of its arrival. */
static void told_by_the_target(struct chk_race *r) {
  op_t *p = put_signal(r, 0, 1, X, 8, F, 1);
  saw(r, 1, F);
  message(r, 1, 0, F);
  op_t *q = put(r, 0, 1, X, 8, 2);
  done(r, q);
  done(r, p);
}
static void ring_of_releases(struct chk_race *r) {
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t u = 0; u < UNITS; u++) {
      bput(r, u, 0, X, 8, 1 + u);
      message(r, u, (u + 1) % UNITS, F);
    }
  }
}
static void lock_by_atomics(struct chk_race *r) {
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t u = i * 3 % UNITS;
    done(r, amo(r, u, 2, F, 8, true, false, 1)); /* a compare-and-swap that fails */
    bamo(r, u, 2, F, 1);
    bget(r, u, 3, X, 8, 2);
    bput(r, u, 3, X, 8, 3);
    bamo(r, u, 2, F, 4);
  }
}
static void atomics_of_all(struct chk_race *r) {
  op_t *a[UNITS];
  for (uint32_t u = 0; u < UNITS; u++) a[u] = amo(r, u, 0, X, 8, true, true, 1);
  for (uint32_t u = 0; u < UNITS; u++) done(r, a[u]);
}
/* The next atomic learns of an initialization that precedes an atomic of the same unit on the
 * word. */
static void atomic_follows_atomic(struct chk_race *r) {
  bput(r, 0, 1, F, 8, 1);
  bamo(r, 0, 1, F, 2);
  bamo(r, 2, 1, F, 3);
}
static void neighbor_bytes(struct chk_race *r) {
  bput(r, 0, 2, X, 4, 1);
  bput(r, 1, 2, X + 4, 4, 2);
  bput(r, 3, 2, X + 8, 1, 3);
  bput(r, 0, 2, X + 9, 30, 4);
}
static void halves_of_atomics(struct chk_race *r) {
  done(r, amo(r, 0, 2, X, 4, true, true, 1));
  bput(r, 1, 2, X + 4, 4, 2);
}
static void reads_of_all(struct chk_race *r) {
  op_t *g[UNITS];
  for (uint32_t u = 0; u < UNITS; u++) g[u] = get(r, u, 1, X, 4096, 1);
  load(r, 1, X, 8, 2);
  for (uint32_t u = 0; u < UNITS; u++) done(r, g[u]);
}
static void shared_reads_then_write(struct chk_race *r) {
  for (uint32_t u = 0; u < 3; u++) {
    bget(r, u, 3, X, 8, 1 + u);
    message(r, u, 3, F + 8 * u);
  }
  store(r, 3, X, 8, 9);
}
static void freed_memory(struct chk_race *r) {
  bput(r, 0, 1, X, 2048, 1);
  bamo(r, 0, 1, 2048, 2);
  chk_race_forget(r, bytes(1, X, 2056));
  bput(r, 2, 1, X, 2048, 3);
  bput(r, 2, 1, 2048, 8, 4);
}
static void a_new_segment(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  op_t *p = put(r, 2, 1, Y, 8, 2), *q = chk_race_posted(r, at(3, 3), CHK_RACE_PUT, 1, 8);
  chk_race_barrier(r);
  chk_race_applied(r, q, bytes(1, Y, 8));
  load(r, 1, X, 8, 4);
  load(r, 1, Y, 8, 5);
  done(r, p);
  done(r, q);
}
static void store_fenced(struct chk_race *r) {
  store(r, 0, X, 8, 1);
  chk_race_fenced(r, 0);
  message(r, 0, 1, F);
  bget(r, 1, 0, X, 8, 2);
  store(r, 0, Y, 8, 1);
  bamo(r, 0, 2, F, 3);
  bamo(r, 1, 2, F, 4);
  bget(r, 1, 0, Y, 8, 5);
}
static void load_then_signal(struct chk_race *r) {
  load(r, 1, X, 8, 1);
  message(r, 1, 0, F);
  bput(r, 0, 1, X, 8, 2);
}
static void own_program_order(struct chk_race *r) {
  store(r, 0, X, 8, 1);
  load(r, 0, X, 8, 2);
  bput(r, 0, 0, X, 8, 3);
  bget(r, 0, 0, X, 8, 4);
  store(r, 0, X, 8, 5);
  bamo(r, 0, 0, X, 6);
}
static void source_used_again(struct chk_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  chk_race_local(r, p, bytes(0, Y, 8));
  chk_race_completed(r, p, CHK_RACE_LOCAL);
  message(r, 0, 2, F);
  bput(r, 2, 0, Y, 8, 2);
  done(r, p);
}
static void counted_arrivals(struct chk_race *r) {
  op_t *p[3];
  for (uint32_t u = 0; u < 3; u++) {
    p[u] = chk_race_posted(r, at(u, 1), CHK_RACE_SIGNAL, 3, 8);
    chk_race_applied(r, p[u], bytes(3, 8 * u, 8));
    chk_race_signaled(r, p[u], chk_word(3, SEG, F), true);
  }
  saw(r, 3, F);
  load(r, 3, 0, 24, 2);
  for (uint32_t u = 0; u < 3; u++) done(r, p[u]);
}
/* More early knowledge than a clock keeps: knowledge that is given up must not cause reports. */
static void much_early_knowledge(struct chk_race *r) {
  op_t *p[100], *q[100];
  for (uint32_t i = 0; i < 100; i++) {
    p[i] = put(r, i % 2, 2, 8 * i, 8, 1);
    chk_race_ordered(r, i % 2, 2);
    q[i] = put_signal(r, i % 2, 2, 1024 + 8 * i, 8, 4096 + 8 * i, 2);
  }
  for (uint32_t i = 0; i < 100; i++) saw(r, 2, 4096 + 8 * i);
  message(r, 2, 3, F);
  bget(r, 3, 2, 0, 800, 3);
  bget(r, 3, 2, 1024, 800, 4);
  for (uint32_t i = 0; i < 100; i++) {
    done(r, p[i]);
    done(r, q[i]);
  }
}

/* The same of single puts: only their own signals carry knowledge of them. */
static void many_signals(struct chk_race *r) {
  op_t *p[60];
  for (uint32_t i = 0; i < 60; i++) p[i] = put_signal(r, i % 2, 2, 8 * i, 8, 4096 + 8 * i, 1);
  for (uint32_t i = 0; i < 60; i++) saw(r, 2, 4096 + 8 * i);
  load(r, 2, 0, 480, 2);
  message(r, 2, 3, F);
  bget(r, 3, 2, 0, 480, 3);
  for (uint32_t i = 0; i < 60; i++) done(r, p[i]);
}
/* Words that share their history until one of them is read: the others are not. */
static void parts_of_a_long_put(struct chk_race *r) {
  bput(r, 0, 3, 0, 8192, 1);
  message(r, 0, 1, F);
  message(r, 0, 2, F);
  bget(r, 1, 3, 0, 8, 2);
  bput(r, 2, 3, 8, 16, 3);
  bget(r, 1, 3, 512, 512, 4);
  bput(r, 2, 3, 1024, 512, 5);
  bput(r, 2, 3, 4096, 4096, 6);
}
static void to_and_fro(struct chk_race *r) {
  for (uint32_t i = 0; i < 12000; i++) {
    uint32_t u = 1 + i % 2;
    bput(r, u, 2, 128, 8, 4);
    done(r, put_signal(r, u, 3 - u, 0, 0, F, 5));
    saw(r, 3 - u, F);
  }
}
/* Enough clocks for the old ones to be collected, while some wait in a signal under way and in a
 * word. */
static void clocks_that_wait(struct chk_race *r) {
  bput(r, 0, 3, X, 8, 1);
  op_t *s = chk_race_posted(r, at(0, 2), CHK_RACE_SIGNAL, 3, 0);
  bput(r, 0, 3, 64, 8, 3);
  signal_to(r, 0, 1, G); /* unit 0 has another clock from here on; no unit reads the signal */
  to_and_fro(r);
  chk_race_signaled(r, s, chk_word(3, SEG, F), false);
  saw(r, 3, F);
  load(r, 3, X, 8, 6);
}
static void clocks_in_words(struct chk_race *r) {
  bput(r, 0, 3, X, 8, 1);
  done(r, put_signal(r, 0, 3, 0, 0, G, 2));
  bput(r, 0, 3, 64, 8, 3);
  signal_to(r, 0, 1, G);
  to_and_fro(r);
  saw(r, 3, G);
  load(r, 3, X, 8, 6);
}

static void put_flush_meeting(struct chk_race *r) {
  bput(r, 0, 1, X, 8, 1);
  meet(r, 0, UNITS, 1);
  for (uint32_t u = 0; u < UNITS; u++) bget(r, u, 1, X, 8, 2);
  meet(r, 0, UNITS, 2);
  bput(r, 3, 1, X, 8, 3);
  store(r, 2, X, 8, 4);
  chk_race_fenced(r, 2);
  meet(r, 0, UNITS, 3);
  bput(r, 1, 2, X, 8, 5);
}
/* Knowledge that a unit gains between entering and leaving stays; so do order and early knowledge
 * that others bring. */
static void learned_in_between(struct chk_race *r) {
  bput(r, 2, 3, X, 8, 1);
  enter_all(r, 0, 2, 1);
  message(r, 2, 0, F);
  leave_all(r, 0, 2, 1);
  bget(r, 0, 3, X, 8, 2);
  op_t *p = put_signal(r, 0, 1, Y, 8, G, 3);
  saw(r, 1, G);
  meet(r, 1, 3, 1);
  bget(r, 3, 1, Y, 8, 4);
  done(r, p);
}
/* Some are in the second exchange while one has not left the first. */
static void meetings_overlap(struct chk_race *r) {
  struct chk_race_exchange one = meeting(0, UNITS, 1), two = meeting(0, UNITS, 2);
  bput(r, 0, 1, X, 8, 1);
  enter_all(r, 0, UNITS, 1);
  for (uint32_t u = 0; u < UNITS - 1; u++) chk_race_leaves(r, u, &one);
  bput(r, 2, 1, Y, 8, 2);
  for (uint32_t u = 0; u < UNITS - 1; u++) chk_race_enters(r, u, &two);
  chk_race_leaves(r, UNITS - 1, &one);
  bget(r, UNITS - 1, 1, X, 8, 3);
  chk_race_enters(r, UNITS - 1, &two);
  leave_all(r, 0, UNITS, 2);
  for (uint32_t u = 0; u < UNITS; u++) bget(r, u, 1, Y, 8, 4);
}
static void meetings_in_a_chain(struct chk_race *r) {
  for (uint64_t seq = 1; seq <= 9; seq++) {
    bput(r, (uint32_t)seq % 3, 1, X, 8, 1);
    meet(r, 0, 2, seq);
    meet(r, 1, 2, seq);
    meet(r, 0, 2, seq + 100);
    meet(r, 1, 3, seq);
    bget(r, 3, 1, X, 8, 2);
    meet(r, 0, UNITS, seq);
  }
}

static const struct program programs[] = {
    {"a put flushed, then an exchange", 0, put_flush_meeting},
    {"learned between entering and leaving", 0, learned_in_between},
    {"one has not left the exchange before", 0, meetings_overlap},
    {"exchanges of different sets", 0, meetings_in_a_chain},
    {"a blocking put, then a signal", 0, blocking_put_signal},
    {"a put flushed, then a barrier", 0, put_flush_barrier},
    {"order, then a signal", 0, order_then_signal},
    {"order for all, then an atomic", 0, order_all_then_atomic},
    {"an exchange after one that was abandoned", 0, met_after_abandoned},
    {"put, order, the result of an atomic, a signal", 0, order_then_result},
    {"put, order, put", 0, order_then_put},
    {"an order's effect passed on", 0, order_passed_on},
    {"a signal's own bytes", 0, own_bytes_of_signal},
    {"a put that its target tells of", 0, told_by_the_target},
    {"a ring of releases", 0, ring_of_releases},
    {"a lock of atomics", 0, lock_by_atomics},
    {"atomics of all to a word", 0, atomics_of_all},
    {"an atomic that follows another", 0, atomic_follows_atomic},
    {"neighboring bytes", 0, neighbor_bytes},
    {"the other half of an atomic's word", 0, halves_of_atomics},
    {"reads by all", 0, reads_of_all},
    {"reads by several, then a store", 0, shared_reads_then_write},
    {"memory freed and allocated again", 0, freed_memory},
    {"a barrier of the engine", 0, a_new_segment},
    {"a store fenced", 0, store_fenced},
    {"a load, then a signal", 0, load_then_signal},
    {"one unit's program order", 0, own_program_order},
    {"a source used again after local completion", 0, source_used_again},
    {"arrivals that are counted", 0, counted_arrivals},
    {"more early knowledge than is kept", 0, much_early_knowledge},
    {"more signals than are kept", 0, many_signals},
    {"parts of a long put", 0, parts_of_a_long_put},
    {"clocks that wait in a signal under way", 0, clocks_that_wait},
    {"clocks that wait in a word", 0, clocks_in_words},
};

static void programs_without_a_race_are_not_reported(void **state) {
  (void)state;
  run_programs(programs, sizeof programs / sizeof programs[0]);
}

/* Forgetting reaches exactly the bytes given, rounded to words. */
static void forgetting_reaches_the_given_words_only(void **state) {
  (void)state;
  for (uint64_t off = 0; off < 3 * 512; off += 24) {
    for (uint64_t len = 8; len < 4 * 512; len += 72) {
      struct chk_race *r = chk_race_new(2, false);
      bput(r, 0, 1, 0, 4096, 1);
      chk_race_forget(r, bytes(1, off, len));
      bput(r, 1, 1, off, len, 2);
      const struct chk_race_report *p;
      assert_int_equal(chk_race_reports(r, &p), 0);
      bput(r, 1, 1, off + len, 8, 3);
      assert_int_equal(chk_race_reports(r, &p), 1);
      if (off > 0) bput(r, 1, 1, off - 8, 8, 4);
      assert_int_equal(chk_race_reports(r, &p), off > 0 ? 2 : 1);
      chk_race_destroy(r);
    }
  }
}

/* Many readers and adders of a word, all of which must be known before it is written plainly. */
static void each_of_many_readers_must_be_ordered_before_a_write(void **state) {
  (void)state;
  enum { N = 300 };
  for (uint32_t left_out = 0; left_out <= N; left_out += 30) {
    struct chk_race *r = chk_race_new(N + 1, true);
    const struct chk_race_report *p;
    for (uint32_t u = 0; u < N; u++) {
      bget(r, u, N, X, 8, 1);
      done(r, amo(r, u, N, Y, 8, false, true, 2));
    }
    for (uint32_t u = 0; u < N; u++) {
      if (u != left_out) message(r, u, N, F);
    }
    store(r, N, X, 8, 3);
    assert_int_equal(chk_race_reports(r, &p), left_out == N ? 0 : 1);
    if (left_out < N) assert_int_equal(p[0].first.at.unit, left_out);
    store(r, N, Y, 8, 4);
    assert_int_equal(chk_race_reports(r, &p), left_out == N ? 0 : 2);
    if (left_out < N) assert_int_equal(p[1].first.at.unit, left_out);
    chk_race_destroy(r);
  }
}

/* Orders of more units than a clock keeps early knowledge of. */
static void orders_of_more_units_than_a_clock_keeps_hold(void **state) {
  (void)state;
  enum { N = 100 };
  struct chk_race *r = chk_race_new(N + 2, true);
  for (uint32_t u = 0; u < N; u++) {
    put(r, u, N, 8 * u, 8, 1);
    chk_race_ordered(r, u, N);
    message(r, u, N, F);
  }
  load(r, N, 0, 8 * N, 2);
  message(r, N, N + 1, F);
  bget(r, N + 1, N, 0, 8 * N, 3);
  const struct chk_race_report *p;
  assert_int_equal(chk_race_reports(r, &p), 0);
  chk_race_destroy(r);
}

/* Hundreds of units meet again and again, each with new knowledge of its own. */
static void barriers_of_hundreds_order_all_but_the_late(void **state) {
  (void)state;
  enum { N = 300 };
  for (uint32_t late = 0; late <= N; late += 50) {
    struct chk_race *r = chk_race_new(N + 1, true);
    const struct chk_race_report *p;
    for (uint64_t seq = 1; seq <= 4; seq++) {
      op_t *open[N + 1];
      for (uint32_t u = 0; u <= N; u++) open[u] = put(r, u, (u + 1) % (N + 1), 8 * u, 8, 1);
      for (uint32_t u = 0; u <= N; u++) {
        if (seq < 4 || u != late) done(r, open[u]);
      }
      message(r, 7, 200, F);
      meet(r, 0, N + 1, seq);
      uint32_t reader = (uint32_t)(17 * seq);
      for (uint32_t u = 0; u <= N; u++) bget(r, reader, (u + 1) % (N + 1), 8 * u, 8, 2);
      meet(r, 0, N + 1, seq + 10);
      assert_int_equal(chk_race_reports(r, &p), seq < 4 ? 0 : 1);
    }
    chk_race_destroy(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_without_a_race_are_not_reported),
      cmocka_unit_test(forgetting_reaches_the_given_words_only),
      cmocka_unit_test(each_of_many_readers_must_be_ordered_before_a_write),
      cmocka_unit_test(barriers_of_hundreds_order_all_but_the_late),
      cmocka_unit_test(orders_of_more_units_than_a_clock_keeps_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
