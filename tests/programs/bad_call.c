/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_call.c - makes calls at the wrong time or with invalid arguments: bad_call WAY. Every unit
 * gets the documented error, no state remains from the call, and the run ends well, but for
 * never_inits, before_counted and after_counted, whose exit code is 7; the tests check the
 * output. */
#include <string.h>

#include "programs/api_check.h"

#define MIB ((uint64_t)1 << 20)

static void before(void) {
  eyot_gptr_t g = EYOT_GPTR_NULL;
  uint64_t word = 0;
  CHECK(!eyot_initialized() && eyot_size() == 0 && eyot_me().id == UINT32_MAX &&
        strcmp(eyot_fabric_name(), "none") == 0);
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_ESTATE);
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &g) == EYOT_ESTATE && eyot_alloc(8, &g) == EYOT_ESTATE);
  CHECK(eyot_put(g, &word, 8) == EYOT_ESTATE && eyot_get(&word, g, 8) == EYOT_ESTATE);
  CHECK(eyot_fetch_add_u64(g, 1, &word) == EYOT_ESTATE && eyot_compute(1) == EYOT_ESTATE &&
        eyot_finalize() == EYOT_ESTATE);
}

/* The function that programs called before eyot_init was inline. */
extern int older_init(int *argc, char ***argv) __asm__("eyot_init");

/* Programs with headers of an older and of a newer version. eyot_init refuses them first, so that
 * the message can be clear; the inline operations of both find no mapped memory. */
static void versions(void) {
  CHECK(older_init(NULL, NULL) == EYOT_EFABRIC);
  CHECK(eyoti_init_call(NULL, NULL, EYOTI_FAST_ABI + 1) == EYOT_EFABRIC);
  CHECK(!eyot_initialized());
}
/* The counts that inline operations of ABI 1 and 2 read: units that are mapped, and units mapped
 * for atomics. */
static void older_inline(void) {
  uint32_t mapped, atomic;
  memcpy(&mapped, (const char *)eyot_current + 8, sizeof mapped);
  memcpy(&atomic, (const char *)eyot_current + 32, sizeof atomic);
  CHECK(mapped == 0 && atomic == 0);
}

static void mismatch(void) {
  eyot_gptr_t g;
  eyot_group_t *group;
  eyot_team_t team;
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, 100 + eyot_me().id, &g) == EYOT_EMISMATCH);
  OK(eyot_group_range(0, 1 + eyot_me().id, 1, &group));
  CHECK(eyot_team_create(EYOT_TEAM_ALL, group, &team) == EYOT_EMISMATCH);
  eyot_group_free(group);
}

/* One unit requests more than its heap can hold, then all do, then all allocate until it is full;
 * afterwards the heap is as large as before. */
static void heap(void) {
  eyot_gptr_t g[64];
  eyot_heap_info_t at_first, at_last;
  uint32_t n = 0;
  OK(eyot_heap_info(&at_first));
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, at_first.most + MIB, &g[0]) == EYOT_ENOMEM);
  CHECK(eyot_alloc(at_first.most + MIB, &g[0]) == EYOT_ENOMEM &&
        eyot_alloc(UINT64_MAX, &g[0]) == EYOT_ENOMEM);
  int rc;
  while ((rc = eyot_team_alloc(EYOT_TEAM_ALL, at_first.most / 10, &g[n])) == EYOT_OK) n++;
  CHECK(rc == EYOT_ENOMEM && n >= 8 && n <= 10);
  while (n > 0) OK(eyot_team_free(g[--n]));
  eyot_gptr_t filler;
  if (eyot_me().id == 0) OK(eyot_alloc(at_first.most / 2, &filler));
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, at_first.most / 4 * 3, &g[0]) == EYOT_ENOMEM);
  if (eyot_me().id == 0) OK(eyot_free(filler));
  OK(eyot_heap_info(&at_last));
  CHECK(at_last.largest_free == at_first.largest_free &&
        at_last.collective_used == at_first.collective_used);
}

static void collective(void) {
  double in[4] = {1, 2, 3, 4}, out[4] = {9, 9, 9, 9};
  eyot_tunit_t own = {eyot_me().id};
  /* Each takes itself for the root, so that none receives: the next allreduce tells all. */
  int rc = eyot_broadcast(EYOT_TEAM_ALL, own, in, sizeof in);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, in, out, 4) == EYOT_EMISMATCH);
  rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, in, 8 + 8 * (eyot_me().id & 1));
  CHECK(rc == EYOT_EMISMATCH || (rc == EYOT_OK && (eyot_me().id & 1) == 0));
  rc = eyot_reduce(EYOT_TEAM_ALL, own, EYOT_DOUBLE, EYOT_SUM, in, out, 4);
  CHECK(rc == EYOT_OK || rc == EYOT_EMISMATCH);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, in, out, 4) == EYOT_EMISMATCH);
  out[0] = out[3] = 9;
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_BXOR, in, out, 4) == EYOT_EINVAL);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, (eyot_type_t)77, EYOT_SUM, in, out, 4) == EYOT_EINVAL);
  CHECK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){eyot_size()}, in, 8) == EYOT_EUNIT);
  CHECK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, in, UINT64_C(1) << 60) == EYOT_EINVAL);
  CHECK(eyot_barrier(EYOT_TEAM_NULL) == EYOT_ETEAM &&
        eyot_barrier((eyot_team_t){0xdeadbeef}) == EYOT_ETEAM);
  CHECK(in[0] == 1 && in[3] == 4 && out[0] == 9 && out[3] == 9);
  /* The refused broadcast was the same on all. */
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, in, out, 4));
  CHECK(out[3] == 4.0 * eyot_size());
}

static void long_message(void) {
  uint64_t b = 0;
  eyot_tunit_t next = {(eyot_me().id + 1) % eyot_size()};
  CHECK(eyot_send(EYOT_TEAM_ALL, next, 1, &b, UINT64_C(1) << 62) == EYOT_EINVAL);
}

/* Buffers that overlap otherwise than in place; in place is right. */
static void overlap(void) {
  uint64_t b[64] = {0}, word = 1;
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_coll_t plan;
  CHECK(n <= 16);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, b, b + 1, 2) == EYOT_EINVAL);
  CHECK(eyot_allreduce_plan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, b, b + 1, 2, &plan) ==
        EYOT_EINVAL);
  CHECK(eyot_alltoall(EYOT_TEAM_ALL, b, b + 1, 8) == EYOT_EINVAL);
  CHECK(eyot_allgather(EYOT_TEAM_ALL, b + (me + 1) % n, b, 8) == EYOT_EINVAL || n == 1);
  int rc = eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, b + 1, b, 8);
  CHECK(me == 0 ? rc == EYOT_EINVAL : rc == EYOT_OK || rc == EYOT_EMISMATCH);
  rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &word, &word, 1);
  CHECK(rc == EYOT_EMISMATCH); /* of the gather */
  eyot_tunit_t self = {me};
  CHECK(eyot_sendrecv(EYOT_TEAM_ALL, self, 1, b, 16, self, 1, b + 1, 8, NULL) == EYOT_EINVAL);
  CHECK(eyot_sendrecv(EYOT_TEAM_ALL, self, 1, b + 1, 8, self, 1, b, 16, NULL) == EYOT_EINVAL);
  OK(eyot_sendrecv(EYOT_TEAM_ALL, self, 1, &word, 8, self, 1, b + 1, 8, NULL));
  OK(eyot_sendrecv(EYOT_TEAM_ALL, self, 1, b + 1, 8, self, 1, b + 2, 8, NULL));
  CHECK(b[2] == word);
  b[me] = 100 + me;
  OK(eyot_allgather(EYOT_TEAM_ALL, b + me, b, 8));
  for (uint32_t u = 0; u < n; u++) CHECK(b[u] == 100 + u);
  OK(eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){0}, b + me, b, 8));
  for (uint32_t u = 0; u < n; u++) CHECK(b[u] == 100 + u);
}

/* Memory that one unit alone has is no target of a collective on global memory. */
static void elsewhere(void) {
  eyot_gptr_t all, own;
  uint64_t word = 5;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &all));
  OK(eyot_alloc(8, &own));
  OK(eyot_put(own, &word, 8));
  eyot_gptr_t first = own;
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &first, sizeof first));
  CHECK(eyot_global_broadcast(EYOT_TEAM_ALL, first, eyot_gptr_at(all, (eyot_unit_t){0}), 8, 0) ==
        EYOT_ESEG);
  OK(eyot_get(&word, own, 8));
  CHECK(word == 5);
  OK(eyot_free(own));
  OK(eyot_team_free(all));
}

/* An operator must not call eyot: that is a mistake as any other. */
static void calling(void *out, const void *left, const void *right, uint64_t n, void *context) {
  (void)left, (void)right, (void)n, (void)out;
  *(int *)context = eyot_barrier(EYOT_TEAM_ALL);
}
static void in_operator(void) {
  int code = EYOT_ESTATE;
  uint64_t one = 1, sum;
  eyot_op_t op;
  OK(eyot_op_create(calling, &code, 8, true, &op));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, op, &one, &sum, 1));
  CHECK(code == EYOT_ESTATE);
  OK(eyot_op_free(&op));
  uint64_t mistakes = eyot_errors_clear();
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mistakes, &sum, 1));
  CHECK(sum > 0 || eyot_size() == 1);
}

/* A collective that is not completed, and a plan that is not freed: eyot_finalize names both. */
static void left(void) {
  static uint64_t in, out[2];
  eyot_coll_t started, plan;
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &in, &out[0], 1, &started));
  OK(eyot_allreduce_plan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &in, &out[1], 1, &plan));
}

/* Messages say what the function takes, in the units of its arguments. */
static void said(void) {
  uint64_t b[64] = {0}, r[256];
  bool any;
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, NULL, r, 2) == EYOT_EINVAL);
  CHECK(eyot_all(EYOT_TEAM_ALL, true, NULL) == EYOT_EINVAL);
  CHECK(eyot_any(EYOT_TEAM_ALL, true, NULL) == EYOT_EINVAL);
  CHECK(eyot_allgather(EYOT_TEAM_ALL, b, r, 8 + 8 * (eyot_me().id & 1)) == EYOT_EMISMATCH);
  OK(eyot_any(EYOT_TEAM_ALL, eyot_me().id == 0, &any));
  CHECK(any);
}

static void argument(void) {
  eyot_gptr_t g;
  eyot_handle_t handle = {0xdeadbeef12345};
  uint64_t word = 0;
  CHECK(eyot_team_alloc(EYOT_TEAM_ALL, 0, &g) == EYOT_EINVAL && eyot_alloc(0, &g) == EYOT_EINVAL);
  CHECK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, 8, 3, &g) == EYOT_EINVAL);
  CHECK(eyot_team_alloc(EYOT_TEAM_NULL, 8, &g) == EYOT_ETEAM);
  CHECK(eyot_wait(&handle, EYOT_LOCAL) == EYOT_EINVAL);
  OK(eyot_alloc(8, &g));
  CHECK(eyot_wait_until(g, (eyot_cmp_t)9, 1, NULL) == EYOT_EINVAL);
  CHECK(eyot_put_signal(g, &word, 8, g, (eyot_signal_op_t)9, 1) == EYOT_EINVAL);
  OK(eyot_free(g));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } WAYS[] = {{"mismatch", mismatch},
              {"heap", heap},
              {"collective", collective},
              {"long_message", long_message},
              {"overlap", overlap},
              {"elsewhere", elsewhere},
              {"in_operator", in_operator},
              {"left", left},
              {"said", said},
              {"argument", argument},
              {"versions", older_inline}};
  const char *way = argc == 2 ? argv[1] : "";
  if (strcmp(way, "other_version") == 0)
    return eyoti_init_call(NULL, NULL, EYOTI_FAST_ABI + 1) == EYOT_EFABRIC ? 0 : 3;
  if (strcmp(way, "before") == 0) before();
  if (strcmp(way, "never_inits") == 0) return eyot_barrier(EYOT_TEAM_ALL) == EYOT_ESTATE ? 0 : 1;
  if (strcmp(way, "before_counted") == 0 && eyot_barrier(EYOT_TEAM_ALL) != EYOT_ESTATE) return 1;
  if (strcmp(way, "versions") == 0) versions();
  OK(eyot_init(&argc, &argv));
  if (strcmp(way, "twice") == 0) OK(eyot_init(&argc, &argv)); /* and eyot_finalize once */
  for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++)
    if (strcmp(way, WAYS[i].name) == 0) WAYS[i].run();
  if (strcmp(way, "leak") == 0) {
    eyot_gptr_t g;
    OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &g));
  }
  if (strcmp(way, "before_counted") == 0) return eyot_finalize() == EYOT_OK ? 0 : 1;
  int rc = finish();
  if (strcmp(way, "after_counted") == 0) return eyot_finalize() == EYOT_ESTATE ? rc : 1;
  if (strcmp(way, "after") != 0) return rc;
  bool refused = eyot_barrier(EYOT_TEAM_ALL) == EYOT_ESTATE &&
                 eyot_init(&argc, &argv) == EYOT_ESTATE && eyot_finalize() == EYOT_ESTATE;
  return refused && eyot_errors_clear() == 3 && eyot_size() == 0 ? rc : 1;
}
