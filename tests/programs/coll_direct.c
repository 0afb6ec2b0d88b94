/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_direct.c - long collectives between nodes over MPI: counts the bytes that members put, which
 * are the least that the function can do with, in all forms; and their results with values that
 * change from call to call: coll_direct.
 *
 * Needs nodes of one unit each: then all messages are direct ones (coll/gen_direct.c,
 * coll/gen_pairs.c). */
#include <eyot/coll_nb.h>
#include <inttypes.h>

#include "programs/api_check.h"

#define ELEMENTS 24000u /* of a vector, and of a block: parts of 2 to 6 members are even */
#define LANES 4u /* a call that is not blocking makes the boards of its lane at the first use */
#define ROUNDS 6u

#define MEMBERS_MOST 64u
#define GREETING 16u /* bytes that a member tells another one before long blocks (gen_pairs.c) */

static uint32_t me, n;
static uint64_t sizes[MEMBERS_MOST]; /* of blocks */

static uint64_t value(uint64_t round, uint64_t from, uint64_t i) {
  return round * 1000003u + from * 7919u + i;
}

static void fill(uint64_t *p, uint64_t round, uint64_t elements) {
  for (uint64_t i = 0; i < elements; i++) p[i] = value(round, me, i);
}

/* Its allreduce also keeps one-way calls from following on each other: one in five of these begins
 * with a barrier, whose bytes would count. */
static void bytes_are(const char *what, uint64_t mine, uint64_t all_expected, bool exact) {
  uint64_t all;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all, 1));
  if (all == all_expected || !exact) return;
  fprintf(stderr, "%s: %" PRIu64 " bytes moved, expected %" PRIu64 "\n", what, all, all_expected);
  eyot_abort(1, "a long collective moves more or less than it must");
}

enum function {
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  ALLGATHER,
  ALLTOALL,
  ALLGATHERV,
  ALLTOALLV,
  GATHERV,
  SCATTERV,
  GATHER,
  SCATTER,
  REDUCE_SCATTER,
  SCAN,
  FUNCTIONS
};
static const char *const NAMES[] = {
    "broadcast", "reduce",   "allreduce", "allgather", "alltoall",       "allgatherv", "alltoallv",
    "gatherv",   "scatterv", "gather",    "scatter",   "reduce_scatter", "scan"};
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
    case ALLGATHERV:
      OK(eyot_allgatherv(EYOT_TEAM_ALL, c->send, c->recv, sizes, NULL));
      break;
    case ALLTOALLV:
      OK(eyot_alltoallv(EYOT_TEAM_ALL, c->send, sizes, NULL, c->recv, sizes, NULL));
      break;
    case GATHERV:
      OK(eyot_gatherv(EYOT_TEAM_ALL, c->root, c->send, bytes, c->recv, sizes, NULL));
      break;
    case SCATTERV:
      OK(eyot_scatterv(EYOT_TEAM_ALL, c->root, c->send, sizes, NULL, c->recv, bytes));
      break;
    case GATHER:
      OK(eyot_gather(EYOT_TEAM_ALL, c->root, c->send, c->recv, bytes));
      break;
    case SCATTER:
      OK(eyot_scatter(EYOT_TEAM_ALL, c->root, c->send, c->recv, bytes));
      break;
    case REDUCE_SCATTER:
      OK(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, c->send, c->recv,
                                   ELEMENTS));
      break;
    case SCAN:
      OK(eyot_scan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, c->send, c->recv, ELEMENTS));
      break;
    case FUNCTIONS:
      break;
  }
}

/* Functions of blocks of several lengths. */
static void begin_lengths(struct call *c, bool plan) {
  const uint64_t bytes = ELEMENTS * 8, *l = sizes;
  eyot_team_t t = EYOT_TEAM_ALL;
  eyot_coll_t *h = &c->handle;
  switch (c->function) {
    case ALLGATHERV:
      OK((plan ? eyot_allgatherv_plan : eyot_allgatherv_nb)(t, c->send, c->recv, l, NULL, h));
      break;
    case ALLTOALLV:
      OK((plan ? eyot_alltoallv_plan : eyot_alltoallv_nb)(t, c->send, l, NULL, c->recv, l, NULL,
                                                          h));
      break;
    case GATHERV:
      OK((plan ? eyot_gatherv_plan : eyot_gatherv_nb)(t, c->root, c->send, bytes, c->recv, l, NULL,
                                                      h));
      break;
    case SCATTERV:
      OK((plan ? eyot_scatterv_plan : eyot_scatterv_nb)(t, c->root, c->send, l, NULL, c->recv,
                                                        bytes, h));
      break;
    default:
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
    case GATHER:
      OK((plan ? eyot_gather_plan : eyot_gather_nb)(t, c->root, c->send, c->recv, bytes, h));
      break;
    case SCATTER:
      OK((plan ? eyot_scatter_plan : eyot_scatter_nb)(t, c->root, c->send, c->recv, bytes, h));
      break;
    case REDUCE_SCATTER:
      OK((plan ? eyot_reduce_scatter_block_plan : eyot_reduce_scatter_block_nb)(
          t, EYOT_UINT64, EYOT_SUM, c->send, c->recv, ELEMENTS, h));
      break;
    case SCAN:
      OK((plan ? eyot_scan_plan : eyot_scan_nb)(t, EYOT_UINT64, EYOT_SUM, c->send, c->recv,
                                                ELEMENTS, h));
      break;
    default:
      begin_lengths(c, plan);
  }
}

/* Element i of block b of the result. */
static uint64_t wanted(const struct call *c, uint64_t round, uint64_t b, uint64_t i) {
  const uint64_t mine = (uint64_t)me * ELEMENTS + i;
  switch (c->function) {
    case BROADCAST:
      return value(round, c->root.id, i);
    case ALLGATHER:
    case ALLGATHERV:
    case GATHER:
    case GATHERV:
      return value(round, b, i);
    case ALLTOALL:
    case ALLTOALLV:
      return value(round, b, mine);
    case SCATTER:
    case SCATTERV:
      return value(round, c->root.id, mine);
    default:
      break;
  }
  uint64_t sum = 0, end = c->function == SCAN ? me + 1 : n;
  for (uint64_t m = 0; m < end; m++)
    sum += value(round, m, c->function == REDUCE_SCATTER ? mine : i);
  return sum;
}

static void verify(const struct call *c, uint64_t round) {
  bool to_root = c->function == REDUCE || c->function == GATHER || c->function == GATHERV;
  bool blocks = c->function == GATHER || c->function == GATHERV ||
                (c->function >= ALLGATHER && c->function <= ALLTOALLV);
  if (to_root && me != c->root.id) return;
  for (uint64_t b = 0; b < (blocks ? n : 1); b++)
    for (uint64_t i = 0; i < ELEMENTS; i++)
      if (c->recv[b * ELEMENTS + i] != wanted(c, round, b, i)) {
        fprintf(stderr,
                "unit %u: %s, round %" PRIu64 ": element %" PRIu64 " of block %" PRIu64 "\n", me,
                NAMES[c->function], round, i, b);
        eyot_abort(1, "a long collective has a wrong result");
      }
}

/* Messages of a scan by recursive doubling: of a member and its partner on each level the upper one
 * sends if members follow after both. */
static uint64_t scan_messages(void) {
  uint64_t messages = 0;
  for (uint32_t m = 0; m < n; m++)
    for (uint32_t ranks = 1; ranks < n; ranks *= 2) {
      uint32_t partner = m ^ ranks, both = m & ~(2 * ranks - 1);
      messages += partner < n && (m < partner || both + 2 * ranks < n);
    }
  return messages;
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
    case ALLGATHERV:
    case ALLTOALLV:
    case REDUCE_SCATTER:
      return (bytes + GREETING) * (n - 1) * n;
    case GATHER:
    case GATHERV:
    case SCATTER:
    case SCATTERV: /* both greet */
      return (bytes + 2 * GREETING) * (n - 1);
    case SCAN:
      return bytes * scan_messages();
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
    bytes_are(NAMES[function], k.put_bytes, least(function), round > LANES);
  }
  if (form == PERSISTENT) OK(eyot_coll_free(&c.handle));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = (uint32_t)eyot_size();
  uint64_t *send = calloc(ELEMENTS, (size_t)n * 8), *recv = calloc(ELEMENTS, (size_t)n * 8);
  CHECK(send != NULL && recv != NULL && n <= MEMBERS_MOST);
  for (uint32_t m = 0; m < n; m++) sizes[m] = ELEMENTS * 8;
  for (enum function function = BROADCAST; function < FUNCTIONS; function++)
    for (enum form form = BLOCKING; form < FORMS; form++) rounds(function, form, send, recv);
  free(send);
  free(recv);
  return finish();
}
