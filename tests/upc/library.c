/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the UPC interface: pointer arithmetic against the layout's definition, the three
 * heaps with frees by other threads, copies, accesses, locks, barriers, and the collectives. */
#include <eyot/upc.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: thread %d of %d: not so: %s\n", __FILE__, __LINE__, MYTHREAD, \
              THREADS, #condition);                                                         \
      upc_global_exit(1);                                                                   \
    }                                                                                       \
  } while (0)

enum { BLOCK = 3, PART = 12 };
UPC_SHARED_ARRAY(long, array, PART);
UPC_SHARED_ARRAY(int, ring, 1);

/* Element i by the definition: block i/b at thread (i/b) mod THREADS. */
static upc_shared_t element(upc_shared_t first, int64_t i, uint64_t block) {
  if (block == 0) {
    first.at = eyot_gptr_add(first.at, i * 8);
    return first;
  }
  int64_t b = i / (int64_t)block, row = b / THREADS;
  first.at = eyot_gptr_at(first.at, (eyot_unit_t){(uint32_t)(b % THREADS)});
  first.phase = (uint64_t)i % block;
  first.at = eyot_gptr_add(first.at, (row * (int64_t)block + (int64_t)first.phase) * 8);
  return first;
}

static void pointers(uint64_t block) {
  upc_shared_t first = upc_shared_array(array);
  for (int64_t i = 0; i < 60; i++) {
    upc_shared_t p = element(first, i, block), next = element(first, i + 1, block);
    upc_shared_t q = upc_add(p, 1, 8, block);
    CHECK(upc_equal(q, next) && q.phase == next.phase);
    for (int64_t j = 0; j < 60; j++) {
      q = upc_add(p, j - i, 8, block);
      upc_shared_t want = element(first, j, block);
      CHECK(upc_equal(q, want) && q.phase == want.phase);
      CHECK(upc_diff(want, p, 8, block) == j - i);
      CHECK(upc_before(p, want, 8, block) == (i < j));
    }
  }
}

static void accesses(void) {
  long sum = 0, i;
  long n = (long)PART * THREADS;
  upc_shared_t a = upc_shared_array(array);
  upc_forall_blocked(i, n, BLOCK) upc_relaxed_put(long, upc_add(a, i, 8, BLOCK), i + 1);
  upc_barrier();
  for (i = 0; i < n; i++) sum += upc_relaxed_get(long, upc_add(a, i, 8, BLOCK));
  CHECK(sum == n * (n + 1) / 2);
  upc_shared_t r = upc_add(upc_shared_array(ring), MYTHREAD, sizeof(int), 1);
  upc_relaxed_put(int, r, (int)upc_relaxed_get(long, a)); /* *r = *a */
  upc_strict_put(int, r, upc_strict_get(int, r) + 1);
  CHECK(upc_relaxed_get(int, r) == 2);
  size_t all = 0;
  for (int t = 0; t < THREADS; t++) all += upc_affinitysize(1000, 16, (size_t)t);
  CHECK(all == 1000);
  upc_barrier();
  upc_shared_t next = upc_shared_array(ring);
  next.at = eyot_gptr_at(next.at, (eyot_unit_t){(uint32_t)((MYTHREAD + 1) % THREADS)});
  for (int k = 0; k < 20; k++) { /* a thread sees its own accesses in their order */
    upc_relaxed_put(int, next, k);
    CHECK(upc_relaxed_get(int, next) == k);
  }
  upc_strict_put(int, next, MYTHREAD);
  CHECK(upc_strict_get(int, next) == MYTHREAD);
  upc_barrier_value(7);
  upc_shared_t mine = upc_add(upc_shared_array(ring), MYTHREAD, sizeof(int), 1);
  CHECK(*(int *)upc_cast(mine) == (MYTHREAD + THREADS - 1) % THREADS);
}

static void heaps(void) {
  upc_shared_t box = upc_all_alloc((size_t)THREADS, sizeof(upc_shared_t));
  upc_shared_t slot = upc_add(box, MYTHREAD, sizeof(upc_shared_t), 1);
  upc_shared_t left = upc_add(box, (MYTHREAD + 1) % THREADS, sizeof(upc_shared_t), 1);
  for (int round = 0; round < 3; round++) {
    upc_shared_t local = upc_alloc(200);
    CHECK((int)upc_threadof(local) == MYTHREAD);
    upc_memset(local, 5, 200);
    upc_memput(slot, &local, sizeof local);
    upc_barrier();
    upc_shared_t other = upc_relaxed_get(upc_shared_t, left);
    CHECK(upc_relaxed_get(char, upc_add(other, 199, 1, 0)) == 5);
    upc_free(other); /* memory of the next thread */
    upc_barrier();
    upc_shared_t global = upc_global_alloc((size_t)THREADS, 64); /* by each thread, on all */
    upc_shared_t last = upc_add(global, THREADS - 1, 64, 1);
    upc_relaxed_put(int, last, MYTHREAD);
    upc_memput(slot, &global, sizeof global);
    upc_barrier();
    other = upc_relaxed_get(upc_shared_t, left);
    CHECK(upc_relaxed_get(int, upc_add(other, THREADS - 1, 64, 1)) == (MYTHREAD + 1) % THREADS);
    upc_shared_t copy = upc_global_alloc((size_t)THREADS, 64);
    upc_memcpy(copy, upc_add(other, THREADS - 1, 64, 1), 4);
    CHECK(upc_relaxed_get(int, copy) == (MYTHREAD + 1) % THREADS);
    upc_barrier();
    upc_free(other);
    upc_free(copy);
  }
  upc_free(UPC_NULL);
  upc_all_free(box);
}

static void locks(void) {
  upc_shared_t count = upc_all_alloc(1, sizeof(long));
  if (MYTHREAD == 0) upc_relaxed_put(long, count, 0);
  upc_lock_t all = upc_all_lock_alloc(), own = upc_global_lock_alloc();
  upc_barrier();
  for (int i = 0; i < 5; i++) {
    upc_lock(all);
    long seen = upc_relaxed_get(long, count);
    upc_relaxed_put(long, count, seen + 1);
    upc_unlock(all);
  }
  CHECK(upc_lock_attempt(own) == 1);
  upc_lock_free(own); /* it is held */
  upc_notify_value(3);
  upc_wait_value(3);
  CHECK(upc_relaxed_get(long, count) == 5L * THREADS);
  upc_barrier();
  if (MYTHREAD == THREADS - 1) upc_lock_free(all), upc_free(count);
}

static int *mine_of(upc_shared_t p) {
  return upc_cast((upc_shared_t){eyot_gptr_at(p.at, eyot_me()), 0});
}

/* Functions of the program. Left is neither commutative nor an operation of UPC: a pair of digits
 * keeps the first of the left and the last of the right. */
static int largest(int a, int b) {
  return a > b ? a : b;
}
static int ends(int left, int right) {
  return left / 1000 * 1000 + right % 1000;
}

static void functions(upc_shared_t dst, upc_shared_t src, upc_flag_t mode) {
  size_t n = (size_t)THREADS;
  int *s = mine_of(src), *d = mine_of(dst);
  upc_all_reduceI(dst, src, UPC_FUNC, n, 1, largest, mode);
  upc_barrier();
  CHECK(upc_relaxed_get(int, dst) == 1000 * (THREADS - 1));
  *s = 1000 * MYTHREAD + (MYTHREAD + 7) % 1000;
  upc_barrier();
  upc_all_reduceI(dst, src, UPC_NONCOMM_FUNC, n, 1, ends, mode);
  upc_barrier();
  CHECK(upc_relaxed_get(int, dst) == (THREADS + 6) % 1000);
  upc_barrier();
  upc_all_prefix_reduceI(dst, src, UPC_NONCOMM_FUNC, n, 1, ends, mode);
  upc_barrier();
  CHECK(*d == (MYTHREAD + 7) % 1000);
}

static void collectives(upc_flag_t mode) {
  size_t n = (size_t)THREADS, row = n * sizeof(int);
  upc_shared_t src = upc_all_alloc(n, row), dst = upc_all_alloc(n, row);
  upc_shared_t perm = upc_all_alloc(n, sizeof(int));
  int *s = mine_of(src), *d = mine_of(dst);
  for (int i = 0; i < THREADS; i++) s[i] = 1000 * MYTHREAD + i;
  *mine_of(perm) = (MYTHREAD + 1) % THREADS;
  upc_barrier();
  upc_all_broadcast(dst, src, row, mode);
  upc_barrier();
  for (int i = 0; i < THREADS; i++) CHECK(d[i] == i);
  upc_all_scatter(dst, src, sizeof(int), mode);
  upc_barrier();
  CHECK(d[0] == MYTHREAD);
  upc_barrier();
  upc_all_gather(dst, src, sizeof(int), mode);
  upc_barrier();
  for (int i = 0; i < THREADS && MYTHREAD == 0; i++) CHECK(d[i] == 1000 * i);
  upc_barrier();
  upc_all_gather_all(dst, src, sizeof(int), mode);
  upc_barrier();
  for (int i = 0; i < THREADS; i++) CHECK(d[i] == 1000 * i);
  upc_barrier();
  upc_all_exchange(dst, src, sizeof(int), mode);
  upc_barrier();
  for (int i = 0; i < THREADS; i++) CHECK(d[i] == 1000 * i + MYTHREAD);
  upc_barrier();
  upc_all_permute(dst, src, perm, row, mode);
  upc_barrier();
  CHECK(d[0] == 1000 * ((MYTHREAD + THREADS - 1) % THREADS));
  upc_barrier();
  upc_all_reduceI(dst, src, UPC_ADD, n, 1, NULL, mode);
  upc_barrier();
  CHECK(upc_relaxed_get(int, dst) == 500 * THREADS * (THREADS - 1));
  upc_barrier();
  upc_all_prefix_reduceI(dst, src, UPC_MAX, n, 1, NULL, mode);
  upc_barrier();
  CHECK(d[0] == 1000 * MYTHREAD);
  upc_barrier();
  functions(dst, src, mode);
  upc_barrier();
  upc_all_free(src);
  upc_all_free(dst);
  upc_all_free(perm);
}

/* Mistakes, each of which ends the run. */
static void mistake(const char *what) {
  if (what[0] == 'b') { /* barrier: expressions differ */
    upc_notify_value(MYTHREAD);
    upc_wait_value(MYTHREAD);
  } else if (what[0] == 'l') { /* local: freed twice */
    upc_shared_t p = upc_alloc(8);
    upc_free(p);
    upc_free(p);
  } else if (what[0] == 'g') { /* global: freed twice */
    upc_shared_t p = upc_global_alloc(1, 8);
    upc_free(p);
    upc_free(p);
  } else if (what[0] == 'f') { /* func: NULL */
    upc_all_reduceI(upc_all_alloc(1, 4), upc_all_alloc(1, 4), UPC_FUNC, 1, 1, NULL, 0);
  } else if (what[0] == 'h') { /* heap: exhausted */
    (void)upc_global_alloc((size_t)THREADS, (size_t)1 << 40);
  }
  upc_global_exit(0); /* the mistake was not seen */
}

int main(int argc, char **argv) {
  upc_init();
  CHECK(THREADS == (int)eyot_size() && MYTHREAD == (int)eyot_me().id);
  if (argc > 1) mistake(argv[1]);
  uint64_t blocks[] = {0, 1, 2, 3, 4, 5};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) pointers(blocks[i]);
  accesses();
  heaps();
  locks();
  collectives(0);
  collectives(UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
  collectives(UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
  return 0;
}
