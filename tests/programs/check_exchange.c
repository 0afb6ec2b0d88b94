/* SPDX-License-Identifier: BSD-3-Clause */
/* check_exchange.c - small programs for eyotcheck: fused exchanges, each value checked.
 * check_exchange WHAT [rounds=N]. Values depend on the round: those of an earlier one are seen.
 *
 *   sender, receiver  a ring, moved by that one; the sender then changes its value
 *   packed    the same, packed: a member may be ahead of the next by some exchanges
 *   long      the same, each message longer than the space for it
 *   mixed     each to each, also to oneself; nodes decide which edges are moved
 *   all, all_packed  the same without a graph, moved by the receiver, or packed
 *   in_place  the same, from and to one place: packed, or swapped
 *   started   started and ended apart, with a barrier between
 *   ends      an exchange that is made, used once, and destroyed, again and again
 *   refused   a pack that asks for more than it has asked for, on one member */
#include <string.h>

#include "programs/api_check.h"

#define MOST 4u /* members */

struct test {
  uint32_t me, n, next, before;
  uint64_t round, rounds;
  bool last;
};
/* A value in memory that the node shares, for each member and direction. */
struct cell {
  uint64_t *out[MOST], *in[MOST];
};

static uint64_t value(const struct test *t, uint64_t from, uint64_t to) {
  return t->round * 10000 + from * 100 + to + 1;
}
static eyot_tunit_t tunit(uint32_t id) {
  return (eyot_tunit_t){id};
}

/* The blocks of both ends are pointers to a value. A message is the value, or several. */
static uint64_t pack(void *context, const void *send, void *buf, uint64_t space) {
  uint64_t times = *(const uint64_t *)context;
  const uint64_t *const *from = send;
  if (space < times * 8) return times * 8;
  for (uint64_t i = 0; i < times; i++) memcpy((char *)buf + 8 * i, *from, 8);
  return times * 8;
}
static void unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  uint64_t *const *to = recv;
  (void)context;
  memcpy(*to, (const char *)buf + bytes - 8, 8);
}
static void move(void *context, const void *send, const void *recv) {
  const uint64_t *const *from = send;
  uint64_t *const *to = recv;
  (void)context;
  **to = **from;
}

static uint64_t *shared(void) {
  void *p;
  OK(eyot_sheap_alloc(8, &p));
  memset(p, 0, 8);
  return p;
}

/* -- programs ---------------------------------------------------------------------------------- */

struct ring {
  eyot_graph_t g;
  eyot_exchange_t x;
  uint64_t *from, *to, times;
};

static void ring_make(const struct test *t, struct ring *r, eyot_exchange_where_t where,
                      uint64_t times, uint64_t space) {
  r->times = times;
  eyot_exchange_ops_t ops = {.pack = pack,
                             .unpack = unpack,
                             .fused = move,
                             .context = &r->times,
                             .where = where,
                             .send_bytes = sizeof(uint64_t *),
                             .recv_bytes = sizeof(uint64_t *),
                             .space_bytes = space};
  OK(eyot_graph_create(EYOT_TEAM_ALL, (eyot_tunit_t[]){tunit(t->before)}, 1,
                       (eyot_tunit_t[]){tunit(t->next)}, 1, &r->g));
  OK(eyot_exchange_create(r->g, &ops, &r->x));
  r->from = shared();
  r->to = shared();
}

static void ring_end(struct ring *r) {
  OK(eyot_exchange_destroy(&r->x));
  OK(eyot_graph_destroy(&r->g));
  OK(eyot_sheap_free(r->from));
  OK(eyot_sheap_free(r->to));
}

static void ring_set(const struct test *t, const struct ring *r) {
  *r->from = value(t, t->me, t->next);
  *r->to = 0;
}
static void ring_verify(const struct test *t, const struct ring *r) {
  EXPECT(*r->to == value(t, t->before, t->me));
  *r->from = *r->to = 7; /* both are the caller's */
}

static void ring_once(const struct test *t, eyot_exchange_where_t where, uint64_t times,
                      uint64_t space) {
  static struct ring r;
  if (t->round == 0) ring_make(t, &r, where, times, space);
  ring_set(t, &r);
  OK(eyot_exchange(r.x, &r.from, &r.to));
  ring_verify(t, &r);
  if (t->last) ring_end(&r);
}

static void sender(const struct test *t) {
  ring_once(t, EYOT_EXCHANGE_AT_SENDER, 1, 8);
}
static void receiver(const struct test *t) {
  ring_once(t, EYOT_EXCHANGE_AT_RECEIVER, 1, 8);
}
static void packed(const struct test *t) {
  ring_once(t, EYOT_EXCHANGE_PACKED, 1, 8);
}
static void long_one(const struct test *t) {
  ring_once(t, EYOT_EXCHANGE_PACKED, 3, 16);
}

/* graph: of these edges; NULL: none. */
static void each_to_each(const struct test *t, eyot_graph_t *graph, eyot_exchange_where_t where) {
  static struct cell c;
  static eyot_exchange_t x;
  static uint64_t times = 1;
  eyot_tunit_t all[MOST];
  for (uint32_t i = 0; i < t->n; i++) all[i] = tunit(i);
  if (t->round == 0) {
    eyot_exchange_ops_t ops = {.pack = pack,
                               .unpack = unpack,
                               .fused = move,
                               .context = &times,
                               .where = where,
                               .send_bytes = sizeof(uint64_t *),
                               .recv_bytes = sizeof(uint64_t *),
                               .space_bytes = 8};
    if (graph != NULL) OK(eyot_graph_create(EYOT_TEAM_ALL, all, t->n, all, t->n, graph));
    OK(graph != NULL ? eyot_exchange_create(*graph, &ops, &x)
                     : eyot_exchange_create_all(EYOT_TEAM_ALL, &ops, &x));
    for (uint32_t i = 0; i < t->n; i++) c.out[i] = shared(), c.in[i] = shared();
  }
  for (uint32_t i = 0; i < t->n; i++) *c.out[i] = value(t, t->me, i), *c.in[i] = 0;
  OK(eyot_exchange(x, c.out, c.in));
  for (uint32_t i = 0; i < t->n; i++) {
    EXPECT(*c.in[i] == value(t, i, t->me));
    *c.out[i] = *c.in[i] = 7;
  }
  if (!t->last) return;
  OK(eyot_exchange_destroy(&x));
  if (graph != NULL) OK(eyot_graph_destroy(graph));
  for (uint32_t i = 0; i < t->n; i++) {
    OK(eyot_sheap_free(c.out[i]));
    OK(eyot_sheap_free(c.in[i]));
  }
}

static void mixed(const struct test *t) {
  static eyot_graph_t g;
  each_to_each(t, &g, EYOT_EXCHANGE_AT_SENDER);
}
static void all(const struct test *t) {
  each_to_each(t, NULL, EYOT_EXCHANGE_AT_RECEIVER);
}
static void all_packed(const struct test *t) {
  each_to_each(t, NULL, EYOT_EXCHANGE_PACKED);
}

/* Two values for each member, in the place where its own come: the lower member's edge swaps the
 * first ones, the other edge the second ones. */
struct pair {
  uint64_t *at;
  uint32_t me;
};

static uint64_t pair_pack(void *context, const void *send, void *buf, uint64_t space) {
  const struct pair *from = send;
  (void)context;
  if (space >= 16) memcpy(buf, from->at, 16);
  return 16;
}
static void pair_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  const struct pair *to = recv;
  (void)context;
  memcpy(to->at, buf, bytes);
}
static void pair_swap(void *context, const void *send, const void *recv) {
  const struct pair *from = send, *to = recv;
  const uint32_t i = from->me > to->me;
  const uint64_t was = from->at[i];
  (void)context;
  from->at[i] = to->at[i];
  to->at[i] = was;
}

/* Messages of every other round are longer than their space. */
static void in_place(const struct test *t) {
  static struct pair p[MOST];
  static eyot_exchange_t x[2];
  for (uint32_t k = 0; t->round == 0 && k < 2; k++) {
    eyot_exchange_ops_t ops = {.pack = pair_pack,
                               .unpack = pair_unpack,
                               .fused = pair_swap,
                               .send_bytes = sizeof(struct pair),
                               .recv_bytes = sizeof(struct pair),
                               .space_bytes = 8 * (uint64_t)(k + 1)};
    OK(eyot_exchange_create_all(EYOT_TEAM_ALL, &ops, &x[k]));
  }
  for (uint32_t i = 0; i < t->n; i++) {
    void *memory = p[i].at;
    if (t->round == 0) OK(eyot_sheap_alloc(16, &memory));
    p[i] = (struct pair){memory, t->me};
    p[i].at[0] = value(t, t->me, i);
    p[i].at[1] = value(t, t->me, i) + 50;
  }
  if (t->round % t->n == t->me) OK(eyot_compute(20000)); /* others' messages are there before */
  OK(eyot_exchange(x[t->round % 2], p, p));
  for (uint32_t i = 0; i < t->n; i++) {
    EXPECT(p[i].at[0] == value(t, i, t->me));
    EXPECT(p[i].at[1] == value(t, i, t->me) + 50);
  }
  if (!t->last) return;
  for (uint32_t k = 0; k < 2; k++) OK(eyot_exchange_destroy(&x[k]));
  for (uint32_t i = 0; i < t->n; i++) OK(eyot_sheap_free(p[i].at));
}

static void started(const struct test *t) {
  static struct ring r;
  if (t->round == 0) ring_make(t, &r, EYOT_EXCHANGE_AT_RECEIVER, 1, 8);
  ring_set(t, &r);
  OK(eyot_exchange_start(r.x, &r.from, &r.to));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_exchange_wait(r.x));
  ring_verify(t, &r);
  if (t->last) ring_end(&r);
}

static void ends(const struct test *t) {
  struct ring r;
  ring_make(t, &r, (eyot_exchange_where_t)(t->round % 3), 1, 8);
  ring_set(t, &r);
  OK(eyot_exchange(r.x, &r.from, &r.to));
  ring_verify(t, &r);
  ring_end(&r);
}

/* The first member's pack wants one value more each time that it is asked. */
static uint64_t pack_more(void *context, const void *send, void *buf, uint64_t space) {
  uint64_t *times = context;
  (void)send;
  (void)buf;
  if (eyot_me().id != 0) return pack(context, send, buf, space);
  return ++*times * 8;
}

static void refused(const struct test *t) {
  static struct ring r;
  eyot_exchange_ops_t ops = {.pack = pack_more,
                             .unpack = unpack,
                             .context = &r.times,
                             .send_bytes = sizeof(uint64_t *),
                             .recv_bytes = sizeof(uint64_t *),
                             .space_bytes = 8};
  if (t->round == 0) {
    r.times = 1;
    OK(eyot_graph_create(EYOT_TEAM_ALL, (eyot_tunit_t[]){tunit(t->before)}, 1,
                         (eyot_tunit_t[]){tunit(t->next)}, 1, &r.g));
    OK(eyot_exchange_create(r.g, &ops, &r.x));
    r.from = shared();
    r.to = shared();
  }
  ring_set(t, &r);
  int rc = eyot_exchange(r.x, &r.from, &r.to);
  EXPECT(rc == (t->me == 0 || t->before == 0 ? EYOT_EMISMATCH : EYOT_OK));
  if (t->before != 0) EXPECT(*r.to == value(t, t->before, t->me));
  if (t->last) ring_end(&r);
}

static const struct {
  const char *name;
  void (*run)(const struct test *t);
} TESTS[] = {
    {"sender", sender}, {"receiver", receiver},     {"packed", packed},    {"long", long_one},
    {"mixed", mixed},   {"started", started},       {"ends", ends},        {"refused", refused},
    {"all", all},       {"all_packed", all_packed}, {"in_place", in_place}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size(), .rounds = 1};
  if (argc > 2 && strncmp(argv[2], "rounds=", 7) == 0) t.rounds = strtoull(argv[2] + 7, NULL, 10);
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || t.n > MOST) {
    if (t.me == 0) fputs("usage: check_exchange WHAT [rounds=N], of at most 4 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  t.next = (t.me + 1) % t.n;
  t.before = (t.me + t.n - 1) % t.n;
  for (t.round = 0; t.round < t.rounds; t.round++) {
    t.last = t.round + 1 == t.rounds;
    TESTS[i].run(&t);
  }
  return finish();
}
