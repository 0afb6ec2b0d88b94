/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_model.c - neighbourhood collectives at random, each block compared with what it must be:
 * neighbor_model [ROUNDS] [SEED].
 *
 * All members draw the same graphs over all units: with no edges, with edges to oneself, several
 * between two members, a ring in one direction, a grid. On each graph calls of every function and
 * form go on, some at a time, of no byte up to several pieces of a slot; they are completed in
 * orders of the member's own, while other collectives and another graph's calls go on. */
#include <string.h>

#include "programs/net.h"

#define SLOT 8192u
#define CALLS 6u /* of a graph at a time */
enum what { ALLGATHER, ALLTOALL, ALLGATHERV, ALLTOALLV, WHATS };
enum form { BLOCKING, NONBLOCKING, PLAN, FORMS };

struct call {
  enum what what;
  enum form form;
  struct net *g;
  uint64_t id, bytes; /* of a block, or the most */
  char *send, *recv;
  uint64_t recv_len;
  uint64_t *send_size, *send_at, *recv_size, *recv_at;
  eyot_coll_t handle;
};
static uint64_t shared_random, own_random, starts;
static uint32_t me, n;

static char value(uint64_t id, uint32_t from, uint32_t to, uint32_t tag, uint64_t i) {
  uint64_t h = (id * 1000003u + from * 7919u + to * 104729u + tag * 31u + i) * 0x9e3779b97f4a7c15u;
  return (char)(h >> 56 | 1);
}

/* Bytes of the block that an edge carries. */
static uint64_t length(const struct call *c, uint32_t from, uint32_t to, uint32_t tag) {
  if (c->what == ALLGATHER || c->what == ALLTOALL) return c->bytes;
  if (c->what == ALLGATHERV) return (c->bytes + from * 13u) % (c->bytes + 1);
  return (c->bytes + from * 13u + to * 7u + tag * 5u) % (c->bytes + 1);
}
/* Byte i of it: of an allgather the same for each receiver. */
static char byte(const struct call *c, uint32_t from, uint32_t to, uint32_t tag, uint64_t i) {
  bool all = c->what == ALLGATHER || c->what == ALLGATHERV;
  return value(c->id, from, all ? 0 : to, all ? 0 : tag, i);
}

/* -- calls ------------------------------------------------------------------------------------- */

/* Lengths and places of one side, with gaps between blocks. Returns the buffer's bytes. */
static uint64_t place(const struct call *c, bool in, uint64_t **sizes, uint64_t **at) {
  const struct net *g = c->g;
  uint32_t blocks = in ? g->n_in : g->n_out;
  uint64_t next = 0;
  *sizes = calloc(blocks + 1, sizeof **sizes);
  *at = calloc(blocks + 1, sizeof **at);
  CHECK(*sizes != NULL && *at != NULL);
  for (uint32_t i = 0; i < blocks; i++) {
    uint32_t other = in ? g->in[i].id : g->out[i].id, tag = in ? g->in_tag[i] : g->out_tag[i];
    bool none = other == EYOT_TUNIT_NONE.id;
    (*sizes)[i] = none ? c->bytes : in ? length(c, other, me, tag) : length(c, me, other, tag);
    (*at)[i] = next;
    next += (*sizes)[i] + (c->what == ALLGATHER || c->what == ALLTOALL ? 0 : i % 3);
  }
  return next;
}

static void fill(struct call *c) {
  const struct net *g = c->g;
  c->id = ++starts;
  memset(c->recv, 0, c->recv_len);
  if (c->what == ALLGATHER || c->what == ALLGATHERV) {
    for (uint64_t i = 0; i < length(c, me, 0, 0); i++) c->send[i] = byte(c, me, 0, 0, i);
    return;
  }
  for (uint32_t b = 0; b < g->n_out; b++)
    for (uint64_t i = 0; i < c->send_size[b]; i++)
      c->send[c->send_at[b] + i] = byte(c, me, g->out[b].id, g->out_tag[b], i);
}

static void verify(const struct call *c) {
  const struct net *g = c->g;
  uint64_t seen = 0, set = 0;
  for (uint32_t b = 0; b < g->n_in; b++) {
    bool none = g->in[b].id == EYOT_TUNIT_NONE.id;
    for (uint64_t i = 0; i < c->recv_size[b]; i++) {
      char want = none ? 0 : byte(c, g->in[b].id, me, g->in_tag[b], i);
      if (c->recv[c->recv_at[b] + i] != want) {
        fprintf(stderr,
                "neighbor_model: unit %u of %u: function %d, form %d, call %llu: byte %llu of "
                "block %u from %u\n",
                me, n, (int)c->what, (int)c->form, (unsigned long long)c->id, (unsigned long long)i,
                b, g->in[b].id);
        eyot_abort(1, "a neighbourhood collective has a wrong result");
      }
      seen += want != 0;
    }
  }
  for (uint64_t i = 0; i < c->recv_len; i++) set += c->recv[i] != 0;
  CHECK(seen == set); /* nothing between the blocks */
}

static int issue(struct call *c) {
  eyot_graph_t g = c->g->graph;
  eyot_coll_t *h = &c->handle;
  uint64_t own = length(c, me, 0, 0);
#define FORM(name, ...)                                                 \
  (c->form == BLOCKING      ? eyot_neighbor_##name(__VA_ARGS__)         \
   : c->form == NONBLOCKING ? eyot_neighbor_##name##_nb(__VA_ARGS__, h) \
                            : eyot_neighbor_##name##_plan(__VA_ARGS__, h))
  switch (c->what) {
    case ALLGATHER:
      return FORM(allgather, g, c->send, c->recv, c->bytes);
    case ALLTOALL:
      return FORM(alltoall, g, c->send, c->recv, c->bytes);
    case ALLGATHERV:
      return FORM(allgatherv, g, c->send, own, c->recv, c->recv_size, c->recv_at);
    case ALLTOALLV:
      return FORM(alltoallv, g, c->send, c->send_size, c->send_at, c->recv, c->recv_size,
                  c->recv_at);
    case WHATS:
      break;
  }
  return EYOT_EINVAL;
}

static void start(struct call *c, struct net *g) {
  static const uint64_t BYTES[] = {0, 1, 7, 8, SLOT - 1, SLOT, SLOT + 1, 6 * SLOT + 5};
  uint64_t r = draw(&shared_random);
  *c = (struct call){.what = (enum what)(r % WHATS), .form = (enum form)(r / 8 % FORMS), .g = g};
  c->bytes = BYTES[r / 64 % (sizeof BYTES / sizeof BYTES[0])];
  uint64_t send_len = place(c, false, &c->send_size, &c->send_at);
  c->recv_len = place(c, true, &c->recv_size, &c->recv_at);
  c->send = malloc(send_len + c->bytes + 1);
  c->recv = malloc(c->recv_len + 1);
  CHECK(c->send != NULL && c->recv != NULL);
  fill(c);
  OK(issue(c));
  if (c->form == PLAN) OK(eyot_coll_start(c->handle));
}

static void complete(struct call *c) {
  bool done = c->form == BLOCKING;
  if (!done && draw(&own_random) % 2 == 0) {
    OK(eyot_coll_wait(&c->handle));
    done = true;
  }
  for (uint32_t i = 0; !done; i++) {
    OK(eyot_coll_test(&c->handle, &done));
    if (!done && i % 64 == 63) OK(eyot_compute(1000));
  }
  verify(c);
}

static void drop(struct call *c) {
  if (c->form == PLAN) OK(eyot_coll_free(&c->handle));
  free(c->send);
  free(c->recv);
  free(c->send_size);
  free(c->send_at);
  free(c->recv_size);
  free(c->recv_at);
}

static void use(struct net *a, struct net *b) {
  struct call call[CALLS];
  uint32_t order[CALLS];
  for (uint32_t i = 0; i < CALLS; i++) {
    start(&call[i], draw(&shared_random) % 2 == 0 ? a : b);
    if (draw(&own_random) % 4 == 0) OK(eyot_compute(draw(&own_random) % 3000));
  }
  if (draw(&shared_random) % 2 == 0) OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < CALLS; i++) {
    uint32_t k = (uint32_t)(draw(&own_random) % (i + 1));
    order[i] = order[k];
    order[k] = i;
  }
  for (uint32_t i = 0; i < CALLS; i++) complete(&call[order[i]]);
  for (uint32_t i = 0; i < CALLS; i++) { /* plans once more, with other values */
    if (call[i].form != PLAN) continue;
    fill(&call[i]);
    OK(eyot_coll_start(call[i].handle));
    complete(&call[i]);
  }
  for (uint32_t i = 0; i < CALLS; i++) drop(&call[i]);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 4,
           seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static struct net a, b;
  me = eyot_me().id;
  n = eyot_size();
  shared_random = seed;
  own_random = seed * 1000 + me;
  for (uint64_t i = 0; i < rounds; i++) {
    net_make(&a, &shared_random, me, n);
    net_make(&b, &shared_random, me, n);
    for (uint32_t k = 0; k < 3; k++) use(&a, &b);
    OK(eyot_graph_destroy(&a.graph));
    OK(eyot_graph_destroy(&b.graph));
    CHECK(a.graph.at.seg == 0);
  }
  return finish();
}
