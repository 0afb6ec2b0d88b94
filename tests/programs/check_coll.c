/* SPDX-License-Identifier: BSD-3-Clause */
/* check_coll.c - small programs for eyotcheck: a few rounds of one collective, with its result
 * checked at each step. check_coll FUNCTION [rounds=N]: scan, exscan, broadcast, allreduce,
 * reduce, allgather, alltoall, reduce_scatter, scatter, scatterv, gatherv, collect, alltoallv,
 * alltoallw, long, nb, inside, starts, plan, staged, staged_plan, exact, gather, barriers,
 * in_place, or mix: those before nb one by one, so that fast members run ahead. Values depend on
 * the round: an earlier one's message is seen. */
#include <string.h>

#include "programs/api_check.h"

#define MOST 8u                  /* members */
#define LONG_BYTES (25u * 1024u) /* more than a round of a broadcast */

struct test {
  uint32_t me, n;
  uint64_t round, rounds;
};

static uint64_t value(const struct test *t, uint64_t from, uint64_t to) {
  return t->round * 10000 + from * 100 + to + 1;
}
/* The sum of the first `members` members' values for member `to`. */
static uint64_t sum(const struct test *t, uint64_t members, uint64_t to) {
  uint64_t s = 0;
  for (uint64_t m = 0; m < members; m++) s += value(t, m, to);
  return s;
}

static void scan(const struct test *t) {
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_scan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1));
  EXPECT(got == sum(t, t->me + 1, 0));
}
static void exscan(const struct test *t) {
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_exscan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1));
  EXPECT(got == sum(t, t->me, 0));
}
static void broadcast(const struct test *t) {
  uint32_t root = (uint32_t)(t->round % t->n);
  uint64_t v = t->me == root ? value(t, root, 0) : 0;
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &v, 8));
  EXPECT(v == value(t, root, 0));
}
static void allreduce(const struct test *t) {
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1));
  EXPECT(got == sum(t, t->n, 0));
}
static void reduce(const struct test *t) {
  uint64_t v = value(t, t->me, 0), got = 0;
  uint32_t root = (uint32_t)(t->round % t->n);
  OK(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){root}, EYOT_UINT64, EYOT_SUM, &v, &got, 1));
  if (t->me == root) EXPECT(got == sum(t, t->n, 0));
}
static void alltoall(const struct test *t) {
  uint64_t v[MOST], got[MOST] = {0};
  for (uint32_t m = 0; m < t->n; m++) v[m] = value(t, t->me, m);
  OK(eyot_alltoall(EYOT_TEAM_ALL, v, got, 8));
  for (uint32_t m = 0; m < t->n; m++) EXPECT(got[m] == value(t, m, t->me));
}
static void allgather(const struct test *t) {
  uint64_t v = value(t, t->me, 0), got[MOST] = {0};
  OK(eyot_allgather(EYOT_TEAM_ALL, &v, got, 8));
  for (uint32_t m = 0; m < t->n; m++) EXPECT(got[m] == value(t, m, 0));
}
static void reduce_scatter(const struct test *t) {
  uint64_t v[MOST], got = 0;
  for (uint32_t m = 0; m < t->n; m++) v[m] = value(t, t->me, m);
  OK(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, v, &got, 1));
  EXPECT(got == sum(t, t->n, t->me));
}
static void gather(const struct test *t) {
  uint32_t root = (uint32_t)(t->round % t->n);
  uint64_t v = value(t, t->me, 0), got[MOST] = {0};
  OK(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &v, got, 8));
  for (uint32_t m = 0; m < t->n && t->me == root; m++) EXPECT(got[m] == value(t, m, 0));
}
static void scatter(const struct test *t) {
  uint64_t v[MOST], got = 0;
  uint32_t root = (uint32_t)(t->round % t->n);
  for (uint32_t m = 0; m < t->n; m++) v[m] = value(t, root, m);
  OK(eyot_scatter(EYOT_TEAM_ALL, (eyot_tunit_t){root}, v, &got, 8));
  EXPECT(got == value(t, root, t->me));
}
/* Member m has m words. */
static void gatherv(const struct test *t) {
  uint64_t v[MOST], got[MOST * MOST] = {0}, sizes[MOST], at = 0;
  uint32_t root = (uint32_t)(t->round % t->n);
  for (uint32_t m = 0; m < t->n; m++) v[m] = value(t, t->me, m), sizes[m] = 8 * m;
  OK(eyot_gatherv(EYOT_TEAM_ALL, (eyot_tunit_t){root}, v, sizes[t->me], got, sizes, NULL));
  for (uint32_t m = 0; m < t->n && t->me == root; m++)
    for (uint32_t i = 0; i < m; i++) EXPECT(got[at++] == value(t, m, i));
}
static void scatterv(const struct test *t) {
  uint64_t v[MOST * MOST], got[MOST] = {0}, sizes[MOST], at = 0;
  uint32_t root = (uint32_t)(t->round % t->n);
  for (uint32_t m = 0; m < t->n; m++) {
    sizes[m] = 8 * m;
    for (uint32_t i = 0; i < m; i++) v[at++] = value(t, m, i);
  }
  OK(eyot_scatterv(EYOT_TEAM_ALL, (eyot_tunit_t){root}, v, sizes, NULL, got, sizes[t->me]));
  for (uint32_t i = 0; i < t->me; i++) EXPECT(got[i] == value(t, t->me, i));
}
static void collect(const struct test *t) {
  uint64_t v[MOST], got[MOST * MOST] = {0}, sizes[MOST], at = 0;
  for (uint32_t m = 0; m < t->n; m++) v[m] = value(t, t->me, m);
  OK(eyot_collect(EYOT_TEAM_ALL, v, 8 * t->me, got, sizeof got, sizes));
  for (uint32_t m = 0; m < t->n; m++) {
    EXPECT(sizes[m] == 8 * m);
    for (uint32_t i = 0; i < m; i++) EXPECT(got[at++] == value(t, m, i));
  }
}
/* A word from each member to those after it. */
static void alltoallv(const struct test *t) {
  uint64_t v[MOST], got[MOST] = {0}, go[MOST], come[MOST];
  for (uint32_t m = 0; m < t->n; m++) {
    go[m] = m > t->me ? 8 : 0;
    come[m] = m < t->me ? 8 : 0;
    v[m > t->me ? m - t->me - 1 : MOST - 1] = value(t, t->me, m);
  }
  OK(eyot_alltoallv(EYOT_TEAM_ALL, v, go, NULL, got, come, NULL));
  for (uint32_t m = 0; m < t->me; m++) EXPECT(got[m] == value(t, m, t->me));
}

/* A 2 by n matrix of each member, of which each gets a column, as a row. */
static void alltoallw(const struct test *t) {
  uint64_t v[2][MOST], got[MOST][2];
  eyot_block_t go[MOST], come[MOST];
  memset(got, 0, sizeof got);
  for (uint64_t m = 0; m < t->n; m++) {
    v[0][m] = value(t, t->me, m);
    v[1][m] = value(t, t->me, m) + 50;
    go[m] = (eyot_block_t){.at = 8 * m, .run_bytes = 8, .count = {2}, .stride = {8 * MOST}};
    come[m] = (eyot_block_t){.at = 16 * m, .run_bytes = 16};
  }
  OK(eyot_alltoallw(EYOT_TEAM_ALL, v, go, got, come));
  for (uint32_t m = 0; m < t->n; m++)
    EXPECT(got[m][0] == value(t, m, t->me) && got[m][1] == value(t, m, t->me) + 50);
}

/* Two rounds, which begin with an opening that the call asks for; in a row, so do the openings. */
static void rounds_of(const struct test *t) {
  static char block[LONG_BYTES];
  uint32_t root = (uint32_t)(t->round % t->n);
  if (t->me == root) memset(block, (int)(t->round + 1), sizeof block);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, block, sizeof block));
  EXPECT(block[0] == (char)(t->round + 1) && block[sizeof block - 1] == (char)(t->round + 1));
}

/* Three calls under way, which members complete in orders of their own. */
static void nb(const struct test *t) {
  uint64_t v = value(t, t->me, 0), all = 0, from = 0, up = 0;
  uint32_t root = (uint32_t)(t->round % t->n), first = (t->me + (uint32_t)t->round) % 3;
  eyot_coll_t op[2];
  if (t->me == root) from = value(t, root, 1);
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &all, 1, &op[0]));
  OK(eyot_broadcast_nb(EYOT_TEAM_ALL, (eyot_tunit_t){root}, &from, 8, &op[1]));
  OK(eyot_scan_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &up, 1, &op[2]));
  for (uint32_t i = 0; i < 3; i++) OK(eyot_coll_wait(&op[(first + i) % 3]));
  EXPECT(all == sum(t, t->n, 0) && from == value(t, root, 1) && up == sum(t, t->me + 1, 0));
}

/* Unit 0 continues its call inside another wait, which ends only after the others' completion. */
static void inside(const struct test *t) {
  static eyot_gptr_t flag;
  uint64_t v = value(t, t->me, 0), got = 0;
  eyot_coll_t op;
  if (t->round == 0) OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &flag));
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1, &op));
  if (t->me == 0)
    OK(eyot_wait_until(eyot_gptr_at(flag, eyot_me()), EYOT_CMP_GE, (t->round + 1) * (t->n - 1),
                       NULL));
  OK(eyot_coll_wait(&op));
  EXPECT(got == sum(t, t->n, 0));
  if (t->me != 0)
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_at(flag, (eyot_unit_t){0}),
                       EYOT_SIGNAL_ADD, 1));
  if (t->round + 1 == t->rounds) OK(eyot_team_free(flag));
}

/* The first calls of two new teams, which half of the members start in the other order, and whose
 * memory is made while the members agree on other memory. */
static void starts(const struct test *t) {
  enum { LONG = 700 };
  static uint64_t v[MOST][LONG], got[MOST][LONG], word[MOST];
  eyot_team_t team[2];
  eyot_coll_t op[3];
  eyot_gptr_t memory;
  for (int i = 0; i < 2; i++) OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team[i]));
  for (int i = 0; i < LONG; i++) v[t->me][i] = value(t, t->me, (uint64_t)i);
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t which = (i + t->me) % 2;
    if (which == 0)
      OK(eyot_allreduce_nb(team[0], EYOT_UINT64, EYOT_SUM, v[t->me], got[t->me], LONG, &op[0]));
    else
      OK(eyot_allreduce_nb(team[1], EYOT_UINT64, EYOT_SUM, v[t->me], &word[t->me], 1, &op[1]));
  }
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &memory));
  OK(eyot_coll_wait(&op[1]));
  EXPECT(word[t->me] == sum(t, t->n, 0));
  if (t->round % 2 == 0) OK(eyot_barrier(team[0]));
  OK(eyot_coll_wait(&op[0]));
  for (uint64_t i = 0; i < LONG; i += 99) EXPECT(got[t->me][i] == sum(t, t->n, i));
  OK(eyot_team_free(memory));
  for (int i = 0; i < 2; i++) OK(eyot_team_destroy(&team[i]));
}

/* A plan, started in each round with new values, and completed by tests. */
static void plan(const struct test *t) {
  static uint64_t v, got;
  static eyot_coll_t op;
  bool done = false;
  if (t->round == 0)
    OK(eyot_allreduce_plan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, &got, 1, &op));
  v = value(t, t->me, 0);
  OK(eyot_coll_start(op));
  while (!done) OK(eyot_coll_test(&op, &done));
  EXPECT(got == sum(t, t->n, 0));
  if (t->round + 1 == t->rounds) OK(eyot_coll_free(&op));
}

/* Sums that no addition of doubles gives: the first two members' operands cancel. */
static void exact(const struct test *t) {
  double v[MOST], block = 0, all = 0, left = 0;
  eyot_coll_t op;
  for (uint32_t m = 0; m < t->n; m++) v[m] = (double)value(t, t->me, m);
  if (t->me < 2)
    for (uint32_t m = 0; m < t->n; m++) v[m] = t->me == 0 ? 1e300 : -1e300;
  for (uint32_t m = 2; m < t->n; m++) left += (double)value(t, m, 0);
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM_EXACT, v, &all, 1, &op));
  OK(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM_EXACT, v, &block, 1));
  OK(eyot_coll_wait(&op));
  EXPECT(all == left);
  EXPECT(block == left + (double)((t->n - 2) * t->me));
}

/* A barrier is complete when all have started it, also the later one of two, and a plan's. */
struct barriers {
  eyot_gptr_t started; /* at member 0: how many have been, by all */
  eyot_coll_t plan;
};
static struct barriers bs;

static void barrier_start(void) {
  uint64_t old;
  OK(eyot_fetch_add_u64(eyot_gptr_at(bs.started, (eyot_unit_t){0}), 1, &old));
}
static void barrier_wait(const struct test *t, eyot_coll_t *op, uint64_t barriers) {
  uint64_t started;
  OK(eyot_coll_wait(op));
  OK(eyot_read_u64(eyot_gptr_at(bs.started, (eyot_unit_t){0}), &started));
  EXPECT(started >= barriers * t->n);
}
static void barriers(const struct test *t) {
  eyot_coll_t op[2], plan;
  if (t->round == 0) {
    OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &bs.started));
    OK(eyot_barrier_plan(EYOT_TEAM_ALL, &bs.plan));
  }
  for (uint32_t i = 0; i < 2; i++) {
    barrier_start();
    OK(eyot_barrier_nb(EYOT_TEAM_ALL, &op[i]));
  }
  barrier_start();
  plan = bs.plan;
  OK(eyot_coll_start(plan));
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t which = (i + t->me) % 2; /* they are completed in any order */
    barrier_wait(t, &op[which], 3 * t->round + which + 1);
  }
  barrier_wait(t, &plan, 3 * t->round + 3);
  if (t->round + 1 < t->rounds) return;
  OK(eyot_coll_free(&bs.plan));
  OK(eyot_team_free(bs.started));
}

/* Each second member receives where it sends from. */
static void in_place(const struct test *t) {
  uint64_t v[MOST], w[MOST], other[MOST], *got = t->me % 2 == 0 ? v : other;
  eyot_coll_t op;
  for (uint32_t m = 0; m < t->n; m++) v[m] = w[m] = value(t, t->me, m);
  OK(eyot_alltoall_nb(EYOT_TEAM_ALL, w, w, 8, &op));
  OK(eyot_alltoall(EYOT_TEAM_ALL, v, got, 8));
  OK(eyot_coll_wait(&op));
  for (uint32_t m = 0; m < t->n; m++) EXPECT(got[m] == value(t, m, t->me) && w[m] == got[m]);
}

/* Calls of several operations that go on in two teams which overlap: all units, and the units but
 * the last. Members complete them in orders of their own. */
struct staged {
  eyot_team_t part;
  uint64_t v[MOST], got[MOST * MOST], sizes[MOST], own, here[MOST], go[MOST], come[MOST],
      swapped[MOST];
  eyot_coll_t op[3];
};
static struct staged st;

/* In the team of all, a word from each member to those after it; the caller's arrays change. */
static void staged_exchange(const struct test *t, bool plans) {
  uint64_t go[MOST], come[MOST];
  for (uint32_t m = 0; m < t->n; m++) {
    go[m] = m > t->me ? 8 : 0;
    come[m] = m < t->me ? 8 : 0;
  }
  if (plans)
    OK(eyot_alltoallv_plan(EYOT_TEAM_ALL, st.go, go, NULL, st.swapped, come, NULL, &st.op[1]));
  else
    OK(eyot_alltoallv_nb(EYOT_TEAM_ALL, st.go, go, NULL, st.swapped, come, NULL, &st.op[1]));
  memset(go, 0xff, sizeof go);
  memset(come, 0xff, sizeof come);
}
static void staged_collect(const struct test *t, bool plans) {
  uint64_t bytes = 8 * t->me;
  if (plans)
    OK(eyot_collect_plan(EYOT_TEAM_ALL, st.v, bytes, st.got, sizeof st.got, st.sizes, &st.op[0]));
  else
    OK(eyot_collect_nb(EYOT_TEAM_ALL, st.v, bytes, st.got, sizeof st.got, st.sizes, &st.op[0]));
}
/* In the other team, a word of the last member to each. */
static void staged_scatter(const struct test *t, bool plans) {
  uint64_t sizes[MOST];
  eyot_tunit_t root = {t->n - 2};
  for (uint32_t m = 0; m + 1 < t->n; m++) sizes[m] = 8;
  if (t->me + 1 == t->n) return;
  if (plans)
    OK(eyot_scatterv_plan(st.part, root, st.here, sizes, NULL, &st.own, 8, &st.op[2]));
  else
    OK(eyot_scatterv_nb(st.part, root, st.here, sizes, NULL, &st.own, 8, &st.op[2]));
  memset(sizes, 0xff, sizeof sizes);
}

static void staged_fill(const struct test *t) {
  memset(st.got, 0, sizeof st.got);
  for (uint32_t m = 0; m < t->n; m++) {
    st.v[m] = value(t, t->me, m);
    st.here[m] = value(t, t->me, m) + 7;
    st.go[m > t->me ? m - t->me - 1 : MOST - 1] = value(t, t->me, m) + 9;
  }
}
static void staged_verify(const struct test *t) {
  uint64_t at = 0;
  for (uint32_t m = 0; m < t->n; m++) {
    EXPECT(st.sizes[m] == 8 * m);
    for (uint32_t i = 0; i < m; i++) EXPECT(st.got[at++] == value(t, m, i));
  }
  for (uint32_t m = 0; m < t->me; m++) EXPECT(st.swapped[m] == value(t, m, t->me) + 9);
  if (t->me + 1 < t->n) EXPECT(st.own == value(t, t->n - 2, t->me) + 7);
}
static void staged_wait(const struct test *t) {
  uint32_t n = t->me + 1 == t->n ? 2 : 3, from = (t->me + (uint32_t)t->round) % n;
  for (uint32_t i = 0; i < n; i++) OK(eyot_coll_wait(&st.op[(from + i) % n]));
}

static void staged_team(const struct test *t) {
  if (t->round == 0) OK(eyot_team_split(EYOT_TEAM_ALL, t->me + 1 == t->n, &st.part));
}
static void staged_end(const struct test *t) {
  if (t->round + 1 == t->rounds) OK(eyot_team_destroy(&st.part));
}

static void staged(const struct test *t) {
  staged_team(t);
  staged_fill(t);
  staged_collect(t, false);
  staged_scatter(t, false);
  staged_exchange(t, false);
  staged_wait(t);
  staged_verify(t);
  staged_end(t);
}
static void staged_plan(const struct test *t) {
  staged_team(t);
  staged_fill(t);
  if (t->round == 0) {
    staged_collect(t, true);
    staged_exchange(t, true);
    staged_scatter(t, true);
  }
  uint32_t n = t->me + 1 == t->n ? 2 : 3;
  for (uint32_t i = 0; i < n; i++) OK(eyot_coll_start(st.op[i]));
  staged_wait(t);
  staged_verify(t);
  for (uint32_t i = 0; i < n && t->round + 1 == t->rounds; i++) OK(eyot_coll_free(&st.op[i]));
  staged_end(t);
}

static void mix(const struct test *t);
static const struct {
  const char *name;
  void (*run)(const struct test *t);
} TESTS[] = {{"scan", scan},
             {"exscan", exscan},
             {"broadcast", broadcast},
             {"scatter", scatter},
             {"reduce", reduce},
             {"allreduce", allreduce},
             {"reduce_scatter", reduce_scatter},
             {"allgather", allgather},
             {"alltoall", alltoall},
             {"scatterv", scatterv},
             {"gatherv", gatherv},
             {"collect", collect},
             {"alltoallv", alltoallv},
             {"alltoallw", alltoallw},
             {"long", rounds_of},
             {"nb", nb},
             {"inside", inside},
             {"starts", starts},
             {"plan", plan},
             {"exact", exact},
             {"gather", gather},
             {"barriers", barriers},
             {"in_place", in_place},
             {"staged", staged},
             {"staged_plan", staged_plan},
             {"mix", mix}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

static void mix(const struct test *t) {
  for (size_t i = 0; TESTS[i].run != inside; i++) TESTS[i].run(t);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size()};
  uint64_t rounds =
      argc > 2 && strncmp(argv[2], "rounds=", 7) == 0 ? strtoull(argv[2] + 7, NULL, 10) : 1;
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || t.n > MOST) {
    if (t.me == 0) fputs("usage: check_coll FUNCTION [rounds=N], of at most 8 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  t.rounds = rounds;
  for (t.round = 0; t.round < rounds; t.round++) TESTS[i].run(&t);
  return finish();
}
