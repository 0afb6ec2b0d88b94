/* SPDX-License-Identifier: BSD-3-Clause */
/* generic.c - the type-generic forms of C11: each name, for the distinct types of C, with and
 * without a context, and with objects that are const or volatile. The expected type of each result
 * is checked too. */
#include "tests/openshmem/check.h"

/* The distinct types of C. The generic forms expand the lists of the header, which thus cannot be
 * used here. */
#define REALS(X) X(float, float, ) X(double, double, ) X(long double, longdouble, )
#define SMALL(X)  \
  X(char, char, ) \
  X(signed char, schar, ) X(short, short, ) X(unsigned char, uchar, ) X(unsigned short, ushort, )
#define UNSIGNED(X) X(unsigned, uint, ) X(unsigned long, ulong, ) X(unsigned long long, ulonglong, )
#define WORDS(X) X(int, int, ) X(long, long, ) X(long long, longlong, ) UNSIGNED(X)
#define ALL(X) REALS(X) SMALL(X) WORDS(X)
#define EXTENDED(X) X(float, float, ) X(double, double, ) WORDS(X)
#define BITWISE(X) X(int32_t, int32, ) X(int64_t, int64, ) UNSIGNED(X)
#define WAITS(X) X(short, short, ) X(unsigned short, ushort, ) WORDS(X)
#define BITS(X) \
  BITWISE(X)    \
  X(int8_t, int8, ) X(int16_t, int16, ) X(unsigned char, uchar, ) X(unsigned short, ushort, )

static shmem_ctx_t ctx;
static uint64_t signal_word;

/* The type of a result, without evaluating it. */
#define IS(T, expression) _Generic((expression), T : 1, default : 0)

#define DEFINE_RMA(T, N, op)                                                                \
  static void rma_##N(void) {                                                               \
    static T a[8], b[8];                                                                    \
    int pe = next_pe(1);                                                                    \
    T source[8], back[8] = {0};                                                             \
    const T *from = source;                                                                 \
    for (int i = 0; i < 8; i++) {                                                           \
      source[i] = VALUE(T, me, i);                                                          \
      a[i] = b[i] = (T)77;                                                                  \
    }                                                                                       \
    signal_word = 0;                                                                        \
    shmem_barrier_all();                                                                    \
    shmem_put(&a[0], from, 1, pe);                                                          \
    shmem_put(ctx, &b[0], from, 1, pe);                                                     \
    shmem_p(&a[1], source[1], pe);                                                          \
    shmem_p(ctx, &b[1], source[1], pe);                                                     \
    shmem_put_nbi(&a[2], &source[2], 1, pe);                                                \
    shmem_put_nbi(ctx, &b[2], &source[2], 1, pe);                                           \
    shmem_iput(&a[3], &source[3], 2, 2, 2, pe);                                             \
    shmem_iput(ctx, &b[3], &source[3], 2, 2, 2, pe);                                        \
    shmem_ibput(&a[4], &source[4], 1, 1, 1, 1, pe);                                         \
    shmem_ibput(ctx, &b[4], &source[4], 1, 1, 1, 1, pe);                                    \
    shmem_put_signal(&a[6], &source[6], 1, &signal_word, 1, SHMEM_SIGNAL_ADD, pe);          \
    shmem_put_signal(ctx, &b[6], &source[6], 1, &signal_word, 2, SHMEM_SIGNAL_ADD, pe);     \
    shmem_put_signal_nbi(&a[7], &source[7], 1, &signal_word, 4, SHMEM_SIGNAL_ADD, pe);      \
    shmem_put_signal_nbi(ctx, &b[7], &source[7], 1, &signal_word, 8, SHMEM_SIGNAL_ADD, pe); \
    INT(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 15), 15);                       \
    shmem_ctx_quiet(ctx);                                                                   \
    shmem_barrier_all();                                                                    \
    for (int i = 0; i < 8; i++) {                                                           \
      SAME(T, "generic put of " #N, a[i], VALUE(T, next_pe(-1), i));                        \
      SAME(T, "generic put of " #N " ctx", b[i], VALUE(T, next_pe(-1), i));                 \
    }                                                                                       \
    shmem_get(&back[0], &a[0], 1, pe);                                                      \
    shmem_get(ctx, &back[1], &a[1], 1, pe);                                                 \
    shmem_get_nbi(&back[2], &a[2], 1, pe);                                                  \
    shmem_get_nbi(ctx, &back[3], &a[3], 1, pe);                                             \
    shmem_iget(&back[4], &a[4], 1, 1, 1, pe);                                               \
    shmem_iget(ctx, &back[5], &a[5], 1, 1, 1, pe);                                          \
    shmem_ibget(&back[6], &a[6], 1, 1, 1, 1, pe);                                           \
    shmem_ibget(ctx, &back[7], &a[7], 1, 1, 1, 1, pe);                                      \
    shmem_quiet();                                                                          \
    shmem_ctx_quiet(ctx);                                                                   \
    for (int i = 0; i < 8; i++) SAME(T, "generic get of " #N, back[i], source[i]);          \
    SAME(T, "generic g of " #N, shmem_g(&a[1], pe), source[1]);                             \
    SAME(T, "generic g of " #N " ctx", shmem_g(ctx, &b[1], pe), source[1]);                 \
    TRUE(IS(T, shmem_g(&a[1], pe)));                                                        \
    shmem_barrier_all(); /* others have read a */                                           \
    INT(shmem_broadcast(SHMEM_TEAM_WORLD, a, b, 1, 0), 0);                                  \
    SAME(T, "generic broadcast of " #N, a[0], VALUE(T, n_pes - 1, 0));                      \
    shmem_barrier_all();                                                                    \
  }
ALL(DEFINE_RMA)

#define DEFINE_COLL(T, N, op)                                                       \
  static void coll_##N(void) {                                                      \
    size_t n = (size_t)n_pes;                                                       \
    T *dest = shmem_malloc(n * sizeof(T)), *source = shmem_malloc(n * sizeof(T));   \
    for (size_t i = 0; i < n; i++) source[i] = VALUE(T, me, 0);                     \
    shmem_barrier_all();                                                            \
    INT(shmem_fcollect(SHMEM_TEAM_WORLD, dest, source, 1), 0);                      \
    SAME(T, "generic fcollect of " #N, dest[n - 1], VALUE(T, n_pes - 1, 0));        \
    INT(shmem_collect(SHMEM_TEAM_WORLD, dest, source, me == 0), 0);                 \
    SAME(T, "generic collect of " #N, dest[0], VALUE(T, 0, 0));                     \
    INT(shmem_alltoall(SHMEM_TEAM_WORLD, dest, source, 1), 0);                      \
    SAME(T, "generic alltoall of " #N, dest[n - 1], VALUE(T, n_pes - 1, 0));        \
    INT(shmem_alltoalls(SHMEM_TEAM_WORLD, dest, source, 1, 1, 1), 0);               \
    SAME(T, "generic alltoalls of " #N, dest[n / 2], VALUE(T, n_pes / 2, 0));       \
    INT(shmem_max_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0);                    \
    SAME(T, "generic max of " #N, dest[0], VALUE(T, n_pes < 6 ? n_pes - 1 : 5, 0)); \
    INT(shmem_min_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0);                    \
    SAME(T, "generic min of " #N, dest[0], VALUE(T, 0, 0));                         \
    source[0] = 1;                                                                  \
    INT(shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0);                    \
    SAME(T, "generic sum of " #N, dest[0], n_pes);                                  \
    INT(shmem_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0);                   \
    SAME(T, "generic product of " #N, dest[0], 1);                                  \
    INT(shmem_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 1), 0);                    \
    SAME(T, "generic inscan of " #N, dest[0], me + 1);                              \
    INT(shmem_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 1), 0);                    \
    SAME(T, "generic exscan of " #N, dest[0], me);                                  \
    shmem_free(source);                                                             \
    shmem_free(dest);                                                               \
  }
ALL(DEFINE_COLL)

#define DEFINE_BITS(T, N, op)                                      \
  static void bits_##N(void) {                                     \
    static T dest, source;                                         \
    source = (T)(me == 0 ? 6 : 3);                                 \
    INT(shmem_and_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0); \
    SAME(T, "generic and of " #N, dest, 2);                        \
    INT(shmem_or_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0);  \
    SAME(T, "generic or of " #N, dest, 7);                         \
    INT(shmem_xor_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0); \
    SAME(T, "generic xor of " #N, dest, n_pes % 2 == 0 ? 5 : 6);   \
  }
BITS(DEFINE_BITS)

#define DEFINE_EXTENDED(T, N, op)                                                   \
  static void extended_##N(void) {                                                  \
    static T word;                                                                  \
    T old = 0;                                                                      \
    int pe = next_pe(1);                                                            \
    word = 1;                                                                       \
    shmem_barrier_all();                                                            \
    SAME(T, "generic fetch of " #N, shmem_atomic_fetch((const T *)&word, pe), 1);   \
    SAME(T, "generic fetch of " #N " ctx", shmem_atomic_fetch(ctx, &word, pe), 1);  \
    TRUE(IS(T, shmem_atomic_fetch(&word, pe)));                                     \
    shmem_atomic_set(&word, 2, pe);                                                 \
    shmem_quiet();                                                                  \
    shmem_atomic_set(ctx, &word, 3, pe);                                            \
    shmem_ctx_quiet(ctx);                                                           \
    SAME(T, "generic swap of " #N, shmem_atomic_swap(&word, 4, pe), 3);             \
    SAME(T, "generic swap of " #N " ctx", shmem_atomic_swap(ctx, &word, 5, pe), 4); \
    shmem_atomic_fetch_nbi(&old, &word, pe);                                        \
    shmem_quiet();                                                                  \
    SAME(T, "generic fetch_nbi of " #N, old, 5);                                    \
    shmem_atomic_swap_nbi(&old, &word, 6, pe);                                      \
    shmem_quiet();                                                                  \
    shmem_atomic_fetch_nbi(ctx, &old, &word, pe);                                   \
    shmem_ctx_quiet(ctx);                                                           \
    SAME(T, "generic fetch_nbi of " #N " ctx", old, 6);                             \
    shmem_atomic_swap_nbi(ctx, &old, &word, 7, pe);                                 \
    shmem_ctx_quiet(ctx);                                                           \
    shmem_set(&word, 8, pe);                                                        \
    shmem_quiet();                                                                  \
    SAME(T, "older generic swap of " #N, shmem_swap(&word, 9, pe), 8);              \
    SAME(T, "older generic fetch of " #N, shmem_fetch(&word, pe), 9);               \
    shmem_barrier_all();                                                            \
  }
EXTENDED(DEFINE_EXTENDED)

#define DEFINE_STANDARD(T, N, op)                                                                  \
  static void standard_##N(void) {                                                                 \
    static T word;                                                                                 \
    T old = 0;                                                                                     \
    int pe = next_pe(1);                                                                           \
    word = 0;                                                                                      \
    shmem_barrier_all();                                                                           \
    shmem_atomic_inc(&word, pe);                                                                   \
    shmem_quiet();                                                                                 \
    shmem_atomic_inc(ctx, &word, pe);                                                              \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_add(&word, 10, pe);                                                               \
    shmem_quiet();                                                                                 \
    shmem_atomic_add(ctx, &word, 20, pe);                                                          \
    shmem_ctx_quiet(ctx);                                                                          \
    SAME(T, "generic compare_swap of " #N, shmem_atomic_compare_swap(&word, 32, 1, pe), 32);       \
    SAME(T, "generic compare_swap of " #N " ctx", shmem_atomic_compare_swap(ctx, &word, 1, 2, pe), \
         1);                                                                                       \
    SAME(T, "generic fetch_inc of " #N, shmem_atomic_fetch_inc(&word, pe), 2);                     \
    SAME(T, "generic fetch_inc of " #N " ctx", shmem_atomic_fetch_inc(ctx, &word, pe), 3);         \
    SAME(T, "generic fetch_add of " #N, shmem_atomic_fetch_add(&word, 5, pe), 4);                  \
    SAME(T, "generic fetch_add of " #N " ctx", shmem_atomic_fetch_add(ctx, &word, 6, pe), 9);      \
    shmem_atomic_compare_swap_nbi(&old, &word, 15, 16, pe);                                        \
    shmem_quiet();                                                                                 \
    SAME(T, "generic compare_swap_nbi of " #N, old, 15);                                           \
    shmem_atomic_compare_swap_nbi(ctx, &old, &word, 16, 17, pe);                                   \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_fetch_inc_nbi(&old, &word, pe);                                                   \
    shmem_quiet();                                                                                 \
    SAME(T, "generic fetch_inc_nbi of " #N, old, 17);                                              \
    shmem_atomic_fetch_inc_nbi(ctx, &old, &word, pe);                                              \
    shmem_ctx_quiet(ctx);                                                                          \
    shmem_atomic_fetch_add_nbi(&old, &word, 1, pe);                                                \
    shmem_quiet();                                                                                 \
    SAME(T, "generic fetch_add_nbi of " #N, old, 19);                                              \
    shmem_atomic_fetch_add_nbi(ctx, &old, &word, 2, pe);                                           \
    shmem_ctx_quiet(ctx);                                                                          \
    SAME(T, "older generic cswap of " #N, shmem_cswap(&word, 22, 3, pe), 22);                      \
    SAME(T, "older generic finc of " #N, shmem_finc(&word, pe), 3);                                \
    SAME(T, "older generic fadd of " #N, shmem_fadd(&word, 2, pe), 4);                             \
    shmem_inc(&word, pe);                                                                          \
    shmem_quiet();                                                                                 \
    shmem_add(&word, 3, pe);                                                                       \
    shmem_quiet();                                                                                 \
    SAME(T, "older generic add of " #N, shmem_atomic_fetch(&word, pe), 10);                        \
    shmem_barrier_all();                                                                           \
  }
WORDS(DEFINE_STANDARD)

#define ONE_BIT_OP(T, N, op, after, nbi)                                               \
  SAME(T, "generic fetch_" #op " of " #N, shmem_atomic_fetch_##op(&word, 3, pe), 6);   \
  SAME(T, "generic " #op " of " #N, shmem_atomic_fetch(&word, pe), after);             \
  shmem_atomic_set(&word, 6, pe);                                                      \
  shmem_quiet();                                                                       \
  SAME(T, "generic fetch_" #op " ctx", shmem_atomic_fetch_##op(ctx, &word, 3, pe), 6); \
  shmem_atomic_set(&word, 6, pe);                                                      \
  shmem_quiet();                                                                       \
  shmem_atomic_##op(&word, 3, pe);                                                     \
  shmem_quiet();                                                                       \
  SAME(T, "generic " #op " of " #N, shmem_atomic_fetch(&word, pe), after);             \
  shmem_atomic_set(&word, 6, pe);                                                      \
  shmem_quiet();                                                                       \
  shmem_atomic_##op(ctx, &word, 3, pe);                                                \
  shmem_ctx_quiet(ctx);                                                                \
  shmem_atomic_fetch_##op##_nbi(&old, &word, 3, pe);                                   \
  shmem_quiet();                                                                       \
  SAME(T, "generic fetch_" #op "_nbi of " #N, old, after);                             \
  shmem_atomic_set(&word, 6, pe);                                                      \
  shmem_quiet();                                                                       \
  shmem_atomic_fetch_##op##_nbi(ctx, &old, &word, 3, pe);                              \
  shmem_ctx_quiet(ctx);                                                                \
  SAME(T, "generic fetch_" #op "_nbi of " #N " ctx", old, 6);                          \
  shmem_atomic_set(&word, 6, pe);                                                      \
  shmem_quiet();
#define DEFINE_BITWISE(T, N, op)  \
  static void bitwise_##N(void) { \
    static T word;                \
    T old = 0;                    \
    int pe = next_pe(1);          \
    word = 6;                     \
    shmem_barrier_all();          \
    ONE_BIT_OP(T, N, and, 2, )    \
    ONE_BIT_OP(T, N, or, 7, )     \
    ONE_BIT_OP(T, N, xor, 5, )    \
    shmem_barrier_all();          \
  }
BITWISE(DEFINE_BITWISE)

#define DEFINE_WAITS(T, N, op)                                                              \
  static void waits_##N(void) {                                                             \
    static T words[2];                                                                      \
    volatile T *v = words;                                                                  \
    T values[2] = {5, 5};                                                                   \
    size_t indices[2] = {9, 9};                                                             \
    words[0] = words[1] = 5;                                                                \
    shmem_wait_until(&words[0], SHMEM_CMP_EQ, 5);                                           \
    INT(shmem_test((T *)v, SHMEM_CMP_NE, 5), 0);                                            \
    shmem_wait_until_all(words, 2, NULL, SHMEM_CMP_EQ, 5);                                  \
    shmem_wait_until_all_vector(words, 2, NULL, SHMEM_CMP_EQ, values);                      \
    TRUE(shmem_wait_until_any(words, 2, NULL, SHMEM_CMP_EQ, 5) < 2);                        \
    TRUE(shmem_wait_until_any_vector(words, 2, NULL, SHMEM_CMP_EQ, values) < 2);            \
    TRUE(shmem_wait_until_some(words, 2, indices, NULL, SHMEM_CMP_EQ, 5) >= 1);             \
    TRUE(shmem_wait_until_some_vector(words, 2, indices, NULL, SHMEM_CMP_EQ, values) >= 1); \
    INT(shmem_test_all(words, 2, NULL, SHMEM_CMP_GT, 5), 0);                                \
    INT(shmem_test_all_vector(words, 2, NULL, SHMEM_CMP_EQ, values), 1);                    \
    TRUE(shmem_test_any(words, 2, NULL, SHMEM_CMP_EQ, 5) < 2);                              \
    TRUE(shmem_test_any_vector(words, 2, NULL, SHMEM_CMP_NE, values) == SIZE_MAX);          \
    INT(shmem_test_some(words, 2, indices, NULL, SHMEM_CMP_EQ, 5), 2);                      \
    INT(shmem_test_some_vector(words, 2, indices, NULL, SHMEM_CMP_EQ, values), 2);          \
    INT(indices[0] + indices[1], 1);                                                        \
  }
WAITS(DEFINE_WAITS)

#define RUN_RMA(T, N, op) \
  rma_##N();              \
  coll_##N();
#define RUN_BITS(T, N, op) bits_##N();
#define RUN_EXTENDED(T, N, op) extended_##N();
#define RUN_STANDARD(T, N, op) standard_##N();
#define RUN_BITWISE(T, N, op) bitwise_##N();
#define RUN_WAITS(T, N, op) waits_##N();

int main(void) {
  static long sync_words[SHMEM_BARRIER_SYNC_SIZE];
  static double complex z, z_sum;
  begin();
  INT(shmem_ctx_create(0, &ctx), 0);
  ALL(RUN_RMA)
  BITS(RUN_BITS)
  EXTENDED(RUN_EXTENDED)
  WORDS(RUN_STANDARD)
  BITWISE(RUN_BITWISE)
  WAITS(RUN_WAITS)
  z = 1.0 + (double)me * I;
  INT(shmem_sum_reduce(SHMEM_TEAM_WORLD, &z_sum, &z, 1), 0);
  TRUE(creal(z_sum) == n_pes && cimag(z_sum) == n_pes * (n_pes - 1) / 2);
  INT(shmem_sync(SHMEM_TEAM_WORLD), 0);
  shmem_sync(0, 0, n_pes, sync_words);
  return finish();
}
