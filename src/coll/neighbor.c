/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.c - the neighbourhood collectives of eyot/neighbor.h in their three forms: checks of
 * arguments, and the life of a call (neighbor.h). neighbor_run.c carries them out. */
#include "coll/neighbor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coll/several.h"
#include "rt/observe.h"

/* -- the life of a call ------------------------------------------------------------------------ */

/* Between two calls to the fabric: without calls under way nothing is watched. */
static void unwatch(struct eyoti_graph *g) {
  if (!g->watched || g->line.head != NULL) return;
  eyoti_watch_remove(g->rt, &g->line.watch);
  g->watched = false;
}

static int refuse_more(const struct eyoti_graph *g) {
  if (g->outstanding < EYOTI_OUTSTANDING) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EBUSY, "%u calls on the graph are outstanding: complete one first",
                    EYOTI_OUTSTANDING);
}

/* Calls of a graph have an order of their own, and members make them in any form. */
static void observe_call(const struct eyoti_exchange *x) {
  const struct eyoti_graph *g = x->g;
  eyot_gptr_t at = g->name.at; /* the same on all members; no segment has the number 0 */
  if (!g->rt->observed) return;
  eyoti_observe_collective_now(
      g->rt, &(struct fab_collective){
                 .set = g->t->units,
                 .team = g->t->handle.id,
                 .members = g->t->size,
                 .root = FAB_COLLECTIVE_NONE,
                 .line = (uint64_t)at.seg << 32 | (uint64_t)at.gen << 16 | at.offset >> 48,
                 .function = eyoti_coll_name(x->function)});
}

/* What is the same in each form and start. */
static int enter(const struct eyoti_exchange *x) {
  const struct eyoti_graph *g = x->g;
  observe_call(x);
  EYOTI_TRY(eyoti_team_begin(g->rt, g->t, EYOTI_WORDS_GRAPH));
  if (x->refused != EYOT_OK) return EYOT_OK;
  if (x->from.extent > 0) eyoti_observe_reads(g->rt, x->from.base, x->from.extent);
  if (x->to.extent > 0) eyoti_observe_writes(g->rt, x->to.base, x->to.extent);
  return EYOT_OK;
}

/* Whether a call that goes on inside others can start. */
static int refuse_start(const struct eyoti_graph *g) {
  if (eyoti_team_is_apart(g->t)) return eyoti_team_refuse_apart(g->t);
  EYOTI_TRY(refuse_more(g));
  return eyoti_watch_reserve(g->rt, 1);
}

static void start_inside(struct eyoti_exchange *x) {
  struct eyoti_graph *g = x->g;
  (void)enter(x); /* refuse_start has looked */
  g->outstanding++;
  bool first = g->line.head == NULL;
  eyoti_exchange_start(x);
  if (!g->watched) eyoti_watch_add(g->rt, &g->line.watch);
  g->watched = true;
  if (first) eyoti_line_advance(&g->line, false);
}

static struct eyoti_exchange *exchange_of(struct eyoti_other *o) {
  return (struct eyoti_exchange *)(void *)o;
}

static int plan_start(struct eyoti_other *o) {
  EYOTI_TRY(refuse_start(exchange_of(o)->g));
  start_inside(exchange_of(o));
  return EYOT_OK;
}
static void exchange_completed(struct eyoti_other *o) {
  struct eyoti_graph *g = exchange_of(o)->g;
  g->outstanding--;
  unwatch(g);
}
static void exchange_free(struct eyoti_exchange *x) {
  free(x->from.bytes);
  free(x->to.bytes);
  free(x);
}
static void exchange_drop(struct eyoti_other *o) {
  struct eyoti_exchange *x = exchange_of(o);
  x->g->handles--;
  exchange_free(x);
}

/* A call of its own until it is over. Of refused arguments it tells the neighbours. */
static int run(struct eyoti_exchange *x) {
  struct eyoti_line *l = &x->g->line;
  EYOTI_TRY(enter(x));
  eyoti_exchange_start(x);
  while (!x->other.work.over) eyoti_line_advance(l, true);
  unwatch(x->g);
  if (x->other.work.rc == EYOT_OK && x->to.extent > 0)
    eyoti_observe_writes(x->g->rt, x->to.base, x->to.extent);
  return x->other.work.rc;
}

/* Makes the handle of a call that goes on inside others, and starts it unless it is a plan. */
static int give(struct eyoti_exchange *x, struct eyoti_coll_how how) {
  struct eyoti_graph *g = x->g;
  bool plan = how.form == EYOTI_COLL_PERSISTENT;
  if (!plan) EYOTI_TRY(refuse_start(g));
  struct eyoti_exchange *kept = malloc(sizeof *kept);
  if (kept == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a call on a graph");
  *kept = *x;
  kept->other = (struct eyoti_other){.line = &g->line,
                                     .start = plan_start,
                                     .completed = exchange_completed,
                                     .drop = exchange_drop};
  struct eyoti_coll_call c = {.args = {.function = x->function, .form = how.form},
                              .out = x->to.base,
                              .writes = x->to.extent};
  eyot_coll_t handle;
  int rc = eyoti_lane_other(g->rt, g->t, &c, &kept->other, &handle);
  if (rc != EYOT_OK) {
    free(kept);
    return rc;
  }
  x->from.bytes = x->to.bytes = NULL;
  g->handles++;
  *how.handle = handle;
  if (!plan) start_inside(kept);
  return EYOT_OK;
}

/* A call in any form, whose arguments were checked. */
static int exchange(struct eyoti_exchange *x, struct eyoti_coll_how how) {
  bool inside = how.form != EYOTI_COLL_BLOCKING;
  int rc;
  if (x->refused == EYOT_OK && inside && how.handle == NULL)
    x->refused = EYOTI_FAIL(EYOT_EINVAL, "handle is NULL, expected a place for it");
  if (how.form == EYOTI_COLL_PERSISTENT && x->refused != EYOT_OK)
    rc = x->refused;
  else if (inside && x->refused == EYOT_OK)
    rc = give(x, how);
  else
    rc = run(x);
  free(x->from.bytes);
  free(x->to.bytes);
  return rc;
}

/* -- buffers ----------------------------------------------------------------------------------- */

/* n blocks of one length; stride 0: one block for all. Errors (logged): EINVAL. */
static int blocks_equal(struct eyoti_graph_blocks *b, const void *buffer, uint32_t n, uint64_t len,
                        uint64_t stride, const char *name) {
  uint64_t blocks = stride > 0 ? n : 1, extent;
  if (n == 0) len = 0;
  if (__builtin_mul_overflow(len, blocks, &extent) || extent > EYOTI_COLL_BYTES_MOST)
    return EYOTI_FAIL(EYOT_EINVAL, "%u blocks of %" PRIu64 " bytes are more than memory can hold",
                      n, len);
  *b = (struct eyoti_graph_blocks){
      .base = (char *)(uintptr_t)buffer, .len = len, .stride = stride, .extent = extent};
  return eyoti_several_null(buffer, extent, name);
}

/* n blocks of several lengths, whose arrays are copied. Errors (logged): EINVAL, ENOMEM. */
static int blocks_several(struct eyoti_graph_blocks *b, const void *buffer, uint32_t n,
                          const uint64_t *sizes, const uint64_t *at, bool apart, const char *name,
                          const char *sizes_name) {
  struct eyoti_several s;
  *b = (struct eyoti_graph_blocks){.base = (char *)(uintptr_t)buffer};
  if (n == 0) return EYOT_OK;
  EYOTI_TRY(eyoti_several_make(&s, n, sizes, at, 1, apart, sizes_name));
  b->bytes = eyoti_several_take(&s, n);
  if (b->bytes == NULL) return EYOT_ENOMEM;
  b->at = b->bytes + n;
  b->extent = s.extent;
  return eyoti_several_null(buffer, s.extent, name);
}

/* Blocks of one length lie in a row, as one. */
static struct eyoti_placed placed(const struct eyoti_graph_blocks *b, uint32_t n) {
  static const uint64_t first = 0;
  if (b->bytes != NULL) return (struct eyoti_placed){b->base, b->bytes, b->at, n, b->extent};
  return (struct eyoti_placed){b->base, &b->extent, &first, 1, b->extent};
}

static int blocks_apart(const struct eyoti_exchange *x) {
  const struct eyoti_placed from = placed(&x->from, x->g->destinations);
  const struct eyoti_placed to = placed(&x->to, x->g->sources);
  return eyoti_several_meet(&from, &to);
}

/* -- the functions ----------------------------------------------------------------------------- */

static int exchange_new(struct eyot_rt *rt, eyot_graph_t graph, enum eyoti_coll_function function,
                        struct eyoti_exchange *x) {
  *x = (struct eyoti_exchange){.function = function};
  return eyoti_graph_find(rt, graph, &x->g);
}

static int allgather(struct eyot_rt *rt, eyot_graph_t graph, const void *send, void *recv,
                     uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_exchange x;
  EYOTI_TRY(exchange_new(rt, graph, EYOTI_COLL_NEIGHBOR_ALLGATHER, &x));
  x.refused = blocks_equal(&x.from, send, x.g->destinations, bytes, 0, "send");
  if (x.refused == EYOT_OK)
    x.refused = blocks_equal(&x.to, recv, x.g->sources, bytes, bytes, "recv");
  if (x.refused == EYOT_OK) x.refused = blocks_apart(&x);
  return exchange(&x, how);
}

static int alltoall(struct eyot_rt *rt, eyot_graph_t graph, const void *send, void *recv,
                    uint64_t bytes, struct eyoti_coll_how how) {
  struct eyoti_exchange x;
  EYOTI_TRY(exchange_new(rt, graph, EYOTI_COLL_NEIGHBOR_ALLTOALL, &x));
  x.refused = blocks_equal(&x.from, send, x.g->destinations, bytes, bytes, "send");
  if (x.refused == EYOT_OK)
    x.refused = blocks_equal(&x.to, recv, x.g->sources, bytes, bytes, "recv");
  if (x.refused == EYOT_OK) x.refused = blocks_apart(&x);
  return exchange(&x, how);
}

static int allgatherv(struct eyot_rt *rt, eyot_graph_t graph, const void *send, uint64_t bytes,
                      void *recv, const uint64_t *recv_sizes, const uint64_t *recv_at,
                      struct eyoti_coll_how how) {
  struct eyoti_exchange x;
  EYOTI_TRY(exchange_new(rt, graph, EYOTI_COLL_NEIGHBOR_ALLGATHERV, &x));
  x.refused = blocks_equal(&x.from, send, x.g->destinations, bytes, 0, "send");
  if (x.refused == EYOT_OK)
    x.refused =
        blocks_several(&x.to, recv, x.g->sources, recv_sizes, recv_at, true, "recv", "recv_sizes");
  if (x.refused == EYOT_OK) x.refused = blocks_apart(&x);
  return exchange(&x, how);
}

/* The arguments of alltoallv. */
struct vectors {
  const void *send;
  const uint64_t *send_sizes, *send_at;
  void *recv;
  const uint64_t *recv_sizes, *recv_at;
};
static int alltoallv(struct eyot_rt *rt, eyot_graph_t graph, const struct vectors *v,
                     struct eyoti_coll_how how) {
  struct eyoti_exchange x;
  EYOTI_TRY(exchange_new(rt, graph, EYOTI_COLL_NEIGHBOR_ALLTOALLV, &x));
  x.refused = blocks_several(&x.from, v->send, x.g->destinations, v->send_sizes, v->send_at, false,
                             "send", "send_sizes");
  if (x.refused == EYOT_OK)
    x.refused = blocks_several(&x.to, v->recv, x.g->sources, v->recv_sizes, v->recv_at, true,
                               "recv", "recv_sizes");
  if (x.refused == EYOT_OK) x.refused = blocks_apart(&x);
  return exchange(&x, how);
}

int eyot_neighbor_allgather(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  return allgather(rt, graph, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_neighbor_allgather_nb(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes,
                               eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgather(rt, graph, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_neighbor_allgather_plan(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes,
                                 eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgather(rt, graph, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_neighbor_alltoall(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes) {
  EYOTI_ENTER(rt);
  return alltoall(rt, graph, send, recv, bytes, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_neighbor_alltoall_nb(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes,
                              eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoall(rt, graph, send, recv, bytes, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_neighbor_alltoall_plan(eyot_graph_t graph, const void *send, void *recv, uint64_t bytes,
                                eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return alltoall(rt, graph, send, recv, bytes, EYOTI_HOW(PERSISTENT, handle));
}

int eyot_neighbor_allgatherv(eyot_graph_t graph, const void *send, uint64_t bytes, void *recv,
                             const uint64_t *recv_sizes, const uint64_t *recv_at) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, graph, send, bytes, recv, recv_sizes, recv_at, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_neighbor_allgatherv_nb(eyot_graph_t graph, const void *send, uint64_t bytes, void *recv,
                                const uint64_t *recv_sizes, const uint64_t *recv_at,
                                eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, graph, send, bytes, recv, recv_sizes, recv_at,
                    EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_neighbor_allgatherv_plan(eyot_graph_t graph, const void *send, uint64_t bytes, void *recv,
                                  const uint64_t *recv_sizes, const uint64_t *recv_at,
                                  eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return allgatherv(rt, graph, send, bytes, recv, recv_sizes, recv_at,
                    EYOTI_HOW(PERSISTENT, handle));
}

int eyot_neighbor_alltoallv(eyot_graph_t graph, const void *send, const uint64_t *send_sizes,
                            const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                            const uint64_t *recv_at) {
  EYOTI_ENTER(rt);
  struct vectors v = {send, send_sizes, send_at, recv, recv_sizes, recv_at};
  return alltoallv(rt, graph, &v, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_neighbor_alltoallv_nb(eyot_graph_t graph, const void *send, const uint64_t *send_sizes,
                               const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                               const uint64_t *recv_at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  struct vectors v = {send, send_sizes, send_at, recv, recv_sizes, recv_at};
  return alltoallv(rt, graph, &v, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_neighbor_alltoallv_plan(eyot_graph_t graph, const void *send, const uint64_t *send_sizes,
                                 const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                                 const uint64_t *recv_at, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  struct vectors v = {send, send_sizes, send_at, recv, recv_sizes, recv_at};
  return alltoallv(rt, graph, &v, EYOTI_HOW(PERSISTENT, handle));
}
