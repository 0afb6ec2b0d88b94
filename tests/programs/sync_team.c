/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_team.c - collective operations of teams, over and over, with members that come early and
 * late: sync_team [rounds=N].
 *
 * Each round is a random sequence, the same on all members, of: allocate, put to all members,
 * fence, check, and free (the offset is agreed on); broadcast from a random root; allreduce;
 * alltoall; barrier; on the team of all or on the half of it that the unit is in. Every result is
 * checked. */
#include "programs/api_check.h"
#include "programs/sync_args.h"

#define THINK_NS 3000u
#define WORDS_MAX 200u

struct team {
  eyot_team_t id;
  uint32_t n, me;
  uint64_t shared; /* random numbers that are equal on all members */
};

static uint64_t value(uint64_t key, uint64_t member, uint64_t index) {
  uint64_t state = key ^ member << 32 ^ index;
  return draw(&state);
}

/* Each member puts to each other member, and checks the bytes after the fence. */
static void allocate(struct team *t) {
  uint64_t key = draw(&t->shared), *words = calloc(2 * (size_t)t->n, sizeof *words),
           *got = words + t->n;
  eyot_gptr_t part, at;
  CHECK(words != NULL);
  OK(eyot_team_alloc(t->id, t->n * sizeof *words, &part));
  for (uint32_t u = 0; u < t->n; u++) {
    words[u] = value(key, t->me, u);
    OK(eyot_gptr_at_team(part, t->id, (eyot_tunit_t){u}, &at));
    OK(eyot_put_nbi(eyot_gptr_add(at, (int64_t)(t->me * sizeof *words)), &words[u], sizeof *words));
  }
  OK(eyot_fence(part));
  OK(eyot_gptr_at_team(part, t->id, (eyot_tunit_t){t->me}, &at));
  OK(eyot_get(got, at, t->n * sizeof *words));
  for (uint32_t u = 0; u < t->n; u++) CHECK(got[u] == value(key, u, t->me));
  OK(eyot_team_free(part));
  free(words);
}

static void broadcast(struct team *t) {
  uint64_t key = draw(&t->shared), words[WORDS_MAX];
  uint32_t root = (uint32_t)(key % t->n);
  size_t n = 1 + key / t->n % WORDS_MAX;
  for (size_t i = 0; i < n; i++) words[i] = t->me == root ? value(key, root, i) : 0;
  OK(eyot_broadcast(t->id, (eyot_tunit_t){root}, words, n * sizeof words[0]));
  for (size_t i = 0; i < n; i++) CHECK(words[i] == value(key, root, i));
}

static void allreduce(struct team *t) {
  uint64_t key = draw(&t->shared), mine[3], all[3];
  for (uint32_t i = 0; i < 3; i++) mine[i] = value(key, t->me, i);
  OK(eyot_allreduce(t->id, EYOT_UINT64, EYOT_BXOR, mine, all, 3));
  for (uint32_t u = 0; u < t->n; u++)
    for (uint32_t i = 0; i < 3; i++) all[i] ^= value(key, u, i);
  CHECK(all[0] == 0 && all[1] == 0 && all[2] == 0);
}

static void alltoall(struct team *t) {
  uint64_t key = draw(&t->shared), *send = calloc(2 * (size_t)t->n, sizeof *send),
           *recv = send + t->n;
  CHECK(send != NULL);
  for (uint32_t u = 0; u < t->n; u++) send[u] = value(key, t->me, u);
  OK(eyot_alltoall(t->id, send, recv, sizeof *send));
  for (uint32_t u = 0; u < t->n; u++) CHECK(recv[u] == value(key, u, t->me));
  free(send);
}

int main(int argc, char **argv) {
  uint64_t rounds = 16;
  const struct sync_arg known[] = {{"rounds", &rounds}};
  OK(eyot_init(&argc, &argv));
  sync_args_read(argc, argv, 1, known, 1);
  const char *seed = getenv("EYOT_SEED");
  uint64_t common = seed != NULL ? strtoull(seed, NULL, 10) : 1,
           own = common * 1000003 + eyot_me().id;
  struct team t[2] = {
      {.id = EYOT_TEAM_ALL, .n = eyot_size(), .me = eyot_me().id, .shared = common}};
  uint32_t half = eyot_me().id % 2;
  OK(eyot_team_split(EYOT_TEAM_ALL, half, &t[1].id));
  t[1].n = (t[0].n + 1 - half) / 2;
  t[1].me = t[0].me / 2;
  t[1].shared = common + 77 + half;
  for (uint64_t r = 0; r < rounds; r++) {
    struct team *at = &t[draw(&t[0].shared) % 2];
    OK(eyot_compute(draw(&own) % THINK_NS));
    uint64_t what = draw(&at->shared) % 5;
    if (what == 0) allocate(at);
    if (what == 1) broadcast(at);
    if (what == 2) allreduce(at);
    if (what == 3) alltoall(at);
    if (what == 4) OK(eyot_barrier(at->id));
  }
  OK(eyot_team_destroy(&t[1].id));
  return finish();
}
