/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_run.h - executes the plans of all members of a team with boards in memory and no fabric, in
 * a random order of steps: for unit tests of generators with messages to private memory. Fails the
 * test if a word has two senders, a message is not what its receiver expects, or one is sent to
 * private memory that the receiver's plan does not expect. */
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/gen.h"
#include "coll/run.h"
#include "teams/ranges.h"

#ifndef MEMBERS_MOST
#define MEMBERS_MOST 24
#endif
enum { NOBODY = UINT32_MAX };

/* A message to private memory: where it comes from, and where it is expected. */
struct apart {
  const char *from;
  char *to;
  uint64_t len, expected;
  uint32_t chunk, expects; /* plus 1; expects 0: none */
  uint32_t sender;         /* or NOBODY */
};
/* A word of a board: what has set it, and to what. */
struct word {
  uint32_t sender, chunk;
  bool set, awaited, is_put;
  enum eyoti_coll_function function; /* of a head */
  struct apart apart;
};

struct member {
  struct eyoti_team team;
  struct eyoti_coll_args args;
  struct eyoti_plan *plan;
  struct eyoti_coll_op op;
  struct word *word;
  char *board, *temp;
  uint64_t in_bytes, out_bytes;
  char *in, *out;
  uint32_t pc;
  uint32_t lends; /* messages to private memory that have not landed */
  bool failed;
};

static struct {
  uint32_t size;
  uint64_t random;
  bool late; /* messages land while somebody waits for them */
  bool adds; /* the operator is a sum; else no other order gives the same */
  struct member member[MEMBERS_MOST];
  struct eyoti_ranges *units;
} job;

static inline uint32_t draw(uint32_t n) {
  job.random = job.random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(job.random >> 33) % n;
}

static inline uint64_t combined(uint64_t left, uint64_t right) {
  uint64_t x = left * 0x9e3779b97f4a7c15u + right;
  if (job.adds) return left + right;
  return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

/* -- execution --------------------------------------------------------------------------------- */

static inline void land(struct word *w) {
  struct apart *a = &w->apart;
  if (a->sender == NOBODY || a->expects == 0) return;
  assert_int_equal(a->chunk, a->expects);
  assert_int_equal(a->len, a->expected);
  assert_true(!w->set || (w->awaited && w->chunk < a->chunk - 1));
  memcpy(a->to, a->from, a->len);
  w->set = true;
  w->awaited = false;
  w->sender = a->sender;
  w->chunk = a->chunk - 1;
  job.member[a->sender].lends--;
  a->sender = NOBODY;
  a->expects = 0;
}

static inline void land_all_of(uint32_t sender) {
  for (uint32_t i = 0; i < job.size; i++)
    for (uint32_t w = 0; w < job.member[i].plan->words; w++)
      if (job.member[i].word[w].apart.sender == sender) land(&job.member[i].word[w]);
}

/* Whether the plan of a member has such a message in it. */
static inline bool is_expected(const struct member *m, const struct eyoti_step *s,
                               uint32_t sender) {
  for (uint32_t i = 0; i < m->plan->steps; i++) {
    const struct eyoti_step *e = &m->plan->step[i];
    if (e->kind == EYOTI_STEP_EXPECT && e->word == s->word && e->chunk == s->chunk &&
        e->peer == sender)
      return e->len == s->len;
  }
  return false;
}

static inline void put(struct member *m, const struct eyoti_step *s) {
  struct member *peer = &job.member[s->peer];
  if (s->word >= peer->plan->words) return; /* of a call that differs */
  struct word *w = &peer->word[s->word];
  bool same = peer->args.function == m->args.function;
  assert_true(!same || !w->set);
  if (s->to + s->len <= peer->plan->board_bytes && s->len > 0)
    memcpy(peer->board + s->to, eyoti_run_at(&m->op, s->from_in, s->from), s->len);
  w->set = true;
  w->sender = m->team.me;
  w->chunk = s->chunk;
  w->function = m->args.function;
  w->is_put = true;
}

static inline bool await(struct member *m, const struct eyoti_step *s) {
  struct word *w = &m->word[s->word];
  land(w);
  if (!w->set || w->chunk < s->chunk) return false;
  if (s->chunk == EYOTI_HEAD && w->is_put && w->function != m->args.function) {
    m->failed = true;
    return true;
  }
  assert_int_equal(w->sender, s->peer);
  w->awaited = true;
  return true;
}

static inline void send(struct member *m, const struct eyoti_step *s) {
  struct member *peer = &job.member[s->peer];
  assert_true(is_expected(peer, s, m->team.me));
  struct apart *a = &peer->word[s->word].apart;
  assert_int_equal(a->sender, NOBODY);
  a->sender = m->team.me;
  a->from = eyoti_run_at(&m->op, s->from_in, s->from);
  a->len = s->len;
  a->chunk = s->chunk + 1;
  m->lends++;
  if (!job.late) land(&peer->word[s->word]);
}

static inline void combine(struct member *m, const struct eyoti_step *s) {
  uint64_t x, y;
  for (uint64_t i = 0; i < s->len; i++) {
    char *to = eyoti_run_at(&m->op, s->to_in, s->to) + 8 * i;
    memcpy(&x, to, 8);
    memcpy(&y, eyoti_run_at(&m->op, s->from_in, s->from) + 8 * i, 8);
    x = s->before ? combined(y, x) : combined(x, y);
    memcpy(to, &x, 8);
  }
}

/* One step; false: the message is not there. */
static inline bool step(struct member *m, const struct eyoti_step *s) {
  struct apart *a;
  switch (s->kind) {
    case EYOTI_STEP_PUT:
      put(m, s);
      return true;
    case EYOTI_STEP_AWAIT:
      return await(m, s);
    case EYOTI_STEP_SEND:
      send(m, s);
      return true;
    case EYOTI_STEP_EXPECT:
      a = &m->word[s->word].apart;
      assert_int_equal(a->expects, 0);
      a->expects = s->chunk + 1;
      a->to = eyoti_run_at(&m->op, s->to_in, s->to);
      a->expected = s->len;
      if (!job.late) land(&m->word[s->word]);
      return true;
    case EYOTI_STEP_DRAIN:
      land_all_of(m->team.me);
      return m->lends == 0;
    case EYOTI_STEP_COMBINE:
      combine(m, s);
      return true;
    default:
      m->failed = eyoti_run_local(&m->op, s) != EYOT_OK;
      return true;
  }
}

/* Any member takes its next step, if it can; until none can. */
static inline void run_all(void) {
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t k = 0, first = draw(job.size); k < job.size; k++) {
      struct member *m = &job.member[(first + k) % job.size];
      for (uint32_t n = 1 + draw(6); n > 0 && !m->failed && m->pc < m->plan->steps; n--) {
        if (!step(m, &m->plan->step[m->pc])) break;
        m->pc++;
        moved = true;
      }
    }
  }
}

/* -- jobs -------------------------------------------------------------------------------------- */

static inline void job_begin(uint32_t size, uint64_t seed, bool late) {
  memset(&job, 0, sizeof job);
  job.size = size;
  job.random = seed;
  job.late = late;
  assert_int_equal(eyoti_ranges_new(0, size, 1, &job.units), EYOT_OK);
}

/* Gives member i its plan, and buffers of so many bytes; out 0: OUT is IN. */
static inline void member_begin(uint32_t i, const struct eyoti_coll_args *args, eyoti_plan_gen gen,
                                uint64_t in, uint64_t out) {
  struct member *m = &job.member[i];
  m->team = (struct eyoti_team){.size = job.size, .me = i, .units = job.units};
  m->args = *args;
  m->plan = eyoti_plan_make(&m->team, args, gen);
  assert_non_null(m->plan);
  m->in_bytes = in, m->out_bytes = out;
  m->board = calloc(1, m->plan->board_bytes + 8);
  m->temp = malloc(m->plan->temp_bytes + 8);
  memset(m->temp, 0xa5, m->plan->temp_bytes + 8);
  m->word = calloc(m->plan->words + 1, sizeof *m->word);
  for (uint32_t w = 0; w < m->plan->words; w++) m->word[w].apart.sender = NOBODY;
  m->in = malloc(in + 8);
  for (uint64_t k = 0; k < in; k++) m->in[k] = (char)(k * 31 + k / 251 + i * 101);
  m->out = out > 0 ? malloc(out) : m->in;
  if (out > 0) memset(m->out, 0x5a, out);
  m->op.p = m->plan;
  m->op.args = &m->args;
  m->op.base[EYOTI_IN] = m->in;
  m->op.base[EYOTI_OUT] = m->out;
  m->op.base[EYOTI_BOARD] = m->board;
  m->op.base[EYOTI_TEMP] = m->temp;
}

/* All have ended, and nothing is left over. */
static inline void all_ended(void) {
  for (uint32_t i = 0; i < job.size; i++) land_all_of(i);
  for (uint32_t i = 0; i < job.size; i++) {
    const struct member *m = &job.member[i];
    assert_false(m->failed);
    assert_int_equal(m->pc, m->plan->steps);
    assert_int_equal(m->lends, 0);
    for (uint32_t w = 0; w < m->plan->words; w++)
      assert_true(!m->word[w].set || m->word[w].awaited);
  }
}

static inline void job_end(void) {
  for (uint32_t i = 0; i < job.size; i++) {
    struct member *m = &job.member[i];
    if (m->out != m->in) free(m->out);
    free(m->in);
    free(m->board);
    free(m->temp);
    free(m->word);
    eyoti_plan_free(m->plan);
  }
  free(job.units);
}
#endif
