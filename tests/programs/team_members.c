/* SPDX-License-Identifier: BSD-3-Clause */
/* team_members.c - teams that only their members make (eyot_team_create_group): team_members WAY
 * [MANY]. random: a sequence of groups that all units know; each unit makes those that it is in,
 * uses some at once, and keeps some while it makes others; pairs: overlapping pairs, for eyotcheck;
 * together: such a team, those of a split, and barriers of all units; wrong: mistakes; apart: units
 * 0 and 1 pass different tags, and wait for each other. MANY: groups, or pairs at most. */
#include <string.h>

#include "programs/api_check.h"

#define KEPT 4u

/* The team has the group's members, and its collectives work. */
static void use(eyot_team_t team, const eyot_group_t *group) {
  uint32_t size, index, sum = 0, expected = 0, mine = eyot_me().id + 1;
  eyot_tunit_t me;
  eyot_team_t parent;
  OK(eyot_team_size(team, &size));
  OK(eyot_team_me(team, &me));
  OK(eyot_team_parent(team, &parent));
  OK(eyot_group_index(group, eyot_me(), &index));
  CHECK(size == eyot_group_size(group) && me.id == index && parent.id == EYOT_TEAM_ALL.id);
  OK(eyot_allreduce(team, EYOT_UINT32, EYOT_SUM, &mine, &sum, 1));
  for (uint32_t i = 0; i < size; i++) {
    eyot_unit_t u;
    OK(eyot_group_at(group, i, &u));
    expected += u.id + 1;
  }
  CHECK(sum == expected);
}

/* A word at each member, added to by all members. */
static void use_memory(eyot_team_t team, const eyot_group_t *group) {
  eyot_gptr_t g;
  uint64_t old, seen;
  OK(eyot_team_alloc(team, sizeof seen, &g));
  for (uint32_t i = 0; i < eyot_group_size(group); i++) {
    eyot_unit_t u;
    OK(eyot_group_at(group, i, &u));
    OK(eyot_fetch_add_u64(eyot_gptr_at(g, u), 1, &old));
  }
  OK(eyot_barrier(team));
  OK(eyot_get(&seen, eyot_gptr_at(g, eyot_me()), sizeof seen));
  CHECK(seen == eyot_group_size(group));
  OK(eyot_barrier(team));
  OK(eyot_team_free(g));
}

static eyot_group_t *random_group(uint64_t *r) {
  eyot_group_t *group;
  uint64_t dense = 1 + draw(r) % 3;
  OK(eyot_group_new(&group));
  for (uint32_t u = 0; u < eyot_size(); u++)
    if (draw(r) % 4 < dense) OK(eyot_group_add(group, (eyot_unit_t){u}));
  return group;
}

static void random_groups(uint32_t groups) {
  uint64_t r = 77;
  eyot_team_t kept[KEPT] = {EYOT_TEAM_NULL};
  for (uint32_t i = 0; i < groups; i++) {
    eyot_team_t team = EYOT_TEAM_NULL;
    eyot_group_t *group = random_group(&r);
    uint64_t what = draw(&r);
    if (eyot_group_has(group, eyot_me())) {
      OK(eyot_team_create_group(EYOT_TEAM_ALL, group, i % 3, &team));
      if (what % 3 == 0) use_memory(team, group);
      use(team, group);
      if (what % 2 == 0) OK(eyot_team_destroy(&team));
    }
    eyot_group_free(group);
    /* all members know that it was kept in this place */
    if (what % 2 != 0 && kept[i % KEPT].id != 0) OK(eyot_team_destroy(&kept[i % KEPT]));
    if (team.id != 0) kept[i % KEPT] = team;
  }
  for (uint32_t i = 0; i < KEPT; i++)
    if (kept[i].id != 0) OK(eyot_team_destroy(&kept[i]));
}

/* {0, 1}, {1, 2}, {2, 3}, ... up to `most` pairs, and again the same. */
static void pairs(uint32_t most) {
  uint32_t me = eyot_me().id, n = eyot_size();
  uint32_t end = most < n - 1 ? most : n - 1;
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t first = me > 0 ? me - 1 : 0; first <= me && first < end; first++) {
      eyot_group_t *group;
      eyot_team_t team;
      OK(eyot_group_range(first, 2, 1, &group));
      OK(eyot_team_create_group(EYOT_TEAM_ALL, group, 0, &team));
      uint32_t size;
      OK(eyot_team_size(team, &size));
      CHECK(size == 2);
      OK(eyot_barrier(team));
      OK(eyot_team_destroy(&team));
      eyot_group_free(group);
    }
  }
}

/* All have come when the first leaves. */
static void all_meet(eyot_gptr_t counter, uint32_t way, uint64_t *times) {
  uint64_t one = 1, seen = 0;
  OK(eyot_accumulate(counter, EYOT_UINT64, EYOT_SUM, &one));
  if (way == 0) {
    OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
  } else {
    OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
  OK(eyot_fetch_op(counter, EYOT_UINT64, EYOT_NOOP, NULL, &seen));
  CHECK(seen == ++*times * eyot_size());
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* Teams that their members make, teams of a split, and each kind of barrier of all units: the words
 * of one are not those of another, whatever is alive. */
static void together(void) {
  uint32_t me = eyot_me().id;
  uint64_t times = 0;
  eyot_gptr_t counter;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &counter));
  for (uint32_t round = 0; round < 2; round++) {
    eyot_group_t *group;
    eyot_team_t part, pair = EYOT_TEAM_NULL;
    for (uint32_t way = 0; way < 2; way++) all_meet(counter, way, &times);
    OK(eyot_group_range(0, 2, 1, &group));
    if (me < 2) OK(eyot_team_create_group(EYOT_TEAM_ALL, group, 0, &pair));
    for (uint32_t way = 0; way < 2; way++) all_meet(counter, way, &times);
    OK(eyot_team_split(EYOT_TEAM_ALL, me % 2, &part));
    for (uint32_t way = 0; way < 2; way++) all_meet(counter, way, &times);
    OK(eyot_barrier_by(part, EYOT_BARRIER_TREE));
    if (me < 2) OK(eyot_barrier(pair));
    for (uint32_t way = 0; way < 2; way++) all_meet(counter, way, &times);
    if (me < 2) OK(eyot_team_destroy(&pair));
    OK(eyot_team_destroy(&part));
    eyot_group_free(group);
  }
  OK(eyot_team_free(counter));
}

static void wrong(void) {
  eyot_group_t *group, *empty;
  eyot_team_t team;
  eyot_unit_t other = {(eyot_me().id + 1) % eyot_size()};
  OK(eyot_group_from(&other, 1, &group));
  OK(eyot_group_new(&empty));
  CHECK(eyot_team_create_group(EYOT_TEAM_ALL, group, 0, &team) == EYOT_EUNIT);
  CHECK(eyot_team_create_group(EYOT_TEAM_ALL, empty, 0, &team) == EYOT_EINVAL);
  CHECK(eyot_team_create_group(EYOT_TEAM_ALL, NULL, 0, &team) == EYOT_EINVAL);
  CHECK(eyot_team_create_group(EYOT_TEAM_ALL, group, 0, NULL) == EYOT_EINVAL);
  CHECK(eyot_team_create_group(EYOT_TEAM_NULL, group, 0, &team) == EYOT_ETEAM);
  OK(eyot_group_add(group, (eyot_unit_t){eyot_size()}));
  CHECK(eyot_team_create_group(EYOT_TEAM_ALL, group, 0, &team) == EYOT_EUNIT);
  eyot_group_free(group);
  eyot_group_free(empty);
}

static void apart(void) {
  eyot_group_t *group;
  eyot_team_t team;
  OK(eyot_group_range(0, 2, 1, &group));
  if (eyot_me().id < 2)
    OK(eyot_team_create_group(EYOT_TEAM_ALL, group, eyot_me().id, &team)); /* tags differ */
  eyot_group_free(group);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  OK(eyot_init(&argc, &argv));
  if (strcmp(way, "random") == 0) random_groups(argc > 2 ? (uint32_t)atoi(argv[2]) : 20);
  if (strcmp(way, "pairs") == 0) pairs(argc > 2 ? (uint32_t)atoi(argv[2]) : UINT32_MAX);
  if (strcmp(way, "together") == 0) together();
  if (strcmp(way, "wrong") == 0) wrong();
  if (strcmp(way, "apart") == 0) apart();
  return finish();
}
