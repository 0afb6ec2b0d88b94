/* SPDX-License-Identifier: BSD-3-Clause */
/* test_levels.c - levels of threads (eyot/init.h) on the fake fabric: what each level that a
 * program asks for gives, to the unit's own thread and to another one. */
#include "rt/rt.h"
#include "unit/api_unit.h"

#define UNITS 3u
#define CALLS 14u
/* Those with an inline part, which checks nothing where memory is mapped: a bit for each. */
#define INLINE (1u << 0 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 8)

struct calls {
  eyot_gptr_t words;
  uint32_t me;
  int code[CALLS];
  uint64_t seen, sum;
  eyot_thread_level_t level;
  bool runs;
};

static uint32_t asked;      /* EYOT_THREAD_... */
static uint32_t asked_last; /* by the last unit */

/* Functions of all layers. */
static void call(void *arg) {
  struct calls *c = arg;
  const eyot_unit_t next = {(c->me + 1) % UNITS};
  const eyot_gptr_t own = eyot_gptr_at(c->words, unit(c->me)), there = eyot_gptr_at(c->words, next);
  const uint64_t value = 100 + c->me, one = 1;
  uint32_t i = 0;
  uint64_t old;
  eyot_gptr_t memory = EYOT_GPTR_NULL;
  eyot_team_t team = EYOT_TEAM_NULL;
  eyot_handle_t h = {0};
  c->code[i++] = eyot_put(there, &value, sizeof value);
  c->code[i++] = eyot_put_nb(eyot_gptr_add(there, 8), &value, sizeof value, &h);
  c->code[i++] = eyot_wait(&h, EYOT_REMOTE);
  c->code[i++] = eyot_put_nbi(eyot_gptr_add(there, 16), &value, sizeof value);
  c->code[i++] = eyot_flush(next, EYOT_REMOTE);
  c->code[i++] = eyot_fetch_add_u64(eyot_gptr_add(there, 24), 1, &old);
  c->code[i++] = eyot_wait_until(eyot_gptr_add(own, 24), EYOT_CMP_GE, 1, NULL);
  c->code[i++] = eyot_barrier(EYOT_TEAM_ALL);
  c->code[i++] = eyot_get(&c->seen, own, sizeof c->seen);
  c->code[i++] = eyot_alloc(64, &memory);
  c->code[i++] = eyot_free(memory);
  c->code[i++] = eyot_team_split(EYOT_TEAM_ALL, 0, &team);
  c->code[i++] = eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &one, &c->sum, 1);
  c->code[i++] = eyot_team_destroy(&team);
  if (i != CALLS) abort();
  c->level = eyot_thread_level();
  c->runs = eyot_initialized() && eyot_size() == UNITS && eyot_me().id == c->me;
}

/* The results of all calls: `code`, or those of success. */
static void check(const struct calls *c, int code) {
  const bool mapped = eyot_current->mapped.n > 0;
  for (uint32_t i = 0; i < CALLS; i++)
    if (code == EYOT_OK || !mapped || (INLINE >> i & 1) == 0) assert_int_equal(c->code[i], code);
  assert_true(c->runs); /* these may be called at any time */
  assert_int_equal(c->level, eyot_thread_level());
  if (code != EYOT_OK) return;
  assert_int_equal(c->seen, 100 + (c->me + UNITS - 1) % UNITS);
  assert_int_equal(c->sum, UNITS);
}

static void body(uint32_t me, uint32_t level) {
  struct calls c = {.me = me};
  assert_int_equal(eyot_thread_level(), level);
  assert_int_equal(eyot_current->threads != NULL, level == EYOT_THREAD_MULTIPLE);
  ok(eyot_team_alloc(EYOT_TEAM_ALL, 64, &c.words));
  call(&c);
  check(&c, EYOT_OK);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  c.seen = c.sum = 0;
  fake_thread(call, &c);
  check(&c, level < EYOT_THREAD_SERIALIZED ? EYOT_ETHREAD : EYOT_OK);
  assert_int_equal(eyot_errors_clear(), 0); /* ETHREAD is not counted */
  /* and then by its own again */
  ok(eyot_barrier(EYOT_TEAM_ALL));
  call(&c);
  check(&c, EYOT_OK);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_team_free(c.words));
}

static void finish(void *arg) {
  *(int *)arg = eyot_finalize();
}

static void levels_main(struct fab *f, void *arg) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  int code = EYOT_ESTATE;
  (void)arg;
  attr.threads = asked;
  assert_int_equal(eyot_thread_level(), EYOT_THREAD_SINGLE);
  ok(eyot_init_with(NULL, NULL, &attr));
  body(f->me, asked == EYOT_THREAD_SINGLE ? EYOT_THREAD_FUNNELED : asked);
  fake_thread(finish, &code);
  assert_int_equal(code, asked < EYOT_THREAD_SERIALIZED ? EYOT_ETHREAD : EYOT_OK);
  if (code != EYOT_OK) ok(eyot_finalize());
  assert_int_equal(eyot_thread_level(), EYOT_THREAD_SINGLE);
}

static void run(void (*unit_main)(struct fab *, void *), bool mapped) {
  for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
    const struct fake_opts o = {.n = UNITS,
                                .seed = 5 + mode,
                                .mode = (enum fake_mode)mode,
                                .units_per_node = UNITS,
                                .mapped = mapped};
    int end = fake_run(&o, unit_main, NULL);
    if (end != FAKE_DONE) print_error("level %u, mode %u: %s\n", asked, mode, fake_message());
    assert_int_equal(end, FAKE_DONE);
  }
}

static void ask(uint32_t level) {
  asked = level;
  run(levels_main, false);
  run(levels_main, true);
}

static void single_gives_funneled_which_refuses_another_thread(void **state) {
  (void)state;
  ask(EYOT_THREAD_SINGLE);
}
static void funneled_refuses_another_thread(void **state) {
  (void)state;
  ask(EYOT_THREAD_FUNNELED);
}
static void serialized_admits_another_thread(void **state) {
  (void)state;
  ask(EYOT_THREAD_SERIALIZED);
}
static void multiple_admits_another_thread(void **state) {
  (void)state;
  ask(EYOT_THREAD_MULTIPLE);
}

/* The option of the user comes before what the program asks for. */
static void option_comes_before_the_program(void **state) {
  (void)state;
  uint32_t level;
  setenv("EYOT_THREADS", "multiple", 1);
  ok(eyoti_threads_wanted(EYOT_THREAD_SINGLE, &level));
  assert_int_equal(level, EYOT_THREAD_MULTIPLE);
  setenv("EYOT_THREADS", "funneled", 1);
  ok(eyoti_threads_wanted(EYOT_THREAD_MULTIPLE, &level));
  assert_int_equal(level, EYOT_THREAD_FUNNELED);
  unsetenv("EYOT_THREADS");
}

static void levels_differ_main(struct fab *f, void *arg) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  (void)arg;
  attr.threads = f->me == UNITS - 1 ? asked_last : asked;
  refuses(EYOT_EINVAL, eyot_init_with(NULL, NULL, &attr));
  assert_false(eyot_initialized());
}
static void units_of_different_levels_are_refused(void **state) {
  (void)state;
  for (asked = EYOT_THREAD_FUNNELED; asked <= EYOT_THREAD_MULTIPLE; asked++)
    for (asked_last = EYOT_THREAD_FUNNELED; asked_last <= EYOT_THREAD_MULTIPLE; asked_last++)
      if (asked != asked_last) run(levels_differ_main, false);
}

static void no_such_level_main(struct fab *f, void *arg) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  (void)f, (void)arg;
  attr.threads = EYOT_THREAD_MULTIPLE + 1;
  refuses(EYOT_EINVAL, eyot_init_with(NULL, NULL, &attr));
}
static void level_that_does_not_exist_is_refused(void **state) {
  (void)state;
  run(no_such_level_main, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_gives_funneled_which_refuses_another_thread),
      cmocka_unit_test(funneled_refuses_another_thread),
      cmocka_unit_test(serialized_admits_another_thread),
      cmocka_unit_test(multiple_admits_another_thread),
      cmocka_unit_test(option_comes_before_the_program),
      cmocka_unit_test(units_of_different_levels_are_refused),
      cmocka_unit_test(level_that_does_not_exist_is_refused),
  };
  api_environment();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
