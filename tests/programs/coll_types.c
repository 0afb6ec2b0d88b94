/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_types.c - every reduction of every type and operator in every form, compared with a serial
 * model (support/coll_model.h): blocking, non-blocking and as a plan, in place and not, at any
 * address; on global memory, from one array to another and in place.
 *
 * coll_types [STEP]: of the sizes, each STEPth. */
#include <inttypes.h>

#include "programs/coll_team.h"
#include "support/coll_model.h"

enum form { BLOCKING, NONBLOCKING, PLAN, FORMS };
#define SLACK 16u /* bytes that a buffer may begin late, or end early */

struct run {
  const struct team *t;
  const struct model_case *c;
  eyot_op_t op;
  uint64_t n, late; /* elements; the first byte of buffers */
  enum form form;
  bool in_place;
  char *send, *recv, *wanted;
};

static void fail(const struct run *r, const char *name) {
  fprintf(stderr,
          "member %u of %u: %s of %" PRIu64 " elements by %s, form %d, %s, from byte %" PRIu64 "\n",
          r->t->me, r->t->n, name, r->n, r->c->name, (int)r->form,
          r->in_place ? "in place" : "not in place", r->late);
  eyot_abort(1, "a reduction does not agree with its model");
}
static void inputs(const struct run *r, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    model_input(r->c, r->t->global[r->t->me], i, r->send + i * r->c->width);
}
/* The reduction over the first `members` members. */
static void folds(const struct run *r, uint32_t members, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    model_fold(r->c, r->t->global, members, first + i, r->wanted + i * r->c->width);
}

static void open(struct run *r, uint64_t elements) {
  uint64_t bytes = elements * r->c->width;
  r->send = buffer(bytes + SLACK) + r->late;
  r->recv = r->in_place ? r->send : buffer(bytes + SLACK) + r->late;
  r->wanted = buffer(bytes);
}
static void close_one(const struct run *r, char *p, uint64_t bytes) {
  if (!untouched(p - r->late, r->late) || !untouched(p + bytes, SLACK - r->late)) fail(r, "guard");
  release(p - r->late, bytes + SLACK);
}
static void close(const struct run *r, uint64_t elements) {
  uint64_t bytes = elements * r->c->width;
  close_one(r, r->send, bytes);
  if (!r->in_place) close_one(r, r->recv, bytes);
  release(r->wanted, bytes);
}

/* Runs a call in the form, a plan twice; `count` elements are sent, and `got` of them at `at` must
 * be those wanted. */
#define RUN(r, count, at, got, name, ...)                                    \
  do {                                                                       \
    eyot_coll_t op_;                                                         \
    if ((r)->form == PLAN) OK(eyot_##name##_plan(__VA_ARGS__, &op_));        \
    for (int again_ = 0; again_ < ((r)->form == PLAN ? 2 : 1); again_++) {   \
      inputs(r, count);                                                      \
      if ((r)->form == BLOCKING) OK(eyot_##name(__VA_ARGS__));               \
      if ((r)->form == NONBLOCKING) OK(eyot_##name##_nb(__VA_ARGS__, &op_)); \
      if ((r)->form == PLAN) OK(eyot_coll_start(op_));                       \
      if ((r)->form != BLOCKING) OK(eyot_coll_wait(&op_));                   \
      if (!model_same((r)->c, at, (r)->wanted, got)) fail(r, #name);         \
    }                                                                        \
    if ((r)->form == PLAN) OK(eyot_coll_free(&op_));                         \
  } while (0)
#define WHAT(r) (r)->t->id, (r)->c->type, (r)->op, (r)->send

static void rooted(struct run *r) {
  uint32_t n = r->t->n, root = (uint32_t)(r->n + r->late) % n;
  bool mine = r->t->me == root;
  open(r, r->n);
  if (mine) folds(r, n, 0, r->n);
  RUN(r, r->n, r->recv, mine ? r->n : 0, reduce, r->t->id, (eyot_tunit_t){root}, r->c->type, r->op,
      r->send, mine ? r->recv : NULL, r->n);
  close(r, r->n);
}
static void to_all(struct run *r) {
  open(r, r->n);
  folds(r, r->t->n, 0, r->n);
  RUN(r, r->n, r->recv, r->n, allreduce, WHAT(r), r->recv, r->n);
  folds(r, r->t->me + 1, 0, r->n);
  RUN(r, r->n, r->recv, r->n, scan, WHAT(r), r->recv, r->n);
  if (r->t->me > 0) folds(r, r->t->me, 0, r->n);
  RUN(r, r->n, r->recv, r->t->me > 0 ? r->n : 0, exscan, WHAT(r), r->recv, r->n);
  close(r, r->n);
}
/* To blocks of one length, and to blocks of several, the first of which is empty. */
static void to_blocks(struct run *r) {
  uint32_t me = r->t->me, n = r->t->n;
  uint64_t sizes[64], all = n * r->n, width = r->c->width, before = me * r->n;
  open(r, all);
  folds(r, n, before, r->n);
  RUN(r, all, r->in_place ? r->send + before * width : r->recv, r->n, reduce_scatter_block, WHAT(r),
      r->in_place ? r->send + before * width : r->recv, r->n);
  before = all = 0;
  for (uint32_t m = 0; m < n; m++) {
    sizes[m] = m == 0 ? 0 : r->n - r->n * m / (2 * n);
    before += m < me ? sizes[m] : 0;
    all += sizes[m];
  }
  folds(r, n, before, sizes[me]);
  RUN(r, all, r->in_place ? r->send + before * width : r->recv, sizes[me], reduce_scatter, WHAT(r),
      r->in_place ? r->send + before * width : r->recv, sizes);
  close(r, n * r->n);
}

/* -- on global memory -------------------------------------------------------------------------- */

#define PART 4096u /* bytes of a member's part */

/* Element i of the array: small numbers, whose sums and products are exact in every order. */
static void element(const struct model_case *c, uint64_t i, void *p) {
  static const int FEW[] = {1, -1, 2, 0, 1, -1, 1};
  model_input(c, 0, i, p);
  if (c->op > EYOT_PROD || (c->input != MODEL_SUMS && c->input != MODEL_LONG)) return;
  bool complex = c->type == EYOT_FLOAT_COMPLEX || c->type == EYOT_DOUBLE_COMPLEX ||
                 c->type == EYOT_LONG_DOUBLE_COMPLEX;
  uint32_t parts = complex ? 2 : 1, each = c->width / parts;
  for (uint32_t k = 0; k < parts; k++) {
    int v = FEW[(3 * i + k) % 7];
    if (c->input == MODEL_LONG)
      MODEL_STORE(long double, k *each, v);
    else if (each == sizeof(float))
      MODEL_STORE(float, k *each, v);
    else
      MODEL_STORE(double, k *each, v);
  }
}

/* Elements of one operator, block-cyclic from the member of rank 0 on. */
static void global(struct run *r, eyot_gptr_t from, eyot_gptr_t to, char *src, const char *dst) {
  const struct model_case *c = r->c;
  uint64_t width = c->width, block = 3, n = r->n, members = r->t->n;
  _Alignas(16) char all[MODEL_MOST], x[MODEL_MOST], next[MODEL_MOST];
  bool in_place = r->in_place;
  memset(src, FILL, PART);
  for (uint64_t i = 0; i < n; i++)
    if (i / block % members == r->t->me)
      element(c, i, src + (i / block / members * block + i % block) * width);
  OK(eyot_global_prefix_reduce(r->t->id, c->type, r->op, in_place ? from : to, from, n, block, 0));
  for (uint64_t i = 0; i < n; i++) {
    element(c, i, i == 0 ? all : x);
    if (i > 0) {
      c->fn(next, all, x);
      memcpy(all, next, width);
    }
    if (i / block % members != r->t->me) continue;
    const char *got = (in_place ? src : dst) + (i / block / members * block + i % block) * width;
    if (!model_same(c, got, all, 1)) fail(r, "global_prefix_reduce");
  }
  OK(eyot_barrier(r->t->id));
  for (uint64_t i = 0; i < n && in_place; i++)
    if (i / block % members == r->t->me)
      element(c, i, src + (i / block / members * block + i % block) * width);
  OK(eyot_global_reduce(r->t->id, c->type, r->op, to, from, n, block, 0));
  if (r->t->me == 0 && !model_same(c, dst, all, 1)) fail(r, "global_reduce");
  OK(eyot_barrier(r->t->id));
}

/* -- wide elements ----------------------------------------------------------------------------- */

/* Elements of as many bytes as an operator of the program may have, nearly. */
enum { WIDE = EYOT_OP_BYTES_MAX / MODEL_USER_BYTES * MODEL_USER_BYTES };

static void compose_wide(void *out, const void *left, const void *right) {
  for (uint32_t at = 0; at < WIDE; at += MODEL_USER_BYTES)
    model_compose((char *)out + at, (const char *)left + at, (const char *)right + at);
}
static void combine_wide(void *out, const void *left, const void *right, uint64_t n,
                         void *context) {
  (void)context;
  for (uint64_t i = 0; i < n; i++)
    compose_wide((char *)out + i * WIDE, (const char *)left + i * WIDE,
                 (const char *)right + i * WIDE);
}
static const struct model_case wide_case = {EYOT_USER,    EYOT_NOOP,    WIDE,
                                            MODEL_MATRIX, compose_wide, "compose_wide"};

/* -- what is run ------------------------------------------------------------------------------- */

/* Around lengths of messages and boards for the widest elements, and more than a round of them. */
static const uint64_t SIZES[] = {1, 2, 3, 7, 13, 65, 129, 300, 1100};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0] };

static void run_case(struct run *r, uint64_t n, uint32_t late) {
  for (uint32_t what = 0; what < 2 * FORMS; what++) {
    r->n = n;
    r->form = what / 2;
    r->in_place = what % 2 != 0;
    r->late = (late + what) % SLACK;
    rooted(r);
    to_all(r);
    to_blocks(r);
  }
}
static void run_all(const struct team *t, const eyot_op_t ops[MODEL_USER_CASES], uint32_t step) {
  for (uint32_t k = 0; k < MODEL_CASES; k++) {
    struct run r = {.t = t, .c = &model_cases[k]};
    r.op = k + MODEL_USER_CASES >= MODEL_CASES ? ops[k + MODEL_USER_CASES - MODEL_CASES] : r.c->op;
    for (uint32_t s = k % step; s < SIZE_COUNT; s += step) run_case(&r, SIZES[s], k + s);
  }
}
static void run_wide(const struct team *t) {
  struct run r = {.t = t, .c = &wide_case};
  OK(eyot_op_create(combine_wide, NULL, WIDE, false, &r.op));
  for (uint64_t n = 1; n <= 9; n += 4) run_case(&r, n, (uint32_t)n);
  OK(eyot_op_free(&r.op));
}
static void run_global(const struct team *t, const eyot_op_t ops[MODEL_USER_CASES]) {
  eyot_gptr_t from, to;
  void *src, *dst;
  OK(eyot_team_alloc(t->id, PART, &from));
  OK(eyot_team_alloc(t->id, PART, &to));
  OK(eyot_gptr_addr(eyot_gptr_at(from, (eyot_unit_t){t->global[t->me]}), &src));
  OK(eyot_gptr_addr(eyot_gptr_at(to, (eyot_unit_t){t->global[t->me]}), &dst));
  from = eyot_gptr_at(from, (eyot_unit_t){t->global[0]});
  to = eyot_gptr_at(to, (eyot_unit_t){t->global[0]});
  for (uint32_t k = 0; k < MODEL_CASES; k++)
    for (uint32_t what = 0; what < 6; what++) {
      struct run r = {.t = t, .c = &model_cases[k], .n = 1 + what / 2 * 11, .in_place = what % 2};
      r.op =
          k + MODEL_USER_CASES >= MODEL_CASES ? ops[k + MODEL_USER_CASES - MODEL_CASES] : r.c->op;
      global(&r, from, to, src, dst);
    }
  OK(eyot_team_free(to));
  OK(eyot_team_free(from));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t step = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
  CHECK(step > 0 && eyot_size() <= 64);
  eyot_op_t ops[MODEL_USER_CASES];
  OK(model_make(ops));
  struct team whole = describe(EYOT_TEAM_ALL);
  run_all(&whole, ops, step);
  run_wide(&whole);
  run_global(&whole, ops);
  free(whole.global);
  for (int k = 0; k < MODEL_USER_CASES; k++) OK(eyot_op_free(&ops[k]));
  return finish();
}
