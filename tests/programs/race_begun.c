/* SPDX-License-Identifier: BSD-3-Clause */
/* race_begun.c - programs with and without data races in which a unit calls collective functions
 * while it has begun something else: race_begun CASE, with 3 units, for the race detector. Cases
 * whose name ends in _ok are ordered; in each other case the race must be found, with time in every
 * run. */
#include <eyot/check.h>
#include <string.h>

#include "programs/must.h"

enum { X = 0, Y, WORDS = 8 };
#define UNITS 3
#define ROUNDS 12
#define LONG_NS UINT64_C(1000000) /* all that the others do meanwhile is over */

static eyot_gptr_t all;
static uint32_t me;
static uint64_t value = 7, got;

static eyot_gptr_t at(int word, uint32_t unit) {
  return eyot_gptr_add(eyot_gptr_at(all, (eyot_unit_t){unit}), word * 8);
}
static uint64_t *own(int word) {
  void *p;
  MUST(eyot_gptr_addr(at(word, me), &p));
  return p;
}
static eyot_msg_t receive(void *to) {
  eyot_msg_t m;
  MUST(eyot_recv_nb(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 1, to, 8, &m));
  return m;
}
static void send(uint32_t to) {
  MUST(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){to}, 1, &value, 8));
}
/* Of units 0 and 2; no team on unit 1. */
static eyot_team_t pair(void) {
  eyot_team_t team;
  MUST(eyot_team_split(EYOT_TEAM_ALL, me == 1 ? EYOT_COLOR_NONE : 0, &team));
  return team;
}

/* A receive that nobody answers yet: the words of a team's exchanges are used again and again. */
static void receive_ok(void) {
  eyot_msg_t m = EYOT_MSG_DONE;
  if (me == 0) m = receive(&got);
  for (int i = 0; i < ROUNDS; i++) {
    eyot_gptr_t some;
    MUST(eyot_team_alloc(EYOT_TEAM_ALL, 64, &some));
    MUST(eyot_team_free(some));
  }
  if (me == 1) send(0);
  if (me == 0) MUST(eyot_msg_wait(&m, NULL));
}

/* The barrier of a unit that has begun a receive orders what is before and after it. */
static void barrier_ok(void) {
  eyot_msg_t m = EYOT_MSG_DONE;
  if (me == 0) m = receive(&got);
  for (int i = 0; i < ROUNDS; i++) {
    if (me == 0) MUST(eyot_put(at(X, 2), &value, 8));
    MUST(eyot_barrier(EYOT_TEAM_ALL));
    if (me != 0) MUST(eyot_get(&got, at(X, 2), 8));
    MUST(eyot_barrier(EYOT_TEAM_ALL));
  }
  if (me == 1) send(0);
  if (me == 0) MUST(eyot_msg_wait(&m, NULL));
}

/* Units count their operations, each at other times. */
static void count_ok(void) {
  for (uint32_t i = 0; i < ROUNDS; i++) {
    bool count = (i + me) % 3 == 0;
    if (count) MUST(eyot_count_begin());
    if (me == 0) MUST(eyot_put(at(X, 2), &value, 8));
    MUST(eyot_barrier(EYOT_TEAM_ALL));
    if (me != 0) MUST(eyot_get(&got, at(X, 2), 8));
    MUST(eyot_barrier(EYOT_TEAM_ALL));
    if (count) MUST(eyot_count_end());
  }
}

/* A barrier in two parts. */
static void split_ok(void) {
  for (int i = 0; i < ROUNDS; i++) {
    if (me == 0) MUST(eyot_put(at(X, 2), &value, 8));
    MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    MUST(eyot_compute(me * 1000));
    MUST(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
    if (me != 0) MUST(eyot_get(&got, at(X, 2), 8));
    MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    MUST(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
}

/* Unit 0 gets a message of unit 1 while it waits in a barrier with unit 2: it knows then what unit
 * 1 did before. */
static void inside_ok(void) {
  eyot_team_t two = pair();
  if (me == 0) {
    eyot_msg_t m = receive(&got);
    MUST(eyot_barrier(two));
    MUST(eyot_msg_wait(&m, NULL));
    MUST(eyot_get(&got, at(X, 1), 8));
  } else if (me == 1) {
    MUST(eyot_compute(LONG_NS / 4));
    eyot_check_writes(own(X), 8);
    MUST(eyot_flush_all(EYOT_REMOTE));
    send(0);
  } else {
    MUST(eyot_compute(LONG_NS));
    MUST(eyot_barrier(two));
  }
  if (me != 1) MUST(eyot_team_destroy(&two));
}

/* A barrier of all in two parts, which units 0 and 2 continue while they wait in theirs. */
static void inside_split_ok(void) {
  eyot_team_t two = pair();
  for (int i = 0; i < ROUNDS; i++) {
    if (me == 0) MUST(eyot_put(at(X, 2), &value, 8));
    MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    if (me != 1) MUST(eyot_barrier(two));
    MUST(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
    if (me == 1) MUST(eyot_get(&got, at(X, 2), 8));
    MUST(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    if (me != 1) MUST(eyot_barrier(two));
    MUST(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
  if (me != 1) MUST(eyot_team_destroy(&two));
}

/* As inside_ok, and unit 2 puts to where the message goes before it enters the barrier. */
static void inside(void) {
  eyot_team_t two = pair();
  if (me == 0) {
    eyot_msg_t m = receive(own(X));
    MUST(eyot_barrier(two));
    MUST(eyot_msg_wait(&m, NULL));
  } else if (me == 1) {
    MUST(eyot_compute(LONG_NS / 4));
    send(0);
  } else {
    MUST(eyot_compute(LONG_NS));
    MUST(eyot_put(at(X, 0), &value, 8));
    MUST(eyot_barrier(two));
  }
  if (me != 1) MUST(eyot_team_destroy(&two));
}

/* A receive that is open, and a put that no barrier separates from a get. */
static void unordered(void) {
  eyot_msg_t m = EYOT_MSG_DONE;
  if (me == 0) m = receive(&got);
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) MUST(eyot_put(at(X, 2), &value, 8));
  if (me == 1) MUST(eyot_get(&got, at(X, 2), 8));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) send(0);
  if (me == 0) MUST(eyot_msg_wait(&m, NULL));
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char *name;
  void (*run)(void);
} CASES[] = {CASE(receive_ok), CASE(barrier_ok),      CASE(count_ok), CASE(split_ok),
             CASE(inside_ok),  CASE(inside_split_ok), CASE(inside),   CASE(unordered)};

int main(int argc, char **argv) {
  MUST(eyot_init(&argc, &argv));
  me = eyot_me().id;
  if (argc != 2 || eyot_size() != UNITS) eyot_abort(9, "usage: race_begun CASE, with 3 units");
  size_t i = 0;
  while (i < sizeof CASES / sizeof *CASES && strcmp(CASES[i].name, argv[1]) != 0) i++;
  if (i == sizeof CASES / sizeof *CASES) eyot_abort(9, "no such case");
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &all));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_check_begin());
  CASES[i].run();
  MUST(eyot_flush_all(EYOT_REMOTE));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_team_free(all));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
