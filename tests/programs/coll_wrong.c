/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_wrong.c - calls collectives whose arguments differ, or are refused, on some members: no
 * member waits forever, a call that is a barrier too fails on all members, and after any such
 * mistakes the team works as before.
 *
 * Why it exists: which mistakes meet which place of a channel (epochs, openings, larger boards,
 * several rounds) depends on all calls before, so chance has to choose them.
 *
 * coll_wrong STEPS [SEED] */
#include "programs/coll_team.h"

#define BIG (1u << 17) /* bytes of several rounds */

enum kind {
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  GATHER,
  ALLGATHER,
  ALLTOALL,
  SCAN,
  REDUCE_SCATTER,
  SCATTERV,
  GATHERV,
  COLLECT,
  ALLTOALLV,
  KINDS
};
#define MEMBERS_MOST 64u

/* A call: what, its root, and how much. */
struct call {
  enum kind kind;
  uint32_t root;
  uint64_t bytes;
  bool refused;
};

static uint64_t below(uint64_t *state, uint64_t n) {
  return draw(state) % n;
}

static struct call draw_call(uint64_t *d, uint32_t n) {
  static const uint64_t BYTES[] = {0, 8, 16, 64, 200, 2048, BIG};
  static const enum kind ONE_WAY[] = {BROADCAST, REDUCE, GATHER, SCAN, SCATTERV, GATHERV};
  struct call c = {.kind = (enum kind)below(d, KINDS), .root = (uint32_t)below(d, n)};
  /* rows of calls that are no barriers, so that channels need openings */
  if (below(d, 2) == 0) c.kind = ONE_WAY[below(d, 6)];
  c.bytes = BYTES[below(d, 7)];
  if (c.bytes == BIG && below(d, 4) != 0) c.bytes = 8;
  return c;
}

/* Bytes of a block. */
static uint64_t block(const struct call *c, uint32_t n) {
  bool whole = c->kind == BROADCAST || c->kind == REDUCE || c->kind == ALLREDUCE || c->kind == SCAN;
  return whole ? c->bytes : c->bytes / n / 8 * 8;
}

/* Whether two calls for all are the same. Members of a collect give any number of bytes. */
static bool same(const struct call *a, const struct call *b, uint32_t n) {
  return a->kind == b->kind && a->refused == b->refused &&
         (a->kind == COLLECT || block(a, n) == block(b, n));
}

static int make(const struct call *c, uint32_t n, char *in, char *out) {
  eyot_tunit_t root = {c->refused ? n : c->root};
  const eyot_op_t op = c->refused ? EYOT_REPLACE : EYOT_SUM;
  uint64_t each = block(c, n), values = c->bytes / 8, sizes[MEMBERS_MOST];
  for (uint32_t m = 0; m < n; m++) sizes[m] = each;
  const uint64_t *lengths = c->refused ? NULL : sizes;
  switch (c->kind) {
    case BROADCAST:
      return eyot_broadcast(EYOT_TEAM_ALL, root, in, c->bytes);
    case REDUCE:
      return eyot_reduce(EYOT_TEAM_ALL, root, EYOT_UINT64, EYOT_SUM, in, out, values);
    case ALLREDUCE:
      return eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, op, in, out, values);
    case GATHER:
      return eyot_gather(EYOT_TEAM_ALL, root, in, out, each);
    case ALLGATHER:
      return eyot_allgather(EYOT_TEAM_ALL, in, out, c->refused ? UINT64_MAX / 2 : each);
    case ALLTOALL:
      return eyot_alltoall(EYOT_TEAM_ALL, in, out, c->refused ? UINT64_MAX / 2 : each);
    case SCAN:
      return eyot_scan(EYOT_TEAM_ALL, EYOT_UINT64, op, in, out, values);
    case SCATTERV:
      return eyot_scatterv(EYOT_TEAM_ALL, root, in, sizes, NULL, out, each);
    case GATHERV:
      return eyot_gatherv(EYOT_TEAM_ALL, root, in, each, out, sizes, NULL);
    case COLLECT:
      return eyot_collect(EYOT_TEAM_ALL, c->refused ? NULL : in, each + c->refused, out, BIG, NULL);
    case ALLTOALLV:
      return eyot_alltoallv(EYOT_TEAM_ALL, in, lengths, NULL, out, sizes, NULL);
    default:
      return eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_UINT64, op, in, out, each / 8);
  }
}

static bool for_all(enum kind k) {
  return k == ALLREDUCE || k == ALLGATHER || k == ALLTOALL || k == REDUCE_SCATTER || k == COLLECT ||
         k == ALLTOALLV;
}

/* All members have been told of what went wrong before, or none; the next call works again. */
static void settle(uint32_t me, uint32_t n, bool clean) {
  uint64_t one = 1, mine = me, sum = 0;
  int rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1);
  CHECK(rc == EYOT_OK || (rc == EYOT_EMISMATCH && !clean));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &sum, 1));
  CHECK(sum == (uint64_t)n * (n - 1) / 2);
  one = rc == EYOT_OK;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == 0 || sum == n);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc < 2) {
    if (eyot_me().id == 0) fputs("usage: coll_wrong STEPS [SEED]\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  uint64_t steps = strtoull(argv[1], NULL, 10), seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  uint32_t me = (uint32_t)eyot_me().id, n = eyot_size();
  CHECK(n <= MEMBERS_MOST);
  char *in = buffer(BIG), *out = buffer(BIG);
  memset(in, 0, BIG);
  uint64_t all = seed, own = seed * 1000003 + me + 1;
  bool clean = true;
  for (uint64_t s = 0; s < steps; s++) {
    struct call c = draw_call(&all, n), mine = c;
    uint64_t how = below(&all, 4), who = below(&all, n);
    bool alone = false; /* another member makes another call */
    bool wrong = false; /* whether this step has a mistake, which all members can tell */
    if (how == 1) {     /* one member's call differs or is refused */
      wrong = n > 1;
      struct call other = draw_call(&all, n);
      if (below(&all, 2) == 0) other = c, other.refused = true;
      if (me == who) mine = other;
      alone = n > 1 && !same(&c, &other, n);
    } else if (how == 2) { /* any may */
      wrong = true;
      if (below(&own, 3) == 0) mine = draw_call(&own, n);
      if (below(&own, 8) == 0) mine.refused = true;
    }
    int rc = make(&mine, n, in, out);
    CHECK(wrong || !clean || rc == EYOT_OK);
    CHECK(!mine.refused || rc != EYOT_OK);
    CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH || mine.refused);
    /* a call that is a barrier too fails on all */
    if (alone && for_all(c.kind) && me != who) CHECK(rc == EYOT_EMISMATCH);
    clean &= !wrong;
    if (below(&all, 12) != 0) continue;
    settle(me, n, clean);
    clean = true;
  }
  settle(me, n, clean);
  release(in, BIG);
  release(out, BIG);
  return finish();
}
