/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_direct.c - long collectives between nodes over MPI: counts the bytes that members put, which
 * are the least that the function can do with, in all forms; and their results with values that
 * change from call to call: coll_direct.
 *
 * Needs nodes of one unit each: then all messages are direct ones (coll/gen_direct.c). */
#include <eyot/coll_nb.h>
#include <inttypes.h>

#include "programs/api_check.h"

#define ELEMENTS 24000u /* of a vector, and of a block: parts of 2 to 6 members are even */
#define LANES 4u /* a call that is not blocking makes the boards of its lane at the first use */
#define ROUNDS 6u

static uint32_t me, n;

static uint64_t value(uint64_t round, uint64_t from, uint64_t i) {
  return round * 1000003u + from * 7919u + i;
}

static void fill(uint64_t *p, uint64_t round, uint64_t elements) {
  for (uint64_t i = 0; i < elements; i++) p[i] = value(round, me, i);
}

static void bytes_are(const char *what, uint64_t mine, uint64_t all_expected) {
  uint64_t all;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all, 1));
  if (all == all_expected) return;
  fprintf(stderr, "%s: %" PRIu64 " bytes moved, expected %" PRIu64 "\n", what, all, all_expected);
  eyot_abort(1, "a long collective moves more or less than it must");
}

enum function { BROADCAST, REDUCE, ALLREDUCE, ALLGATHER, ALLTOALL, FUNCTIONS };
static const char *const NAMES[] = {"broadcast", "reduce", "allreduce", "allgather", "alltoall"};
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

struct call {
  enum function function;
  eyot_tunit_t root;
  uint64_t *send, *recv;
  eyot_coll_t handle;
};

static void call_blocking(const struct call *c) {
  const uint64_t bytes = ELEMENTS * 8;
  switch (c->function) {
    case BROADCAST:
      OK(eyot_broadcast(EYOT_TEAM_ALL, c->root, c->recv, bytes));
      break;
    case REDUCE:
      OK(eyot_reduce(EYOT_TEAM_ALL, c->root, EYOT_UINT64, EYOT_SUM, c->send, c->recv, ELEMENTS));
      break;
    case ALLREDUCE:
      OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, c->send, c->recv, ELEMENTS));
      break;
    case ALLGATHER:
      OK(eyot_allgather(EYOT_TEAM_ALL, c->send, c->recv, bytes));
      break;
    case ALLTOALL:
      OK(eyot_alltoall(EYOT_TEAM_ALL, c->send, c->recv, bytes));
      break;
    case FUNCTIONS:
      break;
  }
}

static void begin(struct call *c, bool plan) {
  const uint64_t bytes = ELEMENTS * 8;
  eyot_team_t t = EYOT_TEAM_ALL;
  eyot_coll_t *h = &c->handle;
  switch (c->function) {
    case BROADCAST:
      OK((plan ? eyot_broadcast_plan : eyot_broadcast_nb)(t, c->root, c->recv, bytes, h));
      break;
    case REDUCE:
      OK((plan ? eyot_reduce_plan : eyot_reduce_nb)(t, c->root, EYOT_UINT64, EYOT_SUM, c->send,
                                                    c->recv, ELEMENTS, h));
      break;
    case ALLREDUCE:
      OK((plan ? eyot_allreduce_plan : eyot_allreduce_nb)(t, EYOT_UINT64, EYOT_SUM, c->send,
                                                          c->recv, ELEMENTS, h));
      break;
    case ALLGATHER:
      OK((plan ? eyot_allgather_plan : eyot_allgather_nb)(t, c->send, c->recv, bytes, h));
      break;
    case ALLTOALL:
      OK((plan ? eyot_alltoall_plan : eyot_alltoall_nb)(t, c->send, c->recv, bytes, h));
      break;
    case FUNCTIONS:
      break;
  }
}

/* Element i of block b of the result. */
static uint64_t wanted(const struct call *c, uint64_t round, uint64_t b, uint64_t i) {
  if (c->function == BROADCAST) return value(round, c->root.id, i);
  if (c->function == ALLGATHER) return value(round, b, i);
  if (c->function == ALLTOALL) return value(round, b, (uint64_t)me * ELEMENTS + i);
  uint64_t sum = 0;
  for (uint32_t m = 0; m < n; m++) sum += value(round, m, i);
  return sum;
}

static void verify(const struct call *c, uint64_t round) {
  bool blocks = c->function == ALLGATHER || c->function == ALLTOALL;
  if (c->function == REDUCE && me != c->root.id) return;
  for (uint64_t b = 0; b < (blocks ? n : 1); b++)
    for (uint64_t i = 0; i < ELEMENTS; i++)
      if (c->recv[b * ELEMENTS + i] != wanted(c, round, b, i)) {
        fprintf(stderr,
                "unit %u: %s, round %" PRIu64 ": element %" PRIu64 " of block %" PRIu64 "\n", me,
                NAMES[c->function], round, i, b);
        eyot_abort(1, "a long collective has a wrong result");
      }
}

/* Bytes that all members put together. */
static uint64_t least(enum function function) {
  const uint64_t bytes = ELEMENTS * 8;
  switch (function) {
    case BROADCAST:
      return bytes * (n - 1);
    case REDUCE: /* all operands to where they are combined, and the parts to the root */
      return bytes * (n - 1) + bytes / n * (n - 1);
    case ALLREDUCE:
      return 2 * bytes * (n - 1);
    case ALLGATHER:
    case ALLTOALL:
      return bytes * (n - 1) * n;
    case FUNCTIONS:
      break;
  }
  return 0;
}

static void rounds(enum function function, enum form form, uint64_t *send, uint64_t *recv) {
  struct call c = {.function = function, .send = send, .recv = recv};
  if (form == PERSISTENT) begin(&c, true);
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    eyot_counts_t k;
    if (form != PERSISTENT) c.root.id = (uint32_t)(round % n);
    bool in_place =
        round % 2 == 0 && form != PERSISTENT && (function == REDUCE || function == ALLREDUCE);
    fill(send, round, (uint64_t)ELEMENTS * n);
    if (function == BROADCAST && me == c.root.id) fill(recv, round, ELEMENTS);
    c.recv = in_place ? send : recv;
    OK(eyot_count_begin());
    if (form == BLOCKING) call_blocking(&c);
    if (form == NONBLOCKING) begin(&c, false);
    if (form == PERSISTENT) OK(eyot_coll_start(c.handle));
    if (form != BLOCKING) OK(eyot_coll_wait(&c.handle));
    OK(eyot_count_read(&k));
    OK(eyot_count_end());
    verify(&c, round);

    if (round > LANES) bytes_are(NAMES[function], k.put_bytes, least(function));
  }
  if (form == PERSISTENT) OK(eyot_coll_free(&c.handle));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = (uint32_t)eyot_size();
  uint64_t *send = calloc(ELEMENTS, (size_t)n * 8), *recv = calloc(ELEMENTS, (size_t)n * 8);
  CHECK(send != NULL && recv != NULL);
  for (enum function function = BROADCAST; function < FUNCTIONS; function++)
    for (enum form form = BLOCKING; form < FORMS; form++) rounds(function, form, send, recv);
  free(send);
  free(recv);
  return finish();
}
