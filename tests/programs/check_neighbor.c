/* SPDX-License-Identifier: BSD-3-Clause */
/* check_neighbor.c - small programs for eyotcheck: neighbourhood collectives, each block checked.
 * check_neighbor WHAT [rounds=N]. Values depend on the round: an earlier one's message is seen.
 *
 *   cycle    a ring in both directions        ring    a ring in one direction
 *   ahead    a chain, its first member ahead   pieces  blocks of several, more in one direction
 *   credits  blocks of more pieces than slots   two  calls of two graphs under way at a time
 *   inside   unit 0 continues its call inside another wait
 *   forms    two graphs, in another order and another form on each member
 *   once     one call on a chain, nothing else is explored; stream: six in one direction
 *   self     edges to oneself, and two between two members
 *   wrong    calls that differ, then do not; refused: arguments of one member
 *   end      a call right after the creation, and right before the end, of graphs */
#include <string.h>

#include "programs/api_check.h"

#define MOST 8u /* members */
#define SLOT 8192u

struct test {
  uint32_t me, n, next, before;
  uint64_t round, rounds;
  bool last;
};

static uint64_t value(const struct test *t, uint64_t from, uint64_t to) {
  return t->round * 10000 + from * 100 + to + 1;
}
static eyot_tunit_t tunit(uint32_t id) {
  return (eyot_tunit_t){id};
}

static void make_ring(const struct test *t, eyot_graph_t *g) {
  OK(eyot_graph_create(EYOT_TEAM_ALL, (eyot_tunit_t[]){tunit(t->before)}, 1,
                       (eyot_tunit_t[]){tunit(t->next)}, 1, g));
}

static void cycle(const struct test *t) {
  static eyot_graph_t g;
  const bool periodic = true;
  if (t->round == 0) OK(eyot_cart_create(EYOT_TEAM_ALL, 1, &t->n, &periodic, &g));
  uint64_t v[2] = {value(t, t->me, 0), value(t, t->me, 1)}, got[2] = {0};
  OK(eyot_neighbor_alltoall(g, v, got, 8));
  EXPECT(got[0] == value(t, t->before, 1) && got[1] == value(t, t->next, 0));
  if (t->last) OK(eyot_graph_destroy(&g));
}

static void ring(const struct test *t) {
  static eyot_graph_t g;
  if (t->round == 0) make_ring(t, &g);
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_neighbor_allgather(g, &v, &got, 8));
  EXPECT(got == value(t, t->before, 0));
  if (t->last) OK(eyot_graph_destroy(&g));
}

static void ahead(const struct test *t) {
  static eyot_graph_t g;
  eyot_tunit_t from = {t->before}, to = {t->next};
  bool first = t->me == 0, end = t->me + 1 == t->n;
  if (t->round == 0)
    OK(eyot_graph_create(EYOT_TEAM_ALL, &from, first ? 0 : 1, &to, end ? 0 : 1, &g));
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_neighbor_allgather(g, &v, &got, 8));
  EXPECT(got == (first ? 0 : value(t, t->before, 0)));
  if (t->last) OK(eyot_graph_destroy(&g));
}

/* Odd members send short blocks, and even ones long ones. */
static uint64_t length(const struct test *t, uint32_t from) {
  return (from + t->round) % 2 == 0 ? 6 * SLOT + 1 : 8;
}
static void pieces(const struct test *t) {
  static eyot_graph_t g;
  static char send[6 * SLOT + 1], got[2][6 * SLOT + 1];
  const bool periodic = true;
  if (t->round == 0) OK(eyot_cart_create(EYOT_TEAM_ALL, 1, &t->n, &periodic, &g));
  uint64_t come[2] = {length(t, t->before), length(t, t->next)}, at[2] = {0, sizeof got[0]};
  memset(send, (int)value(t, t->me, 0), sizeof send);
  memset(got, 0, sizeof got);
  OK(eyot_neighbor_allgatherv(g, send, length(t, t->me), got, come, at));
  for (int s = 0; s < 2; s++) {
    char want = (char)value(t, s == 0 ? t->before : t->next, 0);
    for (uint64_t i = 0; i < come[s]; i += i % SLOT == 0 ? SLOT - 1 : 1)
      if (i % SLOT == SLOT - 1 || i % SLOT == 0) EXPECT(got[s][i] == want);
    EXPECT(got[s][come[s] - 1] == want);
  }
  if (t->last) OK(eyot_graph_destroy(&g));
}

/* Slots are used again by credits, or after calls of short blocks by what the peer's messages
 * say. */
static void credits(const struct test *t) {
  static eyot_graph_t g;
  static char send[2][4 * SLOT + 8], got[2][4 * SLOT + 8];
  uint64_t bytes = t->round % 2 == 0 ? sizeof send[0] : 8;
  const bool periodic = true;
  if (t->round == 0) OK(eyot_cart_create(EYOT_TEAM_ALL, 1, &t->n, &periodic, &g));
  for (uint64_t s = 0; s < 2; s++) memset(send[0] + s * bytes, (int)value(t, t->me, s), bytes);
  OK(eyot_neighbor_alltoall(g, send, got, bytes));
  for (uint64_t s = 0; s < 2; s++) {
    const char want = (char)value(t, s == 0 ? t->before : t->next, !s), *b = got[0] + s * bytes;
    for (uint64_t i = 0; i < bytes; i += SLOT) EXPECT(b[i] == want && b[i + 7] == want);
  }
  if (t->last) OK(eyot_graph_destroy(&g));
}

static void two(const struct test *t) {
  static eyot_graph_t a, b;
  eyot_coll_t op[3];
  if (t->round == 0) {
    make_ring(t, &a);
    OK(eyot_graph_create(EYOT_TEAM_ALL, (eyot_tunit_t[]){tunit(t->next)}, 1,
                         (eyot_tunit_t[]){tunit(t->before)}, 1, &b));
  }
  uint64_t v[3], got[3] = {0};
  for (uint64_t i = 0; i < 3; i++) v[i] = value(t, t->me, i);
  OK(eyot_neighbor_alltoall_nb(a, &v[0], &got[0], 8, &op[0]));
  OK(eyot_neighbor_allgather_nb(b, &v[1], &got[1], 8, &op[1]));
  OK(eyot_neighbor_alltoall_nb(a, &v[2], &got[2], 8, &op[2]));
  uint32_t first = (t->me + (uint32_t)t->round) % 3;
  for (uint32_t i = 0; i < 3; i++) OK(eyot_coll_wait(&op[(first + i) % 3]));
  EXPECT(got[0] == value(t, t->before, 0) && got[1] == value(t, t->next, 1) &&
         got[2] == value(t, t->before, 2));
  if (t->last) {
    OK(eyot_graph_destroy(&a));
    OK(eyot_graph_destroy(&b));
  }
}

typedef int start_t(eyot_graph_t g, const void *send, void *recv, uint64_t bytes, eyot_coll_t *op);
/* A member begins with either graph, by a plan or not, and blocks in its second call. */
static void forms(const struct test *t) {
  static start_t *const START[2] = {eyot_neighbor_alltoall_nb, eyot_neighbor_allgather_nb};
  static start_t *const PLAN[2] = {eyot_neighbor_alltoall_plan, eyot_neighbor_allgather_plan};
  static eyot_graph_t g[2];
  eyot_coll_t op;
  if (t->round == 0)
    for (int i = 0; i < 2; i++) make_ring(t, &g[i]);
  uint64_t v[2] = {value(t, t->me, 0), value(t, t->me, 1)}, got[2] = {0};
  uint32_t a = (t->me + (uint32_t)t->round) % 2, b = 1 - a;
  bool plan = t->me % 2 != 0;
  OK((plan ? PLAN : START)[a](g[a], &v[a], &got[a], 8, &op));
  if (plan) OK(eyot_coll_start(op));
  if (b == 0)
    OK(eyot_neighbor_alltoall(g[b], &v[b], &got[b], 8));
  else
    OK(eyot_neighbor_allgather(g[b], &v[b], &got[b], 8));
  OK(eyot_coll_wait(&op));
  if (plan) OK(eyot_coll_free(&op));
  for (uint64_t i = 0; i < 2; i++) EXPECT(got[i] == value(t, t->before, i));
  for (int i = 0; i < 2 && t->last; i++) OK(eyot_graph_destroy(&g[i]));
}

/* Unit 0's message goes on, and the block comes, while it waits for a word that the next member
 * sets only after its own completion: which needs unit 0's second message. */
static void inside(const struct test *t) {
  static eyot_graph_t g;
  static eyot_gptr_t flag;
  eyot_coll_t op[2];
  if (t->round == 0) {
    make_ring(t, &g);
    OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &flag));
  }
  uint64_t v[2] = {value(t, t->me, 0), value(t, t->me, 1)}, got[2] = {0};
  for (int i = 0; i < 2; i++) OK(eyot_neighbor_allgather_nb(g, &v[i], &got[i], 8, &op[i]));
  if (t->me == 0)
    OK(eyot_wait_until(eyot_gptr_at(flag, eyot_me()), EYOT_CMP_GE, t->round + 1, NULL));
  OK(eyot_coll_wait_all(op, 2));
  EXPECT(got[0] == value(t, t->before, 0) && got[1] == value(t, t->before, 1));
  if (t->me == 1 % t->n)
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_at(flag, (eyot_unit_t){0}),
                       EYOT_SIGNAL_ADD, 1));
  if (t->last) {
    OK(eyot_graph_destroy(&g));
    OK(eyot_team_free(flag));
  }
}

/* Calls on a chain in both directions, or in one; nothing else is explored. */
static void explored(const struct test *t, bool both, uint64_t calls) {
  eyot_graph_t g;
  eyot_tunit_t from[2], to[2];
  uint32_t in = 0, out = 0;
  if (t->me > 0) from[in++] = tunit(t->before);
  if (both && t->me + 1 < t->n) from[in++] = tunit(t->next);
  if (t->me + 1 < t->n) to[out++] = tunit(t->next);
  if (both && t->me > 0) to[out++] = tunit(t->before);
  OK(eyot_graph_create(EYOT_TEAM_ALL, from, in, to, out, &g));
  OK(eyot_check_begin());
  for (uint64_t i = 0; i < calls; i++) {
    uint64_t v = value(t, t->me, i), got[2] = {0};
    OK(eyot_neighbor_allgather(g, &v, got, 8));
    for (uint32_t k = 0; k < in; k++) EXPECT(got[k] == value(t, from[k].id, i));
  }
  OK(eyot_check_end());
  OK(eyot_graph_destroy(&g));
}
static void once(const struct test *t) {
  explored(t, true, 1);
}
static void stream(const struct test *t) {
  explored(t, false, 6);
}

static void self(const struct test *t) {
  static eyot_graph_t g;
  eyot_tunit_t from[4] = {{t->me}, {t->before}, {t->before}, {t->me}},
               to[4] = {{t->next}, {t->me}, {t->me}, {t->next}};
  if (t->round == 0) OK(eyot_graph_create(EYOT_TEAM_ALL, from, 4, to, 4, &g));
  uint64_t v[4], got[4] = {0};
  for (uint64_t i = 0; i < 4; i++) v[i] = value(t, t->me, i);
  OK(eyot_neighbor_alltoall(g, v, got, 8));
  if (t->n > 1)
    EXPECT(got[0] == v[1] && got[3] == v[2] && got[1] == value(t, t->before, 0) &&
           got[2] == value(t, t->before, 3));
  if (t->last) OK(eyot_graph_destroy(&g));
}

/* Member 1 calls something else in each second round: those who receive from it learn of it. */
static void wrong(const struct test *t) {
  static eyot_graph_t g;
  if (t->round == 0) make_ring(t, &g);
  bool now = t->round % 2 == 1, other = t->me == 1, from_other = t->before == 1;
  static uint64_t v[2 * SLOT], got[2 * SLOT];
  v[0] = value(t, t->me, 0), got[0] = 0;
  uint64_t bytes = now && other ? (t->round % 4 == 1 ? 2 * SLOT * 8 : 16) : 8;
  int rc = now && other && t->round % 4 == 3 ? eyot_neighbor_alltoall(g, v, got, 8)
                                             : eyot_neighbor_allgather(g, v, got, bytes);
  bool sees = now && (other || from_other);
  EXPECT(rc == (sees ? EYOT_EMISMATCH : EYOT_OK));
  if (rc == EYOT_OK) EXPECT(got[0] == value(t, t->before, 0));
  (void)eyot_errors_clear();
  if (t->last) OK(eyot_graph_destroy(&g));
}

/* Refused arguments: the neighbours learn of them, and the next call works. */
static void refused(const struct test *t) {
  static eyot_graph_t g;
  if (t->round == 0) make_ring(t, &g);
  bool now = t->round % 2 == 0, other = t->me == 1, from_other = t->before == 1;
  uint64_t v = value(t, t->me, 0), got = 0;
  int rc = eyot_neighbor_allgather(g, now && other ? NULL : &v, &got, 8);
  EXPECT(rc == (!now ? EYOT_OK : other ? EYOT_EINVAL : from_other ? EYOT_EMISMATCH : EYOT_OK));
  if (rc == EYOT_OK) EXPECT(got == value(t, t->before, 0));
  (void)eyot_errors_clear();
  if (t->last) OK(eyot_graph_destroy(&g));
}

static void end(const struct test *t) {
  eyot_graph_t g;
  make_ring(t, &g);
  uint64_t v = value(t, t->me, 0), got = 0;
  OK(eyot_neighbor_allgather(g, &v, &got, 8));
  EXPECT(got == value(t, t->before, 0));
  OK(eyot_graph_destroy(&g));
}

static const struct {
  const char *name;
  void (*run)(const struct test *t);
} TESTS[] = {{"cycle", cycle},     {"ring", ring}, {"ahead", ahead},   {"pieces", pieces},
             {"credits", credits}, {"two", two},   {"inside", inside}, {"forms", forms},
             {"self", self},       {"once", once}, {"stream", stream}, {"wrong", wrong},
             {"refused", refused}, {"end", end}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size(), .rounds = 1};
  if (argc > 2 && strncmp(argv[2], "rounds=", 7) == 0) t.rounds = strtoull(argv[2] + 7, NULL, 10);
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || t.n > MOST) {
    if (t.me == 0) fputs("usage: check_neighbor WHAT [rounds=N], of at most 8 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  t.next = (t.me + 1) % t.n;
  t.before = (t.me + t.n - 1) % t.n;
  for (t.round = 0; t.round < t.rounds; t.round++) {
    t.last = t.round + 1 == t.rounds;
    TESTS[i].run(&t);
  }
  return finish();
}
