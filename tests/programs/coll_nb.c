/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_nb.c - non-blocking and persistent collectives at random, each result compared with what it
 * must be: coll_nb [ROUNDS] [SEED].
 *
 * All members start the same calls, over two teams that overlap, of one byte's elements up to
 * several rounds of messages, and complete them in an order of their own, by waits and tests;
 * blocking collectives, puts and barriers go between. Plans are started again with new values. */
#include <string.h>

#include "programs/api_check.h"

#define SLOTS 12u
#define MEMBERS 64u /* of a team, at most */
#define MOST 6000u  /* elements of a block: more than two rounds */
enum what {
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  GATHER,
  ALLGATHER,
  ALLTOALL,
  SCATTER,
  SCAN,
  EXSCAN,
  REDUCE_SCATTER,
  /* blocks of several lengths from here on */
  SCATTERV,
  GATHERV,
  ALLGATHERV,
  COLLECT,
  ALLTOALLV,
  ALLTOALLW,
  REDUCE_SCATTERV,
  ALLTOALL_STRIDED, /* of one length, with gaps */
  WHATS
};
#define SEND_STRIDE 2u /* words, of ALLTOALL_STRIDED, and of blocks that ALLTOALLW sends */
#define RECV_STRIDE 3u
#define ROW 4u /* words of a row of ALLTOALLW, whose blocks are received transposed */

struct side {
  eyot_team_t team;
  uint32_t me, n;
};
struct slot {
  bool plan, started, done;
  enum what what;
  const struct side *s;
  uint32_t root;
  uint64_t n, id;               /* elements of a block, at most; the start's number */
  uint64_t lengths;             /* a seed */
  uint64_t *send, *recv, *told; /* told: of COLLECT */
  eyot_coll_t handle;
};
static struct slot slot[SLOTS];
static uint64_t shared_random, own_random, starts;
static eyot_gptr_t words;

static uint64_t value(uint64_t id, uint64_t from, uint64_t to, uint64_t i) {
  return id * 1000003u + from * 7919u + to * 104729u + i;
}

static bool is_one_of(enum what what, const enum what *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == what) return true;
  return false;
}
/* Whether a buffer has a block of each member. */
static bool has_many(const struct slot *x, bool sent) {
  static const enum what SENT[] = {ALLTOALL,  SCATTER,   REDUCE_SCATTER,  SCATTERV,
                                   ALLTOALLV, ALLTOALLW, REDUCE_SCATTERV, ALLTOALL_STRIDED};
  static const enum what RECEIVED[] = {ALLTOALL, GATHER,    ALLGATHER, GATHERV,         ALLGATHERV,
                                       COLLECT,  ALLTOALLV, ALLTOALLW, ALLTOALL_STRIDED};
  return sent ? is_one_of(x->what, SENT, sizeof SENT / sizeof *SENT)
              : is_one_of(x->what, RECEIVED, sizeof RECEIVED / sizeof *RECEIVED);
}
static uint64_t blocks(const struct slot *x, bool sent) {
  return has_many(x, sent) ? x->s->n : 1;
}

/* Elements that `from` sends to `to`. */
static uint64_t length(const struct slot *x, uint64_t from, uint64_t to) {
  if (x->what < SCATTERV || x->what == ALLTOALL_STRIDED) return x->n;
  if (x->what == REDUCE_SCATTERV) from = 0;
  if (x->what == GATHERV || x->what == ALLGATHERV || x->what == COLLECT) to = 0;
  uint64_t h = (x->lengths + from * 31 + to * 17) * 0x9e3779b97f4a7c15u >> 40;
  uint64_t n = h % 4 == 0 ? 0 : h % (x->n + 1);
  return x->what == ALLTOALLW ? n / ROW * ROW : n;
}
/* Elements of block b of the caller's buffer. */
static uint64_t count(const struct slot *x, bool sent, uint64_t b) {
  bool many = has_many(x, sent);
  uint64_t me = x->s->me;
  if (sent) return length(x, me, many ? b : 0);
  if (x->what == SCATTERV) return length(x, x->root, me);
  return length(x, many ? b : me, me);
}
static uint64_t first(const struct slot *x, bool sent, uint64_t b) {
  uint64_t at = 0;
  for (uint64_t k = 0; k < b; k++) at += count(x, sent, k);
  return at;
}
/* Where element i of a block of n is, that begins after `at` elements. */
static uint64_t place(const struct slot *x, bool sent, uint64_t at, uint64_t n, uint64_t i) {
  if (x->what == ALLTOALL_STRIDED) return (at + i) * (sent ? SEND_STRIDE : RECV_STRIDE);
  if (x->what != ALLTOALLW) return at + i;
  return sent ? (at + i) * SEND_STRIDE : at + i % ROW * (n / ROW) + i / ROW;
}
/* Words of a buffer. */
static uint64_t extent(const struct slot *x, bool sent) {
  return first(x, sent, blocks(x, sent)) * RECV_STRIDE + 1;
}

static void fill(struct slot *x) {
  x->id = ++starts;
  bool root = x->s->me == x->root;
  for (uint64_t b = 0, at = 0; b < blocks(x, true); b++) {
    uint64_t n = count(x, true, b);
    for (uint64_t i = 0; i < n; i++)
      x->send[place(x, true, at, n, i)] = value(x->id, x->s->me, b, i);
    at += n;
  }
  memset(x->recv, 0xee, extent(x, false) * 8);
  if (x->what == BROADCAST && root) memcpy(x->recv, x->send, x->n * 8);
}

/* Element i of block b of the result; false: the member has none. */
static bool expected(const struct slot *x, uint64_t b, uint64_t i, uint64_t *out) {
  const struct side *s = x->s;
  uint64_t end = s->n, to = 0;
  switch (x->what) {
    case BROADCAST:
      *out = value(x->id, x->root, 0, i);
      return true;
    case GATHER:
      if (s->me != x->root) return false;
      *out = value(x->id, b, 0, i);
      return true;
    case GATHERV:
      if (s->me != x->root) return false;
      *out = value(x->id, b, 0, i);
      return true;
    case ALLGATHER:
    case ALLGATHERV:
    case COLLECT:
      *out = value(x->id, b, 0, i);
      return true;
    case ALLTOALL:
    case ALLTOALLV:
    case ALLTOALLW:
    case ALLTOALL_STRIDED:
      *out = value(x->id, b, s->me, i);
      return true;
    case SCATTER:
    case SCATTERV:
      *out = value(x->id, x->root, s->me, i);
      return true;
    case REDUCE:
      if (s->me != x->root) return false;
      break;
    case SCAN:
      end = s->me + 1;
      break;
    case EXSCAN:
      if (s->me == 0) return false;
      end = s->me;
      break;
    case REDUCE_SCATTER:
    case REDUCE_SCATTERV:
      to = s->me;
      break;
    case ALLREDUCE:
    case WHATS:
      break;
  }
  *out = 0;
  for (uint64_t m = 0; m < end; m++) *out += value(x->id, m, to, i);
  return true;
}

static void refuse(const struct slot *x, uint64_t b, uint64_t i) {
  fprintf(stderr, "coll_nb: member %u of %u: function %d, start %llu: element %llu of block %llu\n",
          x->s->me, x->s->n, (int)x->what, (unsigned long long)x->id, (unsigned long long)i,
          (unsigned long long)b);
  eyot_abort(1, "a non-blocking collective has a wrong result");
}

static void verify(const struct slot *x) {
  uint64_t at = 0;
  for (uint64_t b = 0; b < blocks(x, false); b++) {
    uint64_t n = count(x, false, b), want;
    for (uint64_t i = 0; i < n; i++)
      if (expected(x, b, i, &want) && want != x->recv[place(x, false, at, n, i)]) refuse(x, b, i);
    if (x->what == COLLECT) CHECK(x->told[b] == n * 8);
    at += n;
  }
  for (uint64_t i = 0; i < at && x->what == ALLTOALL_STRIDED; i++)
    CHECK(x->recv[i * RECV_STRIDE + 1] == UINT64_C(0xeeeeeeeeeeeeeeee));
}

/* -- the calls --------------------------------------------------------------------------------- */

#define FORM(name, ...) (x->plan ? eyot_##name##_plan(__VA_ARGS__) : eyot_##name##_nb(__VA_ARGS__))

/* Lengths and places, in bytes, or in elements of a reduction. */
static void describe(const struct slot *x, bool sent, uint64_t *sizes, uint64_t *at) {
  uint64_t width = x->what == REDUCE_SCATTERV ? 1 : 8;
  for (uint64_t b = 0; b < x->s->n; b++) {
    sizes[b] = has_many(x, sent) ? count(x, sent, b) * width : 0;
    at[b] = b == 0 ? 0 : at[b - 1] + sizes[b - 1];
  }
}

static void describe_runs(const struct slot *x, bool sent, eyot_block_t *blocks_of) {
  uint64_t at = 0;
  for (uint64_t b = 0; b < x->s->n; b++) {
    uint64_t n = count(x, sent, b);
    eyot_block_t *k = &blocks_of[b];
    *k = (eyot_block_t){.at = at * 8 * (sent ? SEND_STRIDE : 1), .run_bytes = n > 0 ? 8 : 0};
    k->count[0] = sent ? n : ROW;
    k->stride[0] = sent ? 8 * SEND_STRIDE : 8 * (int64_t)(n / ROW);
    k->count[1] = sent ? 1 : n / ROW;
    k->stride[1] = 8;
    at += n;
  }
}

/* Those whose arrays the library copies: afterwards they hold something else. */
static int make_several(struct slot *x, uint64_t words_of[4][MEMBERS],
                        eyot_block_t blocks_of[2][MEMBERS]) {
  const struct side *s = x->s;
  eyot_tunit_t root = {x->root};
  uint64_t *go = words_of[0], *go_at = words_of[1], *come = words_of[2], *come_at = words_of[3];
  uint64_t own = count(x, true, 0) * 8, own_out = count(x, false, 0) * 8;
  eyot_coll_t *h = &x->handle;
  switch (x->what) {
    case SCATTERV:
      return FORM(scatterv, s->team, root, x->send, go, go_at, x->recv, own_out, h);
    case GATHERV:
      return FORM(gatherv, s->team, root, x->send, own, x->recv, come, come_at, h);
    case ALLGATHERV:
      return FORM(allgatherv, s->team, x->send, x->recv, come, NULL, h);
    case COLLECT:
      return FORM(collect, s->team, x->send, own, x->recv, extent(x, false) * 8, x->told, h);
    case ALLTOALLV:
      return FORM(alltoallv, s->team, x->send, go, NULL, x->recv, come, come_at, h);
    case REDUCE_SCATTERV:
      return FORM(reduce_scatter, s->team, EYOT_UINT64, EYOT_SUM, x->send, x->recv, go, h);
    default:
      describe_runs(x, true, blocks_of[0]);
      describe_runs(x, false, blocks_of[1]);
      return FORM(alltoallw, s->team, x->send, blocks_of[0], x->recv, blocks_of[1], h);
  }
}

static int make(struct slot *x) {
  const struct side *s = x->s;
  eyot_tunit_t root = {x->root};
  uint64_t bytes = x->n * 8;
  eyot_coll_t *h = &x->handle;
  switch (x->what) {
    case BROADCAST:
      return FORM(broadcast, s->team, root, x->recv, bytes, h);
    case REDUCE:
      return FORM(reduce, s->team, root, EYOT_UINT64, EYOT_SUM, x->send, x->recv, x->n, h);
    case ALLREDUCE:
      return FORM(allreduce, s->team, EYOT_UINT64, EYOT_SUM, x->send, x->recv, x->n, h);
    case GATHER:
      return FORM(gather, s->team, root, x->send, x->recv, bytes, h);
    case ALLGATHER:
      return FORM(allgather, s->team, x->send, x->recv, bytes, h);
    case ALLTOALL:
      return FORM(alltoall, s->team, x->send, x->recv, bytes, h);
    case SCATTER:
      return FORM(scatter, s->team, root, x->send, x->recv, bytes, h);
    case SCAN:
      return FORM(scan, s->team, EYOT_UINT64, EYOT_SUM, x->send, x->recv, x->n, h);
    case EXSCAN:
      return FORM(exscan, s->team, EYOT_UINT64, EYOT_SUM, x->send, x->recv, x->n, h);
    case REDUCE_SCATTER:
      return FORM(reduce_scatter_block, s->team, EYOT_UINT64, EYOT_SUM, x->send, x->recv, x->n, h);
    case ALLTOALL_STRIDED:
      return FORM(alltoall_strided, s->team, x->send, 8 * SEND_STRIDE, x->recv, 8 * RECV_STRIDE,
                  x->n, 8, h);
    default:
      break;
  }
  static uint64_t words_of[4][MEMBERS];
  static eyot_block_t blocks_of[2][MEMBERS];
  describe(x, true, words_of[0], words_of[1]);
  describe(x, false, words_of[2], words_of[3]);
  int rc = make_several(x, words_of, blocks_of);
  memset(words_of, 0xff, sizeof words_of);
  memset(blocks_of, 0xff, sizeof blocks_of);
  return rc;
}

static void start(struct slot *x, const struct side *s) {
  uint64_t r = draw(&shared_random);
  *x = (struct slot){.plan = r % 4 == 0, .s = s, .what = (enum what)(r / 4 % WHATS)};
  x->root = (uint32_t)(draw(&shared_random) % s->n);
  r = draw(&shared_random);
  x->n = r % 8 == 0 ? r / 8 % MOST : r / 8 % 20;
  x->lengths = draw(&shared_random);
  if (x->what >= SCATTERV) x->n /= 4;
  x->send = malloc(extent(x, true) * 8);
  x->recv = malloc(extent(x, false) * 8);
  x->told = malloc(s->n * 8);
  CHECK(x->send != NULL && x->recv != NULL && x->told != NULL);
  fill(x);
  OK(make(x));
  x->started = !x->plan;
}

/* Now and then a call is completed while others are yet to be started, on some members only. */
static void peek(struct slot *x) {
  if (!x->started || x->done) return;
  OK(eyot_coll_test(&x->handle, &x->done));
  if (x->done) verify(x);
}

static void complete(struct slot *x) {
  bool done = x->done;
  if (done) {
    x->done = x->started = false;
    return;
  }
  x->started = false;
  if (draw(&own_random) % 2 == 0) {
    OK(eyot_coll_wait(&x->handle));
  } else {
    for (uint32_t i = 0; !done; i++) {
      OK(eyot_coll_test(&x->handle, &done));
      if (!done && i % 64 == 63) OK(eyot_compute(1000));
    }
  }
  verify(x);
}

static void drop(struct slot *x) {
  if (x->plan) OK(eyot_coll_free(&x->handle));
  CHECK(x->handle.id == 0);
  free(x->send);
  free(x->recv);
  free(x->told);
}

/* What goes between starts and completions. */
static void between(const struct side *s) {
  uint64_t v = s->me, sum = 0, word = draw(&own_random);
  switch (draw(&shared_random) % 4) {
    case 0:
      OK(eyot_allreduce(s->team, EYOT_UINT64, EYOT_SUM, &v, &sum, 1));
      CHECK(sum == (uint64_t)s->n * (s->n - 1) / 2);
      break;
    case 1:
      OK(eyot_barrier(s->team));
      break;
    case 2:
      OK(eyot_put(eyot_gptr_at(words, (eyot_unit_t){(uint32_t)(word % eyot_size())}), &word, 8));
      break;
    default:
      OK(eyot_compute(word % 3000));
  }
}

/* Some calls are under way on both teams; all members complete the same ones, in another order. */
static void round_of(const struct side *side, uint32_t sides) {
  uint32_t order[SLOTS], n = 1 + (uint32_t)(draw(&shared_random) % SLOTS), again = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct side *s = &side[draw(&shared_random) % sides];
    order[i] = i;
    start(&slot[i], s);
    if (slot[i].plan) again = 1;
    if (i > 0 && draw(&own_random) % 2 == 0) peek(&slot[draw(&own_random) % i]);
  }
  for (uint32_t times = 0; times <= 2 * again; times++) {
    for (uint32_t i = 0; i < n; i++) {
      if (times > 0 && !slot[i].plan) continue;
      if (slot[i].plan) {
        OK(eyot_coll_start(slot[i].handle));
        slot[i].started = true;
      }
      if (draw(&own_random) % 2 == 0) peek(&slot[draw(&own_random) % n]);
      if (draw(&shared_random) % 3 == 0) between(slot[i].s);
    }
    for (uint32_t i = n; i > 1; i--) {
      uint32_t k = (uint32_t)(draw(&own_random) % i), swap = order[i - 1];
      order[i - 1] = order[k];
      order[k] = swap;
    }
    for (uint32_t i = 0; i < n; i++)
      if (times == 0 || slot[order[i]].plan) complete(&slot[order[i]]);
    for (uint32_t i = 0; i < n; i++)
      if (slot[i].plan) fill(&slot[i]);
  }
  for (uint32_t i = 0; i < n; i++) drop(&slot[i]);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() <= MEMBERS);
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
  shared_random = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 0x9e3779b97f4a7c15u + 1;
  own_random = shared_random + eyot_me().id + 1;
  struct side side[2] = {{.team = EYOT_TEAM_ALL, .me = eyot_me().id, .n = eyot_size()}};
  uint32_t sides = 1 + (eyot_size() > 1);
  if (sides == 2) {
    eyot_tunit_t me;
    OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &side[1].team));
    OK(eyot_team_me(side[1].team, &me));
    OK(eyot_team_size(side[1].team, &side[1].n));
    side[1].me = me.id;
  }
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &words));
  for (uint64_t r = 0; r < rounds; r++) round_of(side, sides);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (sides == 2) OK(eyot_team_destroy(&side[1].team));
  OK(eyot_team_free(words));
  return finish();
}
