/* SPDX-License-Identifier: BSD-3-Clause */
/* end.c - see end.h: abort, a unit that exits before eyot_finalize, a unit that crashes.
 *
 * Each of them ends the whole run with a non-zero code and names the unit and its last operation.
 * The handlers have no state of their own: they find the endpoint through eyot_current, which has
 * none before init and after finalize. */
#include "fabric_real/launch/end.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/wait/supervised.h"
#include "rt/rt.h"

#define SIGNAL_STACK_BYTES (256u * 1024u) /* MPI_Abort runs on it */
#define ABORT_SECONDS 10u                 /* an MPI that cannot abort any more is given this long */
/* a launcher reads our last line in its own time, but kills without reading on */
#define FORWARD_MS 50
#define LINE_BYTES 512u

static const int FATAL[FMPI_FATAL_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const FATAL_NAMES[FMPI_FATAL_SIGNALS] = {
    "SIGSEGV (memory fault)", "SIGBUS (memory fault)", "SIGFPE (arithmetic fault)",
    "SIGILL (illegal instruction)", "SIGABRT"};

static void end_say(struct fab *fab, const char *text) {
  fmpi_supervised_state(fmpi_of(fab), EYOTI_RUN_ABORTING);
  char line[LINE_BYTES];
  int n = snprintf(line, sizeof line, "eyot: [unit %u] %s; its last operation was %s%s%s\n",
                   fab->me, text, fab->note.what != NULL ? fab->note.what : "none",
                   fab->note.phase != NULL ? ", in phase " : "",
                   fab->note.phase != NULL ? fab->note.phase : "");
  ssize_t ignored = write(STDERR_FILENO, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
  (void)ignored;
}

/* Exit codes have 8 bits, and none of ours may be success. */
static int exit_code(int code) {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

/* `code` is the launcher's. */
static void end_run_with(int code) __attribute__((noreturn));
static void end_run_with(int code) {
  const struct timespec forward = {.tv_nsec = FORWARD_MS * 1000000};
  int usable = 0, over = 0;
  /* MPI_Abort may call exit, whose handler must not report again */
  eyot_current = eyoti_rt_idle();
  alarm(ABORT_SECONDS);
  nanosleep(&forward, NULL);
  if (MPI_Initialized(&usable) == MPI_SUCCESS && usable != 0 &&
      MPI_Finalized(&over) == MPI_SUCCESS && over == 0)
    MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

static void end_run(int code) __attribute__((noreturn));
static void end_run(int code) {
  end_run_with(exit_code(code));
}

/* With a supervisor, it ends all processes and returns `code`; a launcher alone returns what it
 * makes of MPI_Abort. */
void fmpi_exit_all(struct fab *fab, int code) {
  const struct timespec patience = {.tv_sec = ABORT_SECONDS};
  struct fmpi *f = fmpi_of(fab);
  const struct timespec forward = {.tv_nsec = FORWARD_MS * 1000000};
  fflush(NULL);
  nanosleep(&forward, NULL);
  if (fmpi_supervised_exit_all(f, code)) {
    fmpi_supervised_state(f, EYOTI_RUN_ABORTING);
    eyot_current = eyoti_rt_idle();
    nanosleep(&patience, NULL); /* the supervisor kills this process */
  }
  bool elsewhere = eyoti_conf_foreign_env(EYOTI_RUN_ENV) != NULL;
  end_run_with(elsewhere && (code & 0xff) == 0 ? EYOTI_RUN_EXIT_ZERO : code & 0xff);
}

void fmpi_abort(struct fab *fab, int code, const char *reason) {
  char text[LINE_BYTES / 2];
  snprintf(text, sizeof text, "aborts the run with code %d: %s", exit_code(code),
           reason != NULL ? reason : "no reason given");
  end_say(fab, text);
  end_run(code);
}

static void on_program_exit(int status, void *unused) {
  (void)unused;
  struct fab *fab = eyot_current->fab;
  if (fab == NULL) return; /* finalized, or never started */
  end_say(fab, "has left the run without eyot_finalize");
  end_run(status);
}

static void on_quick_exit(void) {
  on_program_exit(0, NULL);
}

static void on_fatal_signal(int number) {
  struct fab *fab = eyot_current->fab;
  signal(number, SIG_DFL);
  if (fab == NULL) {
    raise(number);
    return;
  }
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    char text[LINE_BYTES / 2];
    if (FATAL[i] != number) continue;
    snprintf(text, sizeof text, "has crashed with %s", FATAL_NAMES[i]);
    end_say(fab, text);
  }
  end_run(128 + number);
}

/* MPI_Finalize by the program while eyot still uses MPI would hang or fail somewhere inside. */
static int on_mpi_finalize(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value;
  struct fmpi *f = extra;
  if (f->end.finalize_key != MPI_KEYVAL_INVALID) {
    end_say(&f->fab, "calls MPI_Finalize before eyot_finalize");
    end_run(1);
  }
  return MPI_SUCCESS;
}

/* A child of fork is no unit: it has no runtime, and its end is not the run's. */
static void in_forked_child(void) {
  if (eyot_current->fab == NULL) return;
  eyot_current = eyoti_rt_idle();
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(FATAL[i], NULL, &now) == 0 && now.sa_handler == on_fatal_signal)
      signal(FATAL[i], SIG_DFL);
  }
}

/* A handler of the program's own, or of a sanitizer, is left alone; MPI's communication libraries
 * (UCX, Open MPI's) install some that only print a backtrace. */
static bool may_replace(const struct sigaction *now) {
  if ((now->sa_flags & SA_SIGINFO) == 0 && now->sa_handler == SIG_DFL) return true;
  Dl_info info;
  void *handler;
  memcpy(&handler, &now->sa_handler, sizeof handler);
  return dladdr(handler, &info) != 0 && info.dli_fname != NULL &&
         (strstr(info.dli_fname, "libucs") != NULL ||
          strstr(info.dli_fname, "libopen-pal") != NULL);
}

int fmpi_end_watch(struct fmpi *f) {
  f->end.stack = malloc(SIGNAL_STACK_BYTES);
  if (f->end.stack == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a signal stack");
  stack_t stack = {.ss_sp = f->end.stack, .ss_size = SIGNAL_STACK_BYTES}, before;
  if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
    sigaltstack(&stack, NULL);
  struct sigaction handler = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};
  sigemptyset(&handler.sa_mask);
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++) {
    if (sigaction(FATAL[i], NULL, &f->end.before[i]) != 0 || !may_replace(&f->end.before[i]))
      continue;
    f->end.taken[i] = sigaction(FATAL[i], &handler, NULL) == 0;
  }
  if (on_exit(on_program_exit, NULL) != 0 || at_quick_exit(on_quick_exit) != 0 ||
      pthread_atfork(NULL, NULL, in_forked_child) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot register handlers for exit and fork");
  FMPI_TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_mpi_finalize, &f->end.finalize_key, f));
  FMPI_TRY(MPI_Comm_set_attr(MPI_COMM_SELF, f->end.finalize_key, NULL));
  return EYOT_OK;
}

void fmpi_end_unwatch(struct fmpi *f) {
  for (uint32_t i = 0; i < FMPI_FATAL_SIGNALS; i++)
    if (f->end.taken[i]) sigaction(FATAL[i], &f->end.before[i], NULL);
  stack_t now, off = {.ss_flags = SS_DISABLE};
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == f->end.stack) sigaltstack(&off, NULL);
  free(f->end.stack);
  int key = f->end.finalize_key;
  f->end.finalize_key = MPI_KEYVAL_INVALID; /* from here on the attribute may go */
  (void)MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  (void)MPI_Comm_free_keyval(&key);
}
