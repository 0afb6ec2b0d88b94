/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_exact.c - reductions and scans by EYOT_SUM_EXACT, in all forms, compared with the definition
 * of the sum (support/exact_model.h): coll_exact [SEED].
 *
 * Sizes are around the end of a round of messages; teams of all units and of every second one; one
 * multiset of operands on teams of several sizes. Atomics and other types are refused, and so are
 * members that differ. */
#include "programs/coll_team.h"
#include "support/exact_model.h"

enum what { REDUCE, ALLREDUCE, SCAN, EXSCAN, BLOCK, REDUCE_SCATTER, WHATS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

struct run {
  const struct team *t;
  enum what what;
  enum form form;
  bool single;
  enum exact_kind kind;
  uint32_t root;
  uint64_t n, seed; /* elements of a block; of REDUCE_SCATTER: of the longest */
  bool in_place;
};

static uint64_t shared_random;

static eyot_type_t type_of(const struct run *r) {
  return r->single ? EYOT_FLOAT : EYOT_DOUBLE;
}
static uint64_t width_of(const struct run *r) {
  return r->single ? sizeof(float) : sizeof(double);
}
static bool has_blocks(const struct run *r) {
  return r->what == BLOCK || r->what == REDUCE_SCATTER;
}
/* Elements of the block of a member. */
static uint64_t block_n(const struct run *r, uint32_t member) {
  return r->what == REDUCE_SCATTER ? (r->n + member) % (r->n + 1) : r->n;
}
static uint64_t block_at(const struct run *r, uint32_t member) {
  uint64_t at = 0;
  for (uint32_t m = 0; m < member; m++) at += block_n(r, m);
  return at;
}

/* Element `i` of the input of a member. */
static double operand(const struct run *r, uint32_t member, uint64_t i) {
  return exact_operand(r->kind, r->single, r->seed + i, member);
}
static void number_set(const struct run *r, char *p, uint64_t i, double x) {
  float f = (float)x;
  memcpy(p + i * width_of(r), r->single ? (void *)&f : (void *)&x, width_of(r));
}
static double number_get(const struct run *r, const char *p, uint64_t i) {
  float f;
  double d;
  memcpy(&f, p + i * width_of(r), sizeof f);
  if (!r->single) memcpy(&d, p + i * width_of(r), sizeof d);
  return r->single ? (double)f : d;
}
static void fill(const struct run *r, char *send) {
  uint64_t n = has_blocks(r) ? block_at(r, r->t->n) : r->n;
  for (uint64_t i = 0; i < n; i++) number_set(r, send, i, operand(r, r->t->me, i));
}

/* -- the calls --------------------------------------------------------------------------------- */

static int blocking(const struct run *r, const void *send, void *recv, const uint64_t *sizes) {
  eyot_type_t type = type_of(r);
  const eyot_op_t op = EYOT_SUM_EXACT;
  switch (r->what) {
    case REDUCE:
      return eyot_reduce(r->t->id, (eyot_tunit_t){r->root}, type, op, send, recv, r->n);
    case ALLREDUCE:
      return eyot_allreduce(r->t->id, type, op, send, recv, r->n);
    case SCAN:
      return eyot_scan(r->t->id, type, op, send, recv, r->n);
    case EXSCAN:
      return eyot_exscan(r->t->id, type, op, send, recv, r->n);
    case BLOCK:
      return eyot_reduce_scatter_block(r->t->id, type, op, send, recv, r->n);
    case REDUCE_SCATTER:
    case WHATS:
      break;
  }
  return eyot_reduce_scatter(r->t->id, type, op, send, recv, sizes);
}

/* Starts it, or makes a plan. */
static int begin(const struct run *r, const void *send, void *recv, const uint64_t *sizes,
                 eyot_coll_t *h) {
  eyot_team_t team = r->t->id;
  eyot_type_t type = type_of(r);
  const eyot_op_t op = EYOT_SUM_EXACT;
  eyot_tunit_t root = {r->root};
  bool nb = r->form == NONBLOCKING;
  switch (r->what) {
    case REDUCE:
      return nb ? eyot_reduce_nb(team, root, type, op, send, recv, r->n, h)
                : eyot_reduce_plan(team, root, type, op, send, recv, r->n, h);
    case SCAN:
      return nb ? eyot_scan_nb(team, type, op, send, recv, r->n, h)
                : eyot_scan_plan(team, type, op, send, recv, r->n, h);
    case EXSCAN:
      return nb ? eyot_exscan_nb(team, type, op, send, recv, r->n, h)
                : eyot_exscan_plan(team, type, op, send, recv, r->n, h);
    case BLOCK:
      return nb ? eyot_reduce_scatter_block_nb(team, type, op, send, recv, r->n, h)
                : eyot_reduce_scatter_block_plan(team, type, op, send, recv, r->n, h);
    case REDUCE_SCATTER:
      return nb ? eyot_reduce_scatter_nb(team, type, op, send, recv, sizes, h)
                : eyot_reduce_scatter_plan(team, type, op, send, recv, sizes, h);
    case ALLREDUCE:
    case WHATS:
      break;
  }
  return nb ? eyot_allreduce_nb(team, type, op, send, recv, r->n, h)
            : eyot_allreduce_plan(team, type, op, send, recv, r->n, h);
}

/* -- results ----------------------------------------------------------------------------------- */

static bool expects(const struct run *r) {
  if (r->what == REDUCE) return r->t->me == r->root;
  return r->what != EXSCAN || r->t->me > 0;
}

static void verify(const struct run *r, const char *recv) {
  uint64_t n = block_n(r, r->t->me), first = has_blocks(r) ? block_at(r, r->t->me) : 0;
  uint32_t members = r->what == SCAN ? r->t->me + 1 : r->what == EXSCAN ? r->t->me : r->t->n;
  for (uint64_t i = 0; i < n; i++) {
    struct exact_model m = {0};
    for (uint32_t k = 0; k < members; k++) exact_add(&m, operand(r, k, first + i));
    if (exact_is(&m, r->single, number_get(r, recv, i))) continue;
    fprintf(stderr,
            "coll_exact: member %u of %u: function %d, form %d, single %d, kind %d: element %llu "
            "of %llu is %a, not the sum\n",
            r->t->me, r->t->n, (int)r->what, (int)r->form, r->single, (int)r->kind,
            (unsigned long long)i, (unsigned long long)n, number_get(r, recv, i));
    eyot_abort(1, "an exact sum is wrong");
  }
}

static void run_once(struct run r) {
  const struct team *t = r.t;
  uint64_t in = (has_blocks(&r) ? block_at(&r, t->n) : r.n) * width_of(&r);
  uint64_t out = block_n(&r, t->me) * width_of(&r);
  char *send = buffer(in), *recv = buffer(out);
  uint64_t *sizes = malloc(t->n * sizeof *sizes);
  CHECK(sizes != NULL);
  for (uint32_t m = 0; m < t->n; m++) sizes[m] = block_n(&r, m);
  uint64_t own = has_blocks(&r) ? block_at(&r, t->me) * width_of(&r) : 0;
  char *into = r.in_place ? send + own : recv;
  eyot_coll_t h;
  fill(&r, send);
  if (r.form == BLOCKING) {
    OK(blocking(&r, send, into, sizes));
  } else {
    OK(begin(&r, send, into, sizes, &h));
    for (uint32_t times = 0; r.form == PERSISTENT && times < 2; times++) {
      OK(eyot_coll_start(h));
      OK(eyot_coll_wait(&h));
      if (expects(&r)) verify(&r, into);
      if (times == 1) break;
      r.seed++; /* other values, in the same buffers */
      fill(&r, send);
    }
    if (r.form == PERSISTENT)
      OK(eyot_coll_free(&h));
    else
      OK(eyot_coll_wait(&h));
  }
  if (expects(&r)) verify(&r, into);
  if (!expects(&r) || r.in_place) CHECK(untouched(recv, out));
  free(sizes);
  release(send, in);
  release(recv, out);
}

/* -- the tests --------------------------------------------------------------------------------- */

static void run_all(const struct team *t) {
  static const uint64_t N[] = {0, 1, 2, 7, 60, 61, 125, 411};
  for (uint32_t what = 0; what < WHATS; what++)
    for (uint32_t form = 0; form < FORMS; form++)
      for (uint32_t single = 0; single < 2; single++) {
        uint64_t h = draw(&shared_random);
        uint32_t most = sizeof N / sizeof N[0] - (single == 0);
        run_once((struct run){.t = t,
                              .what = (enum what)what,
                              .form = (enum form)form,
                              .single = single != 0,
                              .kind = (enum exact_kind)(h % EXACT_KINDS),
                              .root = (uint32_t)(h >> 8) % t->n,
                              .n = N[(h >> 24) % most],
                              .seed = h >> 32,
                              .in_place = (h >> 16) % 2 != 0});
      }
}

/* The sum of three operands, which members at random have (the others have -0), has the same bits
 * on teams of three units up to all. */
static void run_sizes(void) {
  uint32_t all = eyot_size(), me = eyot_me().id;
  for (uint32_t k = 0; k < 16; k++) {
    uint64_t seed = draw(&shared_random), first = 0;
    for (uint32_t size = 3; size <= all; size++) {
      eyot_team_t team;
      uint64_t place = draw(&shared_random), bits;
      OK(eyot_team_split(EYOT_TEAM_ALL, me < size ? 0 : 1, &team));
      double mine = -0.0, sum = 0;
      uint32_t at = (uint32_t)((me + place) % size);
      if (me < size && at < 3) mine = exact_operand(k % EXACT_KINDS, false, seed, at);
      OK(eyot_allreduce(team, EYOT_DOUBLE, EYOT_SUM_EXACT, &mine, &sum, 1));
      memcpy(&bits, &sum, sizeof bits);
      if (size == 3) first = bits;
      if (me < 3) CHECK(bits == first);
      OK(eyot_team_destroy(&team));
    }
  }
}

static void run_refused(void) {
  eyot_gptr_t g;
  double d = 1;
  int64_t i = 1;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof d, &g));
  CHECK(eyot_accumulate(g, EYOT_DOUBLE, EYOT_SUM_EXACT, &d) == EYOT_EINVAL);
  CHECK(eyot_fetch_op(g, EYOT_DOUBLE, EYOT_SUM_EXACT, &d, &d) == EYOT_EINVAL && d == 1);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_INT64, EYOT_SUM_EXACT, &i, &i, 1) == EYOT_EINVAL);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_LONG_DOUBLE, EYOT_SUM_EXACT, &d, &d, 1) == EYOT_EINVAL);
  CHECK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM_EXACT, &d, &d,
                       UINT64_MAX / sizeof d / 8) == EYOT_EINVAL);
  CHECK(eyot_reduce_scatter_block(EYOT_TEAM_ALL, EYOT_FLOAT, EYOT_SUM_EXACT, NULL, &d, 1) ==
        EYOT_EINVAL);
  CHECK(d == 1 && i == 1);
  OK(eyot_team_free(g));
}

/* Members of which one sums otherwise are told so, although their elements differ in length. */
static void run_mismatch(const struct team *t) {
  double d = 1, sum = 0;
  if (t->n == 1) return;
  for (uint32_t odd = 0; odd < 2; odd++) {
    eyot_op_t op = t->me == odd ? EYOT_SUM_EXACT : EYOT_SUM;
    CHECK(eyot_allreduce(t->id, EYOT_DOUBLE, op, &d, &sum, 1) == EYOT_EMISMATCH);
    OK(eyot_allreduce(t->id, EYOT_DOUBLE, EYOT_SUM_EXACT, &d, &sum, 1));
    CHECK(sum == (double)t->n);
    op = t->me == odd ? EYOT_SUM : EYOT_SUM_EXACT;
    CHECK(eyot_allreduce(t->id, EYOT_DOUBLE, op, &d, &sum, 1) == EYOT_EMISMATCH);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  shared_random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  struct team all = describe(EYOT_TEAM_ALL);
  run_mismatch(&all);
  run_refused();
  for (uint32_t i = 0; i < 3; i++) run_all(&all);
  run_sizes();
  eyot_team_t half;
  OK(eyot_team_split(EYOT_TEAM_ALL, eyot_me().id % 2, &half));
  struct team mine = describe(half);
  run_all(&mine);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_destroy(&half));
  free(mine.global);
  free(all.global);
  return finish();
}
