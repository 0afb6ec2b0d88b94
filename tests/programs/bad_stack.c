/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_stack.c - a large local array, as beginners have it: bad_stack KIB. The report of an overflow
 * names the line, what was needed and the option. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 65536u /* 512 KiB */

__attribute__((noinline)) static double fill(uint32_t times) {
  volatile double grid[CELLS];
  for (uint32_t i = 0; i < CELLS; i++) grid[i] = i; /* overflows here */
  return times > 1 ? fill(times - 1) + grid[7] : grid[7];
}

int main(int argc, char **argv) {
  uint32_t times = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) / 512 : 1;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  double sum = fill(times);
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK || sum < 7) return 1;
  if (eyot_me().id == 0) puts("ok");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
