/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_model.c - fused exchanges at random, each element compared with what it must be:
 * exchange_model [ROUNDS] [SEED].
 *
 * All members draw the same graphs, and on each some exchanges of every kind: moved by the sender,
 * by the receiver, by nobody; with messages from no element up to several times the space for one.
 * A sender finds its elements by an index list, as in the source's case study, and changes them as
 * soon as its call has returned; a receiver clears what it got. Members are late at random, and two
 * exchanges of one graph go on at a time. */
#include <string.h>

#include "programs/net.h"

#define MOST 96u /* elements of a message */
#define CALLS 4u

/* The two ends of an edge, as the program describes them. */
struct from {
  const uint64_t *data;
  const uint32_t *list;
  uint32_t n;
};
struct to {
  uint64_t *data;
  uint32_t first, n;
};
struct use {
  eyot_exchange_t x;
  eyot_exchange_ops_t ops;
  struct net *net;
  uint64_t id;      /* of the exchange, and */
  uint64_t call;    /* of the call */
  uint64_t *source; /* of all messages, in memory that the node shares */
  uint32_t *list;
  uint64_t *target;
  struct from *send;
  struct to *recv;
  uint64_t packs, unpacks, moves; /* calls of the functions here */
};
static uint64_t shared_random, own_random;
static uint32_t me, n;

static uint64_t pack(void *context, const void *send, void *buf, uint64_t space) {
  const struct from *f = send;
  uint64_t *out = buf;
  struct use *u = context;
  if (f->n * sizeof *out > space) return f->n * sizeof *out;
  for (uint32_t i = 0; i < f->n; i++) out[i] = f->data[f->list[i]];
  u->packs++;
  return f->n * sizeof *out;
}

static void unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  const struct to *t = recv;
  struct use *u = context;
  CHECK(bytes == t->n * sizeof *t->data);
  memcpy(t->data + t->first, buf, bytes);
  u->unpacks++;
}

static void move(void *context, const void *send, const void *recv) {
  const struct from *f = send;
  const struct to *t = recv;
  struct use *u = context;
  CHECK(f->n == t->n);
  for (uint32_t i = 0; i < f->n; i++) t->data[t->first + i] = f->data[f->list[i]];
  u->moves++;
}

static uint64_t value(const struct use *u, uint32_t from, uint32_t to, uint32_t tag, uint32_t i) {
  uint64_t at = u->id * 1000003u + u->call * 7919u + from * 104729u + to * 1299709u + tag * 31u + i;
  return at * 0x9e3779b97f4a7c15u | 1;
}
static uint32_t length(const struct use *u, uint32_t from, uint32_t to, uint32_t tag) {
  return (uint32_t)((u->call * 17 + u->id * 5 + from * 13u + to * 7u + tag * 3u) % (MOST + 1));
}
static void *shared(uint64_t bytes) {
  void *p;
  OK(eyot_sheap_alloc(bytes, &p));
  return p;
}

static bool absent(eyot_tunit_t unit) {
  return unit.id == EYOT_TUNIT_NONE.id;
}
/* How many of them are on the caller's node. */
static uint32_t on_node(const eyot_tunit_t *units, uint32_t many) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < many; i++) {
    eyot_domain_t level = EYOT_DOMAIN_MACHINE;
    if (!absent(units[i])) OK(eyot_distance(eyot_me(), (eyot_unit_t){units[i].id}, &level));
    count += level <= EYOT_DOMAIN_NODE;
  }
  return count;
}

/* Each to each, without a graph. */
static void net_complete(struct net *net) {
  net->n_in = net->n_out = n;
  for (uint32_t i = 0; i < n; i++) {
    net->in[i] = net->out[i] = (eyot_tunit_t){i};
    net->in_tag[i] = net->out_tag[i] = 0;
  }
}

/* Where `move` runs: on the member that the exchange names, for edges within a node. */
static void make(struct use *u, struct net *net, bool complete) {
  uint32_t sent, received;
  *u = (struct use){.net = net, .id = draw(&shared_random) % 1000};
  u->ops = (eyot_exchange_ops_t){.pack = pack,
                                 .unpack = unpack,
                                 .fused = draw(&shared_random) % 8 == 0 ? NULL : move,
                                 .context = u,
                                 .where = (eyot_exchange_where_t)(draw(&shared_random) % 3),
                                 .send_bytes = sizeof(struct from),
                                 .recv_bytes = sizeof(struct to),
                                 .space_bytes = draw(&shared_random) % 3 * 300};
  OK(complete ? eyot_exchange_create_all(EYOT_TEAM_ALL, &u->ops, &u->x)
              : eyot_exchange_create(net->graph, &u->ops, &u->x));
  OK(eyot_exchange_edges(u->x, &sent, &received));
  bool fused = u->ops.fused != NULL && u->ops.where != EYOT_EXCHANGE_PACKED;
  CHECK(sent == (fused ? on_node(net->out, net->n_out) : 0));
  CHECK(received == (fused ? on_node(net->in, net->n_in) : 0));
  u->source = shared((net->n_out + 1) * MOST * sizeof *u->source);
  u->list = shared((net->n_out + 1) * MOST * sizeof *u->list);
  u->target = shared((net->n_in + 1) * MOST * sizeof *u->target);
  memset(u->target, 0, (net->n_in + 1) * MOST * sizeof *u->target);
  u->send = calloc(net->n_out + 1, sizeof *u->send);
  u->recv = calloc(net->n_in + 1, sizeof *u->recv);
  /* messages lie in the array one in the other: element i of edge k at i * edges + k */
  for (uint32_t k = 0; k < net->n_out; k++)
    for (uint32_t i = 0; i < MOST; i++) u->list[k * MOST + i] = i * net->n_out + k;
}

static void start(struct use *u) {
  struct net *g = u->net;
  u->call++;
  for (uint32_t k = 0; k < g->n_out; k++) {
    uint32_t many = absent(g->out[k]) ? 0 : length(u, me, g->out[k].id, g->out_tag[k]);
    for (uint32_t i = 0; i < many; i++)
      u->source[u->list[k * MOST + i]] = value(u, me, g->out[k].id, g->out_tag[k], i);
    u->send[k] = (struct from){u->source, u->list + k * MOST, many};
  }
  for (uint32_t k = 0; k < g->n_in; k++)
    u->recv[k] = (struct to){.data = u->target,
                             .first = k * MOST,
                             .n = absent(g->in[k]) ? 0 : length(u, g->in[k].id, me, g->in_tag[k])};
}

static void verify(const struct use *u) {
  const struct net *g = u->net;
  for (uint32_t k = 0; k < g->n_in; k++) {
    for (uint32_t i = 0; i < MOST; i++) {
      uint64_t want = i < u->recv[k].n ? value(u, g->in[k].id, me, g->in_tag[k], i) : 0;
      CHECK(u->target[k * MOST + i] == want);
    }
    memset(u->target + k * MOST, 0, MOST * sizeof *u->target);
  }
  /* what was sent is the caller's again */
  memset(u->source, 0x5a, (g->n_out + 1) * MOST * sizeof *u->source);
}

static void be_late(void) {
  if (draw(&own_random) % 3 == 0) OK(eyot_compute(draw(&own_random) % 5000));
}

static void complete(struct use *u) {
  bool done = false;
  if (draw(&own_random) % 2 == 0) {
    OK(eyot_exchange_wait(u->x));
    return;
  }
  for (uint32_t i = 0; !done; i++) {
    OK(eyot_exchange_test(u->x, &done));
    if (!done && i % 64 == 63) OK(eyot_compute(1000));
  }
}

static void call(struct use *a, struct use *b) {
  be_late();
  start(a);
  if (draw(&shared_random) % 2 == 0) {
    OK(eyot_exchange(a->x, a->send, a->recv));
  } else {
    OK(eyot_exchange_start(a->x, a->send, a->recv));
    memset(a->send, 0, a->net->n_out * sizeof *a->send); /* was read */
    be_late();
    start(b);
    OK(eyot_exchange_start(b->x, b->send, b->recv));
    be_late();
    complete(a);
    be_late();
    complete(b);
    verify(b);
  }
  verify(a);
}

static void drop(struct use *u) {
  struct net *g = u->net;
  uint64_t in = 0, out = 0;
  uint32_t sent, received;
  for (uint32_t k = 0; k < g->n_in; k++) in += !absent(g->in[k]);
  for (uint32_t k = 0; k < g->n_out; k++) out += !absent(g->out[k]);
  OK(eyot_exchange_edges(u->x, &sent, &received));
  CHECK(u->packs == (out - sent) * u->call && u->unpacks == (in - received) * u->call);
  CHECK(u->moves == (u->ops.where == EYOT_EXCHANGE_AT_SENDER ? sent : received) * u->call);
  OK(eyot_exchange_destroy(&u->x));
  CHECK(u->x.at.seg == 0);
  OK(eyot_sheap_free(u->source));
  OK(eyot_sheap_free(u->list));
  OK(eyot_sheap_free(u->target));
  free(u->send);
  free(u->recv);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 4,
           seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  static struct net net;
  me = eyot_me().id;
  n = eyot_size();
  shared_random = seed;
  own_random = seed * 1000 + me;
  for (uint64_t i = 0; i < rounds; i++) {
    struct use a, b;
    bool complete = draw(&shared_random) % 4 == 0;
    if (complete)
      net_complete(&net);
    else
      net_make(&net, &shared_random, me, n);
    for (uint32_t k = 0; k < 2; k++) {
      make(&a, &net, complete);
      make(&b, &net, complete);
      for (uint32_t c = 0; c < CALLS; c++) call(&a, &b);
      drop(&a);
      drop(&b);
    }
    if (!complete) OK(eyot_graph_destroy(&net.graph));
  }
  return finish();
}
