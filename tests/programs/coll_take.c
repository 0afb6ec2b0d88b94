/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_take.c - long blocks within a node, in the heap and in private memory: whose blocks are all
 * in the heap takes them where they are, with one copy (src/coll/take.c); the results are the same,
 * and a block is its owner's again when the call returns. Prints ok.
 *
 * coll_take taken|left: whether the run is one in which blocks are taken.
 * coll_take once: one call of each function, for eyotcheck.
 * coll_take again: broadcasts of private memory that are made again, whose plans only some keep. */
#include <eyot/coll.h>
#include <eyot/count.h>
#include <string.h>

#include "programs/api_check.h"

#define MOST (200u * 1024u)
#define ASKS 500u /* calls, of which a team asks in at least one after calls in vain */

enum function {
  ALLTOALL,
  ALLGATHER,
  SCATTER,
  GATHER,
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER_BLOCK,
  FUNCTIONS
};
/* Where the buffers are: of all members, of all but the last one, of none in the heap; the caller's
 * own block where it should be already. */
enum where { HEAP, MIXED, PRIVATE, IN_PLACE, PLACES };

static uint32_t me, n;
static uint64_t *heap_send, *heap_recv, *own_send, *own_recv;
static bool taken, once;

static bool reduces(enum function f) {
  return f >= REDUCE;
}
/* Whether send has a block for each member, and recv of each. */
static bool sends_each(enum function f) {
  return f == ALLTOALL || f == SCATTER || f == REDUCE_SCATTER_BLOCK;
}
static bool receives_each(enum function f) {
  return f <= ALLGATHER || f == GATHER;
}
static bool has_result(enum function f, uint32_t root) {
  return (f != GATHER && f != REDUCE) || me == root;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
/* Operands of several magnitudes, so that each order of combination gives other bits. */
static double operand(uint64_t round, uint64_t from, uint64_t i) {
  return (double)(round + 3 * from + i % 11 + 1) / (double)(7 + i % 5) *
         (from % 3 == 1   ? 1e9
          : from % 3 == 2 ? 1e-3
                          : 1.0);
}
static uint64_t value(enum function f, uint64_t round, uint64_t from, uint64_t i) {
  if (reduces(f)) return bits_of(operand(round, from, i));
  return (round * 1000003u + from * 7919u) * 65537u + i;
}
/* The sum of element i along the tree over ranks. */
static uint64_t sum(uint64_t round, uint64_t i) {
  double x[64];
  CHECK(n <= 64);
  for (uint32_t m = 0; m < n; m++) x[m] = operand(round, m, i);
  for (uint32_t ranks = 1; ranks < n; ranks *= 2)
    for (uint32_t low = 0; low + ranks < n; low += 2 * ranks) x[low] += x[low + ranks];
  return bits_of(x[0]);
}

static void *part_of(eyot_gptr_t g) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  return p;
}

static int call(eyot_team_t t, enum function f, uint32_t root, const void *send, void *recv,
                uint64_t bytes) {
  const eyot_tunit_t to = {root};
  switch (f) {
    case ALLTOALL:
      return eyot_alltoall(t, send, recv, bytes);
    case ALLGATHER:
      return eyot_allgather(t, send, recv, bytes);
    case SCATTER:
      return eyot_scatter(t, to, send, recv, bytes);
    case GATHER:
      return eyot_gather(t, to, send, recv, bytes);
    case BROADCAST:
      return eyot_broadcast(t, to, recv, bytes);
    case REDUCE:
      return eyot_reduce(t, to, EYOT_DOUBLE, EYOT_SUM, send, recv, bytes / 8);
    case ALLREDUCE:
      return eyot_allreduce(t, EYOT_DOUBLE, EYOT_SUM, send, recv, bytes / 8);
    default:
      return eyot_reduce_scatter_block(t, EYOT_DOUBLE, EYOT_SUM, send, recv, bytes / 8);
  }
}

static uint64_t expected(enum function f, uint64_t round, uint32_t from, uint64_t i) {
  return reduces(f) ? sum(round, i) : value(f, round, from, i);
}

/* Words are compared, not bytes: a block may end within one. */
static void verify(enum function f, uint32_t root, const uint64_t *recv, uint64_t words,
                   uint64_t round) {
  uint64_t first = sends_each(f) ? me * words : 0;
  for (uint32_t m = 0; m < (receives_each(f) ? n : 1) && has_result(f, root); m++) {
    uint32_t from = receives_each(f) ? m : root;
    for (uint64_t i = 0; i < words; i++) {
      if (recv[m * words + i] == expected(f, round, from, first + i)) continue;
      fprintf(stderr, "unit %u: function %d, round %llu: word %llu of the block of %llu is wrong\n",
              me, (int)f, (unsigned long long)round, (unsigned long long)i,
              (unsigned long long)from);
      if (once) eyot_check_fail("function %d: a block is wrong", (int)f);
      eyot_abort(1, "a block is wrong");
    }
  }
}

/* What the caller gets of others if blocks are taken; puts do the rest. Of an alltoall:
 * its puts. */
static uint64_t gets(enum function f, uint32_t root, uint64_t bytes) {
  uint64_t words = bytes / 8, part = (words * (me + 1) / n - words * me / n) * 8;
  uint64_t small = bytes / n / 64 * 64; /* of a block that two members copy */
  if (f == ALLTOALL) return n - 1;
  if (f == BROADCAST || f == SCATTER) return me == root ? 0 : bytes - small;
  if (f == GATHER) return me == root ? (n - 1) * small : 0;
  if (f == REDUCE || f == ALLREDUCE) return (n - 1) * part;
  return (n - 1) * bytes;
}

/* The buffers of a call; those of a broadcast are one. */
static void buffers_of(enum function f, enum where where, uint32_t root, uint64_t words,
                       uint64_t **send, uint64_t **recv) {
  bool in_heap = where == HEAP || where == IN_PLACE || (where == MIXED && me < n - 1);
  *send = in_heap ? heap_send : own_send, *recv = in_heap ? heap_recv : own_recv;
  if (f == BROADCAST) *send = *recv;
  if (where != IN_PLACE) return;
  if (f == ALLGATHER || (f == GATHER && me == root)) *send = *recv + me * words;
  if ((f == SCATTER && me == root) || f == REDUCE_SCATTER_BLOCK) *recv = *send + me * words;
  if ((f == REDUCE && me == root) || f == ALLREDUCE) *send = *recv;
}

/* Returns the bytes that the caller got of others, if that is counted; of an alltoall its puts to
 * others without a signal. */
static uint64_t one_call(enum function f, enum where where, uint32_t root, uint64_t words,
                         uint64_t round, bool counts) {
  uint64_t *send, *recv, bytes = words * 8, sent = words * (sends_each(f) ? n : 1);
  buffers_of(f, where, root, words, &send, &recv);
  for (uint64_t i = 0; i < sent; i++) send[i] = value(f, round, me, i);
  eyot_counts_t k = {0};
  if (counts) OK(eyot_count_begin());
  OK(call(EYOT_TEAM_ALL, f, root, send, recv, bytes));
  if (counts) OK(eyot_count_read(&k));
  if (counts) OK(eyot_count_end());
  /* whoever still takes the block would see this */
  bool apart = recv + words * n <= send || send + sent <= recv;
  if (apart) memset(send, 255, words * 8);
  verify(f, root, recv, words, round);
  return f != ALLTOALL ? k.get_bytes : k.puts;
}

/* Asks again until the blocks are taken; afterwards the next call asks. */
static void until_taken(enum function f, enum where where, uint32_t root, uint64_t words,
                        uint64_t round) {
  uint64_t got = 0, wanted = taken ? gets(f, root, words * 8) : 0, differs = 1, some = 1;
  for (uint32_t i = 0; i < (taken ? ASKS : 3) && some != 0; i++) {
    got = one_call(f, where, root, words, round + i, true);
    differs = got != wanted;
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &differs, &some, 1));
  }
  if (some == 0 || (f == GATHER && !taken)) return; /* its other way gets blocks too */
  fprintf(stderr, "unit %u: function %d: %llu bytes got, expected %llu\n", me, (int)f,
          (unsigned long long)got, (unsigned long long)wanted);
  eyot_abort(1, "blocks are not taken, or taken where they should not be");
}

static void all_calls(uint64_t round) {
  static const uint64_t WORDS[] = {1, 1024, 1025, 3072, 3073, 4095, MOST / 8};
  for (uint32_t f = 0; f < FUNCTIONS; f++)
    for (uint32_t w = 0; w < PLACES; w++) {
      if (w == IN_PLACE && (f == ALLTOALL || f == BROADCAST)) continue;
      for (uint32_t s = 0; s < sizeof WORDS / sizeof WORDS[0]; s++) {
        uint32_t root = (uint32_t)(round + s) % n;
        bool can = (w == HEAP || w == IN_PLACE) && WORDS[s] == MOST / 8;
        for (uint32_t i = 0; i < 3; i++)
          (void)one_call((enum function)f, (enum where)w, root, WORDS[s], round + i, false);
        if (can) until_taken((enum function)f, (enum where)w, root, WORDS[s], round);
        for (uint32_t i = 0; i < 3 && can; i++)
          (void)one_call((enum function)f, (enum where)w, root, WORDS[s], round + i, false);
      }
    }
}

/* A member refuses its arguments, before it knows whether the others ask: they do so in step with
 * it afterwards. */
static void refuse(void) {
  for (uint32_t i = 0; i < 5; i++) {
    bool bad = me == i % n;
    int rc = eyot_alltoall(EYOT_TEAM_ALL, bad ? NULL : own_send, own_recv, MOST);
    CHECK(rc == (bad ? EYOT_EINVAL : EYOT_EMISMATCH));
    for (uint32_t k = 0; k < 5; k++) (void)one_call(ALLTOALL, MIXED, 0, MOST / 8, i + k, false);
  }
}

/* A member gives another length: nobody takes what is not there, and all members hear of it. */
static void differ(void) {
  for (uint32_t f = 0; f < FUNCTIONS; f++) {
    eyot_team_t t;
    uint64_t bytes = me == 0 ? MOST : MOST - 8;
    OK(eyot_team_split(EYOT_TEAM_ALL, 0, &t));
    CHECK(call(t, (enum function)f, 0, heap_send, heap_recv, bytes) == EYOT_EMISMATCH);
    (void)eyot_team_destroy(&t); /* nothing can be exchanged in it any more */
  }
}

/* Members ask in the same calls, whether they have a plan of the call or not. */
static void again(void) {
  static const uint64_t WORDS[] = {1025, 1200, 3000};
  for (uint32_t s = 0; s < 3; s++)
    for (uint32_t root = 0; root < n; root += n - 1)
      for (uint32_t i = 0; i < 24; i++)
        (void)one_call(BROADCAST, PRIVATE, root, WORDS[s], i, false);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  CHECK(argc == 2);
  taken = strcmp(argv[1], "left") != 0;
  bool repeats = strcmp(argv[1], "again") == 0 && n > 1;
  once = strcmp(argv[1], "once") == 0;
  eyot_gptr_t a, b;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)MOST * n, &a));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)MOST * n, &b));
  heap_send = part_of(a), heap_recv = part_of(b);
  own_send = malloc((uint64_t)MOST * n), own_recv = malloc((uint64_t)MOST * n);
  CHECK(own_send != NULL && own_recv != NULL);
  if (repeats) {
    again();
  } else if (once) {
    for (uint32_t f = 0; f < FUNCTIONS; f++)
      (void)one_call((enum function)f, HEAP, 0, 4097, f, false);
  } else {
    for (uint64_t round = 0; round < 3; round++) {
      all_calls(round);
      if (n > 1) refuse();
    }
    if (n > 1) differ();
  }
  free(own_send);
  free(own_recv);
  OK(eyot_team_free(b));
  OK(eyot_team_free(a));
  return finish();
}
