/* SPDX-License-Identifier: BSD-3-Clause */
/* panic.c - implements the ends of base/check.h: eyoti_panic, for an invariant of eyot itself that
 * does not hold, and eyoti_mistake, for the program's, the only places that abort; and
 * eyoti_no_memory, for memory that the system refuses and that no caller can do without. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "base/wording.h"
#include "rt/place.h"
#include "rt/rt.h"

/* Prints " [unit 1, in eyot_lock_acquire of "queue" (...), called at a.c:12 (main)]". */
static void print_call(const struct eyot_rt *rt) {
  const struct fab *f = rt->fab;
  if (f == NULL) return;
  char place[EYOTI_CODE_LINE], words[EYOTI_WORDS];
  const char *what = eyoti_rt_what(rt);
  const struct eyoti_about *a = &rt->about;
  eyoti_fprintf(stderr, " [unit %u, in %s", f->me, what != NULL ? eyoti_rt_shown(rt) : "no call");
  if (eyoti_made_about_lock(rt, what) && a->unit == f->me)
    fprintf(stderr, " of %s", eyoti_made_words(rt, a->kind, a->id, words));
  if (eyoti_rt_site(rt) != NULL)
    fprintf(stderr, ", called at %s",
            eyoti_place_text(rt, eyoti_place_of(rt, eyoti_rt_site(rt)), place));
  fputs("]", stderr);
}

/* "src/sync/locks/queue.c" for a path of the machine that compiled it. */
static const char *source_name(const char *file) {
  static const char SRC[] = "/src/";
  const char *name = file;
  for (const char *at = file; (at = strstr(at, SRC)) != NULL; at++) name = at + 1;
  return name;
}

/* The raise is first, because abort in glibc 2.41 and later writes to its variables while all
 * signals are blocked: under eyotcheck a write to a protected page (check/snapshot) needs its
 * handler. */
static __attribute__((noreturn)) void end_process(void) {
  fflush(stderr);
  (void)raise(SIGABRT);
  abort();
}

void eyoti_panic(const char *file, int line, const char *fmt, ...) {
  fprintf(stderr, "eyot: panic at %s:%d", source_name(file), line);
  print_call(eyot_current);
  fputs(": ", stderr);
  va_list ap;
  va_start(ap, fmt);
  eyoti_vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputs(
      "\nThis is a defect of eyot, unless the program has overwritten memory of eyot's. Please "
      "report it with the command line and the seed.\n",
      stderr);
  end_process();
}

void eyoti_mistake(const void *site, const char *fmt, ...) {
  const struct eyot_rt *rt = eyot_current;
  char place[EYOTI_CODE_LINE];
  fputs("eyot: error", stderr);
  if (site == NULL) print_call(rt);
  fputs(": ", stderr);
  va_list ap;
  va_start(ap, fmt);
  eyoti_vfprintf(stderr, fmt, ap);
  va_end(ap);
  if (site != NULL)
    fprintf(stderr, ", called at %s", eyoti_place_text(rt, eyoti_place_of(rt, site), place));
  fputs("\n", stderr);
  end_process();
}

/* No allocation here, and no handler of the program's: there is no memory for either. */
void eyoti_no_memory(uint64_t bytes, const char *what, ...) {
  const struct fab *f = eyot_current->fab;
  fflush(stdout);
  fputs("eyot: out of memory: the system has no memory for ", stderr);
  va_list ap;
  va_start(ap, what);
  eyoti_vfprintf(stderr, what, ap);
  va_end(ap);
  if (bytes > 0) fprintf(stderr, " (%" PRIu64 " bytes)", bytes);
  if (f != NULL)
    eyoti_fprintf(stderr, " [unit %u, in %s]", f->me, f->note.what != NULL ? f->note.what : "?");
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    fprintf(stderr, "\neyot: the address space is limited to %" PRIu64 " KiB: raise ulimit -v, or",
            (uint64_t)space.rlim_cur / 1024);
  else
    fputs("\neyot: use a machine or a container limit with more memory, or", stderr);
  eyoti_fprintf(stderr, " run fewer units, or lower EYOT_HEAP_SIZE or EYOT_STACK_SIZE\n");
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
