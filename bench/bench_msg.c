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
 * which the other one changes. `copy` takes 64 KiB to 4 MiB to the other process by one of them, by
 * both, and by a message. `loan`: process 0 lends what it changes, and the other one reads and
 * returns it, or answers a message. Last come an allocation and its release, also under a lock. */
#include <eyot/eyot.h>
#include <pthread.h>
#include <string.h>

#include "bench.h"
#include "msg_rows.h"

enum { ROUNDS_MOST = MSG_ROUNDS_MOST, MIB = MSG_MIB, COPY_MOST = 4 * MIB };
enum way { BY_HAND, MPI_OWN, MPI_AGAIN, EYOT_PRIVATE, EYOT_HEAP, EYOT_OWN, WAYS };
static const char *const NAMES[WAYS] = {"by_hand",      "mpi",       "mpi_again",
                                        "eyot_private", "eyot_heap", "eyot_own"};

static char *buf[WAYS], *in[WAYS];
static int me;
static bool apart; /* the units are on two nodes */
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

static bool is_mpi(int w) {
  return w == MPI_OWN || w == MPI_AGAIN;
}

static void way_send(int w, uint64_t bytes) {
  const eyot_tunit_t other = {1u - (uint32_t)me};
  if (w == BY_HAND)
    hand_send(buf[w], bytes);
  else if (is_mpi(w))
    msg_mpi_send(me, buf[w], bytes);
  else if (w == EYOT_OWN)
    must(eyot_own_give(EYOT_TEAM_ALL, other, 1, (void **)&buf[w], bytes), "eyot_own_give");
  else
    must(eyot_send(EYOT_TEAM_ALL, other, 1, buf[w], bytes), "eyot_send");
}
static void way_recv(int w, uint64_t bytes) {
  const eyot_tunit_t other = {1u - (uint32_t)me};
  if (w == BY_HAND)
    hand_recv(in[w], bytes, hand.n + (me == 0 ? 0 : 1));
  else if (is_mpi(w))
    msg_mpi_recv(me, in[w], bytes);
  else if (w == EYOT_OWN)
    must(eyot_own_take(EYOT_TEAM_ALL, other, 1, (void **)&buf[w], NULL), "eyot_own_take");
  else
    must(eyot_recv(EYOT_TEAM_ALL, other, 1, in[w], bytes, NULL), "eyot_recv");
}

/* A buffer that passes there and back is each process's in turn. */
static void way_change(int w, uint64_t bytes, bool before) {
  if (w == EYOT_OWN ? before == (me == 0) : before) msg_touch(buf[w], bytes);
}

static eyot_msg_t posted[MSG_WINDOW];
static void way_post(int w, uint64_t bytes, int slot) {
  eyot_msg_t *h = &posted[slot];
  if (is_mpi(w))
    msg_mpi_post(me, buf[w], in[w], bytes, slot);
  else if (me == 0)
    must(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 2, buf[w], bytes, h), "eyot_send_nb");
  else
    must(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 2, in[w], bytes, h), "eyot_recv_nb");
}
static void way_complete(int w) {
  if (is_mpi(w))
    msg_mpi_complete();
  else
    must(eyot_msg_wait_all(posted, MSG_WINDOW, NULL), "eyot_msg_wait_all");
}

static void meet(void) {
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
}

static struct msg_rows rows = {.names = NAMES,
                               .stream_first = MPI_OWN,
                               .stream_end = EYOT_OWN,
                               .send = way_send,
                               .recv = way_recv,
                               .change = way_change,
                               .post = way_post,
                               .complete = way_complete,
                               .meet = meet};

static void make_window(void) {
  MPI_Win win;
  MPI_Aint size;
  int unit;
  void *mine, *theirs;
  MPI_Win_allocate_shared(MIB + COPY_MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 1 - me, &size, &unit, &theirs);
  hand = (struct hand){mine, theirs, 0};
  memset(mine, 0, MIB + COPY_MOST);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void make_buffers(void) {
  for (int w = 0; w < WAYS; w++) {
    buf[w] = malloc(MIB);
    in[w] = malloc(MIB);
  }
  void *at[2];
  for (int i = 0; i < 2; i++) {
    must(eyot_alloc(COPY_MOST, &memory[i]), "eyot_alloc");
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

static void print_one(const char *what, uint64_t bytes, const char *way, double ns) {
  msg_print(&rows, what, bytes, way, ns);
}

/* What process 0 has written is copied to a buffer of process 1: by process 1, by both, half each,
 * and as a message. A flag comes before and after each. */
enum copier { ONE, BOTH, MESSAGE, COPIERS };
static void copy_once(enum copier w, uint64_t bytes, char *from, char *to, char *to_far) {
  const uint64_t half = bytes / 2;
  char byte = 0;
  if (me == 0) {
    for (uint64_t i = 0; i < bytes; i += 64) from[i]++;
    hand_send(&byte, 1);
    if (w == BOTH) memcpy(to_far + half, from + half, half);
    if (w == MESSAGE) way_send(EYOT_HEAP, bytes);
    hand_recv(&byte, 1, hand.n);
  } else {
    hand_recv(&byte, 1, hand.n + 1);
    if (w != MESSAGE) memcpy(to, from, w == ONE ? bytes : half);
    if (w == MESSAGE) way_recv(EYOT_HEAP, bytes);
    hand_send(&byte, 1);
  }
}

static void copies(int rounds) {
  static double t[COPIERS][ROUNDS_MOST];
  char *window = (char *)(me == 0 ? hand.mine : hand.theirs) + MIB;
  for (uint64_t bytes = MIB / 16; bytes <= COPY_MOST; bytes *= 4) {
    const int times = bytes < MIB ? 2000 : (int)(500 * MIB / bytes);
    for (int r = 0; r < rounds; r++)
      for (int w = 0; w < COPIERS; w++) {
        double begin = wall_ns();
        for (int i = 0; i < times; i++)
          copy_once((enum copier)w, bytes, w == MESSAGE ? buf[EYOT_HEAP] : window, in[EYOT_HEAP],
                    there);
        t[w][r] = (wall_ns() - begin) / times;
      }
    print_one("copy", bytes, "one", msg_median(t[ONE], rounds));
    print_one("copy", bytes, "both", msg_median(t[BOTH], rounds));
    print_one("copy", bytes, "eyot_heap", msg_median(t[MESSAGE], rounds));
  }
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
    print_one("untouched", bytes, "eyot_own", msg_median(t, rounds));
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
    msg_touch(buf[EYOT_HEAP], bytes);
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
    print_one("loan", bytes, "eyot_heap", msg_median(t[BY_MESSAGE], rounds));
    print_one("loan", bytes, "eyot_own", msg_median(t[RETURNED], rounds));
    print_one("loan", bytes, "eyot_clone", msg_median(t[CLONED], rounds));
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
    print_one("layout", 8 * n, "eyot_own", msg_median(t[0], rounds));
    print_one("layout", 8 * n, "eyot_packed", msg_median(t[1], rounds));
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
    print_one("alloc+free", bytes, "eyot_own", msg_median(t[POOL], rounds));
    print_one("alloc+free", bytes, "malloc", msg_median(t[MALLOC], rounds));
    print_one("alloc+free", bytes, "locked", msg_median(t[LOCKED], rounds));
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
    print_one("alloc+free", bytes, "eyot_part", msg_median(t, rounds));
  }
}

int main(int argc, char **argv) {
  must(eyot_init(&argc, &argv), "eyot_init");
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int rounds = argc > 1 ? atoi(argv[1]) : 15;
  if (eyot_size() != 2 || rounds < 1 || rounds > ROUNDS_MOST)
    eyot_abort(2, "2 units, 1..51 rounds");
  eyot_unit_t first;
  uint32_t mapped;
  must(eyot_mapped_units(&first, &mapped), "eyot_mapped_units");
  apart = mapped == 1;
  make_window();
  make_buffers();
  rows.me = me;
  rows.rounds = rounds;
  rows.name = argc > 2 ? argv[2] : NULL;
  rows.first = apart ? MPI_OWN : BY_HAND;
  rows.end = apart ? EYOT_OWN : WAYS;
  msg_rows(&rows);
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
