/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_exit.c - the ways to end a program: prog_exit WAY WHEN CODE. Unit 1 leaves by WAY (return,
 * exit, _exit, _Exit, quick_exit, abort), before or after eyot_finalize; all others return 0 after
 * it. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int leave(const char *way, int code) {
  if (strcmp(way, "exit") == 0) exit(code);
  if (strcmp(way, "_exit") == 0) _exit(code);
  if (strcmp(way, "_Exit") == 0) _Exit(code);
  if (strcmp(way, "quick_exit") == 0) quick_exit(code);
  if (strcmp(way, "abort") == 0) abort();
  return code;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  bool leaves = eyot_me().id == 1, early = strcmp(argv[2], "before") == 0;
  if (leaves && early) return leave(argv[1], atoi(argv[3]));
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  if (eyot_finalize() != EYOT_OK) return 1;
  return leaves ? leave(argv[1], atoi(argv[3])) : 0;
}
