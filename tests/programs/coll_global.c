/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_global.c - collectives on global memory against a serial model: blocks and arrays of many
 * layouts, all modes of synchronization, operators that do not commute, on all units and on a team;
 * and their mistakes.
 *
 * coll_global [SEED] */
#include "programs/coll_team.h"

#define PART 8192u /* bytes of a member's part of an allocation */

static const eyot_sync_t MODES[] = {0,
                                    EYOT_IN_ALLSYNC | EYOT_OUT_MYSYNC,
                                    EYOT_IN_MYSYNC | EYOT_OUT_ALLSYNC,
                                    EYOT_IN_MYSYNC | EYOT_OUT_MYSYNC,
                                    EYOT_IN_NOSYNC | EYOT_OUT_NOSYNC,
                                    EYOT_OUT_NOSYNC};
#define N_MODES (sizeof MODES / sizeof *MODES)

/* Two allocations of the team. */
struct memory {
  eyot_gptr_t src, dst;
  char *from, *to; /* the caller's parts */
};

static eyot_gptr_t part_of(const struct team *t, eyot_gptr_t g, uint32_t rank, uint64_t at) {
  return eyot_gptr_add(eyot_gptr_at(g, (eyot_unit_t){t->global[rank]}), (int64_t)at);
}

static struct memory memory_new(const struct team *t) {
  struct memory m;
  void *own;
  OK(eyot_team_alloc(t->id, PART, &m.src));
  OK(eyot_team_alloc(t->id, PART, &m.dst));
  OK(eyot_gptr_addr(part_of(t, m.src, t->me, 0), &own));
  m.from = own;
  OK(eyot_gptr_addr(part_of(t, m.dst, t->me, 0), &own));
  m.to = own;
  return m;
}

static unsigned char byte_at(uint32_t unit, uint64_t seed, uint64_t i) {
  return (unsigned char)(unit * 37 + seed * 11 + i * 5 + (i >> 7));
}

/* New contents, which nobody reads before all have them. */
static void fill(const struct team *t, const struct memory *m, uint64_t seed) {
  OK(eyot_barrier(t->id));
  for (uint64_t i = 0; i < PART; i++)
    m->from[i] = (char)byte_at(t->global[t->me], seed, i), m->to[i] = FILL;
  OK(eyot_barrier(t->id));
}

/* Of dst: bytes at..at+len are those of src of `unit` from byte `from` on. */
static void expect(const struct memory *m, uint64_t at, uint32_t unit, uint64_t seed, uint64_t from,
                   uint64_t len) {
  for (uint64_t i = 0; i < len; i++)
    CHECK((unsigned char)m->to[at + i] == byte_at(unit, seed, from + i));
}

/* -- blocks ------------------------------------------------------------------------------------ */

static void test_rooted(const struct team *t, const struct memory *m, uint64_t bytes, uint32_t root,
                        eyot_sync_t sync, uint64_t seed) {
  uint32_t me = t->me, unit = t->global[root];
  fill(t, m, seed);
  OK(eyot_global_broadcast(t->id, part_of(t, m->dst, 0, 8), part_of(t, m->src, root, 16), bytes,
                           sync));
  OK(eyot_barrier(t->id));
  expect(m, 8, unit, seed, 16, bytes);
  CHECK(untouched(m->to, 8) && untouched(m->to + 8 + bytes, PART - 8 - bytes));
  fill(t, m, seed);
  OK(eyot_global_scatter(t->id, m->dst, part_of(t, m->src, root, 8), bytes, sync));
  OK(eyot_barrier(t->id));
  expect(m, 0, unit, seed, 8 + me * bytes, bytes);
  CHECK(untouched(m->to + bytes, PART - bytes));
  fill(t, m, seed);
  OK(eyot_global_gather(t->id, part_of(t, m->dst, root, 24), m->src, bytes, sync));
  OK(eyot_barrier(t->id));
  for (uint32_t r = 0; r < t->n && me == root; r++)
    expect(m, 24 + r * bytes, t->global[r], seed, 0, bytes);
  CHECK(me == root || untouched(m->to, PART));
}

static void test_all(const struct team *t, const struct memory *m, uint64_t bytes, uint32_t shift,
                     eyot_sync_t sync, uint64_t seed) {
  uint32_t me = t->me, to = (me * (t->n - 1) + shift) % t->n;
  fill(t, m, seed);
  OK(eyot_global_gather_all(t->id, m->dst, m->src, bytes, sync));
  OK(eyot_barrier(t->id));
  for (uint32_t r = 0; r < t->n; r++) expect(m, r * bytes, t->global[r], seed, 0, bytes);
  fill(t, m, seed);
  OK(eyot_global_exchange(t->id, m->dst, m->src, bytes, sync));
  OK(eyot_barrier(t->id));
  for (uint32_t r = 0; r < t->n; r++) expect(m, r * bytes, t->global[r], seed, me * bytes, bytes);
  CHECK(untouched(m->to + t->n * bytes, PART - t->n * bytes));
  fill(t, m, seed);
  OK(eyot_global_permute(t->id, m->dst, m->src, (eyot_tunit_t){to}, bytes, sync));
  OK(eyot_barrier(t->id));
  for (uint32_t r = 0; r < t->n; r++)
    if ((r * (t->n - 1) + shift) % t->n == me) expect(m, 0, t->global[r], seed, 0, bytes);
  CHECK(untouched(m->to + bytes, PART - bytes));
}

/* -- arrays ------------------------------------------------------------------------------------ */

/* Products of such matrices do not commute. */
struct matrix {
  uint32_t a, b, c, d;
};
static struct matrix times(struct matrix x, struct matrix y) {
  return (struct matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                         x.c * y.b + x.d * y.d};
}
static void multiply(void *out, const void *left, const void *right, uint64_t n, void *context) {
  struct matrix *o = out;
  const struct matrix *l = left, *r = right;
  (void)context;
  for (uint64_t i = 0; i < n; i++) o[i] = times(l[i], r[i]);
}
static struct matrix matrix_of(uint64_t i, uint64_t seed) {
  uint32_t x = (uint32_t)(i * 2654435761u + seed * 97u);
  return (struct matrix){1 + x % 5, x >> 7, x >> 13, 3 + (x >> 3) % 7};
}
static uint64_t number_of(uint64_t i, uint64_t seed) {
  return i * 7919u + seed * 31u + (i >> 3);
}

struct array {
  uint64_t n, block;
  uint32_t start;
};

/* The byte of element i in its owner's part; *owner: its rank. */
static uint64_t element_at(const struct team *t, const struct array *a, uint64_t i, uint64_t width,
                           uint32_t *owner) {
  uint64_t block = a->block == 0 ? a->n : a->block, b = i / block;
  *owner = (uint32_t)((a->start + b) % t->n);
  return (((a->start + b) / t->n) * block + i % block) * width;
}

static void fill_array(const struct team *t, const struct memory *m, const struct array *a,
                       bool matrices, uint64_t seed) {
  uint64_t width = matrices ? sizeof(struct matrix) : 8;
  fill(t, m, seed);
  for (uint64_t i = 0; i < a->n; i++) {
    uint32_t owner;
    uint64_t at = element_at(t, a, i, width, &owner), v = number_of(i, seed);
    struct matrix x = matrix_of(i, seed);
    if (owner == t->me) memcpy(m->from + at, matrices ? (void *)&x : (void *)&v, width);
  }
  OK(eyot_barrier(t->id));
}

/* Every element that the caller owns of the array of prefixes in `to`. */
static void check_prefixes(const struct team *t, const char *to, const struct array *a,
                           bool matrices, uint64_t seed) {
  struct matrix product = matrix_of(0, seed);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < a->n; i++) {
    uint32_t owner;
    uint64_t at = element_at(t, a, i, matrices ? sizeof product : 8, &owner);
    if (i > 0) product = times(product, matrix_of(i, seed));
    sum += number_of(i, seed);
    if (owner != t->me) continue;
    CHECK(memcmp(to + at, matrices ? (void *)&product : (void *)&sum,
                 matrices ? sizeof product : 8) == 0);
  }
}

/* All elements at once: the last prefix. */
static void check_reduced(const char *to, const struct array *a, bool matrices, uint64_t seed) {
  struct matrix product = matrix_of(0, seed), got_product;
  uint64_t sum = number_of(0, seed), got;
  for (uint64_t i = 1; i < a->n; i++) {
    product = times(product, matrix_of(i, seed));
    sum += number_of(i, seed);
  }
  memcpy(&got, to, sizeof got);
  memcpy(&got_product, to, sizeof got_product);
  CHECK(matrices ? memcmp(&got_product, &product, sizeof product) == 0 : got == sum);
}

static void test_array(const struct team *t, const struct memory *m, const struct array *a,
                       eyot_op_t mul, eyot_sync_t sync, uint64_t seed) {
  eyot_gptr_t src = part_of(t, m->src, a->start, 0), dst = part_of(t, m->dst, a->start, 0);
  uint32_t root = (uint32_t)(seed * 5 % t->n);
  for (int matrices = 0; matrices < 2; matrices++) {
    eyot_type_t type = matrices ? EYOT_USER : EYOT_UINT64;
    eyot_op_t op = matrices ? mul : EYOT_SUM;
    fill_array(t, m, a, matrices, seed);
    OK(eyot_global_reduce(t->id, type, op, part_of(t, m->dst, root, 40), src, a->n, a->block,
                          sync));
    if (t->me == root) check_reduced(m->to + 40, a, matrices, seed);
    CHECK(t->me == root || untouched(m->to, PART));
    fill_array(t, m, a, matrices, seed);
    OK(eyot_global_prefix_reduce(t->id, type, op, dst, src, a->n, a->block, sync));
    check_prefixes(t, m->to, a, matrices, seed);
    OK(eyot_barrier(t->id));
    OK(eyot_global_prefix_reduce(t->id, type, op, src, src, a->n, a->block, sync)); /* in place */
    check_prefixes(t, m->from, a, matrices, seed);
  }
}

/* -- mistakes ---------------------------------------------------------------------------------- */

/* The last member makes them; all others learn of them, and the team works on. */
static void test_mistakes(const struct team *t, const struct memory *m) {
  bool odd = t->me == t->n - 1;
  int others = EYOT_EMISMATCH;
  if (t->n == 1) return;
  eyot_gptr_t none = EYOT_GPTR_NULL, src = m->src, dst = m->dst;
  CHECK(eyot_global_exchange(t->id, odd ? none : dst, src, 8, 0) == (odd ? EYOT_ESEG : others));
  CHECK(eyot_global_exchange(t->id, dst, src, odd ? 16 : 8, 0) == others);
  CHECK(eyot_global_exchange(t->id, dst, src, 8, odd ? EYOT_IN_NOSYNC : EYOT_IN_ALLSYNC) == others);
  CHECK(eyot_global_gather_all(t->id, dst, src, 8, odd ? EYOT_OUT_NOSYNC : 0) == others);
  CHECK(eyot_global_gather_all(t->id, dst, odd ? none : src, 8, EYOT_IN_NOSYNC | EYOT_OUT_NOSYNC) ==
        (odd ? EYOT_ESEG : others));
  CHECK(eyot_global_gather_all(t->id, dst, src, 8, odd ? 3u : 0) == (odd ? EYOT_EINVAL : others));
  CHECK(eyot_global_gather_all(t->id, src, src, 8, 0) == EYOT_EINVAL);
  CHECK(eyot_global_exchange(t->id, dst, src, PART, 64) == EYOT_EINVAL);
  CHECK(eyot_global_permute(t->id, dst, src, (eyot_tunit_t){0}, 8, 0) == EYOT_EINVAL);
  CHECK(eyot_global_permute(t->id, dst, src, (eyot_tunit_t){t->me + odd}, 8, 0) == EYOT_EINVAL);
  CHECK(eyot_global_permute(t->id, dst, odd ? none : src, (eyot_tunit_t){t->me}, 8, 0) ==
        (odd ? EYOT_ESEG : others));
  CHECK(eyot_global_reduce(t->id, EYOT_UINT64, EYOT_SUM, dst, src, 0, 1, 0) == EYOT_EINVAL);
  CHECK(eyot_global_reduce(t->id, EYOT_DOUBLE, EYOT_SUM_EXACT, dst, src, 1, 1, 0) == EYOT_EINVAL);
  CHECK(eyot_global_reduce(t->id, EYOT_UINT64, EYOT_SUM, dst, src, 4, odd ? 2 : 1, 0) == others);
  CHECK(eyot_global_prefix_reduce(t->id, EYOT_UINT64, EYOT_SUM, dst, src, UINT64_MAX / 4, 1, 0) ==
        EYOT_EINVAL);
  CHECK(eyot_global_prefix_reduce(t->id, EYOT_UINT64, odd ? EYOT_REPLACE : EYOT_SUM, dst, src, 4, 1,
                                  0) == (odd ? EYOT_EINVAL : others));
  CHECK(eyot_global_prefix_reduce(t->id, EYOT_UINT64, EYOT_SUM, part_of(t, dst, 1, 0),
                                  part_of(t, src, 0, 0), 4, 1, 0) == EYOT_EINVAL);
  test_all(t, m, 8, 1, 0, 99);
}

/* A unit that is no member. */
static void test_foreign(const struct team *t, const struct memory *m) {
  uint32_t other = t->global[0] + 1; /* teams here are units with others between them */
  if (eyot_size() < 3 || t->n == eyot_size()) return;
  eyot_gptr_t src = eyot_gptr_at(m->src, (eyot_unit_t){other});
  CHECK(eyot_global_broadcast(t->id, m->dst, src, 8, 0) == EYOT_EUNIT);
  CHECK(eyot_global_reduce(t->id, EYOT_UINT64, EYOT_SUM, m->dst, src, 4, 1, 0) == EYOT_EUNIT);
}

static void test_team(eyot_team_t id, uint64_t seed) {
  static const uint64_t BYTES[] = {0, 1, 8, 100};
  static const uint64_t N[] = {1, 2, 3, 7, 12, 40}, BLOCK[] = {0, 1, 2, 3, 5};
  struct team t = describe(id);
  struct memory m = memory_new(&t);
  eyot_op_t mul;
  OK(eyot_op_create(multiply, NULL, sizeof(struct matrix), false, &mul));
  for (size_t i = 0; i < sizeof BYTES / sizeof *BYTES; i++, seed++) {
    uint64_t bytes = BYTES[i] * t.n > PART - 64 ? 8 : BYTES[i];
    test_rooted(&t, &m, bytes, (uint32_t)(seed * 3 % t.n), MODES[seed % N_MODES], seed);
    test_all(&t, &m, bytes, (uint32_t)(seed % t.n), MODES[(seed + i) % N_MODES], seed);
  }
  for (size_t i = 0; i < sizeof N / sizeof *N; i++)
    for (size_t k = 0; k < sizeof BLOCK / sizeof *BLOCK; k++, seed++) {
      struct array a = {N[i], BLOCK[k], (uint32_t)(seed * 7 % t.n)};
      test_array(&t, &m, &a, mul, MODES[seed % N_MODES], seed);
    }
  /* Blocks that are combined in lanes (coll/global_reduce.c). */
  static const struct array LONG[] = {{250, 0, 0}, {250, 130, 0}, {200, 128, 0}};
  for (size_t i = 0; i < sizeof LONG / sizeof *LONG; i++, seed++) {
    struct array a = {LONG[i].n, LONG[i].block, (uint32_t)(seed * 7 % t.n)};
    test_array(&t, &m, &a, mul, MODES[seed % N_MODES], seed);
  }
  test_mistakes(&t, &m);
  test_foreign(&t, &m);
  OK(eyot_op_free(&mul));
  OK(eyot_team_free(m.src));
  OK(eyot_team_free(m.dst));
  free(t.global);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  test_team(EYOT_TEAM_ALL, seed);
  eyot_team_t id;
  OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &id));
  test_team(id, seed + 1);
  OK(eyot_team_destroy(&id));
  return finish();
}
