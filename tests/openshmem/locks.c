/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - mutual exclusion by set_lock and test_lock, what one holder has written is seen by the
 * next, the order of arrival, and several locks at once. The counters are read and written by
 * separate gets and puts, so that an overlap loses an update. */
#include <unistd.h>

#include "tests/openshmem/check.h"

enum { ROUNDS = 3, LOCKS = 5 };

static long locks[LOCKS], counters[LOCKS];

static void add_one(long *counter, int pe) {
  long value = shmem_long_g(counter, pe);
  shmem_long_p(counter, value + 1, pe);
}

static void exclusion(long *lock, long *counter, int by_test) {
  for (int i = 0; i < ROUNDS; i++) {
    if (by_test) {
      while (shmem_test_lock(lock) != 0) continue;
    } else {
      shmem_set_lock(lock);
    }
    add_one(counter, n_pes - 1);
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  if (me == n_pes - 1) INT(*counter, ROUNDS * n_pes);
  shmem_barrier_all();
}

/* Half of the PEs try, half wait. */
static void mixed(void) {
  static long lock, counter;
  exclusion(&lock, &counter, me % 2);
}

/* Locks are independent: all are held at once by one PE, and then each by another one. */
static void several(void) {
  static long held[LOCKS];
  shmem_barrier_all();
  if (me == 0)
    for (int i = 0; i < LOCKS; i++) shmem_set_lock(&held[i]);
  shmem_barrier_all();
  if (me == 1)
    for (int i = 0; i < LOCKS; i++) INT(shmem_test_lock(&held[i]), 1);
  shmem_barrier_all();
  if (me == 0)
    for (int i = 0; i < LOCKS; i++) shmem_clear_lock(&held[i]);
  shmem_barrier_all();
  for (int i = 0; i < LOCKS; i++)
    if (me == i % n_pes) INT(shmem_test_lock(&held[i]), 0);
  for (int i = 0; i < LOCKS; i++)
    if (me == i % n_pes) shmem_clear_lock(&held[i]);
  shmem_barrier_all();
}

/* The order of arrival: PE 0 holds the lock while the others come, one a millisecond. Only where
 * time is simulated (argument "fifo"); on a real machine nothing says who was first. */
static void fifo(void) {
  static long lock, order[64], place;
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me > 0) {
    usleep((useconds_t)(n_pes - me) * 1000);
    shmem_set_lock(&lock);
  } else {
    usleep((useconds_t)(n_pes + 1) * 1000);
  }
  long at = shmem_long_g(&place, 0);
  shmem_long_p(&place, at + 1, 0);
  shmem_long_p(&order[at], me, 0);
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  if (me == 0)
    for (int i = 0; i < n_pes; i++) INT(order[i], i == 0 ? 0 : n_pes - i);
}

int main(int argc, char **argv) {
  begin();
  if (argc > 1 && strcmp(argv[1], "fifo") == 0) {
    fifo();
    return finish();
  }
  long *lock = shmem_calloc(1, sizeof *lock), *counter = shmem_calloc(1, sizeof *counter);
  for (int i = 0; i < LOCKS; i++) exclusion(&locks[i], &counters[i], 0);
  exclusion(lock, counter, 1);
  mixed();
  several();
  shmem_free(counter);
  shmem_free(lock);
  return finish();
}
