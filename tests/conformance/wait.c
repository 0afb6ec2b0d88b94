/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - conformance: wait_mem and wait_any: every comparison, waking by every kind of write,
 * timeout, misuse. */
#include "conformance/conformance.h"

#define WORD (CONF_CTRL)
#define OTHER (CONF_CTRL + 8u)
#define TURN (CONF_CTRL + 16u)
#define ANY (CONF_CTRL + 64u) /* words of wait_any */
#define ANY_WORDS 5u
#define BIG (1ull << 63)

static int look(struct conf_ctx *c, enum fab_cmp cmp, uint64_t value, uint64_t word) {
  uint64_t seen = 1234567;
  bool holds = fab_cmp_holds(cmp, word, value);
  int rc = fab_wait_mem(c->f, c->seg, WORD, cmp, value, 0, &seen);
  CONF_CHECK(c, rc == (holds ? 0 : EYOT_ETIMEOUT),
             "looking once whether %#llx is (cmp %d) %#llx gave %s", (unsigned long long)word,
             (int)cmp, (unsigned long long)value, conf_code(rc));
  CONF_CHECK(c, seen == (holds ? word : 1234567), "wait_mem says it saw %llu",
             (unsigned long long)seen);
  if (holds) CONF_TRY(c, fab_wait_mem(c->f, c->seg, WORD, cmp, value, FAB_FOREVER, NULL));
  return 0;
}

static int wait_compare(struct conf_ctx *c) {
  static const uint64_t WORDS[] = {0, 1, 5, 6, 7, BIG - 1, BIG, BIG + 1, UINT64_MAX};
  for (uint32_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++) {
    const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = 8, .operand = WORDS[w]};
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, WORD), &set, NULL));
    for (uint32_t v = 0; v < sizeof WORDS / sizeof *WORDS; v++)
      for (uint32_t cmp = FAB_EQ; cmp <= FAB_GE; cmp++)
        CONF_PASS(look(c, (enum fab_cmp)cmp, WORDS[v], WORDS[w]));
  }
  return 0;
}

/* A partner changes the word so that each comparison begins to hold while the unit waits. */
static int wait_wakes_compare(struct conf_ctx *c) {
  static const struct {
    uint64_t before, after, value;
    enum fab_cmp cmp;
  } STEPS[] = {{1, 5, 5, FAB_EQ}, {5, 6, 5, FAB_NE}, {9, 8, 9, FAB_LT},
               {9, 8, 8, FAB_LE}, {3, 4, 3, FAB_GT}, {3, BIG, BIG, FAB_GE}};
  uint32_t partner = conf_partner(c, 1), rounds = c->o.rounds / 20 + 1;
  if (partner == UINT32_MAX) return 0;
  uint64_t turn = 0;
  for (uint32_t r = 0; r < rounds; r++)
    for (uint32_t s = 0; s < sizeof STEPS / sizeof *STEPS; s++) {
      const struct fab_amo before = {.op = FAB_AMO_SWAP, .width = 8, .operand = STEPS[s].before};
      const struct fab_sig after = {
          .at = conf_at(c, partner, WORD), .op = FAB_SIG_SET, .value = STEPS[s].after};
      CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, WORD), &before, NULL));
      CONF_PASS(conf_meet(c, partner, TURN, ++turn));
      if (r % 2 == 0) CONF_TRY(c, c->f->ops->compute(c->f, 1000));
      CONF_TRY(c, fab_put_signal(c->f, after.at, NULL, 0, &after, NULL));
      CONF_PASS(conf_wait(c, WORD, STEPS[s].cmp, STEPS[s].value));
      CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
      CONF_PASS(conf_meet(c, partner, TURN, ++turn));
    }
  return 0;
}

/* Ping-pong in which the waking write is each kind in turn. */
static int wake_by(struct conf_ctx *c, uint32_t partner, uint64_t turn) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1},
                       set = {.op = FAB_AMO_SWAP, .width = 8, .operand = turn},
                       cas = {.op = FAB_AMO_CAS, .width = 8, .operand = turn, .compare = turn - 1};
  const struct fab_sig sig_set = {.at = conf_at(c, partner, WORD),
                                  .op = FAB_SIG_SET,
                                  .value = turn},
                       sig_add = {.at = conf_at(c, partner, WORD), .op = FAB_SIG_ADD, .value = 1};
  switch (turn % 5) {
    case 0:
      CONF_TRY(c, fab_amo_wait(c->f, sig_set.at, &add, NULL));
      return 0;
    case 1:
      CONF_TRY(c, fab_amo_wait(c->f, sig_set.at, &set, NULL));
      return 0;
    case 2:
      CONF_TRY(c, fab_amo_wait(c->f, sig_set.at, &cas, NULL));
      return 0;
    case 3:
      CONF_TRY(c, fab_put_signal_wait(c->f, sig_set.at, NULL, 0, &sig_set));
      return 0;
    default:
      CONF_TRY(c, fab_put_signal_wait(c->f, sig_add.at, NULL, 0, &sig_add));
      return 0;
  }
}

static int wait_wakes(struct conf_ctx *c) {
  for (uint32_t far = 0; far < 2; far++) {
    uint32_t partner = conf_partner(c, far != 0 ? conf_far(c) : 1);
    if (partner != UINT32_MAX) {
      uint64_t start = (uint64_t)far * c->o.rounds;
      const struct fab_amo reset = {.op = FAB_AMO_SWAP, .width = 8, .operand = start};
      CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, WORD), &reset, NULL));
      CONF_PASS(conf_meet(c, partner, TURN + 8ull * far, 1));
      for (uint64_t r = start + 1; r <= start + c->o.rounds; r++) {
        if (c->me > partner) CONF_PASS(wake_by(c, partner, r));
        CONF_PASS(conf_wait(c, WORD, FAB_EQ, r));
        if (c->me < partner) CONF_PASS(wake_by(c, partner, r));
      }
    }
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

static int wait_timeout(struct conf_ctx *c) {
  uint64_t before = c->f->ops->now_ns(c->f), seen = 99, timeout = 200000 + 1000ull * c->me;
  int rc = fab_wait_mem(c->f, c->seg, WORD, FAB_EQ, 1, timeout, &seen);
  CONF_CHECK(c, rc == EYOT_ETIMEOUT, "waiting for what never comes gave %s", conf_code(rc));
  CONF_CHECK(c, seen == 99, "a timeout wrote its output");
  uint64_t took = c->f->ops->now_ns(c->f) - before;
  CONF_CHECK(c, took >= timeout, "a timeout of %llu ns came after %llu ns",
             (unsigned long long)timeout, (unsigned long long)took);
  CONF_PASS(conf_barrier(c));
  /* A unit whose wait timed out is woken as before. */
  CONF_PASS(conf_add(c, conf_peer(c, 1), WORD, 1, NULL));
  return conf_wait(c, WORD, FAB_EQ, 1);
}

static int wait_misuse(struct conf_ctx *c) {
  conf_hush(c, true);
  for (uint32_t off = 1; off < 8; off++)
    CONF_REFUSED(c, fab_wait_mem(c->f, c->seg, WORD + off, FAB_EQ, 0, 0, NULL), EYOT_EALIGN);
  CONF_REFUSED(c, fab_wait_mem(c->f, c->seg, CONF_SEG_BYTES, FAB_EQ, 0, 0, NULL), EYOT_ERANGE);
  CONF_REFUSED(c, fab_wait_mem(c->f, c->seg, UINT64_MAX - 7, FAB_EQ, 0, 0, NULL), EYOT_ERANGE);
  CONF_REFUSED(c, fab_wait_mem(c->f, c->seg + FAB_SEG_MAX - 1, WORD, FAB_EQ, 0, 0, NULL),
               EYOT_ESEG);
  int rc = fab_wait_mem(c->f, FAB_SEG_ATTACHED, WORD, FAB_EQ, 0, 0, NULL);
  CONF_CHECK(c, rc < 0 && rc != EYOT_ETIMEOUT,
             "waiting for attached memory gave %s, expected an error", conf_code(rc));
  conf_hush(c, false);
  /* the last word is one */
  CONF_TRY(c, fab_wait_mem(c->f, c->seg, CONF_SEG_BYTES - 8, FAB_GE, 0, 0, NULL));
  return 0;
}

/* Units wait in a ring, each woken by the one before it. */
static int wait_ring(struct conf_ctx *c) {
  uint32_t rounds = c->o.rounds / c->n + 2;
  for (uint32_t r = 1; r <= rounds; r++) {
    if (c->me == 0 && c->n > 1) CONF_PASS(conf_add(c, 1, OTHER, 1, NULL));
    if (c->n == 1) CONF_PASS(conf_add(c, 0, OTHER, 1, NULL));
    CONF_PASS(conf_wait(c, OTHER, FAB_EQ, r));
    if (c->me != 0) CONF_PASS(conf_add(c, (c->me + 1) % c->n, OTHER, 1, NULL));
  }
  return 0;
}

static uint64_t any_at(uint32_t i) {
  return ANY + 8ull * i;
}

static int set_word(struct conf_ctx *c, uint64_t off, uint64_t value) {
  const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = 8, .operand = value};
  CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, c->me, off), &set, NULL));
  return 0;
}

/* The condition that a check finds to hold; n: none. */
static int look_any(struct conf_ctx *c, const struct fab_cond *conds, uint32_t n,
                    uint32_t expected) {
  uint32_t index = 1234567;
  int rc = fab_wait_any(c->f, conds, n, 0, &index);
  CONF_CHECK(c, rc == (expected < n ? 0 : EYOT_ETIMEOUT), "looking once at %u words gave %s", n,
             conf_code(rc));
  CONF_CHECK(c, index == (expected < n ? expected : 1234567),
             "condition %u was said to hold, expected %u", index, expected);
  if (expected == n) return 0;
  CONF_TRY(c, fab_wait_any(c->f, conds, n, FAB_FOREVER, &index));
  CONF_CHECK(c, index == expected, "condition %u was said to hold, expected %u", index, expected);
  return 0;
}

/* Any words, comparisons and values: the lowest that holds, or none. One word may be in several
 * conditions. */
static int wait_any_lowest(struct conf_ctx *c) {
  static const uint64_t VALUES[] = {0, 1, BIG - 1, BIG, BIG + 1, UINT64_MAX};
  enum { N_VALUES = sizeof VALUES / sizeof *VALUES };
  for (uint32_t r = 0; r < 2 * c->o.rounds; r++) {
    struct fab_cond conds[ANY_WORDS];
    uint32_t n = 1 + (uint32_t)(conf_random(c) % ANY_WORDS), expected = n;
    for (uint32_t i = 0; i < ANY_WORDS; i++)
      CONF_PASS(set_word(c, any_at(i), VALUES[conf_random(c) % N_VALUES]));
    for (uint32_t i = 0; i < n; i++)
      conds[i] = (struct fab_cond){.seg = c->seg,
                                   .cmp = (enum fab_cmp)(conf_random(c) % (FAB_GE + 1)),
                                   .off = any_at((uint32_t)(conf_random(c) % ANY_WORDS)),
                                   .value = VALUES[conf_random(c) % N_VALUES]};
    for (uint32_t i = n; i-- > 0;)
      if (fab_cmp_holds(conds[i].cmp, conf_load(c, conds[i].off), conds[i].value)) expected = i;
    CONF_PASS(look_any(c, conds, n, expected));
  }
  return 0;
}

/* Waits until one of n words that are at `was` has grown by 2: by 1 is not enough. */
static int wait_growth(struct conf_ctx *c, const fab_seg_t *segs, uint64_t *was, uint32_t n,
                       uint32_t expected) {
  struct fab_cond conds[ANY_WORDS];
  uint32_t index = n;
  for (uint32_t i = 0; i < n; i++)
    conds[i] =
        (struct fab_cond){.seg = segs[i], .cmp = FAB_GE, .off = any_at(i), .value = was[i] + 2};
  CONF_TRY(c, fab_wait_any(c->f, conds, n, c->o.timeout_ns, &index));
  CONF_CHECK(c, index == expected, "woken by word %u of %u, expected %u", index, n, expected);
  for (uint32_t i = 0; i < n; i++) was[i] += i == expected ? 2 : 1;
  return 0;
}

/* Adds 1 to each of a partner's n words, then 1 to word `late`, which wakes it: by an atomic, a
 * put, or a signal. */
static int grow(struct conf_ctx *c, uint32_t partner, const fab_seg_t *segs, uint32_t n,
                uint32_t late) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  uint64_t value = 0;
  for (uint32_t i = 0; i < n; i++)
    CONF_TRY(c, fab_amo_wait(c->f, fab_at(partner, segs[i], any_at(i)), &add,
                             i == late ? &value : NULL));
  value += 2;
  if (late % 2 == 0) CONF_TRY(c, c->f->ops->compute(c->f, 3000));
  const struct fab_addr at = fab_at(partner, segs[late], any_at(late));
  const struct fab_sig sig = {.at = at, .op = FAB_SIG_ADD, .value = 1};
  if (late % 3 == 0)
    CONF_TRY(c, fab_amo_wait(c->f, at, &add, NULL));
  else if (late % 3 == 1)
    CONF_TRY(c, fab_put_wait(c->f, at, &value, sizeof value));
  else
    CONF_TRY(c, fab_put_signal_wait(c->f, at, NULL, 0, &sig));
  return 0;
}

static int any_ping_pong(struct conf_ctx *c, uint32_t partner, const fab_seg_t *segs,
                         uint64_t turn) {
  uint64_t was[ANY_WORDS];
  for (uint32_t i = 0; i < ANY_WORDS; i++)
    CONF_TRY(c, fab_wait_mem(c->f, segs[i], any_at(i), FAB_GE, 0, FAB_FOREVER, &was[i]));
  CONF_PASS(conf_meet(c, partner, turn, 1));
  for (uint32_t r = 0; r < c->o.rounds; r++) {
    uint32_t n = 1 + r % ANY_WORDS, late = (r * 7 + 3) % n; /* the same on both */
    if (c->me > partner) CONF_PASS(grow(c, partner, segs, n, late));
    CONF_PASS(wait_growth(c, segs, was, n, late));
    if (c->me < partner) CONF_PASS(grow(c, partner, segs, n, late));
  }
  return 0;
}

/* Partners in turn; woken by the late word and by no other, wherever in the list it is. */
static int wait_any_wakes(struct conf_ctx *c) {
  fab_seg_t segs[ANY_WORDS];
  for (uint32_t i = 0; i < ANY_WORDS; i++) segs[i] = c->seg;
  for (uint32_t far = 0; far < 2; far++) {
    uint32_t partner = conf_partner(c, far != 0 ? conf_far(c) : 1);
    if (partner != UINT32_MAX) CONF_PASS(any_ping_pong(c, partner, segs, TURN + 8ull * far));
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

/* Words of three segments in one list. */
static int wait_any_segments(struct conf_ctx *c) {
  fab_seg_t made[2], segs[ANY_WORDS];
  for (uint32_t s = 0; s < 2; s++)
    CONF_TRY(c, c->f->ops->seg_create(c->f, 2 * CONF_CTRL, &made[s]));
  for (uint32_t i = 0; i < ANY_WORDS; i++) segs[i] = i % 3 == 0 ? c->seg : made[i % 3 - 1];
  uint32_t partner = conf_partner(c, conf_far(c));
  if (partner != UINT32_MAX) CONF_PASS(any_ping_pong(c, partner, segs, TURN));
  CONF_PASS(conf_barrier(c));
  for (uint32_t s = 0; s < 2; s++) CONF_TRY(c, c->f->ops->seg_destroy(c->f, made[s]));
  return 0;
}

static int wait_any_timeout(struct conf_ctx *c) {
  struct fab_cond conds[ANY_WORDS];
  for (uint32_t i = 0; i < ANY_WORDS; i++)
    conds[i] = (struct fab_cond){.seg = c->seg, .cmp = FAB_EQ, .off = any_at(i), .value = 1};
  uint64_t before = c->f->ops->now_ns(c->f), timeout = 200000 + 1000ull * c->me;
  uint32_t index = 99;
  int rc = fab_wait_any(c->f, conds, ANY_WORDS, timeout, &index);
  CONF_CHECK(c, rc == EYOT_ETIMEOUT, "waiting for what never comes gave %s", conf_code(rc));
  CONF_CHECK(c, index == 99, "a timeout wrote its output");
  uint64_t took = c->f->ops->now_ns(c->f) - before;
  CONF_CHECK(c, took >= timeout, "a timeout of %llu ns came after %llu ns",
             (unsigned long long)timeout, (unsigned long long)took);
  CONF_PASS(conf_barrier(c));
  /* A unit whose wait timed out is woken as before. */
  CONF_PASS(conf_add(c, conf_peer(c, 1), any_at(ANY_WORDS - 1), 1, NULL));
  CONF_TRY(c, fab_wait_any(c->f, conds, ANY_WORDS, c->o.timeout_ns, &index));
  CONF_CHECK(c, index == ANY_WORDS - 1, "condition %u was said to hold, expected %u", index,
             ANY_WORDS - 1);
  return 0;
}

/* The condition that is wrong comes second: all are checked, though the first holds. */
static int wait_any_misuse(struct conf_ctx *c) {
  const struct fab_cond good = {.seg = c->seg, .cmp = FAB_GE, .off = WORD, .value = 0};
  const struct {
    struct fab_cond cond;
    int code;
  } BAD[] = {{{c->seg, FAB_GE, WORD + 4, 0, FAB_U64}, EYOT_EALIGN},
             {{c->seg, FAB_GE, CONF_SEG_BYTES, 0, FAB_U64}, EYOT_ERANGE},
             {{c->seg, FAB_GE, UINT64_MAX - 7, 0, FAB_U64}, EYOT_ERANGE},
             {{c->seg + FAB_SEG_MAX - 1, FAB_GE, WORD, 0, FAB_U64}, EYOT_ESEG},
             {{c->seg, (enum fab_cmp)(FAB_GE + 1), WORD, 0, FAB_U64}, EYOT_EINVAL}};
  uint32_t index = 99;
  conf_hush(c, true);
  CONF_REFUSED(c, fab_wait_any(c->f, &good, 0, 0, &index), EYOT_EINVAL);
  for (uint32_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    const struct fab_cond conds[] = {good, BAD[i].cond};
    CONF_REFUSED(c, fab_wait_any(c->f, conds, 2, FAB_FOREVER, &index), BAD[i].code);
  }
  const struct fab_cond attached[] = {good, {FAB_SEG_ATTACHED, FAB_GE, WORD, 0, FAB_U64}};
  int rc = fab_wait_any(c->f, attached, 2, 0, &index);
  CONF_CHECK(c, rc < 0 && rc != EYOT_ETIMEOUT,
             "waiting for attached memory gave %s, expected an error", conf_code(rc));
  conf_hush(c, false);
  CONF_CHECK(c, index == 99, "an error wrote its output");
  const struct fab_cond last = {
      .seg = c->seg, .cmp = FAB_GE, .off = CONF_SEG_BYTES - 8, .value = 0};
  return look_any(c, &last, 1, 0);
}

const struct conf_case conf_cases_wait[] = {
    {"wait_compares_unsigned_words", 1, wait_compare},
    {"wait_wakes_for_each_comparison", 2, wait_wakes_compare},
    {"wait_wakes_after_each_write", 2, wait_wakes},
    {"wait_times_out_not_early", 1, wait_timeout},
    {"wait_misuse_is_refused", 1, wait_misuse},
    {"wait_in_a_ring_misses_no_wakeup", 1, wait_ring},
    {"wait_any_returns_the_lowest_that_holds", 1, wait_any_lowest},
    {"wait_any_wakes_by_each_word", 2, wait_any_wakes},
    {"wait_any_spans_segments", 2, wait_any_segments},
    {"wait_any_times_out_not_early", 1, wait_any_timeout},
    {"wait_any_misuse_is_refused", 1, wait_any_misuse},
    {NULL, 0, NULL},
};
