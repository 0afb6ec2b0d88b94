/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_calls.c - see bench_coll_calls.h. Each call is verified: a value says who sent it to
 * whom, and in which round. */
#include "bench_coll_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES_MAX 100000u
#define SIZES_MOST 65536u

/* A value that says which unit sent it to which, and in which round. */
static uint64_t mark(const struct coll_run *r, uint32_t from, uint32_t to) {
  return r->round << 48 | (uint64_t)from << 24 | to;
}
static uint64_t sum_of(const struct coll_run *r) {
  return (uint64_t)r->n * (r->n - 1) / 2 + r->n * r->round;
}

static int call_barrier(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)r, (void)bytes, (void)sync;
  return eyot_barrier(EYOT_TEAM_ALL);
}
static int call_broadcast(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, r->to, bytes);
}
static int call_reduce(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, EYOT_UINT64, EYOT_SUM, r->from, r->to,
                     bytes / 8);
}
static int call_allreduce(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_reduce_double(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, EYOT_DOUBLE, EYOT_SUM, r->from, r->to,
                     bytes / 8);
}
static int call_allreduce_double(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_gather(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, r->from, r->to, bytes);
}
static int call_allgather(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_allgather(EYOT_TEAM_ALL, r->from, r->to, bytes);
}
static int call_alltoall(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_alltoall(EYOT_TEAM_ALL, r->from, r->to, bytes);
}

static int call_scatter(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_scatter(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, r->from, r->to, bytes);
}
static int call_scan_double(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_scan(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_scan(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_scan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_exscan(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_exscan(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, r->from, r->to, bytes / 8);
}
static int call_reduce_scatter_block(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, r->from, r->to, bytes / 8);
}

/* Blocks of several lengths, which are equal here. */
static const uint64_t *sizes_of(const struct coll_run *r, uint64_t bytes) {
  static uint64_t sizes[SIZES_MOST]; /* the same on all units, which may share it */
  if (r->n > SIZES_MOST) eyot_abort(1, "more units than blocks of several lengths can have");
  for (uint32_t m = 0; m < r->n; m++) sizes[m] = bytes;
  return sizes;
}
static int call_gatherv(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_gatherv(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, r->from, bytes, r->to,
                      sizes_of(r, bytes), NULL);
}
static int call_scatterv(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_scatterv(EYOT_TEAM_ALL, (eyot_tunit_t){r->root}, r->from, sizes_of(r, bytes), NULL,
                       r->to, bytes);
}
static int call_allgatherv(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_allgatherv(EYOT_TEAM_ALL, r->from, r->to, sizes_of(r, bytes), NULL);
}
static int call_collect(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  return eyot_collect(EYOT_TEAM_ALL, r->from, bytes, r->to, bytes * r->n, NULL);
}
static int call_alltoallv(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  (void)sync;
  const uint64_t *sizes = sizes_of(r, bytes);
  return eyot_alltoallv(EYOT_TEAM_ALL, r->from, sizes, NULL, r->to, sizes, NULL);
}

/* On the members' parts of collective allocations. */
static eyot_gptr_t at_root(const struct coll_run *r, eyot_gptr_t part) {
  return eyot_gptr_at(part, (eyot_unit_t){r->root});
}
static int call_global_broadcast(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  return eyot_global_broadcast(EYOT_TEAM_ALL, r->global_to, at_root(r, r->global_from), bytes,
                               sync);
}
static int call_global_gather(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  return eyot_global_gather(EYOT_TEAM_ALL, at_root(r, r->global_to), r->global_from, bytes, sync);
}
static int call_global_gather_all(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  return eyot_global_gather_all(EYOT_TEAM_ALL, r->global_to, r->global_from, bytes, sync);
}
static int call_global_exchange(const struct coll_run *r, uint64_t bytes, eyot_sync_t sync) {
  return eyot_global_exchange(EYOT_TEAM_ALL, r->global_to, r->global_from, bytes, sync);
}

/* Each of them without synchronization, for the caller's own data, and of all. */
#define MODE(name, suffix, shape, at_root, sync) \
  { "global_" #name "_" suffix, call_global_##name, shape, at_root, sync }
#define MODES(name, shape, at_root)                                           \
  MODE(name, "nosync", shape, at_root, EYOT_IN_NOSYNC | EYOT_OUT_NOSYNC),     \
      MODE(name, "mysync", shape, at_root, EYOT_IN_MYSYNC | EYOT_OUT_MYSYNC), \
      MODE(name, "allsync", shape, at_root, EYOT_IN_ALLSYNC | EYOT_OUT_ALLSYNC)
static const struct coll_what WHATS[] = {
    {"barrier", call_barrier, NOTHING, false, 0},
    {"broadcast", call_broadcast, ROOTS, false, 0},
    {"reduce", call_reduce, SUM, true, 0},
    {"allreduce", call_allreduce, SUM, false, 0},
    {"reduce_double", call_reduce_double, SUM_DOUBLE, true, 0},
    {"allreduce_double", call_allreduce_double, SUM_DOUBLE, false, 0},
    {"gather", call_gather, BLOCKS, true, 0},
    {"allgather", call_allgather, BLOCKS, false, 0},
    {"alltoall", call_alltoall, OWN_BLOCKS, false, 0},
    {"scatter", call_scatter, ROOTS_BLOCKS, false, 0},
    {"scan", call_scan, PREFIX, false, 0},
    {"scan_double", call_scan_double, PREFIX_DOUBLE, false, 0},
    {"exscan", call_exscan, PREFIX_BEFORE, false, 0},
    {"reduce_scatter_block", call_reduce_scatter_block, OWN_LARGEST, false, 0},
    {"gatherv", call_gatherv, BLOCKS, true, 0},
    {"scatterv", call_scatterv, ROOTS_BLOCKS, false, 0},
    {"allgatherv", call_allgatherv, BLOCKS, false, 0},
    {"collect", call_collect, BLOCKS, false, 0},
    {"alltoallv", call_alltoallv, OWN_BLOCKS, false, 0},
    MODES(broadcast, ROOTS, false),
    MODES(gather, BLOCKS, true),
    MODES(gather_all, BLOCKS, false),
    MODES(exchange, OWN_BLOCKS, false)};
#define WHATS_N (sizeof WHATS / sizeof WHATS[0])

/* Whether the caller sends a block to each member. */
static bool sends_blocks(const struct coll_what *w, const struct coll_run *r) {
  if (w->shape == ROOTS_BLOCKS) return r->me == r->root || r->any_root;
  return w->shape == OWN_BLOCKS || w->shape == OWN_LARGEST;
}
static uint64_t send_blocks(const struct coll_what *w, const struct coll_run *r) {
  return sends_blocks(w, r) ? r->n : 1;
}
/* Parts of a collective allocation are equal, and so is what several roots need. */
static uint64_t recv_blocks(const struct coll_what *w, const struct coll_run *r) {
  bool all = !w->at_root || r->me == r->root || r->any_root || w->sync != 0;
  return w->shape == OWN_BLOCKS || (w->shape == BLOCKS && all) ? r->n : 1;
}

static uint64_t *part_of(eyot_gptr_t *out, uint64_t bytes) {
  void *at;
  must(eyot_team_alloc(EYOT_TEAM_ALL, bytes, out), "eyot_team_alloc");
  must(eyot_gptr_addr(eyot_gptr_at(*out, eyot_me()), &at), "eyot_gptr_addr");
  return at;
}

void coll_open(const struct coll_what *w, struct coll_run *r, uint64_t bytes) {
  uint64_t from = bytes * send_blocks(w, r) + 8, to = bytes * recv_blocks(w, r) + 8;
  if (w->sync != 0) {
    r->from = part_of(&r->global_from, from);
    r->to = part_of(&r->global_to, to);
    return;
  }
  r->from = calloc(1, from);
  r->to = calloc(1, to);
  if (r->from == NULL || r->to == NULL) eyot_abort(1, "no memory");
}

void coll_close(const struct coll_what *w, struct coll_run *r) {
  if (w->sync != 0) {
    must(eyot_team_free(r->global_from), "eyot_team_free");
    must(eyot_team_free(r->global_to), "eyot_team_free");
    return;
  }
  free(r->from);
  free(r->to);
}

void coll_call(const struct coll_what *w, const struct coll_run *r, uint64_t bytes) {
  must(w->call(r, bytes, w->sync), w->name);
}

/* A value of the shape's type; no sum is so large that a double must round it. */
static uint64_t typed(const struct coll_what *w, uint64_t value) {
  double number = (double)value;
  if (w->shape == SUM_DOUBLE || w->shape == PREFIX_DOUBLE) memcpy(&value, &number, sizeof value);
  return value;
}

/* The first and the last word of each block are those that are verified. */
static void set_block(uint64_t *block, uint64_t bytes, uint64_t value) {
  if (bytes > 0) block[0] = block[bytes / 8 - 1] = value;
}
static void check_block(const uint64_t *block, uint64_t bytes, uint64_t value) {
  if (bytes > 0 && (block[0] != value || block[bytes / 8 - 1] != value))
    eyot_abort(1, "a collective has given another result");
}

void coll_fill(const struct coll_what *w, const struct coll_run *r, uint64_t bytes) {
  uint64_t words = bytes / 8;
  for (uint64_t b = 0; b < recv_blocks(w, r); b++) set_block(r->to + b * words, bytes, 0);
  if (w->shape == ROOTS && r->me == r->root)
    set_block(w->sync != 0 ? r->from : r->to, bytes, mark(r, r->root, 0));
  bool prefix = w->shape == PREFIX || w->shape == PREFIX_DOUBLE || w->shape == PREFIX_BEFORE;
  if (w->shape == SUM || w->shape == SUM_DOUBLE || prefix)
    set_block(r->from, bytes, typed(w, r->me + r->round));
  for (uint32_t to = 0; sends_blocks(w, r) && to < r->n; to++)
    set_block(r->from + to * words, bytes, mark(r, r->me, to));
  if (w->shape == BLOCKS) set_block(r->from, bytes, mark(r, r->me, 0));
}

void coll_check(const struct coll_what *w, const struct coll_run *r, uint64_t bytes) {
  uint64_t words = bytes / 8;
  if (w->sync != 0) must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (w->at_root && r->me != r->root) return;
  if (w->shape == ROOTS) check_block(r->to, bytes, mark(r, r->root, 0));
  if (w->shape == SUM || w->shape == SUM_DOUBLE) check_block(r->to, bytes, typed(w, sum_of(r)));
  if (w->shape == PREFIX || w->shape == PREFIX_DOUBLE)
    check_block(r->to, bytes, typed(w, (uint64_t)r->me * (r->me + 1) / 2 + (r->me + 1) * r->round));
  if (w->shape == PREFIX_BEFORE && r->me > 0)
    check_block(r->to, bytes, (uint64_t)r->me * (r->me - 1) / 2 + r->me * r->round);
  if (w->shape == ROOTS_BLOCKS) check_block(r->to, bytes, mark(r, r->root, r->me));
  if (w->shape == OWN_LARGEST) check_block(r->to, bytes, mark(r, r->n - 1, r->me));
  bool blocks = w->shape == BLOCKS || w->shape == OWN_BLOCKS;
  for (uint32_t from = 0; blocks && from < r->n; from++)
    check_block(r->to + from * words, bytes, mark(r, from, w->shape == BLOCKS ? 0 : r->me));
}

const struct coll_what *coll_parse(const char *text, uint64_t *bytes, uint32_t *times) {
  char name[32];
  int end = -1;
  if (sscanf(text, "%31[a-z_]:%" SCNu64 "%n:%u%n", name, bytes, &end, times, &end) < 2 || end < 0 ||
      text[end] != '\0' || *times < 1 || *times > TIMES_MAX || *bytes % 8 != 0)
    return NULL;
  for (size_t i = 0; i < WHATS_N; i++)
    if (strcmp(WHATS[i].name, name) == 0 && (*bytes == 0) == (WHATS[i].shape == NOTHING))
      return &WHATS[i];
  return NULL;
}
