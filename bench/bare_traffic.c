/* SPDX-License-Identifier: BSD-3-Clause */
/* bare_traffic.c - the patterns of bench_traffic.c with nothing but what they need: one event an
 * operation, at which the word changes; an event more where a unit waits for all that it has sent.
 * See bare.h. */
#include <stdlib.h>
#include <string.h>

#include "bare.h"

enum { WORDS = 64, NEXT = 24, FACES = 6 };
#define OVERHEAD 100e-9 /* between two posts of a unit */
#define NOBODY UINT32_MAX

struct bare_traffic {
  uint32_t depth, rounds;
  uint64_t *word;   /* [unit * WORDS + i] */
  uint64_t *random; /* of each unit */
  uint64_t *inbox;  /* [unit] what its gets have read */
  uint32_t *left;   /* halo: what a blocked unit still waits for */
  uint64_t *step;   /* halo: of each unit */
  uint32_t *after;  /* locks: the unit that waits after this one, or NOBODY */
  uint32_t last;    /* locks: the last unit of the queue */
  bool held;
};

void bare_traffic_open(struct bare *b, uint32_t depth, uint32_t rounds) {
  struct bare_traffic *t = b->traffic = bare_need(1, sizeof *b->traffic);
  *t = (struct bare_traffic){.depth = depth, .rounds = rounds};
  t->word = bare_need((uint64_t)b->n * WORDS, sizeof *t->word);
  t->random = bare_need(b->n, sizeof *t->random);
  t->inbox = bare_need(b->n, sizeof *t->inbox);
  t->left = bare_need(b->n, sizeof *t->left);
  t->step = bare_need(b->n, sizeof *t->step);
  t->after = bare_need(b->n, sizeof *t->after);
  for (uint32_t u = 0; u < b->n; u++) t->random[u] = bare_mix(u + 1);
}

/* -- floods: puts, atomics, gets --------------------------------------------------------------- */

static uint32_t next_of(struct bare *b, uint32_t unit) {
  return (unit + NEXT) % b->n;
}

static uint32_t random_of(struct bare *b, uint32_t unit) {
  uint64_t x = bare_mix(b->traffic->random[unit] += UINT64_C(0x9e3779b97f4a7c15));
  return (uint32_t)((x >> 32) * b->n >> 32);
}

/* An event names the target and, as its round, the origin. */
static inline void flood(struct bare *b, uint32_t unit, bare_block_fn *block,
                         uint32_t (*target_of)(struct bare *b, uint32_t unit), int ways) {
  for (uint32_t round = 0; round < b->traffic->rounds; round++) {
    double at = b->now, last = at;
    for (uint32_t i = 0; i < b->traffic->depth; i++) {
      uint32_t to = target_of(b, unit);
      at += OVERHEAD;
      double there = at + ways * bare_latency(unit, to);
      bare_post(b, there, to, unit);
      if (there > last) last = there;
    }
    b->ops += b->traffic->depth;
    bare_post(b, last, unit, BARE_ALARM);
    block(b, unit);
  }
}

static void next_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  flood(b, unit, block, next_of, 1);
}
static void random_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  flood(b, unit, block, random_of, 1);
}
static void gets_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  flood(b, unit, block, random_of, 2);
}

static uint64_t *target_word(const struct bare *b, const struct bare_event *e) {
  return &b->traffic->word[(uint64_t)e->unit * WORDS + e->round % WORDS];
}

static bool put_deliver(struct bare *b, const struct bare_event *e) {
  *target_word(b, e) = 1;
  return false;
}
static bool atomic_deliver(struct bare *b, const struct bare_event *e) {
  *target_word(b, e) += 1;
  return false;
}
static bool get_deliver(struct bare *b, const struct bare_event *e) {
  b->traffic->inbox[e->round] = *target_word(b, e);
  return false;
}

/* -- one lock that all want -------------------------------------------------------------------- */

/* A request goes to unit 0; the unit that releases tells the next one. Two events. */
static void locks_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  struct bare_traffic *t = b->traffic;
  for (uint64_t i = 0; i < (uint64_t)t->depth * t->rounds; i++) {
    bare_post(b, b->now + OVERHEAD + bare_latency(unit, 0), 0, unit);
    block(b, unit);
    b->ops++;
    if (t->after[unit] == NOBODY)
      t->held = false;
    else
      bare_post(b, b->now + OVERHEAD + bare_latency(unit, t->after[unit]), t->after[unit],
                BARE_ALARM);
  }
}

static bool locks_deliver(struct bare *b, const struct bare_event *e) {
  struct bare_traffic *t = b->traffic;
  uint32_t unit = e->round;
  t->after[unit] = NOBODY;
  if (t->held)
    t->after[t->last] = unit;
  else
    bare_post(b, e->t + bare_latency(0, unit), unit, BARE_ALARM);
  t->held = true;
  t->last = unit;
  return false;
}

/* -- an exchange of heat3d --------------------------------------------------------------------- */

static uint32_t neighbor(const struct bare *b, uint32_t unit, uint32_t face) {
  static const uint32_t STRIDES[FACES / 2] = {1, 16, 256};
  uint32_t stride = STRIDES[face / 2] % b->n;
  return (unit + (face % 2 == 0 ? stride : b->n - stride)) % b->n;
}

/* Signals, then gets, of which the last one wakes the unit. An event's round is its face. */
static void halo_unit(struct bare *b, uint32_t unit, bare_block_fn *block) {
  struct bare_traffic *t = b->traffic;
  for (uint64_t i = 0; i < (uint64_t)t->depth * t->rounds; i++) {
    t->step[unit]++;
    for (uint32_t f = 0; f < FACES; f++) {
      uint32_t to = neighbor(b, unit, f);
      bare_post(b, b->now + OVERHEAD * (f + 1) + bare_latency(unit, to), to, f ^ 1);
    }
    for (uint32_t f = 0; f < FACES; f++)
      t->left[unit] += t->word[(uint64_t)unit * WORDS + f] < t->step[unit];
    if (t->left[unit] > 0) block(b, unit);
    for (uint32_t f = 0; f < FACES; f++)
      bare_post(b, b->now + OVERHEAD * (f + 1) + 2 * bare_latency(unit, neighbor(b, unit, f)), unit,
                FACES + f);
    t->left[unit] = FACES;
    block(b, unit);
    b->ops += 2 * FACES;
  }
}

static bool halo_deliver(struct bare *b, const struct bare_event *e) {
  struct bare_traffic *t = b->traffic;
  uint64_t *mine = &t->word[(uint64_t)e->unit * WORDS];
  if (e->round >= FACES) {
    const uint64_t *from = &t->word[(uint64_t)neighbor(b, e->unit, e->round - FACES) * WORDS];
    memcpy(&mine[2 * FACES], &from[2 * FACES], 128);
    return --t->left[e->unit] == 0;
  }
  return ++mine[e->round] == t->step[e->unit] && t->left[e->unit] > 0 && --t->left[e->unit] == 0;
}

static const struct bare_pattern PATTERNS[] = {
    {"next", next_unit, put_deliver},         {"random", random_unit, put_deliver},
    {"atomics", random_unit, atomic_deliver}, {"gets", gets_unit, get_deliver},
    {"locks", locks_unit, locks_deliver},     {"halo", halo_unit, halo_deliver}};

const struct bare_pattern *bare_traffic_find(const char *name) {
  for (size_t i = 0; i < sizeof PATTERNS / sizeof *PATTERNS; i++)
    if (strcmp(PATTERNS[i].name, name) == 0) return &PATTERNS[i];
  return NULL;
}
