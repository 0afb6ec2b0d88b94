/* SPDX-License-Identifier: BSD-3-Clause */
/* check_sheap.c - small programs for eyotcheck: memory of the shared heap that other units free.
 * check_sheap WHAT [rounds=N]
 *
 *   give    unit 0 allocates objects, unit 1 frees them while unit 0 allocates more
 *   both    two units free objects of unit 0 at the same time
 *   large   the same with objects that have a chunk each
 *   twice   two units free one object: one of them gets the error
 *   cycle   each unit frees what the one before has allocated */
#include <string.h>

#include "programs/api_check.h"

#define MOST 8u

static uint32_t me, n;
static uint64_t rounds = 2;
static uint64_t bytes = 40000; /* a few fill a chunk */

static uint64_t *made(uint64_t value) {
  uint64_t *p;
  OK(eyot_sheap_alloc(bytes / 4, (void **)&p));
  *p = value;
  return p;
}
static void pass(uint32_t to, uint64_t *p) {
  OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){to}, 1, &p, sizeof p));
}
static uint64_t *passed(uint32_t from) {
  uint64_t *p;
  OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){from}, 1, &p, sizeof p, NULL));
  return p;
}

/* No object that is in use is given out again: each has its value until it is freed. */
static void give_to(uint32_t others) {
  uint64_t *kept[MOST];
  for (uint64_t i = 0; i < rounds; i++) {
    if (me == 0) {
      for (uint32_t to = 1; to <= others; to++) pass(to, made(100 * to + i));
      kept[i % MOST] = made(i);
    } else if (me <= others) {
      uint64_t *p = passed(0);
      EXPECT(*p == 100 * me + i);
      OK(eyot_sheap_free(p));
    }
  }
  void *small;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_sheap_alloc(64, &small)); /* of a new size: takes in what was released */
  OK(eyot_sheap_free(small));
  for (uint64_t i = 0; me == 0 && i < rounds; i++) {
    EXPECT(*kept[i] == i);
    OK(eyot_sheap_free(kept[i]));
  }
}

static void give(void) {
  give_to(1);
}
static void both(void) {
  give_to(n - 1);
}
static void large(void) {
  bytes = 400000;
  give_to(n - 1);
}

static void twice(void) {
  uint64_t *p = NULL, ok = 0, all = 0;
  if (me == 0) p = made(1);
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p, sizeof p));
  if (me != 0) ok = eyot_sheap_free(p) == EYOT_OK;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &ok, &all, 1));
  EXPECT(all == 1);
  if (me == 0) OK(eyot_sheap_free(made(2)));
}

static void cycle(void) {
  for (uint64_t i = 0; i < rounds; i++) {
    pass((me + 1) % n, made(10 * i + me));
    uint64_t *p = passed((me + n - 1) % n);
    EXPECT(*p == 10 * i + (me + n - 1) % n);
    OK(eyot_sheap_free(p));
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} TESTS[] = {{"give", give}, {"both", both}, {"large", large}, {"twice", twice}, {"cycle", cycle}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  if (argc > 2 && strncmp(argv[2], "rounds=", 7) == 0) rounds = strtoull(argv[2] + 7, NULL, 10);
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || rounds > MOST) {
    if (me == 0) fputs("usage: check_sheap WHAT [rounds=N], of at most 8 rounds\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  TESTS[i].run();
  return finish();
}
