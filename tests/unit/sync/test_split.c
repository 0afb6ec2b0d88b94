/* SPDX-License-Identifier: BSD-3-Clause */
/* test_split.c - between notify and wait of a split-phase barrier a unit may call everything, and
 * split progress continues the rounds meanwhile, exactly once, under the barrier's note, with any
 * wrapper before the fabric. */
#include "conformance/conformance.h"
#include "fabric/forward.h"
#include "rt/rt.h"
#include "support/lock_kinds.h"
#include "sync/sync.h"
#include "unit/api_unit.h"

#define OK(call) ok(call)
#define CHECK(condition) assert_true(condition)
#include "programs/split_ways.h"

#define NOTIFY_NS 20000u

static uint64_t chance;

/* The endpoint that makes split progress; it is the first part of struct eyoti_watches. */
static struct eyoti_forward *watches_of(void) {
  return (struct eyoti_forward *)(void *)eyot_current->sync->watches;
}

static uint32_t rounds_of(uint32_t n) {
  uint32_t rounds = 0;
  while (1u << rounds < n) rounds++;
  return rounds;
}

/* -- every way of waiting ---------------------------------------------------------------------- */

static bool counts[FAKE_UNITS_MAX];

/* Begins and ends counting at random, and delays. */
static void between(bool open) {
  uint32_t me = eyot_me().id;
  (void)open;
  if (draw(&chance) % 3 == 0) {
    if (counts[me])
      ok(eyot_count_end());
    else
      ok(eyot_count_begin());
    counts[me] = !counts[me];
  }
  for (uint64_t i = draw(&chance) % 6; i > 3; i--) ok(eyot_progress());
}

static eyot_lock_kind_t kind_now;
static uint64_t round_now;
static bool eager_now;

static void ways_body(uint32_t me, uint32_t n) {
  struct split_world w;
  struct fab *own = eyot_current->fab;
  (void)n;
  counts[me] = false;
  split_world_new(&w, kind_now);
  for (int way = 0; way < SPLIT_WAYS; way++) {
    /* Where operations take effect at once, units do not change at atomics: a unit that polls by
     * them polls for ever. */
    if (eager_now && (way == SPLIT_LOCK_TRY || way == SPLIT_ATOMIC)) continue;
    split_round(&w, (enum split_way)way, round_now, between);
  }
  if (counts[me]) ok(eyot_count_end());
  assert_ptr_equal(eyot_current->fab, own); /* no wrapper is before it any more */
  split_world_delete(&w);
}

static void every_way_to_wait_continues_the_rounds(void **state) {
  (void)state;
  static const enum fake_mode MODES[] = {FAKE_EAGER, FAKE_DELAY, FAKE_REORDER, FAKE_REORDER};
  for (uint32_t n = 2; n <= 17; n++) {
    for (uint32_t seed = 1; seed <= 16; seed++) {
      chance = seed * 1000 + n;
      round_now = seed;
      eager_now = MODES[seed % 4] == FAKE_EAGER;
      kind_now = lock_kind_nth(seed + n, LOCK_MEMBERS)->kind;
      api_run(&(struct fake_opts){.n = n,
                                  .seed = seed * 131 + n,
                                  .mode = MODES[seed % 4],
                                  .units_per_node = seed % 5 == 0 ? 32 : 1 + (seed * 7 + n) % 5,
                                  .mapped = seed % 2 != 0},
              ways_body);
    }
  }
}

/* -- without split progress the programs hang -------------------------------------------------- */

static bool planted;

/* UPC's program: unit 0 sets a flag after its wait, and the others wait for it before theirs. */
static void flag_main(struct fab *f, void *arg) {
  struct fab *own = f;
  eyot_gptr_t word;
  (void)arg;
  if (eyot_init(NULL, NULL) != EYOT_OK) return;
  uint32_t me = eyot_me().id, n = eyot_size();
  int rc = eyot_team_alloc(EYOT_TEAM_ALL, 8, &word);
  if (rc == EYOT_OK) rc = eyot_barrier_notify(EYOT_TEAM_ALL, NULL);
  if (rc == EYOT_OK && planted) eyoti_forward_remove(watches_of(), &eyot_current->fab);
  if (rc == EYOT_OK && me != 0)
    rc = eyot_wait_until(eyot_gptr_at(word, unit(me)), EYOT_CMP_GE, 1, NULL);
  if (planted && watches_of() != NULL) eyoti_forward_add(watches_of(), &eyot_current->fab);
  if (rc == EYOT_OK) rc = eyot_barrier_wait(EYOT_TEAM_ALL, NULL);
  for (uint32_t u = 1; u < n && me == 0 && rc == EYOT_OK; u++)
    split_add(eyot_gptr_at(word, unit(u)));
  if (rc == EYOT_OK) {
    assert_ptr_equal(eyot_current->fab, own);
    rc = eyot_barrier(EYOT_TEAM_ALL);
  }
  if (rc == EYOT_OK) rc = eyot_team_free(word);
  (void)eyot_finalize();
}

static void flag_between_notify_and_wait_needs_progress(void **state) {
  (void)state;
  for (uint32_t n = 3; n <= 9; n++) {
    for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
      struct fake_opts o = {.n = n, .seed = n, .mode = (enum fake_mode)mode, .quiet = true};
      planted = false;
      assert_int_equal(fake_run(&o, flag_main, NULL), FAKE_DONE);
      planted = true;
      assert_int_equal(fake_run(&o, flag_main, NULL), FAKE_DEADLOCK);
    }
  }
}

/* -- timeouts ---------------------------------------------------------------------------------- */

/* Rounds come while the unit waits, or none does; a timeout is neither shorter nor longer for
 * it. */
static void timeout_body(uint32_t me, uint32_t n) {
  static const uint64_t TIMEOUTS[] = {1, 1000, 50000, 1000000};
  eyot_gptr_t word = api_alloc(8), mine = eyot_gptr_at(word, unit(me));
  eyot_counter_t c[2];
  size_t which;
  bool done;
  for (uint32_t i = 0; i < 2; i++) ok(eyot_counter_alloc(1, &c[i]));
  for (uint32_t last = 0; last < 2; last++) { /* 1: the last member notifies meanwhile */
    for (uint32_t i = 0; i < sizeof TIMEOUTS / sizeof TIMEOUTS[0]; i++) {
      uint64_t slack = 40 * (uint64_t)n * FAKE_STEP_NS; /* each unit's steps take time */
      ok(eyot_barrier(EYOT_TEAM_ALL));
      if (me != n - 1) ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
      if (me == n - 1 && last == 1) {
        ok(eyot_compute(TIMEOUTS[i] / 2));
        ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
      }
      uint64_t begin = eyot_now_ns();
      refuses(EYOT_ETIMEOUT, eyot_wait_until_timeout(mine, EYOT_CMP_EQ, 7, TIMEOUTS[i], NULL));
      uint64_t took = eyot_now_ns() - begin;
      assert_true(took >= TIMEOUTS[i]);
      assert_true(took <= TIMEOUTS[i] + slack);
      begin = eyot_now_ns();
      refuses(EYOT_ETIMEOUT, eyot_counter_wait_timeout(c[0], TIMEOUTS[i]));
      took = eyot_now_ns() - begin;
      assert_true(took >= TIMEOUTS[i]);
      assert_true(took <= TIMEOUTS[i] + slack);
      begin = eyot_now_ns();
      refuses(EYOT_ETIMEOUT, eyot_wait_until_timeout(mine, EYOT_CMP_EQ, 7, 0, NULL));
      done = true;
      ok(eyot_counter_test_any(c, 2, &which, &done));
      assert_false(done);
      assert_true(eyot_now_ns() - begin <= slack);
      if (me == n - 1 && last == 0) ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
      ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
    }
  }
  for (uint32_t i = 0; i < 2; i++) ok(eyot_counter_destroy(&c[i]));
  api_free(word);
}

static void timeouts_are_neither_shorter_nor_longer(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 17; n += 3) api_sweep(n, 4, timeout_body);
}

/* -- counts and notes -------------------------------------------------------------------------- */

/* Each signal of a round is counted once, whichever call sends it; the fabric gets the program's
 * note for a call of the program. */
static void count_body(uint32_t me, uint32_t n) {
  eyot_gptr_t word = api_alloc(8);
  struct fab *own = eyot_current->fab;
  eyot_counts_t k;
  for (uint32_t round = 0; round < 3; round++) {
    ok(eyot_barrier(EYOT_TEAM_ALL));
    /* Before notify; or after it, where the first signal was sent. */
    if (round != 1) ok(eyot_count_begin());
    ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    if (round == 1) ok(eyot_count_begin());
    assert_ptr_not_equal(eyot_current->fab, own);
    for (uint32_t i = 0; i < 200; i++) {
      ok(eyot_flush_all(EYOT_REMOTE));
      assert_string_equal(own->note.what, "eyot_flush_all");
      assert_string_equal(eyot_current->fab->note.what, "eyot_flush_all");
    }
    refuses(EYOT_ETIMEOUT,
            eyot_wait_until_timeout(eyot_gptr_at(word, unit(me)), EYOT_CMP_EQ, 1, NOTIFY_NS, NULL));
    assert_string_equal(own->note.what, "eyot_wait_until_timeout");
    if (round == 2) {
      ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
      ok(eyot_count_read(&k));
      ok(eyot_count_end());
    } else {
      if (round == 0) ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
      ok(eyot_count_read(&k));
      ok(eyot_count_end());
      if (round == 1) ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
    }
    assert_ptr_equal(eyot_current->fab, own);
    assert_int_equal(k.flushes, 200);
    if (round != 1) {
      assert_int_equal(k.signals, rounds_of(n));
      assert_int_equal(k.waits, rounds_of(n) + 1);
    } else {
      assert_true(k.signals + 1 <= rounds_of(n) || n == 1);
    }
    assert_int_equal(k.puts + k.gets + k.atomics + k.own_signals + k.orders, 0);
  }
  api_free(word);
}

static void each_signal_of_a_round_is_sent_once(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 17; n += 2) api_sweep(n, 4, count_body);
}

/* -- the contract, with a barrier open --------------------------------------------------------- */

static uint32_t failures;
static bool completes;

/* The rounds continue within the suite, or they stop because one member has not notified yet. */
static void conform_body(uint32_t me, uint32_t n) {
  if (completes || me != n - 1) ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  struct conf_opts o = {.rounds = 6, .weak = CONF_WEAK_PRINT, .in_thread = fake_thread};
  if (conf_run(eyot_current->fab, &o) != 0) failures++;
  if (!completes && me == n - 1) ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
}

static void fabric_conforms_between_notify_and_wait(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 6; i++) {
    completes = i % 2 != 0;
    failures = 0;
    api_run(&(struct fake_opts){.n = 2 + i % 3,
                                .seed = i + 1,
                                .mode = (enum fake_mode)(i % 3),
                                .units_per_node = 2,
                                .mapped = i >= 3},
            conform_body);
    assert_int_equal(failures, 0);
  }
}

/* Three wrappers that forward everything are stacked, and are removed in any order. */
static void chain_main(struct fab *f, void *arg) {
  static const uint32_t ORDERS[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  struct eyoti_forward w[3];
  struct fab *head = f;
  (void)arg;
  for (uint32_t i = 0; i < 6; i++) {
    for (uint32_t k = 0; k < 3; k++) eyoti_forward_init(&w[k], head);
    eyoti_forward_add(&w[0], &head);
    eyoti_forward_add(&w[1], eyoti_forward_last(&head)); /* after it */
    eyoti_forward_add(&w[2], &head);                     /* before both */
    assert_ptr_equal(head, &w[2].fab);
    assert_true(w[2].inner == &w[0].fab && w[0].inner == &w[1].fab && w[1].inner == f);
    head->note.what = "chain";
    assert_int_equal(head->ops->progress(head), EYOT_OK);
    assert_string_equal(f->note.what, "chain");
    for (uint32_t k = 0; k < 3; k++) {
      eyoti_forward_remove(&w[ORDERS[i][k]], &head);
      assert_int_equal(head->ops->progress(head), EYOT_OK);
    }
    assert_ptr_equal(head, f);
  }
  for (uint32_t k = 0; k < 2; k++) {
    eyoti_forward_init(&w[k], head);
    eyoti_forward_add(&w[k], &head);
  }
  struct conf_opts o = {.rounds = 6, .weak = CONF_WEAK_PRINT, .in_thread = fake_thread};
  if (conf_run(head, &o) != 0) failures++;
}

static void forwarders_go_in_any_order(void **state) {
  (void)state;
  failures = 0;
  assert_int_equal(
      fake_run(&(struct fake_opts){.n = 3, .seed = 1, .mode = FAKE_REORDER, .units_per_node = 2},
               chain_main, NULL),
      FAKE_DONE);
  assert_int_equal(failures, 0);
}

/* -- sets -------------------------------------------------------------------------------------- */

static const struct fab_ops *sound;
static uint32_t rounds_seen;

static int see_set(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                   const struct fab_sig *sig, fab_req_t *req) {
  assert_int_equal(f->set, FAB_SET_ALL);
  rounds_seen++;
  return sound->put_signal(f, dst, src, len, sig, req);
}

static void set_body(uint32_t me, uint32_t n) {
  static struct fab_ops seeing;
  struct fab *own = eyot_current->fab;
  eyot_gptr_t word = api_alloc(8);
  const uint64_t value = 1;
  eyot_set_t set;
  ok(eyot_set_create(&set));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  sound = own->ops;
  ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  if (me == 0) {
    seeing = *sound;
    seeing.put_signal = see_set;
    own->ops = &seeing;
    for (uint32_t i = 0; i < 2000; i++) {
      ok(eyot_set_put(set, eyot_gptr_at(word, unit(n - 1)), &value, 8));
      ok(eyot_set_flush_all(set, EYOT_REMOTE));
    }
    own->ops = sound;
  }
  ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  ok(eyot_set_destroy(&set));
  api_free(word);
}

/* A round that a call to a set continues is not of that set. */
static void rounds_are_of_no_set(void **state) {
  (void)state;
  rounds_seen = 0;
  for (uint32_t n = 2; n <= 9; n++) api_sweep(n, 4, set_body);
  assert_true(rounds_seen > 0);
}

/* -- errors ------------------------------------------------------------------------------------ */

static uint32_t refused;

static int refuse_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                         const struct fab_sig *sig, fab_req_t *req) {
  (void)f, (void)dst, (void)src, (void)len, (void)sig, (void)req;
  refused++;
  return EYOT_EFABRIC;
}

/* Wait or test returns the error of a round that failed inside another call, not that call; then it
 * can be tried again. */
static void error_body(uint32_t me, uint32_t n) {
  static struct fab_ops refusing;
  struct fab *own = eyot_current->fab;
  bool done = true;
  for (uint32_t again = 0; again < 2; again++) {
    sound = own->ops;
    refusing = *sound;
    refusing.put_signal = refuse_signal;
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    if (me == 0) {
      own->ops = &refusing;
      refused = 0;
      for (uint32_t i = 0; i < 2000; i++) ok(eyot_progress());
      own->ops = sound;
      assert_int_equal(refused, 1); /* not over and over */
      if (again == 0)
        refuses(EYOT_EFABRIC, eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
      else
        refuses(EYOT_EFABRIC, eyot_barrier_test(EYOT_TEAM_ALL, NULL, &done));
      assert_true(done);
    }
    ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
  (void)n;
}

/* The first notify of a unit needs memory; it can be called again. */
static void memory_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  for (uint32_t got = 0; got < 3; got++) { /* each of three in turn; earlier allocations are kept */
    fake_alloc_fail_after(got == 0 ? 1 : 2);
    int rc = eyot_barrier_notify(EYOT_TEAM_ALL, NULL);
    fake_alloc_fail_after(0);
    assert_int_equal(rc, EYOT_ENOMEM);
    refuses(EYOT_ESTATE, eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
  for (uint32_t i = 0; i < 3; i++) {
    ok(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    ok(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
    fake_alloc_fail_after(1); /* nothing more is allocated */
  }
  fake_alloc_fail_after(0);
}

static void fail_body(uint32_t me, uint32_t n, uint32_t *met) {
  eyot_gptr_t word;
  uint64_t old;
  if (eyot_team_alloc(EYOT_TEAM_ALL, 8, &word) != EYOT_OK) return;
  int rc = eyot_barrier_notify(EYOT_TEAM_ALL, NULL);
  if (rc == EYOT_OK) rc = eyot_fetch_add_u64(eyot_gptr_at(word, unit((me + 1) % n)), 1, &old);
  if (rc == EYOT_OK) rc = eyot_wait_until(eyot_gptr_at(word, unit(me)), EYOT_CMP_GE, 1, NULL);
  if (rc == EYOT_EFABRIC) ++*met;
  /* once more after an error */
  for (uint32_t i = 0; i < 4 && (rc == EYOT_OK || rc == EYOT_EFABRIC); i++) {
    rc = eyot_barrier_wait(EYOT_TEAM_ALL, NULL);
    if (rc == EYOT_OK) break;
    if (rc == EYOT_EFABRIC) ++*met;
  }
}

static void fail_main(struct fab *f, void *arg) {
  (void)f;
  if (eyot_init(NULL, NULL) != EYOT_OK) return;
  fail_body(eyot_me().id, eyot_size(), arg);
  (void)eyot_finalize(); /* also with a barrier open */
}

static void failed_round_is_reported_by_wait(void **state) {
  (void)state;
  for (uint32_t n = 3; n <= 9; n += 2)
    for (uint32_t seed = 1; seed <= 4; seed++)
      api_run(
          &(struct fake_opts){
              .n = n, .seed = seed, .mode = (enum fake_mode)(seed % 3), .units_per_node = 2},
          error_body);
  api_run(&(struct fake_opts){.n = 1}, memory_body);
  uint32_t met = 0;
  assert_int_equal(fake_run(&(struct fake_opts){.n = 5, .units_per_node = 2}, fail_main, &met),
                   FAKE_DONE);
  uint64_t calls = fake_calls();
  assert_int_equal(met, 0);
  for (uint64_t nth = 1; nth <= calls; nth++)
    (void)fake_run(&(struct fake_opts){.n = 5,
                                       .seed = nth,
                                       .mode = FAKE_REORDER,
                                       .units_per_node = 2,
                                       .fail_op = nth,
                                       .quiet = true},
                   fail_main, &met);
  assert_true(met >= 20);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flag_between_notify_and_wait_needs_progress),
      cmocka_unit_test(forwarders_go_in_any_order),
      cmocka_unit_test(rounds_are_of_no_set),
      cmocka_unit_test(each_signal_of_a_round_is_sent_once),
      cmocka_unit_test(timeouts_are_neither_shorter_nor_longer),
      cmocka_unit_test(failed_round_is_reported_by_wait),
      cmocka_unit_test(fabric_conforms_between_notify_and_wait),
      cmocka_unit_test(every_way_to_wait_continues_the_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
