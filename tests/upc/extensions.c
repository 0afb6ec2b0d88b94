/* SPDX-License-Identifier: BSD-3-Clause */
/* extensions.c - copies of UPC that do not block, and its atomics: results, and mistakes, each of
 * which ends the run. Argument: none, or the mistake. */
#include <eyot/upc.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: thread %d of %d: not so: %s\n", __FILE__, __LINE__, MYTHREAD, \
              THREADS, #condition);                                                         \
      upc_global_exit(1);                                                                   \
    }                                                                                       \
  } while (0)

enum { BYTES = 3000, ROUNDS = 4 };
UPC_SHARED_ARRAY(char, from, BYTES);
UPC_SHARED_ARRAY(char, to, ROUNDS *BYTES);
UPC_SHARED_ARRAY(uint64_t, words, 2);
UPC_SHARED_ARRAY(double, numbers, 1);

static upc_shared_t at(upc_shared_t first, int thread, size_t byte) {
  first.at = eyot_gptr_at(first.at, (eyot_unit_t){(uint32_t)(thread % THREADS)});
  return upc_add(first, (int64_t)byte, 1, 0);
}

static void check_bytes(upc_shared_t p, int c) {
  char seen[BYTES];
  upc_memget(seen, p, BYTES);
  for (int i = 0; i < BYTES; i++) CHECK(seen[i] == c);
}

/* Each thread writes to the next one, from its own memory and that of the one after. */
static void transfers(void) {
  char own[BYTES], seen[BYTES], zeros[BYTES] = {0};
  upc_shared_t a = upc_shared_array(from), b = upc_shared_array(to);
  int next = MYTHREAD + 1, other = MYTHREAD + 2;
  memset(own, 'a' + MYTHREAD % 26, BYTES);
  upc_memput(at(a, MYTHREAD, 0), own, BYTES);
  upc_barrier();
  CHECK(upc_sync_attempt(UPC_COMPLETE_HANDLE) == UPC_NB_COMPLETED);
  upc_sync(upc_memput_nb(at(b, next, 0), own, 0));
  upc_handle_t put = upc_memput_nb(at(b, next, 0), own, BYTES);
  upc_handle_t get = upc_memget_nb(seen, at(a, next, 0), BYTES);
  upc_handle_t copy = upc_memcpy_nb(at(b, next, BYTES), at(a, other, 0), BYTES);
  upc_handle_t set = upc_memset_nb(at(b, next, 2 * BYTES), 's', BYTES);
  while (upc_sync_attempt(copy) == UPC_NB_NOT_COMPLETED)
    ;
  upc_sync(set);
  upc_sync(get);
  upc_sync(put);
  for (int i = 0; i < BYTES; i++) CHECK(seen[i] == 'a' + next % THREADS % 26);
  upc_barrier();
  int writer = MYTHREAD + THREADS - 1;
  check_bytes(at(b, MYTHREAD, 0), 'a' + writer % THREADS % 26);
  check_bytes(at(b, MYTHREAD, BYTES), 'a' + (writer + 2) % THREADS % 26);
  check_bytes(at(b, MYTHREAD, 2 * BYTES), 's');
  upc_barrier();
  upc_memset_nbi(at(b, next, 0), 'i', BYTES);
  upc_memput_nbi(at(b, next, BYTES), zeros, BYTES);
  upc_memcpy_nbi(at(b, next, 2 * BYTES), at(a, other, 0), BYTES);
  upc_memget_nbi(seen, at(a, other, 0), BYTES);
  while (upc_synci_attempt() == UPC_NB_NOT_COMPLETED)
    ;
  upc_memcpy_nbi(at(b, next, 3 * BYTES), at(a, other, 0), BYTES);
  upc_synci();
  for (int i = 0; i < BYTES; i++) CHECK(seen[i] == 'a' + other % THREADS % 26);
  upc_barrier();
  check_bytes(at(b, MYTHREAD, 0), 'i');
  check_bytes(at(b, MYTHREAD, BYTES), 0);
  check_bytes(at(b, MYTHREAD, 2 * BYTES), 'a' + (writer + 2) % THREADS % 26);
  check_bytes(at(b, MYTHREAD, 3 * BYTES), 'a' + (writer + 2) % THREADS % 26);
  upc_barrier();
}

/* A transfer reads what the thread has written just before, and is not overtaken by it. */
static void own_order(void) {
  upc_shared_t p = at(upc_shared_array(to), MYTHREAD + 1, 0);
  for (int k = 0; k < 20; k++) {
    int seen = -1, again = k + 100;
    upc_relaxed_put(int, p, k);
    upc_sync(upc_memget_nb(&seen, p, sizeof seen));
    CHECK(seen == k);
    upc_relaxed_put(int, p, k + 50);
    upc_sync(upc_memput_nb(p, &again, sizeof again));
    CHECK(upc_relaxed_get(int, p) == k + 100);
  }
  upc_barrier();
  upc_atomicdomain_t *d = upc_all_atomicdomain_alloc(UPC_UINT64, UPC_GET, 0);
  upc_shared_t w = at(upc_shared_array(words), MYTHREAD + 1, 8);
  for (uint64_t k = 1, seen; k < 20; k++) {
    upc_relaxed_put(uint64_t, w, k);
    upc_atomic_relaxed(d, &seen, UPC_GET, w, NULL, NULL);
    CHECK(seen == k);
  }
  upc_relaxed_put(uint64_t, w, 0);
  upc_barrier();
  upc_all_atomicdomain_free(d);
}

static void integers(upc_atomicdomain_t *d) {
  upc_shared_t sum = at(upc_shared_array(words), 0, 0), most = at(upc_shared_array(words), 0, 8);
  uint64_t three = 3, two = 2, old, me = (uint64_t)MYTHREAD;
  upc_atomic_relaxed(d, NULL, UPC_ADD, sum, &three, NULL);
  upc_atomic_strict(d, &old, UPC_SUB, sum, &two, NULL);
  CHECK(old >= 3 && old <= 3 * (uint64_t)THREADS);
  upc_atomic_relaxed(d, NULL, UPC_INC, sum, NULL, NULL);
  upc_atomic_relaxed(d, NULL, UPC_MAX, most, &me, NULL);
  upc_barrier();
  upc_atomic_relaxed(d, &old, UPC_GET, sum, NULL, NULL);
  CHECK(old == 2 * (uint64_t)THREADS);
  upc_atomic_strict(d, &old, UPC_GET, most, NULL, NULL);
  CHECK(old == (uint64_t)THREADS - 1);
  upc_barrier();
  uint64_t mine = 0, winner = me + 1;
  upc_shared_t own = at(upc_shared_array(words), MYTHREAD + 1, 0);
  upc_atomic_relaxed(d, NULL, UPC_SET, own, &three, NULL);
  upc_atomic_relaxed(d, NULL, UPC_MULT, own, &three, NULL);
  upc_atomic_relaxed(d, NULL, UPC_XOR, own, &two, NULL);
  upc_atomic_relaxed(d, NULL, UPC_DEC, own, NULL, NULL);
  upc_atomic_relaxed(d, NULL, UPC_OR, own, &two, NULL);
  upc_atomic_relaxed(d, &old, UPC_AND, own, &three, NULL);
  CHECK(old == 10);
  upc_atomic_relaxed(d, &old, UPC_MIN, own, &two, NULL);
  upc_barrier();
  upc_atomic_strict(d, &mine, UPC_CSWAP, most, &(uint64_t){(uint64_t)THREADS - 1}, &winner);
  upc_barrier();
  upc_atomic_strict(d, &old, UPC_GET, most, NULL, NULL);
  CHECK(old >= 1 && old <= (uint64_t)THREADS);
  CHECK((mine == (uint64_t)THREADS - 1) == (old == winner) || THREADS == 1 ||
        winner == (uint64_t)THREADS - 1);
  upc_barrier();
}

static void atomics(void) {
  const upc_op_t all = UPC_ADD | UPC_SUB | UPC_MULT | UPC_INC | UPC_DEC | UPC_MIN | UPC_MAX |
                       UPC_GET | UPC_SET | UPC_CSWAP;
  upc_atomicdomain_t *d =
      upc_all_atomicdomain_alloc(UPC_UINT64, all | UPC_AND | UPC_OR | UPC_XOR, 0);
  upc_atomicdomain_t *f = upc_all_atomicdomain_alloc(UPC_DOUBLE, all, UPC_ATOMIC_HINT_LATENCY);
  integers(d);
  double half = 0.5, seen;
  upc_shared_t p = at(upc_shared_array(numbers), 0, 0);
  upc_atomic_relaxed(f, NULL, UPC_ADD, p, &half, NULL);
  upc_atomic_relaxed(f, NULL, UPC_INC, p, NULL, NULL);
  upc_atomic_relaxed(f, NULL, UPC_SUB, p, &half, NULL);
  upc_barrier();
  upc_atomic_strict(f, &seen, UPC_GET, p, NULL, NULL);
  CHECK(seen == THREADS);
  upc_barrier();
  CHECK(upc_atomic_isfast(UPC_INT64, UPC_ADD | UPC_CSWAP, p) == UPC_ATOMIC_PERFORMANCE_FAST);
  CHECK(upc_atomic_isfast(UPC_DOUBLE, UPC_ADD, p) == UPC_ATOMIC_PERFORMANCE_NOT_FAST);
  upc_all_atomicdomain_free(f);
  upc_all_atomicdomain_free(d);
}

static void mistake(const char *what) {
  uint64_t one = 1;
  upc_shared_t p = at(upc_shared_array(words), 0, 0);
  if (strcmp(what, "twice") == 0) {
    upc_handle_t h = upc_memget_nb(&one, p, 8);
    upc_sync(h);
    upc_sync(h);
  } else if (strcmp(what, "open") == 0) {
    (void)upc_memget_nb(&one, p, 8);
    upc_finalize();
  } else if (strcmp(what, "pts") == 0) {
    (void)upc_all_atomicdomain_alloc(UPC_PTS, UPC_GET, 0);
  } else if (strcmp(what, "ops") == 0) {
    (void)upc_all_atomicdomain_alloc(UPC_DOUBLE, UPC_XOR, 0);
  } else if (strcmp(what, "differ") == 0) {
    (void)upc_all_atomicdomain_alloc(MYTHREAD == 0 ? UPC_INT64 : UPC_INT32, UPC_GET, 0);
  } else if (strcmp(what, "op") == 0) {
    upc_atomic_relaxed(upc_all_atomicdomain_alloc(UPC_INT64, UPC_GET, 0), NULL, UPC_ADD, p, &one,
                       NULL);
  } else if (strcmp(what, "fetch") == 0) {
    upc_atomic_relaxed(upc_all_atomicdomain_alloc(UPC_INT64, UPC_GET, 0), NULL, UPC_GET, p, NULL,
                       NULL);
  } else if (strcmp(what, "operand") == 0) {
    upc_atomic_relaxed(upc_all_atomicdomain_alloc(UPC_INT64, UPC_CSWAP, 0), NULL, UPC_CSWAP, p,
                       &one, NULL);
  } else if (strcmp(what, "freed") == 0) {
    upc_atomicdomain_t *d = upc_all_atomicdomain_alloc(UPC_INT64, UPC_ADD, 0);
    upc_all_atomicdomain_free(d);
    upc_atomic_relaxed(d, NULL, UPC_ADD, p, &one, NULL);
  }
  upc_barrier();
  upc_global_exit(0); /* the mistake was not seen */
}

int main(int argc, char **argv) {
  upc_init();
  if (argc > 1) mistake(argv[1]);
  transfers();
  own_order();
  atomics();
  return 0;
}
