/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_counts.c - compares the operations that each call of synchronization costs with its source's
 * figures: sync_counts [levels=N] [nodes=N]. `levels`: of hier's queues on this machine; as many
 * reader counters as `nodes`.
 *
 * Needs 4 units; on sim two a node. The cases with two units in a fixed order need virtual time,
 * and run on sim only. */
#include "programs/api_check.h"
#include "programs/sync_args.h"

#define UNITS 4u
#define LONG_NS 200000u /* longer than any work of another unit meanwhile */
#define ROUNDS 2u       /* of a dissemination among UNITS */

static uint32_t me;
static bool sim;
static const char *now; /* the case, for messages */

/* Completes earlier operations first: a late release of the caller's own would interfere with its
 * next acquire. */
static void start_counting(const char *what) {
  now = what;
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_count_begin());
}

/* The expected cost of the calls since start_counting. Operations on the unit's own memory cost
 * nothing and do not count. */
struct cost {
  uint64_t atomics, fetching, signals, puts, gets;
};

static void one(const char *name, uint64_t got, uint64_t expected) {
  if (got == expected) return;
  fprintf(stderr, "unit %u: %s: %llu %s, expected %llu\n", me, now, (unsigned long long)got, name,
          (unsigned long long)expected);
  eyot_abort(1, "an operation costs more or less than stated");
}

static void costs(struct cost c) {
  eyot_counts_t k;
  OK(eyot_count_read(&k));
  OK(eyot_count_end());
  one("atomics", k.atomics, c.atomics);
  one("of them fetching", k.fetching, c.fetching);
  one("signals", k.signals, c.signals);
  one("puts", k.puts, c.puts);
  one("gets", k.gets, c.gets);
}

/* The same for locks whose words lie where a hash says: operations on the own memory included;
 * fetching ones are then not counted separately. */
static void costs_anywhere(uint64_t atomics, uint64_t signals) {
  eyot_counts_t k;
  OK(eyot_count_read(&k));
  OK(eyot_count_end());
  one("atomics, own ones included", k.atomics + k.own_atomics, atomics);
  one("signals, own ones included", k.signals + k.own_signals, signals);
  one("puts", k.puts, 0);
  one("gets", k.gets, 0);
}

static void meet(void) {
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* -- locks ------------------------------------------------------------------------------------- */

static eyot_lock_t make(eyot_lock_kind_t kind, uint32_t home) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  eyot_lock_t lock;
  attr.kind = kind;
  attr.home = home;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock));
  return lock;
}

static void mcs_alone(eyot_lock_t lock) {
  start_counting("mcs, acquire alone");
  OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  costs((struct cost){.atomics = 1, .fetching = 1});
  start_counting("mcs, release alone");
  OK(eyot_lock_release(lock));
  costs((struct cost){.atomics = 1, .fetching = 1});
  bool got;
  start_counting("mcs, try");
  OK(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
  CHECK(got);
  costs((struct cost){.atomics = 1, .fetching = 1});
  OK(eyot_lock_release(lock));
}

/* Unit 0 holds; unit 2 queues after it; unit 0 hands over. */
static void mcs_contended(eyot_lock_t lock, bool timed) {
  if (me == 0) OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  meet();
  if (me == 2) {
    start_counting(timed ? "mcs, timed acquire behind a holder" : "mcs, acquire behind a holder");
    if (timed)
      OK(eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 10 * LONG_NS));
    else
      OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs((struct cost){.atomics = 1, .fetching = 1, .signals = 1});
    OK(eyot_lock_release(lock));
  }
  if (me == 0) {
    OK(eyot_compute(LONG_NS));
    start_counting(timed ? "mcs, handing over to a timed waiter" : "mcs, handing over");
    OK(eyot_lock_release(lock));
    costs(timed ? (struct cost){.atomics = 1, .fetching = 1} : (struct cost){.signals = 1});
  }
  meet();
}

static void mcs(void) {
  eyot_lock_t lock = make(EYOT_LOCK_MCS, 1);
  if (me == 0) mcs_alone(lock);
  meet();
  if (sim) mcs_contended(lock, false);
  if (sim) mcs_contended(lock, true);
  OK(eyot_lock_destroy(&lock));
}

static void tas(void) {
  eyot_lock_t lock = make(EYOT_LOCK_TAS, 1);
  if (me == 0) {
    start_counting("tas, acquire alone");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs((struct cost){.atomics = 1, .fetching = 1});
    start_counting("tas, release");
    OK(eyot_lock_release(lock));
    costs((struct cost){.signals = 1});
  }
  meet();
  OK(eyot_lock_destroy(&lock));
}

static void ticket(void) {
  eyot_lock_t lock = make(EYOT_LOCK_TICKET, 1);
  bool got;
  if (me == 0) {
    start_counting("ticket, acquire alone");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs((struct cost){.atomics = 1, .fetching = 1});
    start_counting("ticket, release");
    OK(eyot_lock_release(lock));
    costs((struct cost){.signals = 1});
    OK(eyot_flush_all(EYOT_REMOTE));
    start_counting("ticket, try where the caller was the last");
    OK(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    CHECK(got);
    costs((struct cost){.atomics = 1, .fetching = 1});
    OK(eyot_lock_release(lock));
  }
  meet();
  OK(eyot_lock_destroy(&lock));
}

static void hier(uint64_t levels) {
  eyot_lock_t lock = make(EYOT_LOCK_HIER, EYOT_LOCK_HOME_HASHED);
  if (me == 0) {
    start_counting("hier, acquire alone");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs_anywhere(levels, 0);
    start_counting("hier, release alone");
    OK(eyot_lock_release(lock));
    costs_anywhere(levels, 0);
    if (sim) OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  }
  meet();
  if (sim && me == 1) { /* of the same node */
    start_counting("hier, acquire behind a holder of the node");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs_anywhere(1, 1);
    OK(eyot_lock_release(lock));
  }
  if (sim && me == 0) {
    OK(eyot_compute(LONG_NS));
    start_counting("hier, handing over in the node");
    OK(eyot_lock_release(lock));
    costs_anywhere(0, 1);
  }
  meet();
  OK(eyot_lock_destroy(&lock));
}

static void rw(uint64_t levels, uint64_t counters) {
  eyot_lock_t lock = make(EYOT_LOCK_RW, EYOT_LOCK_HOME_HASHED);
  if (me == 0) {
    start_counting("rw, a reader enters");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    costs_anywhere(1, 0);
    start_counting("rw, a reader leaves");
    OK(eyot_lock_release(lock));
    costs_anywhere(0, 1);
    start_counting("rw, a writer enters alone");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    costs_anywhere(levels + 2 + 2 * counters, 0);
    start_counting("rw, a writer leaves alone");
    OK(eyot_lock_release(lock));
    costs_anywhere(counters + levels, 0);
  }
  meet();
  OK(eyot_lock_destroy(&lock));
}

static void acquire_at(eyot_lock_t lock, eyot_lock_mode_t mode, uint32_t unit, const char *what,
                       uint64_t atomics) {
  start_counting(what);
  OK(eyot_lock_acquire_at(lock, mode, (eyot_tunit_t){unit}));
  costs((struct cost){.atomics = atomics, .fetching = atomics});
}

static void release_at(eyot_lock_t lock, uint32_t unit, const char *what, uint64_t atomics) {
  start_counting(what);
  OK(eyot_lock_release_at(lock, (eyot_tunit_t){unit}));
  costs((struct cost){.atomics = atomics});
}

/* Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming with
 * MPI-3 one sided, SC 2013, section 2.3: shared 1, the first exclusive 2, further ones 1; unlock 1,
 * the last exclusive one 2; lock_all and unlock_all 1. */
static void epoch(void) {
  eyot_lock_t lock = make(EYOT_LOCK_EPOCH, 1);
  if (me == 0) {
    acquire_at(lock, EYOT_LOCK_SHARED, 2, "epoch, shared", 1);
    release_at(lock, 2, "epoch, release of shared", 1);
    acquire_at(lock, EYOT_LOCK_EXCLUSIVE, 2, "epoch, the first exclusive", 2);
    acquire_at(lock, EYOT_LOCK_EXCLUSIVE, 3, "epoch, a further exclusive", 1);
    release_at(lock, 2, "epoch, release of an exclusive", 1);
    release_at(lock, 3, "epoch, release of the last exclusive", 2);
    start_counting("epoch, shared on all");
    OK(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    costs((struct cost){.atomics = 1, .fetching = 1});
    start_counting("epoch, release of all");
    OK(eyot_lock_release(lock));
    costs((struct cost){.atomics = 1});
  }
  meet();
  OK(eyot_lock_destroy(&lock));
}

/* -- active target, barriers, notifications ---------------------------------------------------- */

/* All units expose to all others, and access them. */
static void pscw(void) {
  eyot_pscw_t p;
  eyot_group_t *others;
  const struct cost one_each = {.signals = UNITS - 1}, nothing = {0};
  OK(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &p));
  OK(eyot_group_range(0, UNITS, 1, &others));
  OK(eyot_group_remove(others, (eyot_unit_t){me}));
  for (uint32_t round = 0; round < 2; round++) {
    start_counting(round == 0 ? "pscw, the first post: one fetching atomic more a neighbor"
                              : "pscw, post");
    OK(eyot_pscw_post(p, others));
    if (round == 0) {
      eyot_counts_t k; /* slots that two units try to take at once are requested again */
      OK(eyot_count_read(&k));
      OK(eyot_count_end());
      one("signals", k.signals, UNITS - 1);
      CHECK(k.atomics == k.fetching && k.fetching >= UNITS - 1 && k.puts == 0 && k.gets == 0);
    } else {
      costs(one_each);
    }
    start_counting("pscw, start");
    OK(eyot_pscw_start(p, others));
    costs(nothing);
    start_counting("pscw, complete");
    OK(eyot_pscw_complete(p));
    costs(one_each);
    start_counting("pscw, wait");
    OK(eyot_pscw_wait(p));
    costs(nothing);
  }
  meet();
  eyot_group_free(others);
  OK(eyot_pscw_destroy(&p));
}

/* The signals of all units in one call, which has no other operations. `kind`: of a barrier, or
 * those below. */
enum { DEFAULT = 100, FENCE };
static void meet_by(int kind, eyot_gptr_t segment) {
  if (kind == DEFAULT)
    OK(eyot_barrier(EYOT_TEAM_ALL));
  else if (kind == FENCE)
    OK(eyot_fence(segment));
  else
    OK(eyot_barrier_by(EYOT_TEAM_ALL, (eyot_barrier_kind_t)kind));
}
static uint64_t signals_of(const char *what, int kind, eyot_gptr_t segment) {
  now = what;
  meet_by(kind, segment); /* makes its words */
  eyot_counts_t k;
  OK(eyot_count_begin());
  meet_by(kind, segment);
  OK(eyot_count_read(&k));
  OK(eyot_count_end());
  uint64_t mine[2] = {k.signals, k.atomics + k.puts + k.gets}, all[2];
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, mine, all, 2));
  one("other operations", all[1], 0);
  return all[0];
}

/* By nodes: up and down on each, and between them in rounds by two, or in one round to all. */
static uint64_t barrier_by_nodes(uint64_t nodes, eyot_gptr_t segment) {
  uint64_t on_node = 2 * (UNITS - nodes), by_two = nodes == 4 ? 2 : nodes - 1;
  uint64_t got = signals_of("barrier by nodes", EYOT_BARRIER_NODES, segment);
  if (nodes == 1)
    one("signals", got, UNITS * ROUNDS);
  else if (got != on_node + nodes * by_two)
    one("signals", got, on_node + nodes * (nodes - 1));
  return got;
}

static void barriers(uint64_t nodes) {
  eyot_gptr_t segment;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &segment));
  start_counting("barrier by dissemination");
  OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_DISSEMINATION));
  costs((struct cost){.signals = ROUNDS});
  one("signals", signals_of("tree barrier", EYOT_BARRIER_TREE, segment), 2 * (UNITS - 1));
  /* The barrier takes one of these, and a fence is a barrier. */
  uint64_t by_nodes = barrier_by_nodes(nodes, segment);
  uint64_t usual = signals_of("barrier", DEFAULT, segment);
  if (usual != by_nodes) one("signals", usual, UNITS * ROUNDS);
  one("signals", signals_of("fence", FENCE, segment), usual);
  OK(eyot_team_free(segment));
}

static void notify(void) {
  eyot_counter_t counter;
  eyot_gptr_t words;
  uint64_t word = 1;
  OK(eyot_counter_create(EYOT_TEAM_ALL, 2, &counter));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof word, &words));
  eyot_unit_t next = {(me + 1) % UNITS};
  start_counting("put with notification");
  OK(eyot_put_notify(eyot_gptr_at(words, next), &word, sizeof word, eyot_counter_at(counter, next),
                     1));
  costs((struct cost){.signals = 1});
  start_counting("get with notification");
  OK(eyot_get_notify(&word, eyot_gptr_at(words, next), sizeof word, eyot_counter_at(counter, next),
                     1));
  costs((struct cost){.gets = 1, .signals = 1});
  start_counting("waiting for a counter");
  OK(eyot_counter_wait(eyot_counter_at(counter, eyot_me())));
  costs((struct cost){0});
  OK(eyot_flush_all(EYOT_REMOTE));
  meet();
  OK(eyot_team_free(words));
  OK(eyot_counter_destroy(&counter));
}

/* A put to a known region: with VALIDATE the target's id counter is read, with NOTIFY nothing. */
static void dynamic(eyot_dynamic_kind_t kind) {
  eyot_dynamic_attr_t attr = EYOT_DYNAMIC_ATTR_INIT;
  eyot_dynamic_t d;
  eyot_gptr_t mine, place, theirs;
  static uint64_t region[2];
  uint64_t word = 1;
  attr.kind = kind;
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, &attr, &d));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof mine, &place));
  OK(eyot_dynamic_attach(d, region, sizeof region, &mine));
  OK(eyot_put(eyot_gptr_at(place, (eyot_unit_t){(me + 1) % UNITS}), &mine, sizeof mine));
  meet();
  OK(eyot_get(&theirs, eyot_gptr_at(place, eyot_me()), sizeof theirs));
  OK(eyot_put(theirs, &word, sizeof word)); /* caches the region */
  start_counting(kind == EYOT_DYNAMIC_VALIDATE ? "dynamic segment, validated put"
                                               : "dynamic segment, put with notices");
  OK(eyot_put(theirs, &word, sizeof word));
  costs((struct cost){.puts = 1, .gets = kind == EYOT_DYNAMIC_VALIDATE});
  meet();
  OK(eyot_dynamic_detach(d, region));
  OK(eyot_team_free(place));
  OK(eyot_dynamic_destroy(&d));
}

int main(int argc, char **argv) {
  uint64_t levels = 2, nodes = 2;
  const struct sync_arg known[] = {{"levels", &levels}, {"nodes", &nodes}};
  OK(eyot_init(&argc, &argv));
  sync_args_read(argc, argv, 1, known, 2);
  me = eyot_me().id;
  sim = strcmp(eyot_fabric_name(), "sim") == 0;
  CHECK(eyot_size() == UNITS);
  mcs();
  tas();
  ticket();
  hier(levels);
  rw(levels, nodes);
  epoch();
  pscw();
  barriers(nodes);
  notify();
  dynamic(EYOT_DYNAMIC_VALIDATE);
  dynamic(EYOT_DYNAMIC_NOTIFY);
  return finish();
}
