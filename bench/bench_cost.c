/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_cost.c - foMPI's table of costs (section 3.2): the cost of each call of the library in
 * virtual time, on a machine of which some prices are calibrated to
 * that paper (docs/adr/0058).
 *
 *   eyotrun --fabric sim --platform xe6 -n P [--units-per-node 1] bench_cost [ROUNDS]
 * Lines: cost NAME P PUBLISHED_NS MEDIAN_NS LOW_NS HIGH_NS ROUND_TRIPS MESSAGES. A round trip is an
 * operation whose answer the caller waits for; a message is one that it only sends. The origin is
 * unit 0; the target, and the home of the lock, are units on the next router, the distance of the
 * calibration. Calls that all units make (fence, post, ...) count with the longest of the units of
 * a round, as in the paper. The cost of reading the clock is measured and subtracted. */
#include <eyot/eyot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 1000, NEIGHBORS = 2 };

static struct {
  uint32_t me, n;
  int rounds;
  uint64_t clock_ns; /* the cost of reading the clock */
  eyot_gptr_t words;
} b;

static void must(int code, const char *what) {
  if (code != EYOT_OK) {
    fprintf(stderr, "bench_cost: unit %u: %s: %s\n", b.me, what, eyot_strerror(code));
    eyot_abort(1, what);
  }
}

static uint64_t since(uint64_t begin) {
  uint64_t spent = eyot_now_ns() - begin;
  return spent > b.clock_ns ? spent - b.clock_ns : 0;
}

static int ascending(const void *x, const void *y) {
  double a = *(const double *)x, c = *(const double *)y;
  return (a > c) - (a < c);
}

struct samples {
  int n;
  double v[ROUNDS_MAX];
};
static void add(struct samples *s, double v) {
  s->v[s->n++] = v;
}

static void print(const char *name, double published_ns, struct samples *s,
                  const eyot_counts_t *c) {
  qsort(s->v, (size_t)s->n, sizeof s->v[0], ascending);
  uint64_t trips = c->gets + c->fetching,
           messages = c->puts + c->signals + c->atomics - c->fetching;
  printf("cost %s %u %.1f %.1f %.1f %.1f %llu %llu\n", name, b.n, published_ns, s->v[s->n / 2],
         s->v[0], s->v[s->n - 1], (unsigned long long)trips, (unsigned long long)messages);
}

/* The first unit on the next router (two nodes a router), or the unit nearest to it. */
static uint32_t next_router(uint32_t per_node) {
  uint32_t unit = 2 * per_node;
  return unit < b.n ? unit : b.n - 1;
}

/* -- calls of one unit: the others wait in a barrier ------------------------------------------- */

struct one {
  const char *name;
  double published_ns;
  void (*prepare)(void);
  void (*call)(void);
  void (*undo)(void);
};

static uint32_t target, home;
static eyot_gptr_t there;
static eyot_lock_t lock;
static uint64_t value;

static void call_put(void) {
  must(eyot_put(there, &value, sizeof value), "eyot_put");
}
static void call_put_1000(void) {
  static char bytes[1000];
  must(eyot_put(there, bytes, sizeof bytes), "eyot_put");
}
static void call_get(void) {
  must(eyot_get(&value, there, sizeof value), "eyot_get");
}
static void call_cas(void) {
  must(eyot_cas_u64(there, 0, 0, &value), "eyot_cas_u64");
}
static void call_put_nbi(void) {
  must(eyot_put_nbi(there, &value, sizeof value), "eyot_put_nbi");
}
static void call_put_mapped(void) {
  must(eyot_put_nbi(eyot_gptr_at(b.words, (eyot_unit_t){1}), &value, sizeof value), "eyot_put_nbi");
}
static void call_flush(void) {
  must(eyot_flush((eyot_unit_t){target}, EYOT_REMOTE), "eyot_flush");
}
static void call_sync(void) {
  must(eyot_sync(), "eyot_sync");
}
static void lock_exclusive(void) {
  must(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, (eyot_tunit_t){target}), "exclusive");
}
static void lock_shared(void) {
  must(eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, (eyot_tunit_t){target}), "shared");
}
static void lock_all(void) {
  must(eyot_lock_acquire(lock, EYOT_LOCK_SHARED), "lock_all");
}
static void unlock(void) {
  must(eyot_lock_release_at(lock, (eyot_tunit_t){target}), "unlock");
}
/* A hold of the caller's own member keeps the lock's global word. */
static void lock_exclusive_two(void) {
  must(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, (eyot_tunit_t){b.me}), "exclusive");
  lock_exclusive();
}
static void unlock_own(void) {
  must(eyot_lock_release_at(lock, (eyot_tunit_t){b.me}), "unlock");
}
static void unlock_all(void) {
  must(eyot_lock_release(lock), "unlock_all");
}

static void settle(void) {
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
}

static void measure_one(const struct one *o) {
  static struct samples s;
  s.n = 0;
  eyot_counts_t counts = {0};
  for (int i = 0; i < b.rounds; i++) {
    if (o->prepare != NULL) o->prepare();
    settle();
    uint64_t begin = eyot_now_ns();
    o->call();
    add(&s, (double)since(begin));
    if (o->undo != NULL) o->undo();
    settle();
  }
  if (o->prepare != NULL) o->prepare();
  settle();
  must(eyot_count_begin(), "eyot_count_begin");
  o->call();
  must(eyot_count_read(&counts), "eyot_count_read");
  must(eyot_count_end(), "eyot_count_end");
  if (o->undo != NULL) o->undo();
  settle();
  print(o->name, o->published_ns, &s, &counts);
}

static const struct one ONES[] = {
    {"put_8B", 1000 + 0.16 * 8, NULL, call_put, NULL},
    {"put_1000B", 1000 + 0.16 * 1000, NULL, call_put_1000, NULL},
    {"get_8B", 1900 + 0.17 * 8, NULL, call_get, NULL},
    {"compare_swap", 2400, NULL, call_cas, NULL},
    {"inject_between_nodes", 416, NULL, call_put_nbi, NULL},
    {"inject_within_node", 80, NULL, call_put_mapped, NULL},
    {"flush", 76, NULL, call_flush, NULL},
    {"sync", 17, NULL, call_sync, NULL},
    {"lock_exclusive", 5400, NULL, lock_exclusive, unlock},
    {"lock_shared", 2700, NULL, lock_shared, unlock},
    {"lock_all", 2700, NULL, lock_all, unlock_all},
    {"unlock_exclusive", 400, lock_exclusive, unlock, NULL},
    {"unlock_exclusive_not_last", 400, lock_exclusive_two, unlock, unlock_own},
    {"unlock_shared", 400, lock_shared, unlock, NULL},
    {"unlock_all", 400, lock_all, unlock_all, NULL},
};

/* -- calls that all units make ----------------------------------------------------------------- */

/* Lets all units continue at the same time, as a benchmark with a global clock does: what a call
 * costs, not how far apart units leave a barrier. */
static void meet(void) {
  double at = (double)eyot_now_ns();
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MAX, &at, &at, 1), "eyot_allreduce");
  uint64_t now = eyot_now_ns(), then = (uint64_t)at + 1000000;
  if (then > now) must(eyot_compute(then - now), "eyot_compute");
}

/* The longest time of all units. */
static double longest(double v) {
  must(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MAX, &v, &v, 1), "eyot_allreduce");
  return v;
}

/* The published fence: a flush, and a barrier in log2 p rounds. */
static void fence(void) {
  must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  must(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_DISSEMINATION), "eyot_barrier_by");
}

static void measure_fence(void) {
  static struct samples s;
  eyot_counts_t counts;
  s.n = 0;
  for (int i = 0; i < b.rounds; i++) {
    meet();
    uint64_t begin = eyot_now_ns();
    fence();
    add(&s, longest((double)since(begin)));
  }
  must(eyot_count_begin(), "eyot_count_begin");
  fence();
  must(eyot_count_read(&counts), "eyot_count_read");
  must(eyot_count_end(), "eyot_count_end");
  if (b.me == 0) print("fence", 2900 * log2(b.n), &s, &counts);
}

enum { POST, START, COMPLETE, WAIT, PHASES };

static void ring_round(eyot_pscw_t pscw, const eyot_group_t *ring, bool early, double took[PHASES],
                       eyot_counts_t counts[PHASES]) {
  for (int phase = 0; phase < PHASES; phase++) {
    /* the call's own cost shows if the event that it waits for has happened already */
    if (early && (phase == START || phase == WAIT)) {
      settle();
      meet();
    }
    if (counts != NULL) must(eyot_count_begin(), "eyot_count_begin");
    uint64_t begin = eyot_now_ns();
    if (phase == POST) must(eyot_pscw_post(pscw, ring), "eyot_pscw_post");
    if (phase == START) must(eyot_pscw_start(pscw, ring), "eyot_pscw_start");
    if (phase == COMPLETE) must(eyot_pscw_complete(pscw), "eyot_pscw_complete");
    if (phase == WAIT) must(eyot_pscw_wait(pscw), "eyot_pscw_wait");
    took[phase] = (double)since(begin);
    if (counts == NULL) continue;
    must(eyot_count_read(&counts[phase]), "eyot_count_read");
    must(eyot_count_end(), "eyot_count_end");
  }
}

/* The paper's ring: everybody posts to and starts with its two neighbors, which are off its node
 * if it has its own (--units-per-node 1). */
static void measure_ring(bool early) {
  static const char *const NAMES[2][PHASES] = {
      {"post_ring", "start_ring", "complete_ring", "wait_ring"},
      {"post_early", "start_early", "complete_early", "wait_early"}};
  static const double PUBLISHED[PHASES] = {350.0 * NEIGHBORS, 700, 350.0 * NEIGHBORS, 1800};
  static struct samples s[PHASES];
  eyot_pscw_t pscw;
  eyot_group_t *ring;
  must(eyot_group_new(&ring), "eyot_group_new");
  must(eyot_group_add(ring, (eyot_unit_t){(b.me + 1) % b.n}), "eyot_group_add");
  must(eyot_group_add(ring, (eyot_unit_t){(b.me + b.n - 1) % b.n}), "eyot_group_add");
  must(eyot_pscw_create(EYOT_TEAM_ALL, NULL, &pscw), "eyot_pscw_create");
  double took[PHASES];
  eyot_counts_t counts[PHASES];
  ring_round(pscw, ring, true, took, NULL); /* neighbors meet */
  for (int phase = 0; phase < PHASES; phase++) s[phase].n = 0;
  for (int i = 0; i < b.rounds; i++) {
    meet();
    ring_round(pscw, ring, early, took, NULL);
    for (int phase = 0; phase < PHASES; phase++) add(&s[phase], longest(took[phase]));
  }
  ring_round(pscw, ring, early, took, counts);
  for (int phase = 0; phase < PHASES && b.me == 0; phase++)
    print(NAMES[early][phase], PUBLISHED[phase], &s[phase], &counts[phase]);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_pscw_destroy(&pscw), "eyot_pscw_destroy");
  eyot_group_free(ring);
}

static uint32_t units_per_node(void) {
  eyot_domain_t level;
  uint32_t k = 1;
  while (k < b.n && eyot_distance((eyot_unit_t){0}, (eyot_unit_t){k}, &level) == 0 &&
         level <= EYOT_DOMAIN_NODE)
    k++;
  return k;
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  b.me = eyot_me().id;
  b.n = eyot_size();
  b.rounds = argc > 1 ? atoi(argv[1]) : 30;
  if (b.n < 2 || b.rounds < 1 || b.rounds > ROUNDS_MAX) {
    if (b.me == 0)
      fprintf(stderr, "usage: bench_cost [ROUNDS], ROUNDS 1..%d, at least 2 units\n", ROUNDS_MAX);
    eyot_finalize();
    return 2;
  }
  uint64_t begin = eyot_now_ns();
  b.clock_ns = eyot_now_ns() - begin;
  must(eyot_team_alloc(EYOT_TEAM_ALL, 4096, &b.words), "eyot_team_alloc");
  target = next_router(units_per_node());
  home = target + 1 < b.n ? target + 1 : target;
  there = eyot_gptr_at(b.words, (eyot_unit_t){target});
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.kind = EYOT_LOCK_EPOCH;
  attr.home = home;
  must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock), "eyot_lock_create");
  for (size_t i = 0; i < sizeof ONES / sizeof ONES[0] && b.me == 0; i++)
    if (ONES[i].call != call_put_mapped || units_per_node() > 1) measure_one(&ONES[i]);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  measure_fence();
  measure_ring(false);
  measure_ring(true);
  must(eyot_lock_destroy(&lock), "eyot_lock_destroy");
  must(eyot_team_free(b.words), "eyot_team_free");
  fflush(stdout);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
