/* SPDX-License-Identifier: BSD-3-Clause */
/* blocked.c - finds the pages that the C library writes while it blocks all signals.
 *
 * Why it exists: glibc 2.41 and later take a lock of their own, with all signals blocked, in
 * sigaction for SIGABRT, in abort, and in posix_spawn, and with it in system and popen. A first
 * write to a protected page would then end the process, because the handler of SIGSEGV cannot run.
 * No interface says where the lock is; child processes that protect one page each, and call
 * sigaction, find out. Its pages are open from the start (ranges.c). */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/snapshot/state.h"

/* Whether sigaction works while the pages of `at` cannot be written. */
static bool works_without(struct chk_area at) {
  struct sigaction now;
  int how = 0;
  /* first calls may write where the linker stores their addresses */
  if (sigaction(SIGABRT, NULL, &now) != 0) return false;
  pid_t child = fork();
  if (child == 0) {
    if (mprotect((void *)at.low, at.high - at.low, PROT_READ) == 0)
      (void)sigaction(SIGABRT, &now, NULL);
    _exit(0);
  }
  /* a process that ignores SIGCHLD learns nothing: the page counts as written */
  return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how);
}

void chk_snap_find_blocked(struct chk_snap *s) {
  const struct chk_area all = s->fork_data;
  s->blocked = (struct chk_area){0, 0};
  if (!CHK_SNAP_WORKS || all.low >= all.high || works_without(all)) return;
  for (uintptr_t p = all.low; p < all.high; p += CHK_PAGE) {
    if (works_without((struct chk_area){p, p + CHK_PAGE})) continue;
    if (s->blocked.high == 0) s->blocked.low = p;
    s->blocked.high = p + CHK_PAGE;
  }
}
