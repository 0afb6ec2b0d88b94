/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_in_place.c - exchanges that receive where they send from, in their three forms: each block
 * is what its member sent, also where some members alone are in place. */
#include "programs/coll_team.h"

enum form { BLOCKING, NONBLOCKING, PLAN, FORMS };

struct test {
  const struct team *t;
  uint64_t words; /* of a block, at most */
  uint64_t round; /* goes into all values */
  enum form form;
  bool in_place; /* this member */
};

static uint64_t value(const struct test *x, uint32_t from, uint32_t to, uint64_t i) {
  return x->round << 48 | (uint64_t)from << 36 | (uint64_t)to << 24 | i;
}
static uint64_t *words_of(uint64_t n) {
  return (uint64_t *)(void *)buffer(n * 8);
}
/* Where a function receives: in what it sends, or in other memory. */
static uint64_t *target(const struct test *x, uint64_t *send, uint64_t words) {
  return x->in_place ? send : words_of(words);
}
static void forget(uint64_t *send, uint64_t *recv, uint64_t words) {
  if (recv != send) release((char *)recv, words * 8);
  release((char *)send, words * 8);
}

/* Runs a call in the form, a plan three times; `fill` before each, `expect` after it. */
#define RUN(x, fill, expect, name, ...)                                         \
  do {                                                                          \
    eyot_coll_t op_;                                                            \
    if ((x)->form == PLAN) OK(eyot_##name##_plan(__VA_ARGS__, &op_));           \
    for (uint32_t again_ = 0; again_ < ((x)->form == PLAN ? 3 : 2); again_++) { \
      (x)->round++;                                                             \
      fill;                                                                     \
      if ((x)->form == BLOCKING) OK(eyot_##name(__VA_ARGS__));                  \
      if ((x)->form == NONBLOCKING) OK(eyot_##name##_nb(__VA_ARGS__, &op_));    \
      if ((x)->form == PLAN) OK(eyot_coll_start(op_));                          \
      if ((x)->form != BLOCKING) OK(eyot_coll_wait(&op_));                      \
      expect;                                                                   \
    }                                                                           \
    if ((x)->form == PLAN) OK(eyot_coll_free(&op_));                            \
  } while (0)

/* -- blocks of one length ---------------------------------------------------------------------- */

/* Element i of block m, where elements are `stride` words apart. */
static void fill(const struct test *x, uint64_t *send, uint64_t stride) {
  for (uint32_t m = 0; m < x->t->n; m++)
    for (uint64_t i = 0; i < x->words; i++)
      send[(m * x->words + i) * stride] = value(x, x->t->me, m, i);
}
static void expect(const struct test *x, const uint64_t *recv, uint64_t stride) {
  for (uint32_t m = 0; m < x->t->n; m++)
    for (uint64_t i = 0; i < x->words; i++) {
      const uint64_t *at = recv + (m * x->words + i) * stride;
      CHECK(*at == value(x, m, x->t->me, i));
      if (stride > 1) CHECK(untouched((const char *)(at + 1), 8 * (stride - 1)));
    }
}

static void test_alltoall(struct test *x) {
  uint64_t all = x->words * x->t->n, *send = words_of(all), *recv = target(x, send, all);
  RUN(x, fill(x, send, 1), expect(x, recv, 1), alltoall, x->t->id, send, recv, x->words * 8);
  forget(send, recv, all);
}
static void test_strided(struct test *x) {
  uint64_t all = 3 * x->words * x->t->n, *send = words_of(all), *recv = target(x, send, all);
  RUN(x, fill(x, send, 3), expect(x, recv, 3), alltoall_strided, x->t->id, send, 24, recv, 24,
      x->words, 8);
  forget(send, recv, all);
}

/* -- of several -------------------------------------------------------------------------------- */

/* Both members of a pair send as much. */
static uint64_t words_between(const struct test *x, uint32_t a, uint32_t b) {
  uint64_t least = a < b ? a : b, most = a < b ? b : a;
  return x->words == 0 ? 0 : (least * 7 + most * 5) % (x->words + 1);
}

struct places {
  uint64_t size[64], at[64], all;
};

static struct places places_of(const struct test *x) {
  struct places p = {.all = 0};
  for (uint32_t m = x->t->n; m-- > 0;) { /* the last one first, with gaps */
    p.size[m] = 8 * words_between(x, x->t->me, m);
    p.at[m] = 8 * p.all;
    p.all += p.size[m] / 8 + 1;
  }
  return p;
}
static void fill_places(const struct test *x, const struct places *p, uint64_t *send) {
  for (uint32_t m = 0; m < x->t->n; m++)
    for (uint64_t i = 0; i < p->size[m] / 8; i++) send[p->at[m] / 8 + i] = value(x, x->t->me, m, i);
}
static void expect_places(const struct test *x, const struct places *p, const uint64_t *recv) {
  for (uint32_t m = 0; m < x->t->n; m++) {
    const uint64_t *block = recv + p->at[m] / 8;
    for (uint64_t i = 0; i < p->size[m] / 8; i++) CHECK(block[i] == value(x, m, x->t->me, i));
    CHECK(untouched((const char *)block + p->size[m], 8));
  }
}
static void test_alltoallv(struct test *x) {
  struct places p = places_of(x);
  uint64_t *send = words_of(p.all), *recv = target(x, send, p.all);
  RUN(x, fill_places(x, &p, send), expect_places(x, &p, recv), alltoallv, x->t->id, send, p.size,
      p.at, recv, p.size, p.at);
  forget(send, recv, p.all);
}

/* -- in runs ----------------------------------------------------------------------------------- */

/* A matrix of n * side rows and columns, of which each member has `side` rows, is transposed. */
static void test_transposition(struct test *x) {
  uint64_t side = x->words % 9, row = side * x->t->n, all = side * row;
  eyot_block_t go[64], come[64];
  for (uint32_t m = 0; m < x->t->n; m++) {
    go[m] = (eyot_block_t){.at = 8 * side * m, .run_bytes = side > 0 ? 8 : 0};
    come[m] = go[m];
    go[m].count[0] = go[m].count[1] = come[m].count[0] = come[m].count[1] = side;
    go[m].stride[0] = come[m].stride[1] = 8;
    go[m].stride[1] = come[m].stride[0] = (int64_t)(8 * row);
  }
  uint64_t *send = words_of(all), *recv = target(x, send, all), first = side * x->t->me;
#define FILL_ROWS                                 \
  for (uint64_t i = 0; i < all; i++) {            \
    send[i] = (x->round << 48) + row * first + i; \
  }
#define EXPECT_COLUMNS                                                      \
  for (uint64_t i = 0; i < all; i++) {                                      \
    CHECK(recv[i] == (x->round << 48) + (i % row) * row + first + i / row); \
  }
  RUN(x, FILL_ROWS, EXPECT_COLUMNS, alltoallw, x->t->id, send, go, recv, come);
  forget(send, recv, all);
}

/* What is refused still: buffers that overlap otherwise. */
static void test_refused(const struct team *t) {
  uint64_t size[64], at[64], other[64], *send = words_of(8 * t->n);
  for (uint32_t m = 0; m < t->n; m++) size[m] = 16, at[m] = 32 * m, other[m] = 32 * m + 8;
  CHECK(eyot_alltoall(t->id, send, send + 1, 16) == EYOT_EINVAL);
  CHECK(eyot_alltoallv(t->id, send, size, at, send, size, other) == EYOT_EINVAL);
  CHECK(eyot_alltoall_strided(t->id, send, 16, send + 1, 16, 1, 16) == EYOT_EINVAL);
  release((char *)send, 64 * t->n);
}

int main(void) {
  static const uint64_t WORDS[] = {0, 1, 2, 13, 300, 1100, 5000, 9000};
  OK(eyot_init(NULL, NULL));
  struct team t = describe(EYOT_TEAM_ALL);
  CHECK(t.n <= 64);
  struct test x = {.t = &t};
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
    for (uint32_t form = 0; form < FORMS; form++)
      for (uint32_t who = 0; who < 3; who++) { /* all, every second member, the last */
        if (who > 0 && (WORDS[i] > 2000 || t.n == 1)) continue;
        x.words = WORDS[i];
        x.form = (enum form)form;
        x.in_place = who == 0 || (who == 1 ? t.me % 2 == 0 : t.me == t.n - 1);
        test_alltoall(&x);
        test_strided(&x);
        test_alltoallv(&x);
        test_transposition(&x);
      }
  test_refused(&t);
  free(t.global);
  return finish();
}
