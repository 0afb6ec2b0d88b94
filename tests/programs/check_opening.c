/* SPDX-License-Identifier: BSD-3-Clause */
/* check_opening.c - rows of broadcasts, the last of which begins with an opening (coll/opening.h),
 * in which one member does something else. check_opening WHAT [rounds=N], a row a round:
 *   cast     nothing: each member gets what the root has sent
 *   differ   another size: all members learn of it, and the next row works
 *   refused  arguments that are refused: the same
 *   barrier, alloc   another collective function: the same, and the broadcast can be called again
 *   earlier  before the opening four members' calls are such that one waits for nobody (needs time)
 */
#include <string.h>

#include "programs/api_check.h"

#define FIRST_ROW 6u /* broadcasts of a new team before the first opening, and after each */
#define LATER_ROW 4u
#define MOST 64u /* members */

struct test {
  uint32_t me, n, other; /* other: who does something else */
  uint64_t round, calls;
  bool last; /* round */
};

static int cast_of(struct test *t, uint64_t bytes) {
  uint32_t root = (uint32_t)(t->calls++ % t->n);
  uint64_t v[2] = {t->me == root ? t->calls * 100 + 7 : 0, 0};
  int rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, v, bytes);
  if (rc == EYOT_OK) CHECK(v[0] == t->calls * 100 + 7);
  return rc;
}
static void row(struct test *t, uint64_t calls) {
  for (uint64_t i = 0; i < calls; i++) OK(cast_of(t, 8));
}
static void row_before(struct test *t) {
  row(t, t->round == 0 ? FIRST_ROW : LATER_ROW);
}

static void cast(struct test *t) {
  row_before(t);
  row(t, 1);
}
static void differ(struct test *t) {
  row_before(t);
  CHECK(cast_of(t, t->me == t->other ? 16 : 8) == EYOT_EMISMATCH);
}
/* All members' arguments have the same hash. */
static void refused(struct test *t) {
  uint64_t v = 1, all[MOST];
  bool other = t->me == t->other;
  row_before(t);
  CHECK(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, other ? NULL : &v, all, 8) ==
        (other ? EYOT_EINVAL : EYOT_EMISMATCH));
}

static void instead(struct test *t, int (*call)(void)) {
  bool other = t->me == t->other;
  row_before(t);
  CHECK((other ? call() : cast_of(t, 8)) == EYOT_EMISMATCH);
  t->calls += other;
  row(t, 1);
}
static int call_barrier(void) {
  return eyot_barrier(EYOT_TEAM_ALL);
}
static int call_alloc(void) {
  eyot_gptr_t memory;
  return eyot_team_alloc(EYOT_TEAM_ALL, 8, &memory);
}
static void barrier(struct test *t) {
  instead(t, call_barrier);
}
static void alloc(struct test *t) {
  instead(t, call_alloc);
}

/* In binomial trees member 3 gets its words from member 2, which sends to member 1 alone, after
 * that has gone on: nobody tells member 3, while all others come to the opening. */
static void earlier(struct test *t) {
  static eyot_gptr_t never;
  uint64_t v = 1, all[4];
  CHECK(t->n == 4);
  if (t->round == 0) OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &never));
  row(t, (t->round == 0 ? FIRST_ROW : LATER_ROW) - 1);
  if (t->me == 2)
    CHECK(eyot_wait_until_timeout(eyot_gptr_at(never, eyot_me()), EYOT_CMP_EQ, 1, 100000, NULL) ==
          EYOT_ETIMEOUT);
  int rc = t->me == 2 ? eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){1}, &v, all, 8)
                      : eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &v, 8);
  CHECK(rc == (t->me == 3 ? EYOT_EMISMATCH : EYOT_OK));
  row(t, 1);
  if (t->last) OK(eyot_team_free(never));
}

static const struct {
  const char *name;
  void (*run)(struct test *t);
} TESTS[] = {{"cast", cast},       {"differ", differ}, {"refused", refused},
             {"barrier", barrier}, {"alloc", alloc},   {"earlier", earlier}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

/* The one-way calls of some members differed, which the next call of all tells once more. */
static void settle(void) {
  uint64_t one = 1, sum = 0;
  int rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == eyot_size());
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size()};
  uint64_t rounds =
      argc > 2 && strncmp(argv[2], "rounds=", 7) == 0 ? strtoull(argv[2] + 7, NULL, 10) : 1;
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || t.n > MOST) {
    if (t.me == 0) fputs("usage: check_opening WHAT [rounds=N], of at most 64 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  for (; t.round < rounds; t.round++) {
    t.last = t.round + 1 == rounds;
    t.other = (uint32_t)(t.round * 5 + 1) % t.n;
    TESTS[i].run(&t);
  }
  settle();
  return finish();
}
