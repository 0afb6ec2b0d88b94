/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_msg.c - two-sided messages between two units of a node: half a round trip of 8 bytes to
 * 1 MiB, and the time of one of 64 short messages that are outstanding, beside MPI's own and the
 * same by hand (a word and the bytes in an MPI shared window).
 *
 *   eyotrun --fabric mpi -n 2 bench_msg [ROUNDS [CASE]]
 * With CASE the medians are lines `value CASE_WHAT_WAY time ns NUMBER`, for suite_messages.sh. In a
 * job of two nodes only messages are measured.
 * All ways take turns in one process; printed are the medians of the rounds. `heap` sends from and
 * receives into memory of eyot_alloc, `private` of malloc; `own` passes one buffer there and back,
 * which the other one changes. `copy` takes 1 MiB to the other process by one of them, by both, and
 * by a message. `loan`: process 0 lends what it changes, and the other one reads and returns it, or
 * answers a message. Last come an allocation and its release, also under a lock. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { ROUNDS_MOST = 51, WINDOW = 64, MIB = 1 << 20 };
enum way { BY_HAND, MPI_OWN, MPI_AGAIN, EYOT_PRIVATE, EYOT_HEAP, EYOT_OWN, WAYS };
static const char *const NAMES[WAYS] = {"by_hand",      "mpi",       "mpi_again",
                                        "eyot_private", "eyot_heap", "eyot_own"};

static char *buf[WAYS], *in[WAYS];
static int me;
static const char *name; /* CASE */
static bool apart;       /* the units are on two nodes */
static eyot_gptr_t memory[2];
static char *there; /* in[EYOT_HEAP] of process 1: a node has its heap at one address */

/* Of each process: a word, which says the number of the message, then the bytes. */
static struct hand {
  uint64_t *mine, *theirs;
  uint64_t n;
} hand;

static void hand_send(const void *from, uint64_t bytes) {
  memcpy(hand.theirs + 8, from, bytes);
  __atomic_store_n(hand.theirs, ++hand.n, __ATOMIC_RELEASE);
}
static void hand_recv(void *to, uint64_t bytes, uint64_t number) {
  while (__atomic_load_n(hand.mine, __ATOMIC_ACQUIRE) != number) {
  }
  memcpy(to, hand.mine + 8, bytes);
}

static bool is_mpi(enum way w) {
  return w == MPI_OWN || w == MPI_AGAIN;
}

static void way_send(enum way w, uint64_t bytes) {
  const eyot_tunit_t other = {1u - (uint32_t)me};
  if (w == BY_HAND)
    hand_send(buf[w], bytes);
  else if (is_mpi(w))
    MPI_Send(buf[w], (int)bytes, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD);
  else if (w == EYOT_OWN)
    must(eyot_own_give(EYOT_TEAM_ALL, other, 1, (void **)&buf[w], bytes), "eyot_own_give");
  else
    must(eyot_send(EYOT_TEAM_ALL, other, 1, buf[w], bytes), "eyot_send");
}
static void way_recv(enum way w, uint64_t bytes) {
  const eyot_tunit_t other = {1u - (uint32_t)me};
  if (w == BY_HAND)
    hand_recv(in[w], bytes, hand.n + (me == 0 ? 0 : 1));
  else if (is_mpi(w))
    MPI_Recv(in[w], (int)bytes, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (w == EYOT_OWN)
    must(eyot_own_take(EYOT_TEAM_ALL, other, 1, (void **)&buf[w], NULL), "eyot_own_take");
  else
    must(eyot_recv(EYOT_TEAM_ALL, other, 1, in[w], bytes, NULL), "eyot_recv");
}

/* What is sent is new: a word of each line changes. */
static void change(enum way w, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += 64) buf[w][i]++;
}

/* Half a round trip, in ns; the changes are included. */
static double ping_pong(enum way w, uint64_t bytes, int times) {
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    if (me == 0 || w != EYOT_OWN) change(w, bytes);
    if (me == 0) way_send(w, bytes);
    way_recv(w, bytes);
    if (me != 0 && w == EYOT_OWN) change(w, bytes); /* it has no other buffer */
    if (me != 0) way_send(w, bytes);
  }
  return (wall_ns() - begin) / times / 2;
}

/* A window of short messages in one direction, then an answer: ns a message. */
static double stream(enum way w, uint64_t bytes, int times) {
  static MPI_Request req[WINDOW];
  static MPI_Status status[WINDOW];
  static eyot_msg_t h[WINDOW];
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    for (int k = 0; k < WINDOW; k++) {
      if (is_mpi(w) && me == 0)
        MPI_Isend(buf[w], (int)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &req[k]);
      else if (is_mpi(w))
        MPI_Irecv(in[w], (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &req[k]);
      else if (me == 0)
        must(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 2, buf[w], bytes, &h[k]), "send_nb");
      else
        must(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 2, in[w], bytes, &h[k]), "recv_nb");
    }
    if (is_mpi(w))
      MPI_Waitall(WINDOW, req, status);
    else
      must(eyot_msg_wait_all(h, WINDOW, NULL), "eyot_msg_wait_all");
    if (me == 0) way_recv(w, 8);
    if (me != 0) way_send(w, 8);
  }
  return (wall_ns() - begin) / times / WINDOW;
}

static void make_window(void) {
  MPI_Win win;
  MPI_Aint size;
  int unit;
  void *mine, *theirs;
  MPI_Win_allocate_shared(2 * MIB, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 1 - me, &size, &unit, &theirs);
  hand = (struct hand){mine, theirs, 0};
  memset(mine, 0, 2 * MIB);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void make_buffers(void) {
  for (int w = 0; w < WAYS; w++) {
    buf[w] = malloc(MIB);
    in[w] = malloc(MIB);
  }
  void *at[2];
  for (int i = 0; i < 2; i++) {
    must(eyot_alloc(MIB, &memory[i]), "eyot_alloc");
    must(eyot_gptr_addr(memory[i], &at[i]), "eyot_gptr_addr");
  }
  free(buf[EYOT_OWN]);
  buf[EYOT_OWN] = NULL;
  if (me == 0) must(eyot_own_alloc(MIB, (void **)&buf[EYOT_OWN]), "eyot_own_alloc");
  buf[EYOT_HEAP] = at[0];
  in[EYOT_HEAP] = at[1];
  there = in[EYOT_HEAP];
  MPI_Bcast(&there, sizeof there, MPI_BYTE, 1, MPI_COMM_WORLD);
  for (int w = 0; w < WAYS; w++) {
    if (buf[w] != NULL) memset(buf[w], 1, MIB);
    memset(in[w], 1, MIB);
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *t, int n) {
  qsort(t, (size_t)n, sizeof *t, by_value);
  return t[n / 2];
}

static void print_one(const char *what, uint64_t bytes, const char *way, double ns) {
  if (me != 0) return;
  if (name != NULL)
    printf("value %s_%s_%lluB_%s time ns %.1f\n", name, what, (unsigned long long)bytes, way, ns);
  else
    printf("%-10s %8llu bytes  %-12s %10.1f ns\n", what, (unsigned long long)bytes, way, ns);
  fflush(stdout);
}
static void print(const char *what, uint64_t bytes, double t[WAYS][ROUNDS_MOST], int rounds,
                  enum way first, enum way end) {
  for (int w = (int)first; w < (int)end; w++)
    print_one(what, bytes, NAMES[w], median(t[w], rounds));
}

/* What process 0 has written is copied to a buffer of process 1: by process 1, by both, half each,
 * and as a message. A flag comes before and after each. */
enum copier { ONE, BOTH, MESSAGE, COPIERS };
static void copy_once(enum copier w, char *from, char *to, char *to_far) {
  const uint64_t half = MIB / 2;
  char byte = 0;
  if (me == 0) {
    for (uint64_t i = 0; i < MIB; i += 64) from[i]++;
    hand_send(&byte, 1);
    if (w == BOTH) memcpy(to_far + half, from + half, half);
    if (w == MESSAGE) way_send(EYOT_HEAP, MIB);
    hand_recv(&byte, 1, hand.n);
  } else {
    hand_recv(&byte, 1, hand.n + 1);
    if (w != MESSAGE) memcpy(to, from, w == ONE ? MIB : half);
    if (w == MESSAGE) way_recv(EYOT_HEAP, MIB);
    hand_send(&byte, 1);
  }
}

static void copies(int rounds) {
  static double t[COPIERS][ROUNDS_MOST];
  enum { TIMES = 500 };
  char *window = (char *)(me == 0 ? hand.mine : hand.theirs) + MIB;
  for (int r = 0; r < rounds; r++)
    for (int w = 0; w < COPIERS; w++) {
      double begin = wall_ns();
      for (int i = 0; i < TIMES; i++)
        copy_once((enum copier)w, w == MESSAGE ? buf[EYOT_HEAP] : window, in[EYOT_HEAP], there);
      t[w][r] = (wall_ns() - begin) / TIMES;
    }
  print_one("copy", MIB, "one", median(t[ONE], rounds));
  print_one("copy", MIB, "both", median(t[BOTH], rounds));
  print_one("copy", MIB, "eyot_heap", median(t[MESSAGE], rounds));
}

/* A buffer there and back that nobody touches. */
static void untouched(int rounds) {
  static double t[ROUNDS_MOST];
  const eyot_tunit_t other = {1u - (uint32_t)me};
  for (uint64_t bytes = 8; bytes <= 4 * MIB; bytes *= 4 * MIB / 8) {
    void *p = NULL;
    if (me == 0) must(eyot_own_alloc(bytes, &p), "eyot_own_alloc");
    for (int r = 0; r < rounds; r++) {
      enum { TIMES = 20000 };
      double begin = wall_ns();
      for (int i = 0; i < TIMES; i++) {
        if (me == 0) must(eyot_own_give(EYOT_TEAM_ALL, other, 3, &p, bytes), "give");
        must(eyot_own_take(EYOT_TEAM_ALL, other, 3, &p, NULL), "take");
        if (me != 0) must(eyot_own_give(EYOT_TEAM_ALL, other, 3, &p, bytes), "give");
      }
      t[r] = (wall_ns() - begin) / TIMES / 2;
    }
    must(eyot_own_free(&p), "eyot_own_free");
    print_one("untouched", bytes, "eyot_own", median(t, rounds));
  }
}

/* -- loans ------------------------------------------------------------------------------------- */

/* Looks at a word of each line. */
static void look(const char *p, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += 64) (void)*(const volatile char *)&p[i];
}

static void lend_once(char *p, uint64_t bytes) {
  eyot_msg_t h;
  for (uint64_t i = 0; i < bytes; i += 64) p[i]++;
  must(eyot_own_lend(EYOT_TEAM_ALL, &(eyot_tunit_t){1}, 1, 4, p, bytes, &h), "eyot_own_lend");
  must(eyot_msg_wait(&h, NULL), "eyot_msg_wait");
}

static void borrow_once(uint64_t bytes, bool clones) {
  const void *p;
  void *mine;
  must(eyot_own_borrow(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 4, &p, NULL), "eyot_own_borrow");
  if (clones) {
    must(eyot_own_clone(&p, &mine), "eyot_own_clone");
    look(mine, bytes);
    must(eyot_own_free(&mine), "eyot_own_free");
    return;
  }
  look(p, bytes);
  must(eyot_own_return(&p), "eyot_own_return");
}

static void message_once(uint64_t bytes) {
  if (me == 0) {
    change(EYOT_HEAP, bytes);
    way_send(EYOT_HEAP, bytes);
    way_recv(EYOT_HEAP, 0);
  } else {
    way_recv(EYOT_HEAP, bytes);
    look(in[EYOT_HEAP], bytes);
    way_send(EYOT_HEAP, 0);
  }
}

static void loans(int rounds) {
  enum { BY_MESSAGE, RETURNED, CLONED, ANSWERS };
  static double t[ANSWERS][ROUNDS_MOST];
  char *p = NULL;
  if (me == 0) must(eyot_own_alloc(MIB, (void **)&p), "eyot_own_alloc");
  if (me == 0) memset(p, 1, MIB);
  for (uint64_t bytes = 8; bytes <= MIB; bytes = bytes == 8 ? 4096 : 16 * bytes) {
    const int times = bytes < 65536 ? 20000 : bytes < MIB ? 2000 : 200;
    for (int r = 0; r < rounds; r++)
      for (int a = 0; a < ANSWERS; a++) {
        must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
        double begin = wall_ns();
        for (int i = 0; i < times; i++) {
          if (a == BY_MESSAGE) message_once(bytes);
          if (a != BY_MESSAGE && me == 0) lend_once(p, bytes);
          if (a != BY_MESSAGE && me != 0) borrow_once(bytes, a == CLONED);
        }
        t[a][r] = (wall_ns() - begin) / times;
      }
    print_one("loan", bytes, "eyot_heap", median(t[BY_MESSAGE], rounds));
    print_one("loan", bytes, "eyot_own", median(t[RETURNED], rounds));
    print_one("loan", bytes, "eyot_clone", median(t[CLONED], rounds));
  }
  must(eyot_own_free((void **)&p), "eyot_own_free");
}

/* -- layouts ----------------------------------------------------------------------------------- */

/* A buffer there and back whose elements, 8 bytes of each line, are given; the other process takes
 * them as they are, or into a row. */
static void layouts(int rounds) {
  static double t[2][ROUNDS_MOST];
  const eyot_tunit_t other = {1u - (uint32_t)me};
  for (uint64_t n = 64; n <= 16384; n *= 16) {
    const eyot_own_layout_t lines = {.n = n, .block = 8, .stride = 64},
                            row = {.n = 1, .block = 8 * n, .stride = 8 * n};
    const int times = n < 10000 ? 2000 : 200;
    for (int r = 0; r < rounds; r++)
      for (int packs = 0; packs < 2; packs++) {
        const eyot_own_layout_t *as = packs ? &row : &lines;
        void *p = NULL;
        if (me == 0) must(eyot_own_alloc(64 * n, &p), "eyot_own_alloc");
        double begin = wall_ns();
        for (int i = 0; i < times; i++) {
          if (me == 0) must(eyot_own_give_layout(EYOT_TEAM_ALL, other, 5, &p, &lines), "give");
          must(eyot_own_take_layout(EYOT_TEAM_ALL, other, 5, &p, me == 0 ? &lines : as, NULL),
               "take");
          if (me != 0) must(eyot_own_give_layout(EYOT_TEAM_ALL, other, 5, &p, as), "give");
        }
        t[packs][r] = (wall_ns() - begin) / times / 2;
        must(eyot_own_free(&p), "eyot_own_free");
      }
    print_one("layout", 8 * n, "eyot_own", median(t[0], rounds));
    print_one("layout", 8 * n, "eyot_packed", median(t[1], rounds));
  }
}

/* -- allocation -------------------------------------------------------------------------------- */

enum heap { POOL, MALLOC, LOCKED, HEAPS };

/* One lock, in the memory of process 0, for a heap that all would share. */
static pthread_mutex_t *lock_make(void) {
  pthread_mutexattr_t attr;
  pthread_mutex_t *lock =
      (pthread_mutex_t *)(void *)((me == 0 ? hand.mine : hand.theirs) + MIB / 8);
  if (me != 0) return lock;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(lock, &attr);
  return lock;
}

/* ns of one of several buffers that is allocated, touched and released. */
static double allocate(enum heap heap, uint64_t bytes, int times, pthread_mutex_t *lock) {
  double begin = wall_ns();
  for (int i = 0; i < times; i++) {
    void *p;
    if (heap == POOL) {
      must(eyot_own_alloc(bytes, &p), "eyot_own_alloc");
      *(volatile char *)p = 1;
      must(eyot_own_free(&p), "eyot_own_free");
      continue;
    }
    if (heap == LOCKED) pthread_mutex_lock(lock);
    p = malloc(bytes);
    if (heap == LOCKED) pthread_mutex_unlock(lock);
    *(volatile char *)p = 1;
    if (heap == LOCKED) pthread_mutex_lock(lock);
    free(p);
    if (heap == LOCKED) pthread_mutex_unlock(lock);
  }
  return (wall_ns() - begin) / times;
}

static void allocations(int rounds) {
  static double t[HEAPS][ROUNDS_MOST];
  pthread_mutex_t *lock = lock_make();
  for (uint64_t bytes = 8; bytes <= MIB; bytes *= 512) {
    for (int r = 0; r < rounds; r++)
      for (int h = 0; h < HEAPS; h++) {
        must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
        t[h][r] = allocate((enum heap)h, bytes, 100000, lock);
      }
    print_one("alloc+free", bytes, "eyot_own", median(t[POOL], rounds));
    print_one("alloc+free", bytes, "malloc", median(t[MALLOC], rounds));
    print_one("alloc+free", bytes, "locked", median(t[LOCKED], rounds));
  }
}

/* ns of a part of eight of a buffer that is allocated, split, touched and released. */
static void splits(int rounds) {
  enum { PARTS = 8, TIMES = 20000 };
  static double t[ROUNDS_MOST];
  uint64_t each[PARTS];
  void *p, *parts[PARTS];
  for (uint64_t bytes = 8; bytes <= 4096; bytes *= 512) {
    for (int i = 0; i < PARTS; i++) each[i] = bytes;
    for (int r = 0; r < rounds; r++) {
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
      double begin = wall_ns();
      for (int i = 0; i < TIMES; i++) {
        must(eyot_own_alloc(PARTS * bytes, &p), "eyot_own_alloc");
        must(eyot_own_split(&p, PARTS, each, parts), "eyot_own_split");
        for (int k = 0; k < PARTS; k++) {
          *(volatile char *)parts[k] = 1;
          must(eyot_own_free(&parts[k]), "eyot_own_free");
        }
      }
      t[r] = (wall_ns() - begin) / TIMES / PARTS;
    }
    print_one("alloc+free", bytes, "eyot_part", median(t, rounds));
  }
}

int main(int argc, char **argv) {
  static double t[WAYS][ROUNDS_MOST];
  static const uint64_t SIZES[] = {8, 64, 256, 1024, 4096, 16384, 65536, 262144, MIB};
  must(eyot_init(&argc, &argv), "eyot_init");
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  if (eyot_size() != 2 || rounds < 1 || rounds > ROUNDS_MOST)
    eyot_abort(2, "2 units, 1..51 rounds");
  name = argc > 2 ? argv[2] : NULL;
  eyot_unit_t first;
  uint32_t mapped;
  must(eyot_mapped_units(&first, &mapped), "eyot_mapped_units");
  apart = mapped == 1;
  const int w_first = apart ? MPI_OWN : BY_HAND, w_end = apart ? EYOT_OWN : WAYS;
  make_window();
  make_buffers();
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    int times = SIZES[s] < 4096 ? 20000 : SIZES[s] < 100000 ? 2000 : 200;
    for (int r = 0; r < rounds; r++)
      for (int w = w_first; w < w_end; w++) {
        must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier"); /* nobody needs the other's calls now */
        (void)ping_pong((enum way)w, SIZES[s], times / 10);
        t[w][r] = ping_pong((enum way)w, SIZES[s], times);
      }
    print("ping-pong", SIZES[s], t, rounds, (enum way)w_first, (enum way)w_end);
  }
  for (uint64_t bytes = 8; bytes <= 256; bytes *= 32) {
    for (int r = 0; r < rounds; r++)
      for (int w = MPI_OWN; w < EYOT_OWN; w++) {
        must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
        t[w][r] = stream((enum way)w, bytes, 2000);
      }
    print("stream", bytes, t, rounds, MPI_OWN, EYOT_OWN);
  }
  if (!apart) {
    copies(rounds);
    untouched(rounds);
    loans(rounds);
    layouts(rounds);
    allocations(rounds);
    splits(rounds);
  }
  if (buf[EYOT_OWN] != NULL) must(eyot_own_free((void **)&buf[EYOT_OWN]), "eyot_own_free");
  for (int i = 0; i < 2; i++) must(eyot_free(memory[i]), "eyot_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
