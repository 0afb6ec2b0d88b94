/* SPDX-License-Identifier: BSD-3-Clause */
/* feature.c - the set of features (feature.h): an array in the order of discovery, and a hash table
 * of indices into it. */
#include "check/strategy/feature.h"

#include "check/snapshot/mem.h"
#include "check/strategy/rng.h"

#define FIRST_CAP 1024u

void chk_features_init(struct chk_features *f) {
  *f = (struct chk_features){0};
}

void chk_features_fini(struct chk_features *f) {
  chk_free(f->at);
  chk_free(f->slots);
  chk_features_init(f);
}

/* The slot of the name, or the free slot where it belongs. The engine's names may be counters or
 * addresses; mixing spreads them. */
static uint32_t *slot(const struct chk_features *f, uint32_t *slots, uint32_t cap, uint64_t name) {
  uint32_t mask = 2 * cap - 1, i = (uint32_t)chk_rng_mix(name) & mask;
  while (slots[i] != 0 && f->at[slots[i] - 1].name != name) i = (i + 1) & mask;
  return &slots[i];
}

static bool feature_grow(struct chk_features *f) {
  uint32_t cap = f->cap ? f->cap * 2 : FIRST_CAP;
  if (cap > CHK_FEATURES_MAX) return false;
  struct chk_feature *at = chk_resize(f->at, cap * sizeof *at);
  if (!at) return false;
  f->at = at;
  uint32_t *slots = chk_alloc(2 * (size_t)cap * sizeof *slots);
  if (!slots) return false;
  for (uint32_t i = 0; i < f->n; i++) *slot(f, slots, cap, at[i].name) = i + 1;
  chk_free(f->slots);
  f->slots = slots;
  f->cap = cap;
  return true;
}

bool chk_features_add(struct chk_features *f, uint64_t name, uint64_t run) {
  if (f->n == f->cap && !f->full) f->full = !feature_grow(f);
  if (f->cap == 0) return false;
  uint32_t *s = slot(f, f->slots, f->cap, name);
  if (*s != 0) {
    struct chk_feature *known = &f->at[*s - 1];
    known->runs += known->last != run;
    known->last = run;
    return false;
  }
  if (f->full) return false;
  f->at[f->n++] = (struct chk_feature){.name = name, .last = run, .runs = 1};
  *s = f->n;
  return true;
}
