/* SPDX-License-Identifier: BSD-3-Clause */
/* panic.c - implements eyoti_panic of base/check.h, for an invariant of eyot itself that does not
 * hold: the only place that aborts. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "rt/rt.h"

void eyoti_panic(const char *file, int line, const char *fmt, ...) {
  const struct fab *f = eyot_current->fab;
  fprintf(stderr, "eyot: panic at %s:%d", file, line);
  if (f != NULL)
    fprintf(stderr, " [unit %u, in %s]", f->me, f->note.what != NULL ? f->note.what : "?");
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
