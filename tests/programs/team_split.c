/* SPDX-License-Identifier: BSD-3-Clause */
/* team_split.c - eyot_team_split: team_split random ROUNDS | small | grows.
 *
 * random: colors of many patterns, over all units and over teams of some of them; every unit checks
 * its whole team. small: two splits, for eyotcheck. grows: no unit sends or gets more than some for
 * each doubling of the members, and on sim the virtual time of a split of all units, beside that of
 * 32, grows no faster. */
#include <string.h>

#include "programs/api_check.h"

#define FEW 32u
#define NODE_MOST 24u /* units of a node */
#define MEMBERS_MAX 4096u
#define THINK_NS 3000u

enum pattern { BLOCKS, CYCLIC, ONE, SOME, DRAWN, OWN, NOBODY, PATTERNS };

/* The color of a member; EYOT_COLOR_NONE: it gets no team. */
static uint32_t color_of(enum pattern pattern, uint64_t key, uint32_t member) {
  uint32_t k = 1 + (uint32_t)(key % 7);
  uint64_t state = key ^ (uint64_t)member << 32;
  switch (pattern) {
    case BLOCKS:
      return member / k;
    case CYCLIC:
      return member % k;
    case ONE:
      return k;
    case SOME:
      return member % k == 0 ? EYOT_COLOR_NONE : member % 3;
    case DRAWN:
      return (uint32_t)(draw(&state) % k);
    case OWN:
      return UINT32_MAX - 1 - member;
    default:
      return EYOT_COLOR_NONE;
  }
}

/* Members of a color, in the order of the parent. */
static uint32_t members_of(eyot_team_t parent, enum pattern pattern, uint64_t key, uint32_t color,
                           uint32_t units[MEMBERS_MAX]) {
  uint32_t size, n = 0;
  OK(eyot_team_size(parent, &size));
  for (uint32_t i = 0; i < size && n < MEMBERS_MAX; i++) {
    eyot_unit_t unit;
    if (color_of(pattern, key, i) != color) continue;
    OK(eyot_team_l2g(parent, (eyot_tunit_t){i}, &unit));
    units[n++] = unit.id;
  }
  return n;
}

static void split_and_check(eyot_team_t parent, enum pattern pattern, uint64_t key) {
  static const uint32_t none = EYOT_COLOR_NONE;
  eyot_tunit_t me;
  eyot_team_t team;
  OK(eyot_team_me(parent, &me));
  uint32_t color = color_of(pattern, key, me.id), size;
  OK(eyot_team_split(parent, color, &team));
  CHECK((team.id == EYOT_TEAM_NULL.id) == (color == none));
  if (color == none) return;
  uint32_t *units = malloc(MEMBERS_MAX * sizeof *units);
  CHECK(units != NULL);
  uint32_t n = members_of(parent, pattern, key, color, units);
  OK(eyot_team_size(team, &size));
  CHECK(size == n);
  for (uint32_t i = 0; i < n; i++) {
    eyot_unit_t unit;
    OK(eyot_team_l2g(team, (eyot_tunit_t){i}, &unit));
    CHECK(unit.id == units[i]);
  }
  free(units);
  uint64_t sum = 1;
  OK(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &sum, &sum, 1));
  CHECK(sum == n);
  OK(eyot_team_destroy(&team));
}

static void rounds(long n) {
  uint64_t shared = 11, own = 77 + eyot_me().id;
  for (long i = 0; i < n; i++) {
    uint64_t key = draw(&shared);
    enum pattern pattern = (enum pattern)(draw(&shared) % PATTERNS);
    eyot_team_t odd;
    OK(eyot_compute(draw(&own) % THINK_NS));
    split_and_check(EYOT_TEAM_ALL, pattern, key);
    OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &odd));
    split_and_check(odd, pattern, key);
    OK(eyot_team_destroy(&odd));
  }
}

static void small(void) {
  OK(eyot_check_begin());
  split_and_check(EYOT_TEAM_ALL, BLOCKS, 1);
  split_and_check(EYOT_TEAM_ALL, CYCLIC, 1);
  OK(eyot_check_end());
}

static uint32_t levels_of(uint32_t size) {
  uint32_t levels = 0;
  while (1u << levels < size) levels++;
  return levels;
}

struct price {
  uint64_t signals, gets, virtual_ns;
};

/* The most that a member pays for a split of `team` into blocks of 4. */
static struct price price_of(eyot_team_t team) {
  eyot_tunit_t me;
  eyot_team_t made;
  eyot_counts_t k;
  OK(eyot_team_me(team, &me));
  OK(eyot_barrier(team));
  uint64_t begin = eyot_now_ns();
  OK(eyot_count_begin());
  OK(eyot_team_split(team, me.id / 4, &made));
  OK(eyot_count_read(&k));
  OK(eyot_count_end());
  struct price p = {k.signals, k.gets, eyot_now_ns() - begin};
  OK(eyot_team_destroy(&made));
  uint64_t words[3] = {p.signals, p.gets, p.virtual_ns};
  OK(eyot_allreduce(team, EYOT_UINT64, EYOT_MAX, words, words, 3));
  return (struct price){words[0], words[1], words[2]};
}

static void grows(void) {
  uint32_t n = eyot_size(), levels = levels_of(n);
  bool virtual_time = strcmp(eyot_fabric_name(), "sim") == 0;
  struct price few = {0}, all;
  eyot_team_t team;
  OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id < FEW ? 0 : EYOT_COLOR_NONE, &team));
  if (eyot_me().id < FEW) few = price_of(team);
  if (eyot_me().id < FEW) OK(eyot_team_destroy(&team));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  all = price_of(EYOT_TEAM_ALL);
  if (eyot_me().id == 0)
    printf("%u: %llu signals, %llu gets, %llu ns; 32: %llu, %llu, %llu\n", n,
           (unsigned long long)all.signals, (unsigned long long)all.gets,
           (unsigned long long)all.virtual_ns, (unsigned long long)few.signals,
           (unsigned long long)few.gets, (unsigned long long)few.virtual_ns);
  CHECK(all.gets <= levels + 1); /* a list of each child, and one of the parent */
  /* six exchanges, a report to each child and the parent; an exchange by nodes sends up to four
   * times down a node */
  CHECK(all.signals <= 6 * (levels > 4 * NODE_MOST ? levels : 4 * NODE_MOST) + levels + 1);
  if (!virtual_time || eyot_me().id != 0) return;
  /* the 32 are on two nodes, and what goes up and down is a run for each four members */
  CHECK(all.virtual_ns * levels_of(FEW) <= 4 * few.virtual_ns * levels);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc > 2 && strcmp(argv[1], "random") == 0)
    rounds(atol(argv[2]));
  else if (argc > 1 && strcmp(argv[1], "small") == 0)
    small();
  else if (argc > 1 && strcmp(argv[1], "grows") == 0)
    grows();
  else
    eyot_abort(2, "usage: team_split random ROUNDS | small | grows");
  return finish();
}
