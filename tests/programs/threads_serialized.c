/* SPDX-License-Identifier: BSD-3-Clause */
/* threads_serialized.c - at EYOT_THREAD_SERIALIZED the threads of a unit call eyot one after the
 * other: each makes operations of every kind, in an order that a mutex gives. */
#include <pthread.h>

#include "programs/api_check.h"

#define THREADS 4u
#define TURNS 200u

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static eyot_gptr_t base;

static void take_turn(uint32_t thread, uint32_t i) {
  const eyot_unit_t next = {(eyot_me().id + 1) % eyot_size()};
  const eyot_gptr_t slot = eyot_gptr_add(eyot_gptr_at(base, next), 8 * (1 + thread));
  uint64_t old, value = (uint64_t)thread << 32 | i, seen = 0;
  eyot_handle_t h;
  OK(eyot_put(slot, &value, sizeof value));
  OK(eyot_get(&seen, slot, sizeof seen));
  CHECK(seen == value);
  OK(eyot_fetch_add_u64(eyot_gptr_at(base, next), 1, &old));
  OK(eyot_put_nb(slot, &value, sizeof value, &h));
  OK(eyot_wait(&h, EYOT_REMOTE));
  OK(eyot_put_nbi(slot, &value, sizeof value));
  OK(eyot_flush(next, EYOT_REMOTE));
}

static void *work(void *arg) {
  const uint32_t thread = *(const uint32_t *)arg;
  for (uint32_t i = 0; i < TURNS; i++) {
    CHECK(pthread_mutex_lock(&turn) == 0);
    take_turn(thread, i);
    CHECK(pthread_mutex_unlock(&turn) == 0);
  }
  return NULL;
}

/* The whole of a collective part in another thread than the one that has started eyot. */
static void *meet(void *arg) {
  eyot_gptr_t more;
  eyot_lock_t lock;
  uint64_t one = 1, sum = 0;
  (void)arg;
  OK(eyot_init(NULL, NULL));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 1000, &more));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &one, &sum, 1));
  CHECK(sum == eyot_size());
  OK(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock));
  OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_lock_release(lock));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_lock_destroy(&lock));
  OK(eyot_team_free(more));
  OK(eyot_finalize()); /* of two */
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t id[THREADS];
  uint32_t number[THREADS];
  uint64_t total;
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.threads = EYOT_THREAD_SERIALIZED;
  CHECK(eyot_thread_level() == EYOT_THREAD_SINGLE);
  OK(eyot_init_with(&argc, &argv, &attr));
  CHECK(eyot_thread_level() == EYOT_THREAD_SERIALIZED);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * (1 + THREADS), &base));
  for (uint32_t i = 0; i < THREADS; i++) {
    number[i] = i;
    CHECK(pthread_create(&id[i], NULL, work, &number[i]) == 0);
  }
  for (uint32_t i = 0; i < THREADS; i++) CHECK(pthread_join(id[i], NULL) == 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&total, eyot_gptr_at(base, eyot_me()), sizeof total));
  CHECK(total == THREADS * TURNS);
  CHECK(pthread_create(&id[0], NULL, meet, NULL) == 0 && pthread_join(id[0], NULL) == 0);
  OK(eyot_team_free(base));
  return finish();
}
