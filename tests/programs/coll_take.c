/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_take.c - long blocks within a node, in the heap and in private memory: whose blocks are all
 * in the heap takes them where they are, with one copy (src/coll/take.c); the results are the same,
 * and a block is its owner's again when the call returns. Prints ok.
 *
 * coll_take taken|left: whether the run is one in which blocks are taken.
 * coll_take once: one call of each function, for eyotcheck. */
#include <eyot/coll.h>
#include <eyot/count.h>
#include <string.h>

#include "programs/api_check.h"

#define MOST (200u * 1024u)
#define ASKS 500u /* calls, of which a team asks in at least one after calls in vain */

enum function { ALLTOALL, ALLGATHER, SCATTER, FUNCTIONS };
/* Where the buffers are: of all members, of all but the last one, of none in the heap; the caller's
 * own block where it should be already. */
enum where { HEAP, MIXED, PRIVATE, IN_PLACE, PLACES };

static uint32_t me, n;
static uint64_t *heap_send, *heap_recv, *own_send, *own_recv;
static bool taken, once;

static uint64_t value(uint64_t round, uint64_t from, uint64_t i) {
  return (round * 1000003u + from * 7919u) * 65537u + i;
}

static void *part_of(eyot_gptr_t g) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  return p;
}

static int call(enum function f, eyot_tunit_t root, const void *send, void *recv, uint64_t bytes) {
  if (f == ALLTOALL) return eyot_alltoall(EYOT_TEAM_ALL, send, recv, bytes);
  if (f == ALLGATHER) return eyot_allgather(EYOT_TEAM_ALL, send, recv, bytes);
  return eyot_scatter(EYOT_TEAM_ALL, root, send, recv, bytes);
}

/* Words are compared, not bytes: a block may end within one. */
static void verify(enum function f, uint32_t root, const uint64_t *recv, uint64_t words,
                   uint64_t round) {
  for (uint32_t m = 0; m < (f == SCATTER ? 1 : n); m++) {
    uint64_t from = f == SCATTER ? root : m, first = f == ALLGATHER ? 0 : me * words;
    for (uint64_t i = 0; i < words; i++) {
      if (recv[m * words + i] == value(round, from, first + i)) continue;
      fprintf(stderr, "unit %u: function %d, round %llu: word %llu of the block of %llu is wrong\n",
              me, (int)f, (unsigned long long)round, (unsigned long long)i,
              (unsigned long long)from);
      if (once) eyot_check_fail("function %d: a block is wrong", (int)f);
      eyot_abort(1, "a block is wrong");
    }
  }
}

/* What the caller gets of others if blocks are taken. */
static uint64_t gets(enum function f, uint32_t root, uint64_t bytes) {
  if (f == SCATTER) return me == root ? 0 : bytes;
  return (n - 1) * bytes;
}

/* Returns the bytes that the caller got of others, if that is counted. */
static uint64_t one_call(enum function f, enum where where, uint32_t root, uint64_t words,
                         uint64_t round, bool counts) {
  bool in_heap = where == HEAP || where == IN_PLACE || (where == MIXED && me < n - 1);
  uint64_t *send = in_heap ? heap_send : own_send, *recv = in_heap ? heap_recv : own_recv;
  uint64_t bytes = words * 8;
  if (where == IN_PLACE && f == ALLGATHER) send = recv + me * words;
  if (where == IN_PLACE && f == SCATTER && me == root) recv = send + me * words;
  for (uint64_t i = 0; i < words * (f == ALLGATHER ? 1 : n); i++) send[i] = value(round, me, i);
  eyot_counts_t k = {0};
  if (counts) OK(eyot_count_begin());
  OK(call(f, (eyot_tunit_t){root}, send, recv, bytes));
  if (counts) OK(eyot_count_read(&k));
  if (counts) OK(eyot_count_end());
  /* whoever still takes the block would see this */
  if (recv != send + me * words && send != recv + me * words) memset(send, 255, words * 8);
  verify(f, root, recv, words, round);
  return k.get_bytes;
}

/* Asks again until the blocks are taken; afterwards the next call asks. */
static void until_taken(enum function f, enum where where, uint32_t root, uint64_t words,
                        uint64_t round) {
  uint64_t got = 0, expected = taken ? gets(f, root, words * 8) : 0, most = 0;
  for (uint32_t i = 0; i < (taken ? ASKS : 3) && most == 0; i++) {
    got = one_call(f, where, root, words, round + i, true);
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &got, &most, 1));
  }
  if (got == expected) return;
  fprintf(stderr, "unit %u: function %d: %llu bytes got, expected %llu\n", me, (int)f,
          (unsigned long long)got, (unsigned long long)expected);
  eyot_abort(1, "blocks are not taken, or taken where they should not be");
}

static void all_calls(uint64_t round) {
  static const uint64_t WORDS[] = {1, 1024, 1025, 3072, 3073, 4095, MOST / 8};
  for (uint32_t f = 0; f < FUNCTIONS; f++)
    for (uint32_t w = 0; w < PLACES; w++) {
      if (w == IN_PLACE && f == ALLTOALL) continue;
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
    int rc = f == ALLTOALL    ? eyot_alltoall(t, heap_send, heap_recv, bytes)
             : f == ALLGATHER ? eyot_allgather(t, heap_send, heap_recv, bytes)
                              : eyot_scatter(t, (eyot_tunit_t){0}, heap_send, heap_recv, bytes);
    CHECK(rc == EYOT_EMISMATCH);
    (void)eyot_team_destroy(&t); /* nothing can be exchanged in it any more */
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  CHECK(argc == 2);
  taken = strcmp(argv[1], "left") != 0;
  once = strcmp(argv[1], "once") == 0;
  eyot_gptr_t a, b;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)MOST * n, &a));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)MOST * n, &b));
  heap_send = part_of(a), heap_recv = part_of(b);
  own_send = malloc((uint64_t)MOST * n), own_recv = malloc((uint64_t)MOST * n);
  CHECK(own_send != NULL && own_recv != NULL);
  if (once) {
    for (uint32_t f = 0; f < FUNCTIONS; f++)
      (void)one_call((enum function)f, HEAP, 0, 3073, f, false);
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
