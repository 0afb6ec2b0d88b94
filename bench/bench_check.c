/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_check.c - what a checker's speed is measured with: an acquire and a release of an MCS lock
 * by every unit, and nothing else, from eyot_check_begin to eyot_check_end. */
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
