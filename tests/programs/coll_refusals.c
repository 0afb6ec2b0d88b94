/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_refusals.c - members of a team call two functions, and each refuses what it was passed, on
 * all members: the error is that the functions differ (EYOT_EMISMATCH, on all), not that of one of
 * the refusals. Members of one function get its own error. The team works after it. With
 * EYOT_ERRORS=return; coll_refusals check: also collectives, which compare under EYOT_CHECK. */
#include <string.h>

#include "programs/api_check.h"

struct world {
  eyot_team_t team;
  eyot_graph_t graph; /* which an exchange uses */
  eyot_exchange_t exchange;
  eyot_gptr_t at;
};
static const eyot_tunit_t ROOT = {0};

static uint64_t pack_nothing(void *context, const void *send, void *buf, uint64_t space) {
  (void)context, (void)send, (void)buf, (void)space;
  return 0;
}
static void unpack_nothing(void *context, const void *recv, const void *buf, uint64_t bytes) {
  (void)context, (void)recv, (void)buf, (void)bytes;
}
static const eyot_exchange_ops_t OPS = {
    .pack = pack_nothing, .unpack = unpack_nothing, .where = EYOT_EXCHANGE_PACKED};

static int own_gather(struct world *w) {
  uint64_t bytes[1];
  return eyot_own_gather(w->team, ROOT, NULL, 0, NULL, bytes);
}
static int own_scatter(struct world *w) {
  uint64_t bytes[1];
  return eyot_own_scatter(w->team, ROOT, NULL, bytes, NULL, bytes);
}
static int own_alltoall(struct world *w) {
  return eyot_own_alltoall(w->team, NULL, NULL);
}
static int graph_create(struct world *w) {
  return eyot_graph_create(w->team, NULL, 0, NULL, 0, NULL);
}
static int graph_destroy(struct world *w) {
  return eyot_graph_destroy(&w->graph);
}
static int exchange_create(struct world *w) {
  return eyot_exchange_create(w->graph, NULL, NULL);
}
static int exchange_create_all(struct world *w) {
  return eyot_exchange_create_all(w->team, NULL, NULL);
}
static int lock_create(struct world *w) {
  return eyot_lock_create(w->team, NULL, NULL);
}
static int pscw_create(struct world *w) {
  return eyot_pscw_create(w->team, NULL, NULL);
}
static int counter_create(struct world *w) {
  return eyot_counter_create(w->team, 1, NULL);
}
static int alloc(struct world *w) {
  return eyot_team_alloc(w->team, 64, NULL);
}
static int team_create(struct world *w) {
  return eyot_team_create(w->team, NULL, NULL);
}
static int dynamic_create(struct world *w) {
  return eyot_dynamic_create(w->team, NULL, NULL);
}
static int team_destroy(struct world *w) {
  return eyot_team_destroy(&w->team);
}
static int barrier(struct world *w) {
  return eyot_barrier(w->team);
}
static int fence(struct world *w) {
  return eyot_fence(w->at);
}
static int broadcast(struct world *w) {
  return eyot_broadcast(w->team, (eyot_tunit_t){eyot_size()}, NULL, 8);
}
static int allreduce(struct world *w) {
  return eyot_allreduce(w->team, EYOT_UINT64, EYOT_SUM, NULL, NULL, 1);
}

static const struct entry {
  const char *name;
  int (*call)(struct world *w);
  int alone;        /* what all get if all call it */
  const char *same; /* functions of one name are one */
} TABLE[] = {
    {"own_gather", own_gather, EYOT_EINVAL, NULL},
    {"own_scatter", own_scatter, EYOT_EINVAL, NULL},
    {"own_alltoall", own_alltoall, EYOT_EINVAL, NULL},
    {"graph_create", graph_create, EYOT_EINVAL, NULL},
    {"graph_destroy", graph_destroy, EYOT_EBUSY, NULL},
    {"exchange_create", exchange_create, EYOT_EINVAL, "exchange"},
    {"exchange_create_all", exchange_create_all, EYOT_EINVAL, "exchange"},
    {"lock_create", lock_create, EYOT_EINVAL, NULL},
    {"pscw_create", pscw_create, EYOT_EINVAL, NULL},
    {"counter_create", counter_create, EYOT_EINVAL, NULL},
    {"alloc", alloc, EYOT_EINVAL, NULL},
    {"team_create", team_create, EYOT_EINVAL, NULL},
    {"dynamic_create", dynamic_create, EYOT_EINVAL, NULL},
    {"team_destroy", team_destroy, EYOT_EBUSY, NULL},
    {"barrier", barrier, EYOT_OK, NULL},
    {"fence", fence, EYOT_OK, NULL},
    {"broadcast", broadcast, EYOT_EUNIT, NULL}, /* the last two: under EYOT_CHECK */
    {"allreduce", allreduce, EYOT_EINVAL, NULL},
};
#define ENTRIES (sizeof TABLE / sizeof *TABLE)

static bool is_one(const struct entry *x, const struct entry *y) {
  return x == y || (x->same != NULL && y->same != NULL && strcmp(x->same, y->same) == 0);
}

/* Member 0 calls y, or only the last one does. */
static void pair(struct world *w, const struct entry *x, const struct entry *y, bool last) {
  uint32_t odd = last ? eyot_size() - 1 : 0, me = eyot_me().id;
  int rc = me == odd ? y->call(w) : x->call(w);
  int want = is_one(x, y) ? x->alone : EYOT_EMISMATCH;
  if (rc != want) {
    fprintf(stderr, "coll_refusals: unit %u: %s beside %s: %s, expected %s\n", me, x->name, y->name,
            eyot_strerror(rc), eyot_strerror(want));
    eyot_abort(1, "another error than expected");
  }
  OK(eyot_barrier(w->team));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  size_t n = argc > 1 && strcmp(argv[1], "check") == 0 ? ENTRIES : ENTRIES - 2;
  struct world w;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &w.team));
  OK(eyot_graph_create(w.team, NULL, 0, NULL, 0, &w.graph));
  OK(eyot_exchange_create(w.graph, &OPS, &w.exchange));
  OK(eyot_team_alloc(w.team, 64, &w.at));
  for (size_t x = 0; x < n; x++)
    for (size_t y = 0; y < n; y++) pair(&w, &TABLE[x], &TABLE[y], (x + y) % 2 != 0);
  OK(eyot_exchange_destroy(&w.exchange));
  OK(eyot_graph_destroy(&w.graph));
  OK(eyot_team_free(w.at));
  OK(eyot_team_destroy(&w.team));
  eyot_errors_clear();
  return finish();
}
