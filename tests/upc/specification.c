/* SPDX-License-Identifier: BSD-3-Clause */
/* specification.c - statements of UPC 1.3 that the other programs do not need: expressions of
 * barriers that a statement lacks, equal values whose bits differ, phases, casts and the clock.
 * Argument: none, or a mistake, which ends the run. */
#include <eyot/upc.h>
#include <stdio.h>
#include <string.h>

#if UPC_ADD != 1 || UPC_INT8 != 11 || UPC_IN_NOSYNC != 4 || UPC_CASTABLE_ALL_ALLOC == 0
#error "the values are macros for #if too (UPC 7.3.1 to 7.3.3, UPC library 7.7.2.2)"
#endif

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: thread %d of %d: not so: %s\n", __FILE__, __LINE__, MYTHREAD, \
              THREADS, #condition);                                                         \
      upc_global_exit(1);                                                                   \
    }                                                                                       \
  } while (0)

UPC_SHARED_ARRAY(double, number, 1);
UPC_SHARED_ARRAY(float, small, 1);
UPC_SHARED_ARRAY(int, ints, 6);

/* UPC 6.6.1, paragraph 7: only expressions that are there are compared. */
static void expressions(void) {
  upc_notify_value(3);
  upc_wait();
  upc_notify();
  upc_wait_value(4);
  if (MYTHREAD == 0)
    upc_notify();
  else
    upc_notify_value(5);
  upc_wait_value(5);
  upc_notify_value(6);
  upc_wait_value(6);
  upc_barrier();
}

static upc_shared_t of(upc_shared_t first, int thread) {
  first.at = eyot_gptr_at(first.at, (eyot_unit_t){(uint32_t)(thread % THREADS)});
  return first;
}

/* UPC library 7.6.4.3, paragraph 4: UPC_CSWAP compares as == does. */
static void zeros(void) {
  double minus = -0.0, zero = 0.0, one = 1.0, seen = 7;
  float f_minus = -0.0F, f_zero = 0.0F, f_one = 1.0F, f_seen = 7;
  upc_shared_t d = of(upc_shared_array(number), MYTHREAD + 1);
  upc_shared_t f = of(upc_shared_array(small), MYTHREAD + 1);
  const upc_op_t ops = UPC_CSWAP | UPC_SET | UPC_GET;
  upc_atomicdomain_t *doubles = upc_all_atomicdomain_alloc(UPC_DOUBLE, ops, 0);
  upc_atomicdomain_t *floats = upc_all_atomicdomain_alloc(UPC_FLOAT, ops, 0);
  upc_atomic_relaxed(doubles, NULL, UPC_SET, d, &minus, NULL);
  upc_atomic_relaxed(doubles, &seen, UPC_CSWAP, d, &zero, &one);
  CHECK(memcmp(&seen, &minus, sizeof seen) == 0);
  upc_atomic_strict(doubles, &seen, UPC_GET, d, NULL, NULL);
  CHECK(seen == 1);
  upc_atomic_relaxed(doubles, &seen, UPC_CSWAP, d, &zero, &minus); /* 1 is not 0 */
  CHECK(seen == 1);
  upc_atomic_relaxed(floats, NULL, UPC_SET, f, &f_zero, NULL);
  upc_atomic_relaxed(floats, NULL, UPC_CSWAP, f, &f_minus, &f_one);
  upc_atomic_relaxed(floats, &f_seen, UPC_GET, f, NULL, NULL);
  CHECK(f_seen == 1);
  upc_barrier();
  upc_all_atomicdomain_free(doubles);
  upc_all_atomicdomain_free(floats);
}

/* UPC 6.4.2, paragraph 3, and UPC 7.2.3: phases in an indefinite block, and of null. */
static void phases(void) {
  upc_shared_t p = upc_add(upc_shared_array(ints), 4, sizeof(int), 3);
  CHECK(upc_phaseof(p) == 1);
  CHECK(upc_phaseof(upc_add(p, 1, sizeof(int), 0)) == 0);
  CHECK(upc_threadof(UPC_NULL) == 0 && upc_phaseof(UPC_NULL) == 0);
  CHECK(upc_phaseof(upc_resetphase(p)) == 0 && upc_equal(upc_resetphase(p), p));
}

/* UPC library 7.7.2 and 7.5. */
static void casts_and_clock(void) {
  upc_thread_info_t mine = upc_thread_info((size_t)MYTHREAD);
  CHECK(mine.guaranteedCastable == UPC_CASTABLE_ALL && mine.probablyCastable == UPC_CASTABLE_ALL);
  CHECK(upc_cast(UPC_NULL) == NULL);
  for (int t = 0; t < THREADS; t++) {
    int castable = upc_cast(of(upc_shared_array(ints), t)) != NULL ? UPC_CASTABLE_ALL : 0;
    CHECK(upc_thread_info((size_t)t).guaranteedCastable == castable);
  }
  upc_tick_t before = upc_ticks_now();
  CHECK(UPC_TICK_MIN == 0 && upc_ticks_now() >= before && before < UPC_TICK_MAX);
}

/* UPC library 7.4.3.1, paragraph 8: arrays that begin within a block of `block` elements, at the
 * element `first` of an allocation. */
static int first_of(int a, int b) {
  (void)b;
  return a;
}
static void reductions(int first, int n, int block) {
  size_t blocks = (size_t)(first + n) / (size_t)block + 1;
  upc_shared_t src = upc_all_alloc(blocks, (size_t)block * sizeof(int)),
               dst = upc_all_alloc(blocks, (size_t)block * sizeof(int)),
               from = upc_add(src, first, sizeof(int), (uint64_t)block),
               to = upc_add(dst, first, sizeof(int), (uint64_t)block),
               result = of(dst, THREADS - 1);
  int sum = 0;
  for (int i = MYTHREAD; i < n; i += THREADS) {
    upc_relaxed_put(int, upc_add(from, i, sizeof(int), (uint64_t)block), 3 * i + 1);
    upc_relaxed_put(int, upc_add(to, i, sizeof(int), (uint64_t)block), -1);
  }
  for (int i = 0; i < n; i++) sum += 3 * i + 1;
  upc_all_prefix_reduceI(to, from, UPC_ADD, (size_t)n, (size_t)block, NULL, 0);
  for (int i = 0, prefix = 0; i < n; i++) {
    prefix += 3 * i + 1;
    CHECK(upc_relaxed_get(int, upc_add(to, i, sizeof(int), (uint64_t)block)) == prefix);
  }
  upc_barrier();
  upc_all_reduceI(result, from, UPC_ADD, (size_t)n, (size_t)block, NULL, 0);
  CHECK(upc_relaxed_get(int, result) == sum);
  upc_barrier();
  upc_all_reduceI(result, from, UPC_NONCOMM_FUNC, (size_t)n, (size_t)block, first_of,
                  UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
  upc_barrier();
  CHECK(upc_relaxed_get(int, result) == 1);
  upc_all_free(src);
  upc_all_free(dst);
}

/* UPC 7.3.1: logical operators are for all types. Of 0.5 a conversion to integers would be false.
 * Elements from `end` on are 0. */
#define LOGICAL(T, type)                                                                   \
  static void logical_##T(int end) {                                                       \
    int n = 3 * THREADS;                                                                   \
    upc_shared_t src = upc_all_alloc((size_t)n, sizeof(type)),                             \
                 dst = upc_all_alloc((size_t)n, sizeof(type)), one = of(dst, THREADS - 1); \
    for (int i = MYTHREAD; i < n; i += THREADS)                                            \
      upc_relaxed_put(type, upc_add(src, i, sizeof(type), 1), (type)(i < end ? 0.5 : 0));  \
    upc_all_prefix_reduce##T(dst, src, UPC_LOGAND, (size_t)n, 1, NULL, 0);                 \
    for (int i = 1; i < n; i++)                                                            \
      CHECK(upc_relaxed_get(type, upc_add(dst, i, sizeof(type), 1)) == (i < end));         \
    upc_barrier();                                                                         \
    upc_all_reduce##T(one, src, UPC_LOGAND, (size_t)n, 1, NULL, 0);                        \
    CHECK(upc_relaxed_get(type, one) == (n <= end));                                       \
    upc_barrier();                                                                         \
    upc_all_reduce##T(one, src, UPC_LOGOR, (size_t)n, 1, NULL, 0);                         \
    CHECK(upc_relaxed_get(type, one) == (end > 0));                                        \
    upc_all_free(src);                                                                     \
    upc_all_free(dst);                                                                     \
  }
LOGICAL(D, double)
LOGICAL(F, float)
LOGICAL(LD, long double)

static void mistake(const char *what) {
  upc_shared_t a = upc_shared_array(ints);
  if (strcmp(what, "phase") == 0) {
    a.phase = 3;
    upc_all_reduceI(a, a, UPC_ADD, 2, 3, NULL, 0);
  } else if (strcmp(what, "thread") == 0) {
    (void)upc_thread_info((size_t)THREADS);
  } else if (strcmp(what, "wait") == 0) {
    upc_notify_value(3);
    upc_wait_value(4);
  }
  upc_barrier();
  upc_global_exit(0); /* the mistake was not seen */
}

int main(int argc, char **argv) {
  upc_init();
  if (argc > 1) mistake(argv[1]);
  expressions();
  zeros();
  phases();
  casts_and_clock();
  for (int block = 2; block < 5; block++)
    for (int first = 0; first < 8; first++)
      for (int n = 1; n < 30; n += 7) reductions(first, n, block);
  logical_F(0);
  logical_F(2);
  logical_D(2);
  logical_LD(2);
  logical_LD(3 * THREADS);
  return 0;
}
