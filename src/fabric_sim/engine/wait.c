/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - the parts of waits and tests that both engines share. See wait.h. */
#include "fabric_sim/engine/wait.h"

#include <inttypes.h>

#include "base/check.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/timed.h"
#include "fabric_sim/engine/timed_words.h"

static int wait_find(const struct sim_unit *u, fab_req_t req, struct sim_op **op) {
  *op = sim_pool_find(&u->world->pool, req, u->fab.me);
  if (*op == NULL)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%#" PRIx64 " is not a request of this unit, or was completed before", req);
  return EYOT_OK;
}

int sim_wait_req(struct sim_unit *u, fab_req_t req, enum fab_level level) {
  if (req == 0) return EYOT_OK;
  struct sim_op *op;
  EYOTI_TRY(wait_find(u, req, &op));
  return sim_engine_wait_req(u, op, level);
}

int sim_wait_test(struct sim_unit *u, fab_req_t req, enum fab_level level, bool *done) {
  struct sim_op *op = NULL;
  if (req != 0) EYOTI_TRY(wait_find(u, req, &op));
  return sim_engine_test(u, op, level, done);
}

int sim_wait_order(struct sim_unit *u, fab_unit_t unit) {
  if (sim_observed(u->world)) sim_observe_ordered(u, unit);
  return sim_engine_order(u, unit);
}

static int check_word(struct sim_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp,
                      uint64_t **word) {
  struct sim_world *w = u->world;
  if (off % 8 != 0)
    return EYOTI_FAIL(EYOT_EALIGN,
                      "offset %" PRIu64 " of the word to wait for is not a multiple of 8", off);
  if ((uint32_t)cmp > FAB_GE) return EYOTI_FAIL(EYOT_EINVAL, "%d is not a comparison", (int)cmp);
  EYOTI_TRY(sim_seg_check(w, fab_at(u->fab.me, seg, off), 8));
  *word = sim_seg_at(w, u->fab.me, seg, off, 8);
  if (*word == NULL)
    return EYOTI_FAIL(EYOT_ERANGE, "no attached memory of this unit at %#" PRIx64, off);
  return EYOT_OK;
}

/* Calls the engine's wait_words. */
static inline __attribute__((always_inline)) int wait_words(struct sim_unit *u,
                                                            enum sim_state state,
                                                            uint64_t timeout_ns) {
  const struct sim_engine_ops *engine = u->world->engine;
  return __builtin_expect(engine == &sim_timed_engine, 1)
             ? sim_timed_wait_words(u, state, timeout_ns)
             : engine->wait_words(u, state, timeout_ns);
}

int sim_wait_word(struct sim_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                  uint64_t timeout_ns, uint64_t *seen) {
  uint64_t *word;
  EYOTI_TRY(check_word(u, seg, off, cmp, &word));
  u->wait =
      (struct sim_wait){.word = word, .value = value, .off = off, .seg = seg, .cmp = (uint32_t)cmp};
  EYOTI_TRY(wait_words(u, SIM_WAIT_WORD, timeout_ns));
  sim_unit_saw(u, word);
  if (sim_observed(u->world)) sim_observe_saw(u, seg, off);
  if (seen != NULL) *seen = *u->wait.word;
  return EYOT_OK;
}

int sim_wait_any(struct sim_unit *u, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                 uint32_t *index) {
  if (n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "waiting for any of no words would never end; give at least one condition");
  uint64_t *word;
  for (uint32_t i = 0; i < n; i++)
    EYOTI_TRY(check_word(u, conds[i].seg, conds[i].off, conds[i].cmp, &word));
  u->wait_any = (struct sim_wait_any){.conds = conds, .n = n};
  EYOTI_TRY(wait_words(u, SIM_WAIT_ANY, timeout_ns));
  *index = sim_wait_first_holding(u);
  sim_unit_saw(u, sim_wait_any_word(u, *index));
  if (sim_observed(u->world)) sim_observe_saw(u, conds[*index].seg, conds[*index].off);
  return EYOT_OK;
}
