/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_pointer.c - a pointer that is null, foreign, freed, out of range, misaligned or garbage gives
 * an error at the unit that uses it, and no byte of any unit's memory changes. On mpi with several
 * nodes, private memory of other nodes is checked only with EYOT_CHECK. */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define PART_BYTES 104u
#define SHOTS 6000u
#define GUARD 0xa5

/* The call must return `code`. */
#define GIVES(code, call)                                                                      \
  do {                                                                                         \
    int got_ = (call);                                                                         \
    if (got_ != (code)) {                                                                      \
      fprintf(stderr, "unit %u: %s:%d: %s gave %s\n", eyot_me().id, __FILE__, __LINE__, #call, \
              eyot_errname(got_));                                                             \
      eyot_abort(1, "another error was expected");                                             \
    }                                                                                          \
  } while (0)

static void null_and_range(eyot_gptr_t part, eyot_unit_t next) {
  eyot_gptr_t there = eyot_gptr_at(part, next);
  uint64_t word = 0;
  void *address;
  GIVES(EYOT_ESEG, eyot_put(EYOT_GPTR_NULL, &word, 8));
  GIVES(EYOT_ESEG, eyot_get(&word, EYOT_GPTR_NULL, 8));
  GIVES(EYOT_ESEG, eyot_fetch_add_u64(EYOT_GPTR_NULL, 1, &word));
  GIVES(EYOT_EUNIT, eyot_put(eyot_gptr_at(part, (eyot_unit_t){eyot_size()}), &word, 8));
  GIVES(EYOT_EUNIT, eyot_get(&word, eyot_gptr_at(part, (eyot_unit_t){UINT32_MAX}), 8));
  GIVES(EYOT_ERANGE, eyot_put(eyot_gptr_add(there, PART_BYTES), &word, 1));
  GIVES(EYOT_ERANGE, eyot_put(eyot_gptr_add(there, -1), &word, 1));
  GIVES(EYOT_ERANGE, eyot_put(eyot_gptr_add(there, PART_BYTES - 7), &word, 8));
  GIVES(EYOT_ERANGE, eyot_get(&word, eyot_gptr_add(there, PART_BYTES - 7), 8));
  /* volatile, so that the compiler does not see the value and warn */
  volatile uint64_t too_long = UINT64_MAX;
  GIVES(EYOT_ERANGE, eyot_put(there, &word, too_long));
  GIVES(EYOT_ERANGE, eyot_fetch_add_u64(eyot_gptr_add(there, PART_BYTES), 1, &word));
  GIVES(EYOT_EALIGN, eyot_fetch_add_u64(eyot_gptr_add(there, 4), 1, &word));
  GIVES(EYOT_EINVAL, eyot_put(there, NULL, 8));
  GIVES(EYOT_EINVAL, eyot_get(NULL, there, 8));
  if (next.id != eyot_me().id) {
    GIVES(EYOT_EUNIT, eyot_wait_until(there, EYOT_CMP_EQ, 1, NULL));
    GIVES(EYOT_EUNIT, eyot_gptr_addr(there, &address));
  }
}

static void freed(eyot_unit_t next, eyot_gptr_t *post) {
  eyot_gptr_t part, own, theirs;
  uint64_t word = 0;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART_BYTES, &part));
  OK(eyot_team_free(part));
  GIVES(EYOT_ESEG, eyot_put(eyot_gptr_at(part, next), &word, 8));
  GIVES(EYOT_ESEG, eyot_team_free(part));
  OK(eyot_alloc(sizeof word, &own));
  OK(eyot_put(eyot_gptr_at(*post, next), &own, sizeof own));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&theirs, eyot_gptr_at(*post, eyot_me()), sizeof theirs));
  OK(eyot_put(theirs, &word, 8));
  GIVES(EYOT_ERANGE, eyot_put(eyot_gptr_add(theirs, 1), &word, 8));
  if (next.id != eyot_me().id) GIVES(EYOT_EUNIT, eyot_free(theirs));
  GIVES(EYOT_ESEG, eyot_free(eyot_gptr_add(own, 8)));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_free(own));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  GIVES(EYOT_ESEG, eyot_free(own));
  GIVES(EYOT_ESEG, eyot_put(own, &word, 8));
  GIVES(EYOT_ESEG, eyot_put(theirs, &word, 8));
  GIVES(EYOT_ESEG, eyot_get(&word, theirs, 8));
}

static void unregistered(void) {
  uint64_t memory[4] = {0}, word = 0;
  eyot_gptr_t g;
  GIVES(EYOT_EINVAL, eyot_register(NULL, 8, &g));
  OK(eyot_register(memory, sizeof memory, &g));
  GIVES(EYOT_ERANGE, eyot_put(eyot_gptr_add(g, sizeof memory), &word, 8));
  OK(eyot_unregister(g));
  GIVES(EYOT_ESEG, eyot_unregister(g));
  GIVES(EYOT_ESEG, eyot_put(g, &word, 8));
}

/* A team without unit 0: unit 0 gets a pointer to the team's memory, and the members one to a unit
 * that is not in the team. */
static void foreign(eyot_gptr_t post) {
  if (eyot_size() < 2) return;
  eyot_group_t *group;
  eyot_team_t team;
  eyot_gptr_t g;
  uint64_t word = 0;
  OK(eyot_group_range(1, eyot_size() - 1, 1, &group));
  OK(eyot_team_create(EYOT_TEAM_ALL, group, &team));
  eyot_group_free(group);
  if (eyot_me().id > 0) {
    OK(eyot_team_alloc(team, PART_BYTES, &g));
    GIVES(EYOT_EUNIT, eyot_put(eyot_gptr_at(g, (eyot_unit_t){0}), &word, 8));
    GIVES(EYOT_EUNIT, eyot_gptr_at_team(g, team, (eyot_tunit_t){eyot_size() - 1}, &g));
    if (eyot_me().id == 1) OK(eyot_put(eyot_gptr_at(post, (eyot_unit_t){0}), &g, sizeof g));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) {
    OK(eyot_get(&g, eyot_gptr_at(post, (eyot_unit_t){0}), sizeof g));
    GIVES(EYOT_ESEG, eyot_put(g, &word, 8));
  } else {
    OK(eyot_team_free(g));
    eyot_team_t copy = team;
    OK(eyot_team_destroy(&team));
    GIVES(EYOT_ETEAM, eyot_barrier(copy));
    GIVES(EYOT_ETEAM, eyot_team_alloc(copy, 8, &g));
  }
}

/* Garbage with plausible fields: right or small segment, generation, unit or offset; the others are
 * random. */
static eyot_gptr_t garbage(uint64_t *state, eyot_gptr_t good) {
  uint64_t how = draw(state), a = draw(state), b = draw(state);
  eyot_gptr_t g = {
      .offset = a, .unit = (uint32_t)b, .seg = (uint16_t)(b >> 32), .gen = (uint16_t)(b >> 48)};
  if (how & 1) g.unit %= eyot_size();
  if (how & 2) g.seg %= 8;
  if (how & 4) g.gen %= 4;
  if (how & 8) g.offset &= 0xffff8;
  if (how & 16) g.seg = good.seg, g.gen = good.gen;
  return g;
}

static void shoot(eyot_gptr_t part) {
  uint64_t state = 77 + eyot_me().id;
  for (uint32_t i = 0; i < SHOTS; i++) {
    eyot_gptr_t g = garbage(&state, part);
    uint64_t words[2] = {0, 0};
    bool good = g.seg == part.seg && g.gen == part.gen && g.unit < eyot_size() &&
                g.offset <= PART_BYTES - 8;
    /* it may be valid */
    if (good || (g.seg != part.seg && g.seg >= 3 && g.seg < 8 && g.gen == part.gen)) continue;
    int rc = i % 3 == 0   ? eyot_put(g, words, 8)
             : i % 3 == 1 ? eyot_get(words, g, 8)
                          : eyot_fetch_add_u64(g, 1, words);
    CHECK(rc == EYOT_ESEG || rc == EYOT_EUNIT || rc == EYOT_ERANGE || rc == EYOT_EALIGN);
  }
}

static void expect_guard(const void *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) CHECK(((const unsigned char *)at)[i] == GUARD);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  eyot_unit_t next = {(eyot_me().id + 1) % eyot_size()};
  eyot_gptr_t part, post, own;
  void *part_at, *own_at;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART_BYTES, &part));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(eyot_gptr_t), &post));
  OK(eyot_alloc(PART_BYTES, &own));
  OK(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), &part_at));
  OK(eyot_gptr_addr(own, &own_at));
  memset(part_at, GUARD, PART_BYTES);
  memset(own_at, GUARD, PART_BYTES);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  null_and_range(part, next);
  freed(next, &post);
  unregistered();
  foreign(post);
  shoot(part);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  expect_guard(part_at, PART_BYTES);
  expect_guard(own_at, PART_BYTES);
  OK(eyot_free(own));
  OK(eyot_team_free(post));
  OK(eyot_team_free(part));
  return finish();
}
