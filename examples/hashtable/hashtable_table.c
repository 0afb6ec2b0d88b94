/* SPDX-License-Identifier: BSD-3-Clause */
/* hashtable_table.c - the table itself: keys, places, insert, lookup.
 *
 * Chains: a cell is written completely, and its put is remotely complete, before the
 * compare-and-swap that links it. So a unit that reads a link finds the linked cell whole. Each
 * cell names the one linked before it, so the unit finds all others of the chain too. */
#include <stddef.h>

#include "hashtable.h"

uint64_t ht_volume_bytes(const struct ht_opts *opts) {
  return sizeof(struct ht_head) + opts->table * sizeof(struct ht_slot) +
         opts->heap * sizeof(struct ht_cell);
}

int ht_open(const struct ht_opts *opts, struct ht_table *t) {
  void *address;
  t->slots = opts->table;
  t->cells = opts->heap;
  /* Global memory begins as zero: empty slots, and a heap without a taken cell. */
  HT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, ht_volume_bytes(opts), &t->g));
  HT_TRY(eyot_gptr_addr(eyot_gptr_at(t->g, eyot_me()), &address));
  t->head = address;
  t->slot = (const struct ht_slot *)(t->head + 1);
  t->cell = (const struct ht_cell *)(t->slot + t->slots);
  return EYOT_OK;
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t ht_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Numbers of a run are below 2^40 and seeds below 2^24, so that the argument of the bijection is
 * never 0 and never the same twice. */
static uint64_t key_of(const struct ht_opts *opts, uint64_t number) {
  return ht_mix((opts->seed << 40) + number + 1);
}

uint64_t ht_key(const struct ht_opts *opts, uint32_t unit, uint64_t i) {
  uint64_t number = unit * opts->inserts + i;
  return key_of(opts, opts->distinct == 0 ? number : key_of(opts, number) % opts->distinct);
}

void ht_place(const struct ht_table *t, uint64_t key, uint32_t *unit, uint64_t *slot) {
  uint64_t hash = ht_mix(~key);
  *unit = (uint32_t)(((hash >> 32) * eyot_size()) >> 32);
  *slot = ((hash & UINT32_MAX) * t->slots) >> 32;
}

static eyot_gptr_t head_at(const struct ht_table *t, uint32_t unit) {
  return eyot_gptr_at(t->g, (eyot_unit_t){unit});
}
static eyot_gptr_t slot_at(const struct ht_table *t, uint32_t unit, uint64_t slot) {
  return eyot_gptr_add(head_at(t, unit),
                       (int64_t)(sizeof(struct ht_head) + slot * sizeof(struct ht_slot)));
}
/* `link` counts from 1. */
static eyot_gptr_t cell_at(const struct ht_table *t, uint32_t unit, uint64_t link) {
  return eyot_gptr_add(slot_at(t, unit, t->slots), (int64_t)((link - 1) * sizeof(struct ht_cell)));
}

/* Makes cell `link` the last one of the slot. */
static int link_cell(const struct ht_table *t, uint64_t key, uint32_t unit, eyot_gptr_t slot,
                     uint64_t link, struct ht_tally *tally) {
  eyot_gptr_t last = eyot_gptr_add(slot, offsetof(struct ht_slot, last));
  struct ht_cell cell = {key, 0}; /* most chains are empty, so that is tried first */
  /* Each failure means that another cell has been linked since. */
  for (uint64_t attempt = 0; attempt < t->cells; attempt++) {
    uint64_t seen;
    HT_TRY(eyot_put(cell_at(t, unit, link), &cell, sizeof cell));
    HT_TRY(eyot_cas_u64(last, cell.previous, link, &seen));
    if (seen == cell.previous) return EYOT_OK;
    tally->retries++;
    cell.previous = seen;
  }
  return ht_broken("more cells were linked to a slot than there are");
}

int ht_insert(const struct ht_table *t, uint64_t key, struct ht_tally *tally) {
  uint32_t unit;
  uint64_t slot, held, taken;
  ht_place(t, key, &unit, &slot);
  eyot_gptr_t at = slot_at(t, unit, slot);
  HT_TRY(eyot_cas_u64(at, 0, key, &held));
  if (held == 0) return EYOT_OK;
  tally->collisions++;
  HT_TRY(eyot_fetch_add_u64(head_at(t, unit), 1, &taken));
  if (taken < t->cells) return link_cell(t, key, unit, at, taken + 1, tally);
  tally->refused++;
  return EYOT_OK;
}

int ht_lookup(const struct ht_table *t, uint64_t key, uint64_t *count) {
  uint32_t unit;
  uint64_t place, found = 0, steps = 0;
  struct ht_slot slot;
  ht_place(t, key, &unit, &place);
  eyot_gptr_t at = slot_at(t, unit, place);
  /* Word by word: the two may be changing. */
  HT_TRY(eyot_get_nbi(&slot.key, at, sizeof slot.key));
  HT_TRY(eyot_get_nbi(&slot.last, eyot_gptr_add(at, offsetof(struct ht_slot, last)),
                      sizeof slot.last));
  HT_TRY(eyot_flush((eyot_unit_t){unit}, EYOT_LOCAL));
  if (slot.key == key) found++;
  for (uint64_t link = slot.last; link != 0; steps++) {
    struct ht_cell cell;
    if (link > t->cells || steps >= t->cells)
      return ht_broken("a chain leads out of the heap or in a circle");
    HT_TRY(eyot_get(&cell, cell_at(t, unit, link), sizeof cell));
    if (cell.key == 0) return ht_broken("a link was seen before the cell that it leads to");
    if (cell.key == key) found++;
    link = cell.previous;
  }
  *count = found;
  return EYOT_OK;
}
