/* test_ec_race.c - small programs with a race that must be reported, and their neighbours that have none. SPDX-License-Identifier:
 * BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "ec_race_unit.h"

#define UNITS 4u
#define X 0u /* words of data */
#define Y 8u
#define F 800u /* words of signals */
#define G 808u

struct program {
  const char *name;
  uint32_t races; /* reports */
  void (*run)(struct ec_race *r);
};

/* -- with a race -------------------------------------------------------------------------------------------------------------------- */

static void no_signal(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  load(r, 1, X, 8, 2);
}
static void put_not_flushed_signal(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void put_not_flushed_barrier(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  barrier(r, UNITS);
  bget(r, 2, 1, X, 8, 2);
  done(r, p);
}
/* The reader comes first in this run: the put is compared with it when it takes effect. */
static void put_arrives_late(struct ec_race *r) {
  op_t *p = ec_race_posted(r, at(0, 1), EC_RACE_PUT, 1, 8);
  barrier(r, UNITS);
  load(r, 1, X, 8, 2);
  ec_race_applied(r, p, bytes(1, X, 8));
  done(r, p);
}
static void flushed_locally(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_completed(r, p, EC_RACE_LOCAL);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_to_another(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, EC_RACE_ALL);
  message(r, 0, 2, F);
  bget(r, 2, 1, X, 8, 2);
  done(r, p);
}
static void order_for_another(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 2);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_before_put(struct ec_race *r) {
  ec_race_ordered(r, 0, 1);
  op_t *p = put(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void signal_posted_before_order(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1), *s = ec_race_posted(r, at(0, 3), EC_RACE_SIGNAL, 1, 0);
  ec_race_ordered(r, 0, 1);
  ec_race_signalled(r, s, ec_word(1, SEG, F), false);
  saw(r, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void two_puts(struct ec_race *r) {
  op_t *a = put(r, 0, 1, X, 8, 1), *b = put(r, 0, 1, X, 8, 2);
  done(r, a);
  done(r, b);
}
static void puts_of_two(struct ec_race *r) {
  bput(r, 0, 2, X, 8, 1);
  bput(r, 1, 2, X, 8, 2);
}
static void get_against_put(struct ec_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  message(r, 0, 2, F);
  bput(r, 2, 1, X, 8, 2);
  done(r, g);
}
/* An order does not cover gets. */
static void get_order_put(struct ec_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 1);
  op_t *p = put(r, 0, 1, X, 8, 2);
  done(r, p);
  done(r, g);
}
static void put_order_get(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 1);
  bget(r, 0, 1, X, 8, 2);
  done(r, p);
}
static void atomic_against_put(struct ec_race *r) {
  bamo(r, 0, 1, X, 1);
  bput(r, 2, 1, X, 8, 2);
}
static void put_against_signal(struct ec_race *r) {
  bput(r, 2, 1, F, 8, 1);
  signal_to(r, 0, 1, F);
}
static void polling_by_loads(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  signal_to(r, 0, 1, F);
  load(r, 1, F, 8, 2); /* no wait */
}
static void another_signals_bytes(struct ec_race *r) {
  op_t *a = put_signal(r, 0, 1, X, 8, F, 1), *b = put_signal(r, 0, 1, Y, 8, G, 2);
  saw(r, 1, G);
  load(r, 1, Y, 8, 3);
  load(r, 1, X, 8, 4);
  done(r, a);
  done(r, b);
}
static void own_signal_to_another(struct ec_race *r) {
  op_t *a = put_signal(r, 0, 1, X, 8, F, 1);
  message(r, 0, 2, F);
  bget(r, 2, 1, X, 8, 2);
  done(r, a);
}
static void signal_hides_signal(struct ec_race *r) {
  bput(r, 0, 2, X, 8, 1);
  signal_to(r, 0, 2, F);
  signal_to(r, 1, 2, F); /* sets, and knows nothing of unit 0 */
  saw(r, 2, F);
  load(r, 2, X, 8, 2);
}
static void overlap_of_a_byte(struct ec_race *r) {
  bput(r, 0, 2, X + 1, 3, 1);
  bput(r, 1, 2, X + 3, 4, 2);
}
static void long_puts_overlap(struct ec_race *r) {
  bput(r, 0, 2, 65536, 1 << 20, 1);
  bput(r, 1, 2, 65536 + (1 << 20) - 8, 1 << 20, 2);
}
static void write_after_shared_reads(struct ec_race *r) {
  for (uint32_t u = 0; u < 3; u++) bget(r, u, 3, X, 8, 1 + u);
  message(r, 0, 3, F);
  message(r, 2, 3, G); /* unit 1 is forgotten */
  store(r, 3, X, 8, 9);
}
static void ring_is_cut(struct ec_race *r) {
  bput(r, 0, 3, X, 8, 1);
  message(r, 0, 1, F);
  signal_to(r, 1, 2, F); /* not waited for */
  message(r, 2, 3, F);
  load(r, 3, X, 8, 2);
}
static void unlock_too_early(struct ec_race *r) {
  for (uint32_t u = 0; u < 2; u++) {
    bamo(r, u, 2, F, 1);
    op_t *p = put(r, u, 3, X, 8, 2);
    bamo(r, u, 2, F, 3);
    done(r, p);
  }
}
static void atomic_not_fetched(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  bamo(r, 0, 1, F, 2);
  done(r, amo(r, 2, 1, F, 8, false, true, 3));
  bget(r, 2, 1, X, 8, 4);
}
static void atomic_only_read(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  done(r, amo(r, 0, 1, F, 8, true, false, 2)); /* tells nobody anything */
  bamo(r, 2, 1, F, 3);
  bget(r, 2, 1, X, 8, 4);
}
static void store_not_fenced(struct ec_race *r) {
  store(r, 0, X, 8, 1);
  message(r, 0, 1, F);
  bget(r, 1, 0, X, 8, 2);
}
static void source_of_put(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_local(r, p, bytes(0, Y, 8));
  message(r, 0, 2, F);
  bput(r, 2, 0, Y, 8, 2);
  done(r, p);
}
static void result_of_get(struct ec_race *r) {
  op_t *g = get(r, 0, 1, X, 8, 1);
  ec_race_local(r, g, bytes(0, Y, 8));
  load(r, 0, Y, 8, 2);
  done(r, g);
}
static void own_load_of_put_to_self(struct ec_race *r) {
  op_t *p = put(r, 0, 0, X, 8, 1);
  load(r, 0, X, 8, 2);
  done(r, p);
}

/* -- with none ---------------------------------------------------------------------------------------------------------------------- */

static void blocking_put_signal(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
}
static void put_flush_barrier(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  barrier(r, UNITS);
  for (uint32_t u = 0; u < UNITS; u++) bget(r, u, 1, X, 8, 2);
  barrier(r, UNITS);
  bput(r, 3, 1, X, 8, 3);
}
static void order_then_signal(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 1);
  message(r, 0, 1, F);
  load(r, 1, X, 8, 2);
  done(r, p);
}
static void order_all_then_atomic(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, EC_RACE_ALL);
  op_t *a = amo(r, 0, 1, F, 8, false, true, 2);
  bamo(r, 2, 1, F, 3);
  bget(r, 2, 1, X, 8, 4);
  done(r, p);
  done(r, a);
}
static void order_then_put(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 1);
  op_t *q = put(r, 0, 1, X, 8, 2);
  done(r, p);
  done(r, q);
}
/* What an order told goes on from hand to hand. */
static void order_passed_on(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_ordered(r, 0, 1);
  message(r, 0, 1, F);
  message(r, 1, 2, F);
  message(r, 2, 3, F);
  bget(r, 3, 1, X, 8, 2);
  done(r, p);
}
static void own_bytes_of_signal(struct ec_race *r) {
  op_t *p = put_signal(r, 0, 1, X, 8, F, 1);
  saw(r, 1, F);
  load(r, 1, X, 8, 2);
  load(r, 1, F, 8, 3);
  done(r, p);
}
/* Back at its origin, which has not seen the put complete but has been told. */
static void told_by_the_target(struct ec_race *r) {
  op_t *p = put_signal(r, 0, 1, X, 8, F, 1);
  saw(r, 1, F);
  message(r, 1, 0, F);
  op_t *q = put(r, 0, 1, X, 8, 2);
  done(r, q);
  done(r, p);
}
static void ring_of_releases(struct ec_race *r) {
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t u = 0; u < UNITS; u++) {
      bput(r, u, 0, X, 8, 1 + u);
      message(r, u, (u + 1) % UNITS, F);
    }
  }
}
static void lock_by_atomics(struct ec_race *r) {
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t u = i * 3 % UNITS;
    done(r, amo(r, u, 2, F, 8, true, false, 1)); /* a compare-and-swap that fails */
    bamo(r, u, 2, F, 1);
    bget(r, u, 3, X, 8, 2);
    bput(r, u, 3, X, 8, 3);
    bamo(r, u, 2, F, 4);
  }
}
static void atomics_of_all(struct ec_race *r) {
  op_t *a[UNITS];
  for (uint32_t u = 0; u < UNITS; u++) a[u] = amo(r, u, 0, X, 8, true, true, 1);
  for (uint32_t u = 0; u < UNITS; u++) done(r, a[u]);
}
/* Who initialises a word and then makes an atomic on it tells the next atomic that. */
static void atomic_follows_atomic(struct ec_race *r) {
  bput(r, 0, 1, F, 8, 1);
  bamo(r, 0, 1, F, 2);
  bamo(r, 2, 1, F, 3);
}
static void neighbour_bytes(struct ec_race *r) {
  bput(r, 0, 2, X, 4, 1);
  bput(r, 1, 2, X + 4, 4, 2);
  bput(r, 3, 2, X + 8, 1, 3);
  bput(r, 0, 2, X + 9, 30, 4);
}
static void halves_of_atomics(struct ec_race *r) {
  done(r, amo(r, 0, 2, X, 4, true, true, 1));
  bput(r, 1, 2, X + 4, 4, 2);
}
static void reads_of_all(struct ec_race *r) {
  op_t *g[UNITS];
  for (uint32_t u = 0; u < UNITS; u++) g[u] = get(r, u, 1, X, 4096, 1);
  load(r, 1, X, 8, 2);
  for (uint32_t u = 0; u < UNITS; u++) done(r, g[u]);
}
static void shared_reads_then_write(struct ec_race *r) {
  for (uint32_t u = 0; u < 3; u++) {
    bget(r, u, 3, X, 8, 1 + u);
    message(r, u, 3, F + 8 * u);
  }
  store(r, 3, X, 8, 9);
}
static void freed_memory(struct ec_race *r) {
  bput(r, 0, 1, X, 2048, 1);
  bamo(r, 0, 1, 2048, 2);
  ec_race_forget(r, bytes(1, X, 2056));
  bput(r, 2, 1, X, 2048, 3);
  bput(r, 2, 1, 2048, 8, 4);
}
static void a_new_segment(struct ec_race *r) {
  bput(r, 0, 1, X, 8, 1);
  op_t *p = put(r, 2, 1, Y, 8, 2), *q = ec_race_posted(r, at(3, 3), EC_RACE_PUT, 1, 8);
  ec_race_barrier(r);
  ec_race_applied(r, q, bytes(1, Y, 8));
  load(r, 1, X, 8, 4);
  load(r, 1, Y, 8, 5);
  done(r, p);
  done(r, q);
}
static void store_fenced(struct ec_race *r) {
  store(r, 0, X, 8, 1);
  ec_race_fenced(r, 0);
  message(r, 0, 1, F);
  bget(r, 1, 0, X, 8, 2);
  store(r, 0, Y, 8, 1);
  bamo(r, 0, 2, F, 3);
  bamo(r, 1, 2, F, 4);
  bget(r, 1, 0, Y, 8, 5);
}
static void load_then_signal(struct ec_race *r) {
  load(r, 1, X, 8, 1);
  message(r, 1, 0, F);
  bput(r, 0, 1, X, 8, 2);
}
static void own_program_order(struct ec_race *r) {
  store(r, 0, X, 8, 1);
  load(r, 0, X, 8, 2);
  bput(r, 0, 0, X, 8, 3);
  bget(r, 0, 0, X, 8, 4);
  store(r, 0, X, 8, 5);
  bamo(r, 0, 0, X, 6);
}
static void source_used_again(struct ec_race *r) {
  op_t *p = put(r, 0, 1, X, 8, 1);
  ec_race_local(r, p, bytes(0, Y, 8));
  ec_race_completed(r, p, EC_RACE_LOCAL);
  message(r, 0, 2, F);
  bput(r, 2, 0, Y, 8, 2);
  done(r, p);
}
static void counted_arrivals(struct ec_race *r) {
  op_t *p[3];
  for (uint32_t u = 0; u < 3; u++) {
    p[u] = ec_race_posted(r, at(u, 1), EC_RACE_SIGNAL, 3, 8);
    ec_race_applied(r, p[u], bytes(3, 8 * u, 8));
    ec_race_signalled(r, p[u], ec_word(3, SEG, F), true);
  }
  saw(r, 3, F);
  load(r, 3, 0, 24, 2);
  for (uint32_t u = 0; u < 3; u++) done(r, p[u]);
}
/* More early knowledge than a clock keeps: what is given up must not turn into reports. */
static void much_early_knowledge(struct ec_race *r) {
  op_t *p[100], *q[100];
  for (uint32_t i = 0; i < 100; i++) {
    p[i] = put(r, i % 2, 2, 8 * i, 8, 1);
    ec_race_ordered(r, i % 2, 2);
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

static const struct program programs[] = {
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
    {"a blocking put, then a signal", 0, blocking_put_signal},
    {"a put flushed, then a barrier", 0, put_flush_barrier},
    {"order, then a signal", 0, order_then_signal},
    {"order for all, then an atomic", 0, order_all_then_atomic},
    {"put, order, put", 0, order_then_put},
    {"an order's effect passed on", 0, order_passed_on},
    {"a signal's own bytes", 0, own_bytes_of_signal},
    {"a put that its target tells of", 0, told_by_the_target},
    {"a ring of releases", 0, ring_of_releases},
    {"a lock of atomics", 0, lock_by_atomics},
    {"atomics of all to a word", 0, atomics_of_all},
    {"an atomic that follows another", 0, atomic_follows_atomic},
    {"neighbouring bytes", 0, neighbour_bytes},
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
};

static void test_programs(void **state) {
  (void)state;
  uint32_t wrong = 0;
  struct ec_race *again = ec_race_new(UNITS, true);
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    const struct ec_race_report *all;
    struct ec_race *r = ec_race_new(UNITS, true);
    programs[i].run(r);
    uint32_t n = ec_race_reports(r, &all);
    char text[512] = "";
    if (n > 0) ec_race_text(&all[0], text, sizeof text);
    if (n != programs[i].races) {
      print_message("%s: %u reports, not %u. %s\n", programs[i].name, n, programs[i].races, text);
      wrong++;
    }
    ec_race_destroy(r);
    /* The same in one detector, run after run: what has no race has none after those that have. */
    uint32_t before = ec_race_reports(again, &all);
    programs[i].run(again);
    if (programs[i].races == 0 && ec_race_reports(again, &all) != before) {
      print_message("%s: a report after a restart\n", programs[i].name);
      wrong++;
    }
    ec_race_restart(again);
  }
  ec_race_destroy(again);
  assert_int_equal(wrong, 0);
}

/* -- what a report says ------------------------------------------------------------------------------------------------------------- */

static void count_found(void *ctx, const struct ec_race_report *report) {
  (void)report;
  ++*(uint32_t *)ctx;
}

static void test_report(void **state) {
  (void)state;
  struct ec_race *r = ec_race_new(UNITS, true);
  uint32_t found = 0;
  ec_race_listen(r, count_found, &found);
  for (uint32_t i = 0; i < 5; i++) {
    op_t *p = put(r, 0, 1, X + 4, 8, 11);
    message(r, 0, 2, F);
    bget(r, 2, 1, X, 8, 22);
    done(r, p);
    barrier(r, UNITS);
  }
  const struct ec_race_report *p;
  assert_int_equal(ec_race_reports(r, &p), 1);
  assert_int_equal(found, 1);
  assert_int_equal(p->count, 5);
  assert_ptr_equal(p->first.at.site, (void *)11);
  assert_ptr_equal(p->second.at.site, (void *)22);
  assert_int_equal(p->first.at.when, 110);
  assert_int_equal(p->first.kind, EC_RACE_PUT);
  assert_int_equal(p->second.kind, EC_RACE_GET);
  assert_true(p->first.write && !p->second.write && !p->first.atomic);
  assert_int_equal(p->first.state, EC_RACE_UNDER_WAY);
  assert_int_equal(p->bytes.unit, 1);
  assert_int_equal(p->bytes.seg, SEG);
  assert_int_equal(p->bytes.off, X + 4);
  assert_int_equal(p->bytes.len, 4);
  char text[512], cut[20];
  int n = ec_race_text(p, text, sizeof text);
  assert_int_equal(n, strlen(text));
  assert_non_null(strstr(text, "the put of 8 bytes by unit 0 (#2) and the get of 8 bytes by unit 2 (#2) are not ordered"));
  assert_non_null(strstr(text, "unit 1, segment 3, offset 4 (4 bytes)"));
  assert_non_null(strstr(text, "events up to #2; the first, #2, was posted before that, but its unit had not seen it complete"));
  assert_int_equal(ec_race_text(p, cut, sizeof cut), n);
  assert_int_equal(strlen(cut), sizeof cut - 1);
  assert_int_equal(ec_race_text(p, NULL, 0), n);
  ec_race_destroy(r);
}

/* Forgetting reaches exactly the bytes given, rounded to words. */
static void test_forget(void **state) {
  (void)state;
  for (uint64_t off = 0; off < 3 * 512; off += 24) {
    for (uint64_t len = 8; len < 4 * 512; len += 72) {
      struct ec_race *r = ec_race_new(2, false);
      bput(r, 0, 1, 0, 4096, 1);
      ec_race_forget(r, bytes(1, off, len));
      bput(r, 1, 1, off, len, 2);
      const struct ec_race_report *p;
      assert_int_equal(ec_race_reports(r, &p), 0);
      bput(r, 1, 1, off + len, 8, 3);
      assert_int_equal(ec_race_reports(r, &p), 1);
      if (off > 0) bput(r, 1, 1, off - 8, 8, 4);
      assert_int_equal(ec_race_reports(r, &p), off > 0 ? 2 : 1);
      ec_race_destroy(r);
    }
  }
}

/* Many readers and adders of a word, each of which must be known before it is written plainly. */
static void test_many(void **state) {
  (void)state;
  enum { N = 300 };
  for (uint32_t left_out = 0; left_out <= N; left_out += 30) {
    struct ec_race *r = ec_race_new(N + 1, true);
    const struct ec_race_report *p;
    for (uint32_t u = 0; u < N; u++) {
      bget(r, u, N, X, 8, 1);
      done(r, amo(r, u, N, Y, 8, false, true, 2));
    }
    for (uint32_t u = 0; u < N; u++) {
      if (u != left_out) message(r, u, N, F);
    }
    store(r, N, X, 8, 3);
    assert_int_equal(ec_race_reports(r, &p), left_out == N ? 0 : 1);
    if (left_out < N) assert_int_equal(p[0].first.at.unit, left_out);
    store(r, N, Y, 8, 4);
    assert_int_equal(ec_race_reports(r, &p), left_out == N ? 0 : 2);
    if (left_out < N) assert_int_equal(p[1].first.at.unit, left_out);
    ec_race_destroy(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_report),
      cmocka_unit_test(test_forget),
      cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
