/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans of each type and operation, against a loop over what each PE
 * gives: values at the ends of the types, where another width or sign would show. */
#include "tests/openshmem/check.h"

/* More elements than an implementation handles at once: LONG. */
enum { LENGTH = 6, LONG = 5003, PLACES = 8 };

static shmem_team_t team;
static int rank, size;

static int pe_of(int i) {
  return shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD);
}

/* Bit patterns over all bytes, which differ from PE to PE. */
#define BITS(T, pe, i) \
  ((T)((UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)((pe)*16 + (i) + 1)) >> (64 - 8 * sizeof(T))))
/* The smallest and the largest value, those beside them, and others. */
#define EXTREME(T, pe, i)                                                       \
  ((T)((T)0.5 != 0                  ? (T)((pe) % 3 - 1) * (T)(1 + (i)) * (T)0.5 \
       : ((pe) + (i)) % PLACES == 0 ? (T)LARGEST_OF(T)                          \
       : ((pe) + (i)) % PLACES == 1 ? (T) ~(uint64_t)LARGEST_OF(T)              \
                                    : VALUE(T, pe, i)))
#define LARGEST_OF(T) \
  ((T)-1 > (T)1 ? UINT64_MAX >> (64 - 8 * sizeof(T) % 65) : UINT64_MAX >> (65 - 8 * sizeof(T) % 65))

#define LOOP(T, N, name, first, value, combined) \
  static T source[LENGTH + 1], dest[LENGTH + 1]; \
  T expected[LENGTH];                            \
  if (team == SHMEM_TEAM_INVALID) return;        \
  for (int i = 0; i <= LENGTH; i++) {            \
    source[i] = value(T, me, i);                 \
    dest[i] = (T)77;                             \
  }                                              \
  for (int i = 0; i < LENGTH; i++) {             \
    T all = first(T, i, value);                  \
    for (int k = 1; k < size; k++) {             \
      T next = value(T, pe_of(k), i);            \
      all = (T)(combined);                       \
    }                                            \
    expected[i] = all;                           \
  }
#define FIRST(T, i, value) value(T, pe_of(0), i)
#define COMPARE(T, what, n)                                              \
  for (int i = 0; i < (n); i++) SAME_ANY(T, what, dest[i], expected[i]); \
  SAME_ANY(T, what ": after the last", dest[n], (T)77);                  \
  for (int i = 0; i < LENGTH; i++) dest[i] = source[i];

/* By two buffers, and in one. */
#define DEFINE(T, N, name, value, combined)                             \
  static void name##_##N(void) {                                        \
    LOOP(T, N, name, FIRST, value, combined)                            \
    INT(shmem_##N##_##name##_reduce(team, dest, source, LENGTH), 0);    \
    COMPARE(T, #N "_" #name "_reduce", LENGTH)                          \
    INT(shmem_##N##_##name##_reduce(team, dest, dest, LENGTH), 0);      \
    COMPARE(T, #N "_" #name "_reduce in place", LENGTH)                 \
    INT(shmem_##N##_##name##_reduce(team, dest, source, 0), 0);         \
    SAME_ANY(T, #N "_" #name "_reduce of nothing", dest[0], source[0]); \
    shmem_team_sync(team);                                              \
  }

#define DEFINE_BITWISE(T, N, op)     \
  DEFINE(T, N, and, BITS, all &next) \
  DEFINE(T, N, or, BITS, all | next) \
  DEFINE(T, N, xor, BITS, all ^ next)
#define DEFINE_ORDERED(T, N, op)                      \
  DEFINE(T, N, max, EXTREME, all > next ? all : next) \
  DEFINE(T, N, min, EXTREME, all < next ? all : next)
/* Few factors other than 1, so that products are exact in all types. */
#define FACTOR(T, pe, i) ((T)((pe) % 16 == 1 ? 2 : (pe) % 16 == 2 ? 3 : 1))
#define SMALL(T, pe, i) ((T)((pe) % 3 + (i)))
#define DEFINE_SUMS(T, N, op)           \
  DEFINE(T, N, prod, FACTOR, all *next) \
  DEFINE(T, N, sum, SMALL, all + next)  \
  DEFINE_SCANS(T, N)

#define DEFINE_SCANS(T, N)                                                                     \
  static void scans_##N(void) {                                                                \
    static T source[LENGTH], in[LENGTH], ex[LENGTH];                                           \
    if (team == SHMEM_TEAM_INVALID) return;                                                    \
    for (int i = 0; i < LENGTH; i++) source[i] = SMALL(T, me, i);                              \
    INT(shmem_##N##_sum_inscan(team, in, source, LENGTH), 0);                                  \
    INT(shmem_##N##_sum_exscan(team, ex, source, LENGTH), 0);                                  \
    for (int i = 0; i < LENGTH; i++) {                                                         \
      T before = 0;                                                                            \
      for (int k = 0; k < rank; k++) before = (T)(before + SMALL(T, pe_of(k), i));             \
      SAME_ANY(T, #N "_sum_exscan", ex[i], before);                                            \
      SAME_ANY(T, #N "_sum_inscan", in[i], (T)(before + source[i]));                           \
    }                                                                                          \
    shmem_team_sync(team);                                                                     \
    INT(shmem_##N##_sum_inscan(team, source, source, LENGTH), 0);                              \
    for (int i = 0; i < LENGTH; i++) SAME_ANY(T, #N "_sum_inscan in place", source[i], in[i]); \
  }

SHMEMI_REDUCE_BITWISE_TYPES(DEFINE_BITWISE, )
SHMEMI_REDUCE_ORDERED_TYPES(DEFINE_ORDERED, )
SHMEMI_REDUCE_SUM_TYPES(DEFINE_SUMS, )

/* Sums and products beyond 2^53, and those of unsigned types past their ends; complex products. */
static void wide(void) {
  static int64_t l[2], l_sum[2];
  static uint64_t u, u_prod;
  static uint16_t h, h_sum;
  static unsigned char c, c_prod;
  static double complex z, z_prod, z_sum;
  static float complex f, f_prod;
  static long double x, x_sum;
  int n = n_pes, power = 1;
  l[0] = (INT64_C(1) << 55) + me;
  l[1] = -l[0];
  INT(shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, l_sum, l, 2), 0);
  INT(l_sum[0], (int64_t)((uint64_t)n << 55) + n * (n - 1) / 2);
  INT(l_sum[1], -l_sum[0]);
  u = UINT64_MAX - (uint64_t)me % 2; /* -1 or -2 */
  INT(shmem_uint64_prod_reduce(SHMEM_TEAM_WORLD, &u_prod, &u, 1), 0);
  for (int i = 0; i < n / 2 && i < 62; i++) power *= i < 30 ? 2 : 1;
  if (n / 2 <= 30) INT((int64_t)u_prod, n % 2 == 0 ? power : -power);
  h = 65535;
  INT(shmem_uint16_sum_reduce(SHMEM_TEAM_WORLD, &h_sum, &h, 1), 0);
  INT(h_sum, (uint16_t)-n);
  c = 255;
  INT(shmem_uchar_prod_reduce(SHMEM_TEAM_WORLD, &c_prod, &c, 1), 0);
  INT(c_prod, n % 2 == 0 ? 1 : 255);
  z = I;
  INT(shmem_complexd_prod_reduce(SHMEM_TEAM_WORLD, &z_prod, &z, 1), 0);
  TRUE(z_prod == (n % 4 == 0 ? 1 : n % 4 == 1 ? z : n % 4 == 2 ? -1 : -z));
  INT(shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, &z_sum, &z, 1), 0);
  TRUE(creal(z_sum) == 0 && cimag(z_sum) == n);
  f = -I;
  INT(shmem_complexf_prod_reduce(SHMEM_TEAM_WORLD, &f_prod, &f, 1), 0);
  TRUE(f_prod == (n % 4 == 0 ? 1 : n % 4 == 1 ? f : n % 4 == 2 ? -1 : -f));
  x = 1.0L + 0x1p-60L * (me == 0); /* more than a double holds */
  INT(shmem_longdouble_sum_reduce(SHMEM_TEAM_WORLD, &x_sum, &x, 1), 0);
  TRUE(n > 8 || sizeof x == sizeof(double) || (x_sum > n && x_sum - n < 0x1p-57L));
}

static void long_ones(void) {
  static short h[LONG], h_max[LONG];
  static long double x[LONG], x_sum[LONG];
  static int a[LONG], a_scan[LONG];
  for (int i = 0; i < LONG; i++) {
    h[i] = (short)(i - 2500 + me);
    x[i] = i + me;
    a[i] = i + me;
  }
  INT(shmem_short_max_reduce(SHMEM_TEAM_WORLD, h_max, h, LONG), 0);
  INT(shmem_longdouble_sum_reduce(SHMEM_TEAM_WORLD, x_sum, x, LONG), 0);
  INT(shmem_int_sum_exscan(SHMEM_TEAM_WORLD, a_scan, a, LONG), 0);
  for (int i = 0; i < LONG; i++) {
    INT(h_max[i], i - 2500 + n_pes - 1);
    INT(x_sum[i], n_pes * i + n_pes * (n_pes - 1) / 2);
    INT(a_scan[i], me * i + me * (me - 1) / 2);
  }
}

#define RUN_BITWISE(T, N, op) \
  and_##N();                  \
  or_##N();                   \
  xor_##N();
#define RUN_ORDERED(T, N, op) \
  max_##N();                  \
  min_##N();
#define RUN_SUMS(T, N, op) \
  sum_##N();               \
  prod_##N();              \
  scans_##N();

static void over(shmem_team_t of, int all_types) {
  team = of;
  rank = shmem_team_my_pe(team);
  size = shmem_team_n_pes(team);
  if (all_types) {
    SHMEMI_REDUCE_BITWISE_TYPES(RUN_BITWISE, )
    SHMEMI_REDUCE_ORDERED_TYPES(RUN_ORDERED, )
    SHMEMI_REDUCE_SUM_TYPES(RUN_SUMS, )
  } else {
    RUN_BITWISE(int8_t, int8, )
    RUN_ORDERED(long, long, )
    RUN_ORDERED(long double, longdouble, )
    RUN_SUMS(short, short, )
    RUN_SUMS(double complex, complexd, )
  }
}

int main(void) {
  shmem_team_t backwards, even;
  begin();
  over(SHMEM_TEAM_WORLD, 1);
  INT(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &backwards), 0);
  over(backwards, 0);
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n_pes + 1) / 2, NULL, 0, &even);
  TRUE((even != SHMEM_TEAM_INVALID) == (me % 2 == 0));
  over(even, 0);
  wide();
  long_ones();
  return finish();
}
