/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_moves.c - compares collectives that move blocks of several lengths with their definition:
 * scatter, scatterv, gatherv, allgatherv, collect, alltoallv and alltoallw, packed and placed, in
 * place and not, all roots or some, around the sizes at which rounds change; and their mistakes.
 *
 * coll_moves all|sample [SEED [MISTAKES]]
 *
 * MISTAKES: how often members make all mistakes, 1 if not given; what calls that differ leave
 * behind must not reach later ones, however late it comes. */
#include "programs/coll_team.h"

/* Byte i of the block that `from` sends to `to`. */
static char byte_of(uint32_t from, uint32_t to, uint64_t i) {
  return (char)(from * 31 + to * 7 + i * 13 + (i >> 8));
}

/* Where blocks lie in a buffer: placed ones in the order of members backward, with gaps. */
struct blocks {
  uint64_t *sizes, *at, extent;
  bool placed;
};

static uint64_t size_of(uint64_t seed, uint64_t most, uint32_t from, uint32_t to) {
  uint64_t h = seed + from * 1000003u + to * 10007u;
  h ^= h >> 13;
  h *= 0x9e3779b97f4a7c15u;
  h >>= 20;
  return h % 4 == 0 ? 0 : h % 4 == 1 ? most : h % (most + 1);
}

static struct blocks blocks_of(uint32_t n, bool placed) {
  struct blocks b = {malloc(n * sizeof(uint64_t)), malloc(n * sizeof(uint64_t)), 0, placed};
  CHECK(b.sizes != NULL && b.at != NULL);
  return b;
}
static void lay_out(struct blocks *b, uint32_t n) {
  uint64_t next = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t m = b->placed ? n - 1 - i : i;
    b->at[m] = next;
    next += b->sizes[m] + (b->placed ? 3 : 0);
  }
  b->extent = next;
}
static void blocks_free(struct blocks *b) {
  free(b->sizes);
  free(b->at);
}
static const uint64_t *at_of(const struct blocks *b) {
  return b->placed ? b->at : NULL;
}

static void fill(char *p, uint64_t bytes, uint32_t from, uint32_t to) {
  for (uint64_t i = 0; i < bytes; i++) p[i] = byte_of(from, to, i);
}
static void expect(const char *what, const char *p, uint64_t bytes, uint32_t from, uint32_t to) {
  for (uint64_t i = 0; i < bytes; i++) {
    if (p[i] == byte_of(from, to, i)) continue;
    fprintf(stderr, "%s: byte %llu of %llu from member %u to %u is wrong\n", what,
            (unsigned long long)i, (unsigned long long)bytes, from, to);
    eyot_abort(1, "a collective does not agree with its model");
  }
}

static void test_scatter(const struct team *t, uint32_t root, uint64_t bytes, bool in_place) {
  bool is_root = t->me == root;
  char *send = buffer(is_root ? t->n * bytes : 0), *recv = buffer(bytes);
  for (uint32_t m = 0; m < t->n && is_root; m++) fill(send + m * bytes, bytes, root, m);
  char *into = is_root && in_place ? send + root * bytes : recv;
  OK(eyot_scatter(t->id, (eyot_tunit_t){root}, is_root ? send : NULL, into, bytes));
  expect("scatter", into, bytes, root, t->me);
  release(send, is_root ? t->n * bytes : 0);
  release(recv, bytes);
}

static void test_scatterv(const struct team *t, uint32_t root, uint64_t most, uint64_t seed) {
  bool is_root = t->me == root;
  struct blocks b = blocks_of(t->n, seed % 2 != 0);
  for (uint32_t m = 0; m < t->n; m++) b.sizes[m] = size_of(seed, most, root, m);
  lay_out(&b, t->n);
  uint64_t bytes = b.sizes[t->me];
  char *send = buffer(b.extent), *recv = buffer(bytes);
  for (uint32_t m = 0; m < t->n; m++) fill(send + b.at[m], b.sizes[m], root, m);
  char *into = is_root && seed % 3 == 0 ? send + b.at[root] : recv;
  OK(eyot_scatterv(t->id, (eyot_tunit_t){root}, is_root ? send : NULL, is_root ? b.sizes : NULL,
                   is_root ? at_of(&b) : NULL, into, bytes));
  expect("scatterv", into, bytes, root, t->me);
  release(send, b.extent);
  release(recv, bytes);
  blocks_free(&b);
}

/* root t->n: allgatherv; t->n + 1: collect. */
static void test_gather(const struct team *t, uint32_t root, uint64_t most, uint64_t seed) {
  bool collects = root == t->n + 1, wanted = root >= t->n || t->me == root;
  struct blocks b = blocks_of(t->n, seed % 2 != 0 && !collects);
  for (uint32_t m = 0; m < t->n; m++) b.sizes[m] = size_of(seed, most, m, 0);
  lay_out(&b, t->n);
  uint64_t bytes = b.sizes[t->me], *told = malloc(t->n * sizeof *told);
  CHECK(told != NULL);
  char *send = buffer(bytes), *recv = buffer(b.extent);
  char *from = wanted && seed % 3 == 0 ? recv + b.at[t->me] : send;
  fill(from, bytes, t->me, 0);
  if (collects)
    OK(eyot_collect(t->id, from, bytes, recv, b.extent, seed % 5 == 0 ? NULL : told));
  else if (root == t->n)
    OK(eyot_allgatherv(t->id, from, recv, b.sizes, at_of(&b)));
  else
    OK(eyot_gatherv(t->id, (eyot_tunit_t){root}, from, bytes, wanted ? recv : NULL,
                    wanted ? b.sizes : NULL, wanted ? at_of(&b) : NULL));
  for (uint32_t m = 0; m < t->n && wanted; m++) {
    expect("gather", recv + b.at[m], b.sizes[m], m, 0);
    if (b.placed) CHECK(untouched(recv + b.at[m] + b.sizes[m], 3));
    if (collects && seed % 5 != 0) CHECK(told[m] == b.sizes[m]);
  }
  if (!wanted) CHECK(untouched(recv, b.extent));
  release(send, bytes);
  release(recv, b.extent);
  free(told);
  blocks_free(&b);
}

static void test_alltoallv(const struct team *t, uint64_t most, uint64_t seed) {
  struct blocks go = blocks_of(t->n, seed % 2 != 0), come = blocks_of(t->n, seed % 3 == 0);
  for (uint32_t m = 0; m < t->n; m++) {
    go.sizes[m] = size_of(seed, most, t->me, m);
    come.sizes[m] = size_of(seed, most, m, t->me);
  }
  lay_out(&go, t->n);
  lay_out(&come, t->n);
  char *send = buffer(go.extent), *recv = buffer(come.extent);
  for (uint32_t m = 0; m < t->n; m++) fill(send + go.at[m], go.sizes[m], t->me, m);
  OK(eyot_alltoallv(t->id, send, go.sizes, at_of(&go), recv, come.sizes, at_of(&come)));
  for (uint32_t m = 0; m < t->n; m++) {
    expect("alltoallv", recv + come.at[m], come.sizes[m], m, t->me);
    if (come.placed) CHECK(untouched(recv + come.at[m] + come.sizes[m], 3));
  }
  release(send, go.extent);
  release(recv, come.extent);
  blocks_free(&go);
  blocks_free(&come);
}

/* A block of rows whose bytes go in the order of columns: a transposition on both sides, of which
 * each undoes the other's if `turned`. */
static eyot_block_t columns(uint64_t at, uint64_t rows, uint64_t run, bool turned) {
  const uint64_t cols = 3;
  eyot_block_t b = {.at = at, .run_bytes = rows > 0 ? run : 0};
  b.count[0] = turned ? rows : cols;
  b.stride[0] = (int64_t)(turned ? cols * run : run);
  b.count[1] = turned ? cols : rows;
  b.stride[1] = (int64_t)(turned ? run : cols * run);
  return b;
}

/* Blocks of 3 columns of `run` bytes, of several rows; one side's last row comes first. */
static void test_alltoallw(const struct team *t, uint64_t most, uint64_t seed) {
  static eyot_block_t go[64], come[64];
  const uint64_t run = seed % 2 == 0 ? 8 : 5;
  struct blocks out = blocks_of(t->n, false), in = blocks_of(t->n, false);
  CHECK(t->n <= 64);
  for (uint32_t m = 0; m < t->n; m++) {
    out.sizes[m] = size_of(seed, most / (3 * run), t->me, m) * 3 * run;
    in.sizes[m] = size_of(seed, most / (3 * run), m, t->me) * 3 * run;
  }
  lay_out(&out, t->n);
  lay_out(&in, t->n);
  for (uint32_t m = 0; m < t->n; m++) {
    uint64_t rows = in.sizes[m] / (3 * run);
    go[m] = columns(out.at[m], out.sizes[m] / (3 * run), run, seed % 3 == 0);
    come[m] = columns(in.at[m], rows, run, seed % 3 == 0);
    if (rows == 0 || seed % 3 == 0) continue;
    come[m].at += (rows - 1) * 3 * run;
    come[m].stride[1] = -come[m].stride[1];
  }
  char *send = buffer(out.extent), *recv = buffer(in.extent), *row = buffer(3 * run);
  for (uint32_t m = 0; m < t->n; m++) fill(send + out.at[m], out.sizes[m], t->me, m);
  OK(eyot_alltoallw(t->id, send, go, recv, come));
  for (uint32_t m = 0; m < t->n; m++) {
    uint64_t rows = in.sizes[m] / (3 * run);
    for (uint64_t i = 0; i < rows / 2 && seed % 3 != 0; i++) {
      char *a = recv + in.at[m] + i * 3 * run, *b = recv + in.at[m] + (rows - 1 - i) * 3 * run;
      memcpy(row, a, 3 * run);
      memcpy(a, b, 3 * run);
      memcpy(b, row, 3 * run);
    }
    expect("alltoallw", recv + in.at[m], in.sizes[m], m, t->me);
  }
  release(send, out.extent);
  release(recv, in.extent);
  release(row, 3 * run);
  blocks_free(&out);
  blocks_free(&in);
}

/* Mistakes of one member: it gets the error, and every other one that waits for it a mismatch. */
static void test_mistakes(const struct team *t) {
  if (t->n == 1) return;
  bool odd = t->me == t->n - 1;
  uint64_t *sizes = malloc(t->n * sizeof *sizes), *at = malloc(t->n * sizeof *at);
  char *send = buffer(t->n * 16), *recv = buffer(t->n * 16);
  CHECK(sizes != NULL && at != NULL);
  for (uint32_t m = 0; m < t->n; m++) sizes[m] = 8, at[m] = m * 8;
  int others = EYOT_EMISMATCH;
  CHECK(eyot_allgatherv(t->id, send, recv, odd ? NULL : sizes, at) == (odd ? EYOT_EINVAL : others));
  if (odd) at[t->n - 1] = at[0] + 7;
  CHECK(eyot_allgatherv(t->id, send, recv, sizes, at) == (odd ? EYOT_EINVAL : others));
  at[t->n - 1] = (t->n - 1) * 8;
  if (odd) sizes[0] = 9, at[0] = t->n * 8;
  CHECK(eyot_allgatherv(t->id, send, recv, sizes, at) == others);
  CHECK(eyot_alltoallv(t->id, send, sizes, at, recv, sizes, at) == others);
  at[0] = 0, sizes[0] = odd ? UINT64_MAX / 2 : 8;
  CHECK(eyot_alltoallv(t->id, send, sizes, NULL, recv, sizes, NULL) ==
        (odd ? EYOT_EINVAL : others));
  sizes[0] = 8;
  CHECK(eyot_alltoallv(t->id, send, sizes, at, send + 4, sizes, at) == EYOT_EINVAL);
  CHECK(eyot_collect(t->id, send, 8, recv, odd ? 8 : t->n * 8, NULL) ==
        (odd ? EYOT_ERANGE : others));
  CHECK(eyot_scan(t->id, EYOT_INT64, odd ? EYOT_REPLACE : EYOT_SUM, send, recv, 1) ==
            (odd ? EYOT_EINVAL : EYOT_OK) ||
        !odd);
  CHECK(eyot_reduce_scatter_block(t->id, EYOT_INT64, EYOT_SUM, send, send + 4, 1) == EYOT_EINVAL);
  for (uint32_t m = 0; m < t->n; m++) sizes[m] = 1 + odd;
  CHECK(eyot_reduce_scatter(t->id, EYOT_INT64, EYOT_SUM, send, recv, sizes) == others);
  release(send, t->n * 16);
  release(recv, t->n * 16);
  free(sizes);
  free(at);
  test_gather(t, t->n, 10, 5);
}

static void test_team(eyot_team_t id, bool all, uint64_t seed, uint64_t mistakes) {
  static const uint64_t SIZES[] = {0,    1, 7, 64, 255, 257, 2500, 24 * 1024 - 1, 24 * 1024 + 1,
                                   60000};
  struct team t = describe(id);
  uint64_t least = 96 * 1024 / t.n / 8 * 8; /* of a round of blocks of all members */
  for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0] + 2; i++) {
    uint64_t bytes = i < sizeof SIZES / sizeof SIZES[0] ? SIZES[i] : least + (i & 1);
    for (uint32_t k = 0; k < (all ? t.n : 3); k++, seed++) {
      uint32_t root = all ? k : k == 0 ? 0 : (uint32_t)(seed * 7 % t.n);
      if (!all && k > 0 && bytes > 300) continue;
      test_scatter(&t, root, bytes, seed % 2 != 0);
      test_scatterv(&t, root, bytes, seed);
      test_gather(&t, root, bytes, seed);
      test_gather(&t, t.n, bytes, seed);
      test_gather(&t, t.n + 1, bytes, seed);
      test_alltoallv(&t, bytes, seed);
      test_alltoallw(&t, bytes, seed);
    }
  }
  for (uint64_t i = 0; i < mistakes; i++) test_mistakes(&t);
  free(t.global);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc < 2 || (strcmp(argv[1], "all") != 0 && strcmp(argv[1], "sample") != 0)) {
    if (eyot_me().id == 0) fputs("usage: coll_moves all|sample [SEED [MISTAKES]]\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  bool all = strcmp(argv[1], "all") == 0;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  uint64_t mistakes = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  test_team(EYOT_TEAM_ALL, all, seed, mistakes);
  eyot_team_t id;
  OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 3, &id));
  test_team(id, false, seed + 1, mistakes);
  OK(eyot_team_destroy(&id));
  return finish();
}
