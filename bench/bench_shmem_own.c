/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_shmem_own.c - the rows of bench_shmem by eyot's own calls, which the OpenSHMEM interface is
 * made of: what it adds is the difference. */
#include <eyot/eyot.h>
#include <string.h>

#include "bench_shmem.h"

enum { BATCH = 1000, LARGE = 4096, MIB = 1 << 20 };

static eyot_gptr_t heap, object, mine_own; /* PE 1's words, its static object; own words */
static eyot_gptr_t other;                  /* the words of the other unit */
static char large[LARGE];
static uint64_t statics[8];
static eyot_lock_t lock;
static uint64_t trips, signaled;

#define LOOP(name, step)                                   \
  static double name(int n) {                              \
    uint64_t value = 0;                                    \
    int failed = 0;                                        \
    double begin = bench_shmem_ns();                       \
    for (int i = 0; i < n; i++) {                          \
      value += 1;                                          \
      RELOAD(&value);                                      \
      step;                                                \
    }                                                      \
    RELOAD(&value);                                        \
    double ns = (bench_shmem_ns() - begin) / n;            \
    if (failed != 0) eyot_abort(1, "bench_shmem: " #name); \
    return ns;                                             \
  }

static int batch(void) {
  int failed = 0;
  for (int k = 0; k < BATCH; k++) {
    uint64_t value = (uint64_t)k;
    RELOAD(&value);
    failed |= eyot_put_nbi(eyot_gptr_add(heap, 8 * k), &value, sizeof value);
  }
  return failed | eyot_flush_all(EYOT_REMOTE);
}

static int word_trip(void) {
  uint64_t next = trips + 1;
  int failed = 0;
  if (eyot_me().id == 0) failed |= eyot_put_local(other, &next, sizeof next);
  failed |= eyot_wait_until(mine_own, EYOT_CMP_EQ, next, NULL);
  if (eyot_me().id == 1) failed |= eyot_put_local(other, &next, sizeof next);
  trips = next;
  return failed;
}

static int signal_trip(void) {
  uint64_t next = signaled + 1;
  int failed = 0;
  eyot_gptr_t word = eyot_gptr_add(other, 16), at = eyot_gptr_add(other, 8);
  if (eyot_me().id == 0) failed |= eyot_put_signal_local(word, &next, 8, at, EYOT_SIGNAL_SET, next);
  failed |= eyot_wait_until(eyot_gptr_add(mine_own, 8), EYOT_CMP_EQ, next, NULL);
  if (eyot_me().id == 1) failed |= eyot_put_signal_local(word, &next, 8, at, EYOT_SIGNAL_SET, next);
  signaled = next;
  return failed;
}

static int allocate(void) {
  eyot_gptr_t g;
  int failed = eyot_team_alloc(EYOT_TEAM_ALL, MIB, &g);
  return failed != 0 ? failed : eyot_team_free(g);
}

static int pair_of_lock(void) {
  int failed = eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
  return failed | eyot_lock_release(lock);
}

LOOP(put, failed |= eyot_put_local(heap, &value, 8))
LOOP(put_static, failed |= eyot_put_local(object, &value, 8))
LOOP(get, failed |= eyot_get(&value, heap, 8))
LOOP(get_static, failed |= eyot_get(&value, object, 8))
LOOP(putmem, failed |= eyot_put_local(heap, large, LARGE))
LOOP(put_quiet, failed |= eyot_put_nbi(heap, &value, 8); failed |= eyot_flush_all(EYOT_REMOTE))
LOOP(put_fence, failed |= eyot_put_local(heap, &value, 8); failed |= eyot_order_all())
LOOP(batches, failed |= batch())
LOOP(fetch, uint64_t old = 0; failed |= eyot_read_u64(heap, &old); value = old)
LOOP(set, failed |= eyot_accumulate_nbi(heap, EYOT_INT64, EYOT_REPLACE, &value))
LOOP(add, failed |= eyot_accumulate_nbi(heap, EYOT_INT64, EYOT_SUM, &value))
LOOP(fetch_add, uint64_t old = 0; failed |= eyot_fetch_add_u64(heap, 1, &old); value = old)
LOOP(fetch_add_static, uint64_t old = 0; failed |= eyot_fetch_add_u64(object, 1, &old); value = old)
LOOP(fetch_add_narrow, int32_t one = 1; int32_t old = 0;
     failed |= eyot_fetch_op(object, EYOT_INT32, EYOT_SUM, &one, &old); value = (uint64_t)old)
LOOP(swap, uint64_t old = 0; failed |= eyot_swap_u64(heap, value, &old); value = old)
LOOP(compare_swap, uint64_t old = 0; failed |= eyot_cas_u64(heap, value - 1, value, &old);
     value = old)
LOOP(test, bool done = false;
     failed |= eyot_test_until(eyot_gptr_add(mine_own, 32), EYOT_CMP_EQ, 0, NULL, &done);
     value += done)
LOOP(wait_true, failed |= eyot_wait_until(eyot_gptr_add(mine_own, 32), EYOT_CMP_EQ, 0, NULL))
LOOP(trips_p, failed |= word_trip())
LOOP(put_signal,
     failed |= eyot_put_signal_local(heap, &value, 8, eyot_gptr_add(heap, 40), EYOT_SIGNAL_SET, 1))
LOOP(trips_signal, failed |= signal_trip())
LOOP(pair, failed |= pair_of_lock())
LOOP(barrier, failed |= eyot_barrier(EYOT_TEAM_ALL))
LOOP(broadcast, failed |= eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, statics, 8);
     failed |= eyot_barrier(EYOT_TEAM_ALL))
LOOP(allocations, failed |= allocate())

static const struct {
  const char *what;
  bench_shmem_loop *loop;
} OWN[] = {
    {"put_8B", put},
    {"put_8B_static", put_static},
    {"p", put},
    {"p_static", put_static},
    {"get_8B", get},
    {"get_8B_static", get_static},
    {"g", get},
    {"putmem_4KiB", putmem},
    {"put_nbi_and_quiet", put_quiet},
    {"put_and_fence", put_fence},
    {"1000_put_nbi_and_quiet", batches},
    {"atomic_fetch", fetch},
    {"atomic_set", set},
    {"atomic_add", add},
    {"atomic_fetch_add", fetch_add},
    {"atomic_fetch_add_static", fetch_add_static},
    {"atomic_fetch_add_4B", fetch_add_narrow},
    {"atomic_swap", swap},
    {"atomic_compare_swap", compare_swap},
    {"test_true", test},
    {"wait_until_true", wait_true},
    {"p_and_wait_trip", trips_p},
    {"put_signal", put_signal},
    {"put_signal_trip", trips_signal},
    {"lock_alone", pair},
    {"lock_contended", pair},
    {"barrier_all", barrier},
    {"sync_all", barrier},
    {"broadcast64_and_sync", broadcast},
    {"malloc_free_1MiB", allocations},
};

bench_shmem_loop *bench_shmem_own(const char *row) {
  for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
    if (strcmp(OWN[i].what, row) == 0) return OWN[i].loop;
  return NULL;
}

int bench_shmem_own_begin(void) {
  eyot_gptr_t all;
  if (eyot_team_alloc(EYOT_TEAM_ALL, BATCH * sizeof(uint64_t), &all) != EYOT_OK) return 1;
  eyot_unit_t me = eyot_me(), one = {1}, not_me = {1 - me.id};
  heap = eyot_gptr_at(all, one);
  mine_own = eyot_gptr_at(all, me);
  other = eyot_gptr_at(all, not_me);
  if (eyot_data_gptr(statics, sizeof statics, one, &object) != EYOT_OK) return 1;
  static const uint64_t ZEROS[BATCH];
  if (eyot_put(mine_own, ZEROS, sizeof ZEROS) != EYOT_OK) return 1;
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.home = 0; /* where the OpenSHMEM interface has the queue of a lock */
  return eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock);
}
