/* SPDX-License-Identifier: BSD-3-Clause */
/* bad_stack_deep.c - an overflow of a stack without a guard page: bad_stack_deep UNIT live|past,
 * with stacks of 256 KiB. Unit UNIT has a local array as long as its stack while it waits (live),
 * or had it before (past). */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK (256u << 10)

__attribute__((noinline)) static int in_array(int wait) {
  volatile char array[STACK];
  for (uint32_t i = STACK; i > 0; i--) array[i - 1] = 'x';
  int rc = wait ? eyot_barrier(EYOT_TEAM_ALL) : EYOT_OK;
  return rc == EYOT_OK && array[STACK / 2] == 'x' ? rc : EYOT_EINVAL;
}

int main(int argc, char **argv) {
  if (argc != 3 || eyot_init(&argc, &argv) != EYOT_OK) return 1;
  const bool mine = eyot_me().id == (uint32_t)strtoul(argv[1], NULL, 10);
  const bool live = strcmp(argv[2], "live") == 0;
  if (mine && in_array(live) != EYOT_OK) return 1;
  if (!(mine && live) && eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  if (eyot_me().id == 0) puts("ok");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
