/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_wrong.c - wrong uses of exchanges: each gets its error, on the members that should get
 * one, and afterwards exchanges work. With EYOT_ERRORS=return. exchange_wrong leak: releases
 * nothing; exchange_wrong stuck: unit 0 does not call. */
#include <string.h>

#include "programs/api_check.h"

static uint32_t me, n;
static eyot_tunit_t next, before;
static eyot_graph_t graph;
static eyot_exchange_t current;
static bool calls_itself;

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "exchange_wrong: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static uint64_t pack(void *context, const void *send, void *buf, uint64_t space) {
  (void)context;
  if (space < 8) return 8;
  memcpy(buf, send, 8);
  if (calls_itself) {
    bool done;
    expect("start inside", eyot_exchange_start(current, send, send), EYOT_EBUSY);
    expect("wait inside", eyot_exchange_wait(current), EYOT_EBUSY);
    expect("test inside", eyot_exchange_test(current, &done), EYOT_EBUSY);
    eyot_unit_t all = eyot_me();
    CHECK(all.id == me); /* other calls are allowed */
    OK(eyot_compute(10));
  }
  return 8;
}
static void unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  uint64_t *const *to = recv;
  (void)context;
  CHECK(bytes == 8);
  memcpy(*to, buf, 8);
}

static eyot_exchange_ops_t good(void) {
  return (eyot_exchange_ops_t){.pack = pack,
                               .unpack = unpack,
                               .where = EYOT_EXCHANGE_PACKED,
                               .send_bytes = 8,
                               .recv_bytes = sizeof(uint64_t *),
                               .space_bytes = 8};
}
static void works(eyot_exchange_t x) {
  uint64_t mine = me + 1, got = 0, *to = &got;
  expect("an exchange", eyot_exchange(x, &mine, &to), EYOT_OK);
  CHECK(got == before.id + 1);
}

/* Some member passes what is wrong: all members get the error, and nothing is left. */
static void creation(void) {
  eyot_exchange_t x = EYOT_EXCHANGE_NULL;
  eyot_exchange_ops_t ops = good();
  bool other = me == 1 || n == 1;
  expect("a null graph", eyot_exchange_create(EYOT_GRAPH_NULL, &ops, &x), EYOT_ESEG);
  expect("no functions", eyot_exchange_create(graph, other ? NULL : &ops, &x), EYOT_EINVAL);
  expect("no place", eyot_exchange_create(graph, &ops, other ? NULL : &x), EYOT_EINVAL);
  expect("no team", eyot_exchange_create_all((eyot_team_t){0}, &ops, &x), EYOT_ETEAM);
  expect("no functions for all", eyot_exchange_create_all(EYOT_TEAM_ALL, other ? NULL : &ops, &x),
         EYOT_EINVAL);
  ops.pack = other ? NULL : pack;
  expect("no pack", eyot_exchange_create(graph, &ops, &x), EYOT_EINVAL);
  ops = good();
  ops.unpack = other ? NULL : unpack;
  expect("no unpack", eyot_exchange_create(graph, &ops, &x), EYOT_EINVAL);
  ops = good();
  ops.where = (eyot_exchange_where_t)(other ? 7 : 0);
  expect("nowhere", eyot_exchange_create(graph, &ops, &x), EYOT_EINVAL);
  ops = good();
  ops.send_bytes = other ? EYOT_EXCHANGE_BLOCK_MAX + 1 : 8;
  expect("a large block", eyot_exchange_create(graph, &ops, &x), EYOT_EINVAL);
  ops = good();
  ops.space_bytes = other ? UINT64_MAX : 8;
  expect("a large space", eyot_exchange_create(graph, &ops, &x), EYOT_EINVAL);
  ops.space_bytes = UINT64_C(1) << 40;
  expect("no memory", eyot_exchange_create(graph, &ops, &x), EYOT_ENOMEM);
  expect("no memory for all", eyot_exchange_create_all(EYOT_TEAM_ALL, &ops, &x), EYOT_ENOMEM);
  if (n > 1) {
    ops = good();
    ops.recv_bytes = other ? 16 : 8;
    expect("blocks that differ", eyot_exchange_create(graph, &ops, &x), EYOT_EMISMATCH);
    ops = good();
    ops.where = other ? EYOT_EXCHANGE_PACKED : EYOT_EXCHANGE_AT_SENDER;
    expect("places that differ", eyot_exchange_create(graph, &ops, &x), EYOT_EMISMATCH);
  }
  CHECK(x.at.seg == 0);
}

static void calls(eyot_exchange_t x) {
  uint64_t mine = me + 1, got = 0, *to = &got;
  uint32_t sent, received;
  bool done;
  expect("send NULL", eyot_exchange(x, NULL, &to), EYOT_EINVAL);
  expect("recv NULL", eyot_exchange_start(x, &mine, NULL), EYOT_EINVAL);
  expect("not started", eyot_exchange_wait(x), EYOT_ESTATE);
  expect("test of none", eyot_exchange_test(x, &done), EYOT_ESTATE);
  expect("edges of NULL", eyot_exchange_edges(x, NULL, &received), EYOT_EINVAL);
  expect("edges", eyot_exchange_edges(x, &sent, &received), EYOT_OK);
  CHECK(sent == 0 && received == 0);
  expect("a start", eyot_exchange_start(x, &mine, &to), EYOT_OK);
  expect("a second start", eyot_exchange_start(x, &mine, &to), EYOT_EBUSY);
  expect("test into NULL", eyot_exchange_test(x, NULL), EYOT_EINVAL);
  if (n > 1) expect("a graph that is used", eyot_graph_destroy(&graph), EYOT_EBUSY);
  expect("a wait", eyot_exchange_wait(x), EYOT_OK);
  CHECK(got == before.id + 1);
  if (me == 0) expect("a start", eyot_exchange_start(x, &mine, &to), EYOT_OK);
  eyot_exchange_t busy = x;
  expect("the end while one is started", eyot_exchange_destroy(&busy), EYOT_EBUSY);
  if (me != 0) expect("a start", eyot_exchange_start(x, &mine, &to), EYOT_OK);
  expect("a wait", eyot_exchange_wait(x), EYOT_OK);
  calls_itself = true;
  works(x);
  calls_itself = false;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  next = (eyot_tunit_t){(me + 1) % n};
  before = (eyot_tunit_t){(me + n - 1) % n};
  OK(eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &next, 1, &graph));
  creation();
  eyot_exchange_ops_t ops = good();
  eyot_exchange_t old, other;
  OK(eyot_exchange_create(graph, &ops, &current));
  if (argc > 1 && strcmp(argv[1], "leak") == 0) return finish();
  if (argc > 1 && strcmp(argv[1], "left") == 0) {
    static uint64_t mine, got, *to = &got;
    OK(eyot_exchange_start(current, &mine, &to));
    return finish();
  }
  if (argc > 1 && strcmp(argv[1], "stuck") == 0) {
    if (me != 0) works(current);
    return finish();
  }
  calls(current);
  OK(eyot_exchange_create(graph, &ops, &other));
  if (n > 1) {
    eyot_exchange_t one = me == 0 ? current : other;
    expect("ends that differ", eyot_exchange_destroy(&one), EYOT_EMISMATCH);
  }
  works(other);
  OK(eyot_exchange_destroy(&other));
  works(current);
  old = current;
  OK(eyot_exchange_destroy(&current));
  expect("the end, again", eyot_exchange_destroy(&current), EYOT_ESEG);
  expect("the end of NULL", eyot_exchange_destroy(NULL), EYOT_EINVAL);
  expect("what was destroyed", eyot_exchange(old, &me, &me), EYOT_ESEG);
  OK(eyot_graph_destroy(&graph));
  return finish();
}
