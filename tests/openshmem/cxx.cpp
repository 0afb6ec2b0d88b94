/* SPDX-License-Identifier: BSD-3-Clause */
/* cxx.cpp - the header in C++: the functions of C, and overloads with the names of the type-generic
 * forms. */
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdio>
#include <type_traits>

static int me, n_pes, failures;
static shmem_ctx_t ctx;

template <typename T>
static void same(int line, const char *what, T seen, T expected) {
  if (seen == expected || failures++ > 9) return;
  std::fprintf(stderr, "%s:%d: PE %d of %d: %s: %g, expected %g\n", __FILE__, line, me, n_pes, what,
               (double)seen, (double)expected);
}
#define SAME(what, seen, expected) \
  same<std::decay_t<decltype(seen)>>(__LINE__, what, seen, expected)
#define IS(T, expression) static_assert(std::is_same<T, decltype(expression)>::value, #expression)

template <typename T>
static void copies() {
  static T a[4], b[4];
  T source[4] = {T(1 + me % 5), T(2), T(3), T(4)}, back[2] = {};
  int pe = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
  static uint64_t signal;
  signal = 0;
  shmem_barrier_all();
  shmem_put(&a[0], source, 1, pe);
  shmem_put(ctx, &b[0], source, 1, pe);
  shmem_p(&a[1], source[1], pe);
  shmem_p(ctx, &b[1], source[1], pe);
  shmem_put_nbi(&a[2], &source[2], 1, pe);
  shmem_iput(&b[2], &source[2], 1, 1, 1, pe);
  shmem_put_signal(&a[3], &source[3], 1, &signal, 1, SHMEM_SIGNAL_ADD, pe);
  shmem_put_signal_nbi(ctx, &b[3], &source[3], 1, &signal, 1, SHMEM_SIGNAL_ADD, pe);
  SAME("signal", shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 2), uint64_t(2));
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  SAME("put", a[0], T(1 + left % 5));
  SAME("put ctx", b[0], T(1 + left % 5));
  for (int i = 1; i < 4; i++) {
    SAME("p, put_nbi, put_signal", a[i], T(1 + i));
    SAME("p, iput, put_signal_nbi", b[i], T(1 + i));
  }
  shmem_get(&back[0], &a[0], 1, pe);
  shmem_get_nbi(&back[1], &a[1], 1, pe);
  shmem_quiet();
  SAME("get", back[0], source[0]);
  SAME("get_nbi", back[1], T(2));
  IS(T, shmem_g(a, pe));
  SAME("g", shmem_g(a, pe), source[0]);
  SAME("g ctx", shmem_g(ctx, b, pe), source[0]);
  shmem_barrier_all(); /* others have read a */
  SAME("broadcast", shmem_broadcast(SHMEM_TEAM_WORLD, a, b, 1, n_pes - 1), 0);
  SAME("broadcast", a[0], T(1 + (n_pes + n_pes - 2) % n_pes % 5));
  b[1] = T(1);
  SAME("sum", shmem_sum_reduce(SHMEM_TEAM_WORLD, &a[1], &b[1], 1), 0);
  SAME("sum", a[1], T(n_pes));
  SAME("max", shmem_max_reduce(SHMEM_TEAM_WORLD, &a[1], &b[1], 1), 0);
  SAME("max", a[1], T(1));
  SAME("inscan", shmem_sum_inscan(SHMEM_TEAM_WORLD, &a[1], &b[1], 1), 0);
  SAME("inscan", a[1], T(me + 1));
  shmem_barrier_all();
}

template <typename T>
static void atomics() {
  static T word;
  T old = 0;
  int pe = (me + 1) % n_pes;
  word = 1;
  shmem_barrier_all();
  IS(T, shmem_atomic_fetch(&word, pe));
  SAME("fetch", shmem_atomic_fetch(&word, pe), T(1));
  SAME("fetch_add", shmem_atomic_fetch_add(&word, T(2), pe), T(1));
  SAME("fetch_add ctx", shmem_atomic_fetch_add(ctx, &word, T(3), pe), T(3));
  SAME("compare_swap", shmem_atomic_compare_swap(&word, T(6), T(7), pe), T(6));
  SAME("swap", shmem_atomic_swap(&word, T(8), pe), T(7));
  SAME("finc", shmem_finc(&word, pe), T(8));
  shmem_atomic_fetch_inc_nbi(&old, &word, pe);
  shmem_quiet();
  SAME("fetch_inc_nbi", old, T(9));
  shmem_atomic_inc(&word, pe);
  shmem_atomic_add(&word, T(4), pe);
  shmem_barrier_all();
  SAME("the word", word, T(15));
  shmem_wait_until(&word, SHMEM_CMP_GE, T(15));
  SAME("test", shmem_test(&word, SHMEM_CMP_LT, T(15)), 0);
  SAME("test_any", shmem_test_any(&word, 1, nullptr, SHMEM_CMP_EQ, T(15)), size_t(0));
  shmem_barrier_all();
}

template <typename T>
static void bits() {
  static T word;
  int pe = (me + 1) % n_pes;
  word = 6;
  shmem_barrier_all();
  SAME("fetch_and", shmem_atomic_fetch_and(&word, T(3), pe), T(6));
  SAME("fetch_or", shmem_atomic_fetch_or(ctx, &word, T(4), pe), T(2));
  shmem_atomic_xor(&word, T(1), pe);
  shmem_barrier_all();
  SAME("the word", word, T(7));
  static T all;
  SAME("and", shmem_and_reduce(SHMEM_TEAM_WORLD, &all, &word, 1), 0);
  SAME("and", all, T(7));
  shmem_barrier_all();
}

int main() {
  static long sync_words[SHMEM_BARRIER_SYNC_SIZE];
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  SAME("ctx_create", shmem_ctx_create(0, &ctx), 0);
#define COPIES(T, N, op) copies<T>();
#define ATOMICS(T, N, op) atomics<T>();
#define BITS(T, N, op) bits<T>();
  SHMEMI_RMA_C(COPIES, )
  SHMEMI_AMO_C(ATOMICS, )
  SHMEMI_AMO_BITWISE_C(BITS, )
  SAME("sync", shmem_sync(SHMEM_TEAM_WORLD), 0);
  shmem_sync(0, 0, n_pes, sync_words);
  int wrong = failures;
  shmem_finalize();
  return wrong != 0;
}
