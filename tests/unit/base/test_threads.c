/* SPDX-License-Identifier: BSD-3-Clause */
/* test_threads.c - the lock of a unit at EYOT_THREAD_MULTIPLE (rt/threads.h), over an endpoint of
 * one unit whose words are the test's. ThreadSanitizer sees what it does not order. */
#include <pthread.h>

#include "rt/rt.h"
#include "unit/api_unit.h"

enum { THREADS = 4, CALLS = 3000 };

static struct eyot_rt mine;
static struct fab own;
static struct fab_ops own_ops;
static uint64_t word;   /* that waits read */
static uint64_t plain;  /* changed inside calls only, without atomics */
static uint32_t inside; /* threads between alone_begin and alone_end */

static int one_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                        uint64_t *seen) {
  (void)f;
  if (timeout_ns != 0) abort(); /* the lock would be kept while it waits */
  uint64_t now = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
  plain++;
  if (!fab_cmp_holds(cond->cmp, now, cond->value)) return EYOT_ETIMEOUT;
  if (seen != NULL) *seen = now;
  return EYOT_OK;
}

static int one_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                        uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  for (uint32_t i = 0; i < n; i++) {
    if (one_wait_mem(f, &conds[i], timeout_ns, NULL) != EYOT_OK) continue;
    *index = i;
    if (held != NULL) *held = 1;
    return EYOT_OK;
  }
  return EYOT_ETIMEOUT;
}

static uint64_t one_now(struct fab *f) {
  struct timespec t;
  (void)f;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void begin(uint32_t level) {
  own_ops = (struct fab_ops){.abi = FAB_ABI,
                             .name = "one",
                             .wait_mem = one_wait_mem,
                             .wait_any = one_wait_any,
                             .now_ns = one_now};
  own = (struct fab){.ops = &own_ops, .n = 1, .caps = FAB_CAP_THREADS};
  eyoti_rt_host(&mine, &own, NULL);
  mine.state = EYOTI_STARTING;
  mine.owner = eyoti_rt_thread();
  mine.log_level = EYOTI_LOG_SILENT;
  assert_int_equal(eyoti_threads_start(&mine, level), EYOT_OK);
  mine.state = EYOTI_RUNNING;
  eyoti_threads_started(&mine);
  eyot_current = &mine;
  word = plain = 0;
}

static void end(void) {
  if (mine.threads != NULL) {
    struct eyot_rt *entered = NULL;
    assert_int_equal(eyoti_threads_admit(&mine, "end", NULL, &entered), EYOT_OK);
  }
  eyoti_threads_stop(&mine);
  assert_ptr_equal(mine.fab, &own);
  eyot_current = eyoti_rt_idle();
}

/* -- calls, as the public functions are -------------------------------------------------------- */

static int add(uint64_t by) {
  EYOTI_ENTER(rt);
  plain += by;
  return rt->fab->note.what != NULL ? EYOT_OK : EYOT_ESTATE;
}

static int nested(void) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(add(1));
  plain++; /* the lock is still this call's */
  return strcmp(rt->fab->note.what, "add") == 0 ? EYOT_OK : EYOT_ESTATE;
}

/* It is no part of another thread's call that waits. */
static int set(uint64_t value) {
  EYOTI_ENTER(rt);
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
  return rt->outer_site == NULL ? EYOT_OK : EYOT_ESTATE;
}

/* Waits as a part of another call. The call's name and place are its own again after a wait in
 * which others called. */
static int await(uint64_t value, uint64_t timeout_ns) {
  EYOTI_ENTER(rt);
  const void *site = rt->site;
  const struct fab_cond cond = {.cmp = FAB_GE, .value = value};
  uint32_t index;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = value % 2 == 0 ? fab_wait_word(rt->fab, &cond, timeout_ns, NULL)
                          : fab_wait_any(rt->fab, &cond, 1, timeout_ns, &index);
  bool kept = rt->outer_site == site && rt->site == site &&
              strcmp(rt->fab->note.what, "await") == 0; /* unnest would restore them as well */
  eyoti_rt_unnest(rt, nest);
  return kept ? rc : EYOT_ESTATE;
}

static int by_itself(void) {
  EYOTI_ENTER(rt);
  const struct fab_cond never = {.cmp = FAB_LT, .value = 0};
  eyoti_threads_alone_begin(rt);
  bool first = ++inside == 1;
  (void)fab_wait_word(rt->fab, &never, 200000, NULL); /* others call meanwhile */
  first = first && inside == 1;
  inside--;
  eyoti_threads_alone_end(rt);
  return first ? EYOT_OK : EYOT_ESTATE;
}

/* -- tests ------------------------------------------------------------------------------------ */

static void in_threads(void *(*f)(void *)) {
  pthread_t id[THREADS];
  void *result;
  for (uint32_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&id[i], NULL, f, NULL), 0);
  for (uint32_t i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(id[i], &result), 0);
    assert_null(result);
  }
}

#define THAT(condition) \
  if (!(condition)) return &own

static void *call_often(void *arg) {
  for (uint32_t i = 0; i < CALLS; i++) THAT(add(1) == EYOT_OK && nested() == EYOT_OK);
  return arg;
}
static void calls_of_all_threads_exclude_each_other(void **state) {
  (void)state;
  begin(EYOT_THREAD_MULTIPLE);
  in_threads(call_often);
  assert_int_equal(plain, 3 * THREADS * CALLS);
  end();
}

/* Each thread waits for what another one does, which needs the lock. */
static void *take_turns(void *arg) {
  static uint64_t next;
  uint64_t number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % THREADS;
  for (uint64_t turn = number; turn < THREADS * 50; turn += THREADS)
    THAT(await(turn, EYOT_FOREVER) == EYOT_OK && set(turn + 1) == EYOT_OK);
  return arg;
}
static void waiting_calls_let_others_in(void **state) {
  (void)state;
  begin(EYOT_THREAD_MULTIPLE);
  in_threads(take_turns);
  assert_int_equal(word, THREADS * 50);
  assert_int_equal(await(1000000, 100000), EYOT_ETIMEOUT);
  assert_int_equal(await(1000000, 0), EYOT_ETIMEOUT);
  end();
}

static void *alone(void *arg) {
  for (uint32_t i = 0; i < 20; i++) THAT(by_itself() == EYOT_OK && add(1) == EYOT_OK);
  return arg;
}
static void one_thread_is_alone_also_while_it_waits(void **state) {
  (void)state;
  begin(EYOT_THREAD_MULTIPLE);
  in_threads(alone);
  end();
}

static void *call_once(void *arg) {
  return add(1) == EYOT_OK ? arg : &own;
}
static void *refused(void *arg) {
  return add(1) == EYOT_ETHREAD ? arg : &own;
}
static void call_in_thread(void *(*f)(void *)) {
  pthread_t id;
  void *result;
  assert_int_equal(pthread_create(&id, NULL, f, NULL), 0);
  assert_int_equal(pthread_join(id, &result), 0);
  assert_null(result);
}
static void serialized_unit_is_its_callers_and_has_no_lock(void **state) {
  (void)state;
  begin(EYOT_THREAD_SERIALIZED);
  assert_null(mine.threads);
  call_in_thread(call_once);
  assert_int_equal(add(1), EYOT_OK);
  assert_int_equal(plain, 2);
  end();
}
static void funneled_unit_refuses_other_threads(void **state) {
  (void)state;
  begin(EYOT_THREAD_SINGLE);
  assert_int_equal(eyot_thread_level(), EYOT_THREAD_FUNNELED);
  call_in_thread(refused);
  assert_int_equal(plain, 0);
  end();
}
static void fabric_without_threads_provides_funneled(void **state) {
  (void)state;
  begin(EYOT_THREAD_SINGLE);
  end();
  own.caps = 0;
  eyoti_rt_host(&mine, &own, NULL);
  mine.log_level = EYOTI_LOG_SILENT;
  assert_int_equal(eyoti_threads_start(&mine, EYOT_THREAD_MULTIPLE), EYOT_OK);
  assert_int_equal(mine.thread_level, EYOT_THREAD_FUNNELED);
  assert_null(mine.threads);
  assert_int_equal(eyoti_threads_start(&mine, EYOT_THREAD_MULTIPLE + 1), EYOT_EINVAL);
}
static void inline_operations_find_nothing_and_no_mark_is_set(void **state) {
  (void)state;
  begin(EYOT_THREAD_MULTIPLE);
  assert_null(mine.fast.quiet);
  assert_int_equal(mine.fast.units, 0);
  assert_false(eyot_caller_begin("interface", &own));
  assert_null(eyoti_rt_marked(&mine));
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_of_all_threads_exclude_each_other),
      cmocka_unit_test(waiting_calls_let_others_in),
      cmocka_unit_test(one_thread_is_alone_also_while_it_waits),
      cmocka_unit_test(serialized_unit_is_its_callers_and_has_no_lock),
      cmocka_unit_test(funneled_unit_refuses_other_threads),
      cmocka_unit_test(fabric_without_threads_provides_funneled),
      cmocka_unit_test(inline_operations_find_nothing_and_no_mark_is_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
