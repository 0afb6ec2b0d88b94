/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_words.c - checks and wakes a unit that waits for any of several words. See wait.h. */
#include "fabric_sim/engine/wait.h"

const uint64_t *sim_wait_any_word(const struct sim_unit *u, uint32_t i) {
  const struct fab_cond *c = &u->wait_any.conds[i];
  return sim_seg_at(u->world, u->fab.me, c->seg, c->off, 8);
}

void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len) {
  for (uint32_t i = 0; i < u->wait_any.n; i++) {
    const struct fab_cond *c = &u->wait_any.conds[i];
    const uint64_t *word = sim_wait_any_word(u, i);
    if ((uint64_t)((const char *)word - (const char *)p) >= len ||
        !fab_cmp_holds(c->cmp, *word, c->value))
      continue;
    sim_unit_held(u, *word);
    sim_unit_ready(u);
    return; /* the conditions are on its stack, which may have changed since */
  }
}

uint32_t sim_wait_first_holding(const struct sim_unit *u) {
  const struct sim_wait_any *a = &u->wait_any;
  uint32_t i = 0;
  while (i < a->n &&
         !fab_cmp_holds(a->conds[i].cmp, *(volatile const uint64_t *)sim_wait_any_word(u, i),
                        a->conds[i].value))
    i++;
  return i;
}
