/* SPDX-License-Identifier: BSD-3-Clause */
/* set_error.c - conformance: errors of operations without request that only the target can know:
 * the flush of their set and unit returns them, once, and no other flush does. They are of memory
 * that its owner has detached, at units whose attached memory the fabric checks. */
#include <string.h>

#include "conformance/conformance.h"

#define KEY (CONF_CTRL)
#define SPOT (CONF_CTRL + 4096u) /* of good operations; a word for each origin */
#define SRC (SPOT + 32768u)
#define LEN 512u
#define SET_FIRST (FAB_SET_DEFAULT + 1u)
#define ROUNDS 6u
#define GOOD 40u /* operations after which those that are over have left all lists */
#define UNTOUCHED 0x5555555555555555u

enum bad { BAD_PUT = 0, BAD_SIGNAL, BAD_GET, BAD_ATOMIC, BAD_KINDS };

/* Results are at places that outlive the case. */
static uint64_t *kept(const struct conf_ctx *c) {
  return (uint64_t *)(void *)(c->mem + SRC);
}

static bool is_checked(const struct conf_ctx *c, uint32_t unit) {
  return unit == c->me || (c->f->caps & FAB_CAP_ATTACH_UNCHECKED) == 0;
}

/* All units attach memory, publish its key, and detach it. */
static int begin(struct conf_ctx *c) {
  static char mem[LEN]; /* no one writes to it */
  uint64_t key;
  CONF_TRY(c, c->f->ops->attach(c->f, mem, LEN, &key));
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, KEY), &key, 8));
  CONF_TRY(c, c->f->ops->detach(c->f, key));
  return conf_barrier(c);
}

static int gone_at(struct conf_ctx *c, uint32_t unit, struct fab_addr *at) {
  uint64_t key;
  CONF_TRY(c, fab_get_wait(c->f, &key, conf_at(c, unit, KEY), 8));
  *at = fab_at(unit, FAB_SEG_ATTACHED, key + 64);
  return 0;
}

/* Posts to the set an operation on memory that is gone. *fails: a flush must report it, because the
 * posting call has not. */
static int post_bad(struct conf_ctx *c, uint32_t set, uint32_t unit, enum bad kind, bool *fails) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  uint64_t *src = kept(c), *result = src + 1;
  struct fab_addr at;
  CONF_PASS(gone_at(c, unit, &at));
  const struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = 1};
  int rc = 0;
  *result = UNTOUCHED;
  c->f->set = (fab_set_t)set;
  switch (kind) {
    case BAD_PUT:
      rc = fab_put(c->f, at, src, 8, NULL);
      break;
    case BAD_SIGNAL:
      rc = fab_put_signal(c->f, at, NULL, 0, &sig, NULL);
      break;
    case BAD_GET:
      rc = fab_get(c->f, result, at, 8, NULL);
      break;
    default:
      rc = fab_amo(c->f, at, &add, result, NULL);
      break;
  }
  c->f->set = FAB_SET_ALL;
  *fails = rc == 0;
  return 0;
}

static int post_good(struct conf_ctx *c, uint32_t set, uint32_t unit, uint32_t n) {
  c->f->set = (fab_set_t)set;
  for (uint32_t i = 0; i < n; i++)
    CONF_TRY(c, fab_put(c->f, conf_at(c, unit, SPOT + 8ull * c->me), kept(c), 8, NULL));
  c->f->set = FAB_SET_ALL;
  return 0;
}

/* The flush of the set returns an error, or (fails false) none. */
static int expect(struct conf_ctx *c, uint32_t set, uint32_t unit, enum fab_level level, bool fails,
                  const char *what) {
  c->f->set = (fab_set_t)set;
  int rc = fab_flush(c->f, unit, level);
  c->f->set = FAB_SET_ALL;
  CONF_CHECK(c, (rc != 0) == fails, "%s: the flush of set %u to unit %d returned %s", what, set,
             (int)unit, conf_code(rc));
  return 0;
}

/* Operations of another set end, so that what has failed before has left the lists. */
static int time_passes(struct conf_ctx *c, uint32_t set, uint32_t unit) {
  for (uint32_t i = 0; i < 3; i++) {
    CONF_PASS(post_good(c, set, unit, GOOD));
    CONF_PASS(expect(c, set, FAB_ALL, i % 2 == 0 ? FAB_REMOTE : FAB_LOCAL, false,
                     "a set without failed operations"));
  }
  return 0;
}

/* Runs `one` with each kind of operation to peers at each distance. */
static int each(struct conf_ctx *c,
                int (*one)(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r)) {
  uint32_t rounds = c->o.rounds < ROUNDS ? c->o.rounds : ROUNDS;
  CONF_PASS(begin(c));
  conf_hush(c, true);
  for (uint32_t r = 0; r < rounds; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++)
      if (is_checked(c, conf_peer(c, k)))
        CONF_PASS(one(c, conf_peer(c, k), (enum bad)((r + k) % BAD_KINDS), r));
  conf_hush(c, false);
  return conf_barrier(c);
}

/* An error shows at the flush of its own set: FAB_SET_DEFAULT is one like the others. */
static int own_flush(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  uint32_t set = FAB_SET_DEFAULT + r % 3, other = FAB_SET_DEFAULT + (r + 1) % 3;
  bool fails;
  CONF_PASS(post_bad(c, set, unit, kind, &fails));
  CONF_PASS(post_good(c, other, unit, 1));
  CONF_PASS(expect(c, other, r % 2 == 0 ? unit : FAB_ALL, FAB_REMOTE, false, "another set"));
  if (r % 2 == 0) CONF_PASS(time_passes(c, other, unit));
  CONF_PASS(expect(c, set, r % 3 == 0 ? FAB_ALL : unit, FAB_REMOTE, fails, "its set"));
  CONF_PASS(expect(c, set, unit, FAB_REMOTE, false, "its set, again"));
  return expect(c, FAB_SET_ALL, FAB_ALL, FAB_REMOTE, false, "all sets, later");
}

static int show_at_their_flush(struct conf_ctx *c) {
  return each(c, own_flush);
}

/* Failed operations of three sets, one of them the default set: each flush returns its own error,
 * in any order. */
static int three_sets(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  bool fails[3];
  for (uint32_t i = 0; i < 3; i++)
    CONF_PASS(post_bad(c, FAB_SET_DEFAULT + i, unit, kind, &fails[i]));
  if (r % 2 == 0) CONF_PASS(time_passes(c, FAB_SET_DEFAULT + 3, unit));
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t i = (r + 2 * k) % 3;
    CONF_PASS(expect(c, FAB_SET_DEFAULT + i, k == 1 ? FAB_ALL : unit, FAB_REMOTE, fails[i],
                     "one of three sets with errors"));
  }
  return expect(c, FAB_SET_ALL, FAB_ALL, FAB_REMOTE, false, "all sets after each one");
}

static int stay_apart(struct conf_ctx *c) {
  return each(c, three_sets);
}

/* A flush of all sets reports the errors of all of them. */
static int all_sets(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  bool fails[2];
  for (uint32_t i = 0; i < 2; i++)
    CONF_PASS(post_bad(c, FAB_SET_DEFAULT + i, unit, kind, &fails[i]));
  if (r % 2 == 0) CONF_PASS(time_passes(c, FAB_SET_DEFAULT + 2, unit));
  CONF_PASS(expect(c, FAB_SET_ALL, r % 3 == 0 ? FAB_ALL : unit, FAB_REMOTE, fails[0] || fails[1],
                   "all sets, two of them with errors"));
  for (uint32_t i = 0; i < 2; i++)
    CONF_PASS(expect(c, FAB_SET_DEFAULT + i, unit, FAB_REMOTE, false, "a set after all"));
  return 0;
}

static int come_with_all(struct conf_ctx *c) {
  return each(c, all_sets);
}

/* The flush of one unit does not return, or forget, the error of another. */
static int two_units(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  uint32_t other = (unit + 1) % c->n, set = SET_FIRST + r % 2;
  bool fails, fails_there = false;
  CONF_PASS(post_bad(c, set, unit, kind, &fails));
  if (other == unit) return expect(c, set, unit, FAB_REMOTE, fails, "the only unit");
  CONF_PASS(post_good(c, set, other, 1));
  CONF_PASS(expect(c, set, other, FAB_REMOTE, false, "a unit without failed operations"));
  if (is_checked(c, other)) CONF_PASS(post_bad(c, set, other, kind, &fails_there));
  if (r % 2 == 0) CONF_PASS(time_passes(c, SET_FIRST + 2, unit));
  CONF_PASS(expect(c, set, other, FAB_REMOTE, fails_there, "one of two units"));
  CONF_PASS(expect(c, set, unit, FAB_REMOTE, fails, "the other of two units"));
  return expect(c, set, FAB_ALL, FAB_REMOTE, false, "all units after each one");
}

static int show_at_their_unit(struct conf_ctx *c) {
  return each(c, two_units);
}

/* A local flush returns the errors of operations with results, which it would have completed, and
 * leaves those of puts to the remote one. */
static int local_flush(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  uint32_t set = FAB_SET_DEFAULT + r % 2;
  bool fails, put = kind == BAD_PUT || kind == BAD_SIGNAL;
  CONF_PASS(post_bad(c, set, unit, kind, &fails));
  if (r % 3 == 0) CONF_PASS(time_passes(c, SET_FIRST + 1, unit));
  CONF_PASS(expect(c, set, unit, FAB_LOCAL, fails && !put, "a local flush"));
  CONF_CHECK(c, kept(c)[1] == UNTOUCHED, "an operation that failed has written its result");
  return expect(c, set, unit, FAB_REMOTE, fails && put, "a remote flush after a local one");
}

static int results_show_at_local_flush(struct conf_ctx *c) {
  return each(c, local_flush);
}

/* A blocking call that fails returns its own error, and leaves those of other sets. */
static int blocking(struct conf_ctx *c, uint32_t unit, enum bad kind, uint32_t r) {
  uint64_t got = UNTOUCHED;
  struct fab_addr at;
  bool fails;
  CONF_PASS(gone_at(c, unit, &at));
  CONF_PASS(post_bad(c, SET_FIRST, unit, kind, &fails));
  int rc = r % 2 == 0 ? fab_put_wait(c->f, at, kept(c), 8) : fab_get_wait(c->f, &got, at, 8);
  CONF_CHECK(c, rc < 0 && got == UNTOUCHED, "a blocking call returned %s", conf_code(rc));
  CONF_PASS(post_good(c, FAB_SET_DEFAULT, unit, 1));
  rc = fab_flush_end(c->f, unit, FAB_LOCAL);
  CONF_CHECK(c, rc == 0, "the flush of a layer's own operations returned %s", conf_code(rc));
  return expect(c, SET_FIRST, unit, FAB_REMOTE, fails, "a set after a blocking call failed");
}

static int outlive_failing_calls(struct conf_ctx *c) {
  return each(c, blocking);
}

const struct conf_case conf_cases_set_error[] = {
    {"set_errors_show_at_the_flush_of_their_set", 1, show_at_their_flush},
    {"set_errors_of_several_sets_stay_apart", 1, stay_apart},
    {"set_errors_come_with_the_flush_of_all", 1, come_with_all},
    {"set_errors_show_at_the_flush_of_their_unit", 1, show_at_their_unit},
    {"set_errors_of_results_show_at_local_flush", 1, results_show_at_local_flush},
    {"set_errors_outlive_failing_calls", 1, outlive_failing_calls},
    {NULL, 0, NULL},
};
