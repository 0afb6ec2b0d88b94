/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_words.c - checks and wakes a unit that waits for any of several words. See wait.h.
 *
 * A unit may wait for thousands of words while thousands of deliveries come that end no wait: the
 * words are sorted by address once, at the first delivery, and each delivery finds those that it
 * has changed by bisection. */
#include <stdlib.h>

#include "fabric_sim/engine/wait.h"

#define WORD_MAX 8u /* bytes of a word, to which they are aligned at most */

/* Until the words are sorted, entry i is that of condition i. */
const void *sim_wait_any_word(const struct sim_unit *u, uint32_t i) {
  const struct sim_wait_any *a = &u->wait_any;
  const struct fab_cond *c = &a->conds[i];
  if (!a->sorted) return a->watched[i].at;
  return sim_seg_at(u->world, u->fab.me, c->seg, c->off, fab_word_bytes(c->type));
}

uint64_t sim_wait_any_value(const struct sim_unit *u, uint32_t i) {
  return fab_word_load(u->wait_any.conds[i].type, sim_wait_any_word(u, i));
}

static int by_address(const void *x, const void *y) {
  const struct sim_watched *a = x, *b = y;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return (a->i > b->i) - (a->i < b->i);
}

static void sort(struct sim_wait_any *a) {
  uint32_t k = 1;
  while (k < a->n && by_address(&a->watched[k - 1], &a->watched[k]) < 0) k++;
  if (k < a->n) qsort(a->watched, a->n, sizeof *a->watched, by_address);
  a->sorted = true;
}

/* The first word that may have a byte in [p, p+len). */
static uint32_t first_at(struct sim_wait_any *a, const char *p) {
  uint32_t lo = 0, hi = a->n;
  if (!a->sorted) sort(a);
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (a->watched[mid].at + WORD_MAX <= p)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

bool sim_wait_any_overlaps(struct sim_unit *u, const void *p, uint64_t len) {
  struct sim_wait_any *a = &u->wait_any;
  for (uint32_t k = first_at(a, p); k < a->n && a->watched[k].at < (const char *)p + len; k++)
    if (sim_wait_overlaps(a->watched[k].at, a->watched[k].bytes, p, len)) return true;
  return false;
}

void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len) {
  struct sim_wait_any *a = &u->wait_any;
  for (uint32_t k = first_at(a, p); k < a->n && a->watched[k].at < (const char *)p + len; k++) {
    const struct sim_watched *x = &a->watched[k];
    const struct fab_cond *c = &a->conds[x->i];
    if (!sim_wait_overlaps(x->at, x->bytes, p, len)) continue;
    uint64_t value = fab_word_load(c->type, x->at);
    if (!fab_cond_holds(c, value)) continue;
    sim_unit_held(u, value);
    sim_unit_ready(u);
    return; /* the conditions are on its stack, which may have changed since */
  }
}

uint32_t sim_wait_first_holding(const struct sim_unit *u, uint32_t from) {
  const struct sim_wait_any *a = &u->wait_any;
  uint32_t i = from;
  while (i < a->n && !fab_cond_holds(&a->conds[i], sim_wait_any_value(u, i))) i++;
  return i;
}
