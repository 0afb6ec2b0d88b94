/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds.c - a program that fails from one seed only: seeds fail|crash|poll|deadlock SEED. Prints
 * its seed, so that a test sees whose output is shown. */
#include <signal.h>
#include <string.h>

#include "programs/api_check.h"

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 3);
  const char *seed = getenv("EYOT_SEED");
  bool bad = seed != NULL && strcmp(seed, argv[2]) == 0;
  if (eyot_me().id == 0) printf("this is seed %s\n", seed != NULL ? seed : "1, not set");
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (bad && eyot_me().id == 1) {
    if (strcmp(argv[1], "crash") == 0) (void)raise(SIGFPE);
    while (strcmp(argv[1], "poll") == 0) OK(eyot_compute(1000));
    if (strcmp(argv[1], "fail") == 0) eyot_abort(7, "the test wants it");
    if (strcmp(argv[1], "deadlock") == 0) {
      eyot_gptr_t word;
      OK(eyot_alloc(sizeof(uint64_t), &word));
      return eyot_wait_until(word, EYOT_CMP_EQ, 42, NULL);
    }
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
