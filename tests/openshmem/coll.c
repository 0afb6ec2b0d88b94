/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - broadcast, collect, fcollect, alltoall and alltoalls of each type, over all PEs and over
 * teams, in reverse order too; and those in bytes. */
#include "tests/openshmem/check.h"

enum { EACH = 3, SPARE = 5, STRIDES = 3 };

static shmem_team_t team;
static int rank, size;
/* The PE of the run that is PE i of the team. */
static int pe_of(int i) {
  return shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD);
}

#define FILL(T)                                         \
  T *dest = shmem_malloc((size_t)length * sizeof(T)),   \
    *source = shmem_malloc((size_t)length * sizeof(T)); \
  for (int i = 0; i < length; i++) {                    \
    dest[i] = (T)77;                                    \
    source[i] = VALUE(T, me, i);                        \
  }                                                     \
  shmem_sync_all();
#define AGAIN(T)                                    \
  shmem_sync_all();                                 \
  for (int i = 0; i < length; i++) dest[i] = (T)77; \
  shmem_sync_all();
/* collect: PE i gives i % 3 elements. */
#define GIVEN(i) ((i) % 3)

#define DEFINE_COLL(T, N, op)                                                              \
  static void coll_##N(void) {                                                             \
    int length = (n_pes * EACH + 1) * STRIDES + SPARE, root = size / 2, at = 0;            \
    FILL(T)                                                                                \
    if (team != SHMEM_TEAM_INVALID) {                                                      \
      INT(shmem_##N##_broadcast(team, dest, source, EACH, root), 0);                       \
      for (int i = 0; i < length; i++)                                                     \
        SAME(T, #N "_broadcast", dest[i], i < EACH ? VALUE(T, pe_of(root), i) : (T)77);    \
    }                                                                                      \
    AGAIN(T)                                                                               \
    if (team != SHMEM_TEAM_INVALID) {                                                      \
      INT(shmem_##N##_fcollect(team, dest, source, EACH), 0);                              \
      for (int i = 0; i < length; i++)                                                     \
        SAME(T, #N "_fcollect", dest[i],                                                   \
             i < size * EACH ? VALUE(T, pe_of(i / EACH), i % EACH) : (T)77);               \
    }                                                                                      \
    AGAIN(T)                                                                               \
    if (team != SHMEM_TEAM_INVALID) {                                                      \
      INT(shmem_##N##_collect(team, dest, source, (size_t)GIVEN(rank)), 0);                \
      for (int k = 0; k < size; k++)                                                       \
        for (int i = 0; i < GIVEN(k); i++)                                                 \
          SAME(T, #N "_collect", dest[at++], VALUE(T, pe_of(k), i));                       \
      SAME(T, #N "_collect: after the last", dest[at], (T)77);                             \
    }                                                                                      \
    AGAIN(T)                                                                               \
    if (team != SHMEM_TEAM_INVALID) {                                                      \
      INT(shmem_##N##_alltoall(team, dest, source, EACH), 0);                              \
      for (int i = 0; i < length; i++)                                                     \
        SAME(T, #N "_alltoall", dest[i],                                                   \
             i < size * EACH ? VALUE(T, pe_of(i / EACH), rank * EACH + i % EACH) : (T)77); \
    }                                                                                      \
    AGAIN(T)                                                                               \
    if (team != SHMEM_TEAM_INVALID) {                                                      \
      INT(shmem_##N##_alltoalls(team, dest, source, 3, 2, EACH), 0);                       \
      for (int i = 0; i < length; i++)                                                     \
        SAME(T, #N "_alltoalls", dest[i],                                                  \
             i % 3 == 0 && i / 3 < size * EACH                                             \
                 ? VALUE(T, pe_of(i / 3 / EACH), (rank * EACH + i / 3 % EACH) * 2)         \
                 : (T)77);                                                                 \
    }                                                                                      \
    shmem_sync_all();                                                                      \
    shmem_free(source);                                                                    \
    shmem_free(dest);                                                                      \
  }
SHMEMI_RMA_TYPES(DEFINE_COLL, )

/* In bytes; and of nothing. */
static void in_bytes(void) {
  int n = n_pes, length = 7 * n + 8;
  unsigned char *dest = shmem_calloc(1, (size_t)length), *source = shmem_malloc((size_t)length);
  for (int i = 0; i < length; i++) source[i] = (unsigned char)(me * 5 + i);
  shmem_barrier_all();
  INT(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, 7, n - 1), 0);
  for (int i = 0; i < 8; i++) INT(dest[i], i < 7 ? (unsigned char)((n - 1) * 5 + i) : 0);
  INT(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, 7), 0);
  for (int i = 0; i < 7 * n; i++) INT(dest[i], (unsigned char)(i / 7 * 5 + i % 7));
  shmem_sync_all();
  INT(shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, me == n - 1 ? 5 : 1), 0);
  for (int i = 0; i < n + 4; i++)
    INT(dest[i], i < n ? (unsigned char)(i * 5) : (unsigned char)((n - 1) * 5 + i - n + 1));
  shmem_sync_all();
  INT(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, 7), 0);
  for (int i = 0; i < 7 * n; i++) INT(dest[i], (unsigned char)(i / 7 * 5 + me * 7 + i % 7));
  shmem_sync_all();
  INT(shmem_alltoallsmem(SHMEM_TEAM_WORLD, dest, source, 3, 2, 2), 0);
  for (int i = 0; i < 2 * n; i++)
    INT(dest[3 * i], (unsigned char)(i / 2 * 5 + (me * 2 + i % 2) * 2));
  shmem_sync_all();
  dest[0] = 99;
  INT(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, 0, 0), 0);
  INT(shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, 0), 0);
  INT(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, 0), 0);
  INT(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, 0), 0);
  INT(shmem_alltoallsmem(SHMEM_TEAM_WORLD, dest, source, 1, 1, 0), 0);
  INT(dest[0], 99);
  shmem_barrier_all();
  shmem_free(source);
  shmem_free(dest);
}

#define RUN(T, N, op) coll_##N();

static void over(shmem_team_t of, int all_types) {
  team = of;
  rank = shmem_team_my_pe(team);
  size = shmem_team_n_pes(team);
  if (all_types) {
    SHMEMI_RMA_TYPES(RUN, )
  } else {
    coll_char();
    coll_int();
    coll_longdouble();
  }
}

int main(void) {
  shmem_team_t backwards, odd = SHMEM_TEAM_INVALID, one;
  begin();
  over(SHMEM_TEAM_WORLD, 1);
  INT(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &backwards), 0);
  INT(shmem_team_my_pe(backwards), n_pes - 1 - me);
  over(backwards, 0);
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n_pes / 2, NULL, 0, &odd);
  TRUE((odd != SHMEM_TEAM_INVALID) == (me % 2 == 1));
  over(odd, 0);
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, 1, 1, NULL, 0, &one);
  TRUE((one != SHMEM_TEAM_INVALID) == (me == n_pes - 1));
  over(one, 0);
  in_bytes();
  return finish();
}
