/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.c - counters and notified access between all units: every way to wait and to test, with
 * data whose arrival the counts promise.
 *
 *   notify [rounds]    each round every unit puts blocks to some others, which wait for them in one
 *                      of all ways and check every byte, and read them back by get
 *   notify stuck K     every unit waits for any of K counters that no unit notifies: for the
 *                      deadlock report
 *   notify lost ROUNDS gets of memory that its owner detaches meanwhile (not on mpi, which does not
 *                      check that) */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

#define LIST 4u /* senders of a round, and counters */
#define BLOCK 72u
#define USED 0xee    /* content of a block that was read */
#define LOOK_NS 500u /* time between two tests */

struct board {
  eyot_gptr_t in;            /* LIST blocks a unit, one a sender */
  eyot_counter_t data[LIST]; /* by sender; threshold: pieces of a block */
  eyot_counter_t read[LIST]; /* by sender, which has read its block back */
  eyot_counter_t free[LIST]; /* at the sender, by receiver: the block may be overwritten */
};

/* The k-th unit to which a unit sends, and its inverse: powers of two apart. */
static uint32_t receiver(uint32_t u, uint32_t k) {
  return (u + (1u << k)) % eyot_size();
}
static uint32_t sender(uint32_t u, uint32_t k) {
  return (uint32_t)((u + eyot_size() - (1u << k) % eyot_size()) % eyot_size());
}

static unsigned char byte_of(uint32_t from, uint32_t k, uint32_t round, uint32_t i) {
  return (unsigned char)(from * 131u + k * 31u + round * 7u + i);
}

static eyot_gptr_t block_at(const struct board *b, uint32_t unit, uint32_t k) {
  return eyot_gptr_add(eyot_gptr_at(b->in, (eyot_unit_t){unit}), (int64_t)(k * BLOCK));
}

/* Sends a block in `pieces` pieces, each with a notification of its own. */
static void send_block(const struct board *b, uint32_t k, uint32_t round, uint32_t pieces,
                       unsigned char *out, eyot_handle_t *h) {
  uint32_t me = eyot_me().id, to = receiver(me, k), each = BLOCK / pieces;
  eyot_counter_t there = eyot_counter_at(b->data[k], (eyot_unit_t){to});
  for (uint32_t i = 0; i < BLOCK; i++) out[i] = byte_of(me, k, round, i);
  for (uint32_t p = 0; p < pieces; p++) {
    eyot_gptr_t at = eyot_gptr_add(block_at(b, to, k), (int64_t)(p * each));
    h[p] = EYOT_HANDLE_DONE;
    if ((round + p) % 3 == 0)
      OK(eyot_put_notify(at, out + p * each, each, there, 1));
    else if ((round + p) % 3 == 1)
      OK(eyot_put_notify_nb(at, out + p * each, each, there, 1, &h[p]));
    else
      OK(eyot_put_notify_nbi(at, out + p * each, each, there, 1));
  }
}

/* The count was reached, so all bytes must be there. */
static void check_block(const struct board *b, uint32_t k, uint32_t round) {
  void *address;
  OK(eyot_gptr_addr(block_at(b, eyot_me().id, k), &address));
  const unsigned char *in = address;
  for (uint32_t i = 0; i < BLOCK; i++)
    CHECK(in[i] == byte_of(sender(eyot_me().id, k), k, round, i));
}

/* The block was read, so it may be overwritten: a late get would see that. */
static void overwrite(const struct board *b) {
  void *address;
  OK(eyot_gptr_addr(eyot_gptr_at(b->in, eyot_me()), &address));
  memset(address, USED, LIST * BLOCK);
  OK(eyot_sync());
}

static void take_once(bool *taken, uint32_t k, uint32_t *left) {
  CHECK(k < LIST && !taken[k]);
  taken[k] = true;
  --*left;
}

/* Waits for all LIST senders in the way that belongs to the round. */
static void receive(const eyot_counter_t *of_team, uint32_t round) {
  eyot_counter_t mine[LIST];
  bool taken[LIST] = {false}, fired = false;
  size_t index, indices[LIST], count;
  uint32_t left = LIST;
  for (uint32_t k = 0; k < LIST; k++) mine[k] = eyot_counter_at(of_team[k], eyot_me());
  for (uint32_t before = 0; left > 0; before = left) {
    if (left == before) OK(eyot_compute(LOOK_NS));
    uint32_t way = (round + eyot_me().id) % 8; /* few rounds are enough for all ways */
    if (way == 0) {                            /* one by one, from the last */
      OK(eyot_counter_wait(mine[left - 1]));
      take_once(taken, left - 1, &left);
    } else if (way == 1) {
      OK(eyot_counter_wait_all(mine, LIST));
      for (uint32_t k = 0; k < LIST; k++) take_once(taken, k, &left);
    } else if (way == 2) {
      OK(eyot_counter_wait_any(mine, LIST, &index));
      take_once(taken, (uint32_t)index, &left);
    } else if (way == 3) {
      OK(eyot_counter_wait_some(mine, LIST, indices, &count));
      CHECK(count >= 1);
      for (size_t i = 0; i < count; i++) take_once(taken, (uint32_t)indices[i], &left);
    } else if (way == 4) {
      OK(eyot_counter_test(mine[left - 1], &fired));
      if (fired) take_once(taken, left - 1, &left);
    } else if (way == 5) {
      OK(eyot_counter_test_all(mine, LIST, &fired));
      for (uint32_t k = 0; k < LIST && fired; k++) take_once(taken, k, &left);
    } else if (way == 6) {
      OK(eyot_counter_test_any(mine, LIST, &index, &fired));
      if (fired) take_once(taken, (uint32_t)index, &left);
    } else {
      OK(eyot_counter_test_some(mine, LIST, indices, &count));
      for (size_t i = 0; i < count; i++) take_once(taken, (uint32_t)indices[i], &left);
    }
  }
}

/* Reads back the unit's own puts, and notifies the owners. */
static void read_back(const struct board *b, uint32_t round) {
  unsigned char in[LIST][BLOCK];
  eyot_handle_t h[LIST];
  bool done = false;
  uint32_t me = eyot_me().id, way = round % 4;
  for (uint32_t k = 0; k < LIST; k++) {
    eyot_gptr_t from = block_at(b, receiver(me, k), k);
    eyot_counter_t tell = eyot_counter_at(b->read[k], (eyot_unit_t){receiver(me, k)});
    if (way == 3)
      OK(eyot_get_notify(in[k], from, BLOCK, tell, 1));
    else
      OK(eyot_get_notify_nb(in[k], from, BLOCK, tell, 1, &h[k]));
  }
  if (way == 0) OK(eyot_wait_all(h, LIST, EYOT_REMOTE));
  while (way == 1 && !done) {
    OK(eyot_test_all(h, LIST, EYOT_REMOTE, &done));
    OK(eyot_compute(LOOK_NS));
  }
  if (way == 2) {
    OK(eyot_flush_all(EYOT_REMOTE));
    for (uint32_t k = 0; k < LIST; k++) OK(eyot_wait(&h[k], EYOT_REMOTE));
  }
  for (uint32_t k = 0; k < LIST; k++)
    for (uint32_t i = 0; i < BLOCK; i++) CHECK(in[k][i] == byte_of(me, k, round, i));
}

static void rounds_of(uint32_t rounds) {
  enum { PIECES = 3 };
  struct board b;
  static const uint64_t THRESHOLD = PIECES;
  unsigned char out[LIST][BLOCK];
  eyot_handle_t h[LIST][PIECES];
  eyot_counter_t mine[LIST];
  uint64_t left;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, LIST * BLOCK, &b.in));
  for (uint32_t k = 0; k < LIST; k++) {
    OK(eyot_counter_create(EYOT_TEAM_ALL, THRESHOLD, &b.data[k]));
    OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &b.read[k]));
    OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &b.free[k]));
    mine[k] = eyot_counter_at(b.free[k], eyot_me());
  }
  for (uint32_t round = 0; round < rounds; round++) {
    for (uint32_t k = 0; k < LIST; k++) send_block(&b, k, round, PIECES, out[k], h[k]);
    receive(b.data, round);
    for (uint32_t k = 0; k < LIST; k++) check_block(&b, k, round);
    for (uint32_t k = 0; k < LIST; k++) OK(eyot_wait_all(h[k], PIECES, EYOT_REMOTE));
    OK(eyot_flush_all(EYOT_REMOTE));
    read_back(&b, round);
    receive(b.read, round * 5 + 3);
    overwrite(&b);
    for (uint32_t k = 0; k < LIST; k++) /* it was read back: its sender may overwrite it */
      OK(eyot_put_notify_nbi(EYOT_GPTR_NULL, NULL, 0,
                             eyot_counter_at(b.free[k], (eyot_unit_t){sender(eyot_me().id, k)}),
                             1));
    OK(eyot_counter_wait_all(mine, LIST));
  }
  for (uint32_t k = 0; k < LIST; k++) {
    OK(eyot_counter_value(mine[k], &left));
    CHECK(left == 0);
    OK(eyot_counter_value(eyot_counter_at(b.data[k], eyot_me()), &left));
    CHECK(left == 0);
    OK(eyot_counter_value(eyot_counter_at(b.read[k], eyot_me()), &left));
    CHECK(left == 0);
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t k = 0; k < LIST; k++) {
    OK(eyot_counter_destroy(&b.data[k]));
    OK(eyot_counter_destroy(&b.read[k]));
    OK(eyot_counter_destroy(&b.free[k]));
  }
  OK(eyot_team_free(b.in));
}

static void stuck(uint32_t n) {
  eyot_counter_t *c = calloc(n, sizeof *c);
  size_t index;
  CHECK(c != NULL);
  for (uint32_t i = 0; i < n; i++) OK(eyot_counter_alloc(i + 1, &c[i]));
  OK(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, c[n - 1], n - 1)); /* one is missing */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_counter_wait_any(c, n, &index));
  CHECK(false);
}

/* Memory is detached while it is read: only the wait for the handle returns the error, once; the
 * owner of the counter gets none. */
static void lost(uint32_t rounds) {
  enum { BYTES = 4096 };
  static char memory[BYTES], in[BYTES];
  eyot_dynamic_t d;
  eyot_gptr_t g, table;
  eyot_counter_t c;
  uint64_t base = (uint64_t)(uintptr_t)memory, lost_here = 0, told, sums[2], total[2];
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &d));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof base, &table));
  OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &c));
  eyot_unit_t next = {(eyot_me().id + 1) % eyot_size()};
  OK(eyot_put(eyot_gptr_at(table, eyot_me()), &base, sizeof base));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&base, eyot_gptr_at(table, next), sizeof base));
  OK(eyot_dynamic_gptr(d, next, base, &g));
  for (uint32_t round = 0; round < rounds; round++) {
    eyot_handle_t h;
    bool done = false;
    OK(eyot_dynamic_attach(d, memory, BYTES, NULL));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    int rc = eyot_get_notify_nb(in, g, BYTES, eyot_counter_at(c, next), 1, &h);
    bool posted = rc == EYOT_OK;
    if (round % 5 != 4) OK(eyot_dynamic_detach(d, memory));
    if (round % 3 == 0) OK(eyot_flush_all(EYOT_LOCAL));
    OK(eyot_compute(20000));
    /* does not return the error of a get that another call waits for */
    for (uint32_t i = 0; i < 3; i++) OK(eyot_progress());
    while (posted && rc == EYOT_OK && !done)
      rc = eyot_test(&h, round % 2 == 0 ? EYOT_LOCAL : EYOT_REMOTE, &done);
    /* found by the check before it, or at the target */
    bool gone = rc == EYOT_ERANGE || rc == EYOT_ESEG;
    CHECK(rc == EYOT_OK || gone);
    lost_here += gone;
    if (posted && rc == EYOT_OK) OK(eyot_wait(&h, EYOT_REMOTE));
    if (posted && gone) CHECK(eyot_wait(&h, EYOT_REMOTE) == EYOT_EINVAL);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (round % 5 == 4) OK(eyot_dynamic_detach(d, memory));
  }
  OK(eyot_counter_value(eyot_counter_at(c, eyot_me()), &told));
  sums[0] = lost_here;
  sums[1] = told;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, sums, total, 2));
  CHECK(total[0] > 0 && total[0] + total[1] == (uint64_t)rounds * eyot_size());
  OK(eyot_team_free(table));
  OK(eyot_counter_destroy(&c));
  OK(eyot_dynamic_destroy(&d));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc > 2 && strcmp(argv[1], "stuck") == 0)
    stuck((uint32_t)atoi(argv[2]));
  else if (argc > 2 && strcmp(argv[1], "lost") == 0)
    lost((uint32_t)atoi(argv[2]));
  else
    rounds_of(argc > 1 ? (uint32_t)atoi(argv[1]) : 24);
  return finish();
}
