/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_ends.c - counters of the simulator near their ends (docs/limits.md): generations of
 * requests, the record of a unit's words, the counts of a report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/check.h"
#include "fabric_sim/engine/bound.h"
#include "fabric_sim/engine/world.h"

/* A slot is used around 2^31 and 2^32 times: its requests differ, none is 0 or has the highest bit,
 * and of all only the present one is found. */
static void requests_of_a_slot_recur_after_2_31_uses(void **state) {
  (void)state;
  static const uint32_t STARTS[] = {INT32_MAX - 3u, UINT32_MAX - 3u};
  for (uint32_t s = 0; s < 2; s++) {
    struct sim_pool p;
    fab_req_t req[8], first;
    sim_pool_init(&p);
    struct sim_op *op = sim_pool_get(&p);
    assert_non_null(op);
    op->flags = SIM_F_REQ;
    op->origin = 0;
    op->gen = STARTS[s] + 1;
    first = sim_op_req(op);
    sim_pool_put(&p, op);
    op->gen = STARTS[s];
    for (uint32_t i = 0; i < 8; i++) {
      assert_ptr_equal(sim_pool_get(&p), op);
      op->flags = SIM_F_REQ;
      req[i] = sim_op_req(op);
      assert_true(req[i] != 0 && req[i] >> 63 == 0);
      for (uint32_t k = 0; k < i; k++) {
        assert_true(req[k] != req[i]);
        assert_null(sim_pool_find(&p, req[k], 0));
      }
      assert_ptr_equal(sim_pool_find(&p, req[i], 0), op);
      sim_pool_put(&p, op);
      assert_null(sim_pool_find(&p, req[i], 0));
    }
    op->gen = STARTS[s] + (UINT32_C(1) << 31);
    assert_ptr_equal(sim_pool_get(&p), op);
    assert_true(sim_op_req(op) == first);
    sim_pool_put(&p, op);
    sim_pool_fini(&p);
  }
}

static void too_many_requests_are_busy(void **state) {
  (void)state;
  struct sim_pool p;
  sim_pool_init(&p);
  p.n_chunks = SIM_OP_CHUNKS_MAX;
  assert_null(sim_pool_get(&p));
  p.n_chunks = 0;
  sim_pool_fini(&p);
  assert_int_equal(SIM_OP_CHUNKS_MAX * SIM_OP_CHUNK, 134217728);
}

/* The last writes are found where they were noted, also while the number of writes wraps. */
static void record_of_words_wraps(void **state) {
  (void)state;
  struct sim_write ring[SIM_WRITES_FEW] = {{0}};
  struct sim_unit *u = calloc(1, sizeof *u);
  uint64_t words[16] = {0};
  assert_non_null(u);
  u->state = SIM_RUNNING;
  u->words = (struct sim_words){.ring = ring, .n = UINT32_MAX - 6, .mask = SIM_WRITES_FEW - 1};
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t found = 0;
    words[i] = i + 100;
    sim_unit_wrote(u, &words[i], 8, i);
    sim_unit_saw(u, &words[i]);
    for (uint32_t k = 0; k < SIM_WRITES_FEW; k++) {
      bool last = ring[k].value == i + 100;
      assert_true(!last || ring[k].by == ((i + 1) | SIM_WRITE_BOTH | SIM_WRITE_SEEN));
      found += ring[k].value + SIM_WRITES_FEW > i + 100;
    }
    assert_int_equal(found, SIM_WRITES_FEW < i + 1 ? SIM_WRITES_FEW : i + 1);
  }
  free(u);
}

/* The report of a livelock after 2^32 calls, as a poller makes them in a quarter of an hour. */
static void calls_of_a_report_pass_2_32(void **state) {
  (void)state;
  struct sim_tally tally = {0};
  struct sim_world *w = calloc(1, sizeof *w);
  struct sim_unit *u = calloc(1, sizeof *u);
  const struct fab_addr often = fab_at(1, 0, 64), seldom = fab_at(1, 0, 128);
  assert_true(w != NULL && u != NULL);
  u->world = w;
  w->bound.tally = &tally;
  sim_bound_place(u, often);
  sim_bound_place(u, seldom);
  tally.spot[0].count = tally.calls[SIM_CALL_GET] = UINT32_MAX;
  sim_bound_place(u, often);
  sim_bound_call(u, SIM_CALL_GET);
  assert_true(sim_bound_calls(&tally) == (UINT64_C(1) << 32));
  const struct sim_spot *most = sim_bound_spot(&tally);
  assert_non_null(most);
  assert_int_equal(most->off, 64);
  assert_true(most->count == (UINT64_C(1) << 32));
  free(u);
  free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_of_a_slot_recur_after_2_31_uses),
      cmocka_unit_test(too_many_requests_are_busy),
      cmocka_unit_test(record_of_words_wraps),
      cmocka_unit_test(calls_of_a_report_pass_2_32),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
