/* SPDX-License-Identifier: BSD-3-Clause */
/* check_team_nodes.c - exchanges by nodes of a team that lacks units of some nodes, or whose
 * members are scattered (with --placement). check_team_nodes WHAT [rounds=N] [all=1]:
 *   meet     barriers of each kind: bytes that were put before are there afterwards
 *   made     a new team each round, of other members, in the memory of the one before
 *   cast     rows of broadcasts, the last of which begins with an opening
 *   barrier  the same, but one member is in a barrier: all learn of it, and the next row works
 * all=1: the team is EYOT_TEAM_ALL, else one without a unit. row=N: broadcasts of a row, with one
 * opening. */
#include <string.h>

#include "programs/api_check.h"

#define ROW 5u /* one broadcast of so many begins with an opening; over MPI one of 15 */

struct test {
  eyot_team_t team;
  eyot_gptr_t part; /* of EYOT_TEAM_ALL: a word for each unit */
  uint32_t n, me, members, index;
  uint64_t round, calls, row;
  bool all, member;
};

static void make_team(struct test *t, uint32_t out) {
  eyot_tunit_t index;
  t->team = EYOT_TEAM_ALL;
  if (!t->all) OK(eyot_team_split(EYOT_TEAM_ALL, t->me == out ? EYOT_COLOR_NONE : 0, &t->team));
  t->member = t->all || t->me != out;
  if (!t->member) return;
  OK(eyot_team_size(t->team, &t->members));
  OK(eyot_team_me(t->team, &index));
  t->index = index.id;
}
static void end_team(struct test *t) {
  if (t->member && !t->all) OK(eyot_team_destroy(&t->team));
}

/* Puts to each other member, and takes what they have put after the barrier. */
static void meet(struct test *t, eyot_barrier_kind_t kind) {
  static uint64_t value;
  value = ++t->calls;
  for (uint32_t i = 0; i < t->members; i++) {
    eyot_unit_t to;
    eyot_gptr_t word = eyot_gptr_add(t->part, (int64_t)(t->me * sizeof value));
    OK(eyot_team_l2g(t->team, (eyot_tunit_t){i}, &to));
    OK(eyot_put_nbi(eyot_gptr_at(word, to), &value, sizeof value));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier_by(t->team, kind));
  for (uint32_t i = 0; i < t->members; i++) {
    uint64_t seen;
    eyot_unit_t from;
    OK(eyot_team_l2g(t->team, (eyot_tunit_t){i}, &from));
    eyot_gptr_t word = eyot_gptr_add(t->part, (int64_t)(from.id * sizeof seen));
    OK(eyot_get(&seen, eyot_gptr_at(word, (eyot_unit_t){t->me}), sizeof seen));
    EXPECT(seen == t->calls);
  }
  OK(eyot_barrier(t->team)); /* the next one puts again */
}
static void meet_all(struct test *t) {
  meet(t, EYOT_BARRIER_NODES);
  if (t->round % 2 != 0) meet(t, EYOT_BARRIER_DISSEMINATION);
}

static void made(struct test *t) {
  eyot_gptr_t memory;
  end_team(t);
  make_team(t, (uint32_t)(t->round + 1) % t->n);
  t->calls = t->round;
  if (!t->member) return;
  meet(t, EYOT_BARRIER_NODES);
  OK(eyot_team_alloc(t->team, 64, &memory));
  OK(eyot_team_free(memory));
}

static int cast_of(struct test *t) {
  uint32_t root = (uint32_t)(t->calls++ % t->members);
  uint64_t v = t->index == root ? t->calls * 100 + 7 : 0;
  int rc = eyot_broadcast(t->team, (eyot_tunit_t){root}, &v, sizeof v);
  if (rc == EYOT_OK) EXPECT(v == t->calls * 100 + 7);
  return rc;
}
static void row(struct test *t) {
  for (uint64_t i = 0; i < (t->round == 0 ? t->row + 1 : t->row - 1); i++) OK(cast_of(t));
}
static void cast(struct test *t) {
  row(t);
  OK(cast_of(t));
}
static void barrier(struct test *t) {
  bool other = t->index == (t->round * 5 + 1) % t->members;
  row(t);
  EXPECT((other ? eyot_barrier(t->team) : cast_of(t)) == EYOT_EMISMATCH);
  t->calls += other;
  OK(cast_of(t));
}

static const struct {
  const char *name;
  void (*run)(struct test *t);
  bool outside; /* the unit without a team takes part */
} TESTS[] = {{"meet", meet_all, false},
             {"made", made, true},
             {"cast", cast, false},
             {"barrier", barrier, 0}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

/* Of the members' one-way calls some differed, which the next call of all tells once more. */
static void settle(struct test *t) {
  uint64_t one = 1, sum = 0;
  int rc = eyot_allreduce(t->team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1);
  EXPECT(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  OK(eyot_allreduce(t->team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  EXPECT(sum == t->members);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.n = eyot_size(), .me = eyot_me().id, .row = ROW};
  uint64_t rounds = 1;
  size_t i = 0;
  for (int k = 2; k < argc; k++) {
    if (strncmp(argv[k], "rounds=", 7) == 0) rounds = strtoull(argv[k] + 7, NULL, 10);
    if (strncmp(argv[k], "row=", 4) == 0) t.row = strtoull(argv[k] + 4, NULL, 10);
    if (strcmp(argv[k], "all=1") == 0) t.all = true;
  }
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || t.n < 4) {
    if (t.me == 0) fputs("usage: check_team_nodes WHAT [...], of at least 4 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  OK(eyot_team_alloc(EYOT_TEAM_ALL, t.n * sizeof(uint64_t), &t.part));
  make_team(&t, 1);
  for (; t.round < rounds; t.round++)
    if (t.member || TESTS[i].outside) TESTS[i].run(&t);
  if (t.member) settle(&t);
  end_team(&t);
  OK(eyot_team_free(t.part));
  return finish();
}
