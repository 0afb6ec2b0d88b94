/* SPDX-License-Identifier: BSD-3-Clause */
/* api_unit.h - runs a body on n units of the fake fabric between eyot_init and eyot_finalize, under
 * many schedules. For the unit tests of layers above the fabric. */
#ifndef API_UNIT_H
#define API_UNIT_H

#include <eyot/eyot.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake.h"
#include "support/draw.h"

typedef void (*api_body)(uint32_t me, uint32_t n);

struct api_case {
  api_body body;
};

static inline void api_main(struct fab *f, void *arg) {
  const struct api_case *c = arg;
  (void)f;
  assert_int_equal(eyot_init(NULL, NULL), EYOT_OK);
  c->body(eyot_me().id, eyot_size());
  assert_int_equal(eyot_finalize(), EYOT_OK);
}

static inline void api_run(const struct fake_opts *o, api_body body) {
  struct api_case c = {body};
  int end = fake_run(o, api_main, &c);
  if (end != FAKE_DONE)
    print_error("n %u seed %llu mode %d mapped %d: %s\n", o->n, (unsigned long long)o->seed,
                (int)o->mode, o->mapped, fake_message());
  assert_int_equal(end, FAKE_DONE);
}

/* ./dev test runs a third of many seeds; with UNIT_FULL=1, as ./dev campaigns does, all are run. */
static inline uint32_t api_sample(uint32_t seeds) {
  return seeds < 4 || getenv("UNIT_FULL") != NULL ? seeds : (seeds + 2) / 3;
}

/* Every mode, a sample of `seeds` seeds each, with and without mapped memory. */
static inline void api_sweep(uint32_t n, uint32_t seeds, api_body body) {
  seeds = api_sample(seeds);
  static const enum fake_mode MODES[] = {FAKE_EAGER, FAKE_DELAY, FAKE_REORDER};
  for (size_t m = 0; m < 3; m++) {
    for (uint32_t seed = 1; seed <= (MODES[m] == FAKE_EAGER ? 1 : seeds); seed++) {
      for (int mapped = 0; mapped < 2; mapped++)
        api_run(&(struct fake_opts){.n = n,
                                    .seed = seed * 7919 + n,
                                    .mode = MODES[m],
                                    .units_per_node = 2,
                                    .mapped = mapped != 0},
                body);
    }
  }
}

static inline eyot_unit_t unit(uint32_t id) {
  return (eyot_unit_t){id};
}

/* A zeroed part of `bytes` on every unit. */
static inline eyot_gptr_t api_alloc(uint64_t bytes) {
  eyot_gptr_t g;
  assert_int_equal(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &g), EYOT_OK);
  return g;
}

static inline void api_free(eyot_gptr_t g) {
  assert_int_equal(eyot_barrier(EYOT_TEAM_ALL), EYOT_OK);
  assert_int_equal(eyot_team_free(g), EYOT_OK);
}

/* The caller's own bytes at g. */
static inline void *api_own(eyot_gptr_t g) {
  void *p = NULL;
  assert_int_equal(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p), EYOT_OK);
  return p;
}

/* Misuse is logged as errors; tests that provoke it stay silent unless EYOT_LOG is set. */
static inline void api_environment(void) {
  setenv("EYOT_LOG", "silent", 0);
  setenv("EYOT_HEAP_SIZE", "2M", 1);
  setenv("EYOT_HEAP_MAX", "2M", 1); /* small enough to be filled */
}

#define ok(call) assert_int_equal((call), EYOT_OK)
#define refuses(code, call) assert_int_equal((call), (code))
#endif
