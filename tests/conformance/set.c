/* SPDX-License-Identifier: BSD-3-Clause */
/* set.c - conformance: operation sets: a flush or order of one set, and of all. */
#include <string.h>

#include "conformance/conformance.h"

#define FLAG (CONF_CTRL)
#define ACK (CONF_CTRL + 8u)
#define WORD_OF(set) (CONF_CTRL + 64u * (set))
#define DATA (CONF_CTRL + 4096u)
#define LONG 1200u
#define MORE 4u
#define SETS 4u /* from FAB_SET_DEFAULT on */
#define SET_FIRST (FAB_SET_DEFAULT + 1u)

/* Sources and results are memory that outlives the case: a flush that does not wait leaves their
 * operations in flight. */
static uint64_t *kept(const struct conf_ctx *c) {
  return (uint64_t *)(void *)(c->mem + DATA + 65536);
}

static int set_flush(struct conf_ctx *c, uint32_t set, uint32_t unit, enum fab_level level) {
  c->f->set = (fab_set_t)set;
  int rc = fab_flush(c->f, unit, level);
  c->f->set = FAB_SET_ALL;
  return rc;
}

static int set_order(struct conf_ctx *c, uint32_t set, uint32_t unit) {
  c->f->set = (fab_set_t)set;
  int rc = fab_order(c->f, unit);
  c->f->set = FAB_SET_ALL;
  return rc;
}

static int set_put(struct conf_ctx *c, uint32_t set, struct fab_addr to, const void *src,
                   uint64_t len) {
  c->f->set = (fab_set_t)set;
  int rc = fab_put(c->f, to, src, len, NULL);
  c->f->set = FAB_SET_ALL;
  return rc;
}

static int set_signal(struct conf_ctx *c, uint32_t set, const struct fab_sig *sig) {
  c->f->set = (fab_set_t)set;
  int rc = fab_put_signal(c->f, sig->at, NULL, 0, sig, NULL);
  c->f->set = FAB_SET_ALL;
  return rc;
}

/* Puts in all sets to two units; after the flush of one set its words are there. */
static int flush_own(struct conf_ctx *c) {
  uint32_t to = conf_peer(c, 1), other = conf_peer(c, 2), rounds = c->o.rounds;
  uint64_t *value = kept(c), got;
  for (uint64_t r = 1; r <= rounds; r++) {
    uint32_t one = FAB_SET_DEFAULT + (uint32_t)(r % SETS);
    for (uint32_t set = FAB_SET_DEFAULT; set < FAB_SET_DEFAULT + SETS; set++) {
      value[set - FAB_SET_DEFAULT] = r;
      CONF_TRY(c, set_put(c, set, conf_at(c, to, WORD_OF(set)), &value[set - FAB_SET_DEFAULT], 8));
      if (other != to)
        CONF_TRY(c, set_put(c, set, conf_at(c, other, WORD_OF(set + SETS)),
                            &value[set - FAB_SET_DEFAULT], 8));
    }
    CONF_TRY(c, set_flush(c, one, r % 3 == 0 ? FAB_ALL : to, FAB_REMOTE));
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, to, WORD_OF(one)), 8));
    CONF_CHECK(c, got == r, "after the flush of set %u its word is %llu, not %llu", one,
               (unsigned long long)got, (unsigned long long)r);
    if (r % 3 == 0 && other != to) {
      CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, other, WORD_OF(one + SETS)), 8));
      CONF_CHECK(c, got == r, "after the flush of all of set %u a word is %llu, not %llu", one,
                 (unsigned long long)got, (unsigned long long)r);
    }
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  }
  return conf_barrier(c);
}

/* Gets and atomics with results, in turns in two sets: a local flush brings those of its own. */
static int flush_results(struct conf_ctx *c) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  uint32_t to = conf_peer(c, 1);
  uint64_t *got = kept(c), *old = got + 2;
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    uint32_t one = SET_FIRST + r % 2;
    for (uint32_t k = 0; k < 2; k++) {
      got[k] = old[k] = UINT64_MAX;
      c->f->set = (fab_set_t)(SET_FIRST + k);
      CONF_TRY(c, fab_get(c->f, &got[k], conf_at(c, to, DATA), 8, NULL));
      CONF_TRY(c, fab_amo(c->f, conf_at(c, to, WORD_OF(k)), &add, &old[k], NULL));
      c->f->set = FAB_SET_ALL;
    }
    CONF_TRY(c, set_flush(c, one, r % 3 == 0 ? FAB_ALL : to, FAB_LOCAL));
    CONF_CHECK(c, got[r % 2] == 0 && old[r % 2] == r - 1,
               "after the local flush of set %u a get has brought %llx, an atomic %llx", one,
               (unsigned long long)got[r % 2], (unsigned long long)old[r % 2]);
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  }
  return conf_barrier(c);
}

/* A flush without a set in fab.set covers the operations of every set. */
static int flush_all_sets(struct conf_ctx *c) {
  uint32_t to = conf_peer(c, 1);
  uint64_t *value = kept(c), got;
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    for (uint32_t k = 0; k < SETS; k++) {
      value[k] = r;
      CONF_TRY(c, set_put(c, SET_FIRST + k, conf_at(c, to, WORD_OF(k)), &value[k], 8));
    }
    CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? to : FAB_ALL, FAB_REMOTE));
    for (uint32_t k = 0; k < SETS; k++) {
      CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, to, WORD_OF(k)), 8));
      CONF_CHECK(c, got == r, "after a flush of all sets the word of set %u is %llu, not %llu",
                 SET_FIRST + k, (unsigned long long)got, (unsigned long long)r);
    }
  }
  return conf_barrier(c);
}

/* Bytes and a flag of the sets `data` and `flag`, with an order of `ordered` between them. */
static int data_then_flag(struct conf_ctx *c, uint32_t data, uint32_t ordered, uint32_t flag) {
  unsigned char *src = (unsigned char *)kept(c);
  uint32_t to = conf_peer(c, 1), from = conf_peer_of(c, 1);
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    const struct fab_sig sig = {.at = conf_at(c, to, FLAG), .op = FAB_SIG_SET, .value = r};
    unsigned char tag = (unsigned char)(r % 250 + 1);
    memset(src, tag, LONG);
    CONF_TRY(c, set_put(c, data, conf_at(c, to, DATA + 3), src, LONG));
    CONF_TRY(c, set_order(c, ordered, r % 2 == 0 ? FAB_ALL : to));
    CONF_TRY(c, set_signal(c, flag, &sig));
    CONF_PASS(conf_wait(c, FLAG, FAB_EQ, r));
    for (uint32_t i = 0; i < LONG; i++)
      CONF_CHECK(c, (unsigned char)c->mem[DATA + 3 + i] == tag,
                 "round %llu: the flag has passed byte %u of what was ordered before it",
                 (unsigned long long)r, i);
    CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
    CONF_PASS(conf_add(c, from, ACK, 1, NULL));
    CONF_PASS(conf_wait(c, ACK, FAB_GE, r));
  }
  return conf_barrier(c);
}

static int order_own(struct conf_ctx *c) {
  return data_then_flag(c, SET_FIRST, SET_FIRST, SET_FIRST);
}

static int order_all_sets(struct conf_ctx *c) {
  return data_then_flag(c, SET_FIRST, FAB_SET_ALL, SET_FIRST + 1);
}

/* Weak: after the flush of one set a put of another is still not there. */
static int flush_other(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c));
  uint64_t *value = kept(c), missed = 0, tries = 0, got = 0;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= (uint64_t)c->o.rounds * MORE; r++) {
    uint32_t near = r % 4 == 0 ? partner : c->me; /* a short way */
    uint64_t word = near == partner ? WORD_OF(2) : WORD_OF(3);
    value[0] = value[1] = r;
    CONF_TRY(c, set_put(c, SET_FIRST, conf_at(c, partner, WORD_OF(1)), &value[0], 8));
    CONF_TRY(c, set_put(c, SET_FIRST + 1, conf_at(c, near, word), &value[1], 8));
    CONF_TRY(c, set_flush(c, SET_FIRST + 1, r % 8 == 0 ? near : FAB_ALL, FAB_REMOTE));
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, partner, WORD_OF(1)), 8));
    tries++;
    if (got < r) missed++;
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, near, word), 8));
    CONF_CHECK(c, got == r, "after the flush of its set a put is not there: %llu",
               (unsigned long long)got);
    CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
  }
  return conf_weak_verdict(c, missed, tries, partner != UINT32_MAX,
                           "a put was invisible after the flush of another set");
}

/* Weak: an order of one set does not hold back what another posts. */
static int order_other(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c));
  uint64_t *value = kept(c), found = 0, rounds = (uint64_t)c->o.rounds * MORE;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= rounds; r++) {
    if (c->me < partner) {
      value[0] = value[1] = r;
      CONF_TRY(c, set_put(c, SET_FIRST, conf_at(c, partner, WORD_OF(1)), &value[0], 8));
      CONF_TRY(c, set_order(c, SET_FIRST + (uint32_t)(r % 2), partner));
      CONF_TRY(c, set_put(c, SET_FIRST + 1, conf_at(c, partner, WORD_OF(2)), &value[1], 8));
      CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
    } else {
      bool seen = false;
      for (uint64_t end = conf_deadline(c);;) {
        uint64_t y = conf_load(c, WORD_OF(2)), x = conf_load(c, WORD_OF(1));
        seen = seen || (y == r && x < r);
        if (y == r && x == r) break;
        CONF_PASS(conf_poll(c, end));
      }
      if (seen) found++;
    }
    CONF_PASS(conf_meet(c, partner, WORD_OF(0), r));
  }
  return conf_weak_verdict(c, found, rounds, partner != UINT32_MAX && c->me > partner,
                           "a put overtook one of another set past an order");
}

const struct conf_case conf_cases_set[] = {
    {"set_flush_completes_its_operations", 1, flush_own},
    {"set_flush_brings_its_results", 1, flush_results},
    {"set_operations_are_in_the_flush_of_all", 1, flush_all_sets},
    {"set_order_puts_data_before_flag", 1, order_own},
    {"order_of_all_sets_puts_data_before_flag", 1, order_all_sets},
    {"weak_set_flush_may_leave_other_sets", 2, flush_other},
    {"weak_set_order_may_leave_other_sets", 2, order_other},
    {NULL, 0, NULL},
};
