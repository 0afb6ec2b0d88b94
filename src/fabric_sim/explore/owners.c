/* SPDX-License-Identifier: BSD-3-Clause */
/* owners.c - implements owners.h: buffers in an array, in the order of their addresses. */
#include "fabric_sim/explore/owners.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "rt/place.h"

#define FIRST_CAP 16u

struct sim_owners *sim_owners_new(void) {
  return calloc(1, sizeof(struct sim_owners));
}

void sim_owners_delete(struct sim_owners *t) {
  if (t == NULL) return;
  for (uint32_t i = 0; i < t->n; i++) free(t->at[i].reader);
  free(t->at);
  free(t);
}

static void *owners_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    eyoti_no_memory(*cap * size, "notes on who owns buffers");
  return array;
}

uint32_t sim_owners_after(const struct sim_owners *t, uintptr_t p) {
  uint32_t lo = 0, hi = t->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (t->at[mid].end > p)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

static void owned_drop(struct sim_owners *t, uint32_t i) {
  free(t->at[i].reader);
  memmove(&t->at[i], &t->at[i + 1], (--t->n - i) * sizeof *t->at);
}

/* The buffer [p, p + len); a new one, which is as if freed, if it is not there, in place of those
 * that overlap it. */
static struct sim_owned *owned_at(struct sim_owners *t, uintptr_t p, uint64_t len) {
  uint32_t i = sim_owners_after(t, p);
  if (i < t->n && t->at[i].begin == p && t->at[i].end == p + len) return &t->at[i];
  while (i < t->n && t->at[i].begin < p + len) owned_drop(t, i);
  t->at = owners_reserve(t->at, t->n, &t->cap, sizeof *t->at);
  memmove(&t->at[i + 1], &t->at[i], (t->n++ - i) * sizeof *t->at);
  t->at[i] = (struct sim_owned){.begin = p, .end = p + len, .state = FAB_OWNED_FREED};
  return &t->at[i];
}

bool sim_owned_reads(const struct sim_owned *o, uint32_t unit, uint32_t *where) {
  for (*where = 0; *where < o->n_readers; ++*where)
    if (o->reader[*where] == unit) return true;
  return false;
}

void sim_owners_note(struct sim_owners *t, const struct sim_unit *u, const void *p, uint64_t len,
                     enum fab_owned how) {
  uintptr_t begin = (uintptr_t)p;
  uint32_t where, me = u->fab.me;
  if (how == FAB_OWNED_NOT) {
    uint32_t i = sim_owners_after(t, begin);
    while (i < t->n && t->at[i].begin < begin + len) owned_drop(t, i);
    return;
  }
  struct sim_owned *o = owned_at(t, begin, len);
  if (how == FAB_OWNED_BORROWED) {
    o->reader = owners_reserve(o->reader, o->n_readers, &o->readers_cap, sizeof *o->reader);
    o->reader[o->n_readers++] = me;
  } else if (how == FAB_OWNED_RETURNED) {
    if (sim_owned_reads(o, me, &where)) o->reader[where] = o->reader[--o->n_readers];
  } else {
    const struct sim_detect_call here = sim_detect_here(u);
    if (o->state == FAB_OWNED_FREED && how == FAB_OWNED_HELD) o->made = here;
    o->state = how;
    o->unit = me;
    o->by = here;
  }
}

const char *sim_owned_state(const struct sim_owned *o) {
  switch (o->state) {
    case FAB_OWNED_LENT:
      return "may only read since";
    case FAB_OWNED_GIVEN:
      return "has given away in";
    case FAB_OWNED_FREED:
      return "has freed in";
    default:
      return "owns since";
  }
}

static const char *call_place(const struct sim_world *w, const struct sim_detect_call *call,
                              char place[EYOTI_CODE_LINE]) {
  const struct eyot_rt *rt = &w->units[call->unit].rt;
  return eyoti_place_text(rt, eyoti_place_of(rt, call->site), place);
}

const char *sim_owners_words(const struct sim_owners *t, const struct sim_world *w,
                             struct fab_addr at, bool brief, char words[EYOTI_WORDS]) {
  char made[EYOTI_CODE_LINE], by[EYOTI_CODE_LINE];
  if (at.seg == FAB_SEG_ATTACHED) return NULL;
  const uintptr_t p = (uintptr_t)sim_seg_at(w->units[at.unit].world, at.unit, at.seg, at.off, 1);
  const uint32_t i = p != 0 ? sim_owners_after(t, p) : t->n;
  if (i == t->n || t->at[i].begin > p) return NULL;
  const struct sim_owned *o = &t->at[i];
  const uint64_t off = p - o->begin;
  if (brief)
    snprintf(words, EYOTI_WORDS, "offset %" PRIu64 " of the buffer of %.200s", off,
             call_place(w, &o->made, made));
  else
    snprintf(words, EYOTI_WORDS,
             "offset %" PRIu64 " of the buffer (%" PRIu64
             " bytes, %.24s at %.70s) that unit %u %s %.24s at %.70s",
             off, (uint64_t)(o->end - o->begin), o->made.what, call_place(w, &o->made, made),
             o->unit, sim_owned_state(o), o->by.what, call_place(w, &o->by, by));
  return words;
}
