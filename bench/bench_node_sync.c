/* bench_node_sync.c - barriers, locks and allocation of bench_node. Raw waiting spins for a while and then yields, as one would write it
 * for a machine that others use too. SPDX-License-Identifier: BSD-3-Clause */
#include "bench_node.h"

enum { SPINS = 2000, BARRIERS = 2000, MPI_BARRIERS = 200, PAIRS = 10000, CONTENDED = 2000, MPI_PAIRS = 200 };
enum { FLAG_AT = 4096, TICKET_AT = 8192, SERVED_AT = 8192 + LINE, WORD_AT = 12288 };

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
void barrier_series(struct node *b, const char *what, const char *way, void (*once)(struct node *b), int n) {
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

/* A ticket lock: served in the order of coming, as the lock that it is compared with. */
static double tickets(const struct node *b, int n) {
  uint64_t *ticket = word(b, 1, TICKET_AT), *served = word(b, 1, SERVED_AT);
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    uint64_t mine = __atomic_fetch_add(ticket, 1, __ATOMIC_SEQ_CST);
    spin_until(served, mine, SPINS);
    __atomic_store_n(served, mine + 1, __ATOMIC_RELEASE);
  }
  return (wall_ns() - begin) / n;
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

static void lock_round(struct node *b, eyot_lock_t lock, MPI_Win window) {
  if (b->me == 0) {
    say(b, "lock_alone", "floor", exchanges(b, PAIRS));
    say(b, "lock_alone", "eyot", lock_pairs(lock, PAIRS));
    say(b, "lock_alone", "again", exchanges(b, PAIRS));
  }
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (b->me == 0) say(b, "lock_alone", "mpi", mpi_pairs(window, MPI_PAIRS));
  MPI_Barrier(MPI_COMM_WORLD);
  /* From here on both at the same time. */
  flag_barrier(b);
  say(b, "lock_contended", "floor", tickets(b, CONTENDED));
  flag_barrier(b);
  say(b, "lock_contended", "eyot", lock_pairs(lock, CONTENDED));
  flag_barrier(b);
  say(b, "lock_contended", "again", tickets(b, CONTENDED));
  MPI_Barrier(MPI_COMM_WORLD);
  say(b, "lock_contended", "mpi", mpi_pairs(window, MPI_PAIRS));
  MPI_Barrier(MPI_COMM_WORLD);
}

void sync_rounds(struct node *b, int rounds) {
  eyot_lock_t lock;
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.home = 1;
  must(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock), "eyot_lock_create");
  MPI_Win window;
  void *memory;
  MPI_Win_allocate(LINE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int round = 0; round < rounds; round++) {
    barrier_series(b, "barrier", "floor", flag_barrier, BARRIERS);
    barrier_series(b, "barrier", "eyot", eyot_once, BARRIERS);
    barrier_series(b, "barrier", "again", flag_barrier, BARRIERS);
    barrier_series(b, "barrier", "mpi", mpi_once, MPI_BARRIERS);
    lock_round(b, lock, window);
  }
  MPI_Win_free(&window);
  must(eyot_lock_destroy(&lock), "eyot_lock_destroy");
}
