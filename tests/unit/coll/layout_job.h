/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_job.h - runs the plans of all members of a team with a layout, with boards in memory and
 * no fabric: every message is awaited, no word has two senders, results are those of the canonical
 * tree. For the tests that include it, each once. */
#ifndef EYOT_TESTS_UNIT_COLL_LAYOUT_JOB_H
#define EYOT_TESTS_UNIT_COLL_LAYOUT_JOB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/gen.h"
#include "coll/gen_multi.h"
#include "teams/ranges.h"

enum { VALUES = 2 };

/* A message that lands where it is expected: what has been sent, and where it is expected. */
struct direct {
  const uint64_t *from;
  uint64_t *to;
  uint64_t len, expected;
  uint32_t sender, expects; /* plus 1 */
  bool landed;
};

struct member {
  struct eyoti_team team;
  struct eyoti_plan *plan;
  uint32_t pc;
  uint64_t *in, *out, *board, *temp;
  uint32_t *sender;      /* of each word, plus 1; 0: nothing has come */
  struct direct *direct; /* of each word */
  uint32_t lends;        /* direct messages that have not landed */
};

struct job {
  uint32_t size, root;
  bool any_order, in_place, late; /* late: direct messages land as late as they may */
  struct eyoti_layout layout;
  uint32_t radix;
  struct member *member;
};

/* What the generators see of a team is its size and units; the layout comes from here. */
static struct job job;

static uint64_t combined(uint64_t left, uint64_t right) {
  if (job.any_order) return left + right;
  uint64_t x = left * 0x9e3779b97f4a7c15u + right; /* no other order gives the same */
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint64_t value_of(uint32_t member, uint32_t i) {
  return (uint64_t)(member + 1) * 1000003u + i * 7919u;
}

/* The canonical tree over members base .. base + 2^k - 1. */
static uint64_t tree(uint32_t base, uint32_t k, uint32_t i) {
  if (k == 0) return value_of(base, i);
  uint64_t half = (uint64_t)1 << (k - 1);
  uint64_t left = tree(base, k - 1, i);
  return base + half < job.size ? combined(left, tree((uint32_t)(base + half), k - 1, i)) : left;
}

static void gen_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_allreduce(p, a, &job.layout, job.radix, job.any_order);
}
static void gen_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_reduce(p, a, &job.layout, job.radix, job.any_order);
}
static void gen_alltoall(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_alltoall(p, a, &job.layout);
}
static void gen_allgather(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_allgather(p, a, &job.layout);
}
static void gen_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_broadcast(p, a, &job.layout, job.radix);
}

static void gen_broadcast_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_broadcast(p, a, &job.layout);
}

static void gen_allreduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_allreduce_nodes(p, a, &job.layout, job.any_order);
}
static void gen_reduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_reduce(p, a, &job.layout, job.any_order);
}

static uint64_t *ref_at(struct member *m, uint8_t base, uint64_t off) {
  uint64_t *at = base == EYOTI_IN     ? m->in
                 : base == EYOTI_OUT  ? m->out
                 : base == EYOTI_TEMP ? m->temp
                                      : m->board;
  assert_int_equal(off % 8, 0);
  return at + off / 8;
}

/* A direct message lands when both sides have come to it, or later, while one of them waits for
 * it: its source is read only then. */
static void land(struct member *m, uint32_t word) {
  struct direct *d = &m->direct[word];
  if (d->sender == 0 || d->expects == 0 || d->landed) return;
  d->landed = true;
  assert_int_equal(d->sender, d->expects);
  assert_int_equal(d->len, d->expected);
  assert_int_equal(m->sender[word], 0);
  memcpy(d->to, d->from, d->len);
  m->sender[word] = d->sender;
  job.member[d->sender - 1].lends--;
}

/* Those that the member has sent. */
static void land_all_of(const struct member *m) {
  for (uint32_t i = 0; i < job.size; i++)
    for (uint32_t w = 0; w < job.member[i].plan->words; w++)
      if (job.member[i].direct[w].sender == m->team.me + 1) land(&job.member[i], w);
}

/* The heads of all others. */
static bool await_each(struct member *m, uint32_t word) {
  for (uint32_t i = 0; i < job.size; i++)
    if (i != m->team.me && m->sender[word + i] == 0) return false;
  for (uint32_t i = 0; i < job.size; i++) {
    if (i == m->team.me) continue;
    assert_int_equal(m->sender[word + i], i + 1);
    m->sender[word + i] = UINT32_MAX;
  }
  return true;
}

/* One step; false: the message is not there. */
static bool step(struct member *m, const struct eyoti_step *s) {
  struct member *peer = &job.member[s->peer];
  uint64_t *to, *from;
  switch (s->kind) {
    case EYOTI_STEP_PUT:
      assert_int_equal(peer->sender[s->word], 0);
      assert_true(s->to + s->len <= peer->plan->board_bytes);
      if (s->len > 0)
        memcpy(ref_at(peer, EYOTI_BOARD, s->to), ref_at(m, s->from_in, s->from), s->len);
      peer->sender[s->word] = m->team.me + 1;
      return true;
    case EYOTI_STEP_AWAIT:
      land(m, s->word);
      if (m->sender[s->word] == 0) return false;
      assert_int_equal(m->sender[s->word], s->peer + 1);
      m->sender[s->word] = UINT32_MAX; /* awaited */
      return true;
    case EYOTI_STEP_AWAIT_EACH:
      return await_each(m, s->word);
    case EYOTI_STEP_SEND:
      assert_int_equal(peer->direct[s->word].sender, 0);
      peer->direct[s->word].sender = m->team.me + 1;
      peer->direct[s->word].from = ref_at(m, s->from_in, s->from);
      peer->direct[s->word].len = s->len;
      m->lends++;
      if (!job.late) land(peer, s->word);
      return true;
    case EYOTI_STEP_EXPECT:
      assert_int_equal(m->direct[s->word].expects, 0);
      m->direct[s->word].expects = s->peer + 1;
      m->direct[s->word].to = ref_at(m, s->to_in, s->to);
      m->direct[s->word].expected = s->len;
      if (!job.late) land(m, s->word);
      return true;
    case EYOTI_STEP_DRAIN:
      land_all_of(m);
      return m->lends == 0;
    case EYOTI_STEP_COPY:
      for (uint64_t i = 0; i < s->count; i++)
        memcpy(ref_at(m, s->to_in, s->to + i * s->to_stride),
               ref_at(m, s->from_in, s->from + i * s->from_stride), s->len);
      return true;
    case EYOTI_STEP_COMBINE:
      to = ref_at(m, s->to_in, s->to), from = ref_at(m, s->from_in, s->from);
      for (uint64_t i = 0; i < s->len; i++)
        to[i] = s->before ? combined(from[i], to[i]) : combined(to[i], from[i]);
      return true;
    default:
      fail_msg("a step of kind %u", s->kind);
      return false;
  }
}

/* Members take turns, each as far as it comes, the last ones first in every other turn. */
static void run_all(void) {
  uint32_t over = 0;
  for (uint32_t turn = 0; over < job.size; turn++) {
    bool moved = false;
    over = 0;
    for (uint32_t i = 0; i < job.size; i++) {
      struct member *m = &job.member[turn % 2 == 0 ? i : job.size - 1 - i];
      while (m->pc < m->plan->steps && step(m, &m->plan->step[m->pc])) m->pc++, moved = true;
      over += m->pc == m->plan->steps;
    }
    assert_true(moved || over == job.size);
  }
}

static void run_plans(eyoti_plan_gen gen, enum eyoti_coll_function function, uint64_t values) {
  struct eyoti_ranges *units;
  struct eyoti_coll_args a = {.function = function,
                              .root = job.root,
                              .type = EYOT_UINT64,
                              .op = EYOT_SUM,
                              .combiner = {.width = 8},
                              .count = values,
                              .bytes = values * 8,
                              .len = values * 8};
  assert_int_equal(eyoti_ranges_new(0, job.size, 1, &units), EYOT_OK);
  job.member = calloc(job.size, sizeof *job.member);
  for (uint32_t i = 0; i < job.size; i++) {
    struct member *m = &job.member[i];
    m->team = (struct eyoti_team){.size = job.size, .me = i, .units = units};
    m->plan = eyoti_plan_make(&m->team, &a, gen);
    assert_non_null(m->plan);
    assert_int_equal(m->plan->words, job.member[0].plan->words);
    assert_int_equal(m->plan->board_bytes, job.member[0].plan->board_bytes);
    m->board = calloc(1, m->plan->board_bytes + 8);
    m->temp = calloc(1, m->plan->temp_bytes + 8);
    m->sender = calloc(m->plan->words, sizeof *m->sender);
    m->direct = calloc(m->plan->words, sizeof *m->direct);
    m->in = calloc(values * job.size, 8);
    m->out = job.in_place ? m->in : calloc(values * job.size, 8);
    for (uint32_t k = 0; k < values * job.size; k++) m->in[k] = value_of(i, k);
    if (function == EYOTI_COLL_BROADCAST && i == job.root) memcpy(m->out, m->in, values * 8);
  }
  run_all();
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < job.size) levels++;
  for (uint32_t i = 0; i < job.size; i++) {
    struct member *m = &job.member[i];
    bool blocks = function == EYOTI_COLL_ALLTOALL || function == EYOTI_COLL_ALLGATHER;
    bool has = !blocks && (function != EYOTI_COLL_REDUCE || i == job.root);
    uint64_t mine = function == EYOTI_COLL_ALLTOALL ? i * values : 0; /* of a member's blocks */
    for (uint64_t k = 0; k < values * job.size && blocks; k++)
      assert_true(m->out[k] == value_of((uint32_t)(k / values), (uint32_t)(mine + k % values)));
    for (uint32_t k = 0; k < values && has; k++)
      assert_true(m->out[k] ==
                  (function == EYOTI_COLL_BROADCAST ? value_of(job.root, k) : tree(0, levels, k)));
    assert_int_equal(m->lends, 0);
    for (uint32_t w = 0; w < m->plan->words; w++)
      assert_true(m->sender[w] == 0 || m->sender[w] == UINT32_MAX);
    eyoti_plan_free(m->plan);
    free(m->in);
    if (!job.in_place) free(m->out);
    free(m->direct);
    free(m->board);
    free(m->temp);
    free(m->sender);
  }
  free(job.member);
  free(units);
}
#endif
