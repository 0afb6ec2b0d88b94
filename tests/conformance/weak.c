/* SPDX-License-Identifier: BSD-3-Clause */
/* weak.c - conformance: outcomes that the contract allows occur: each case counts an outcome that
 * programs must not rely on being impossible.
 *
 * A simulator must show at least one occurrence (CONF_WEAK_REQUIRE): one that never shows them
 * would validate programs that fail on hardware. */
#include <stdio.h>
#include <string.h>

#include "conformance/conformance.h"
#include "conformance/dekker.h"

#define GO (CONF_CTRL)
#define MEET (CONF_CTRL + 8u)
#define X (CONF_CTRL + 128u)
#define Y (CONF_CTRL + 192u)
#define DATA (CONF_CTRL + 4096u)
#define WORDS 512u
#define MORE 4u /* rare outcomes get more rounds */

int conf_weak_verdict(struct conf_ctx *c, uint64_t mine, uint64_t rounds, bool possible,
                      const char *what) {
  uint64_t count, tries, units;
  CONF_PASS(conf_sum(c, mine, &count));
  CONF_PASS(conf_sum(c, possible ? rounds : 0, &tries));
  CONF_PASS(conf_sum(c, possible, &units));
  if (c->me == 0)
    snprintf(c->note, sizeof c->note, "%llu of %llu rounds: %s", (unsigned long long)count,
             (unsigned long long)tries, what);
  CONF_CHECK(c, count > 0 || units == 0 || c->o.weak == CONF_WEAK_PRINT,
             "in none of %llu rounds %s; this fabric hides what hardware shows",
             (unsigned long long)tries, what);
  return 0;
}

/* A put was posted, and a get posted after it does not find it. */
static int invisible(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c)), rounds = c->o.rounds * MORE;
  uint64_t missed = 0, got = 0, value = 0;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= rounds; r++) {
    value = r;
    CONF_TRY(c, fab_put(c->f, conf_at(c, partner, X), &value, 8, NULL));
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, partner, X), 8));
    if (got < r) missed++;
    CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, partner, X), 8));
    CONF_CHECK(c, got == r, "after the flush the put is still not visible: %llu",
               (unsigned long long)got);
  }
  return conf_weak_verdict(c, missed, rounds, partner != UINT32_MAX,
                           "a put was invisible when the posting call had returned");
}

/* The owner of the memory sees a long put of which some words have arrived and others have not. */
static int snapshot(struct conf_ctx *c, uint64_t round, bool *mixed) {
  uint64_t old = 0, new = 0;
  for (uint32_t i = 0; i < WORDS; i++) {
    uint64_t word = conf_load(c, DATA + 8ull * i);
    if (word == round)
      new ++;
    else
      old++;
    CONF_CHECK(c, word == round || word == round - 1,
               "word %u of a put is neither old nor new: %llu", i, (unsigned long long)word);
  }
  *mixed = old > 0 && new > 0;
  return 0;
}

static int partial(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c)), rounds = c->o.rounds;
  uint64_t src[WORDS], found = 0;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= rounds; r++) {
    if (c->me < partner) {
      for (uint32_t i = 0; i < WORDS; i++) src[i] = r;
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, partner, DATA), src, sizeof src));
    } else {
      bool mixed = false, seen = false;
      for (uint64_t end = conf_deadline(c);
           conf_load(c, DATA) < r || conf_load(c, DATA + 8 * (WORDS - 1)) < r;) {
        CONF_PASS(snapshot(c, r, &mixed));
        seen = seen || mixed;
        CONF_PASS(conf_poll(c, end));
      }
      CONF_PASS(snapshot(c, r, &mixed));
      if (seen || mixed) found++;
    }
    CONF_PASS(conf_meet(c, partner, MEET, r));
  }
  return conf_weak_verdict(c, found, rounds, partner != UINT32_MAX && c->me > partner,
                           "a long put was partly visible");
}

/* Two puts to one unit arrive in the other order. */
static int overtaken(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c)), rounds = c->o.rounds * MORE;
  uint64_t value[2], found = 0;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= rounds; r++) {
    if (c->me < partner) {
      value[0] = value[1] = r;
      CONF_TRY(c, fab_put(c->f, conf_at(c, partner, X), &value[0], 8, NULL));
      CONF_TRY(c, fab_put(c->f, conf_at(c, partner, Y), &value[1], 8, NULL));
      CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
    } else {
      bool seen = false;
      for (uint64_t end = conf_deadline(c);;) {
        uint64_t y = conf_load(c, Y), x = conf_load(c, X);
        seen = seen || (y == r && x < r);
        if (y == r && x == r) break;
        CONF_PASS(conf_poll(c, end));
      }
      if (seen) found++;
    }
    CONF_PASS(conf_meet(c, partner, MEET, r));
  }
  return conf_weak_verdict(c, found, rounds, partner != UINT32_MAX && c->me > partner,
                           "a put overtook an earlier one");
}

/* Store buffering between units of one node: both miss the other's put. */
static int store_buffer(struct conf_ctx *c) {
  uint64_t missed = 0;
  uint32_t partner = conf_partner(c, 1), rounds = c->o.rounds * MORE;
  CONF_PASS(conf_dekker_play(c, CONF_DEKKER_PUT, 1, rounds, &missed));
  bool possible = partner != UINT32_MAX && c->me < partner && conf_same_node(c, c->me, partner);
  return conf_weak_verdict(c, missed, rounds, possible,
                           "two units of a node missed each other's put");
}

const struct conf_case conf_cases_weak[] = {
    {"weak_put_may_be_invisible_at_first", 2, invisible},
    {"weak_put_may_be_seen_in_part", 2, partial},
    {"weak_puts_may_overtake", 2, overtaken},
    {"weak_store_buffering_on_a_node", 2, store_buffer},
    {NULL, 0, NULL},
};
