/* SPDX-License-Identifier: BSD-3-Clause */
/* split_ways.h - programs in which a unit, between notify and wait of a split-phase barrier, waits
 * for an action that another unit does only after its own wait. UPC allows them. For the simulator
 * and MPI (split.c) and for unit tests (sync/test_split.c); the file that includes it defines OK
 * and CHECK.
 *
 * In a round one unit leads: it notifies, waits, and then does the action that the others wait for
 * between their notify and their wait, in another way each round. */
#ifndef SPLIT_WAYS_H
#define SPLIT_WAYS_H

#include <eyot/eyot.h>
#include <string.h>

enum split_way {
  SPLIT_UNTIL,        /* a word */
  SPLIT_UNTIL_SHORT,  /* a word, with a short timeout over and over */
  SPLIT_LOOK,         /* a word, by tests */
  SPLIT_COUNTER,      /* a counter */
  SPLIT_ANY,          /* any of many counters */
  SPLIT_COUNTER_TEST, /* a counter, by tests */
  SPLIT_LOCK,         /* a lock that the leader holds */
  SPLIT_LOCK_TRY,     /* the same, by tries */
  SPLIT_LOCK_TIMEOUT, /* the same, with timeouts */
  SPLIT_ATOMIC,       /* a word of the leader, polled by atomics */
  SPLIT_GET,          /* the same, by gets; they may be plain copies, so with progress */
  SPLIT_CLOCK,        /* its own word, read by plain loads, between reads of the clock */
  SPLIT_WHOLE,        /* a whole barrier */
  SPLIT_TREE,         /* a tree barrier */
  SPLIT_REDUCE,       /* a collective */
  SPLIT_OTHER,        /* the split-phase barrier of another team */
  SPLIT_FOLD,         /* the same, with barriers of several more teams open */
  SPLIT_WAYS
};

#define SPLIT_COUNTERS 20u /* more than a wait has memory for at first */
#define SPLIT_TEAMS 6u

struct split_world {
  eyot_team_t team[SPLIT_TEAMS]; /* 0: all; 1: all again, in another order; others: parts */
  eyot_gptr_t words;             /* [0]: the leader's signal; [1]: of the leader, read by others */
  eyot_counter_t counter, spare[SPLIT_COUNTERS];
  eyot_lock_t lock;
  uint64_t told; /* the value of the leaders' signals to this unit so far */
};

static inline void split_world_new(struct split_world *w, eyot_lock_kind_t kind) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  memset(w, 0, sizeof *w);
  attr.kind = kind;
  w->team[0] = EYOT_TEAM_ALL;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &w->team[1]));
  for (uint32_t i = 2; i < SPLIT_TEAMS; i++)
    OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % i, &w->team[i]));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 16, &w->words));
  OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &w->counter));
  for (uint32_t i = 0; i < SPLIT_COUNTERS; i++) OK(eyot_counter_alloc(1, &w->spare[i]));
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &w->lock));
}

static inline void split_world_delete(struct split_world *w) {
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_lock_destroy(&w->lock));
  for (uint32_t i = 0; i < SPLIT_COUNTERS; i++) OK(eyot_counter_destroy(&w->spare[i]));
  OK(eyot_counter_destroy(&w->counter));
  OK(eyot_team_free(w->words));
  for (uint32_t i = 1; i < SPLIT_TEAMS; i++) OK(eyot_team_destroy(&w->team[i]));
}

static inline bool split_locks(enum split_way way) {
  return way == SPLIT_LOCK || way == SPLIT_LOCK_TRY || way == SPLIT_LOCK_TIMEOUT;
}

static inline void split_add(eyot_gptr_t word) {
  OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, word, EYOT_SIGNAL_ADD, 1));
}

/* The leader's action after its wait. */
static inline void split_lead(struct split_world *w, enum split_way way, uint64_t round) {
  uint32_t me = eyot_me().id, n = eyot_size();
  uint64_t one = 1, sum, value = round;
  switch (way) {
    case SPLIT_COUNTER:
    case SPLIT_ANY:
    case SPLIT_COUNTER_TEST:
      for (uint32_t u = 0; u < n; u++)
        if (u != me)
          OK(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, eyot_counter_at(w->counter, (eyot_unit_t){u}),
                             1));
      break;
    case SPLIT_LOCK:
    case SPLIT_LOCK_TRY:
    case SPLIT_LOCK_TIMEOUT:
      OK(eyot_lock_release(w->lock));
      break;
    case SPLIT_ATOMIC:
    case SPLIT_GET:
      split_add(eyot_gptr_add(eyot_gptr_at(w->words, (eyot_unit_t){me}), 8));
      break;
    case SPLIT_WHOLE:
      OK(eyot_barrier(EYOT_TEAM_ALL));
      break;
    case SPLIT_TREE:
      OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
      break;
    case SPLIT_REDUCE:
      OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
      CHECK(sum == n);
      break;
    case SPLIT_OTHER:
    case SPLIT_FOLD:
      OK(eyot_barrier_notify(w->team[1], &value));
      OK(eyot_barrier_wait(w->team[1], &value));
      break;
    default:
      for (uint32_t u = 0; u < n; u++)
        if (u != me) split_add(eyot_gptr_at(w->words, (eyot_unit_t){u}));
  }
}

/* Between two polls: many units that only poll are slow to simulate. A few polls have no pause, so
 * that only the poll itself makes split progress. */
static inline void split_pause(void) {
  if (eyot_size() > 20) OK(eyot_compute(1000));
}

/* Longer than any holder takes. Where schedules are explored a timeout may expire at any time,
 * however long it is; then requests that were given up stand in the lock's queue, which holds a
 * limited number of them (EBUSY). */
#define PATIENCE_MAX_NS 1000000000u

static inline void split_take_lock(struct split_world *w, enum split_way way) {
  bool got = false;
  if (way == SPLIT_LOCK) {
    OK(eyot_lock_acquire(w->lock, EYOT_LOCK_EXCLUSIVE));
  } else {
    for (uint64_t patience_ns = 20000; !got; patience_ns *= patience_ns < PATIENCE_MAX_NS ? 2 : 1) {
      int rc = EYOT_OK;
      if (way == SPLIT_LOCK_TRY)
        OK(eyot_lock_try(w->lock, EYOT_LOCK_EXCLUSIVE, &got));
      else
        rc = eyot_lock_acquire_timeout(w->lock, EYOT_LOCK_EXCLUSIVE, patience_ns);
      CHECK(rc == EYOT_OK || rc == EYOT_ETIMEOUT || (rc == EYOT_EBUSY && eyot_check_active()));
      if (way == SPLIT_LOCK_TIMEOUT) got = rc == EYOT_OK;
      if (!got) split_pause();
    }
  }
  OK(eyot_lock_release(w->lock));
}

static inline void split_wait_word(struct split_world *w, enum split_way way) {
  eyot_gptr_t mine = eyot_gptr_at(w->words, eyot_me());
  uint64_t want = w->told + 1, seen = 0;
  void *own;
  bool done = false;
  int rc = EYOT_ETIMEOUT;
  switch (way) {
    case SPLIT_UNTIL_SHORT:
      while (rc == EYOT_ETIMEOUT) rc = eyot_wait_until_timeout(mine, EYOT_CMP_GE, want, 700, &seen);
      OK(rc);
      break;
    case SPLIT_LOOK:
      while (!done) {
        OK(eyot_test_until(mine, EYOT_CMP_GE, want, &seen, &done));
        split_pause();
      }
      break;
    case SPLIT_CLOCK:
      OK(eyot_gptr_addr(mine, &own));
      for (uint64_t before = 0; __atomic_load_n((const uint64_t *)own, __ATOMIC_ACQUIRE) < want;) {
        uint64_t now = eyot_now_ns();
        CHECK(now >= before);
        before = now;
        /* messages arrive only while the unit is in MPI */
        if (strcmp(eyot_fabric_name(), "mpi") == 0) OK(eyot_progress());
        split_pause();
      }
      seen = want;
      break;
    default:
      OK(eyot_wait_until(mine, EYOT_CMP_EQ, want, &seen));
  }
  CHECK(seen == want);
  w->told = want;
}

/* The others' action between notify and wait. `polled`: the value of the leader's second word when
 * it is through. */
static inline void split_follow(struct split_world *w, enum split_way way, uint64_t round,
                                eyot_unit_t leader, uint64_t polled) {
  eyot_gptr_t there = eyot_gptr_add(eyot_gptr_at(w->words, leader), 8);
  eyot_counter_t mine = eyot_counter_at(w->counter, eyot_me()), any[SPLIT_COUNTERS + 1];
  uint64_t seen = 0, one = 1, sum, value = round;
  size_t which;
  bool done = false;
  switch (way) {
    case SPLIT_COUNTER:
      OK(eyot_counter_wait(mine));
      break;
    case SPLIT_ANY:
      for (uint32_t i = 0; i < SPLIT_COUNTERS; i++) any[i] = w->spare[i];
      any[SPLIT_COUNTERS] = mine;
      OK(eyot_counter_wait_any(any, SPLIT_COUNTERS + 1, &which));
      CHECK(which == SPLIT_COUNTERS);
      break;
    case SPLIT_COUNTER_TEST:
      while (!done) {
        OK(eyot_counter_test(mine, &done));
        split_pause();
      }
      break;
    case SPLIT_LOCK:
    case SPLIT_LOCK_TRY:
    case SPLIT_LOCK_TIMEOUT:
      split_take_lock(w, way);
      break;
    case SPLIT_ATOMIC:
      while (seen < polled) {
        OK(eyot_fetch_op(there, EYOT_UINT64, EYOT_NOOP, NULL, &seen));
        split_pause();
      }
      break;
    case SPLIT_GET:
      while (seen < polled) {
        OK(eyot_get(&seen, there, 8));
        OK(eyot_progress());
        split_pause();
      }
      break;
    case SPLIT_WHOLE:
      OK(eyot_barrier(EYOT_TEAM_ALL));
      break;
    case SPLIT_TREE:
      OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
      break;
    case SPLIT_REDUCE:
      OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
      CHECK(sum == eyot_size());
      break;
    case SPLIT_OTHER:
    case SPLIT_FOLD:
      OK(eyot_barrier_notify(w->team[1], &value));
      if (round % 2 == 0) {
        OK(eyot_barrier_wait(w->team[1], &value));
      } else {
        while (!done) OK(eyot_barrier_test(w->team[1], &value, &done));
      }
      break;
    default:
      split_wait_word(w, way);
  }
}

/* Each way once. `between` (may be NULL) is called by every unit between notify and the next step,
 * and again after its wait. */
static inline void split_round(struct split_world *w, enum split_way way, uint64_t round,
                               void (*between)(bool open)) {
  uint32_t n = eyot_size(), me = eyot_me().id;
  eyot_unit_t leader = {(uint32_t)((round * 7 + way) % n)};
  uint64_t value = round * 100 + way, polled = 0;
  eyot_gptr_t second = eyot_gptr_add(eyot_gptr_at(w->words, leader), 8);
  OK(eyot_fetch_op(second, EYOT_UINT64, EYOT_NOOP, NULL, &polled));
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* no unit uses the lock any more */
  if (split_locks(way) && me == leader.id) OK(eyot_lock_acquire(w->lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (way == SPLIT_FOLD)
    for (uint32_t i = 2; i < SPLIT_TEAMS; i++) OK(eyot_barrier_notify(w->team[i], NULL));
  OK(eyot_barrier_notify(EYOT_TEAM_ALL, &value));
  if (between != NULL) between(true);
  if (me != leader.id) split_follow(w, way, round, leader, polled + 1);
  OK(eyot_barrier_wait(EYOT_TEAM_ALL, &value));
  if (me == leader.id) split_lead(w, way, round);
  if (way == SPLIT_FOLD) /* the team whose barrier was opened last, and the first one */
    for (uint32_t i = 2; i < SPLIT_TEAMS; i++)
      OK(eyot_barrier_wait(w->team[round % 2 == 0 ? i : SPLIT_TEAMS + 1 - i], NULL));
  if (between != NULL) between(false);
}
#endif
