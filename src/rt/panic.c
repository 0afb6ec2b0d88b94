/* SPDX-License-Identifier: BSD-3-Clause */
/* panic.c - base/check.h: the only place that aborts. An invariant of eyot itself does not hold. */
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
  abort();
}
