/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_set.c - operation sets of the public API: as many as there may be, their handles after
 * destroy and at other units, and which call returns the error of an operation that failed. */
#include <eyot/set.h>

#include "gmem/gmem.h"
#include "rt/rt.h"
#include "unit/api_unit.h"

#define ROUNDS 3u

static eyot_gptr_t word(eyot_gptr_t at, uint32_t to, uint32_t i) {
  return eyot_gptr_at(eyot_gptr_add(at, (int64_t)i * 8), unit(to));
}

/* -- many sets --------------------------------------------------------------------------------- */

static void all_sets(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(EYOT_SET_MAX * 8);
  eyot_set_t *set = malloc(EYOT_SET_MAX * sizeof *set), one, gone;
  uint64_t *value = malloc(EYOT_SET_MAX * sizeof *value), got;
  uint32_t to = (me + 1) % n;
  assert_true(set != NULL && value != NULL);
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++) ok(eyot_set_create(&set[i]));
  one = EYOT_SET_NULL;
  refuses(EYOT_EBUSY, eyot_set_create(&one));
  assert_true(one.id == EYOT_SET_NULL.id);
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++) {
    value[i] = me * 10000 + i;
    ok(eyot_set_put(set[i], word(base, to, i), &value[i], 8));
  }
  for (uint32_t k = 0; k < EYOT_SET_MAX; k++) {
    uint32_t i = k * 1237 % EYOT_SET_MAX; /* an odd factor: each once */
    ok(eyot_set_flush(set[i], unit(to), EYOT_REMOTE));
    if (k % 64 == 0) ok(eyot_get(&got, word(base, to, i), 8));
    assert_true(k % 64 != 0 || got == value[i]);
  }
  /* each is given out again once, and not as what it was */
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint32_t i = (round * 999 + me) % EYOT_SET_MAX;
    gone = set[i];
    ok(eyot_set_destroy(&set[i]));
    assert_true(set[i].id == EYOT_SET_NULL.id);
    refuses(EYOT_EINVAL, eyot_set_put(gone, word(base, to, 0), value, 8));
    ok(eyot_set_create(&set[i]));
    assert_true(set[i].id != gone.id);
    refuses(EYOT_EINVAL, eyot_set_flush_all(gone, EYOT_REMOTE));
    refuses(EYOT_EINVAL, eyot_set_destroy(&gone));
    refuses(EYOT_EBUSY, eyot_set_create(&one));
  }
  for (uint32_t i = 0; i < EYOT_SET_MAX; i += 2) ok(eyot_set_destroy(&set[i]));
  for (uint32_t i = 0; i < EYOT_SET_MAX; i += 2) ok(eyot_set_create(&set[i]));
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++)
    for (uint32_t k = i < 8 ? i + 1 : EYOT_SET_MAX; k < EYOT_SET_MAX; k++)
      assert_true(set[i].id != set[k].id);
  refuses(EYOT_EBUSY, eyot_set_create(&one));
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++) ok(eyot_set_destroy(&set[i]));
  (void)eyot_errors_clear();
  free(set);
  free(value);
  api_free(base);
}

static void all_sets_of_a_unit_are_usable_and_given_out_again(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 3, .mode = FAKE_REORDER, .units_per_node = 1},
          all_sets);
}

/* -- handles ----------------------------------------------------------------------------------- */

static void foreign(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_set_t set, theirs;
  uint64_t v = 1;
  ok(eyot_set_create(&set));
  ok(eyot_put(word(base, (me + 1) % n, 0), &set.id, 8));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_get(&theirs.id, word(base, me, 0), 8));
  refuses(EYOT_EINVAL, eyot_set_put(theirs, word(base, me, 1), &v, 8));
  refuses(EYOT_EINVAL, eyot_set_flush_all(theirs, EYOT_REMOTE));
  refuses(EYOT_EINVAL, eyot_set_order(theirs, unit(me)));
  refuses(EYOT_EINVAL, eyot_set_destroy(&theirs));
  assert_true(theirs.id != EYOT_SET_NULL.id);
  ok(eyot_get(&v, word(base, me, 1), 8));
  assert_int_equal(v, 0);
  (void)eyot_errors_clear();
  ok(eyot_set_destroy(&set));
  api_free(base);
}

static void handles_of_other_units_are_refused(void **state) {
  (void)state;
  api_sweep(3, 2, foreign);
}

/* -- errors ------------------------------------------------------------------------------------ */

/* An address of unit `of` in memory that is gone when an operation arrives there: the fabric has
 * detached it, while the unit still offers it as registered memory. */
static eyot_gptr_t gone_at(eyot_gptr_t base, uint32_t me, uint32_t of) {
  static uint64_t mem[64];
  eyot_gptr_t own = EYOT_GPTR_NULL, there;
  struct fab_addr at;
  ok(eyot_register(mem, sizeof mem, &own));
  ok(eyoti_gmem_resolve(eyot_current, own, 8, &at));
  ok(eyot_current->fab->ops->detach(eyot_current->fab, at.off));
  ok(eyot_put(word(base, me, 2), &own, sizeof own));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_get(&there, word(base, of, 2), sizeof there));
  return there;
}

static void errors(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(4096);
  uint32_t to = (me + 1) % n;
  eyot_gptr_t gone = gone_at(base, me, to);
  eyot_set_t a, b;
  uint64_t v[16] = {1, 2, 3}, old = 77;
  ok(eyot_set_create(&a));
  ok(eyot_set_create(&b));
  /* each at its own flush; a local one returns those of results */
  ok(eyot_set_put(a, gone, v, 8));
  ok(eyot_set_put(b, word(base, to, 8), v, 8));
  ok(eyot_set_flush_all(b, EYOT_REMOTE));
  ok(eyot_set_flush_all(EYOT_SET_DEFAULT, EYOT_REMOTE));
  ok(eyot_set_flush(a, unit(to), EYOT_LOCAL));
  assert_true(eyot_set_flush(a, unit(to), EYOT_REMOTE) < 0);
  ok(eyot_set_flush(a, unit(to), EYOT_REMOTE));
  ok(eyot_set_fetch_op(b, gone, EYOT_UINT64, EYOT_SUM, v, &old));
  ok(eyot_set_flush_all(a, EYOT_LOCAL));
  assert_true(eyot_set_flush_all(b, EYOT_LOCAL) < 0);
  assert_int_equal(old, 77);
  /* a blocking call that fails leaves them */
  ok(eyot_set_get(a, &old, gone, 8));
  assert_true(eyot_put(gone, v, 8) < 0);
  ok(eyot_set_flush_all(b, EYOT_REMOTE));
  assert_true(eyot_set_flush_all(a, EYOT_LOCAL) < 0);
  /* all at the flush of all; destroy returns what is left */
  ok(eyot_set_put(a, gone, v, 8));
  ok(eyot_set_put(b, gone, v, 8));
  assert_true(eyot_flush(unit(to), EYOT_REMOTE) < 0);
  ok(eyot_set_flush_all(a, EYOT_REMOTE));
  ok(eyot_set_put(b, gone, v, 8));
  ok(eyot_set_destroy(&a));
  assert_true(eyot_set_destroy(&b) < 0);
  assert_true(b.id == EYOT_SET_NULL.id);
  ok(eyot_flush_all(EYOT_REMOTE));
  (void)eyot_errors_clear();
  api_free(base);
}

static void errors_are_of_the_set_of_their_operation(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++)
    api_run(&(struct fake_opts){.n = 2, .seed = seed, .mode = FAKE_REORDER, .units_per_node = 2},
            errors);
}

/* Small blocks without gaps at the target: one put from a buffer of the library, which a later call
 * of another set uses again. */
static void packed(uint32_t me, uint32_t n) {
  static const eyot_strided_t shape = {8, 8, 16, 8};
  eyot_gptr_t base = api_alloc(4096);
  uint32_t to = (me + 1) % n;
  eyot_gptr_t gone = gone_at(base, me, to), there = word(base, to, 16);
  eyot_set_t a, b;
  uint64_t v[16] = {1, 2, 3};
  ok(eyot_set_create(&a));
  ok(eyot_set_create(&b));
  assert_true(eyot_put_strided(gone, v, &shape) < 0);
  for (uint32_t i = 0; i < 3; i++) ok(eyot_put_strided(there, v, &shape));
  ok(eyot_set_put_strided(a, gone, v, &shape));
  for (uint32_t i = 0; i < 3; i++) ok(eyot_set_put_strided_local(b, there, v, &shape));
  ok(eyot_set_flush_all(b, EYOT_REMOTE));
  ok(eyot_put_strided(there, v, &shape));
  assert_true(eyot_set_flush(a, unit(to), EYOT_REMOTE) < 0);
  ok(eyot_set_put_strided(a, gone, v, &shape));
  assert_true(eyot_set_flush_all(a, EYOT_REMOTE) < 0); /* while its buffer is in no other use */
  ok(eyot_put_strided_nbi(gone, v, &shape));
  ok(eyot_set_flush_all(b, EYOT_REMOTE));
  assert_true(eyot_flush_all(EYOT_REMOTE) < 0);
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_set_destroy(&a));
  ok(eyot_set_destroy(&b));
  (void)eyot_errors_clear();
  api_free(base);
}

static void errors_of_packed_puts_are_of_their_set(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++)
    api_run(&(struct fake_opts){.n = 2, .seed = seed, .mode = FAKE_REORDER, .units_per_node = 1},
            packed);
}

/* eyot_finalize flushes all sets: it returns what no flush has. */
static void main_last(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id;
  eyot_gptr_t base = api_alloc(64), gone = gone_at(base, me, 1 - me);
  static uint64_t v = 1;
  eyot_set_t set;
  ok(eyot_set_create(&set)); /* and is reported: see sim.sets.left */
  if (me == 0) ok(eyot_set_put(set, gone, &v, 8));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  (void)eyot_errors_clear();
  int rc = eyot_finalize();
  assert_true(me == 0 ? rc < 0 : rc == EYOT_OK);
}

static void finalize_returns_the_error_of_a_set(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++)
    assert_int_equal(
        fake_run(&(struct fake_opts){.n = 2, .seed = seed, .mode = FAKE_REORDER}, main_last, NULL),
        FAKE_DONE);
}

/* -- without memory ---------------------------------------------------------------------------- */

#define SOME 70u

static void main_no_memory(struct fab *f, void *arg) {
  uint32_t *refused = arg, n = 0;
  (void)f;
  if (eyot_init(NULL, NULL) != EYOT_OK) return;
  eyot_set_t set[SOME];
  for (uint32_t i = 0; i < SOME; i++) {
    int rc = eyot_set_create(&set[n]);
    assert_true(rc == EYOT_OK || rc == EYOT_ENOMEM);
    *refused += rc != EYOT_OK;
    n += rc == EYOT_OK;
  }
  for (uint32_t i = 0; i < n; i++) ok(eyot_set_destroy(&set[i]));
  (void)eyot_errors_clear();
  (void)eyot_finalize();
}

/* Each allocation fails in turn: a create without memory leaves the sets that there are. */
static void create_without_memory_changes_nothing(void **state) {
  uint32_t refused = 0;
  (void)state;
  assert_int_equal(fake_run(&(struct fake_opts){.n = 1}, main_no_memory, &refused), FAKE_DONE);
  assert_int_equal(refused, 0);
  uint64_t allocs = fake_allocs();
  for (uint64_t i = 1; i <= allocs; i++)
    (void)fake_run(&(struct fake_opts){.n = 1, .fail_alloc = i, .quiet = true}, main_no_memory,
                   &refused);
  assert_true(refused >= 3); /* the table grows from 8 to 128 */
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_sets_of_a_unit_are_usable_and_given_out_again),
      cmocka_unit_test(handles_of_other_units_are_refused),
      cmocka_unit_test(errors_are_of_the_set_of_their_operation),
      cmocka_unit_test(errors_of_packed_puts_are_of_their_set),
      cmocka_unit_test(finalize_returns_the_error_of_a_set),
      cmocka_unit_test(create_without_memory_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
