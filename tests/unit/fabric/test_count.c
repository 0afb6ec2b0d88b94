/* SPDX-License-Identifier: BSD-3-Clause */
/* test_count.c - counting of operations: exact counts of every kind, the inline path while
 * counting, and the counting endpoint as a fabric of its own under the conformance suite. */
#include "conformance/conformance.h"
#include "fabric/count.h"
#include "rt/rt.h"
#include "unit/api_unit.h"

static eyot_counts_t counted(void) {
  eyot_counts_t k;
  ok(eyot_count_read(&k));
  return k;
}

#define expect(...)                                   \
  do {                                                \
    eyot_counts_t got_ = counted();                   \
    eyot_counts_t want_ = {__VA_ARGS__};              \
    assert_memory_equal(&got_, &want_, sizeof want_); \
    ok(eyot_count_end());                             \
    ok(eyot_count_begin());                           \
  } while (0)

/* Each call alone. */
static void exact_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(256);
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n)), here = eyot_gptr_at(base, unit(me));
  char b[64] = {0};
  uint64_t one = 1, old;
  bool done;
  eyot_handle_t h;
  ok(eyot_count_begin());
  expect(.puts = 0);
  ok(eyot_put(there, b, 64));
  expect(.puts = 1, .put_bytes = 64);
  ok(eyot_put_nbi(there, b, 24));
  ok(eyot_put_nb(there, b, 8, &h));
  ok(eyot_wait(&h, EYOT_REMOTE));
  ok(eyot_flush(there.unit == me ? unit(0) : unit(there.unit), EYOT_REMOTE));
  expect(.puts = 2, .put_bytes = 32, .flushes = 1);
  ok(eyot_get(b, there, 40));
  expect(.gets = 1, .get_bytes = 40);
  ok(eyot_put(here, b, 64));
  ok(eyot_get(b, here, 32));
  ok(eyot_fetch_add_u64(eyot_gptr_add(here, 128), 1, &old));
  ok(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(here, 136), EYOT_SIGNAL_ADD, 1));
  expect(.own_puts = 1, .own_gets = 1, .own_atomics = 1, .own_signals = 1);
  ok(eyot_fetch_add_u64(eyot_gptr_add(there, 128), 1, &old));
  ok(eyot_accumulate_nbi(eyot_gptr_add(there, 128), EYOT_UINT64, EYOT_SUM, &one));
  expect(.atomics = 2, .fetching = 1);
  ok(eyot_put_signal(there, b, 16, eyot_gptr_add(there, 144), EYOT_SIGNAL_ADD, 1));
  ok(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(there, 144), EYOT_SIGNAL_ADD, 1));
  ok(eyot_order(unit(there.unit)));
  ok(eyot_order_all());
  expect(.signals = 2, .put_bytes = 16, .orders = 2);
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_wait_until(eyot_gptr_add(here, 144), EYOT_CMP_GE, 2, NULL));
  ok(eyot_test_until(eyot_gptr_add(here, 144), EYOT_CMP_EQ, 9, NULL, &done));
  refuses(EYOT_ETIMEOUT,
          eyot_wait_until_timeout(eyot_gptr_add(here, 144), EYOT_CMP_EQ, 9, 1000, NULL));
  expect(.waits = 3, .flushes = 1);
  /* ceil(log2 n) rounds of a signal and a wait */
  ok(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_DISSEMINATION));
  uint32_t rounds = n <= 2 ? 1 : n <= 4 ? 2 : 3;
  expect(.signals = rounds, .waits = rounds);
  ok(eyot_count_end());
  api_free(base);
}

/* Refused operations are not counted; wait_any is a wait. */
static void fabric_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  ok(eyot_count_begin());
  struct fab *f = eyot_current->fab;
  struct fab_addr nobody = fab_at(n + 5, 0, 0);
  uint64_t word = 0;
  uint32_t index;
  struct fab_amo read = {.op = FAB_AMO_READ, .width = 8};
  struct fab_sig sig = {.at = nobody, .op = FAB_SIG_SET, .value = 1};
  refuses(EYOT_EUNIT, fab_put(f, nobody, &word, 8, NULL));
  refuses(EYOT_EUNIT, fab_get(f, &word, nobody, 8, NULL));
  refuses(EYOT_EUNIT, fab_amo(f, nobody, &read, NULL, NULL));
  refuses(EYOT_EUNIT, fab_put_signal(f, nobody, NULL, 0, &sig, NULL));
  refuses(EYOT_EUNIT, fab_flush(f, n + 5, FAB_REMOTE));
  refuses(EYOT_EUNIT, fab_order(f, n + 5));
  expect(.puts = 0);
  struct fab_cond both[2] = {{.seg = 0, .cmp = FAB_EQ, .off = 0, .value = UINT64_MAX},
                             {.seg = 0, .cmp = FAB_NE, .off = 0, .value = UINT64_MAX}};
  f = eyot_current->fab;
  ok(fab_wait_any(f, both, 2, FAB_FOREVER, &index));
  assert_int_equal(index, 1);
  refuses(EYOT_ETIMEOUT, fab_wait_any(f, both, 1, 0, &index));
  expect(.waits = 2);
  ok(eyot_count_end());
  (void)me;
  api_free(base);
}

/* The endpoint that fabrics see has the layers' current note; names and numbers are the
 * fabric's. */
static void note_body(uint32_t me, uint32_t n) {
  struct fab *own = eyot_current->fab;
  const char *name = eyot_fabric_name();
  ok(eyot_count_begin());
  struct fab *f = eyot_current->fab;
  assert_ptr_not_equal(f, own);
  assert_true(f->me == own->me && f->n == own->n && f->caps == own->caps &&
              f->local.first == own->local.first && f->local.n == own->local.n);
  assert_string_equal(eyot_fabric_name(), name);
  assert_true(eyot_me().id == me && eyot_size() == n);
  ok(eyot_phase("counted"));
  assert_string_equal(own->note.phase, "counted");
  ok(eyot_flush_all(EYOT_REMOTE));
  assert_string_equal(own->note.what, "eyot_flush_all");
  ok(eyot_phase(NULL));
  ok(eyot_count_end());
  assert_ptr_equal(eyot_current->fab, own);
  assert_string_equal(own->note.what, "eyot_count_end");
  assert_null(own->note.phase);
}

/* Inline operations make the call while counting, and are inline again afterwards, also on segments
 * made meanwhile. */
static void inline_body(uint32_t me, uint32_t n) {
  enum { SEGMENTS = 20 };
  eyot_gptr_t before = api_alloc(64), made[SEGMENTS];
  bool mapped = eyoti_mapped_addr(&eyot_current->mapped, eyot_gptr_at(before, unit(me)), 8) != NULL;
  assert_true(mapped == (eyot_current->fab->local.n > 0));
  struct eyoti_mapped was = eyot_current->mapped;
  ok(eyot_count_begin());
  assert_null(eyoti_mapped_addr(&eyot_current->mapped, eyot_gptr_at(before, unit(me)), 8));
  for (uint32_t i = 0; i < SEGMENTS; i++) {
    made[i] = api_alloc(64);
    assert_null(eyoti_mapped_addr(&eyot_current->mapped, eyot_gptr_at(made[i], unit(me)), 8));
  }
  uint64_t v = me + 1, got = 0;
  ok(eyot_put(eyot_gptr_at(made[SEGMENTS - 1], unit((me + 1) % n)), &v, 8));
  assert_true(counted().puts + counted().own_puts == 1);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_count_end());
  assert_true(eyot_current->mapped.n == was.n);
  assert_true((eyoti_mapped_addr(&eyot_current->mapped, eyot_gptr_at(made[SEGMENTS - 1], unit(me)),
                                 8) != NULL) == mapped);
  ok(eyot_get(&got, eyot_gptr_at(made[SEGMENTS - 1], unit(me)), 8));
  assert_int_equal(got, (me + n - 1) % n + 1);
  ok(eyot_count_begin());
  for (uint32_t i = 0; i < SEGMENTS; i++) api_free(made[i]);
  ok(eyot_count_end());
  assert_null(eyoti_mapped_addr(&eyot_current->mapped, eyot_gptr_at(made[0], unit(me)), 8));
  api_free(before);
}

static void misuse_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  eyot_counts_t k = {.puts = 7};
  refuses(EYOT_ESTATE, eyot_count_read(&k));
  refuses(EYOT_ESTATE, eyot_count_end());
  ok(eyot_count_begin());
  refuses(EYOT_ESTATE, eyot_count_begin());
  refuses(EYOT_EINVAL, eyot_count_read(NULL));
  ok(eyot_count_end());
  refuses(EYOT_ESTATE, eyot_count_end());
  assert_int_equal(k.puts, 7);
  fake_alloc_fail_after(1);
  refuses(EYOT_ENOMEM, eyot_count_begin());
  fake_alloc_fail_after(0);
  refuses(EYOT_ESTATE, eyot_count_end());
}

static void unfinished_body(uint32_t me, uint32_t n) {
  (void)n;
  if (me != 1) ok(eyot_count_begin()); /* finalize ends it */
}

static void abort_body(uint32_t me, uint32_t n) {
  (void)n;
  ok(eyot_count_begin());
  if (me == 0) eyot_abort(5, "on purpose");
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

static void abort_main(struct fab *f, void *arg) {
  (void)f, (void)arg;
  ok(eyot_init(NULL, NULL));
  abort_body(eyot_me().id, eyot_size());
}

static void conform(struct fab *f, void *arg) {
  uint32_t *failures = arg;
  struct eyoti_count *c;
  ok(eyoti_count_new(f, &c));
  struct conf_opts o = {.rounds = 10, .weak = CONF_WEAK_PRINT, .in_thread = fake_thread};
  struct fab *head = f;
  eyoti_forward_add(&c->forward, &head);
  if (conf_run(head, &o) != 0) ++*failures;
  eyoti_forward_remove(&c->forward, &head);
  assert_ptr_equal(head, f);
  eyoti_count_delete(c);
}

static void before_main(struct fab *f, void *arg) {
  (void)f, (void)arg;
  eyot_counts_t k;
  refuses(EYOT_ESTATE, eyot_count_begin());
  refuses(EYOT_ESTATE, eyot_count_read(&k));
  refuses(EYOT_ESTATE, eyot_count_end());
}

static void each_call_is_counted_exactly(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 5; n++) api_sweep(n, 3, exact_body);
}
static void refused_operations_are_not_counted(void **state) {
  (void)state;
  api_sweep(2, 1, fabric_body);
}
static void counting_keeps_the_name_and_note_of_the_fabric(void **state) {
  (void)state;
  api_sweep(3, 1, note_body);
}
static void inline_operations_take_the_call_while_counting(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 3, inline_body);
}
static void counting_out_of_turn_is_refused(void **state) {
  (void)state;
  api_sweep(2, 1, misuse_body);
  assert_int_equal(fake_run(&(struct fake_opts){.n = 1}, before_main, NULL), FAKE_DONE);
}
static void counting_ends_with_finalize_and_abort(void **state) {
  (void)state;
  api_sweep(3, 3, unfinished_body);
  assert_int_equal(
      fake_run(&(struct fake_opts){.n = 3, .mode = FAKE_REORDER, .quiet = true}, abort_main, NULL),
      FAKE_ABORTED);
  assert_int_equal(fake_abort_code(), 5);
}
static void counting_fabric_conforms(void **state) {
  (void)state;
  static const enum fake_mode MODES[] = {FAKE_EAGER, FAKE_DELAY, FAKE_REORDER};
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t failures = 0;
    struct fake_opts o = {
        .n = 1 + i % 4, .seed = i + 1, .mode = MODES[i % 3], .units_per_node = 2, .mapped = i >= 3};
    assert_int_equal(fake_run(&o, conform, &failures), FAKE_DONE);
    assert_int_equal(failures, 0);
  }
}

/* A fabric that hosts units has a hook for exit, which must get its own endpoint. */
struct hosted {
  struct fab fab;
  int how, code, calls;
};
static void hosted_exit(struct fab *f, int how, int code) {
  struct hosted *h = (struct hosted *)(void *)f;
  h->how = how;
  h->code = code;
  h->calls++;
}
static void exit_hook_is_passed_on(void **state) {
  (void)state;
  static const struct fab_ops ops = {.abi = FAB_ABI, .name = "hosted"};
  struct hosted h = {.fab = {.ops = &ops, .n = 1, .unit_exit = hosted_exit}};
  struct eyoti_count *c;
  struct fab *head = &h.fab;
  ok(eyoti_count_new(&h.fab, &c));
  eyoti_forward_add(&c->forward, &head);
  head->unit_exit(head, FAB_EXIT_QUICK, 3);
  assert_true(h.calls == 1 && h.how == FAB_EXIT_QUICK && h.code == 3);
  eyoti_forward_remove(&c->forward, &head);
  assert_ptr_equal(head, &h.fab);
  eyoti_count_delete(c);
  h.fab.unit_exit = NULL;
  ok(eyoti_count_new(&h.fab, &c));
  /* the wrapper passes on whether the fabric hosts units */
  assert_null(c->forward.fab.unit_exit);
  eyoti_count_delete(c);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_call_is_counted_exactly),
      cmocka_unit_test(refused_operations_are_not_counted),
      cmocka_unit_test(counting_keeps_the_name_and_note_of_the_fabric),
      cmocka_unit_test(inline_operations_take_the_call_while_counting),
      cmocka_unit_test(counting_out_of_turn_is_refused),
      cmocka_unit_test(counting_ends_with_finalize_and_abort),
      cmocka_unit_test(counting_fabric_conforms),
      cmocka_unit_test(exit_hook_is_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
