/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_fail.c - programs that fail: engine_fail WAY. Unit 1 does: deadlock (skips a barrier),
 * loop (never calls the fabric again), segv, fpe, stack (overflow), trap (eyot_abort). The run must
 * end non-zero and report which unit failed, doing what. */
#include <eyot/eyot.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_BYTES 4000

__attribute__((noinline)) static int deeper(int n) {
  volatile char frame[FRAME_BYTES];
  frame[0] = (char)n;
  return n == 0 ? 0 : deeper(n - 1) + frame[0];
}

static void go_wrong(const char *way) {
  int *volatile nowhere = (int *)(uintptr_t)16;
  volatile bool for_ever = true;
  if (strcmp(way, "loop") == 0)
    while (for_ever) continue;
  if (strcmp(way, "segv") == 0) *nowhere = 1;
  if (strcmp(way, "fpe") == 0) raise(SIGFPE);
  if (strcmp(way, "stack") == 0) exit(deeper(1 << 20));
  if (strcmp(way, "trap") == 0) eyot_abort(7, "the test wants it");
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  if (eyot_phase("before") != EYOT_OK || eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  if (eyot_me().id == 1) {
    go_wrong(argv[1]);
    uint64_t word = 0;
    eyot_gptr_t mine;
    if (strcmp(argv[1], "deadlock") == 0 && eyot_alloc(sizeof word, &mine) == EYOT_OK)
      return eyot_wait_until(mine, EYOT_CMP_EQ, 42, &word);
  }
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
