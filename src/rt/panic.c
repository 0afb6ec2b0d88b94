/* SPDX-License-Identifier: BSD-3-Clause */
/* panic.c - implements the two ends of base/check.h: eyoti_panic, for an invariant of eyot itself
 * that does not hold, the only place that aborts; and eyoti_no_memory, for memory that the system
 * refuses and that no caller can do without. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "rt/place.h"
#include "rt/rt.h"

void eyoti_panic(const char *file, int line, const char *fmt, ...) {
  const struct eyot_rt *rt = eyot_current;
  const struct fab *f = rt->fab;
  char place[EYOTI_CODE_LINE];
  fprintf(stderr, "eyot: panic at %s:%d", file, line);
  if (f != NULL)
    fprintf(stderr, " [unit %u, in %s, called at %s]", f->me,
            f->note.what != NULL ? f->note.what : "no call",
            eyoti_place_text(rt, eyoti_place_of(rt, eyoti_rt_site(rt)), place));
  fputs(": ", stderr);
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputs("\nThis is a defect of eyot. Please report it with the command line and the seed.\n",
        stderr);
  fflush(stderr);
  /* First, because abort in glibc 2.41 and later writes to its variables while all signals are
   * blocked: under eyotcheck a write to a protected page (check/snapshot) needs its handler. */
  (void)raise(SIGABRT);
  abort();
}

/* No allocation here, and no handler of the program's: there is no memory for either. */
void eyoti_no_memory(uint64_t bytes, const char *what, ...) {
  const struct fab *f = eyot_current->fab;
  fflush(stdout);
  fputs("eyot: out of memory: the system has no memory for ", stderr);
  va_list ap;
  va_start(ap, what);
  vfprintf(stderr, what, ap);
  va_end(ap);
  if (bytes > 0) fprintf(stderr, " (%" PRIu64 " bytes)", bytes);
  if (f != NULL)
    fprintf(stderr, " [unit %u, in %s]", f->me, f->note.what != NULL ? f->note.what : "?");
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    fprintf(stderr, "\neyot: the address space is limited to %" PRIu64 " KiB: raise ulimit -v, or",
            (uint64_t)space.rlim_cur / 1024);
  else
    fputs("\neyot: use a machine or a container limit with more memory, or", stderr);
  fputs(" run fewer units, or lower EYOT_HEAP_SIZE or EYOT_STACK_SIZE\n", stderr);
  fflush(stderr);
  _exit(EYOTI_EXIT_NO_MEMORY);
}

static void on_abort(int sig) {
  (void)sig;
  if (errno == ENOMEM) eyoti_no_memory(0, "a library of the simulator; its own message is above");
}

void eyoti_no_memory_aborts(void) {
  struct sigaction a = {.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&a.sa_mask);
  (void)sigaction(SIGABRT, &a, NULL);
}
