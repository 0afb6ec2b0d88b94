/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node_sync.c - barriers, flags and locks of bench_node. The raw waits spin for a while
 * and then yield, as code for a machine that other programs use too would. */
#include "bench_node.h"

enum {
  SPINS = 2000,
  BARRIERS = 2000,
  MPI_BARRIERS = 200,
  PAIRS = 10000,
  CONTENDED = 400,
  CONTESTS = 41,
  CONTESTS_LEAST = 5,
  MPI_PAIRS = 200,
  TRIPS = 2000
};
enum {
  FLAG_AT = 4096,
  TICKET_AT = 8192,
  SERVED_AT = 8192 + LINE,
  WORD_AT = 12288,
  STOP_AT = 12288 + 1024,
  DONE_AT = 12288 + 2048
};

/* Two units: each sets a flag in the other's memory and waits for its own. */
static void flag_barrier(struct node *b) {
  uint64_t seq = ++b->raw_seq;
  __atomic_store_n(word(b, 1 - b->me, FLAG_AT), seq, __ATOMIC_RELEASE);
  spin_until(word(b, b->me, FLAG_AT), seq, SPINS);
}

void eyot_once(struct node *b) {
  (void)b;
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}
void mpi_once(struct node *b) {
  (void)b;
  MPI_Barrier(MPI_COMM_WORLD);
}

/* All units together; the time of unit 0. */
void barrier_series(struct node *b, const char *what, const char *way, void (*once)(struct node *b),
                    int n) {
  for (int i = 0; i < n / 10; i++) once(b);
  double begin = wall_ns();
  for (int i = 0; i < n; i++) once(b);
  say(b, what, way, (wall_ns() - begin) / n);
}

static double exchanges(const struct node *b, int n) {
  uint64_t sum = 0, *w = word(b, 1, WORD_AT);
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    sum += __atomic_exchange_n(w, (uint64_t)i, __ATOMIC_SEQ_CST);
    sum += __atomic_exchange_n(w, 0, __ATOMIC_SEQ_CST);
  }
  double ns = (wall_ns() - begin) / n;
  RELOAD(&sum);
  return ns;
}

/* One acquire and release of a lock that both units want. */
enum { MCS, TICKET, N_LOCKS };
struct contest {
  struct node *b;
  eyot_lock_t lock[N_LOCKS];
  MPI_Win window;
};

/* A ticket lock: served in the order of coming, as the locks that it is compared with. */
static inline void ticket_pair(const struct contest *c) {
  uint64_t *served = word(c->b, 1, SERVED_AT),
           mine = __atomic_fetch_add(word(c->b, 1, TICKET_AT), 1, __ATOMIC_SEQ_CST);
  spin_until(served, mine, SPINS);
  __atomic_store_n(served, mine + 1, __ATOMIC_RELEASE);
}
static inline void mcs_pair(const struct contest *c) {
  must(eyot_lock_acquire(c->lock[MCS], EYOT_LOCK_EXCLUSIVE) | eyot_lock_release(c->lock[MCS]),
       "eyot_lock");
}
static inline void ticket_lock_pair(const struct contest *c) {
  must(eyot_lock_acquire(c->lock[TICKET], EYOT_LOCK_EXCLUSIVE) | eyot_lock_release(c->lock[TICKET]),
       "eyot_lock");
}
static inline void mpi_pair(const struct contest *c) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, c->window);
  MPI_Win_unlock(1, c->window);
}

/* ns of a pair of either unit, from hand to hand: both go on until unit 0 has had n. It takes some
 * 20 us from a moment at which both run: on a machine that others use too, many contests are then
 * not interrupted. If the other one has had it much more or less often, one of them was without a
 * rival: NO_CONTEST. */
#define NO_CONTEST (-1.0)
#define CONTEND(name, pair)                                                                 \
  __attribute__((noinline)) static double name(const struct contest *c, int n) {            \
    struct node *b = c->b;                                                                  \
    uint64_t *stop = word(b, 0, STOP_AT), *done = word(b, 1, DONE_AT), mine = 0,            \
             seq = b->raw_seq + 1;                                                          \
    flag_barrier(b);                                                                        \
    double begin = wall_ns();                                                               \
    for (; b->me == 0 ? mine < (uint64_t)n : __atomic_load_n(stop, __ATOMIC_RELAXED) < seq; \
         mine++)                                                                            \
      pair(c);                                                                              \
    __atomic_store_n(b->me == 0 ? stop : done, b->me == 0 ? seq : mine, __ATOMIC_RELEASE);  \
    double ns = wall_ns() - begin;                                                          \
    flag_barrier(b);                                                                        \
    bool both = 5 * *done >= 3 * mine && 5 * *done <= 8 * mine;                             \
    return both ? ns / (double)(mine + *done) : NO_CONTEST;                                 \
  }
CONTEND(tickets, ticket_pair)
CONTEND(mcs_locks, mcs_pair)
CONTEND(ticket_locks, ticket_lock_pair)
CONTEND(mpi_locks, mpi_pair)

/* Both kinds beside the same floor. */
static void say_both(const struct node *b, const char *what, const char *way, double ns) {
  static const char *const KINDS[N_LOCKS] = {"mcs", "ticket"};
  char name[64];
  for (int k = 0; k < N_LOCKS; k++) {
    snprintf(name, sizeof name, "%s_%s", what, KINDS[k]);
    say(b, name, way, ns);
  }
}

/* Counts `v` among the n sorted values. */
static int enter(double *sorted, int n, double v) {
  if (v == NO_CONTEST) return n;
  int k = n;
  for (; k > 0 && sorted[k - 1] > v; k--) sorted[k] = sorted[k - 1];
  sorted[k] = v;
  return n + 1;
}

/* Prints the medians of many contests, in which the ways take turns; nothing if too few counted. */
static bool contests(const struct contest *c) {
  static double (*const WAYS[])(const struct contest *c, int n) = {tickets, mcs_locks, ticket_locks,
                                                                   tickets};
  enum { FLOOR, OF_MCS, OF_TICKET, AGAIN, N_WAYS };
  double ns[N_WAYS][CONTESTS], median[N_WAYS];
  int n[N_WAYS] = {0};
  for (int i = 0; i < CONTESTS; i++)
    for (int w = 0; w < N_WAYS; w++) n[w] = enter(ns[w], n[w], WAYS[w](c, CONTENDED));
  for (int w = 0; w < N_WAYS; w++) {
    if (n[w] < CONTESTS_LEAST) return false;
    median[w] = ns[w][n[w] / 2];
  }
  say_both(c->b, "lock_contended", "floor", median[FLOOR]);
  say(c->b, "lock_contended_mcs", "eyot", median[OF_MCS]);
  say(c->b, "lock_contended_ticket", "eyot", median[OF_TICKET]);
  say_both(c->b, "lock_contended", "again", median[AGAIN]);
  return true;
}

static double lock_pairs(eyot_lock_t lock, int n) {
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    failed |= eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
    failed |= eyot_lock_release(lock);
  }
  must(failed, "eyot_lock");
  return (wall_ns() - begin) / n;
}

static double mpi_pairs(MPI_Win window, int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Win_unlock(1, window);
  }
  return (wall_ns() - begin) / n;
}

static void lock_round(const struct contest *c) {
  struct node *b = c->b;
  if (b->me == 0) {
    say_both(b, "lock_alone", "floor", exchanges(b, PAIRS));
    say(b, "lock_alone_mcs", "eyot", lock_pairs(c->lock[MCS], PAIRS));
    say(b, "lock_alone_ticket", "eyot", lock_pairs(c->lock[TICKET], PAIRS));
    say_both(b, "lock_alone", "again", exchanges(b, PAIRS));
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (b->me == 0) say_both(b, "lock_alone", "mpi", mpi_pairs(c->window, MPI_PAIRS));
  MPI_Barrier(MPI_COMM_WORLD);
  /* From here on both at the same time. */
  bool said = contests(c);
  MPI_Barrier(MPI_COMM_WORLD);
  double of_mpi = mpi_locks(c, MPI_PAIRS);
  if (said && of_mpi != NO_CONTEST) say_both(b, "lock_contended", "mpi", of_mpi);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* -- a flag to the other unit and one back, by a signal or by a put ---------------------------- */

struct pong {
  eyot_gptr_t mine, theirs;
  uint32_t first; /* this unit begins: 1 */
  uint64_t seq;
};

static inline void send_signal(const struct pong *p) {
  must(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, p->theirs, EYOT_SIGNAL_SET, p->seq), "a signal");
}
static inline void send_put(const struct pong *p) {
  must(eyot_put(p->theirs, &p->seq, 8), "eyot_put");
}
static inline void send_put_4(const struct pong *p) {
  must(eyot_put(p->theirs, &p->seq, 4), "eyot_put");
}
static inline void hear(const struct pong *p) {
  must(eyot_wait_until(p->mine, EYOT_CMP_EQ, p->seq, NULL), "eyot_wait_until");
}
static inline void hear_4(const struct pong *p) {
  const eyot_cond_t c = {.word = p->mine, .type = EYOT_UINT32, .cmp = EYOT_CMP_EQ, .value = p->seq};
  must(eyot_wait_until_word(&c, EYOT_FOREVER, NULL), "eyot_wait_until_word");
}

#define ROUND_TRIPS(name, send, hear)                                   \
  __attribute__((noinline)) static double name(struct pong *p, int n) { \
    double begin = wall_ns();                                           \
    for (int i = 0; i < n; i++) {                                       \
      p->seq++;                                                         \
      if (p->first != 0) send(p);                                       \
      hear(p);                                                          \
      if (p->first == 0) send(p);                                       \
    }                                                                   \
    return (wall_ns() - begin) / n;                                     \
  }
ROUND_TRIPS(signal_trips, send_signal, hear)
ROUND_TRIPS(put_trips, send_put, hear)
ROUND_TRIPS(put_4_trips, send_put_4, hear_4)

/* The floor of a flag that is put is the same flag as a signal: on words of their own, since widths
 * and ways are not mixed. */
static void flag_round(const struct node *b) {
  eyot_gptr_t all;
  struct pong p[3];
  must(eyot_team_alloc(EYOT_TEAM_ALL, 3 * LINE, &all), "eyot_team_alloc");
  for (int k = 0; k < 3; k++)
    p[k] = (struct pong){
        .mine = eyot_gptr_add(eyot_gptr_at(all, (eyot_unit_t){b->me}), k * LINE),
        .theirs = eyot_gptr_add(eyot_gptr_at(all, (eyot_unit_t){1 - b->me}), k * LINE),
        .first = b->me == 0};
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  (void)signal_trips(&p[0], TRIPS / 10);
  double floor = signal_trips(&p[0], TRIPS), put = put_trips(&p[1], TRIPS),
         put_4 = put_4_trips(&p[2], TRIPS), again = signal_trips(&p[0], TRIPS);
  say(b, "flag_trip", "floor", floor);
  say(b, "flag_trip", "eyot", put);
  say(b, "flag_trip", "again", again);
  say(b, "flag_trip_4B", "floor", floor);
  say(b, "flag_trip_4B", "eyot", put_4);
  say(b, "flag_trip_4B", "again", again);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  must(eyot_team_free(all), "eyot_team_free");
}

void sync_rounds(struct node *b, int rounds) {
  struct contest c = {.b = b};
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.home = 1;
  for (int k = 0; k < N_LOCKS; k++) {
    attr.kind = k == MCS ? EYOT_LOCK_MCS : EYOT_LOCK_TICKET;
    must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &c.lock[k]), "eyot_lock_create");
  }
  void *memory;
  MPI_Win_allocate(LINE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &c.window);
  for (int round = 0; round < rounds; round++) {
    barrier_series(b, "barrier", "floor", flag_barrier, BARRIERS);
    barrier_series(b, "barrier", "eyot", eyot_once, BARRIERS);
    barrier_series(b, "barrier", "again", flag_barrier, BARRIERS);
    barrier_series(b, "barrier", "mpi", mpi_once, MPI_BARRIERS);
    flag_round(b);
    lock_round(&c);
  }
  MPI_Win_free(&c.window);
  for (int k = 0; k < N_LOCKS; k++) must(eyot_lock_destroy(&c.lock[k]), "eyot_lock_destroy");
}
