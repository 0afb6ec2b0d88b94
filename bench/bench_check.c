/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_check.c - the program for the speed of eyotcheck: each unit acquires and releases an MCS
 * lock once between eyot_check_begin and eyot_check_end, and does nothing else. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                            \
  do {                                                                      \
    int code_ = (call);                                                     \
    if (code_ != 0) eyot_check_fail("%s: %s", #call, eyot_strerror(code_)); \
  } while (0)

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != 0) return EXIT_FAILURE;
  eyot_lock_t lock;
  OK(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock)); /* NULL: mcs */
  OK(eyot_check_begin());
  OK(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  OK(eyot_lock_release(lock));
  OK(eyot_check_end());
  OK(eyot_lock_destroy(&lock));
  return eyot_finalize() == EYOT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
