/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c - barriers of each kind, and split-phase barriers, through the public API, over all
 * units or over teams of them.
 *
 *   eyotrun --fabric sim -n 64 barrier TEAMS [ROUNDS]     TEAMS: all, halves, thirds (every third
 *                                                         unit), nodes
 *   eyotrun --fabric sim -n 1024 barrier time [ROUNDS]    prints the virtual time and the messages
 *                                                         of a barrier, by kind
 *
 * No member may leave before all have entered. Two checks: before each barrier a member adds one to
 * a counter at a member that changes from round to round, and after the barrier the counter has all
 * additions; and where all units have one clock (sim), the last enters before the first leaves. */
#include <string.h>

#include "programs/api_check.h"

enum way { TREE, DISSEMINATION, NODES, PLAIN, SPLIT_WAIT, SPLIT_TEST, SPLIT_BUSY, WAYS };

struct crew {
  eyot_team_t team;
  uint32_t size, me;
  eyot_gptr_t counters; /* of the team: a word for each kind of barrier */
  bool one_clock;
};

static eyot_gptr_t counter_at(const struct crew *c, uint64_t round, enum way way) {
  eyot_gptr_t g;
  OK(eyot_gptr_at_team(c->counters, c->team, (eyot_tunit_t){(uint32_t)(round * 7919 % c->size)},
                       &g));
  return eyot_gptr_add(g, (int64_t)way * 8);
}

/* Work whose length differs between members. */
static void dally(uint64_t *random) {
  OK(eyot_compute(draw(random) % 3000));
}

static void split_barrier(const struct crew *c, uint64_t round, enum way way, uint64_t *random) {
  uint64_t value = round * 3, sum = 0, one = 1;
  bool done = false;
  OK(eyot_barrier_notify(c->team, &value));
  if (way == SPLIT_BUSY) { /* other collectives of the team */
    OK(eyot_allreduce(c->team, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
    CHECK(sum == c->size);
    OK(eyot_barrier_by(c->team, EYOT_BARRIER_TREE));
  }
  dally(random);
  while (way == SPLIT_TEST && !done) {
    OK(eyot_barrier_test(c->team, &value, &done));
    if (!done) dally(random);
  }
  if (!done) OK(eyot_barrier_wait(c->team, &value));
}

static void one_barrier(const struct crew *c, uint64_t round, enum way way, uint64_t *random) {
  uint64_t one = 1, seen = 0, span[2];
  dally(random);
  OK(eyot_accumulate(counter_at(c, round, way), EYOT_UINT64, EYOT_SUM, &one));
  span[0] = eyot_now_ns(); /* entered */
  if (way == TREE)
    OK(eyot_barrier_by(c->team, EYOT_BARRIER_TREE));
  else if (way == DISSEMINATION)
    OK(eyot_barrier_by(c->team, EYOT_BARRIER_DISSEMINATION));
  else if (way == NODES)
    OK(eyot_barrier_by(c->team, EYOT_BARRIER_NODES));
  else if (way == PLAIN)
    OK(eyot_barrier(c->team));
  else
    split_barrier(c, round, way, random);
  span[1] = UINT64_MAX - eyot_now_ns(); /* left */
  OK(eyot_fetch_op(counter_at(c, round, way), EYOT_UINT64, EYOT_NOOP, NULL, &seen));
  /* This counter's home counts every member once each time that its turn comes; a further step is
   * possible only after another barrier. */
  uint64_t turns = 0;
  for (uint64_t k = 0; k <= round; k++) turns += k * 7919 % c->size == round * 7919 % c->size;
  CHECK(seen == turns * c->size);
  OK(eyot_allreduce(c->team, EYOT_UINT64, EYOT_MAX, span, span, 2));
  if (c->one_clock) CHECK(span[0] <= UINT64_MAX - span[1]);
}

/* One member passes another expression: every member gets the error. */
static void mismatch(const struct crew *c) {
  uint64_t value = c->me == c->size / 2 ? 8 : 7;
  OK(eyot_barrier_notify(c->team, &value));
  CHECK(eyot_barrier_wait(c->team, &value) == (c->size > 1 ? EYOT_EMISMATCH : EYOT_OK));
  value = 7;
  OK(eyot_barrier_notify(c->team, &value));
  OK(eyot_barrier_wait(c->team, &value));
}

static void split_team(const char *teams, struct crew *c) {
  uint32_t me = eyot_me().id, n = eyot_size();
  c->team = EYOT_TEAM_ALL;
  if (strcmp(teams, "halves") == 0)
    OK(eyot_team_split(EYOT_TEAM_ALL, me < n / 2, &c->team));
  else if (strcmp(teams, "thirds") == 0)
    OK(eyot_team_split(EYOT_TEAM_ALL, me % 3, &c->team));
  else if (strcmp(teams, "nodes") == 0)
    OK(eyot_team_split_locality(EYOT_TEAM_ALL, EYOT_DOMAIN_NODE, &c->team));
  else
    CHECK(strcmp(teams, "all") == 0);
  eyot_tunit_t id;
  OK(eyot_team_size(c->team, &c->size));
  OK(eyot_team_me(c->team, &id));
  c->me = id.id;
  OK(eyot_team_alloc(c->team, WAYS * 8, &c->counters));
  c->one_clock = strcmp(eyot_fabric_name(), "sim") == 0;
}

static void check(const char *teams, uint64_t rounds) {
  struct crew c;
  uint64_t random = eyot_me().id * 31 + 5;
  split_team(teams, &c);
  for (uint64_t round = 0; round < rounds; round++)
    for (int way = 0; way < WAYS; way++) one_barrier(&c, round, (enum way)way, &random);
  mismatch(&c);
  OK(eyot_team_free(c.counters));
  if (c.team.id != EYOT_TEAM_ALL.id) OK(eyot_team_destroy(&c.team));
}

/* The number of signals of a dissemination barrier that leave the caller's node. */
static uint64_t leaving_node(void) {
  uint64_t n = eyot_size(), leaving = 0;
  for (uint64_t step = 1; step < n; step *= 2) {
    eyot_domain_t level;
    OK(eyot_distance(eyot_me(), (eyot_unit_t){(uint32_t)((eyot_me().id + step) % n)}, &level));
    leaving += level > EYOT_DOMAIN_NODE;
  }
  return leaving;
}

static uint32_t nodes(void) {
  eyot_place_t before, place;
  uint32_t count = 1;
  OK(eyot_locate((eyot_unit_t){0}, &before));
  for (uint32_t u = 1; u < eyot_size(); u++, before = place) {
    OK(eyot_locate((eyot_unit_t){u}, &place));
    count += place.id[EYOT_DOMAIN_NODE] != before.id[EYOT_DOMAIN_NODE];
  }
  return count;
}

/* The time of a barrier: from the first entry into the first of a series to the last exit from the
 * last one, divided by their number. */
static void measure(uint64_t rounds) {
  uint32_t n = eyot_size(), log = 0;
  while ((UINT64_C(1) << log) < n) log++;
  for (int kind = 0; kind < 2; kind++) {
    eyot_counts_t counts;
    /* the first barrier of a kind makes its plan */
    OK(eyot_barrier_by(EYOT_TEAM_ALL, (eyot_barrier_kind_t)kind));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    uint64_t span[2] = {UINT64_MAX - eyot_now_ns(), 0}, sum[2];
    for (uint64_t i = 0; i < rounds; i++)
      OK(eyot_barrier_by(EYOT_TEAM_ALL, (eyot_barrier_kind_t)kind));
    span[1] = eyot_now_ns();
    OK(eyot_count_begin());
    OK(eyot_barrier_by(EYOT_TEAM_ALL, (eyot_barrier_kind_t)kind));
    OK(eyot_count_read(&counts));
    OK(eyot_count_end());
    CHECK(counts.puts + counts.gets + counts.atomics + counts.own_signals + counts.put_bytes == 0);
    sum[0] = counts.signals;
    sum[1] = kind == EYOT_BARRIER_TREE ? 0 : leaving_node();
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, span, span, 2));
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, sum, sum, 2));
    CHECK(sum[0] == (kind == EYOT_BARRIER_TREE ? 2 * (uint64_t)(n - 1) : (uint64_t)n * log));
    if (kind == EYOT_BARRIER_TREE) sum[1] = 2 * ((uint64_t)nodes() - 1);
    if (eyot_me().id == 0)
      printf("%s: %.3f us a barrier, %llu messages, %llu between nodes\n",
             kind == EYOT_BARRIER_TREE ? "tree" : "dissemination",
             (double)(span[1] - (UINT64_MAX - span[0])) / 1e3 / (double)rounds,
             (unsigned long long)sum[0], (unsigned long long)sum[1]);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc < 2) {
    if (eyot_me().id == 0)
      fprintf(stderr, "usage: barrier all|halves|thirds|nodes|time [ROUNDS]\n");
    eyot_finalize();
    return 2;
  }
  uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;
  if (strcmp(argv[1], "time") == 0)
    measure(rounds);
  else
    check(argv[1], rounds);
  return finish();
}
