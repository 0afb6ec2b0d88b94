/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c - exchanges as one step of the race detector: rule 7 of race.h.
 *
 * Why it exists: of an exchange among n units each learns all that the others knew when they
 * entered. Signal by signal that is n log n joins of clocks that all differ; here the units that
 * enter make one clock together, and those that leave have that one, the same for all.
 *
 * What the first to enter knew is mostly what the others know, too, for all have it from the
 * exchange before. So a clock is joined where it differs from the first one's. */
#include "base/check.h"
#include "base/hash.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

#define BUCKETS_MIN 16u

struct ec_meeting {
  struct ec_meeting *next;
  uint64_t key[2];
  /* Of two exchanges that follow each other: some may be in the second while others have not left
   * the first. */
  struct ec_meet {
    uint64_t seq, token;
    uint32_t left;
    struct ec_node *clock, *first; /* of all that have entered; of the first of them */
    struct ec_early *early;
  } at[2];
};

static struct ec_meeting **bucket(const struct ec_meetings *ms, const uint64_t key[2]) {
  return &ms->buckets[eyoti_hash_mix(eyoti_hash_mix(0, key[0]), key[1]) & (ms->n_buckets - 1)];
}

static void *must(void *p) {
  if (p == NULL) EYOTI_PANIC("no memory for the exchanges that the race detector knows");
  return p;
}

static void rehash(struct ec_meetings *ms) {
  struct ec_meeting **old = ms->buckets;
  uint32_t n_old = ms->n_buckets;
  ms->n_buckets = n_old == 0 ? BUCKETS_MIN : n_old * 2;
  ms->buckets = must(ec_alloc(sizeof(struct ec_meeting *) * ms->n_buckets));
  for (uint32_t i = 0; i < n_old; i++) {
    for (struct ec_meeting *m = old[i], *next; m != NULL; m = next) {
      struct ec_meeting **to = bucket(ms, m->key);
      next = m->next;
      m->next = *to;
      *to = m;
    }
  }
  ec_free(old);
}

static struct ec_meeting *find(struct ec_meetings *ms, const uint64_t key[2]) {
  if (ms->n_buckets == 0) return NULL;
  struct ec_meeting *m = *bucket(ms, key);
  while (m != NULL && (m->key[0] != key[0] || m->key[1] != key[1])) m = m->next;
  return m;
}

static struct ec_meeting *find_or_make(struct ec_meetings *ms, const uint64_t key[2]) {
  struct ec_meeting *m = find(ms, key);
  if (m != NULL) return m;
  if (ms->n == ms->n_buckets) rehash(ms);
  struct ec_meeting **to = bucket(ms, key);
  m = must(ec_alloc(sizeof *m));
  *m = (struct ec_meeting){.key = {key[0], key[1]}, .next = *to};
  ms->n++;
  return *to = m;
}

static void forget(struct ec_race *r, struct ec_meet *m) {
  ec_early_drop(r, m->early);
  *m = (struct ec_meet){0};
}

void ec_meetings_clear(struct ec_race *r) {
  struct ec_meetings *ms = &r->meetings;
  for (uint32_t i = 0; i < ms->n_buckets; i++) {
    for (struct ec_meeting *m = ms->buckets[i], *next; m != NULL; m = next) {
      next = m->next;
      for (uint32_t k = 0; k < 2; k++) forget(r, &m->at[k]);
      ec_free(m);
    }
  }
  ec_free(ms->buckets);
  *ms = (struct ec_meetings){0};
}

void ec_meetings_mark(struct ec_race *r) {
  const struct ec_meetings *ms = &r->meetings;
  for (uint32_t i = 0; i < ms->n_buckets; i++) {
    for (struct ec_meeting *m = ms->buckets[i]; m != NULL; m = m->next) {
      for (uint32_t k = 0; k < 2; k++) {
        ec_clock_mark(&r->clocks, m->at[k].clock);
        ec_clock_mark(&r->clocks, m->at[k].first);
      }
    }
  }
}

void ec_race_enters(struct ec_race *r, uint32_t unit, const struct ec_race_exchange *x) {
  EYOTI_ASSERT(unit < r->n && x->members > 1);
  ec_race_collect(r);
  struct ec_unit *u = &r->units[unit];
  struct ec_meet *m = &find_or_make(&r->meetings, x->key)->at[x->seq & 1];
  if (m->seq != x->seq) {
    forget(r, m); /* of one that some have never left */
    *m = (struct ec_meet){.seq = x->seq, .token = ec_clock_token(&r->clocks), .first = u->clock};
  }
  m->clock = ec_clock_join_since(&r->clocks, m->clock, u->clock, m->clock != NULL ? m->first : NULL,
                                 m->token);
  m->clock = ec_clock_raise(&r->clocks, m->clock, unit, u->events, m->token);
  m->early = ec_early_join(r, m->early, u->early, m->clock, EC_NOBODY);
  u->token = EC_NO_TOKEN; /* its clock is given away */
  u->given = u->events;
}

void ec_race_leaves(struct ec_race *r, uint32_t unit, const struct ec_race_exchange *x) {
  struct ec_unit *u = &r->units[unit];
  struct ec_meeting *both = find(&r->meetings, x->key);
  struct ec_meet *m = both != NULL ? &both->at[x->seq & 1] : NULL;
  if (m == NULL || m->seq != x->seq) return; /* entered before the detector was there */
  m->token = EC_NO_TOKEN;
  u->token = ec_clock_token(&r->clocks);
  u->clock = ec_clock_join_since(&r->clocks, m->clock, u->clock, m->first, u->token);
  u->early = ec_early_join(r, u->early, m->early, u->clock, unit);
  if (++m->left == x->members) forget(r, m);
}
