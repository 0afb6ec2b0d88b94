/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - exchanges as one step of the race detector: rule 7 of race.h.
 *
 * Why it exists: in an exchange among n units each unit learns what all others knew when they
 * entered. Signal by signal that is n log n joins of clocks that all differ; here the units that
 * enter build one clock together, and the units that leave share it.
 *
 * Most of what the units know at entry is equal, since all have it from the exchange before. A
 * clock is therefore joined only where it differs from that of the first unit that entered. */
#include "base/check.h"
#include "base/hash.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

#define BUCKETS_MIN 16u

struct chk_meeting {
  struct chk_meeting *next;
  uint64_t key[2];
  /* Two exchanges of one key may overlap: some units can be in the second while others have not
   * left the first. */
  struct chk_meet {
    uint64_t seq, token;
    uint32_t left;
    /* the join over all units that have entered; the clock of the first one */
    struct chk_node *clock, *first;
    struct chk_early *early;
  } at[2];
};

static struct chk_meeting **meet_bucket(const struct chk_meetings *ms, const uint64_t key[2]) {
  return &ms->buckets[eyoti_hash_mix(eyoti_hash_mix(0, key[0]), key[1]) & (ms->n_buckets - 1)];
}

static void *meet_must(void *p) {
  if (p == NULL) eyoti_no_memory(0, "the exchanges that the race detector knows");
  return p;
}

static void meet_rehash(struct chk_meetings *ms) {
  struct chk_meeting **old = ms->buckets;
  uint32_t n_old = ms->n_buckets;
  ms->n_buckets = n_old == 0 ? BUCKETS_MIN : n_old * 2;
  ms->buckets = meet_must(chk_alloc(sizeof(struct chk_meeting *) * ms->n_buckets));
  for (uint32_t i = 0; i < n_old; i++) {
    for (struct chk_meeting *m = old[i], *next; m != NULL; m = next) {
      struct chk_meeting **to = meet_bucket(ms, m->key);
      next = m->next;
      m->next = *to;
      *to = m;
    }
  }
  chk_free(old);
}

static struct chk_meeting *meet_find(struct chk_meetings *ms, const uint64_t key[2]) {
  if (ms->n_buckets == 0) return NULL;
  struct chk_meeting *m = *meet_bucket(ms, key);
  while (m != NULL && (m->key[0] != key[0] || m->key[1] != key[1])) m = m->next;
  return m;
}

static struct chk_meeting *find_or_make(struct chk_meetings *ms, const uint64_t key[2]) {
  struct chk_meeting *m = meet_find(ms, key);
  if (m != NULL) return m;
  if (ms->n == ms->n_buckets) meet_rehash(ms);
  struct chk_meeting **to = meet_bucket(ms, key);
  m = meet_must(chk_alloc(sizeof *m));
  *m = (struct chk_meeting){.key = {key[0], key[1]}, .next = *to};
  ms->n++;
  return *to = m;
}

static void meet_forget(struct chk_race *r, struct chk_meet *m) {
  chk_early_drop(r, m->early);
  *m = (struct chk_meet){0};
}

void chk_meetings_clear(struct chk_race *r) {
  struct chk_meetings *ms = &r->meetings;
  for (uint32_t i = 0; i < ms->n_buckets; i++) {
    for (struct chk_meeting *m = ms->buckets[i], *next; m != NULL; m = next) {
      next = m->next;
      for (uint32_t k = 0; k < 2; k++) meet_forget(r, &m->at[k]);
      chk_free(m);
    }
  }
  chk_free(ms->buckets);
  *ms = (struct chk_meetings){0};
}

void chk_meetings_mark(struct chk_race *r) {
  const struct chk_meetings *ms = &r->meetings;
  for (uint32_t i = 0; i < ms->n_buckets; i++) {
    for (struct chk_meeting *m = ms->buckets[i]; m != NULL; m = m->next) {
      for (uint32_t k = 0; k < 2; k++) {
        chk_clock_mark(&r->clocks, m->at[k].clock);
        chk_clock_mark(&r->clocks, m->at[k].first);
      }
    }
  }
}

void chk_race_enters(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x) {
  EYOTI_ASSERT(unit < r->n && x->members > 1);
  chk_race_collect(r);
  struct chk_unit *u = &r->units[unit];
  struct chk_meet *m = &find_or_make(&r->meetings, x->key)->at[x->seq & 1];
  if (m->seq != x->seq) {
    meet_forget(r, m); /* remains of an exchange that some units never left */
    *m = (struct chk_meet){.seq = x->seq, .token = chk_clock_token(&r->clocks), .first = u->clock};
  }
  m->clock = chk_clock_join_since(&r->clocks, m->clock, u->clock,
                                  m->clock != NULL ? m->first : NULL, m->token);
  m->clock = chk_clock_raise(&r->clocks, m->clock, unit, u->events, m->token);
  m->early = chk_early_join(r, m->early, u->early, m->clock, CHK_NOBODY);
  u->token = CHK_NO_TOKEN; /* its clock is now shared */
  chk_race_event(u);       /* a later signal or atomic has another number than the others know */
  u->given = u->events;
}

void chk_race_leaves(struct chk_race *r, uint32_t unit, const struct chk_race_exchange *x) {
  struct chk_unit *u = &r->units[unit];
  struct chk_meeting *both = meet_find(&r->meetings, x->key);
  struct chk_meet *m = both != NULL ? &both->at[x->seq & 1] : NULL;
  if (m == NULL || m->seq != x->seq) return; /* it entered before the detector was created */
  m->token = CHK_NO_TOKEN;
  chk_race_returned(u, chk_clock_get(&r->clocks, m->clock, unit));
  u->token = chk_clock_token(&r->clocks);
  u->clock = chk_clock_join_since(&r->clocks, m->clock, u->clock, m->first, u->token);
  u->early = chk_early_join(r, u->early, m->early, u->clock, unit);
  if (++m->left == x->members) meet_forget(r, m);
}
