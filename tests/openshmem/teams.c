/* SPDX-License-Identifier: BSD-3-Clause */
/* teams.c - splits by start, stride and size and in two dimensions, against a table of the members;
 * translation, configurations, contexts of teams, and teams within teams. */
#include "tests/openshmem/check.h"

/* The members of a team, as PEs of the run. */
struct table {
  int n, *pes;
};

static struct table table_of(const struct table *parent, int start, int stride, int size) {
  struct table t = {.n = size, .pes = malloc((size_t)size * sizeof(int))};
  for (int i = 0; i < size; i++) t.pes[i] = parent->pes[start + i * stride];
  return t;
}

static int rank_of(const struct table *t, int pe) {
  for (int i = 0; i < t->n; i++)
    if (t->pes[i] == pe) return i;
  return -1;
}

/* What a member can see of the team; a collective over it; a context of it. */
static void inspect(shmem_team_t team, const struct table *t, int line) {
  static long sum, rank_there[1], out;
  long total = 0;
  int rank = rank_of(t, me), bad = failures;
  TRUE((team == SHMEM_TEAM_INVALID) == (rank < 0));
  INT(shmem_team_my_pe(team), rank);
  INT(shmem_team_n_pes(team), rank < 0 ? -1 : t->n);
  if (rank >= 0) {
    for (int i = 0; i < t->n; i++) {
      INT(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD), t->pes[i]);
      total += t->pes[i];
    }
    for (int pe = 0; pe < n_pes; pe++)
      INT(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team), rank_of(t, pe));
    INT(shmem_team_translate_pe(team, t->n, SHMEM_TEAM_WORLD), -1);
    INT(shmem_team_translate_pe(team, -1, SHMEM_TEAM_WORLD), -1);
    INT(shmem_team_translate_pe(team, 0, SHMEM_TEAM_INVALID), -1);
    out = me;
    INT(shmem_long_sum_reduce(team, &sum, &out, 1), 0);
    INT(sum, total);
    rank_there[0] = -1;
    INT(shmem_team_sync(team), 0);
    int next = (rank + 1) % t->n;
    shmem_long_p(rank_there, rank, t->pes[next]);
    shmem_quiet();
    INT(shmem_team_sync(team), 0);
    INT(rank_there[0], (rank + t->n - 1) % t->n);
    TRUE(shmem_team_ptr(team, rank_there, rank) == rank_there);
    TRUE(shmem_team_ptr(team, rank_there, next) == shmem_ptr(rank_there, t->pes[next]));
    TRUE(shmem_team_ptr(team, rank_there, t->n) == NULL);
    INT(shmem_team_sync(team), 0);
  }
  if (failures > bad) complain(__FILE__, __LINE__, "the team made at line %d is wrong", line);
}

/* A split, by all members of the parent. */
static void split(shmem_team_t parent, const struct table *of, int start, int stride, int size,
                  int line, shmem_team_t *team, struct table *t) {
  *t = table_of(of, start, stride, size);
  int rc = shmem_team_split_strided(parent, start, stride, size, NULL, 0, team);
  if (rank_of(t, me) >= 0) INT(rc, 0);
  inspect(*team, t, line);
}

static void strided(shmem_team_t parent, const struct table *of) {
  const int n = of->n, ways[][3] = {
                           {0, 1, n},
                           {n - 1, -1, n},
                           {0, 2, (n + 1) / 2},
                           {n - 1, -2, (n + 1) / 2},
                           {n / 2, 1, n - n / 2},
                           {n / 2, 1, 1},
                           {0, 3, (n + 2) / 3},
                           {n - 1, -1, 1},
                       };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    struct table t;
    split(parent, of, ways[i][0], ways[i][1], ways[i][2], __LINE__, &team, &t);
    if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
    free(t.pes);
  }
}

/* What cannot be split: no team, and a result that says so. */
static void impossible(void) {
  const int n = n_pes,
            ways[][3] = {{0, 1, n + 1}, {-1, 1, 1}, {n, 1, 1}, {0, 1, 0}, {0, -1, 2}, {1, n, 2}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    shmem_team_t team = SHMEM_TEAM_WORLD;
    TRUE(shmem_team_split_strided(SHMEM_TEAM_WORLD, ways[i][0], ways[i][1], ways[i][2], NULL, 0,
                                  &team) != 0);
    TRUE(team == SHMEM_TEAM_INVALID);
  }
  shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
  TRUE(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &x) != 0);
  TRUE(x == SHMEM_TEAM_INVALID);
  x = SHMEM_TEAM_WORLD;
  TRUE(shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, NULL, 0, &x, NULL, 0, &y) != 0);
  TRUE(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
  INT(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
  INT(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
}

/* Rows of `width`, the last one shorter; columns. */
static void planes(shmem_team_t parent, const struct table *of) {
  for (int width = 1; width <= of->n + 1; width = width < 4 ? width + 1 : 2 * width) {
    int n = of->n, w = width < n ? width : n, at = rank_of(of, me), x = at % w, y = at / w;
    struct table row = table_of(of, y * w, 1, n - y * w < w ? n - y * w : w);
    struct table column = table_of(of, x, w, (n - x + w - 1) / w);
    shmem_team_t rows, columns;
    INT(shmem_team_split_2d(parent, width, NULL, 0, &rows, NULL, 0, &columns), 0);
    inspect(rows, &row, __LINE__);
    inspect(columns, &column, __LINE__);
    shmem_team_destroy(columns);
    shmem_team_destroy(rows);
    free(row.pes);
    free(column.pes);
  }
}

/* A team within a reversed team of every second PE, and PEs of a context of it. */
static void nested(const struct table *world) {
  static long word, by_context;
  shmem_team_t outer, inner = SHMEM_TEAM_INVALID;
  struct table a, b;
  split(SHMEM_TEAM_WORLD, world, (n_pes - 1) / 2 * 2, -2, (n_pes + 1) / 2, __LINE__, &outer, &a);
  if (outer != SHMEM_TEAM_INVALID) {
    strided(outer, &a);
    planes(outer, &a);
    split(outer, &a, a.n - 1, -1, (a.n + 1) / 2, __LINE__, &inner, &b);
    if (inner != SHMEM_TEAM_INVALID && outer != inner)
      INT(shmem_team_translate_pe(inner, 0, outer), a.n - 1);
    free(b.pes);
  }
  word = by_context = -1;
  shmem_barrier_all();
  if (outer != SHMEM_TEAM_INVALID) {
    shmem_team_config_t one = {.num_contexts = 1}, back = {.num_contexts = -1};
    shmem_team_t with = SHMEM_TEAM_INVALID, is;
    shmem_ctx_t ctx, second;
    int rank = rank_of(&a, me), next = (rank + 1) % a.n;
    INT(shmem_team_split_strided(outer, 0, 1, a.n, &one, SHMEM_TEAM_NUM_CONTEXTS, &with), 0);
    INT(shmem_team_get_config(with, SHMEM_TEAM_NUM_CONTEXTS, &back), 0);
    INT(back.num_contexts, 1);
    INT(shmem_team_get_config(with, 0, NULL), 0);
    TRUE(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &back) != 0);
    INT(shmem_team_create_ctx(with, SHMEM_CTX_SERIALIZED, &ctx), 0);
    INT(shmem_ctx_get_team(ctx, &is), 0);
    TRUE(is == with);
    shmem_ctx_long_p(ctx, &word, rank, next);
    shmem_ctx_long_atomic_set(ctx, &by_context, rank, next);
    shmem_ctx_quiet(ctx);
    INT(shmem_ctx_long_g(ctx, &word, next), rank);
    INT(shmem_ctx_long_atomic_fetch(ctx, &by_context, next), rank);
    shmem_ctx_destroy(ctx);
    INT(shmem_team_create_ctx(with, 0, &second), 0); /* in place of the first; ends with the team */
    shmem_team_sync(with);
    INT(word, (rank + a.n - 1) % a.n);
    INT(by_context, (rank + a.n - 1) % a.n);
    shmem_team_destroy(with);
    shmem_team_destroy(outer); /* `inner` stays, and is destroyed by finalize */
  }
  TRUE(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &(shmem_ctx_t){SHMEM_CTX_DEFAULT}) != 0);
  if (inner != SHMEM_TEAM_INVALID) INT(shmem_team_sync(inner), 0);
  free(a.pes);
}

/* The team of PEs whose memory is mapped. */
static void shared(void) {
  static long word;
  int n = shmem_team_n_pes(SHMEM_TEAM_SHARED), rank = shmem_team_my_pe(SHMEM_TEAM_SHARED);
  TRUE(n >= 1 && n <= n_pes);
  INT(shmem_team_translate_pe(SHMEM_TEAM_SHARED, rank, SHMEM_TEAM_WORLD), me);
  word = 100 + me;
  shmem_barrier_all();
  for (int i = 0; i < n; i++) {
    int pe = shmem_team_translate_pe(SHMEM_TEAM_SHARED, i, SHMEM_TEAM_WORLD);
    const long *there = shmem_ptr(&word, pe);
    if (there == NULL)
      complain(__FILE__, __LINE__, "shmem_ptr is NULL at PE %d of SHMEM_TEAM_SHARED", pe);
    else
      INT(*there, 100 + pe);
  }
  INT(shmem_team_sync(SHMEM_TEAM_SHARED), 0);
}

int main(void) {
  begin();
  struct table world = {.n = n_pes, .pes = malloc((size_t)n_pes * sizeof(int))};
  for (int i = 0; i < n_pes; i++) world.pes[i] = i;
  inspect(SHMEM_TEAM_WORLD, &world, __LINE__);
  strided(SHMEM_TEAM_WORLD, &world);
  planes(SHMEM_TEAM_WORLD, &world);
  impossible();
  nested(&world);
  shared();
  free(world.pes);
  return finish();
}
