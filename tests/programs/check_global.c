/* SPDX-License-Identifier: BSD-3-Clause */
/* check_global.c - collectives on global memory for eyotcheck: a member reads the others' parts
 * right before or right after a call, which is safe by the mode of synchronization alone.
 * check_global in|out|permute|prefix [rounds=N]. */
#include <string.h>

#include "programs/api_check.h"

struct test {
  uint32_t me, n;
  eyot_gptr_t src, dst;
  uint64_t *from, *to; /* the caller's parts */
};

static eyot_gptr_t part_of(eyot_gptr_t g, uint32_t unit) {
  return eyot_gptr_at(g, (eyot_unit_t){unit});
}
/* Word k of another member's part of dst. */
static uint64_t word_of(const struct test *t, uint32_t unit, uint32_t k) {
  uint64_t v;
  OK(eyot_get(&v, eyot_gptr_add(part_of(t->dst, unit), 8 * (int64_t)k), 8));
  return v;
}

/* Nothing is written before all have entered: the others' parts are those of the round before. */
static void in(const struct test *t, uint64_t round) {
  uint32_t root = (uint32_t)(round % t->n), far = (t->me + 1) % t->n;
  if (t->me == root) t->from[0] = round + 1;
  EXPECT(word_of(t, far, 0) == round);
  OK(eyot_global_broadcast(EYOT_TEAM_ALL, t->dst, part_of(t->src, root), 8,
                           EYOT_IN_ALLSYNC | EYOT_OUT_MYSYNC));
  EXPECT(t->to[0] == round + 1);
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* between the calls of two rounds */
}

/* All is written when one returns. */
static void out(const struct test *t, uint64_t round) {
  uint32_t root = (uint32_t)(round % t->n);
  if (t->me == root) t->from[0] = round + 1;
  OK(eyot_global_broadcast(EYOT_TEAM_ALL, t->dst, part_of(t->src, root), 8,
                           EYOT_IN_MYSYNC | EYOT_OUT_ALLSYNC));
  for (uint32_t u = 0; u < t->n; u++) EXPECT(word_of(t, u, 0) == round + 1);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void permute(const struct test *t, uint64_t round) {
  uint32_t shift = (uint32_t)(round + 1);
  t->from[0] = round * 100 + t->me + 1;
  OK(eyot_global_permute(EYOT_TEAM_ALL, t->dst, t->src, (eyot_tunit_t){(t->me + shift) % t->n}, 8,
                         EYOT_IN_MYSYNC | EYOT_OUT_MYSYNC));
  EXPECT(t->to[0] == round * 100 + (t->me + t->n - shift % t->n) % t->n + 1);
}

/* An array of which the first and the last row are not whole. */
static void prefix(const struct test *t, uint64_t round) {
  uint64_t n = 2 * t->n, sum = 0;
  for (uint64_t i = 0; i < n; i++)
    if ((1 + i) % t->n == t->me) t->from[(1 + i) / t->n] = round + i;
  OK(eyot_global_prefix_reduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, part_of(t->dst, 1 % t->n),
                               part_of(t->src, 1 % t->n), n, 1, EYOT_IN_MYSYNC | EYOT_OUT_ALLSYNC));
  for (uint64_t i = 0; i < n; i++) {
    sum += round + i;
    EXPECT(word_of(t, (uint32_t)((1 + i) % t->n), (uint32_t)((1 + i) / t->n)) == sum);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static const struct {
  const char *name;
  void (*run)(const struct test *t, uint64_t round);
} PARTS[] = {{"in", in}, {"out", out}, {"permute", permute}, {"prefix", prefix}};

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct test t = {.me = eyot_me().id, .n = eyot_size()};
  uint64_t rounds = 2;
  void *own;
  for (int i = 2; i < argc; i++)
    if (strncmp(argv[i], "rounds=", 7) == 0) rounds = strtoull(argv[i] + 7, NULL, 10);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &t.src));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &t.dst));
  OK(eyot_gptr_addr(part_of(t.src, t.me), &own));
  t.from = own;
  OK(eyot_gptr_addr(part_of(t.dst, t.me), &own));
  t.to = own;
  bool found = false;
  for (size_t k = 0; k < sizeof PARTS / sizeof *PARTS; k++) {
    if (argc < 2 || strcmp(argv[1], PARTS[k].name) != 0) continue;
    found = true;
    for (uint64_t round = 0; round < rounds; round++) PARTS[k].run(&t, round);
  }
  OK(eyot_team_free(t.src));
  OK(eyot_team_free(t.dst));
  if (found) return finish();
  if (t.me == 0) fputs("usage: check_global in|out|permute|prefix [rounds=N]\n", stderr);
  (void)eyot_finalize();
  return 2;
}
