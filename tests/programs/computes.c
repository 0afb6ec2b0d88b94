/* SPDX-License-Identifier: BSD-3-Clause */
/* computes.c - a fixed amount of work between two calls of eyot, and its time: prints "computed N
 * us" for unit 0. With "calls" the work is 10,000 reads of the clock with nothing between; with
 * "reads" a million, which take more than their price each (docs/adr/0117). */
#include <string.h>

#include "programs/api_check.h"

#define WORK 60000000u
#define CALLS 10000u
#define READS 1000000u

static uint64_t work(void) {
  uint64_t x = 1;
  for (uint32_t i = 0; i < WORK; i++) x = x * 6364136223846793005ull + 1442695040888963407ull;
  return x;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t from_ns = eyot_now_ns(), x = 1;
  const char *what = argc == 2 ? argv[1] : "work";
  if (strcmp(what, "work") != 0)
    for (uint32_t i = 0; i < (strcmp(what, "calls") == 0 ? CALLS : READS); i++) x += eyot_now_ns();
  else
    x = work();
  uint64_t ns = eyot_now_ns() - from_ns;
  CHECK(x != 0);
  if (eyot_me().id == 0) printf("computed %lu us\n", (unsigned long)(ns / 1000));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  return finish();
}
