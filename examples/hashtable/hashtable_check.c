/* SPDX-License-Identifier: BSD-3-Clause */
/* hashtable_check.c - checks that every inserted key is in the table, where it belongs, as often as
 * it was inserted.
 *
 * Three views must agree: the keys as drawn once more, the volumes as their owners read them, and
 * the results of lookups of all keys. */
#include <stdio.h>

#include "hashtable.h"

/* Summed over units. `mixed` sums a random function of the keys: two different multisets of keys do
 * not agree in it, but once in 2^64. */
struct sums {
  uint64_t drawn, drawn_sum, drawn_mixed;
  uint64_t held, held_sum, held_mixed;
  uint64_t taken, linked;  /* cells */
  uint64_t misplaced;      /* keys in a volume or slot where no lookup would look */
  uint64_t equals;         /* pairs of equal keys, each with itself included */
  uint64_t missing, found; /* by lookups: keys not there at all; hits of all lookups together */
};
enum { SUMS = sizeof(struct sums) / sizeof(uint64_t) };

static void see(const struct ht_table *t, uint64_t key, uint64_t slot, struct sums *s,
                uint64_t *xored) {
  uint32_t unit;
  uint64_t place;
  ht_place(t, key, &unit, &place);
  if (unit != eyot_me().id || place != slot) s->misplaced++;
  s->held++;
  s->held_sum += key;
  s->held_mixed += ht_mix(key ^ UINT64_C(0x5851f42d4c957f2d));
  *xored ^= key;
}

/* How often `key` is in the slot and in the chain that begins with `link`. */
static uint64_t count_equals(const struct ht_table *t, uint64_t slot, uint64_t key) {
  uint64_t equals = t->slot[slot].key == key;
  for (uint64_t link = t->slot[slot].last; link != 0; link = t->cell[link - 1].previous)
    equals += t->cell[link - 1].key == key;
  return equals;
}

/* Checks this unit's volume by plain loads. -1: a chain leaves the heap or has more cells than
 * it. */
static int walk(const struct ht_table *t, struct sums *s, uint64_t *xored, uint64_t *longest) {
  for (uint64_t i = 0; i < t->slots; i++) {
    if (t->slot[i].key == 0) continue;
    uint64_t length = 0;
    see(t, t->slot[i].key, i, s, xored);
    for (uint64_t link = t->slot[i].last; link != 0; link = t->cell[link - 1].previous, length++) {
      if (link > t->cells || length >= t->cells) return -1;
      see(t, t->cell[link - 1].key, i, s, xored);
    }
    s->equals += count_equals(t, i, t->slot[i].key);
    for (uint64_t link = t->slot[i].last; link != 0; link = t->cell[link - 1].previous)
      s->equals += count_equals(t, i, t->cell[link - 1].key);
    s->linked += length;
    if (length > *longest) *longest = length;
  }
  s->taken = t->head->next_free < t->cells ? t->head->next_free : t->cells;
  return 0;
}

static int look_up_all(const struct ht_opts *opts, const struct ht_table *t, struct sums *s,
                       uint64_t *xored) {
  for (uint64_t i = 0; i < opts->inserts; i++) {
    uint64_t key = ht_key(opts, eyot_me().id, i), count;
    int code = ht_lookup(t, key, &count);
    if (code != EYOT_OK) return code;
    s->missing += count == 0;
    s->found += count;
    s->drawn++;
    s->drawn_sum += key;
    s->drawn_mixed += ht_mix(key ^ UINT64_C(0x5851f42d4c957f2d));
    *xored ^= key;
  }
  return EYOT_OK;
}

static void print_verdict(const struct ht_opts *opts, const struct sums *s, bool same_xor,
                          bool right) {
  if (right)
    printf("hashtable: verified: all %llu keys are in their volumes and found, each %s\n",
           (unsigned long long)s->held,
           opts->distinct == 0 ? "exactly once" : "as often as it was inserted");
  else
    printf(
        "hashtable: WRONG: %llu keys inserted, %llu in the table, %llu misplaced, %llu not found; "
        "lookups found %llu of %llu; %llu of %llu "
        "taken cells are "
        "linked; sum %s, mixed sum %s, xor %s\n",
        (unsigned long long)s->drawn, (unsigned long long)s->held, (unsigned long long)s->misplaced,
        (unsigned long long)s->missing, (unsigned long long)s->found, (unsigned long long)s->equals,
        (unsigned long long)s->linked, (unsigned long long)s->taken,
        s->drawn_sum == s->held_sum ? "equal" : "differs",
        s->drawn_mixed == s->held_mixed ? "equal" : "differs", same_xor ? "equal" : "differs");
}

int ht_check(const struct ht_opts *opts, const struct ht_table *t, bool *right) {
  struct sums mine = {0}, all;
  uint64_t xored[2] = {0, 0}, both[2], longest = 0, fullest[2], size[2];
  /* Others changed the volume by atomics and puts; it is read by plain loads from here on. */
  HT_TRY(eyot_sync());
  if (walk(t, &mine, &xored[0], &longest) != 0)
    return ht_broken("a chain of this volume leads out of the heap or in a circle");
  int code = look_up_all(opts, t, &mine, &xored[1]);
  if (code != EYOT_OK) return code;
  HT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all, SUMS));
  HT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_BXOR, xored, both, 2));
  size[0] = longest;
  size[1] = mine.taken;
  HT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, size, fullest, 2));
  *right = all.held == all.drawn && all.held_sum == all.drawn_sum &&
           all.held_mixed == all.drawn_mixed && both[0] == both[1] && all.linked == all.taken &&
           all.misplaced == 0 && all.missing == 0 && all.found == all.equals &&
           (opts->distinct != 0 || all.equals == all.held);
  if (eyot_me().id != 0) return EYOT_OK;
  printf("hashtable: longest chain %llu, fullest heap %llu of %llu cells\n",
         (unsigned long long)fullest[0], (unsigned long long)fullest[1],
         (unsigned long long)t->cells);
  print_verdict(opts, &all, both[0] == both[1], *right);
  fflush(stdout);
  return EYOT_OK;
}
