/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_check.c - a lock under eyotcheck, by its history (eyot/check.h): each operation is reported
 * before its call and after its return, and the history must be that of a lock. The counter that
 * the lock guards is read and written apart, so that the detector sees two holders at once, and a
 * holder that does not see what the one before it has written. Arguments: set, try, or both;
 * ROUNDS. */
#include <eyot/check.h>

#include "tests/openshmem/check.h"

static long lock, counter, other, other_counter;
static uint32_t object;

static void must(int rc) {
  if (rc != 0) abort();
}

static bool acquire(bool tries) {
  uint64_t id;
  must(eyot_check_call(object, tries ? "try_acquire" : "acquire", NULL, &id));
  int taken = 0;
  if (tries)
    taken = shmem_test_lock(&lock);
  else
    shmem_set_lock(&lock);
  must(eyot_check_return(id, !taken, 0));
  return !taken;
}

static void release(void) {
  uint64_t id;
  must(eyot_check_call(object, "release", NULL, &id));
  shmem_clear_lock(&lock);
  must(eyot_check_return(id, 1, 0));
}

static void add_one(long *of) {
  long value = shmem_long_g(of, 0);
  shmem_long_p(of, value + 1, 0);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "set";
  int rounds = argc > 2 ? atoi(argv[2]) : 1, held = 0;
  begin();
  must(eyot_check_object("lock", "lock", 0, &object));
  must(eyot_check_begin());
  for (int i = 0; i < rounds; i++) {
    bool tries = strcmp(way, "try") == 0 || (strcmp(way, "both") == 0 && me % 2 == 1);
    if (!acquire(tries)) continue;
    held++;
    add_one(&counter);
    release();
  }
  if (strcmp(way, "both") == 0) { /* another lock, taken while the first one is passed on */
    shmem_set_lock(&other);
    add_one(&other_counter);
    shmem_clear_lock(&other);
  }
  if (strcmp(way, "both") == 0) { /* else the history says enough, in fewer steps */
    static long all, mine;
    mine = held;
    (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
    if (me == 0 && counter != all)
      eyot_check_fail("the counter is %ld after %ld holds", counter, all);
  }
  must(eyot_check_end());
  return finish();
}
