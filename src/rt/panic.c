/* SPDX-License-Identifier: BSD-3-Clause */
/* panic.c - implements eyoti_panic of base/check.h, for an invariant of eyot itself that does not
 * hold: the only place that aborts. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
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
