/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_gives_up.c - units that ask for a lock again and again, each time for a shorter time than
 * its holder needs to pass over one that has given up: releases end all the same, and each unit has
 * the lock in the end. lock_gives_up KIND TIMEOUT_NS; a run that goes on for ever is ended by the
 * limit of the test. */
#include <string.h>

#include "programs/api_check.h"

enum { TIMES = 5 };

static enum eyot_lock_kind kind_of(const char *name) {
  static const char *const NAMES[] = {"mcs", "hier", "rw", "epoch", "tas", "ticket"};
  for (int kind = 0; kind < EYOT_LOCK_KIND_COUNT; kind++)
    if (strcmp(name, NAMES[kind]) == 0) return (enum eyot_lock_kind)kind;
  CHECK(false);
  return EYOT_LOCK_KIND_COUNT;
}

static void acquire(eyot_lock_t lock, uint64_t timeout_ns) {
  int rc;
  while ((rc = eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, timeout_ns)) != EYOT_OK) {
    CHECK(rc == EYOT_ETIMEOUT || rc == EYOT_EBUSY); /* no node is left for another wait */
    if (rc == EYOT_EBUSY) OK(eyot_compute(timeout_ns));
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 3);
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.kind = kind_of(argv[1]);
  uint64_t timeout_ns = strtoull(argv[2], NULL, 10), count = 0;
  eyot_lock_t lock;
  eyot_gptr_t sum;
  OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &lock));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof count, &sum));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (int i = 0; i < TIMES; i++) {
    acquire(lock, timeout_ns);
    OK(eyot_get(&count, sum, sizeof count));
    count++;
    OK(eyot_put(sum, &count, sizeof count));
    OK(eyot_lock_release(lock));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&count, sum, sizeof count));
  CHECK(count == (uint64_t)TIMES * eyot_size());
  if (eyot_me().id == 0) printf("ok\n");
  OK(eyot_team_free(sum));
  OK(eyot_lock_destroy(&lock));
  OK(eyot_finalize());
  return 0;
}
