/* SPDX-License-Identifier: BSD-3-Clause */
/* check_sync.c - small programs for eyotcheck: one round of each kind of synchronization, with its
 * promises checked at each step. A run is short, so that a hundred thousand of them take a second,
 * and a failing one has few choices. */

/* Usage:
 * - check_sync lock KIND (lock_kinds.def): mutual exclusion, and the next holder sees a holder's
 *   writes
 * - check_sync barrier|tree|nodes|split|fence: bytes that were put before are there afterwards
 * - check_sync reduce|bcast: the values of all members
 * - check_sync dynamic: memory that its owner has attached is accessible, also while it attaches
 *   more, and no longer after it was detached
 * - check_sync notify: bytes are there when their notice is, and may be overwritten when the notice
 *   of their reader is there
 *
 * And NAME=VALUE of these. For all: rounds=N (1). Locks:
 * - shared=1: every second acquire is shared; timed=1: all have a time-out
 * - as=W,r,...: each unit's operations instead, a letter a round: w, r acquire exclusive and
 *   shared, W, R with a time-out, t, s by a try. A unit begins its letters again after the last
 *   one, and the list begins again when there are more units
 * - rest=1: at the end, when all have released or given up, the lock is free (epoch: for a reader
 *   of the whole team)
 * - again=1: then it is destroyed, and another one made, with one round more, and destroyed
 * - give_up=N: before the rounds each unit but 0 gives up N waits for unit 0, which holds the lock
 * - in_a_row=N: hier and rw, passes[EYOT_DOMAIN_NODE]; with hier it is checked that no node has
 *   more holders in a row
 * - readers_max=N, writers_max=N, per_counter=N: of rw
 *
 * Others:
 * - to=N: meetings; the unit that puts is N to the left of the one that checks
 * - inside=1: split; between notify and wait units wait for a word that another unit writes after
 *   its own wait
 * - notify=1, peers=N: memory; of kind notify, not validate; the attribute */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"
#include "support/lock_kinds.h"

struct test {
  uint32_t me, n;
  uint64_t rounds, give_up, in_a_row, to;
  bool shared, timed, epoch, rest, inside, again;
  bool has_queue; /* in_a_row: the unit's node has a queue of its own */
  const char *as; /* letters of this unit, up to a comma or the end; NULL: not given */
  eyot_lock_attr_t attr;
  eyot_lock_t lock;
  eyot_gptr_t words, part; /* words: of unit 0; part: one for each unit */
  /* of two notices: from the left neighbor, which has put, and which has read */
  eyot_counter_t counter;
  eyot_dynamic_t dynamic;
  /* of unit 0: REGIONS words with as many between them; the others access the last one, at
   * `address` there */
  uint64_t *memory;
  uint64_t address;
};

/* A part: 16 bytes for a neighbor, words of unit 0, a word to wait for. */
#define WORDS_AT 32
#define ROW 3 /* index of the word: holders in a row */
#define FLAG_AT 64
#define PART_BYTES 72
#define REGIONS 3

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

static eyot_gptr_t word(const struct test *t, int64_t i) {
  return eyot_gptr_add(t->words, i * 8);
}

/* Alone inside: no other unit has written in between, and the last holder's put, which it did not
 * wait for, has arrived. Words: the unit inside; how many have been, put; the same by an atomic,
 * which cannot be lost. */
static void alone(const struct test *t) {
  uint64_t mine = t->me + 1, inside, before, been;
  OK(eyot_put(word(t, 0), &mine, 8));
  OK(eyot_get(&before, word(t, 1), 8));
  OK(eyot_fetch_add_u64(word(t, 2), 1, &been));
  EXPECT(before == been);
  before++;
  OK(eyot_put_nbi(word(t, 1), &before, 8)); /* release completes it */
  OK(eyot_get(&inside, word(t, 0), 8));
  EXPECT(inside == mine);
  OK(eyot_flush_all(EYOT_LOCAL));
}

/* With other readers: no holder changes anything meanwhile. */
static void together(const struct test *t) {
  uint64_t a, b;
  OK(eyot_get(&a, word(t, 1), 8));
  OK(eyot_read_u64(word(t, 2), &b));
  EXPECT(a == b);
}

/* How a unit acquires the lock in a round. */
struct way {
  eyot_lock_mode_t mode;
  bool timed, tried;
};

static struct way way_of(const struct test *t, uint64_t round) {
  if (t->as == NULL)
    return (struct way){
        t->shared && (t->me + round) % 2 == 0 ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE, t->timed,
        false};
  char letter = t->as[round % strcspn(t->as, ",")];
  bool shared = letter == 'r' || letter == 'R' || letter == 's';
  return (struct way){shared ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE,
                      letter == 'W' || letter == 'R', letter == 't' || letter == 's'};
}

static bool enter(const struct test *t, struct way way) {
  const eyot_tunit_t where = {0}; /* epoch: the words are in unit 0's memory */
  const uint64_t timeout_ns = 200;
  if (way.tried) {
    bool got = false;
    OK(t->epoch ? eyot_lock_try_at(t->lock, way.mode, where, &got)
                : eyot_lock_try(t->lock, way.mode, &got));
    return got;
  }
  int rc;
  if (way.timed)
    rc = t->epoch ? eyot_lock_acquire_at_timeout(t->lock, way.mode, where, timeout_ns)
                  : eyot_lock_acquire_timeout(t->lock, way.mode, timeout_ns);
  else
    rc = t->epoch ? eyot_lock_acquire_at(t->lock, way.mode, where)
                  : eyot_lock_acquire(t->lock, way.mode);
  EXPECT(rc == EYOT_OK || (way.timed && rc == EYOT_ETIMEOUT));
  return rc == EYOT_OK;
}

static void leave(const struct test *t) {
  OK(t->epoch ? eyot_lock_release_at(t->lock, (eyot_tunit_t){0}) : eyot_lock_release(t->lock));
}

/* The cost of one acquire shows how the lock came: with one atomic it was passed on within the
 * node, else through the queue of all (hier.c). */
static bool enter_counted(const struct test *t, struct way way, bool *within) {
  eyot_counts_t counts;
  OK(eyot_count_begin());
  bool got = enter(t, way);
  OK(eyot_count_read(&counts));
  OK(eyot_count_end());
  *within = t->has_queue && counts.atomics + counts.own_atomics == 1;
  return got;
}

/* The holder counts the consecutive holders in its node. */
static void count_row(const struct test *t, bool within) {
  uint64_t row;
  OK(eyot_get(&row, word(t, ROW), 8));
  row = within ? row + 1 : 1;
  EXPECT(row <= t->in_a_row);
  OK(eyot_put(word(t, ROW), &row, 8));
}

static void lock_round(const struct test *t, uint64_t round) {
  struct way way = way_of(t, round);
  bool within = false;
  if (!(t->in_a_row > 0 ? enter_counted(t, way, &within) : enter(t, way))) return;
  if (t->in_a_row > 0) count_row(t, within);
  if (way.mode == EYOT_LOCK_SHARED)
    together(t);
  else
    alone(t);
  leave(t);
}

/* A unit may give up more waits than it can have in the queue at a time: the others are refused. */
static void give_up(const struct test *t) {
  if (t->me == 0) OK(eyot_lock_acquire(t->lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint64_t i = 0; i < t->give_up && t->me != 0; i++) {
    int rc = eyot_lock_acquire_timeout(t->lock, EYOT_LOCK_EXCLUSIVE, 200);
    EXPECT(rc == EYOT_ETIMEOUT || rc == EYOT_EBUSY);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (t->me == 0) OK(eyot_lock_release(t->lock));
  /* all waits that were given up have been passed over, and new ones fit again */
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* All units have left, and their messages to the lock have arrived: a try must succeed. */
static void look_at_rest(const struct test *t) {
  bool got = false;
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (t->me != 0) return;
  OK(eyot_lock_try(t->lock, t->epoch ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE, &got));
  EXPECT(got);
  OK(eyot_lock_release(t->lock));
}

/* Each unit puts to a neighbor on its right and meets; then all bytes are there. */
static void put_right(const struct test *t, uint64_t round) {
  static uint64_t value[2]; /* the source stays unchanged until the meeting */
  value[0] = value[1] = (round + 1) << 8 | t->me;
  OK(eyot_put_nbi(eyot_gptr_at(t->part, (eyot_unit_t){(uint32_t)((t->me + t->to) % t->n)}), value,
                  sizeof value));
}

static void look_left(const struct test *t, uint64_t round) {
  uint64_t seen[2], want = (round + 1) << 8 | (t->me + t->n - t->to % t->n) % t->n;
  OK(eyot_get(seen, eyot_gptr_at(t->part, (eyot_unit_t){t->me}), sizeof seen));
  EXPECT(seen[0] == want && seen[1] == want);
}

/* One unit completes its wait first and signals the others, which have not called theirs yet. */
static void inside_split(const struct test *t, uint64_t round) {
  uint32_t first = (uint32_t)(round % t->n);
  if (t->me != first)
    OK(eyot_wait_until(eyot_gptr_at(eyot_gptr_add(t->part, FLAG_AT), eyot_me()), EYOT_CMP_GE,
                       round + 1, NULL));
  OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  for (uint32_t i = 0; i < t->n && t->me == first; i++) {
    eyot_gptr_t flag = eyot_gptr_at(eyot_gptr_add(t->part, FLAG_AT), (eyot_unit_t){i});
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, flag, EYOT_SIGNAL_SET, round + 1));
  }
}

static void meet(const struct test *t, const char *how, uint64_t round) {
  if (strcmp(how, "fence") == 0) return;
  OK(eyot_flush_all(EYOT_REMOTE));
  if (strcmp(how, "barrier") == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
  if (strcmp(how, "tree") == 0) OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
  if (strcmp(how, "nodes") == 0) OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_NODES));
  if (strcmp(how, "split") == 0) {
    OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    if (t->inside)
      inside_split(t, round);
    else
      OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
}

static void meeting_round(const struct test *t, const char *how, uint64_t round) {
  put_right(t, round);
  if (strcmp(how, "fence") == 0) OK(eyot_fence(t->part));
  meet(t, how, round);
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

/* Others access the last region while the owner's table has two before it. */
static void memory_round(const struct test *t) {
  bool owner = t->me == 0;
  eyot_gptr_t at;
  uint64_t seen = 0;
  OK(eyot_dynamic_gptr(t->dynamic, (eyot_unit_t){0}, t->address, &at));
  if (owner) OK(eyot_dynamic_attach(t->dynamic, &t->memory[2 * (REGIONS - 1)], 8, NULL));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (int i = REGIONS - 2; i >= 0 && owner; i--)
    OK(eyot_dynamic_attach(t->dynamic, &t->memory[2 * i], 8, NULL));
  if (!owner) OK(eyot_get(&seen, at, sizeof seen));
  EXPECT(owner || seen == t->address);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (owner) OK(eyot_dynamic_detach(t->dynamic, &t->memory[2 * (REGIONS - 1)]));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (int i = 0; i < REGIONS - 1 && owner; i++)
    OK(eyot_dynamic_detach(t->dynamic, &t->memory[2 * i]));
  if (!owner) EXPECT(eyot_get(&seen, at, sizeof seen) == EYOT_ERANGE);
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* the next round attaches it again */
}

/* Word 0 of a part is put by the left neighbor, which reads word 1. */
static void notify_round(const struct test *t, uint64_t round) {
  eyot_unit_t right = {(t->me + 1) % t->n};
  eyot_gptr_t own = eyot_gptr_at(t->part, eyot_me()), there = eyot_gptr_at(t->part, right);
  uint64_t mine = (round + 1) << 8 | t->me, seen = 0, zero = 0, left = (t->me + t->n - 1) % t->n;
  OK(eyot_put(eyot_gptr_add(own, 8), &mine, sizeof mine));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_put_notify(there, &mine, sizeof mine, eyot_counter_at(t->counter, right), 1));
  OK(eyot_get_notify(&seen, eyot_gptr_add(there, 8), sizeof seen,
                     eyot_counter_at(t->counter, right), 1));
  EXPECT(seen == ((round + 1) << 8 | right.id));
  OK(eyot_counter_wait(eyot_counter_at(t->counter, eyot_me())));
  OK(eyot_put(eyot_gptr_add(own, 8), &zero, sizeof zero));
  OK(eyot_get(&seen, own, sizeof seen));
  EXPECT(seen == ((round + 1) << 8 | left));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* the next round writes again */
}

static void run(struct test *t, const char *what) {
  if (t->give_up > 0) give_up(t);
  for (uint64_t round = 0; round < t->rounds; round++) {
    if (strcmp(what, "lock") == 0)
      lock_round(t, round);
    else if (strcmp(what, "reduce") == 0 || strcmp(what, "bcast") == 0)
      collective_round(t, what, round);
    else if (strcmp(what, "notify") == 0)
      notify_round(t, round);
    else if (strcmp(what, "dynamic") == 0)
      memory_round(t);
    else
      meeting_round(t, what, round);
    OK(eyot_check_point(what));
  }
  if (t->rest) look_at_rest(t);
  if (!t->again) return;
  OK(eyot_lock_destroy(&t->lock));
  OK(eyot_lock_create(EYOT_TEAM_ALL, &t->attr, &t->lock));
  lock_round(t, t->rounds);
  OK(eyot_lock_destroy(&t->lock));
}

static eyot_lock_kind_t kind_of(const char *name) {
  const struct lock_kind *k = lock_kind_named(name, 0);
  if (k != NULL) return k->kind;
  fprintf(stderr, "check_sync: no lock '%s'\n", name);
  exit(2);
}

/* True if the unit shares its node with some units, but not with all: only then the node has a
 * queue of its own (lock.h). */
static bool has_mates(const struct test *t) {
  uint32_t near = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    eyot_domain_t level;
    OK(eyot_distance((eyot_unit_t){t->me}, (eyot_unit_t){i}, &level));
    if (level <= EYOT_DOMAIN_NODE) near++;
  }
  return near > 1 && near < t->n;
}

/* The unit's letters in the list of `as`. */
static const char *letters_of(const char *as, uint32_t me) {
  const char *at = as;
  for (uint32_t i = 0; as != NULL && i < me; i++) {
    const char *comma = strchr(at, ',');
    at = comma != NULL ? comma + 1 : as;
  }
  return at;
}

static void make_lock(struct test *t, int argc, char **argv) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.kind = kind_of(argv[2]);
  attr.units_per_counter = (uint32_t)number(argc, argv, "per_counter", attr.units_per_counter);
  attr.readers_max = (uint32_t)number(argc, argv, "readers_max", attr.readers_max);
  attr.writers_max = (uint32_t)number(argc, argv, "writers_max", attr.writers_max);
  attr.passes[EYOT_DOMAIN_NODE] =
      (uint32_t)number(argc, argv, "in_a_row", attr.passes[EYOT_DOMAIN_NODE]);
  t->epoch = lock_kind_has(attr.kind, LOCK_MEMBERS);
  if (attr.kind == EYOT_LOCK_HIER) t->in_a_row = number(argc, argv, "in_a_row", 0);
  t->has_queue = has_mates(t);
  t->as = letters_of(value_of(argc, argv, "as"), t->me);
  if (t->as != NULL && (strspn(t->as, "wWrRts") == 0 || strspn(t->as, "wWrRts,") < strlen(t->as))) {
    fprintf(stderr,
            "check_sync: as=%s: letters w, W, r, R, t and s for each unit, separated by commas\n",
            t->as);
    exit(2);
  }
  t->attr = attr;
  t->again = number(argc, argv, "again", 0) != 0;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &t->lock));
}

/* The word that the others access holds its own address. */
static void make_memory(struct test *t, int argc, char **argv) {
  eyot_dynamic_attr_t attr = EYOT_DYNAMIC_ATTR_INIT;
  if (number(argc, argv, "notify", 0) != 0) attr.kind = EYOT_DYNAMIC_NOTIFY;
  attr.peers = (uint32_t)number(argc, argv, "peers", attr.peers);
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, &attr, &t->dynamic));
  t->memory = calloc(2 * REGIONS, sizeof *t->memory);
  CHECK(t->memory != NULL);
  t->address = (uint64_t)(uintptr_t)&t->memory[2 * (REGIONS - 1)];
  t->memory[2 * (REGIONS - 1)] = t->address;
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &t->address, sizeof t->address));
}

int main(int argc, char **argv) {
  if (argc < 2 || (strcmp(argv[1], "lock") == 0 && argc < 3)) {
    fprintf(stderr,
            "usage: check_sync lock KIND | barrier | tree | split | fence | reduce | bcast | "
            "dynamic | notify [NAME=VALUE...]\n");
    return 2;
  }
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id,
                   .n = eyot_size(),
                   .rounds = number(argc, argv, "rounds", 1),
                   .shared = number(argc, argv, "shared", 0) != 0,
                   .timed = number(argc, argv, "timed", 0) != 0,
                   .rest = number(argc, argv, "rest", 0) != 0,
                   .inside = number(argc, argv, "inside", 0) != 0,
                   .give_up = number(argc, argv, "give_up", 0),
                   .to = number(argc, argv, "to", 1)};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART_BYTES, &t.part));
  t.words = eyot_gptr_add(eyot_gptr_at(t.part, (eyot_unit_t){0}), WORDS_AT);
  bool lock = strcmp(argv[1], "lock") == 0, memory = strcmp(argv[1], "dynamic") == 0;
  if (lock) make_lock(&t, argc, argv);
  if (memory) make_memory(&t, argc, argv);
  OK(eyot_counter_create(EYOT_TEAM_ALL, 2, &t.counter));
  OK(eyot_check_begin());
  run(&t, argv[1]);
  OK(eyot_check_end());
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (lock && !t.again) OK(eyot_lock_destroy(&t.lock));
  if (memory) OK(eyot_dynamic_destroy(&t.dynamic));
  free(t.memory);
  OK(eyot_counter_destroy(&t.counter));
  OK(eyot_team_free(t.part));
  OK(eyot_finalize());
  return 0;
}
