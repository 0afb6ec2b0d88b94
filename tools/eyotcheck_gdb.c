/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_gdb.c - runs a failing run under gdb (eyotcheck_gdb.h). */
#include "eyotcheck_gdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* The first write to a page in a run is a SIGSEGV, which eyot handles like the program's own: gdb
 * must not show it. No watchdog: a user who examines a stopped program takes time. */
static char *const BEFORE[] = {
    (char[]){"gdb"},   (char[]){"-q"},
    (char[]){"-ex"},   (char[]){"set breakpoint pending on"},
    (char[]){"-ex"},   (char[]){"handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT nostop noprint pass"},
    (char[]){"-ex"},   (char[]){"break sim_untimed_break"},
    (char[]){"-ex"},   (char[]){"run"},
    (char[]){"--args"}};
#define N_BEFORE (sizeof BEFORE / sizeof *BEFORE)

int eyotcheck_gdb(int argc, char **argv) {
  char **all = calloc(N_BEFORE + (size_t)argc + 2, sizeof *all);
  if (all == NULL) {
    fprintf(stderr, "eyotcheck: no memory for the command line of gdb\n");
    return EYOTI_EXIT_USAGE;
  }
  size_t n = 0;
  for (; n < N_BEFORE; n++) all[n] = BEFORE[n];
  all[n++] = argv[0];
  all[n++] = (char[]){"--watchdog=0"};
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--gdb") != 0 && strcmp(argv[i], "--gdb=on") != 0) all[n++] = argv[i];
  execvp(all[0], all);
  int reason = errno;
  fprintf(stderr, "eyotcheck: --gdb cannot start gdb: %s%s\n", strerror(reason),
          reason == ENOENT ? "; install it (apt-get install gdb), or add it to PATH" : "");
  free(all);
  return reason == ENOENT ? EYOTI_EXIT_NOT_FOUND : EYOTI_EXIT_NOT_RUNNABLE;
}
