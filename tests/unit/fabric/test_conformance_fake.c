/* SPDX-License-Identifier: BSD-3-Clause */
/* test_conformance_fake.c - runs the conformance suite on the fake fabric: every mode, several
 * seeds, sizes and placements, with and without mapped memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conformance/conformance.h"
#include "fake/fake.h"

struct run {
  struct conf_opts o;
  uint32_t failures;
};

static void unit(struct fab *f, void *arg) {
  struct run *r = arg;
  if (conf_run(f, &r->o) != 0) r->failures++;
}

static void suite(const struct fake_opts *o, enum conf_weak weak, uint32_t rounds) {
  struct run r = {.o = {.rounds = rounds, .weak = weak, .seed = o->seed, .in_thread = fake_thread}};
  int end = fake_run(o, unit, &r);
  if (end != FAKE_DONE || r.failures != 0)
    print_error("n %u, mode %d, seed %llu, %u a node, mapped %d: end %d, %u failures; %s\n", o->n,
                (int)o->mode, (unsigned long long)o->seed, o->units_per_node, o->mapped, end,
                r.failures, fake_message());
  assert_int_equal(end, FAKE_DONE);
  assert_int_equal(r.failures, 0);
}

static void fake_conforms_when_operations_are_done_at_once(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 8; n++)
    suite(&(struct fake_opts){.n = n, .seed = n, .mode = FAKE_EAGER, .units_per_node = 2},
          CONF_WEAK_PRINT, 20);
}

static void fake_conforms_when_operations_are_delayed(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++)
    suite(
        &(struct fake_opts){
            .n = n, .seed = n, .mode = FAKE_DELAY, .units_per_node = n == 4 ? 4 : 2},
        CONF_WEAK_PRINT, 20);
}

static void fake_conforms_and_shows_weakness_when_reordering(void **state) {
  static const uint32_t UNITS[] = {1, 2, 3, 4, 8}, PER_NODE[] = {1, 2, 4};
  (void)state;
  for (uint32_t u = 0; u < sizeof UNITS / sizeof *UNITS; u++)
    for (uint32_t p = 0; p < sizeof PER_NODE / sizeof *PER_NODE; p++)
      suite(&(struct fake_opts){.n = UNITS[u],
                                .seed = 10 * u + p,
                                .mode = FAKE_REORDER,
                                .units_per_node = PER_NODE[p]},
            CONF_WEAK_REQUIRE, 24);
}

static void fake_conforms_with_mapped_memory(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 3; seed++)
    suite(
        &(struct fake_opts){
            .n = 4, .seed = seed, .mode = FAKE_REORDER, .units_per_node = 2, .mapped = true},
        CONF_WEAK_PRINT, 20);
}

static void fake_conforms_with_few_outstanding_operations(void **state) {
  (void)state;
  suite(
      &(struct fake_opts){
          .n = 3, .seed = 5, .mode = FAKE_REORDER, .units_per_node = 2, .max_outstanding = 1},
      CONF_WEAK_PRINT, 10);
  suite(
      &(struct fake_opts){
          .n = 3, .seed = 6, .mode = FAKE_REORDER, .units_per_node = 1, .max_outstanding = 3},
      CONF_WEAK_PRINT, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fake_conforms_when_operations_are_done_at_once),
      cmocka_unit_test(fake_conforms_when_operations_are_delayed),
      cmocka_unit_test(fake_conforms_and_shows_weakness_when_reordering),
      cmocka_unit_test(fake_conforms_with_mapped_memory),
      cmocka_unit_test(fake_conforms_with_few_outstanding_operations),
  };
  setenv("EYOT_LOG", "silent", 1); /* the suite makes thousands of deliberate errors */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
