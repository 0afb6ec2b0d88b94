/* SPDX-License-Identifier: BSD-3-Clause */
/* said_shared.c - the table of mistakes that the processes of a supervised run share (base/run.h).
 *
 * A process takes an entry by setting its key, and the right to print a text by setting its hash;
 * nothing is locked, so that a process that is killed on the way keeps no other one waiting. At
 * worst its own message is lost, and the supervisor names the process then. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/run.h"
#include "rt/said.h"

static uint64_t text_or_none(uint64_t h, const char *text) {
  return eyoti_hash_text(h + 1, text != NULL ? text : "");
}

/* Equal in all processes, which have their code at different addresses; never 0. */
static uint64_t key_of(const struct eyoti_saying *m) {
  uint64_t h = eyoti_hash_text(0, m->level);
  h = eyoti_hash_text(h, m->fmt);
  h = text_or_none(h, m->what);
  h = text_or_none(h, m->place.file);
  return eyoti_hash_mix(h, m->place.off) | 1;
}

/* Whether *word is `value` now; if it was 0, the caller has set it, and *set says so. */
static bool claim(uint64_t *word, uint64_t value, bool *set) {
  uint64_t is = 0;
  *set = __atomic_compare_exchange_n(word, &is, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return *set || is == value;
}

static struct eyoti_run_saying *entry_of(struct eyoti_run_saying *table, uint64_t key, bool *made) {
  for (uint32_t i = 0; i < EYOTI_RUN_SAYINGS; i++) {
    struct eyoti_run_saying *x = &table[(key + i) % EYOTI_RUN_SAYINGS];
    if (claim(&x->key, key, made)) return x;
  }
  return NULL;
}

static bool text_is_new(struct eyoti_run_saying *x, const char *text) {
  uint64_t hash = eyoti_hash_text(0, text) | 1;
  for (uint32_t i = 0; i < EYOTI_RUN_TEXTS; i++) {
    bool set;
    if (claim(&x->text[i], hash, &set)) return set;
  }
  return false;
}

bool eyoti_said_shared(struct eyoti_run_saying *table, const struct eyoti_saying *m, bool *print) {
  bool made;
  struct eyoti_run_saying *x = entry_of(table, key_of(m), &made);
  if (x == NULL) return false;
  if (made) {
    x->unit = m->unit;
    snprintf(x->level, sizeof x->level, "%s", m->level);
    snprintf(x->first, sizeof x->first, "%s", m->text);
    /* pairs with the supervisor's acquire */
    __atomic_store_n(&x->ready, 1, __ATOMIC_RELEASE);
  }
  __atomic_fetch_add(&x->times, 1, __ATOMIC_RELAXED);
  if (m->unit < EYOTI_RUN_RECORDS)
    __atomic_fetch_or(&x->units[m->unit / 64], UINT64_C(1) << m->unit % 64, __ATOMIC_RELAXED);
  *print = text_is_new(x, m->text);
  if (*print) __atomic_fetch_add(&x->printed, 1, __ATOMIC_RELAXED);
  return true;
}
