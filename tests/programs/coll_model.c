/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_model.c - compares reductions and scans with a serial model (support/coll_model.h): every
 * function, operator and type, sizes around those at which algorithms change, all roots or some,
 * teams.
 *
 * * coll_model all|sample [SEED]: sample takes for each operator and type a part of the rest, so
 * that everything comes by in different combinations. Bits are compared, also of sums: the order of
 * combination is documented. */
#include "support/coll_model.h"

#include <inttypes.h>

#include "programs/coll_team.h"

struct run {
  const struct team *t;
  const struct model_case *c; /* NULL: a function that only moves bytes */
  eyot_op_t op;
  uint64_t n; /* elements, or bytes */
  uint64_t random;
};

/* Elements first..first+n-1 of a member. */
static void inputs(const struct run *r, uint32_t member, uint64_t first, uint64_t n, char *p) {
  for (uint64_t i = 0; i < n; i++)
    model_input(r->c, r->t->global[member], first + i, p + i * r->c->width);
}
/* The reduction over the first `members` members. */
static void folds(const struct run *r, uint32_t members, uint64_t first, uint64_t n, char *p) {
  for (uint64_t i = 0; i < n; i++)
    model_fold(r->c, r->t->global, members, first + i, p + i * r->c->width);
}
static void expect_same(const struct run *r, const char *what, const char *got, const char *wanted,
                        uint64_t n) {
  if (model_same(r->c, got, wanted, n)) return;
  uint64_t i = 0;
  while (model_same(r->c, got + i * r->c->width, wanted + i * r->c->width, 1)) i++;
  fprintf(stderr,
          "member %u of %u: %s of %" PRIu64 " elements by %s: element %" PRIu64
          " has not the model's bits\n",
          r->t->me, r->t->n, what, r->n, r->c->name, i);
  eyot_abort(1, "a collective does not agree with its model");
}

/* -- reductions -------------------------------------------------------------------------------- */

static void run_reduce(const struct run *r) {
  const struct team *t = r->t;
  uint64_t bytes = r->n * r->c->width;
  uint32_t root = (uint32_t)(r->random % t->n);
  char *send = buffer(bytes), *recv = buffer(bytes), *wanted = buffer(bytes);
  inputs(r, t->me, 0, r->n, send);
  folds(r, t->n, 0, r->n, wanted);
  bool in_place = (r->random >> 8) % 2 != 0;
  char *into = in_place ? send : recv;
  OK(eyot_reduce(t->id, (eyot_tunit_t){root}, r->c->type, r->op, send, t->me == root ? into : NULL,
                 r->n));
  if (t->me == root) expect_same(r, "reduce", into, wanted, r->n);
  if (t->me != root || !in_place) {
    inputs(r, t->me, 0, r->n, wanted);
    expect_same(r, "input of reduce", send, wanted, r->n);
  }
  if (t->me != root || in_place) CHECK(untouched(recv, bytes));
  release(send, bytes);
  release(recv, bytes);
  release(wanted, bytes);
}

static void run_allreduce(const struct run *r) {
  uint64_t bytes = r->n * r->c->width;
  char *send = buffer(bytes), *recv = buffer(bytes), *wanted = buffer(bytes);
  inputs(r, r->t->me, 0, r->n, send);
  folds(r, r->t->n, 0, r->n, wanted);
  char *into = (r->random >> 8) % 2 != 0 ? send : recv;
  OK(eyot_allreduce(r->t->id, r->c->type, r->op, send, into, r->n));
  expect_same(r, "allreduce", into, wanted, r->n);
  release(send, bytes);
  release(recv, bytes);
  release(wanted, bytes);
}

/* A scan of one member is the reduction over the members up to it. */
static void scan(const struct run *r, bool inclusive) {
  uint64_t bytes = r->n * r->c->width;
  uint32_t members = r->t->me + inclusive;
  char *send = buffer(bytes), *recv = buffer(bytes), *wanted = buffer(bytes);
  inputs(r, r->t->me, 0, r->n, send);
  bool in_place = (r->random >> 8) % 2 != 0;
  char *into = in_place ? send : recv;
  if (inclusive)
    OK(eyot_scan(r->t->id, r->c->type, r->op, send, into, r->n));
  else
    OK(eyot_exscan(r->t->id, r->c->type, r->op, send, into, r->n));
  if (members > 0) {
    folds(r, members, 0, r->n, wanted);
    expect_same(r, inclusive ? "scan" : "exscan", into, wanted, r->n);
  } else {
    inputs(r, r->t->me, 0, r->n, wanted);
    expect_same(r, "input of exscan", send, wanted, r->n);
    CHECK(untouched(recv, bytes));
  }
  release(send, bytes);
  release(recv, bytes);
  release(wanted, bytes);
}
static void run_scan(const struct run *r) {
  scan(r, true);
}
static void run_exscan(const struct run *r) {
  scan(r, false);
}

/* Blocks of n elements, or of several lengths around n. */
static void reduce_scatter(const struct run *r, bool several) {
  const struct team *t = r->t;
  uint64_t *n = malloc(t->n * sizeof *n), before = 0, all = 0;
  CHECK(n != NULL);
  for (uint32_t m = 0; m < t->n; m++) {
    n[m] = several ? model_mix(r->random, m) % (r->n + 2) : r->n;
    if (m < t->me) before += n[m];
    all += n[m];
  }
  uint64_t width = r->c->width, own = n[t->me];
  char *send = buffer(all * width), *recv = buffer(own * width), *wanted = buffer(own * width);
  inputs(r, t->me, 0, all, send);
  folds(r, t->n, before, own, wanted);
  char *into = (r->random >> 8) % 2 != 0 ? send + before * width : recv;
  if (several)
    OK(eyot_reduce_scatter(t->id, r->c->type, r->op, send, into, n));
  else
    OK(eyot_reduce_scatter_block(t->id, r->c->type, r->op, send, into, r->n));
  expect_same(r, several ? "reduce_scatter" : "reduce_scatter_block", into, wanted, own);
  release(send, all * width);
  release(recv, own * width);
  release(wanted, own * width);
  free(n);
}
static void run_reduce_scatter_block(const struct run *r) {
  reduce_scatter(r, false);
}
static void run_reduce_scatter(const struct run *r) {
  reduce_scatter(r, true);
}

typedef void run_fn(const struct run *r);
static run_fn *const REDUCTIONS[] = {
    run_reduce, run_allreduce, run_scan, run_exscan, run_reduce_scatter_block, run_reduce_scatter};
enum { REDUCTION_COUNT = sizeof REDUCTIONS / sizeof REDUCTIONS[0] };

/* -- what is run ------------------------------------------------------------------------------- */

/* Bytes at which algorithms, boards or rounds change. */
static const uint64_t SWITCHES[] = {64, 224, 2048, 4096, 32768};
enum { SWITCH_COUNT = sizeof SWITCHES / sizeof SWITCHES[0], SIZES = 4 + 3 * SWITCH_COUNT };

/* Of 64 runs of four sizes, the smallest first, those that a sample takes. */
static const uint64_t SAMPLED[] = {12, 4, 2, 1, 1};
_Static_assert(SIZES <= 4 * sizeof SAMPLED / sizeof SAMPLED[0], "each size has a share");

static uint64_t size_of(uint32_t k, uint64_t width) {
  static const uint64_t FEW[] = {0, 1, 3, 13};
  if (k < 4) return FEW[k];
  uint64_t at = SWITCHES[(k - 4) / 3] / width;
  return at + (k - 4) % 3 == 0 ? 0 : at + (k - 4) % 3 - 1;
}

static void reductions(const struct team *t, const eyot_op_t ops[MODEL_USER_CASES], bool all,
                       uint64_t seed) {
  for (uint32_t k = 0; k < MODEL_CASES; k++) {
    struct run r = {.t = t, .c = &model_cases[k]};
    r.op = k + MODEL_USER_CASES >= MODEL_CASES ? ops[k + MODEL_USER_CASES - MODEL_CASES] : r.c->op;
    for (uint32_t f = 0; f < REDUCTION_COUNT; f++) {
      for (uint32_t s = 0; s < SIZES; s++) {
        r.random = model_mix(seed, (k * REDUCTION_COUNT + f) * SIZES + s);
        /* reduce_scatter has a block for each member */
        if (!all && r.random % 64 >= SAMPLED[s / 4] / (f < 4 || s < 8 ? 1 : 8)) continue;
        r.random >>= 16;
        r.n = size_of(s, r.c->width);
        REDUCTIONS[f](&r);
      }
    }
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc < 2 || (strcmp(argv[1], "all") != 0 && strcmp(argv[1], "sample") != 0)) {
    if (eyot_me().id == 0) fputs("usage: coll_model all|sample [SEED]\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  bool all = strcmp(argv[1], "all") == 0;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  eyot_op_t ops[MODEL_USER_CASES];
  OK(model_make(ops));
  struct team whole = describe(EYOT_TEAM_ALL);
  reductions(&whole, ops, all, seed);
  free(whole.global);
  eyot_team_t id;
  OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 3, &id));
  struct team part = describe(id);
  reductions(&part, ops, false, seed + 1);
  free(part.global);
  OK(eyot_team_destroy(&id));
  for (int k = 0; k < MODEL_USER_CASES; k++) OK(eyot_op_free(&ops[k]));
  return finish();
}
