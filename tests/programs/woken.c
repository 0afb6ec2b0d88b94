/* SPDX-License-Identifier: BSD-3-Clause */
/* woken.c - units that sleep in a wait, and are woken: woken ROUNDS WAY...
 *
 * With EYOTI_MPI_WAIT_IDLE=sleep only a wakeup ends the sleep of a unit that waits for words: one
 * that is lost stops the test for good. In each round one unit, in turn, does what the others wait
 * for, some of them asleep and some falling asleep. Afterwards it waits outside eyot until all have
 * seen it, so that no later call of eyot makes up for a wakeup that was not sent. Ways:
 *   signal counter barrier broadcast post array    the call wakes the others
 *   broadcast_late alltoall_late                   the same, others asleep: woken_again.sh
 *   mcs hier rw tas ticket                         the release of a lock does
 *   inline put                                     the next wait of the same unit does, which
 *                                                  therefore waits inside eyot
 *   queued                                         the next wait does, even if it ends at once */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "programs/api_check.h"

#define LINE 64u

#define ALL_MOST 16u
#define SLOW_LINES 24u /* fewer than a processor's store buffer holds */

enum { WORD, STAMP, ACKS, ANSWER, BYTES, COUNT, SLOW, N_LINES = SLOW + SLOW_LINES };

struct state {
  uint32_t me, n;
  uint64_t rng, round;
  uint64_t heard;    /* rounds in which another unit added to the own word */
  uint64_t locked;   /* acquisitions so far */
  uint64_t sent;     /* the round in which the bytes of signals were the unit's */
  eyot_gptr_t lines; /* of each unit */
  uint64_t *own;
  eyot_counter_t counter;
  eyot_lock_t lock;
  eyot_pscw_t pscw;
};

static eyot_gptr_t line_of(const struct state *s, uint32_t unit, uint32_t line) {
  return eyot_gptr_add(eyot_gptr_at(s->lines, (eyot_unit_t){unit}), (int64_t)line * LINE);
}

/* As long as it takes to fall asleep, more or less; sometimes much longer. */
static void dawdle(struct state *s) {
  uint64_t dice = draw(&s->rng) >> 8;
  if (dice % 64 == 0)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  else if (dice % 2 == 0)
    for (volatile uint64_t i = 0; i < dice % 8192; i++) continue;
}

static uint32_t doer(const struct state *s) {
  return (uint32_t)(s->round % s->n);
}

/* All but the doer have seen its deed; it learns that outside eyot. */
static void acknowledge(const struct state *s) {
  uint64_t before;
  if (s->me != doer(s)) {
    OK(eyot_fetch_add_u64(line_of(s, doer(s), ACKS), 1, &before));
    return;
  }
  while (__atomic_load_n(&s->own[ACKS * LINE / 8], __ATOMIC_ACQUIRE) != s->n - 1) sched_yield();
  __atomic_store_n(&s->own[ACKS * LINE / 8], 0, __ATOMIC_RELEASE);
}

/* Words are added to: the next round's doer may be faster than this one's. */
static void await_word(struct state *s) {
  OK(eyot_wait_until(line_of(s, s->me, WORD), EYOT_CMP_GE, ++s->heard, NULL));
}

static void by_signal(struct state *s) {
  if (s->me != doer(s)) return await_word(s);
  dawdle(s);
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me) OK(eyot_put_signal(s->lines, NULL, 0, line_of(s, u, WORD), EYOT_SIGNAL_ADD, 1));
}

/* Signals that follow bytes may be kept until the next wait. Each doer has a line of its own at the
 * others: the next one may be faster. */
static void by_queued(struct state *s) {
  const uint32_t line = SLOW + doer(s);
  CHECK(s->n <= SLOW_LINES);
  if (s->me != doer(s)) {
    OK(eyot_wait_until(eyot_gptr_add(line_of(s, s->me, line), 8), EYOT_CMP_GE, s->round, NULL));
    CHECK(s->own[line * LINE / 8] == s->round);
    return;
  }
  OK(eyot_flush_all(EYOT_LOCAL)); /* of the last time */
  s->sent = s->round;
  dawdle(s);
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me)
      OK(eyot_put_signal_nbi(line_of(s, u, line), &s->sent, sizeof s->sent,
                             eyot_gptr_add(line_of(s, u, line), 8), EYOT_SIGNAL_SET, s->round));
  OK(eyot_wait_until(line_of(s, s->me, WORD), EYOT_CMP_GE, 0, NULL));
}

static void by_counter(struct state *s) {
  if (s->me != doer(s)) {
    OK(eyot_counter_wait(eyot_counter_at(s->counter, (eyot_unit_t){s->me})));
    return;
  }
  dawdle(s);
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me)
      OK(eyot_put_notify(line_of(s, u, BYTES), &s->round, sizeof s->round,
                         eyot_counter_at(s->counter, (eyot_unit_t){u}), 1));
}

static void by_barrier(struct state *s) {
  if (s->me == doer(s)) dawdle(s);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void by_broadcast(struct state *s) {
  uint64_t word = s->me == doer(s) ? s->round : 0;
  if (s->me == doer(s)) dawdle(s);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){doer(s)}, &word, sizeof word));
  CHECK(word == s->round);
}

/* The others are asleep when the doer comes. */
static void doze(const struct state *s) {
  if (s->me == doer(s)) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
}

static void by_broadcast_late(struct state *s) {
  uint64_t word = s->me == doer(s) ? s->round : 0;
  doze(s);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){doer(s)}, &word, sizeof word));
  CHECK(word == s->round);
}

static void by_alltoall_late(struct state *s) {
  uint64_t out[ALL_MOST], in[ALL_MOST];
  CHECK(s->n <= ALL_MOST);
  for (uint32_t u = 0; u < s->n; u++) out[u] = s->round * ALL_MOST + u;
  doze(s);
  OK(eyot_alltoall(EYOT_TEAM_ALL, out, in, sizeof out[0]));
  for (uint32_t u = 0; u < s->n; u++) CHECK(in[u] == s->round * ALL_MOST + s->me);
}

/* The doer exposes its memory; the others start, and complete. */
static void by_post(struct state *s) {
  eyot_group_t *group;
  OK(eyot_group_new(&group));
  for (uint32_t u = 0; u < s->n; u++)
    if ((u == doer(s)) == (s->me != doer(s))) OK(eyot_group_add(group, (eyot_unit_t){u}));
  if (s->me == doer(s)) {
    dawdle(s);
    OK(eyot_pscw_post(s->pscw, group));
    OK(eyot_pscw_wait(s->pscw));
  } else {
    OK(eyot_pscw_start(s->pscw, group));
    dawdle(s);
    OK(eyot_pscw_complete(s->pscw));
  }
  eyot_group_free(group);
}

static void by_array(struct state *s) {
  const uint64_t ones[1] = {1};
  if (s->me != doer(s)) return await_word(s);
  dawdle(s);
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me) OK(eyot_accumulate_array(line_of(s, u, WORD), EYOT_UINT64, EYOT_SUM, ones, 1));
}

/* All want it, and pass it on; what is counted under it tells that it was theirs alone. */
static void by_lock(struct state *s) {
  uint64_t count;
  eyot_gptr_t shared = line_of(s, 0, COUNT);
  OK(eyot_lock_acquire(s->lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_get(&count, shared, sizeof count));
  if (s->me == doer(s)) dawdle(s);
  count++;
  OK(eyot_put(shared, &count, sizeof count));
  OK(eyot_lock_release(s->lock));
}

/* The others' answers; waiting for them wakes whom the doer's stores inline have not. */
static void await_answers(const struct state *s) {
  uint64_t before;
  OK(eyot_wait_until(line_of(s, s->me, ANSWER), EYOT_CMP_EQ, s->n - 1, NULL));
  OK(eyot_swap_u64(line_of(s, s->me, ANSWER), 0, &before));
}

static void answer(const struct state *s) {
  uint64_t before;
  OK(eyot_fetch_add_u64(line_of(s, doer(s), ANSWER), 1, &before));
}

static void by_adding(struct state *s) {
  uint64_t before;
  if (s->me != doer(s)) {
    await_word(s);
    return answer(s);
  }
  dawdle(s);
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me) OK(eyot_fetch_add_u64(line_of(s, u, WORD), 1, &before));
  await_answers(s);
}

/* A put is no atomic: it may stay in the processor's store buffer for as long as those before it
 * wait for lines that another processor holds. Each unit puts into one unit's lines, in turn, so
 * another one holds them often. */
static void by_putting(struct state *s) {
  if (s->me != doer(s)) {
    OK(eyot_wait_until(line_of(s, s->me, STAMP), EYOT_CMP_GE, s->round, NULL));
    return answer(s);
  }
  dawdle(s);
  for (uint32_t i = 0; i < SLOW_LINES; i++)
    OK(eyot_put(line_of(s, 0, SLOW + i), &s->round, sizeof s->round));
  for (uint32_t u = 0; u < s->n; u++)
    if (u != s->me) OK(eyot_put(line_of(s, u, STAMP), &s->round, sizeof s->round));
  await_answers(s);
}

static const struct {
  const char *name;
  void (*once)(struct state *s);
} WAYS[] = {{"signal", by_signal},
            {"counter", by_counter},
            {"barrier", by_barrier},
            {"broadcast", by_broadcast},
            {"post", by_post},
            {"array", by_array},
            {"broadcast_late", by_broadcast_late},
            {"alltoall_late", by_alltoall_late},
            {"inline", by_adding},
            {"put", by_putting},
            {"queued", by_queued}};

static void (*way_of(struct state *s, const char *name))(struct state *s) {
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++)
    if (strcmp(name, WAYS[i].name) == 0) return WAYS[i].once;
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  for (int kind = 0; kind < EYOT_LOCK_KIND_COUNT; kind++) {
    attr.kind = (eyot_lock_kind_t)kind;
    if (kind == EYOT_LOCK_EPOCH || strcmp(name, eyot_lock_kind_name(attr.kind)) != 0) continue;
    OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &s->lock));
    return by_lock;
  }
  return NULL;
}

static void run(struct state *s, const char *name, uint64_t rounds) {
  void (*once)(struct state *) = way_of(s, name);
  uint64_t count, last = s->round + rounds;
  CHECK(once != NULL);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  while (s->round < last) {
    s->round++;
    once(s);
    acknowledge(s);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (once != by_lock) return;
  s->locked += rounds * s->n;
  OK(eyot_get(&count, line_of(s, 0, COUNT), sizeof count));
  CHECK(count == s->locked);
  OK(eyot_lock_destroy(&s->lock));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc >= 3);
  struct state s = {.me = eyot_me().id, .n = eyot_size(), .rng = eyot_me().id + 1};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, N_LINES * LINE, &s.lines));
  OK(eyot_gptr_addr(eyot_gptr_at(s.lines, (eyot_unit_t){s.me}), (void **)&s.own));
  OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &s.counter));
  OK(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &s.pscw));
  for (int i = 2; i < argc; i++) run(&s, argv[i], strtoull(argv[1], NULL, 10));
  OK(eyot_pscw_destroy(&s.pscw));
  OK(eyot_counter_destroy(&s.counter));
  OK(eyot_team_free(s.lines));
  return finish();
}
