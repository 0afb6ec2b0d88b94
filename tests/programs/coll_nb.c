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
#define MOST 6000u /* elements of a block: more than two rounds */
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
  WHATS
};

struct side {
  eyot_team_t team;
  uint32_t me, n;
};
struct slot {
  bool plan, started, done;
  enum what what;
  const struct side *s;
  uint32_t root;
  uint64_t n, id; /* elements of a block; the start's number */
  uint64_t *send, *recv;
  eyot_coll_t handle;
};
static struct slot slot[SLOTS];
static uint64_t shared_random, own_random, starts;
static eyot_gptr_t words;

static uint64_t value(uint64_t id, uint64_t from, uint64_t to, uint64_t i) {
  return id * 1000003u + from * 7919u + to * 104729u + i;
}

static uint64_t blocks(const struct slot *x, bool sent) {
  bool many = sent ? x->what == ALLTOALL || x->what == SCATTER || x->what == REDUCE_SCATTER
                   : x->what == ALLTOALL || x->what == GATHER || x->what == ALLGATHER;
  return many ? x->s->n : 1;
}

static void fill(struct slot *x) {
  x->id = ++starts;
  bool root = x->s->me == x->root;
  for (uint64_t b = 0; b < blocks(x, true); b++)
    for (uint64_t i = 0; i < x->n; i++) x->send[b * x->n + i] = value(x->id, x->s->me, b, i);
  memset(x->recv, 0xee, blocks(x, false) * x->n * 8);
  if (x->what == BROADCAST && root) memcpy(x->recv, x->send, x->n * 8);
}

/* Element i of block b of the result; false: the member has none. */
static bool expected(const struct slot *x, uint64_t b, uint64_t i, uint64_t *out) {
  const struct side *s = x->s;
  uint64_t first = 0, end = s->n, to = 0;
  switch (x->what) {
    case BROADCAST:
      *out = value(x->id, x->root, 0, i);
      return true;
    case GATHER:
      if (s->me != x->root) return false;
      *out = value(x->id, b, 0, i);
      return true;
    case ALLGATHER:
      *out = value(x->id, b, 0, i);
      return true;
    case ALLTOALL:
      *out = value(x->id, b, s->me, i);
      return true;
    case SCATTER:
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
      to = s->me;
      break;
    case ALLREDUCE:
    case WHATS:
      break;
  }
  *out = 0;
  for (uint64_t m = first; m < end; m++) *out += value(x->id, m, to, i);
  return true;
}

static void verify(const struct slot *x) {
  for (uint64_t b = 0; b < blocks(x, false); b++)
    for (uint64_t i = 0; i < x->n; i++) {
      uint64_t want, got = x->recv[b * x->n + i];
      if (!expected(x, b, i, &want) || want == got) continue;
      fprintf(stderr,
              "coll_nb: member %u of %u: function %d, start %llu: element %llu of block %llu\n",
              x->s->me, x->s->n, (int)x->what, (unsigned long long)x->id, (unsigned long long)i,
              (unsigned long long)b);
      eyot_abort(1, "a non-blocking collective has a wrong result");
    }
}

static int make(struct slot *x) {
  const struct side *s = x->s;
  eyot_tunit_t root = {x->root};
  uint64_t bytes = x->n * 8;
  eyot_coll_t *h = &x->handle;
#define FORM(name, ...) (x->plan ? eyot_##name##_plan(__VA_ARGS__) : eyot_##name##_nb(__VA_ARGS__))
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
    case WHATS:
      break;
  }
  return EYOT_EINVAL;
}

static void start(struct slot *x, const struct side *s) {
  uint64_t r = draw(&shared_random);
  *x = (struct slot){.plan = r % 4 == 0, .s = s, .what = (enum what)(r / 4 % WHATS)};
  x->root = (uint32_t)(draw(&shared_random) % s->n);
  r = draw(&shared_random);
  x->n = r % 8 == 0 ? r / 8 % MOST : r / 8 % 20;
  x->send = malloc(blocks(x, true) * x->n * 8 + 8);
  x->recv = malloc(blocks(x, false) * x->n * 8 + 8);
  CHECK(x->send != NULL && x->recv != NULL);
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
