/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_neighbor.c - the virtual time of a halo exchange on a periodic grid of three dimensions in
 * the simulator: by neighbourhood collectives, by notified puts by hand, and by a collective over
 * all units.
 *
 *   eyotrun --fabric sim -n N bench_neighbor WAY:BYTES[:STEPS] ...
 * WAY: neighbor, nb, plan (eyot_neighbor_alltoall), hand, alltoallv. BYTES: of each of six blocks.
 * STEPS (20) exchanges are measured, one after the other as in a solver, after one that is not.
 * Each is verified. Lines: case WAY bytes BYTES units N ns_a_step MEAN, of the last unit.
 *
 * By hand: two sets of slots and words are used in turn, which is safe as neighbours wait for each
 * other in each step; the six puts are posted, then the six words awaited. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define OK(call) must((call), #call)

enum { SIDES = 6, SETS = 2, STEPS = 20, BYTES_MOST = 1 << 20 };

struct halo {
  uint32_t me, n;
  uint64_t bytes, step;
  eyot_graph_t grid;
  eyot_tunit_t to[SIDES], from[SIDES];
  char *send, *recv;
  /* by hand */
  eyot_gptr_t words, slots;
  char *own_slots;
  /* alltoallv */
  uint64_t *sizes, *from_at, *to_at;
  eyot_coll_t plan;
};

static char mark(const struct halo *h, uint32_t from, uint32_t side) {
  return (char)(h->step * 31 + from * 7 + side + 1);
}

static int step_neighbor(struct halo *h) {
  return eyot_neighbor_alltoall(h->grid, h->send, h->recv, h->bytes);
}
static int step_nb(struct halo *h) {
  eyot_coll_t op;
  int rc = eyot_neighbor_alltoall_nb(h->grid, h->send, h->recv, h->bytes, &op);
  return rc != EYOT_OK ? rc : eyot_coll_wait(&op);
}
static int step_plan(struct halo *h) {
  int rc = eyot_coll_start(h->plan);
  return rc != EYOT_OK ? rc : eyot_coll_wait(&h->plan);
}

/* What is sent to side s is received as from the opposite side, s ^ 1. */
static int step_hand(struct halo *h) {
  uint64_t set = h->step % SETS;
  for (uint32_t s = 0; s < SIDES; s++) {
    uint64_t slot = set * SIDES + (s ^ 1u);
    eyot_unit_t to = {h->to[s].id};
    eyot_gptr_t at = eyot_gptr_add(eyot_gptr_at(h->slots, to), (int64_t)(slot * h->bytes));
    eyot_gptr_t word = eyot_gptr_add(eyot_gptr_at(h->words, to), (int64_t)(slot * 8));
    int rc =
        eyot_put_signal_nbi(at, h->send + s * h->bytes, h->bytes, word, EYOT_SIGNAL_SET, h->step);
    if (rc != EYOT_OK) return rc;
  }
  for (uint32_t s = 0; s < SIDES; s++) {
    uint64_t slot = set * SIDES + s;
    eyot_gptr_t word =
        eyot_gptr_add(eyot_gptr_at(h->words, (eyot_unit_t){h->me}), (int64_t)(slot * 8));
    int rc = eyot_wait_until(word, EYOT_CMP_GE, h->step, NULL);
    if (rc != EYOT_OK) return rc;
    memcpy(h->recv + s * h->bytes, h->own_slots + slot * h->bytes, h->bytes);
  }
  return eyot_flush_all(EYOT_LOCAL);
}

static int step_alltoallv(struct halo *h) {
  return eyot_alltoallv(EYOT_TEAM_ALL, h->send, h->sizes, h->to_at, h->recv, h->sizes, h->from_at);
}

static const struct way {
  const char *name;
  int (*step)(struct halo *h);
} WAYS[] = {{"neighbor", step_neighbor},
            {"nb", step_nb},
            {"plan", step_plan},
            {"hand", step_hand},
            {"alltoallv", step_alltoallv}};

static void open_halo(struct halo *h, uint64_t bytes) {
  uint32_t dims[3] = {0};
  const bool periodic[3] = {true, true, true};
  *h = (struct halo){.me = eyot_me().id, .n = eyot_size(), .bytes = bytes};
  OK(eyot_cart_dims(h->n, 3, dims));
  OK(eyot_cart_create(EYOT_TEAM_ALL, 3, dims, periodic, &h->grid));
  OK(eyot_graph_neighbors(h->grid, h->from, h->to));
  h->send = calloc(SIDES, bytes + 1);
  h->recv = calloc(SIDES, bytes + 1);
  h->sizes = calloc(h->n, sizeof *h->sizes);
  h->from_at = calloc(h->n, sizeof *h->from_at);
  h->to_at = calloc(h->n, sizeof *h->to_at);
  if (h->send == NULL || h->recv == NULL || h->sizes == NULL || h->from_at == NULL ||
      h->to_at == NULL)
    eyot_abort(1, "no memory");
  for (uint32_t s = 0; s < SIDES; s++) { /* one block a neighbour: sides of more are not used */
    h->sizes[h->to[s].id] = bytes;
    h->to_at[h->to[s].id] = h->from_at[h->to[s].id] = s * bytes;
  }
  OK(eyot_team_alloc(EYOT_TEAM_ALL, SETS * SIDES * 8, &h->words));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, SETS * SIDES * bytes, &h->slots));
  void *own;
  OK(eyot_gptr_addr(eyot_gptr_at(h->slots, (eyot_unit_t){h->me}), &own));
  h->own_slots = own;
  OK(eyot_neighbor_alltoall_plan(h->grid, h->send, h->recv, bytes, &h->plan));
}

static void close_halo(struct halo *h) {
  OK(eyot_coll_free(&h->plan));
  OK(eyot_graph_destroy(&h->grid));
  OK(eyot_team_free(h->slots));
  OK(eyot_team_free(h->words));
  free(h->send);
  free(h->recv);
  free(h->sizes);
  free(h->from_at);
  free(h->to_at);
}

static void verify(const struct halo *h, bool by_member) {
  for (uint32_t s = 0; s < SIDES; s++) {
    /* alltoallv has one block for each neighbour, as sent by its side to the caller */
    char want = mark(h, h->from[s].id, s ^ 1u);
    char first = h->recv[s * h->bytes], last = h->recv[(s + 1) * h->bytes - 1];
    if (h->bytes == 0 || (first == want && last == want)) continue;
    if (by_member && h->n < 27) continue; /* two sides have one neighbour */
    eyot_abort(1, "a halo exchange has a wrong result");
  }
}

static uint64_t one_step(struct halo *h, const struct way *w) {
  h->step++;
  for (uint32_t s = 0; s < SIDES; s++) memset(h->send + s * h->bytes, mark(h, h->me, s), h->bytes);
  uint64_t begin = eyot_now_ns();
  OK(w->step(h));
  uint64_t ns = eyot_now_ns() - begin;
  verify(h, w->step == step_alltoallv);
  return ns;
}

static void measure(const struct way *w, uint64_t bytes, uint64_t steps) {
  struct halo h;
  uint64_t worst;
  open_halo(&h, bytes);
  (void)one_step(&h, w);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t begin = eyot_now_ns();
  for (uint64_t i = 0; i < steps; i++) (void)one_step(&h, w);
  uint64_t mine = eyot_now_ns() - begin;
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, &worst, 1));
  if (h.me == 0)
    printf("case %s bytes %" PRIu64 " units %u ns_a_step %.1f\n", w->name, bytes, h.n,
           (double)worst / (double)steps);
  close_halo(&h);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  for (int i = 1; i < argc; i++) {
    char name[16];
    uint64_t bytes = 0, steps = STEPS;
    const struct way *w = NULL;
    int got = sscanf(argv[i], "%15[a-z]:%" SCNu64 ":%" SCNu64, name, &bytes, &steps);
    for (size_t k = 0; k < sizeof WAYS / sizeof WAYS[0] && got >= 2; k++)
      if (strcmp(WAYS[k].name, name) == 0) w = &WAYS[k];
    if (w == NULL || bytes == 0 || bytes > BYTES_MOST || steps == 0) {
      if (eyot_me().id == 0)
        fprintf(stderr, "bench_neighbor: '%s' is no WAY:BYTES[:STEPS]\n", argv[i]);
      (void)eyot_finalize();
      return 2;
    }
    measure(w, bytes, steps);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
