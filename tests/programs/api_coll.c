/* SPDX-License-Identifier: BSD-3-Clause */
/* api_coll.c - compares every collective with its serial result, on all units and on the teams of a
 * split, for sizes from nothing to several rounds. */
#include "programs/api_check.h"

#define MANY 40000u /* 64-bit elements: more than one round transfers */

/* Element i of the contribution of member `unit`. */
static int64_t input(uint32_t unit, uint64_t i) {
  return (int64_t)((unit + 3) * (i % 101 + 1) % 1009);
}

struct team {
  eyot_team_t id;
  uint32_t me, n;
  uint32_t *global; /* global id of each member */
};

static struct team describe(eyot_team_t id) {
  struct team t = {.id = id};
  eyot_tunit_t me;
  OK(eyot_team_me(id, &me));
  OK(eyot_team_size(id, &t.n));
  t.me = me.id;
  t.global = malloc(t.n * sizeof *t.global);
  CHECK(t.global != NULL);
  for (uint32_t i = 0; i < t.n; i++) {
    eyot_unit_t g;
    OK(eyot_team_l2g(id, (eyot_tunit_t){i}, &g));
    t.global[i] = g.id;
  }
  return t;
}

static int64_t *numbers(uint64_t n) {
  int64_t *p = malloc((n + 1) * sizeof *p);
  CHECK(p != NULL);
  return p;
}

static void test_broadcast(const struct team *t, uint32_t root, uint64_t n) {
  int64_t *b = numbers(n);
  for (uint64_t i = 0; i < n; i++) b[i] = t->me == root ? input(root, i) : -1;
  OK(eyot_broadcast(t->id, (eyot_tunit_t){root}, b, n * 8));
  for (uint64_t i = 0; i < n; i++) CHECK(b[i] == input(root, i));
  free(b);
}

static int64_t serial(const struct team *t, eyot_op_t op, uint64_t i) {
  int64_t v = input(t->global[0], i);
  for (uint32_t u = 1; u < t->n; u++) {
    int64_t x = input(t->global[u], i);
    v = op == EYOT_SUM   ? v + x
        : op == EYOT_MAX ? (x > v ? x : v)
        : op == EYOT_MIN ? (x < v ? x : v)
                         : (v ^ x);
  }
  return v;
}

static void test_reduce(const struct team *t, uint32_t root, uint64_t n) {
  static const eyot_op_t OPS[] = {EYOT_SUM, EYOT_MAX, EYOT_MIN, EYOT_BXOR};
  int64_t *send = numbers(n), *recv = numbers(n);
  for (size_t k = 0; k < sizeof OPS / sizeof OPS[0]; k++) {
    for (uint64_t i = 0; i < n; i++) send[i] = input(t->global[t->me], i);
    OK(eyot_reduce(t->id, (eyot_tunit_t){root}, EYOT_INT64, OPS[k], send,
                   t->me == root ? recv : NULL, n));
    for (uint64_t i = 0; i < n && t->me == root; i++) CHECK(recv[i] == serial(t, OPS[k], i));
    OK(eyot_allreduce(t->id, EYOT_INT64, OPS[k], send, send, n)); /* in place */
    for (uint64_t i = 0; i < n; i++) CHECK(send[i] == serial(t, OPS[k], i));
  }
  free(send);
  free(recv);
}

/* Sums of doubles depend on the order, which must be the same on all members. */
static void test_same_bits(const struct team *t) {
  double d = 1.0 / (3.0 + t->global[t->me]), sum, least, most;
  OK(eyot_allreduce(t->id, EYOT_DOUBLE, EYOT_SUM, &d, &sum, 1));
  OK(eyot_allreduce(t->id, EYOT_DOUBLE, EYOT_MIN, &sum, &least, 1));
  OK(eyot_allreduce(t->id, EYOT_DOUBLE, EYOT_MAX, &sum, &most, 1));
  CHECK(memcmp(&least, &most, sizeof least) == 0 && least == sum);
}

static void test_gather(const struct team *t, uint32_t root, uint64_t n) {
  int64_t *send = numbers(n), *recv = numbers(n * t->n);
  for (uint64_t i = 0; i < n; i++) send[i] = input(t->global[t->me], i);
  OK(eyot_gather(t->id, (eyot_tunit_t){root}, send, t->me == root ? recv : NULL, n * 8));
  for (uint64_t i = 0; i < n * t->n && t->me == root; i++)
    CHECK(recv[i] == input(t->global[i / n], i % n));
  memset(recv, 0, n * t->n * 8);
  OK(eyot_allgather(t->id, send, recv, n * 8));
  for (uint64_t i = 0; i < n * t->n; i++) CHECK(recv[i] == input(t->global[i / n], i % n));
  free(send);
  free(recv);
}

static void test_alltoall(const struct team *t, uint64_t n) {
  int64_t *send = numbers(n * t->n), *recv = numbers(n * t->n);
  for (uint64_t i = 0; i < n * t->n; i++)
    send[i] = input(t->global[t->me], i) * 1000 + (int64_t)(i / n);
  OK(eyot_alltoall(t->id, send, recv, n * 8));
  for (uint64_t i = 0; i < n * t->n; i++)
    CHECK(recv[i] == input(t->global[i / n], t->me * n + i % n) * 1000 + t->me);
  free(send);
  free(recv);
}

static void test_odd_bytes(const struct team *t) {
  char b[13] = "            ";
  if (t->me == t->n - 1) memcpy(b, "hello, eyot!", 13);
  OK(eyot_broadcast(t->id, (eyot_tunit_t){t->n - 1}, b, 13));
  CHECK(memcmp(b, "hello, eyot!", 13) == 0);
  char mine[3] = {(char)('a' + t->me % 26), (char)t->me, 'x'};
  char *all = malloc((size_t)t->n * 3);
  CHECK(all != NULL);
  OK(eyot_allgather(t->id, mine, all, 3));
  for (uint32_t i = 0; i < t->n; i++)
    CHECK(all[i * 3] == (char)('a' + i % 26) && all[i * 3 + 1] == (char)i && all[i * 3 + 2] == 'x');
  free(all);
}

/* A mismatch is reported on every member, of a broadcast or a reduction at last by the next
 * allreduce, and the team stays usable. */
static void test_mismatch(const struct team *t) {
  uint64_t v[2] = {t->me, 0}, w[2];
  if (t->n == 1) return;
  int rc = eyot_broadcast(t->id, (eyot_tunit_t){0}, v, t->me == t->n - 1 ? 16 : 8);
  CHECK(rc == EYOT_EMISMATCH || (rc == EYOT_OK && t->me != t->n - 1));
  CHECK(eyot_allreduce(t->id, EYOT_UINT64, EYOT_SUM, v, w, 1) == EYOT_EMISMATCH);
  v[0] = t->me;
  CHECK(eyot_allreduce(t->id, EYOT_UINT64, t->me == 0 ? EYOT_SUM : EYOT_MAX, v, w, 1) ==
        EYOT_EMISMATCH);
  rc = eyot_reduce(t->id, (eyot_tunit_t){0}, EYOT_UINT64, EYOT_SUM, t->me == 1 ? NULL : v, w, 1);
  CHECK(rc == (t->me == 1   ? EYOT_EINVAL
               : t->me == 0 ? EYOT_EMISMATCH
               : rc == 0    ? EYOT_OK
                            : EYOT_EMISMATCH));
  CHECK(eyot_allreduce(t->id, EYOT_UINT64, EYOT_SUM, v, w, 1) == EYOT_EMISMATCH);
  CHECK(v[0] == t->me);
  test_broadcast(t, 0, 3);
}

static void test_team(eyot_team_t id, uint64_t many) {
  struct team t = describe(id);
  const uint64_t sizes[] = {0, 1, 7, 300, many};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint32_t roots[] = {0, t.n / 2, t.n - 1};
    for (size_t r = 0; r < sizeof roots / sizeof roots[0]; r++) {
      test_broadcast(&t, roots[r], sizes[i]);
      test_reduce(&t, roots[r], sizes[i]);
    }
    uint64_t n = sizes[i] > 2000 ? sizes[i] / t.n : sizes[i];
    test_gather(&t, t.n / 2, n);
    test_alltoall(&t, n);
    OK(eyot_barrier(id));
  }
  test_same_bits(&t);
  test_odd_bytes(&t);
  test_mismatch(&t);
  free(t.global);
}

int main(void) {
  OK(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id, n = eyot_size();
  test_team(EYOT_TEAM_ALL, n <= 8 ? MANY : 2000);
  eyot_team_t team;
  OK(eyot_team_split(EYOT_TEAM_ALL, me % 3, &team));
  test_team(team, 500);
  OK(eyot_team_destroy(&team));
  return finish();
}
