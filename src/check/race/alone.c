/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.c - what a unit does by itself, for the race detector: a word of its own that it reads with
 * acquire, and the plain loads and stores of its processor (race.h). */
#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

/* stores that wait for a full barrier; more count as if there had been one */
#define UNFENCED_MAX 256u

static void *unfenced_must(void *p) {
  if (p == NULL) eyoti_no_memory(0, "the stores that the race detector follows");
  return p;
}

void chk_race_saw(struct chk_race *r, struct chk_at at, chk_word_t word) {
  struct chk_unit *u = &r->units[at.unit];
  struct chk_sync none = {.at = 0}, *s = chk_shadow_sync(&r->shadow, word, false);
  struct chk_stamp mine = chk_race_now(r, at.unit), there = chk_race_of_sync(s == NULL ? &none : s);
  struct chk_race_range bytes = {chk_word_unit(word), chk_word_seg(word), chk_word_off(word), 8};
  struct chk_rec like = {.kind = CHK_RACE_WAIT, .number = u->events, .len = 8, .target = at.unit};
  chk_race_touch(r, chk_race_again(r, at, &like), CHK_ATOMIC_READ, bytes, &mine, &there);
  chk_race_learn(r, u, there.clock, there.early);
}

/* An event, unless the unit's last event was equal: then the access is part of that one. */
static struct chk_rec *race_by_cpu(struct chk_race *r, struct chk_at at, enum chk_race_kind kind,
                                   struct chk_race_range bytes) {
  struct chk_unit *u = &r->units[at.unit];
  struct chk_rec *last = u->last[kind];
  bool again =
      last != NULL && last->number > u->given && last->site == at.site && last->len == bytes.len;
  if (again) return last;
  struct chk_rec like = {
      .kind = (uint8_t)kind, .number = chk_race_event(u), .len = bytes.len, .target = bytes.unit};
  return chk_race_again(r, at, &like);
}

void chk_race_load(struct chk_race *r, struct chk_at at, struct chk_race_range bytes) {
  struct chk_rec *rec = race_by_cpu(r, at, CHK_RACE_LOAD, bytes);
  struct chk_stamp s = chk_race_now(r, at.unit);
  chk_race_touch(r, rec, CHK_PLAIN_READ, bytes, &s, NULL);
}

void chk_race_store(struct chk_race *r, struct chk_at at, struct chk_race_range bytes, bool plain) {
  struct chk_unit *u = &r->units[at.unit];
  struct chk_rec *before = u->last[CHK_RACE_STORE],
                 *rec = race_by_cpu(r, at, CHK_RACE_STORE, bytes);
  if (r->strict_stores && plain && rec != before) {
    if (u->n_unfenced == UNFENCED_MAX) {
      chk_race_fenced(r, at.unit);
      rec->number = rec->released = chk_race_event(u);
    }
    if (u->n_unfenced == u->cap_unfenced) {
      u->cap_unfenced = u->cap_unfenced == 0 ? 8 : u->cap_unfenced * 2;
      u->unfenced =
          unfenced_must(chk_resize(u->unfenced, sizeof(struct chk_rec *) * u->cap_unfenced));
    }
    rec->released = CHK_NOT_RELEASED;
    rec->refs++;
    u->unfenced[u->n_unfenced++] = rec;
  }
  struct chk_stamp s = chk_race_now(r, at.unit);
  chk_race_touch(r, rec, CHK_PLAIN_WRITE, bytes, &s, NULL);
}
