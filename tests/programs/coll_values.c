/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_values.c - reductions of one value (eyot/value.h), of each type, by name and by type. */
#include <complex.h>
#include <math.h>

#include "programs/api_check.h"

#define CASE(N, T)                                                   \
  do {                                                               \
    T r = 0, mine = (T)(me + 1), product = 1;                        \
    for (uint32_t i = 1; i <= n; i++) product = (T)(product * (T)i); \
    OK(eyot_sum_##N(EYOT_TEAM_ALL, mine, &r));                       \
    CHECK(r == (T)(n * (n + 1) / 2));                                \
    OK(eyot_prod_##N(EYOT_TEAM_ALL, mine, &r));                      \
    CHECK(r == product);                                             \
    OK(eyot_min_##N(EYOT_TEAM_ALL, mine, &r));                       \
    CHECK(r == (T)1);                                                \
    OK(eyot_max_##N(EYOT_TEAM_ALL, mine, &r));                       \
    CHECK(r == (T)n);                                                \
    OK(eyot_sum(EYOT_TEAM_ALL, mine, &mine)); /* in place */         \
    CHECK(mine == (T)(n * (n + 1) / 2));                             \
    mine = (T)(me + 1);                                              \
    OK(eyot_prod(EYOT_TEAM_ALL, mine, &r));                          \
    CHECK(r == product);                                             \
    OK(eyot_min(EYOT_TEAM_ALL, mine, &r));                           \
    CHECK(r == (T)1);                                                \
    OK(eyot_max(EYOT_TEAM_ALL, mine, &r));                           \
    CHECK(r == (T)n);                                                \
  } while (0)

/* The product of n times i is 1, i, -1 or -i. */
static void complex_numbers(uint32_t me, uint32_t n) {
  static const double _Complex POWERS[] = {1, I, -1, -I};
  double _Complex mine = me + 1.0 + I, d = 0;
  float _Complex f = 0;
  OK(eyot_sum(EYOT_TEAM_ALL, mine, &d));
  CHECK(d == n * (n + 1) / 2 + (double)n * I);
  OK(eyot_sum(EYOT_TEAM_ALL, (float _Complex)mine, &f));
  CHECK(f == (float _Complex)d);
  OK(eyot_prod(EYOT_TEAM_ALL, I, &d));
  OK(eyot_prod_complexf(EYOT_TEAM_ALL, I, &f));
  CHECK(d == POWERS[n % 4] && f == (float _Complex)d);
  long double _Complex third = (me + 1) / 3.0L + I, l = 0, want = 0;
  OK(eyot_prod(EYOT_TEAM_ALL, (long double _Complex)I, &l));
  CHECK(l == (long double _Complex)d);
  OK(eyot_sum_complexl(EYOT_TEAM_ALL, 1 / 3.0L + I, &l));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_LONG_DOUBLE_COMPLEX, EYOT_SUM, &third, &want, 1));
  OK(eyot_sum(EYOT_TEAM_ALL, third, &third)); /* in place */
  CHECK(third == want && cimagl(l) == n && cimagl(third) == n);
  CHECK(fabsl(creall(l) * 3 - n) < 1e-17L * n); /* no double is that near */
}

int main(void) {
  OK(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id, n = eyot_size();
  CASE(int8, int8_t);
  CASE(uint8, uint8_t);
  CASE(int16, int16_t);
  CASE(uint16, uint16_t);
  CASE(longlong, long long);
  CASE(ulonglong, unsigned long long);
  CASE(longdouble, long double);
  complex_numbers(me, n);
  CASE(int32, int32_t);
  CASE(uint32, uint32_t);
  CASE(int64, int64_t);
  CASE(uint64, uint64_t);
  CASE(float, float);
  CASE(double, double);
  bool r = false;
  OK(eyot_all(EYOT_TEAM_ALL, true, &r));
  CHECK(r);
  OK(eyot_all(EYOT_TEAM_ALL, me != n - 1, &r));
  CHECK(!r);
  OK(eyot_any(EYOT_TEAM_ALL, me == n - 1, &r));
  CHECK(r);
  OK(eyot_any(EYOT_TEAM_ALL, false, &r));
  CHECK(!r);
  /* what is refused leaves the result as it was */
  int64_t kept = 5;
  CHECK(eyot_sum(EYOT_TEAM_NULL, kept, &kept) == EYOT_ETEAM && kept == 5);
  CHECK(eyot_all(EYOT_TEAM_NULL, false, &r) == EYOT_ETEAM && !r);
  return finish();
}
