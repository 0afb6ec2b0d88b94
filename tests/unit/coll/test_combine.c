/* SPDX-License-Identifier: BSD-3-Clause */
/* test_combine.c - combinations of many elements with and without workers (coll/combine.h): they
 * have the same bits for every type and operator, those of a model that is written out for one
 * element. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/workers.h"
#include "coll/call.h"
#include "coll/combine.h"
#include "support/coll_model.h"

enum { WORKERS = 4, MORE = 5, WIDEST = 32 /* bytes of an element */ };

/* Longer than what is always shared, and no multiple of anything. */
#define LONG_BYTES (EYOTI_SHARED_LONG + 70001u)

static struct eyoti_coll coll;
static struct eyot_rt rt;
static char left[LONG_BYTES + 64], before_it[WIDEST];
static struct eyot_rt *before;
static struct eyoti_workers *pool[WORKERS + 1]; /* of so many; 0: NULL */

/* ThreadSanitizer takes twenty times as long. */
#ifdef __SANITIZE_THREAD__
enum { EVERY = 8 };
#else
enum { EVERY = 1 };
#endif

static void use(struct eyoti_workers *w) {
  coll.threads = 0;
  coll.workers = w;
}

/* Of a case of the model; user operators are those of model_make. */
static struct eyoti_combiner combiner_of(const struct model_case *c) {
  struct eyoti_combiner by = {.user = NULL};
  if (c->type != EYOT_USER) {
    assert_int_equal(eyoti_combiner_find(&rt, c->type, c->op, &by), EYOT_OK);
    return by;
  }
  memcpy(&by.context, &c->fn, sizeof by.context);
  by.user = model_operator;
  by.width = c->width;
  by.commutative = c->fn == model_add3;
  return by;
}

static void set_inputs(const struct model_case *c, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) model_input(c, 0, i, left + i * c->width);
  model_input(c, 1, 0, before_it);
}

/* -- to one ------------------------------------------------------------------------------------ */

/* A piece: lane k has the elements k, k + lanes, ...; then the lower half of the lanes takes the
 * upper one. */
static void model_piece(const struct model_case *c, const char *x, uint64_t n, char *result) {
  _Alignas(16) char lane[512], next[WIDEST];
  uint64_t lanes = 1, w = c->width;
  while (2 * lanes <= n && 2 * lanes <= 512 / w) lanes *= 2;
  memcpy(lane, x, lanes * w);
  for (uint64_t i = lanes; i < n; i++) {
    c->fn(next, lane + i % lanes * w, x + i * w);
    memcpy(lane + i % lanes * w, next, w);
  }
  for (lanes /= 2; lanes > 0; lanes /= 2)
    for (uint64_t k = 0; k < lanes; k++) {
      c->fn(next, lane + k * w, lane + (lanes + k) * w);
      memcpy(lane + k * w, next, w);
    }
  memcpy(result, lane, w);
}

/* acc op all elements of left: pieces of 32 KiB in their order; elements, if they do not
 * commute. */
static void model_to_one(const struct model_case *c, bool commutes, char *acc, bool has,
                         uint64_t n) {
  _Alignas(16) char piece[WIDEST], next[WIDEST];
  uint64_t w = c->width, most = commutes ? 32768 / w : 1;
  for (uint64_t at = 0; at < n; at += most, has = true) {
    model_piece(c, left + at * w, n - at < most ? n - at : most, piece);
    if (has)
      c->fn(next, acc, piece);
    else
      memcpy(next, piece, w);
    memcpy(acc, next, w);
  }
}

static void check_to_one(const struct model_case *c, uint64_t n, bool has) {
  const struct eyoti_combiner by = combiner_of(c);
  _Alignas(16) char wanted[WIDEST] = {0}, got[WIDEST];
  if (has) memcpy(wanted, before_it, c->width);
  model_to_one(c, by.commutative, wanted, has, n);
  for (uint32_t workers = 0; workers <= WORKERS; workers++) {
    use(pool[workers]);
    for (uint32_t again = 0; again < 2;
         again++) { /* the second in a row is shared if it is brief */
      bool some = has;
      memset(got, 0, sizeof got);
      if (has) memcpy(got, before_it, c->width);
      eyoti_combine_to_one(&rt, &by, got, &some, left, n);
      assert_true(some == (has || n > 0));
      if (!model_same(c, got, wanted, 1))
        fail_msg("%s of %llu elements, %u workers", c->name, (unsigned long long)n, workers);
    }
  }
}

/* Every pair of type and operator, and operators of the program. */
static void every_pair_has_the_models_bits(void **state) {
  (void)state;
  for (uint32_t k = 0; k < MODEL_CASES; k += EVERY) {
    const struct model_case *c = &model_cases[k];
    const uint64_t w = c->width, lengths[] = {0,
                                              1,
                                              2,
                                              63,
                                              512 / w + 1,
                                              32768 / w - 1,
                                              2 * (32768 / w) + 1,
                                              EYOTI_SHARED_LEAST / w + MORE,
                                              EYOTI_SHARED_LONG / w + 7};
    set_inputs(c, LONG_BYTES / w);
    /* the model takes long for the longest of narrow elements */
    const uint32_t n = sizeof lengths / sizeof *lengths - (w < 4);
    for (uint32_t i = 0; i < n; i++) check_to_one(c, lengths[i], i % 2 != 0);
  }
}

/* More pieces than are kept at a time. */
static void long_parts_are_combined_in_turns(void **state) {
  (void)state;
  const uint64_t n = (UINT64_C(40) << 20) / sizeof(double) + 11;
  struct eyoti_combiner by;
  double *x = malloc(n * sizeof *x), wanted = 0, got = 0;
  assert_non_null(x);
  assert_int_equal(eyoti_combiner_find(&rt, EYOT_DOUBLE, EYOT_SUM, &by), EYOT_OK);
  for (uint64_t i = 0; i < n; i++) x[i] = model_real(model_mix(3, i));
  bool has = false;
  use(NULL);
  eyoti_combine_to_one(&rt, &by, &wanted, &has, x, n);
  use(pool[3]);
  has = false;
  eyoti_combine_to_one(&rt, &by, &got, &has, x, n);
  assert_memory_equal(&got, &wanted, sizeof got);
  free(x);
}

/* -- who calls what ---------------------------------------------------------------------------- */

static pthread_t unit_thread;
static uint64_t calls, strangers;

static void own_operator(void *out, const void *l, const void *r, uint64_t n, void *context) {
  uint64_t *o = out;
  const uint64_t *x = l, *y = r;
  (void)context;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  if (!pthread_equal(pthread_self(), unit_thread))
    __atomic_fetch_add(&strangers, 1, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < n; i++) o[i] = x[i] + y[i];
}

static void the_programs_operators_stay_with_the_unit(void **state) {
  (void)state;
  const struct eyoti_combiner by = {.user = own_operator, .width = 8, .commutative = true};
  uint64_t n = EYOTI_SHARED_LONG / 8 + 1, acc = 0, sum = 0;
  bool has = false;
  const uint64_t done = eyoti_workers_done(pool[WORKERS]);
  use(pool[WORKERS]);
  unit_thread = pthread_self();
  for (uint64_t i = 0; i < n; i++) {
    uint64_t v = i * i;
    sum += v;
    memcpy(left + 8 * i, &v, 8);
  }
  eyoti_combine_to_one(&rt, &by, &acc, &has, left, n);
  assert_int_equal(acc, sum);
  assert_true(calls > 0);
  assert_int_equal(strangers, 0);
  assert_int_equal(eyoti_workers_done(pool[WORKERS]), done);
}

static int begin(void **state) {
  (void)state;
  rt.coll = &coll;
  before = eyot_current;
  eyot_current = &rt;
  for (uint32_t n = 1; n <= WORKERS; n++) pool[n] = eyoti_workers_new(n);
  return 0;
}
static int end(void **state) {
  (void)state;
  eyot_current = before;
  for (uint32_t n = 1; n <= WORKERS; n++) eyoti_workers_delete(pool[n]);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair_has_the_models_bits),
                                     cmocka_unit_test(long_parts_are_combined_in_turns),
                                     cmocka_unit_test(the_programs_operators_stay_with_the_unit)};
  return cmocka_run_group_tests(tests, begin, end);
}
