/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - the parts of waits and tests that both engines share. See wait.h. */
#include "fabric_sim/engine/wait.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/timed.h"
#include "fabric_sim/engine/timed_words.h"

#define WATCHED_ON_STACK 8u

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
  if (level != FAB_RELEASE) return sim_engine_wait_req(u, op, level);
  int rc = sim_engine_wait_req(u, op, FAB_LOCAL);
  if (rc != EYOT_OK) op->err = 0; /* returned here, not by a flush */
  sim_reap_release(u, op);
  return rc;
}

int sim_wait_test(struct sim_unit *u, fab_req_t req, enum fab_level level, bool *done) {
  struct sim_op *op = NULL;
  if (req != 0) EYOTI_TRY(wait_find(u, req, &op));
  return sim_engine_test(u, op, level, done);
}

int sim_wait_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  if (sim_observed(u->world)) sim_observe_ordered(u, set, unit);
  return sim_engine_order(u, set, unit);
}

static int check_word(struct sim_unit *u, const struct fab_cond *c, const void **word) {
  struct sim_world *w = u->world;
  if ((uint32_t)c->type > FAB_I32)
    return EYOTI_FAIL(EYOT_EINVAL, "%d is not a type of word", (int)c->type);
  uint32_t bytes = fab_word_bytes(c->type);
  /* the key of attached memory has the alignment of its address */
  if (c->off % bytes != 0)
    return EYOTI_FAIL(EYOT_EALIGN,
                      "offset %" PRIu64 " of the word to wait for is not a multiple of %u", c->off,
                      bytes);
  if ((uint32_t)c->cmp > FAB_GE)
    return EYOTI_FAIL(EYOT_EINVAL, "%d is not a comparison", (int)c->cmp);
  EYOTI_TRY(sim_seg_check(w, fab_at(u->fab.me, c->seg, c->off), bytes));
  *word = sim_seg_at(w, u->fab.me, c->seg, c->off, bytes);
  if (*word == NULL)
    return EYOTI_FAIL(EYOT_ERANGE, "no attached memory of this unit at %#" PRIx64, c->off);
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

int sim_wait_word(struct sim_unit *u, const struct fab_cond *cond, uint64_t timeout_ns,
                  uint64_t *seen) {
  const void *word;
  EYOTI_TRY(check_word(u, cond, &word));
  u->wait = (struct sim_wait){.word = word,
                              .value = fab_word_value(cond->type, cond->value),
                              .off = cond->off,
                              .seg = cond->seg,
                              .cmp = (uint8_t)cond->cmp,
                              .type = (uint8_t)cond->type};
  EYOTI_TRY(wait_words(u, SIM_WAIT_WORD, timeout_ns));
  sim_unit_saw(u, word);
  if (sim_observed(u->world)) sim_observe_saw(u, cond->seg, cond->off, fab_word_bytes(cond->type));
  if (seen != NULL) *seen = sim_wait_value(u);
  u->wait.word = NULL; /* the main loop fetches what this names */
  return EYOT_OK;
}

/* Enters the words, in the order of the conditions. */
static int watch_words(struct sim_unit *u, const struct fab_cond *conds, uint32_t n,
                       struct sim_watched *watched) {
  for (uint32_t i = 0; i < n; i++) {
    const void *word;
    EYOTI_TRY(check_word(u, &conds[i], &word));
    watched[i] = (struct sim_watched){.at = word, .i = i, .bytes = fab_word_bytes(conds[i].type)};
  }
  return EYOT_OK;
}

/* Stores which conditions hold, at most *held. */
static void collect(struct sim_unit *u, uint32_t *index, uint32_t *held) {
  const struct sim_wait_any *a = &u->wait_any;
  uint32_t n = 0;
  for (uint32_t i = sim_wait_first_holding(u, 0); i < a->n && n < *held;
       i = sim_wait_first_holding(u, i + 1)) {
    const struct fab_cond *c = &a->conds[i];
    index[n++] = i;
    sim_unit_saw(u, sim_wait_any_word(u, i));
    if (sim_observed(u->world)) sim_observe_saw(u, c->seg, c->off, fab_word_bytes(c->type));
  }
  *held = n;
}

int sim_wait_any(struct sim_unit *u, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                 uint32_t *index, uint32_t *held) {
  struct sim_watched few[WATCHED_ON_STACK], *watched = few;
  uint32_t one = 1;
  if (n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "waiting for any of no words would never end; give at least one condition");
  if (n > WATCHED_ON_STACK && (watched = malloc(n * sizeof *watched)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to wait for %u words", n);
  int rc = watch_words(u, conds, n, watched);
  if (rc == EYOT_OK) {
    u->wait_any = (struct sim_wait_any){.conds = conds, .watched = watched, .n = n};
    rc = wait_words(u, SIM_WAIT_ANY, timeout_ns);
  }
  if (rc == EYOT_OK) collect(u, index, held != NULL ? held : &one);
  if (watched != few) free(watched);
  u->wait.word = NULL; /* in the place of the conditions; as above */
  return rc;
}
