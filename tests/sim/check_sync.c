/* check_sync.c - small programs for eyotcheck: one round of each kind of synchronisation, with what it promises checked at each step.
 *   check_sync lock mcs|hier|rw|epoch|tas [rounds=N] [shared=1] [timed=1]   mutual exclusion, and that what a holder wrote is seen by the next
 *   check_sync barrier|tree|split|fence [rounds=N]                         what was put before is there afterwards
 *   check_sync reduce|bcast [rounds=N]                                     what everybody gave
 * A run is short, so that a hundred thousand of them take a second, and few choices are left of one that fails. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "api_check.h"

#define EXPECT(cond) \
  do { \
    if (!(cond)) eyot_check_fail("%s:%d: not true: %s", __func__, __LINE__, #cond); \
  } while (0)

struct test {
  uint32_t me, n;
  uint64_t rounds;
  bool shared, timed, epoch;
  eyot_lock_t lock;
  eyot_gptr_t words, part; /* words of unit 0; a part of everybody */
};

static const char *value_of(int argc, char **argv, const char *name) {
  size_t n = strlen(name);
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=') return argv[i] + n + 1;
  return NULL;
}

static uint64_t number(int argc, char **argv, const char *name, uint64_t otherwise) {
  const char *v = value_of(argc, argv, name);
  return v != NULL ? strtoull(v, NULL, 10) : otherwise;
}

static eyot_gptr_t word(const struct test *t, int64_t i) { return eyot_gptr_add(t->words, i * 8); }

/* Alone inside: nobody has written in between, and what the last holder put without waiting has come. Words: who is inside; how many have been, put; the same by an
 * atomic, which cannot be lost. */
static void alone(const struct test *t) {
  uint64_t mine = t->me + 1, inside, before, been;
  OK(eyot_put(word(t, 0), &mine, 8));
  OK(eyot_get(&before, word(t, 1), 8));
  OK(eyot_fetch_add_u64(word(t, 2), 1, &been));
  EXPECT(before == been);
  before++;
  OK(eyot_put_nbi(word(t, 1), &before, 8)); /* complete when the lock has been released */
  OK(eyot_get(&inside, word(t, 0), 8));
  EXPECT(inside == mine);
  OK(eyot_flush_all(EYOT_LOCAL));
}

/* With others that only read: no holder changes anything meanwhile. */
static void together(const struct test *t) {
  uint64_t a, b;
  OK(eyot_get(&a, word(t, 1), 8));
  OK(eyot_read_u64(word(t, 2), &b));
  EXPECT(a == b);
}

static bool enter(const struct test *t, eyot_lock_mode_t mode) {
  if (t->epoch) { /* unit 0's memory is what the words are in */
    OK(eyot_lock_acquire_at(t->lock, mode, (eyot_tunit_t){0}));
    return true;
  }
  int rc = t->timed ? eyot_lock_acquire_timeout(t->lock, mode, 200) : eyot_lock_acquire(t->lock, mode);
  EXPECT(rc == EYOT_OK || (t->timed && rc == EYOT_ETIMEOUT));
  return rc == EYOT_OK;
}

static void lock_round(const struct test *t, uint64_t round) {
  bool reads = t->shared && (t->me + round) % 2 == 0;
  if (!enter(t, reads ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE)) return;
  if (reads)
    together(t);
  else
    alone(t);
  OK(t->epoch ? eyot_lock_release_at(t->lock, (eyot_tunit_t){0}) : eyot_lock_release(t->lock));
}

/* Each puts to its right neighbour and meets; then everything is there. */
static void put_right(const struct test *t, uint64_t round) {
  static uint64_t value[2]; /* the source stays untouched until the meeting */
  value[0] = value[1] = (round + 1) << 8 | t->me;
  OK(eyot_put_nbi(eyot_gptr_at(t->part, (eyot_unit_t){(t->me + 1) % t->n}), value, sizeof value));
}

static void look_left(const struct test *t, uint64_t round) {
  uint64_t seen[2], want = (round + 1) << 8 | (t->me + t->n - 1) % t->n;
  OK(eyot_get(seen, eyot_gptr_at(t->part, (eyot_unit_t){t->me}), sizeof seen));
  EXPECT(seen[0] == want && seen[1] == want);
}

static void meet(const char *how) {
  if (strcmp(how, "fence") == 0) return;
  OK(eyot_flush_all(EYOT_REMOTE));
  if (strcmp(how, "barrier") == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
  if (strcmp(how, "tree") == 0) OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
  if (strcmp(how, "split") == 0) {
    OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
}

static void meeting_round(const struct test *t, const char *how, uint64_t round) {
  put_right(t, round);
  if (strcmp(how, "fence") == 0) OK(eyot_fence(t->part));
  meet(how);
  look_left(t, round);
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* the next round writes again */
}

static void collective_round(const struct test *t, const char *how, uint64_t round) {
  uint64_t mine[2] = {t->me + round, 1}, all[2];
  if (strcmp(how, "reduce") == 0) {
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, mine, all, 2));
    EXPECT(all[0] == (uint64_t)t->n * (t->n - 1) / 2 + t->n * round && all[1] == t->n);
    return;
  }
  uint32_t root = (uint32_t)(round % t->n);
  if (t->me != root) mine[0] = mine[1] = 0;
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){root}, mine, sizeof mine));
  EXPECT(mine[0] == root + round && mine[1] == 1);
}

static void run(const struct test *t, const char *what) {
  for (uint64_t round = 0; round < t->rounds; round++) {
    if (strcmp(what, "lock") == 0)
      lock_round(t, round);
    else if (strcmp(what, "reduce") == 0 || strcmp(what, "bcast") == 0)
      collective_round(t, what, round);
    else
      meeting_round(t, what, round);
    OK(eyot_check_point(what));
  }
}

static eyot_lock_kind_t kind_of(const char *name) {
  static const char *const NAMES[] = {"mcs", "hier", "rw", "epoch", "tas"};
  static const eyot_lock_kind_t KINDS[] = {EYOT_LOCK_MCS, EYOT_LOCK_HIER, EYOT_LOCK_RW, EYOT_LOCK_EPOCH, EYOT_LOCK_TAS};
  for (size_t i = 0; i < 5; i++)
    if (strcmp(name, NAMES[i]) == 0) return KINDS[i];
  fprintf(stderr, "check_sync: no lock '%s'\n", name);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc < 2 || (strcmp(argv[1], "lock") == 0 && argc < 3)) {
    fprintf(stderr, "usage: check_sync lock KIND | barrier | tree | split | fence | reduce | bcast [rounds=N] [shared=1] [timed=1]\n");
    return 2;
  }
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size(), .rounds = number(argc, argv, "rounds", 1), .shared = number(argc, argv, "shared", 0) != 0,
                   .timed = number(argc, argv, "timed", 0) != 0};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &t.part));
  t.words = eyot_gptr_add(eyot_gptr_at(t.part, (eyot_unit_t){0}), 32);
  bool lock = strcmp(argv[1], "lock") == 0;
  if (lock) {
    eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
    attr.kind = kind_of(argv[2]);
    t.epoch = attr.kind == EYOT_LOCK_EPOCH;
    OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &t.lock));
  }
  OK(eyot_check_begin());
  run(&t, argv[1]);
  OK(eyot_check_end());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (lock) OK(eyot_lock_destroy(&t.lock));
  OK(eyot_team_free(t.part));
  OK(eyot_finalize());
  return 0;
}
