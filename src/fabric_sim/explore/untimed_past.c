/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_past.c - tells an exhaustive search what a wait for words depends on. See
 * untimed_past.h, and duty 7 of check/strategy/exhaustive.c. */
#include "fabric_sim/explore/untimed_past.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "check/strategy/past.h"
#include "fabric_sim/engine/wait.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"

bool sim_past_counts(const struct sim_world *w) {
  return w->untimed->fine && w->faults == NULL && !sim_untimed_is_tso(w);
}

void sim_past_keep(struct sim_world *w, const void *p, uint64_t len) {
  struct sim_untimed_run *r = w->untimed->run;
  if (!w->untimed->record || len == 0) return;
  uintptr_t first = (uintptr_t)p / 8 * 8, last = ((uintptr_t)p + len - 1) / 8 * 8;
  for (uintptr_t at = first; at <= last; at += 8) {
    r->past = sim_untimed_reserve(r->past, r->n_past, &r->past_cap, sizeof *r->past);
    struct sim_past *past = &r->past[r->n_past++];
    past->at = at;
    memcpy(&past->value, (const void *)at, sizeof past->value);
  }
}

static bool past_holds(const struct sim_past *past, const void *word, const struct fab_cond *cond) {
  _Alignas(8) char bytes[8];
  memcpy(bytes, &past->value, sizeof bytes);
  return fab_cond_holds(cond, fab_word_load(cond->type, bytes + (uintptr_t)word % 8));
}

static struct chk_past past_of(const struct sim_world *w, const void *word,
                               const struct fab_cond *cond) {
  const struct sim_untimed_run *r = w->untimed->run;
  struct chk_past of = {.since = false};
  for (uint32_t i = 0; i < r->n_past; i++)
    if (r->past[i].at == (uintptr_t)word / 8 * 8)
      chk_past_before_write(&of, past_holds(&r->past[i], word, cond));
  chk_past_now(&of, fab_cond_holds(cond, fab_word_load(cond->type, word)));
  return of;
}

/* The i-th condition that the unit waits for. */
static struct fab_cond cond_of(const struct sim_unit *u, enum sim_state state, uint32_t i) {
  return state == SIM_WAIT_WORD ? sim_wait_cond(u) : u->wait_any.conds[i];
}
static uint32_t conds_of(const struct sim_unit *u, enum sim_state state) {
  return state == SIM_WAIT_WORD ? 1 : u->wait_any.n;
}
static const void *word_of(const struct sim_unit *u, enum sim_state state, uint32_t i) {
  return state == SIM_WAIT_WORD ? u->wait.word : sim_wait_any_word(u, i);
}

bool sim_past_is_plain(const struct sim_unit *u, enum sim_state state) {
  if (!sim_past_counts(u->world) || sim_untimed_unit_of(u)->timed) return false;
  for (uint32_t i = 0; i < conds_of(u, state); i++)
    if (!cond_of(u, state, i).signaled) return false;
  return true;
}

static void touch_word(struct sim_unit *u, const void *word, const struct fab_cond *cond,
                       bool needs) {
  if (needs)
    sim_untimed_touch_needs(u->world, (uintptr_t)word / 8);
  else
    sim_untimed_touch(u->world, word, fab_word_bytes(cond->type), false);
}

/* Fails the run if one of the conditions has held and then did not: the search is no proof. */
static void check_stays(struct sim_unit *u, enum sim_state state) {
  for (uint32_t i = 0; i < conds_of(u, state); i++) {
    const struct fab_cond cond = cond_of(u, state, i);
    if (past_of(u->world, word_of(u, state, i), &cond).ended)
      sim_untimed_failed(u->world,
                         "unit %u: the word at offset %" PRIu64
                         " that a call of the library waits for has ended the wait and then does "
                         "not: a defect of eyot, or the program writes to the library's memory",
                         u->fab.me, cond.off);
  }
}

void sim_past_stuck(struct sim_unit *u) {
  const struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  if (cu->go != SIM_GO_WORD && cu->go != SIM_GO_ANY) return;
  enum sim_state state = cu->go == SIM_GO_WORD ? SIM_WAIT_WORD : SIM_WAIT_ANY;
  if (sim_past_is_plain(u, state)) check_stays(u, state);
}

void sim_past_arrives(struct sim_unit *u, enum sim_state state) {
  if (!u->world->untimed->record) return;
  if (sim_past_is_plain(u, state)) {
    check_stays(u, state);
    return;
  }
  for (uint32_t i = 0; i < conds_of(u, state); i++) {
    const struct fab_cond cond = cond_of(u, state, i);
    touch_word(u, word_of(u, state, i), &cond, false);
  }
}

void sim_past_leaves(struct sim_unit *u, enum sim_state state) {
  if (!u->world->untimed->record) return;
  uint32_t n = conds_of(u, state), could = 0;
  bool plain = sim_past_is_plain(u, state);
  if (plain) check_stays(u, state);
  for (uint32_t i = 0; i < n && plain; i++) {
    const struct fab_cond cond = cond_of(u, state, i);
    could += past_of(u->world, word_of(u, state, i), &cond).ever;
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct fab_cond cond = cond_of(u, state, i);
    const struct chk_past of = past_of(u->world, word_of(u, state, i), &cond);
    touch_word(u, word_of(u, state, i), &cond, plain && chk_past_needs(&of, could));
  }
}
