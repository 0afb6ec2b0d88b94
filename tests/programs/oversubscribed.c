/* SPDX-License-Identifier: BSD-3-Clause */
/* oversubscribed.c - barriers, agreements and split-phase barriers of units that share processors,
 * of all units and of overlapping teams: oversubscribed ROUNDS.
 *
 * Random delays make each unit sometimes the first and sometimes the last to come; some units yield
 * and some sleep. After each meeting a unit checks what others wrote before it: a unit that left
 * early would read an old word. */
#include <time.h>

#include "programs/api_check.h"

#define TEAMS 3u

struct state {
  eyot_gptr_t words; /* one a unit: the last round that it has entered */
  uint32_t me, n;
  uint64_t rng;
  /* all, an interval without unit 0, every second unit; the teams that this unit is in */
  eyot_team_t team[TEAMS];
  bool in[TEAMS];
};

/* Delays by nothing, by some computing, or by a sleep: other units yield meanwhile, or sleep. */
static void dawdle(struct state *s) {
  uint64_t dice = draw(&s->rng) % 16;
  if (dice == 0) nanosleep(&(struct timespec){.tv_nsec = (long)(draw(&s->rng) % 300000)}, NULL);
  if (dice == 1)
    for (volatile uint64_t i = 0; i < draw(&s->rng) % 20000; i++) continue;
}

static bool is_member(uint32_t unit, uint32_t team) {
  return team == 0 || (team == 1 ? unit > 0 : unit % 2 == 0);
}

static void enter(const struct state *s, uint64_t round) {
  OK(eyot_put(eyot_gptr_at(s->words, (eyot_unit_t){s->me}), &round, sizeof round));
}
static void all_have_entered(const struct state *s, uint32_t team, uint64_t round) {
  for (uint32_t u = 0; u < s->n; u++) {
    uint64_t seen;
    if (!is_member(u, team)) continue;
    OK(eyot_get(&seen, eyot_gptr_at(s->words, (eyot_unit_t){u}), sizeof seen));
    CHECK(seen >= round);
  }
}

/* A reduction agrees on its arguments by an exchange with words; a wrong exchange would refuse
 * them, or accept another member's. */
static void reduce(struct state *s, uint32_t team, uint64_t round) {
  uint64_t mine = round * 100 + s->me, most, expected = 0;
  for (uint32_t u = 0; u < s->n; u++)
    if (is_member(u, team)) expected = round * 100 + u;
  OK(eyot_allreduce(s->team[team], EYOT_UINT64, EYOT_MAX, &mine, &most, 1));
  CHECK(most == expected);
}

static void split_phase(struct state *s, uint32_t team, uint64_t round) {
  bool done = draw(&s->rng) % 2 != 0;
  OK(eyot_barrier_notify(s->team[team], &round));
  dawdle(s);
  if (team != 0) OK(eyot_barrier(s->team[team])); /* another exchange of the same team meanwhile */
  if (done) {
    OK(eyot_barrier_wait(s->team[team], &round));
  } else {
    while (!done) OK(eyot_barrier_test(s->team[team], &round, &done));
  }
}

static void one_round(struct state *s, uint64_t round) {
  uint64_t common = round * 0x9e3779b97f4a7c15u; /* what all do must be the same */
  common ^= common >> 31;
  uint32_t team = (uint32_t)(common % TEAMS);
  enter(s, round);
  if (!s->in[team]) return;
  dawdle(s);
  switch (common / TEAMS % 4) {
    case 0:
      split_phase(s, team, round);
      break;
    case 1:
      reduce(s, team, round);
      break;
    default:
      OK(eyot_barrier(s->team[team]));
      break;
  }
  all_have_entered(s, team, round);
}

/* One unit counts for a while: collectives work as before. */
static void count_now_and_then(const struct state *s, uint64_t round, bool *counts) {
  if (round % 64 != s->me % 64) return;
  OK(*counts ? eyot_count_end() : eyot_count_begin());
  *counts = !*counts;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2 && eyot_size() >= 4);
  struct state s = {.me = eyot_me().id, .n = eyot_size(), .rng = eyot_me().id + 1};
  uint64_t rounds = strtoull(argv[1], NULL, 10);
  bool counts = false;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &s.words));
  s.team[0] = EYOT_TEAM_ALL;
  for (uint32_t t = 0; t < TEAMS; t++) {
    s.in[t] = is_member(s.me, t);
    if (t > 0) OK(eyot_team_split(EYOT_TEAM_ALL, s.in[t] ? 1 : 0, &s.team[t]));
  }
  for (uint64_t round = 1; round <= rounds; round++) {
    count_now_and_then(&s, round, &counts);
    one_round(&s, round);
  }
  if (counts) OK(eyot_count_end());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t t = 1; t < TEAMS; t++) OK(eyot_team_destroy(&s.team[t]));
  OK(eyot_team_free(s.words));
  return finish();
}
